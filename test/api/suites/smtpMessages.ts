/**
 * Tests messages submitted through the SMTP relay: recipients, content, headers, repeats (docs/contributing/public-api.md "SMTP
 * relay").
 *
 * @module
 */
import { simpleParser } from "mailparser"
import { createTransport, type SendMailOptions } from "nodemailer"
import { beforeAll, describe, expect, it } from "vitest"
import { fieldOf, queuedId, relayedOf } from "../../support/relayed.ts"
import { loggedIn } from "../../support/smtpClient.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

const from = "Suite <suite@mail.example>"
const to = "ada@example.org"

/** A message with the given header lines and body. */
const message = (headers: ReadonlyArray<string>, body = "It works."): string =>
  [...headers, "", body, ""].join("\r\n")

const plain = (...more: ReadonlyArray<string>) =>
  message([`From: ${from}`, `To: ${to}`, "Subject: Hello", ...more])

export const smtpMessagesSuite = (target: () => Target) =>
  describe("messages through the relay", () => {
    let workspace: Workspace
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Relayed")
    })
    const relayed = () => relayedOf(target(), workspace.sandbox)

    /** Submits messages one after another, and returns the reply to each. */
    const sendAll = async (messages: ReadonlyArray<string>, recipients: ReadonlyArray<string> = [to]) => {
      const client = await loggedIn(target().smtp.tls, workspace.sandbox.key)
      const answers: Array<string> = []
      for (const one of messages) answers.push(await client.send(recipients, one))
      client.close()
      return answers
    }
    const send = async (one: string, recipients?: ReadonlyArray<string>) =>
      (await sendAll([one], recipients))[0]!
    const accept = async (one: string, recipients?: ReadonlyArray<string>) =>
      queuedId(await send(one, recipients))
    /** Submits a message with nodemailer. */
    const mail = async (options: SendMailOptions) => {
      const { host, port } = target().smtp.startTls
      const transport = createTransport({
        host,
        port,
        requireTLS: true,
        auth: { user: "svc", pass: workspace.sandbox.key },
        tls: { rejectUnauthorized: false }
      })
      try {
        const { response } = await transport.sendMail({ from, to, subject: "Hello", text: "t", ...options })
        return queuedId(response)
      } finally {
        transport.close()
      }
    }

    describe("roles", () => {
      it("are those of the recipient's header, and Bcc without one", async () => {
        const headers = [
          `From: ${from}`,
          'To: "Ada, Countess of" <ADA@example.org>, =?utf-8?B?QsO2Yg==?= <bob@example.org>, Team: carl@example.org (Carl), "a b"@example.org;',
          "Cc: dora@example.org, Only Shown <shown@example.org>, ada@example.org",
          "Bcc: leak@example.org",
          "Subject: Roles"
        ]
        const envelope = [
          "eve@example.org",
          "dora@example.org",
          '"a b"@example.org',
          "carl@example.org",
          "bob@example.org",
          to
        ]
        const id = await accept(message(headers), envelope)
        expect(await relayed().recipients(id)).toEqual([
          ["To", to, "Ada, Countess of"],
          ["To", "bob@example.org", "Böb"],
          ["To", "carl@example.org", "Carl"],
          ["To", '"a b"@example.org', null],
          ["Cc", "dora@example.org", null],
          ["Bcc", "eve@example.org", null]
        ])
        const raw = await relayed().raw(id, "eve@example.org")
        expect(raw).not.toMatch(/eve@example|leak@example|shown@example/)
      })

      it("make a single recipient To without a To header, and reject several", async () => {
        const headers = [`From: ${from}`, "Subject: s", "Cc: Ada <ada@example.org>"]
        expect(await relayed().recipients(await accept(message(headers)))).toEqual([["To", to, "Ada"]])
        expect(await send(message(headers), [to, "bob@example.org"])).toMatch(
          /^554 5\.6\.0 validation\.required \(to\)/
        )
      })

      it("ignore addresses of headers that are not in the envelope", async () => {
        const undisclosed = message([`From: ${from}`, "To: undisclosed-recipients:;", "Subject: s"])
        expect(await relayed().recipients(await accept(undisclosed))).toEqual([["Bcc", to, null]])
        const other = message([`From: ${from}`, "To: Somebody <else@example.org>", "Subject: s"])
        expect(await relayed().recipients(await accept(other))).toEqual([["Bcc", to, null]])
      })
    })

    describe("content", () => {
      it("includes html, text, attachments, inline images, forwarded messages and invitations", async () => {
        const forwarded = "From: x@y.example\r\nSubject: Inner\r\n\r\nForwarded text\r\n"
        const id = await mail({
          subject: "Grüße =?",
          text: "Grüße, plain",
          html: '<p>Grüße <img src="cid:logo@x"></p>',
          replyTo: "Answers <answers@example.org>",
          attachments: [
            { filename: "résumé.pdf", content: Buffer.from([0, 1, 2, 255]) },
            { filename: "logo.png", content: Buffer.from("png"), cid: "logo@x" },
            { filename: "Inner", content: forwarded, contentType: "message/rfc822", cid: "forwarded@x" }
          ],
          icalEvent: { method: "REQUEST", content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n" }
        })
        const raw = await relayed().raw(id, to)
        expect(fieldOf(raw, "Subject")).toMatch(/^=\?/i)
        expect(fieldOf(raw, "Reply-To")).toBe("Answers <answers@example.org>")
        expect(raw).toMatch(/Content-Type: image\/png[^]*?Content-I[dD]: <logo@x>/i)
        expect(raw).toContain(Buffer.from([0, 1, 2, 255]).toString("base64"))
        const attached = raw.slice(raw.indexOf("message/rfc822"))
        expect(fieldOf(attached, "Content-Disposition")).toBe("attachment; filename=Inner.eml")
        expect(raw).toMatch(/text\/calendar/)
        const [shown] = (await relayed().messagesOf(id)) as ReadonlyArray<Record<string, unknown>>
        expect(shown).toMatchObject({ subject: "Grüße =?", text: "Grüße, plain" })
        expect(shown?.["html"]).toContain('src="cid:logo@x"')
      })

      it.each([
        ["ISO-8859-1, quoted-printable", "iso-8859-1", "quoted-printable", Buffer.from("Gr=FC=DFe =\r\nda")],
        ["UTF-8, 8bit", "utf-8", "8bit", Buffer.from("Grüße da")],
        ["ISO-2022-JP, base64", "iso-2022-jp", "base64", Buffer.from("GyRCRnxLXBsoQg==")],
        ["windows-1252, 8bit", "windows-1252", "8bit", Buffer.from([0x80, 0x20, 0x93, 0x78, 0x94])]
      ])("reads text of %s", async (_name, charset, encoding, body) => {
        const client = await loggedIn(target().smtp.tls, workspace.sandbox.key)
        for (const line of ["MAIL FROM:<a@b.example> BODY=8BITMIME", `RCPT TO:<${to}>`, "DATA"])
          await client.say(line)
        const head = [
          `From: ${from}`,
          `To: ${to}`,
          "Subject: s",
          `Content-Type: text/plain; charset=${charset}`,
          `Content-Transfer-Encoding: ${encoding}`,
          "",
          ""
        ]
        client.write(Buffer.concat([Buffer.from(head.join("\r\n")), body]))
        const id = queuedId(await client.say("\r\n."))
        client.close()
        await relayed().settled(id, "Delivered")
        const [shown] = (await relayed().messagesOf(id)) as ReadonlyArray<Record<string, unknown>>
        expect(String(shown?.["text"]).trim()).toBe(
          { "iso-8859-1": "Grüße da", "utf-8": "Grüße da", "iso-2022-jp": "日本", "windows-1252": "€ “x”" }[
            charset
          ]
        )
      })

      it("keeps the parameters of content types", async () => {
        const part = (type: string, filename: string) =>
          `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename=${filename}\r\n\r\nx`
        const body = [
          "--b\r\nContent-Type: text/plain\r\n\r\nt",
          part("text/calendar; charset=UTF-8;\r\n method=REQUEST; name=invite.ics", "invite.ics"),
          part("TEXT/PLAIN; Charset=iso-8859-1; format=flowed; title*=utf-8''Zo%C3%AB", "a.txt"),
          part('application/x-a; x="a; (b)"; name=evil.exe; boundary=c', "b.bin"),
          part("application/x-a; ; =v; b%d=1; line*=utf-8''a%0D%0ABcc:%20c; ok=1", "c.bin"),
          "--b--"
        ].join("\r\n")
        const id = await accept(
          plain("MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b").replace("It works.", body)
        )
        const { attachments } = await simpleParser(await relayed().raw(id, to))
        expect(attachments.map(({ headers }) => headers.get("content-type"))).toEqual([
          { value: "text/calendar", params: { charset: "UTF-8", method: "REQUEST", name: "invite.ics" } },
          {
            value: "text/plain",
            params: { charset: "iso-8859-1", format: "flowed", title: "Zoë", name: "a.txt" }
          },
          { value: "application/x-a", params: { x: "a; (b)", name: "b.bin" } },
          { value: "application/x-a", params: { ok: "1", name: "c.bin" } }
        ])
        const invitation = await mail({ icalEvent: { method: "REQUEST", content: "BEGIN:VCALENDAR\r\n" } })
        expect((await relayed().raw(invitation, to)).replaceAll(/\r\n[ \t]+/g, " ")).toMatch(
          /^Content-Type: text\/calendar; charset=utf-8; method=REQUEST;/m
        )
      })

      it("includes empty attachments", async () => {
        const part = (name: string, ...lines: ReadonlyArray<string>) =>
          [
            `--b`,
            `Content-Type: ${name}`,
            "Content-Disposition: attachment; filename=" + name.split("name=")[1],
            ...lines
          ].join("\r\n")
        const body = [
          "--b\r\nContent-Type: text/plain\r\n\r\nt",
          part("application/pdf; name=a.pdf", "Content-Transfer-Encoding: base64", "", ""),
          part("text/plain; name=b.txt", "", ""),
          part("text/plain; name=inline.txt", "", "").replace("attachment;", "inline;"),
          "--b\r\nContent-Type: text/html; name=bare.html\r\n",
          part("text/plain; name=more.txt", "", "more text").replace("attachment;", "inline;"),
          part("text/csv; name=c.csv", ""),
          part("text/csv; name=line.csv", "", "", ""),
          "--b--"
        ].join("\r\n")
        const id = await accept(
          plain("MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b").replace("It works.", body)
        )
        const { attachments, text } = await simpleParser(await relayed().raw(id, to))
        expect(text?.trim()).toBe("t\nmore text")
        expect(attachments.map(({ content, filename }) => [filename, content.length])).toEqual([
          ["a.pdf", 0],
          ["b.txt", 0],
          ["inline.txt", 0],
          ["bare.html", 0],
          ["c.csv", 0],
          ["line.csv", 2]
        ])
        const only = await mail({
          text: "",
          attachments: [{ filename: "none.bin", content: Buffer.alloc(0) }]
        })
        const alone = await simpleParser(await relayed().raw(only, to))
        expect(alone.attachments.map(({ content, filename }) => [filename, content.length])).toEqual([
          ["none.bin", 0]
        ])
      })

      it("may be an attachment or a subject only", async () => {
        const client = await loggedIn(target().smtp.tls, workspace.sandbox.key)
        queuedId(await client.send([to], message([`From: ${from}`, `To: ${to}`, "Subject: s"], "")))
        client.close()
        const scan = await mail({ text: "", attachments: [{ filename: "scan.pdf", content: "pdf" }] })
        expect(await relayed().raw(scan, to)).toContain("scan.pdf")
      })

      it("has control characters removed, which mail programs send", async () => {
        const text = "\u001b[31mred\u001b[0m\fpage\u0000"
        await accept(message([`From: ${from}`, `To: ${to}`, "Subject: \u0007bell"], text))
      })

      it("is validated as in the API", async () => {
        const parts = (count: number, size: number) => [
          "MIME-Version: 1.0",
          "Content-Type: multipart/mixed; boundary=b",
          "",
          ...Array.from(
            { length: count },
            () => `--b\r\nContent-Type: application/x\r\n\r\n${"x".repeat(size)}`
          ),
          "--b--"
        ]
        const many = `From: ${from}\r\nTo: ${to}\r\nSubject: s\r\n${parts(11, 1).join("\r\n")}`
        const large = `From: ${from}\r\nTo: ${to}\r\nSubject: s\r\n${parts(1, 5 * 1024 * 1024 + 1).join("\r\n")}`
        const refused = [
          message([`From: ${from}`, `To: ${to}`]),
          message([`From: ${from}`, `To: ${to}`, `Subject: ${"s".repeat(301)}`]),
          many,
          large,
          plain(...Array.from({ length: 21 }, (_, index) => `X-H${index}: v`)),
          plain("X-Svc-Unknown: v"),
          plain("X-Svc-Track-Opens: maybe"),
          plain("X-Svc-Metadata: bare"),
          plain("X-Svc-Tags: sp ace=v"),
          plain("X-Svc-Idempotency-Key: a b"),
          plain("X-Svc-Idempotency-Key: a", "X-Svc-Idempotency-Key: b")
        ]
        const codes = [
          "validation.required (subject)",
          "validation.max_length (subject)",
          "sending.attachments_too_many",
          "sending.attachments_too_large",
          "sending.headers_too_many",
          "sending.header_not_allowed",
          "validation.format (tracking.opens)",
          "sending.metadata_invalid",
          "sending.tags_invalid",
          "sending.idempotency_key_invalid",
          "sending.idempotency_key_mismatch"
        ]
        const answers = [...(await sendAll(refused.slice(0, 6))), ...(await sendAll(refused.slice(6)))]
        for (const [index, code] of codes.entries()) {
          expect(answers[index]!.slice(0, 10 + code.length)).toBe(`554 5.6.0 ${code}`)
        }
      })
    })

    describe("a signed or encrypted message", () => {
      /**
       * A signed message with everything that a composer would change: line ends of encodings, spaces, links, and headers of
       * parts.
       */
      const signed = [
        "--sep",
        "Content-type:   text/html;  charset=us-ascii",
        "X-Part: kept",
        "",
        '<a href="https://shop.example/a">x</a>  ',
        ".",
        "..dots =3D \t",
        "--sep",
        "Content-Type: application/pkcs7-signature; name=smime.p7s",
        "Content-Transfer-Encoding: base64",
        "",
        "AAEC",
        "",
        "--sep--",
        "an epilogue"
      ].join("\r\n")
      const headers = (type: string) => [
        `From: ${from}`,
        `To: ${to}`,
        "Subject: Signed",
        "X-Mine: 1",
        "X-Svc-Track-Opens: true",
        "X-Svc-Track-Clicks: true",
        "MIME-Version: 1.0",
        `Content-Type: multipart/${type}; protocol="application/x"; micalg=sha-256;\r\n\tboundary=sep`
      ]
      const bodyOf = (raw: string) => raw.slice(raw.indexOf("\r\n\r\n") + 4)
      const sealed = (type: string) => `${headers(type).join("\r\n")}\r\n\r\n${signed}`
      const preserve = (preserveSigned: boolean) =>
        workspace.sandbox.manage("PATCH", "/settings", { preserveSigned })

      it("is rebuilt, unless preserveSigned is on", async () => {
        const settings = await workspace.sandbox.manage<{ settings: object }>("GET", "")
        expect(settings.value.settings).toMatchObject({ preserveSigned: false })
        const raw = await relayed().raw(await accept(sealed("signed")), to)
        expect(bodyOf(raw)).not.toContain("--sep")
        expect(raw).toContain("smime.p7s")
      })

      it.each(["signed", "encrypted", "Signed "])(
        "of multipart/%s passes unchanged below its headers with preserveSigned",
        async (type) => {
          await preserve(true)
          const id = await accept(sealed(type))
          const raw = await relayed().raw(id, to)
          expect(bodyOf(raw)).toBe(`${signed}\r\n`)
          expect(fieldOf(raw, "Content-Type")).toBe(
            `multipart/${type}; protocol="application/x"; micalg=sha-256; boundary=sep`
          )
          expect([fieldOf(raw, "Subject"), fieldOf(raw, "X-Mine")]).toEqual(["Signed", "1"])
          expect(raw).not.toMatch(/x-svc/i)
          expect(raw.match(/^mime-version:/gim)).toHaveLength(1)
          expect(raw.slice(0, raw.indexOf("\r\n\r\n")).match(/^content-/gim)).toHaveLength(1)
          await preserve(false)
          expect(await relayed().raw(id, to)).toBe(raw)
        }
      )

      it("within a mixture passes unchanged too, but not within an attached message", async () => {
        await preserve(true)
        const inner = `Content-Type: multipart/signed (a comment); protocol="application/x"; boundary=sep\r\n\r\n${signed}`
        const footer = "Content-Type: text/html\r\n\r\n<a href='https://shop.example/b'>y</a>"
        const outer = (part: string) => `--out\r\n${part}\r\n--out\r\n${footer}\r\n--out--`
        const mixed = (part: string) =>
          `${headers("mixed").join("\r\n").replace("boundary=sep", "boundary=out")}\r\n\r\n${outer(part)}`
        expect(bodyOf(await relayed().raw(await accept(mixed(inner)), to))).toBe(`${outer(inner)}\r\n`)
        const attached = `Content-Type: message/rfc822\r\n\r\n${inner}`
        expect(bodyOf(await relayed().raw(await accept(mixed(attached)), to))).not.toContain("--out")
        await preserve(false)
      })

      it("with a content header that hides another header is rebuilt", async () => {
        await preserve(true)
        const hidden = sealed("signed").replace("boundary=sep", "boundary=sep\rX-Hidden: 1")
        const raw = await relayed().raw(await accept(hidden), to)
        expect(raw).not.toMatch(/^X-Hidden/im)
        await preserve(false)
      })

      it("of other kinds is composed as before", async () => {
        await preserve(true)
        const raw = await relayed().raw(await accept(sealed("mixed")), to)
        expect(bodyOf(raw)).not.toContain("--sep")
        await preserve(false)
      })
    })

    describe("headers", () => {
      it("over their limit are rejected for their length", async () => {
        expect(await send(plain(`X-Long: ${"a ".repeat(1001)}`))).toMatch(
          /^554 5\.6\.0 validation\.max_length \(headers\.X-Long\): headers\.X-Long must be at most/
        )
      })

      it("are passed on if X-, In-Reply-To or References, and removed otherwise", async () => {
        const id = await accept(
          plain(
            "X-Campaign: spring",
            "X-Long: one\r\n two\r\n\tthree",
            "x-lower: v",
            "In-Reply-To: <first@x.example>",
            "References: <zero@x.example>\r\n <first@x.example>",
            "Message-ID: <mine@x.example>",
            "Date: Thu, 01 Jan 1998 00:00:00 +0000",
            "Return-Path: <r@x.example>",
            "DKIM-Signature: v=1; a=none",
            "List-Unsubscribe: <https://x.example>",
            "Received: from nowhere",
            "Sender: s@x.example"
          )
        )
        const raw = await relayed().raw(id, to)
        expect(fieldOf(raw, "X-Campaign")).toBe("spring")
        expect(fieldOf(raw, "X-Long")).toBe("one two three")
        expect(fieldOf(raw, "X-Lower")).toBe("v")
        expect(fieldOf(raw, "In-Reply-To")).toBe("<first@x.example>")
        expect(fieldOf(raw, "References")).toBe("<zero@x.example> <first@x.example>")
        expect(raw).not.toMatch(/mine@x|1998|r@x\.example|a=none|List-Unsub|nowhere|s@x\.example/)
      })

      it("include shortened References of a long conversation", async () => {
        const ids = Array.from({ length: 100 }, (_, index) => `<message-number-${index}@x.example>`)
        const id = await accept(plain(`References: ${ids.join("\r\n ")}`))
        const passed = fieldOf(await relayed().raw(id, to), "References")!.split(" ")
        expect([passed[0], passed.at(-1)]).toEqual([ids[0], ids.at(-1)])
        expect(passed.join(" ").length).toBeLessThanOrEqual(2_000)
      })

      it("set options in any case, and are removed", async () => {
        const id = await accept(
          plain(
            "x-svc-tags: campaign=spring; vip;; =?utf-8?Q?gru=C3=9F?=",
            "X-SVC-METADATA: order=1 2 3;\r\n note=a=b",
            "X-Svc-Idempotency-Key: removed-1",
            "X-Svc-Track-Opens: TRUE",
            "X-Svc-Track-Clicks: false"
          ).replace("; =?utf-8?Q?gru=C3=9F?=", "")
        )
        expect(await relayed().read(id)).toMatchObject({
          tags: { campaign: "spring", vip: "" },
          metadata: { order: "1 2 3", note: "a=b" }
        })
        expect(await relayed().raw(id, to)).not.toMatch(/x-svc/i)
      })

      it("enable open tracking", async () => {
        const html = (track: string) =>
          message(
            [
              `From: ${from}`,
              `To: ${to}`,
              "Subject: s",
              "Content-Type: text/html",
              `X-Svc-Track-Opens: ${track}`
            ],
            "<p>x</p>"
          )
        const htmlOf = async (id: string) => {
          await relayed().settled(id, "Delivered")
          const [shown] = (await relayed().messagesOf(id)) as ReadonlyArray<Record<string, unknown>>
          return String(shown?.["html"])
        }
        expect(await htmlOf(await accept(html("true")))).toMatch(/^<p>x<\/p>\s*<div .*\/t\/o\//)
        expect(await htmlOf(await accept(html("false")))).toMatch(/^<p>x<\/p>\s*$/)
      })
    })

    describe("repeats", () => {
      const withKey = (key: string, boundary: string, text = "same") =>
        [
          `From: ${from}`,
          `To: ${to}`,
          "Subject: Repeat",
          `Message-ID: <${boundary}@x.example>`,
          `Date: Thu, 01 Jan 1998 00:00:${boundary.length.toString().padStart(2, "0")} +0000`,
          `X-Svc-Idempotency-Key: ${key}`,
          "MIME-Version: 1.0",
          `Content-Type: multipart/alternative; boundary="${boundary}"`,
          "",
          `--${boundary}\r\nContent-Type: text/plain\r\n\r\n${text}`,
          `--${boundary}\r\nContent-Type: text/html\r\n\r\n<p>${text}</p>`,
          `--${boundary}--`,
          ""
        ].join("\r\n")

      it("return the first id, though Date, Message-ID and boundary differ", async () => {
        const [first, again, other] = await sendAll([
          withKey("relay-1", "one"),
          withKey("relay-1", "another"),
          withKey("relay-1", "one", "different")
        ])
        expect(queuedId(again!)).toBe(queuedId(first!))
        expect(other).toMatch(/^554 5\.6\.0 sending\.idempotency_conflict/)
        const page = await workspace.sandbox.manage<Page<{ id: string }>>("GET", "/emails?pageSize=200")
        expect(page.value.items.filter(({ id }) => id === queuedId(first!))).toHaveLength(1)
      })

      it("at once create one message", async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, index) => send(withKey("relay-2", `b${index}`)))
        )
        expect(new Set(answers.map(queuedId)).size).toBe(1)
      })
    })

    it("to a suppressed address are accepted and recorded as Suppressed", async () => {
      const email = "gone@example.org"
      await workspace.sandbox.manage("POST", "/suppressions", { email, kind: "Bounced" })
      const id = await accept(plain(), [email])
      expect(await relayed().read(id)).toMatchObject({ status: "Suppressed", reason: "sending.gate_bounced" })
    })
  })
