/**
 * Messages as they leave: read back by mailparser, their signatures checked by mailauth and by dkimpy.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { simpleParser } from "mailparser"
import { generateKeyPairSync } from "node:crypto"
import * as Composer from "../../../adapters/mail/MessageComposer.ts"
import { MessageComposer } from "../../../core/ports/MessageComposer.ts"
import { CannotOpen, SecretBox } from "../../../core/ports/SecretBox.ts"
import { dkimPurpose, type SigningKey } from "../../../core/model/Domain.ts"
import type { MessageDraft } from "../../../core/model/Message.ts"
import { byDkimpy, byMailauth, pythonWithDkim, type TxtRecords } from "./verifiers.ts"

/** Seals by writing the purpose in front. */
const box = Layer.succeed(SecretBox, {
  seal: (text, purpose) => Effect.succeed(`${purpose}|${text}`),
  open: (sealed, purpose) =>
    sealed.startsWith(`${purpose}|`)
      ? Effect.succeed(sealed.slice(purpose.length + 1))
      : Effect.fail(new CannotOpen())
})

const composer = Composer.layer.pipe(Layer.provide(box))

const compose = (draft: MessageDraft): Effect.Effect<Uint8Array> =>
  Effect.flatMap(MessageComposer, (port) => Effect.map(port.compose([draft]), ([raw]) => raw!)).pipe(
    Effect.provide(composer)
  )

const domain = "example.com"

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const ed25519 = generateKeyPairSync("ed25519")

const keyOf = (selector: string, algorithm: SigningKey["algorithm"]): SigningKey => {
  const { privateKey } = algorithm === "rsa" ? rsa : ed25519
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string
  return { domain, selector, algorithm, sealedKey: `${dkimPurpose({ domain, selector })}|${pem}` }
}

const keys = [keyOf("r1", "rsa"), keyOf("e1", "ed25519")]

const records: TxtRecords = {
  [`r1._domainkey.${domain}`]: `v=DKIM1; k=rsa; p=${rsa.publicKey.export({ type: "spki", format: "der" }).toString("base64")}`,
  [`e1._domainkey.${domain}`]: `v=DKIM1; k=ed25519; p=${ed25519.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64")}`
}

const plain: MessageDraft = {
  from: { email: "hello@example.com", name: "Ada Lovelace" },
  replyTo: null,
  to: [{ email: "grace@example.org", name: null }],
  cc: [],
  subject: "Hello",
  html: "<p>It works.</p>",
  text: null,
  attachments: [],
  headers: [],
  messageId: "id-1@example.com",
  date: Date.UTC(2026, 0, 2, 3, 4, 5),
  signWith: []
}

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255])

const full: MessageDraft = {
  ...plain,
  from: { email: "hello@example.com", name: 'Żółć "Ada", Lovelace' },
  replyTo: { email: "reply@example.com", name: "Replies" },
  to: [{ email: "grace@xn--bcher-kva.example", name: "Grace Höpper" }],
  cc: [{ email: "cc@example.org", name: null }],
  subject: "Grüße 🎉 and a rather long subject that does not fit on one line of seventy-eight characters",
  html: '<p>Look: <img src="cid:logo@1"></p>\n.\n..dots\n  \n\n',
  text: "Look.  \r\n\r\n.\r\nfrom here\t \r\n\r\n",
  attachments: [
    { filename: "logo.png", contentType: "image/png", contentId: "logo@1", content: png },
    {
      filename: "Übersicht 2026.pdf",
      contentType: "application/pdf",
      contentId: null,
      content: new Uint8Array(100_000)
    },
    { filename: "empty.txt", contentType: "text/plain", contentId: null, content: new Uint8Array(0) }
  ],
  headers: [
    { name: "X-Campaign", value: "näme" },
    { name: "In-Reply-To", value: "<earlier@example.org>" },
    { name: "References", value: "<earlier@example.org> <first@example.org>" }
  ]
}

const textOf = (raw: Uint8Array) => Buffer.from(raw).toString("latin1")

const headerOf = (raw: Uint8Array) => textOf(raw).split("\r\n\r\n")[0]!

/** The names of a message's header fields, in order. */
const fieldNames = (raw: Uint8Array) =>
  headerOf(raw)
    .split(/\r\n(?![ \t])/)
    .map((field) => field.slice(0, field.indexOf(":")).toLowerCase())

