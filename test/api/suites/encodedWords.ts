/**
 * Tests that data which looks like encoded words (RFC 2047) is displayed unchanged wherever it appears in a header, and that none
 * is read as a line break.
 *
 * @module
 */
import { simpleParser } from "mailparser"
import { beforeAll, describe, expect, it } from "vitest"
import { decodeWords } from "../../../core/shared/EncodedWords.ts"
import { call } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { mailOf } from "../../support/mail.ts"
import { queuedId, relayedOf } from "../../support/relayed.ts"
import { loggedIn } from "../../support/smtpClient.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

/** Words that would be decoded to another text or to line breaks, or that only lenient readers decode. */
const words = [
  "=?utf-8?B?SGVsbG8=?=",
  "=?utf-8?q?x=0d=0aBcc:_evil@evil.example?=",
  "=?utf-8?B?eA0KQmNjOiBldmlsQGV2aWwuZXhhbXBsZQ==?=",
  "=?UTF-8?Q?x=0a?= =?UTF-8?Q?Bcc:_evil@evil.example?=",
  "=?utf-16be?B?AA0ACg==?=",
  "=?utf-8*en?q?x=E2=80=A8y=C2=85?=",
  "=?utf-7?Q?+AA0ACg-Bcc:?=",
  "=?utf-8?q?x=00=1b?="
] as const

/** Control characters and line breaks of any script. */
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/

export const encodedWordsSuite = (target: () => Target) =>
  describe("text that looks like encoded words", () => {
    let workspace: Workspace
    let mail: ReturnType<typeof mailOf>
    let flows: ReturnType<typeof flowsOf>
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Encoded words")
      mail = mailOf(workspace.sandbox)
      flows = flowsOf(workspace.sandbox)
    })

    /** A message of the inbox. Fails if a field is read as more than one line. */
    const read = async (deliveryId: string) => {
      const path = `/manage/v1/accounts/${workspace.sandbox.accountId}/inbox/${deliveryId}/raw`
      const { text } = await call(target(), "GET", path, { token: target().managementToken })
      const [header = ""] = text.split("\r\n\r\n")
      for (const field of header.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n")) {
        expect(field).toMatch(/^[\x20-\x7e]+$/)
        expect(field).not.toMatch(/^bcc:/i)
        expect(decodeWords(field)).not.toMatch(controls)
      }
      return { header, parsed: await simpleParser(text) }
    }

    it.each(words)("is shown as given in all fields of an email: %s", async (text) => {
      const { id } = await mail.send("to@b.example", {
        to: { email: "to@b.example", name: text },
        cc: [{ email: "cc@b.example", name: `A ${text}` }],
        from: { email: "suite@mail.example", name: text },
        replyTo: { email: "replies@b.example", name: `${text}, Z` },
        subject: `Re: ${text}`,
        headers: { "X-Text": `about ${text}` },
        attachments: [
          { filename: `${text.replaceAll("/", "")}.txt`, contentType: "text/plain", content: "YQ==" }
        ]
      })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      const { parsed } = await read(message!.id)
      expect(parsed.subject).toBe(`Re: ${text}`)
      expect(parsed.from?.value).toEqual([{ address: "suite@mail.example", name: text }])
      expect(parsed.to).toMatchObject({ value: [{ address: "to@b.example", name: text }] })
      expect(parsed.cc).toMatchObject({ value: [{ address: "cc@b.example", name: `A ${text}` }] })
      expect(parsed.replyTo?.value).toEqual([{ address: "replies@b.example", name: `${text}, Z` }])
      expect(parsed.attachments).toHaveLength(1)
      for (const { filename } of parsed.attachments) expect(filename).not.toMatch(controls)
    })

    it("is shown as given where it comes from a template's variable", async () => {
      const template = await workspace.sandbox.manage<{ readonly id: string }>("POST", "/templates", {
        name: "Words",
        subject: "Re: {{ text }}",
        html: "<p>x</p>"
      })
      for (const text of words) {
        const { id } = await mail.send("variable@b.example", {
          subject: undefined,
          html: undefined,
          text: undefined,
          templateId: template.value.id,
          variables: { text }
        })
        await mail.settled(id, "Delivered")
        const [message] = await mail.messagesOf(id)
        expect((await read(message!.id)).parsed.subject).toBe(`Re: ${text}`)
      }
    })

    it("is shown as given where it comes from an event and from a contact", async () => {
      const attribute = "motto"
      await workspace.sandbox.api("POST", "/contact-attributes", { key: attribute, type: "Text" })
      for (const text of words) {
        const name = uniqueName()
        await flows.start(name, [
          emailStep("mail", {
            subject: `{{event.text}} / {{contact.firstName}} / {{contact.attributes.${attribute}}}`
          })
        ])
        const { email } = await flows.person({ firstName: text, attributes: { [attribute]: text } })
        await flows.report(name, { email }, { text })
        const [message] = await flows.mailTo(email, 1)
        const { parsed } = await read(message!.id)
        expect(parsed.subject).toBe([text, text, text].join(" / "))
      }
    })

    it("of messages by SMTP is read as one line, whatever field it is in", async () => {
      const client = await loggedIn(target().smtp.tls, workspace.sandbox.key)
      for (const [index, text] of words.entries()) {
        const to = `smtp-${index}@b.example`
        const lines = [
          `From: ${text} <suite@mail.example>`,
          `To: ${text} <${to}>`,
          `Reply-To: ${text} <replies@b.example>`,
          `Subject: Re: ${text}`,
          `X-Text: ${text}`,
          `Comments: about ${text}`,
          `X-Svc-Tags: a=${text}`,
          "",
          "It works.",
          ""
        ]
        const answer = await client.send([to], lines.join("\r\n"))
        if (!answer.startsWith("250")) {
          expect(answer).toMatch(/^5\d\d /)
          continue
        }
        const id = queuedId(answer)
        await relayedOf(target(), workspace.sandbox).raw(id, to)
        const [message] = await mail.messagesOf(id)
        await read(message!.id)
      }
      client.close()
    })
  })
