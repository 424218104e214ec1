/**
 * Tests of reading the reports of every provider, each with its expected result, and of any other input.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { relayProviders, type RelayReport, relayReportKinds } from "../../../../core/model/RelayReport.ts"
import { type Feedback, readFeedback } from "../../../../core/sending/feedback/Feedback.ts"
import { exactNumberKey } from "../../../../core/shared/Json.ts"
import { anyText } from "../../arbitraries.ts"
import { happenedAt, receivedAt, recipient, reference, samples } from "./payloads.ts"
import { spentMillis } from "../../../support/stall.ts"

const machines = new Map([
  [true, " machine"],
  [false, " person"]
])

const summaryOf = ({ code, failure, kind, visit }: RelayReport): string => {
  if (visit === null) return kind === "Failed" ? `Failed ${failure}` : `${kind} ${code}`
  const machine = visit.isMachine === null ? "" : machines.get(visit.isMachine)
  return `${kind}${visit.url === null ? "" : ` ${visit.url}`}${machine}`
}

const resultOf = ({ broken, ignored, reports }: Feedback): string => {
  if (reports.length > 0) return reports.map(summaryOf).join(", ")
  return broken > 0 ? "Broken" : ignored > 0 ? "Ignored" : "Nothing"
}

describe("readFeedback", () => {
  for (const provider of relayProviders) {
    it(`reads every kind of report of ${provider}`, () => {
      for (const [expected, entry] of samples[provider]) {
        const found = readFeedback(provider, entry, receivedAt)
        expect({ entry, result: resultOf(found) }).toEqual({ entry, result: expected })
        for (const { at, delivery } of found.reports) {
          expect(delivery.recipient).toBe(recipient)
          expect([happenedAt, happenedAt + 250]).toContain(at)
          expect(delivery.references[0] ?? reference).toBe(reference)
          expect(delivery.providerIds).not.toEqual([])
        }
      }
    })

    it(`reads the other entries of a batch of ${provider} with broken ones`, () => {
      const entries = samples[provider].map(([, entry]) => entry)
      const alone = entries.map((entry) => readFeedback(provider, entry, receivedAt))
      const batch = entries.flatMap((entry) => [null, entry, [entry], 7, { msys: 1, event: {} }])
      const found = readFeedback(provider, batch, receivedAt)
      expect(found.reports).toEqual(alone.flatMap(({ reports }) => reports))
      expect(found.ignored).toBe(alone.reduce((sum, { ignored }) => sum + ignored, 0))
    })
  }

  it("covers every kind of report that a provider publishes", () => {
    const kinds = new Map(
      relayProviders.map((provider) => [
        provider,
        new Set(
          samples[provider].flatMap(([, entry]) =>
            readFeedback(provider, entry, receivedAt).reports.map(({ kind }) => kind)
          )
        )
      ])
    )
    const missing = [...kinds].flatMap(([provider, found]) =>
      relayReportKinds.filter((kind) => !found.has(kind)).map((kind) => `${provider} ${kind}`)
    )
    // Mailjet reports no temporary rejections; Resend's subscriptions concern its own contacts.
    expect(missing).toEqual(["Mailjet Deferred", "Resend Unsubscribed"])
  })

  it("keeps the time of a report within the past", () => {
    for (const ts_epoch of [receivedAt + 1, -1, 0, 1e300, "soon", null, {}]) {
      const [found] = readFeedback(
        "Brevo",
        { event: "delivered", "message-id": "<a@b>", ts_epoch },
        receivedAt
      ).reports
      expect(found?.at).toBe(receivedAt)
    }
  })

  it("keeps all digits of an id that is a number", () => {
    const entry = { event: "sent", MessageID: { [exactNumberKey]: "20547673299877917123" } }
    const [found] = readFeedback("Mailjet", entry, receivedAt).reports
    expect(found?.delivery.providerIds).toEqual(["20547673299877917123"])
  })

  it("reads one report for each of several recipients", () => {
    const recipients = ["jane@example.net", "JOHN@example.net"]
    const entry = {
      eventType: "Delivery",
      mail: { messageId: "a", destination: recipients },
      delivery: { recipients, smtpResponse: "250 ok" }
    }
    const found = readFeedback("AmazonSes", entry, receivedAt).reports
    expect(found.map(({ delivery }) => delivery.recipient)).toEqual(["jane@example.net", "john@example.net"])
  })
})

const names = [
  ...new Set(
    Object.values(samples).flatMap((list) =>
      list.flatMap(([, entry]) =>
        [...JSON.stringify(entry).matchAll(/"([^"]{1,40})":/g)].map((found) => found[1]!)
      )
    )
  )
]
const kinds = Object.values(samples).flatMap((list) =>
  list.flatMap(([, entry]) => [entry["event"], entry["eventType"], entry["RecordType"], entry["type"]])
)

/** Objects with the field names and kinds of the providers' schemas, and arbitrary values in each field. */
const hostileEntry = fc.letrec<{ value: unknown; entry: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.constantFrom(null, true, false, "true", NaN, -0, 1e308, "9".repeat(40), "2026-02-30T25:61:00+99:99"),
    fc.constantFrom(...kinds),
    fc.double(),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("entry")
  ),
  entry: fc.dictionary(
    fc.oneof(fc.constantFrom(...names, "__proto__", "constructor"), anyText),
    tie("value"),
    {
      maxKeys: 8
    }
  )
})).entry