const wellFormed = (raw: Uint8Array) => {
  const text = textOf(raw)
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
  expect(Math.max(...text.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998)
  expect(text).toMatch(/^[\x00-\x7f]*$/)
}

const asciiOf = (text: string) => text.replace(/[^\x00-\x7f]/g, "a")

/** Texts that try to end their header. */
const hostile = fc
  .oneof(
    fc.string({ maxLength: 300, unit: "binary" }),
    fc
      .array(
        fc.constantFrom(
          "\r",
          "\n",
          "\r\n",
          "Bcc: evil@example.org",
          " ",
          "\t",
          "é",
          '"',
          "<",
          ">",
          ",",
          ":",
          "\0",
          "x".repeat(90),
          "=?utf-8?Q?a?="
        ),
        {
          maxLength: 12
        }
      )
      .map((parts) => parts.join(""))
  )
  .filter((text) => text.trim() !== "" && text.isWellFormed())

describe("composing", () => {
  it.effect("html alone stays alone, with our Date and Message-ID", () =>
    Effect.gen(function* () {
      const raw = yield* compose(plain)
      wellFormed(raw)
      expect(fieldNames(raw).toSorted()).toEqual([
        "content-transfer-encoding",
        "content-type",
        "date",
        "from",
        "message-id",
        "mime-version",
        "subject",
        "to"
      ])
      expect(headerOf(raw)).toContain("Message-ID: <id-1@example.com>")
      expect(headerOf(raw)).toContain("Date: Fri, 02 Jan 2026 03:04:05 +0000")
      const parsed = yield* Effect.promise(() => simpleParser(Buffer.from(raw)))
      expect(parsed.from?.value).toEqual([{ address: "hello@example.com", name: "Ada Lovelace" }])
      expect(parsed.html).toBe("<p>It works.</p>\n")
    })
  )

  it.effect("everything an email can have arrives as it was given", () =>
    Effect.gen(function* () {
      const raw = yield* compose(full)
      wellFormed(raw)
      const parsed = yield* Effect.promise(() => simpleParser(Buffer.from(raw), { skipImageLinks: true }))
      expect(parsed.from?.value[0]).toEqual({ address: "hello@example.com", name: 'Żółć "Ada", Lovelace' })
      expect(parsed.replyTo?.value[0]?.address).toBe("reply@example.com")
      expect(parsed.subject).toBe(full.subject)
      expect(parsed.cc).toMatchObject({ value: [{ address: "cc@example.org" }] })
      expect(parsed.headers.get("x-campaign")).toBe("=?UTF-8?Q?n=C3=A4me?=")
      expect(parsed.inReplyTo).toBe("<earlier@example.org>")
      expect(parsed.references).toEqual(["<earlier@example.org>", "<first@example.org>"])
      expect(parsed.text?.replaceAll("\r\n", "\n")).toBe(full.text?.replaceAll("\r\n", "\n"))
      const [logo, pdf, empty] = parsed.attachments
      expect(parsed.attachments).toHaveLength(3)
      expect(logo).toMatchObject({ contentId: "<logo@1>", related: true, contentType: "image/png" })
      expect(new Uint8Array(logo!.content)).toEqual(png)
      expect(pdf).toMatchObject({
        filename: "Übersicht 2026.pdf",
        contentType: "application/pdf",
        size: 100_000
      })
      expect(empty).toMatchObject({ filename: "empty.txt", size: 0 })
      expect(textOf(raw)).not.toMatch(/^bcc:/im)
    })
  )

  it.effect("content that names files and URLs is text", () =>
    Effect.gen(function* () {
      const attachments = [
        {
          filename: "/etc/passwd",
          contentType: "text/plain",
          contentId: null,
          content: new TextEncoder().encode("mine")
        }
      ]
      const raw = yield* compose({
        ...plain,
        html: '<img src="file:///etc/passwd">',
        text: "/etc/passwd",
        attachments
      })
      expect(textOf(raw)).not.toContain("root:")
      const parsed = yield* Effect.promise(() => simpleParser(Buffer.from(raw)))
      expect(parsed.attachments[0]?.content.toString()).toBe("mine")
    })
  )

  it.effect("no value makes a header of its own, nor a line that is too long", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.record({
            name: hostile,
            subject: hostile,
            filename: hostile,
            value: hostile,
            contentId: hostile.map(asciiOf)
          }),
          async ({ contentId, filename, name, subject, value }) => {
            const raw = await Effect.runPromise(
              compose({
                ...plain,
                from: { email: "hello@example.com", name },
                replyTo: { email: "reply@example.com", name },
                subject,
                headers: [{ name: "X-Mine", value }],
                attachments: [{ filename, contentType: "text/plain", contentId, content: png }]
              })
            )
            wellFormed(raw)
            const known = [
              "from",
              "reply-to",
              "to",
              "subject",
              "message-id",
              "date",
              "mime-version",
              "content-type",
              "x-mine"
            ]
            expect(fieldNames(raw).toSorted()).toEqual(known.toSorted())
          }
        ),
        { numRuns: 200 }
      )
    )
  )
})

