import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { answerOf } from "../../../core/relay/Answers.ts"
import { loginLockout } from "../../../core/relay/LoginLockout.ts"
import { readOptions } from "../../../core/relay/OptionHeaders.ts"
import { type RelayMail, requestOf } from "../../../core/relay/RelayMail.ts"
import { assignRoles } from "../../../core/relay/Roles.ts"
import { parseEmailRequest } from "../../../core/sending/emails/EmailRequest.ts"
import { decodeWords } from "../../../core/shared/EncodedWords.ts"

const { failure, failuresBySlot, lockedUntil, recentFailures } = loginLockout
import { catalogue, type Code, Issues, Problem } from "../../../core/shared/Problem.ts"

const second = 1_000
const minute = 60 * second

describe("lockout", () => {
  /** The stored counts. */
  const counter = () => {
    const counts = new Map<string, number>()
    const nameOf = (subject: string, windowStart: number) => `${windowStart} ${subject}`
    const fail = (address: string, now: number) => {
      for (const { amount, subject, windowStart } of failure(address, now)) {
        const name = nameOf(subject, windowStart)
        counts.set(name, (counts.get(name) ?? 0) + amount)
      }
    }
    const read = (hits: ReturnType<typeof recentFailures>) =>
      hits.map(({ subject, windowStart }) => counts.get(nameOf(subject, windowStart)) ?? 0)
    const isLocked = (address: string, now: number) =>
      lockedUntil(read(failuresBySlot(address, now)), now) !== null
    const recent = (address: string, now: number) =>
      read(recentFailures(address, now)).reduce((sum, count) => sum + count, 0)
    return { fail, isLocked, recent }
  }
  const times = fc
    .array(fc.integer({ min: 0, max: 40 * minute }), { maxLength: 40 })
    .map((all) => all.toSorted((a, b) => a - b))
  const start = fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 })

  it("rejects for 15 minutes after the tenth failure in 10 minutes, accurate to 10 seconds, and for no other reason", () => {
    fc.assert(
      fc.property(times, start, (offsets, from) => {
        const { fail, isLocked, recent } = counter()
        const failures: Array<number> = []
        const probe = (now: number) => {
          const lockedBy = (slack: number) =>
            failures.some(
              (at) =>
                now - at < 15 * minute + slack &&
                failures.filter((other) => other <= at && at - other < 10 * minute + slack).length >= 10
            )
          const locked = isLocked("1.2.3.4", now)
          if (lockedBy(0)) expect(locked).toBe(true)
          if (!lockedBy(20 * second)) expect(locked).toBe(false)
          if (locked) expect(recent("1.2.3.4", now)).toBeGreaterThanOrEqual(10)
          expect(isLocked("1.2.3.5", now)).toBe(false)
          return locked
        }
        for (const offset of offsets) {
          const now = from + offset
          if (probe(now)) continue
          fail("1.2.3.4", now)
          failures.push(now)
        }
        for (const later of [0, 14, 15, 16, 26]) probe(from + 40 * minute + later * minute)
      })
    )
  })

  it("counts ten failures at the same time, and ends after 15 minutes", () => {
    const { fail, isLocked } = counter()
    const at = 1_700_000_000_000
    for (let count = 0; count < 9; count++) fail("a", at)
    expect(isLocked("a", at)).toBe(false)
    fail("a", at + 9 * minute)
    expect(isLocked("a", at + 9 * minute)).toBe(true)
    expect(isLocked("a", at + 24 * minute)).toBe(true)
    expect(isLocked("a", at + 24 * minute + 10 * second)).toBe(false)
  })
})

const address = fc.constantFrom(
  "a@x.example",
  "B@X.example",
  "c@x.example",
  "d@x.example",
  '"e f"@x.example',
  "nobody"
)
const mailbox = fc.record({ address, name: fc.oneof(fc.string(), fc.string({ unit: "binary" })) })
const envelope = fc.uniqueArray(fc.constantFrom("a@x.example", "b@x.example", "c@x.example", "z@x.example"), {
  minLength: 1
})

describe("roles", () => {
  it("are one for each recipient of the envelope, and none for any other address", () => {
    fc.assert(
      fc.property(envelope, fc.option(fc.array(mailbox)), fc.array(mailbox), (recipients, to, cc) => {
        const roles = assignRoles(recipients, to, cc)
        expect(roles === null).toBe(to === null && recipients.length > 1)
        const all = Object.values(roles ?? {}).flat() as ReadonlyArray<{ readonly email: string }>
        if (roles !== null) expect(all.map(({ email }) => email).toSorted()).toEqual(recipients.toSorted())
      })
    )
  })
})

