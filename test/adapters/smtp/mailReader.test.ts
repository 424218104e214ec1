import { Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseMail, readMailInThread } from "../../../adapters/smtp/relay/MailParser.ts"
import { stringOf } from "../../../core/model/LongText.ts"
import { requestOf } from "../../../core/relay/RelayMail.ts"
import { parseEmailRequest } from "../../../core/sending/emails/EmailRequest.ts"

const folder = join(import.meta.dirname, "../../fixtures/reports")
const real = readdirSync(folder)
  .filter((file) => file.endsWith(".eml"))
  .map((file) => readFileSync(join(folder, file)))

const read = async (text: string) => {
  const mail = await parseMail(Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"), "utf8"))
  if (mail === null) throw new Error("The message was not read.")
  return mail
}

describe("parseMail", () => {
  it("reads a message with its parts", async () => {
    const mail = await read(`From: =?utf-8?Q?B=C3=B6b?= <bob@x.example>
To: Team: a@x.example, "B, C" <b@x.example>;, d@x.example (Dora)
To: second@x.example
Subject: =?iso-8859-1?Q?Gr=FC?= =?utf-8?B?w59l?=
X-Long: one
 two
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/related; boundary=r

--r
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=utf-8; format=flowed

plain \ntext
--a
Content-Type: text/html

<p>html <img src="cid:one@x"></p>
--a
Content-Type: text/calendar; method=REQUEST

BEGIN:VCALENDAR
--a--
--r
Content-Type: image/png
Content-ID: <one@x>

png
--r--
--m
Content-Type: message/rfc822

Subject: inner

body
--m
Content-Type: application/pdf; name*=utf-8''gr%C3%B6%C3%9Fe.pdf
Content-ID: <f_1@mail>
Content-Disposition: attachment
Content-Transfer-Encoding: base64

AAEC/w==
--m--
`)
    expect(mail).toMatchObject({
      from: [{ address: "bob@x.example", name: "Böb" }],
      to: [
        { address: "a@x.example", name: "" },
        { address: "b@x.example", name: "B, C" },
        { address: "d@x.example", name: "Dora" },
        { address: "second@x.example", name: "" }
      ],
      subject: "Grüße",
      html: '<p>html <img src="cid:one@x"></p>',
      text: "plain text"
    })
    expect(
      mail.parts.map(({ contentId, contentType, filename }) => [contentType, filename, contentId])
    ).toEqual([
      ["text/calendar", null, null],
      ["image/png", null, "one@x"],
      ["message/rfc822", null, null],
      ["application/pdf", "größe.pdf", null]
    ])
    expect(Buffer.from(mail.parts[2]!.content).toString()).toContain("Subject: inner")
    expect([...mail.parts[3]!.content]).toEqual([0, 1, 2, 255])
    expect(mail.headers).toContainEqual({ name: "X-Long", value: "one two" })
  })

  it("reads an empty message", async () => {
    expect(await parseMail(Buffer.alloc(0))).toMatchObject({
      from: [],
      to: null,
      subject: "",
      html: null,
      text: null
    })
    expect(await parseMail(Buffer.from("\r\n"))).not.toBeNull()
    expect(await parseMail(Buffer.from([0, 255, 13, 10, 0]))).not.toBeNull()
  })

  it("reads the body of a message of one part whole, whatever its lines look like", async () => {
    const line = fc.constantFrom(
      "--b",
      "--b--",
      "",
      ".",
      "text",
      "Content-Type: text/html",
      " ",
      "From: x@y.example",
      "\r"
    )
    const encoding = fc.constantFrom("7bit", "base64", "quoted-printable")
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), encoding, async (lines, name) => {
        const body = `first\r\n${lines.join("\r\n")}`
        const bytes = Buffer.from(name === "base64" ? Buffer.from(body).toString("base64") : body)
        const header = `Subject: s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${name}\r\n\r\n`
        const mail = await parseMail(Buffer.concat([Buffer.from(header), bytes]))
        const text = name === "quoted-printable" ? body.replaceAll(/[ \t]+(?=\r?\n|$)/g, "") : body
        expect(mail?.text).toBe(text.replaceAll(/\r?\n/g, "\n"))
        expect(mail?.parts).toEqual([])
      })
    )
  })

  it("reads a long body that needs no decoding as one that does, by its bytes", async () => {
    const line = fc.string({
      unit: fc.constantFrom(
        "a",
        "=",
        ".",
        "-",
        "\t",
        "\u0007",
        "\u007f",
        "\r",
        "ü",
        "\ufeff",
        "\u00a0",
        "😀"
      ),
      maxLength: 80
    })
    const bodies = fc
      .array(line, { maxLength: 8 })
      .map((lines) => `${lines.join("\r\n")}\r\n`)
      .chain((text) => fc.constantFrom(text.repeat(Math.ceil(5_000 / text.length)), text))
    const types = fc.constantFrom(
      "",
      "Content-Type: text/plain\r\n",
      "Content-Type: text/html; charset=UTF-8\r\n",
      'Content-Type: Text/Plain; charset="us-ascii"\r\n'
    )
    await fc.assert(
      fc.asyncProperty(bodies, types, async (text, type) => {
        const bytes = Buffer.from(text)
        const head = `From: a@b.example\r\nTo: c@d.example\r\nSubject: s\r\nX-One: two\r\n${type}`
        const asRequest = async (raw: Buffer) => {
          const mail = await parseMail(raw)
          const { request } = Result.getOrThrow(requestOf(mail!, ["c@d.example"]))
          const { html, text: plain } = request
          return { ...request, html: html && stringOf(html), text: plain && stringOf(plain) }
        }
        const plain = Buffer.concat([Buffer.from(`${head}\r\n`), bytes])
        const encoded = Buffer.from(
          `${head}Content-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64").replaceAll(/.{76}/g, "$&\r\n")}\r\n`
        )
        expect(await asRequest(plain)).toEqual(await asRequest(encoded))
      }),
      { numRuns: 300 }
    )
  })

  it("passes on a long body as bytes, and what is no UTF-8 as text", async () => {
    const head = "From: a@b.example\r\nContent-Type: text/plain; charset=utf-8\r\n"
    const long = Buffer.from("line\r\n".repeat(1_000))
    const textOf = async (...parts: Array<Buffer | string>) =>
      (await parseMail(Buffer.concat(parts.map((part) => Buffer.from(part)))))?.text
    expect(await textOf(head, "\r\n", long)).toEqual(Buffer.from("line\n".repeat(1_000)))
    expect(await textOf(head, "\r\n", Buffer.from([0xff]), long)).toBe(`\ufffd${"line\n".repeat(1_000)}`)
    expect(await textOf(head, "\r\n", " \r\n".repeat(2_000))).toBeNull()
    for (const field of [
      "Content-Disposition: attachment\r\n",
      "Content-Transfer-Encoding: quoted-printable\r\n"
    ])
      expect(await textOf(head, field, "\r\n", long)).not.toBeInstanceOf(Uint8Array)
  })

  it("returns null for a header that is too long or too many parts", async () => {
    expect(await parseMail(Buffer.from(`X: ${"x".repeat(300_000)}\r\n\r\n`))).toBeNull()
    const parts = "--b\r\n\r\nx\r\n".repeat(2_000)
    expect(
      await parseMail(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--`))
    ).toBeNull()
  })

  it("moves the content of attachments from a thread", async () => {
    const parts = ["small", "x".repeat(100_000)].map(
      (content) => `--b\r\nContent-Type: application/x-y\r\n\r\n${content}\r\n`
    )
    const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`)
    const { transfer, value } = await readMailInThread(raw)
    const received = structuredClone(value, { transfer: [...transfer] })
    expect(received?.parts.map(({ content }) => content.length)).toEqual([5, 100_000])
    expect(value?.parts.map(({ content }) => content.length)).toEqual([0, 0])
  })

  it("cuts bodies that are too long in any case", async () => {
    const mail = await parseMail(Buffer.from(`\r\n${"é\r\n".repeat(1_000_000)}`))
    expect(mail?.text).toHaveLength(1_000_000)
  })

  it("reads or rejects real messages whose bytes were changed at random", { timeout: 240_000 }, async () => {
    const mutation = fc.record({
      kind: fc.constantFrom("flip", "cut", "repeat", "insert"),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.uint8Array({ maxLength: 12 }),
      length: fc.integer({ min: 1, max: 400 })
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...real),
        fc.array(mutation, { maxLength: 6 }),
        async (original, mutations) => {
          let raw: Buffer = original
          for (const { at, bytes, kind, length } of mutations) {
            const index = Math.floor(at * raw.length)
            const [head, tail] = [raw.subarray(0, index), raw.subarray(index)]
            if (kind === "cut") raw = Buffer.concat([head, tail.subarray(length)])
            else if (kind === "repeat") raw = Buffer.concat([head, tail.subarray(0, length), tail])
            else if (kind === "insert") raw = Buffer.concat([head, bytes, tail])
            else raw = Buffer.concat([head, bytes, tail.subarray(bytes.length)])
          }
          const mail = await parseMail(raw)
          if (mail === null) return
          const made = requestOf(mail, ["a@b.example"])
          Result.map(made, ({ idempotencyKey, request }) => parseEmailRequest(request, idempotencyKey, 0))
        }
      ),
      { numRuns: 1_500 }
    )
  })
})