const drafts: ReadonlyArray<readonly [string, MessageDraft]> = [
  ["html alone", plain],
  ["text alone", { ...plain, html: null, text: "" }],
  ["everything", full],
  [
    "one that can be unsubscribed from",
    {
      ...plain,
      headers: [
        { name: "List-Unsubscribe", value: `<https://svc.test/u/${"t".repeat(120)}>` },
        { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }
      ]
    }
  ]
]

describe("signing", () => {
  for (const [name, draft] of drafts) {
    it.effect(`${name}: both signatures hold for mailauth`, () =>
      Effect.gen(function* () {
        const raw = yield* compose({ ...draft, signWith: keys })
        expect(yield* Effect.promise(() => byMailauth(raw, records))).toEqual(["pass", "pass"])
        wellFormed(raw)
        const signatures = headerOf(raw)
          .match(/\sh=[^;]*;/g)!
          .map((list) => list.replace(/\s/g, ""))
        expect(signatures).toHaveLength(2)
        for (const list of signatures) {
          expect(list).toMatch(/^h=from:from:/)
          if (name.includes("unsubscribed"))
            expect(list).toContain(":list-unsubscribe:list-unsubscribe-post;")
        }
      })
    )
  }

  it.effect("a changed message, and an added From or Subject, break both", () =>
    Effect.gen(function* () {
      const raw = textOf(yield* compose({ ...plain, signWith: keys }))
      for (const changed of [
        raw.replace("It works", "It fails"),
        raw.replace("Subject: Hello", "Subject: Hallo"),
        `From: other@example.com\r\n${raw}`,
        `Subject: Other\r\n${raw}`,
        `Reply-To: other@example.com\r\n${raw}`
      ]) {
        const results = yield* Effect.promise(() => byMailauth(Buffer.from(changed, "latin1"), records))
        expect(results).not.toContain("pass")
      }
    })
  )

  it.effect("a key that does not open is left out", () =>
    Effect.gen(function* () {
      const foreign = { ...keys[0]!, sealedKey: "sealed elsewhere" }
      const raw = yield* compose({ ...plain, signWith: [foreign, keys[1]!] })
      expect(yield* Effect.promise(() => byMailauth(raw, records))).toEqual(["pass"])
    })
  )

  it.effect("any body is signed so that it holds", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom("a", " ", "\t", "\n", "\r\n", ".", "é", "=", "x".repeat(1200)), {
            maxLength: 60
          }),
          async (parts) => {
            const raw = await Effect.runPromise(
              compose({ ...plain, html: null, text: parts.join(""), signWith: keys })
            )
            expect(await byMailauth(raw, records)).toEqual(["pass", "pass"])
          }
        ),
        { numRuns: 100 }
      )
    )
  )

  if (pythonWithDkim === null) {
    process.stderr.write("Skipped: dkimpy and PyNaCl (python3-dkim, python3-nacl) are not installed.\n")
  }
  for (const [name, draft] of drafts) {
    it.runIf(pythonWithDkim !== null)(`${name}: both signatures hold for dkimpy`, async () => {
      const raw = await Effect.runPromise(compose({ ...draft, signWith: keys }))
      expect(byDkimpy(pythonWithDkim!, raw, records)).toEqual([true, true])
    })
  }
})
