/**
 * The contract of `core/ports/MessageComposer`: messages are well-formed and signed, whatever their content.
 *
 * @module
 */
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import {
  type DkimAlgorithm,
  dkimPurpose,
  type SigningKey,
  type VerifyingKey
} from "../../core/model/Domain.ts"
import type { MessageDraft } from "../../core/model/Message.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { times } from "./fixtures.ts"

/** The environment of the suite. */
export interface MessageComposerEnvironment {
  readonly composer: Layer.Layer<MessageComposer>
  /** Seals a private key (PKCS 8, PEM) for a purpose, so that the composer's SecretBox can open it. */
  readonly seal: (privateKey: string, purpose: string) => string
  /**
   * Verifies the DKIM signatures of a message in order, with the given TXT records; `pass` for a valid signature. The verifier
   * must share no code with the composer.
   */
  readonly verify: (
    raw: Uint8Array,
    records: Readonly<Record<string, string>>
  ) => Promise<ReadonlyArray<string>>
}

const domain = "example.com"

/** A key pair with the TXT record of its public key. */
const makeKey = (algorithm: DkimAlgorithm, seal: MessageComposerEnvironment["seal"]) => {
  const { privateKey, publicKey } =
    algorithm === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ed25519")
  const selector = algorithm
  const spki = publicKey.export({ type: "spki", format: "der" })
  const p = (algorithm === "rsa" ? spki : spki.subarray(-32)).toString("base64")
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string
  const signing: SigningKey = {
    domain,
    selector,
    algorithm,
    sealedKey: seal(pem, dkimPurpose({ domain, selector }))
  }
  const verifying: VerifyingKey = { domain, selector, algorithm, publicKey: p }
  return {
    signing,
    verifying,
    record: [`${selector}._domainkey.${domain}`, `v=DKIM1; k=${algorithm}; p=${p}`]
  } as const
}

/** A draft with the minimum content of an email. */
export const plainDraft: MessageDraft = {
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

const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255])

const textOf = (raw: Uint8Array) => Buffer.from(raw).toString("latin1")

const headerOf = (raw: Uint8Array) => textOf(raw).split("\r\n\r\n")[0]!

/** The lower-case names of a message's header fields, sorted. */
const fieldNames = (raw: Uint8Array) =>
  headerOf(raw)
    .split(/\r\n(?![ \t])/)
    .map((field) => field.slice(0, field.indexOf(":")).toLowerCase())
    .toSorted()

/** Expects CRLF line ends, only ASCII, and lines of at most 998 characters (RFC 5322, 2.1.1). */
export const expectWellFormed = (raw: Uint8Array): void => {
  const text = textOf(raw)
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
  expect(Math.max(...text.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998)
  expect(text).toMatch(/^[\x00-\x7f]*$/)
}

const asciiOf = (text: string) => text.replace(/[^\x00-\x7f]/g, "a")

/** Strings that try to break out of their header field. */
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
        { maxLength: 12 }
      )
      .map((parts) => parts.join(""))
  )
  .filter((text) => text.trim() !== "" && text.isWellFormed())

/** Bodies with line ends and spaces that affect signatures. */
const body = fc
  .array(fc.constantFrom("a", " ", "\t", "\n", "\r\n", ".", "é", "=", "x".repeat(1200)), { maxLength: 60 })
  .map((parts) => parts.join(""))

/**
 * Registers the tests of the port `MessageComposer`.
 *
 * @param name the adapter's name
 */
