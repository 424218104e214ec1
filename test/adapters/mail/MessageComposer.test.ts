/**
 * Tests messages with other software: their content with mailparser, their signatures with mailauth and dkimpy.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { simpleParser } from "mailparser"
import { generateKeyPairSync } from "node:crypto"
import * as Composer from "../../../adapters/mail/MessageComposer.ts"
import { MessageComposer } from "../../../core/ports/MessageComposer.ts"
import { CannotOpen, SecretBox } from "../../../core/ports/SecretBox.ts"
import { dkimPurpose, type SigningKey } from "../../../core/model/Domain.ts"
import type { MessageDraft } from "../../../core/model/Message.ts"
import { expectWellFormed, plainDraft } from "../../contract/MessageComposer.ts"
import { byDkimpy, byMailauth, pythonWithDkim, type TxtRecords } from "./verifiers.ts"

/** Seals by prefixing the purpose. */
const box = Layer.succeed(SecretBox, {
  seal: (text, purpose) => Effect.succeed(`${purpose}|${text}`),
  open: (sealed, purpose) =>
    sealed.startsWith(`${purpose}|`)
      ? Effect.succeed(sealed.slice(purpose.length + 1))
      : Effect.fail(new CannotOpen()),
  reseal: () => Effect.succeed(null)
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

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255])

const full: MessageDraft = {
  ...plainDraft,
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

describe("compose", () => {
  it.effect("writes html that mailparser reads unchanged", () =>
    Effect.gen(function* () {
      const raw = yield* compose(plainDraft)
      const parsed = yield* Effect.promise(() => simpleParser(Buffer.from(raw)))
      expect(parsed.from?.value).toEqual([{ address: "hello@example.com", name: "Ada Lovelace" }])
      expect(parsed.html).toBe("<p>It works.</p>\n")
    })
  )

  it.effect("writes every part of an email so that mailparser reads it unchanged", () =>
    Effect.gen(function* () {
      const raw = yield* compose(full)
      expectWellFormed(raw)
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

  it.effect.each([
    "=?utf-8?Q?hidden?=",
    "=?utf-8?B?DQpCY2M6IGV2aWxAZXhhbXBsZS5vcmc=?=",
    "Grüße =?utf-8?Q?=0D=0ABcc:_evil@example.org?= and more words than one line has room for, to be folded",
    "=?utf-8?Q?half",
    "a =?x=?y"
  ])("writes text that looks like an encoded word so that it is read as it was given: %s", (text) =>
    Effect.gen(function* () {
      const raw = yield* compose({
        ...plainDraft,
        subject: text,
        from: { email: "hello@example.com", name: text },
        to: [{ email: "ada@example.org", name: text }]
      })
      expectWellFormed(raw)
      const parsed = yield* Effect.promise(() => simpleParser(Buffer.from(raw)))
      expect(parsed.subject).toBe(text)
      expect(parsed.from?.value).toEqual([{ address: "hello@example.com", name: text }])
      expect(parsed.to).toMatchObject({ value: [{ address: "ada@example.org", name: text }] })
      expect(parsed.bcc).toBeUndefined()
      expect(headerOf(raw)).not.toContain(text)
    })
  )
})

const drafts: ReadonlyArray<readonly [string, MessageDraft]> = [
  ["html alone", plainDraft],
  ["text alone", { ...plainDraft, html: null, text: "" }],
  ["everything", full],
  [
    "one that can be unsubscribed from",
    {
      ...plainDraft,
      headers: [
        { name: "List-Unsubscribe", value: `<https://svc.test/u/${"t".repeat(120)}>` },
        { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }
      ]
    }
  ]
]

describe("signatures", () => {
  for (const [name, draft] of drafts) {
    it.effect(`${name}: both signatures are valid for mailauth`, () =>
      Effect.gen(function* () {
        const raw = yield* compose({ ...draft, signWith: keys })
        expect(yield* Effect.promise(() => byMailauth(raw, records))).toEqual(["pass", "pass"])
        expectWellFormed(raw)
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

  it.effect("are broken by a changed message and by an added From, Subject or Reply-To", () =>
    Effect.gen(function* () {
      const raw = textOf(yield* compose({ ...plainDraft, signWith: keys }))
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

  it.effect("leave out a key that does not open", () =>
    Effect.gen(function* () {
      const foreign = { ...keys[0]!, sealedKey: "sealed elsewhere" }
      const raw = yield* compose({ ...plainDraft, signWith: [foreign, keys[1]!] })
      expect(yield* Effect.promise(() => byMailauth(raw, records))).toEqual(["pass"])
    })
  )

  if (pythonWithDkim === null) {
    process.stderr.write("Skipped: dkimpy and PyNaCl (python3-dkim, python3-nacl) are not installed.\n")
  }
  for (const [name, draft] of drafts) {
    it.runIf(pythonWithDkim !== null)(`${name}: both signatures are valid for dkimpy`, async () => {
      const raw = await Effect.runPromise(compose({ ...draft, signWith: keys }))
      expect(byDkimpy(pythonWithDkim!, raw, records)).toEqual([true, true])
    })
  }
})
