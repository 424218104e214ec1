/**
 * Tests the fields of POST /sending/emails other than recipient and content: senders, copies, attachments, headers
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { simpleParser } from "mailparser"
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { content, mailOf } from "../../support/mail.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64")

export const emailFieldsSuite = (target: () => Target) =>
  describe("email fields", () => {
    let account: TestAccount
    let mail: ReturnType<typeof mailOf>
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Email fields")).sandbox
      mail = mailOf(account)
    })
    const parsedOf = async (deliveryId: string) => {
      const path = `/manage/v1/accounts/${account.accountId}/inbox/${deliveryId}/raw`
      const { text } = await call(target(), "GET", path, { token: target().managementToken })
      return { raw: text, parsed: await simpleParser(text) }
    }
    const addresses = (list: unknown) =>
      [list].flat().flatMap((one) => (one as { value?: ReadonlyArray<{ address?: string }> })?.value ?? [])

    it("send to copies, each a separate delivery, and hide blind copies", async () => {
      const { id } = await mail.send("To <to@b.example>", {
        cc: ["Cc <cc@b.example>", { email: "cc2@b.example", name: null }, "TO@b.example"],
        bcc: ["bcc@b.example", "cc@b.example"],
        replyTo: "Replies <replies@b.example>"
      })
      const email = await mail.settled(id, "Delivered")
      expect(email.recipients.map(({ email: address, kind, name }) => [kind, address, name])).toEqual([
        ["To", "to@b.example", "To"],
        ["Cc", "cc@b.example", "Cc"],
        ["Cc", "cc2@b.example", null],
        ["Bcc", "bcc@b.example", null]
      ])
      const ids = email.recipients.map((recipient) => recipient.id)
      expect(new Set([id, ...ids]).size).toBe(5)
      const messages = await mail.messagesOf(id)
      expect(messages.map((message) => message.to).toSorted()).toEqual(
        ["bcc@b.example", "cc2@b.example", "cc@b.example", "to@b.example"].toSorted()
      )
      for (const message of messages) {
        const { parsed, raw } = await parsedOf(message.id)
        expect(raw).not.toContain("bcc@b.example")
        expect(raw).not.toMatch(/^bcc:/im)
        expect(addresses(parsed.to).map((one) => one.address)).toEqual(["to@b.example"])
        expect(addresses(parsed.cc).map((one) => one.address)).toEqual(["cc@b.example", "cc2@b.example"])
        expect(addresses(parsed.replyTo)).toEqual([{ address: "replies@b.example", name: "Replies" }])
      }
    })

    it("give each recipient a status, and the email the common one or Mixed", async () => {
      await account.manage("POST", "/suppressions", { email: "gone@mixed.example", kind: "Bounced" })
      const accepted = await mail.send("bounce@mixed.example", {
        cc: ["complaint@mixed.example", "gone@mixed.example"],
        bcc: ["fine@mixed.example"]
      })
      expect(accepted).toMatchObject({ status: "Queued", reason: null })
      for (const status of ["Bounced", "Delivered"]) {
        const listed = await account.manage<{ items: ReadonlyArray<{ id: string }> }>(
          "GET",
          `/emails?status=${status}&to=nobody@mixed.example`
        )
        expect(listed.value.items).toEqual([])
      }
      const { id, reason, recipients, status } = await eventually(
        () => mail.read(accepted.id),
        (email) =>
          email.recipients.every((one) => ["Bounced", "Delivered", "Suppressed"].includes(one.status))
      )
      expect([id, status, reason]).toEqual([accepted.id, "Mixed", null])
      expect(recipients.map((one) => [one.email, one.kind, one.status, one.reason])).toEqual([
        ["bounce@mixed.example", "To", "Bounced", null],
        ["complaint@mixed.example", "Cc", "Delivered", null],
        ["gone@mixed.example", "Cc", "Suppressed", "sending.gate_bounced"],
        ["fine@mixed.example", "Bcc", "Delivered", null]
      ])
      const again = await mail.send("bounce@mixed.example", { cc: ["gone@mixed.example"] })
      expect(again).toMatchObject({ status: "Suppressed", reason: "sending.gate_bounced" })
      const both = await mail.send("complaint@mixed.example", { cc: ["gone@mixed.example"] })
      expect(both).toMatchObject({ status: "Suppressed", reason: null })
    })

    it("allow another sender of a verified domain, and of no other domain", async () => {
      const { id } = await mail.send("a@b.example", { from: "Support <support@mail.example>" })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      expect(message).toMatchObject({ from: { email: "support@mail.example", name: "Support" } })
      for (const from of ["x@other.example", "x@sub.mail.example"]) {
        const answer = await mail.post({ to: "a@b.example", ...content, from })
        expect(answer.status).toBe(400)
        expect(answer.codes).toEqual(["deliverability.sender_domain_not_verified"])
        expect(answer.fields).toEqual(["from"])
      }
    })

    it("return a repeat's result even when its sender's domain is no longer verified", async () => {
      const { sandbox } = await openWorkspace(target(), "Moved away")
      const mails = mailOf(sandbox)
      const domain = await sandbox.manage<{ id: string }>("POST", "/domains", { domain: "away.example" })
      const sent = { to: "a@b.example", ...content, from: "x@away.example", idempotencyKey: "one" }
      const first = await mails.post(sent)
      expect(first.status).toBe(201)
      await sandbox.manage("DELETE", `/domains/${domain.value.id}`)
      const again = await mails.post(sent)
      expect([again.status, again.value]).toEqual([200, first.value])
      expect((await mails.post({ ...sent, idempotencyKey: "two" })).codes).toEqual([
        "deliverability.sender_domain_not_verified"
      ])
    })

    it("send attachments and inline images byte for byte", async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256)
      const { id } = await mail.send("a@b.example", {
        html: '<img src="cid:logo@x">',
        attachments: [
          { filename: "Rechnung für Zoë.pdf", contentType: "application/pdf", content: base64(bytes) },
          { filename: "logo.png", contentType: "image/png", content: base64("png"), contentId: "logo@x" },
          { filename: "empty.txt", contentType: "text/plain", content: "" }
        ]
      })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      const { attachments } = (await parsedOf(message!.id)).parsed
      const byName = new Map(attachments.map((one) => [one.filename, one]))
      expect(new Uint8Array(byName.get("Rechnung für Zoë.pdf")!.content)).toEqual(bytes)
      expect(byName.get("Rechnung für Zoë.pdf")!.contentType).toBe("application/pdf")
      expect(byName.get("logo.png")).toMatchObject({ cid: "logo@x", contentType: "image/png" })
      expect(byName.get("logo.png")!.content.toString()).toBe("png")
      expect(byName.get("empty.txt")!.content).toHaveLength(0)
    })

    it("send an empty attachment alone", async () => {
      const { id } = await mail.send("a@b.example", {
        attachments: [{ filename: "empty.txt", contentType: "text/plain", content: "" }]
      })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      const { attachments } = (await parsedOf(message!.id)).parsed
      expect(attachments.map((one) => [one.filename, one.content.length])).toEqual([["empty.txt", 0]])
    })

    it("keep the parameters of content types", async () => {
      const calendar = "text/calendar; method=REQUEST; charset=UTF-8"
      const given = {
        "invite.ics": calendar,
        "quoted.txt": 'Text/Plain; Charset="utf-8"; x="a (b); \\"c\\""; title="Zoë"',
        "own.pdf": "application/pdf; name=other.exe; x-long=" + "a".repeat(200)
      }
      const attachments = Object.entries(given).map(([filename, contentType]) => ({
        filename,
        contentType,
        content: base64(filename)
      }))
      const { id } = await mail.send("a@b.example", { attachments })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      const { parsed, raw } = await parsedOf(message!.id)
      expect(raw.replaceAll(/\r\n[ \t]+/g, " ")).toContain(`Content-Type: ${calendar}; name=invite.ics\r\n`)
      expect(
        parsed.attachments.map(({ filename, headers }) => [filename, headers.get("content-type")])
      ).toEqual([
        [
          "invite.ics",
          { value: "text/calendar", params: { method: "REQUEST", charset: "UTF-8", name: "invite.ics" } }
        ],
        [
          "quoted.txt",
          {
            value: "text/plain",
            params: { charset: "utf-8", x: 'a (b); "c"', title: "Zoë", name: "quoted.txt" }
          }
        ],
        ["own.pdf", { value: "application/pdf", params: { "x-long": "a".repeat(200), name: "own.pdf" } }]
      ])
    })

    it("accept 5 MiB of attachments", async () => {
      const file = { filename: "a.bin", contentType: "application/octet-stream" }
      const half = base64(new Uint8Array(2.5 * 1024 * 1024).fill(7))
      const attachments = [
        { ...file, content: half },
        { ...file, content: half }
      ]
      const { id } = await mail.send("a@b.example", { attachments })
      expect((await mail.settled(id, "Delivered")).status).toBe("Delivered")
    })

    it("pass on the allowed headers", async () => {
      const { id } = await mail.send("a@b.example", {
        headers: {
          "X-Order": "Nr. 1",
          "x-name": "Zoë",
          "in-reply-to": "<1@b.example>",
          References: "<0@b.example> <1@b.example>"
        }
      })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      const { parsed } = await parsedOf(message!.id)
      expect(parsed.headers.get("x-order")).toBe("Nr. 1")
      // An encoded word (RFC 2047).
      expect(parsed.headers.get("x-name")).toMatch(/^=\?utf-8\?q\?zo=c3=ab\?=$/i)
      expect(parsed.inReplyTo).toBe("<1@b.example>")
      expect(parsed.references).toEqual(["<0@b.example>", "<1@b.example>"])
    })

    const file = { filename: "a", contentType: "a/b", content: "YQ==" }
    it.each<readonly [string, object, string, string]>([
      ["a wrong sender", { from: "nobody" }, "from", "validation.email"],
      [
        "two addresses of one sender",
        { from: "Ann <a@x.example> <b@x.example>" },
        "from",
        "validation.email"
      ],
      ["two addresses of one recipient", { to: "Ann <a@x.example> <b@x.example>" }, "to", "validation.email"],
      ["an address for a name", { to: "a@x.example <b@x.example>" }, "to", "validation.email"],
      ["a list for a recipient", { to: "a@x.example, Bob <b@x.example>" }, "to", "validation.email"],
      ["two addresses of a copy", { bcc: ["<a@x.example> <b@x.example>"] }, "bcc[0]", "validation.email"],
      [
        "two addresses for replies",
        { replyTo: "A <a@x.example> b <b@x.example>" },
        "replyTo",
        "validation.email"
      ],
      ["a wrong copy", { cc: ["x@b.example", "nobody"] }, "cc[1]", "validation.email"],
      [
        "51 recipients",
        { bcc: Array.from({ length: 50 }, (_, index) => `b${index}@b.example`) },
        "to",
        "sending.recipients_too_many"
      ],
      [
        "11 attachments",
        { attachments: Array.from({ length: 11 }, () => file) },
        "attachments",
        "sending.attachments_too_many"
      ],
      [
        "more than 5 MiB of attachments",
        { attachments: [{ ...file, content: base64(new Uint8Array(5 * 1024 * 1024 + 1)) }] },
        "attachments",
        "sending.attachments_too_large"
      ],
      [
        "a filename with a path",
        { attachments: [file, { ...file, filename: "../a" }] },
        "attachments[1].filename",
        "sending.attachment_invalid"
      ],
      ...[
        "text/plain; charset",
        "text/plain; charset=a; charset=b",
        "text/plain; boundary=b",
        'text/plain; x="a\r\nBcc: c@d.example"',
        `text/plain; x=${"a".repeat(500)}`
      ].map(
        (contentType) =>
          [
            `a content type like ${JSON.stringify(contentType.slice(0, 60))}`,
            { attachments: [{ ...file, contentType }] },
            "attachments[0].contentType",
            "sending.attachment_invalid"
          ] as const
      ),
      [
        "invalid base64",
        { attachments: [{ ...file, content: "a\nb=" }] },
        "attachments[0].content",
        "sending.attachment_invalid"
      ],
      [
        "a header of the message",
        { headers: { Bcc: "x@y.example" } },
        "headers.Bcc",
        "sending.header_not_allowed"
      ],
      [
        "a header of the service",
        { headers: { "X-Svc-Tags": "a" } },
        "headers.X-Svc-Tags",
        "sending.header_not_allowed"
      ],
      [
        "a header that breaks a line",
        { headers: { "X-A": "b\r\nBcc: c@d.example" } },
        "headers.X-A",
        "sending.header_invalid"
      ],
      [
        "a header over its limit",
        { headers: { "X-A": "b ".repeat(1001) } },
        "headers.X-A",
        "validation.max_length"
      ],
      [
        "21 headers",
        { headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, "a"])) },
        "headers",
        "sending.headers_too_many"
      ],
      ["no date", { sendAt: "tomorrow" }, "sendAt", "validation.format"],
      ["a date far ahead", { sendAt: "2199-01-01T00:00:00Z" }, "sendAt", "sending.send_at_too_far"],
      ["variables without a template", { variables: { a: 1 } }, "variables", "sending.content_ambiguous"]
    ])("reject %s", async (_name, change, field, code) => {
      const answer = await mail.post({ to: "a@b.example", ...content, ...change })
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual([code])
      expect(answer.fields).toEqual([field])
    })

    it.each([
      { cc: "a@b.example" },
      { to: ["a@b.example"] },
      { headers: { "X-A": 1 } },
      { attachments: [{ filename: "a" }] },
      { variables: [] },
      { sendAt: 5 }
    ])("return problem+json for %j", async (change) => {
      const answer = await mail.post({ to: "a@b.example", ...content, ...change })
      expect(answer.status).toBe(400)
      expect(answer.refusal).not.toBeNull()
    })

    describe("templates", () => {
      const template = {
        name: "Welcome",
        subject: "Hi {{ name }}\n{{ variables.plan }}",
        html: "<p>{{ name }} {{ missing }}</p>",
        text: "{{ name }}"
      }
      const make = async (values: object = {}) =>
        (await account.manage<{ id: string }>("POST", "/templates", { ...template, ...values })).value.id
      const send = (templateId: string, more: object = {}) =>
        mail.post({ to: "a@b.example", templateId, ...more })

      it("render the template with its variables", async () => {
        const templateId = await make()
        const answer = await send(templateId, { variables: { name: "<Zoë>", plan: "pro" } })
        expect(answer.status).toBe(201)
        const email = await mail.settled(answer.value.id, "Delivered")
        expect(email.templateId).toBe(templateId)
        expect((await mail.messagesOf(answer.value.id))[0]).toMatchObject({
          subject: "Hi <Zoë> pro",
          html: expect.stringContaining("<p>&lt;Zoë&gt; </p>"),
          text: "<Zoë>"
        })
      })

      it("validate the rendered content", async () => {
        const templateId = await make({ subject: "{{ a }}", html: "{{ b }}", text: "" })
        const refused = async (variables: object) => {
          const answer = await send(templateId, { variables })
          expect(answer.status).toBe(400)
          return answer.codes
        }
        expect(await refused({ b: "x" })).toEqual(["validation.required"])
        expect(await refused({ a: "x" })).toEqual(["sending.content_required"])
        expect(await refused({ a: "x".repeat(301), b: "x" })).toEqual(["validation.max_length"])
        expect(await refused({ a: "x", b: "\u0001" })).toEqual(["validation.format"])
      })

      it("reject an unknown template, one of another account, and content beside a template", async () => {
        const other = (await openWorkspace(target(), "Other templates")).sandbox
        const theirs = (await other.manage<{ id: string }>("POST", "/templates", template)).value.id
        for (const id of ["01890a5d-ac96-774b-bcce-b302099a8057", "welcome", theirs]) {
          const answer = await send(id)
          expect(answer.status).toBe(400)
          expect(answer.codes).toEqual(["sending.template_not_found"])
          expect(answer.fields).toEqual(["templateId"])
        }
        const answer = await send(await make(), { subject: "Hello" })
        expect(answer.codes).toEqual(["sending.content_ambiguous"])
        expect(answer.fields).toEqual(["subject"])
      })

      it("return a repeat's result even when the template is deleted", async () => {
        const templateId = await make()
        const first = await send(templateId, { idempotencyKey: "template-1" })
        expect((await account.manage("DELETE", `/templates/${templateId}`)).status).toBe(200)
        const again = await send(templateId, { idempotencyKey: "template-1" })
        expect([again.status, again.value]).toEqual([200, first.value])
        expect((await send(templateId)).codes).toEqual(["sending.template_not_found"])
      })
    })
  })