export const messageComposerContract = (
  name: string,
  { composer, seal, verify }: MessageComposerEnvironment
): void => {
  const compose = (draft: MessageDraft): Effect.Effect<Uint8Array, never, MessageComposer> =>
    Effect.flatMap(MessageComposer, (port) => Effect.map(port.compose([draft]), ([raw]) => raw!))
  const keys = (["rsa", "ed25519"] as const).map((algorithm) => makeKey(algorithm, seal))
  const signWith = keys.map(({ signing }) => signing)
  const records = Object.fromEntries(keys.map(({ record }) => record))

  layer(composer, { excludeTestServices: true })(`MessageComposer: ${name}`, (it) => {
    describe("signedMessageId", () => {
      const verifying = keys.map((key) => key.verifying)
      const read = (header: string, by = verifying) =>
        Effect.flatMap(MessageComposer, (port) => port.signedMessageId(header, by))
      const isSigned = (header: string, by = verifying) =>
        Effect.map(read(header, by), (messageId) => messageId !== null)
      const signed = Effect.map(
        compose({ ...plainDraft, headers: [{ name: "X-Id", value: "1" }], signWith }),
        (raw) => ({
          header: headerOf(raw),
          rest: textOf(raw).slice(headerOf(raw).length)
        })
      )

      it.effect("recognises the header of a message by each of its keys alone, without its body", () =>
        Effect.gen(function* () {
          const { header } = yield* signed
          for (const by of [verifying, ...verifying.map((key) => [key])]) {
            expect(yield* isSigned(header, by)).toBe(true)
            expect(yield* isSigned(header.replaceAll("\r\n", "\n"), by)).toBe(true)
          }
          expect(yield* isSigned(headerOf(yield* compose(plainDraft)))).toBe(false)
          expect(yield* isSigned("")).toBe(false)
        })
      )

      it.effect("returns the Message-ID that the signature covers, however the header is written", () =>
        Effect.gen(function* () {
          const { header } = yield* signed
          const other = "Message-ID: <other@example.com>\r\n"
          for (const written of [
            header,
            other + header,
            other + header.replace("Message-ID:", "Message-ID\f:"),
            other + header.replace("Message-ID:", "\vMessage-ID:"),
            other + header.replace("Message-ID:", `Message-ID:${"\r\n ".repeat(9_000)}`),
            other + "X-A: 1\r\n".repeat(600) + header
          ])
            expect(yield* read(written)).toBe(plainDraft.messageId)
          expect(yield* read(`${header.trimEnd()}\r\n${other}`)).toBe(null)
        })
      )

      it.effect("rejects every other key, domain, selector and algorithm", () =>
        Effect.gen(function* () {
          const { header } = yield* signed
          const [rsa, ed25519] = verifying as [VerifyingKey, VerifyingKey]
          const others: ReadonlyArray<VerifyingKey> = [
            { ...rsa, publicKey: makeKey("rsa", seal).verifying.publicKey },
            { ...ed25519, publicKey: makeKey("ed25519", seal).verifying.publicKey },
            { ...rsa, publicKey: "" },
            { ...ed25519, publicKey: "AAAA" },
            { ...rsa, domain: "other.example" },
            { ...rsa, selector: "other" },
            { ...rsa, algorithm: "ed25519" }
          ]
          for (const other of others) expect(yield* isSigned(header, [other])).toBe(false)
          expect(yield* isSigned(header, [])).toBe(false)
        })
      )

      it.effect(
        "agrees with the verifier about any change of the header",
        () =>
          Effect.gen(function* () {
            const { header, rest } = yield* signed
            const changes = fc.sample(
              fc.record({
                at: fc.nat(header.length - 1),
                text: fc.constantFrom(
                  "",
                  "a",
                  " ",
                  "\r\n ",
                  ":",
                  ";",
                  "=",
                  "\r\nTo: x@y.example",
                  "\r\nX-New: 1",
                  "\t"
                ),
                removed: fc.constantFrom(0, 0, 1, 5)
              }),
              150
            )
            let recognised = 0
            for (const { at, removed, text } of changes) {
              const changed = header.slice(0, at) + text + header.slice(at + removed)
              // Readers disagree about bare line ends and about lines that are no header field.
              const lines = changed.split(/\r\n(?![ \t])/)
              if (lines.some((line) => !/^[!-9;-~]+[ \t]*:/.test(line) || /\r(?!\n)|(?<!\r)\n/.test(line)))
                continue
              const outcomes = yield* Effect.promise(() =>
                verify(Buffer.from(changed + rest, "latin1"), records)
              )
              const expected = outcomes.includes("pass")
              expect([changed, yield* isSigned(changed)]).toEqual([changed, expected])
              if (expected) recognised++
            }
            expect(recognised).toBeGreaterThan(0)
          }),
        60_000
      )
    })

    describe("compose", () => {
      it.effect("writes the fields of a draft and no other", () =>
        Effect.gen(function* () {
          const raw = yield* compose(plainDraft)
          expectWellFormed(raw)
          expect(fieldNames(raw)).toEqual([
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
        })
      )

      it.effect("composes drafts in order", () =>
        Effect.gen(function* () {
          const { compose: composeAll } = yield* MessageComposer
          const ids = times(50, (index) => `id-${index}@example.com`)
          // The first messages take the longest.
          const composed = yield* composeAll(
            ids.map((messageId, index) => ({
              ...plainDraft,
              messageId,
              html: "x\n".repeat(5000 - 100 * index),
              signWith: index < 10 ? signWith : []
            }))
          )
          const found = composed.map(
            (raw) => /^Message-ID: <(.*)>$/im.exec(headerOf(raw).replaceAll("\r", ""))?.[1]
          )
          expect(found).toEqual(ids)
          expect(yield* composeAll([])).toEqual([])
        })
      )

      it.effect("reads no file and no URL that the content names", () =>
        Effect.gen(function* () {
          const content = new TextEncoder().encode("mine")
          const raw = yield* compose({
            ...plainDraft,
            html: '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/">',
            text: "/etc/passwd",
            attachments: [{ filename: "/etc/passwd", contentType: "text/plain", contentId: null, content }]
          })
          expect(textOf(raw)).not.toContain("root:")
          expect(textOf(raw)).toContain(Buffer.from("mine").toString("base64"))
        })
      )

      it.effect("lets no value add a header field or a line that is too long", () =>
        Effect.gen(function* () {
          const port = yield* MessageComposer
          const values = fc.record({
            name: hostile,
            subject: hostile,
            filename: hostile,
            value: hostile,
            contentId: hostile.map(asciiOf)
          })
          const property = fc.asyncProperty(
            values,
            async ({ contentId, filename, name: of, subject, value }) => {
              const draft: MessageDraft = {
                ...plainDraft,
                from: { email: "hello@example.com", name: of },
                replyTo: { email: "reply@example.com", name: of },
                subject,
                headers: [{ name: "X-Mine", value }],
                attachments: [{ filename, contentType: "text/plain", contentId, content: bytes }]
              }
              const [raw] = await Effect.runPromise(port.compose([draft]))
              expectWellFormed(raw!)
              expect(fieldNames(raw!)).toEqual([
                "content-type",
                "date",
                "from",
                "message-id",
                "mime-version",
                "reply-to",
                "subject",
                "to",
                "x-mine"
              ])
            }
          )
          yield* Effect.promise(() => fc.assert(property, { numRuns: 200 }))
        })
      )

      it.effect("signs any body with each key, above the message", () =>
        Effect.gen(function* () {
          const port = yield* MessageComposer
          const property = fc.asyncProperty(body, async (text) => {
            const [raw] = await Effect.runPromise(
              port.compose([{ ...plainDraft, html: null, text, signWith }])
            )
            expectWellFormed(raw!)
            expect(fieldNames(raw!).filter((field) => field === "dkim-signature")).toHaveLength(2)
            expect(textOf(raw!)).toMatch(/^DKIM-Signature:/)
            expect(await verify(raw!, records)).toEqual(["pass", "pass"])
          })
          yield* Effect.promise(() => fc.assert(property, { numRuns: 100 }))
        })
      )

      it.effect("signs so that a change to the header or the body breaks the signatures", () =>
        Effect.gen(function* () {
          const raw = textOf(yield* compose({ ...plainDraft, signWith }))
          for (const changed of [
            raw.replace("It works", "It fails"),
            raw.replace("Subject: Hello", "Subject: Hallo"),
            raw.replace("hello@example.com", "other@example.com")
          ]) {
            expect(changed).not.toBe(raw)
            expect(
              yield* Effect.promise(() => verify(Buffer.from(changed, "latin1"), records))
            ).not.toContain("pass")
          }
        })
      )
    })
  })
}