/** A sample with one of its values replaced, at any depth. */
const spoiled = (entry: unknown, place: number, value: unknown): unknown => {
  let count = 0
  return JSON.parse(JSON.stringify(entry), (_key, found: unknown) =>
    count++ === place ? value : found
  ) as unknown
}

describe("readFeedback with any input", () => {
  const checked = (found: Feedback): void => {
    for (const { at, code, delivery, failure, kind, words } of found.reports) {
      expect(Number.isFinite(at) && at <= receivedAt).toBe(true)
      expect((failure !== null) === (kind === "Failed")).toBe(true)
      expect(words === null || (words.length <= 300 && words.isWellFormed() && !/[\r\n]/.test(words))).toBe(
        true
      )
      expect(code === null || /^[245](?:\d\d|\.\d{1,3}\.\d{1,3})$/.test(code)).toBe(true)
      expect(delivery.references.length + delivery.providerIds.length).toBeGreaterThan(0)
    }
  }

  for (const provider of relayProviders) {
    it(`never fails for ${provider}`, () => {
      fc.assert(
        fc.property(fc.oneof(hostileEntry, fc.array(hostileEntry, { maxLength: 3 }), fc.anything()), (body) =>
          checked(readFeedback(provider, body, receivedAt))
        ),
        { numRuns: 200 }
      )
      fc.assert(
        fc.property(
          fc.constantFrom(...samples[provider]),
          fc.nat(40),
          hostileEntry,
          ([, entry], place, value) =>
            checked(readFeedback(provider, spoiled(entry, place, value), receivedAt))
        ),
        { numRuns: 200 }
      )
    })
  }

  it("reads words that are long and repetitive in time that grows with their length alone", () => {
    const long = [
      "5.".repeat(400_000),
      "<".repeat(500_000),
      " \r\n".repeat(200_000),
      "550-5.1.1 ".repeat(50_000)
    ]
    const began = spentMillis()
    for (const text of long) {
      checked(
        readFeedback(
          "Brevo",
          { event: "hard_bounce", "message-id": text, email: text, reason: text },
          receivedAt
        )
      )
      checked(
        readFeedback(
          "Postmark",
          { RecordType: "Bounce", Type: "HardBounce", MessageID: "a", Details: text },
          receivedAt
        )
      )
    }
    expect(spentMillis() - began).toBeLessThan(5_000)
  })
})