const headerName = fc.constantFrom(
  "X-A",
  "x-svc-tags",
  "X-Svc-Metadata",
  "X-Svc-Track-Opens",
  "X-Svc-Idempotency-Key",
  "In-Reply-To",
  "References",
  "Subject",
  "",
  "X-"
)
const mail: fc.Arbitrary<RelayMail> = fc.record({
  from: fc.array(mailbox, { maxLength: 2 }),
  to: fc.option(fc.array(mailbox)),
  cc: fc.array(mailbox),
  replyTo: fc.array(mailbox),
  ambiguous: fc.subarray(["from", "to", "cc", "replyTo"] as const),
  subject: fc.string({ unit: "binary" }),
  html: fc.option(fc.string({ unit: "binary" })),
  text: fc.option(fc.string({ unit: "binary" })),
  parts: fc.array(
    fc.record({
      filename: fc.option(fc.string({ unit: "binary", maxLength: 400 })),
      contentType: fc.oneof(fc.constantFrom("text/calendar", "Image/PNG", "multipart/mixed"), fc.string()),
      parameters: fc
        .dictionary(
          fc.oneof(fc.constantFrom("charset", "method", "name", "boundary"), fc.string({ maxLength: 80 })),
          fc.string({ unit: "binary", maxLength: 600 })
        )
        .map((all) => Object.entries(all)),
      contentId: fc.option(fc.string()),
      content: fc.uint8Array({ maxLength: 10 })
    }),
    { maxLength: 12 }
  ),
  entity: fc.option(fc.uint8Array({ maxLength: 10 })),
  headers: fc.array(fc.record({ name: headerName, value: fc.string({ unit: "binary", maxLength: 3_000 }) }))
})

/** The codes with which a message may be rejected. */
const contentCodes: ReadonlySet<string> = new Set<Code>([
  "deliverability.sender_domain_not_verified",
  "sending.attachments_too_many",
  "sending.header_invalid",
  "sending.header_not_allowed",
  "sending.headers_too_many",
  "sending.idempotency_key_invalid",
  "sending.idempotency_key_mismatch",
  "sending.metadata_invalid",
  "sending.tags_invalid",
  "validation.email",
  "validation.format",
  "validation.max_length",
  "validation.required"
])

describe("requestOf", () => {
  it("returns a request that the API accepts, or an issue of the content", () => {
    fc.assert(
      fc.property(mail, envelope, (given, recipients) => {
        const parsed = Result.flatMap(requestOf(given, recipients), ({ idempotencyKey, request }) =>
          parseEmailRequest(request, idempotencyKey, 0)
        )
        if (Result.isSuccess(parsed)) {
          const { headers, recipients: accepted } = parsed.success
          expect(accepted.map(({ email }) => email).toSorted()).toEqual(recipients.toSorted())
          expect(headers.some(({ name }) => /^x-svc-/i.test(name))).toBe(false)
          return
        }
        for (const { code, field } of parsed.failure.issues) {
          expect(contentCodes.has(code), `${code} ${field}`).toBe(true)
          if (code === "validation.format") expect(field).toMatch(/^tracking/)
        }
      }),
      { numRuns: 500 }
    )
  })
})

describe("option headers", () => {
  const label = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/)
  const value = fc.stringMatching(/^[!-:<-~]{0,40}$/).filter((text) => !text.includes("=?"))
  it("are read as they were written", () => {
    fc.assert(
      fc.property(
        fc.dictionary(label, value),
        fc.dictionary(label, value),
        fc.boolean(),
        (tags, metadata, track) => {
          const issues = new Issues()
          const write = (labels: Record<string, string>) =>
            Object.entries(labels)
              .map(([name, text]) => `${name}=${text}`)
              .join("; ")
          const headers = [
            { name: "X-SVC-Tags", value: write(tags) },
            { name: "x-svc-metadata", value: ` ${write(metadata)} ;` },
            { name: "X-Svc-Track-Clicks", value: String(track) }
          ]
          const read = readOptions(headers, issues)
          expect(issues.list).toEqual([])
          expect({ ...read.tags }).toEqual({ ...tags })
          expect({ ...read.metadata }).toEqual({ ...metadata })
          expect([read.trackClicks, read.trackOpens, read.idempotencyKey]).toEqual([track, null, null])
        }
      )
    )
  })
})

describe("encoded words", () => {
  it("are decoded as encoders write them, and other text is unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        const bytes = new TextEncoder().encode(text)
        const q = Array.from(bytes, (byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")
        expect(decodeWords(`=?utf-8?Q?${q}?=`)).toBe(text)
        expect(decodeWords(`=?UTF-8?b?${Buffer.from(bytes).toString("base64")}?=`)).toBe(text)
      })
    )
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => typeof decodeWords(text) === "string"))
    expect(decodeWords("=?utf-8?Q?a_b?= \t =?iso-8859-1?Q?=FC?= c")).toBe("a bü c")
    expect(decodeWords("=?x-none?Q?a?= =?utf-8?b?*?=")).toBe("=?x-none?Q?a?==?utf-8?b?*?=")
  })
})

describe("SMTP replies", () => {
  it("exist for every code, in one printable line of at most 512 octets", () => {
    for (const code of Object.keys(catalogue) as ReadonlyArray<Code>) {
      const { code: reply, enhanced, text } = answerOf(Problem.of(code, "f".repeat(500)))
      expect(`${reply} ${enhanced}`).toMatch(/^([45])\d\d \1\.\d\.\d+$/)
      expect(text).toMatch(/^[\x20-\x7e]{1,400}$/)
    }
    expect(answerOf(Problem.of("sending.idempotency_conflict"))).toMatchObject({
      code: 554,
      enhanced: "5.6.0"
    })
  })
})
