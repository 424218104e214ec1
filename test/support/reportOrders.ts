/**
 * Tests over each storage that the state of a delivery does not depend on the order of its providers' reports.
 *
 * @module
 */
import { layer as suiteOf } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { expect } from "vitest"
import type { RelayReport } from "../../core/model/RelayReport.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { earlyMillis, maxEarly, RelayReports } from "../../core/sending/feedback/RelayReports.ts"
import { newId } from "../contract/fixtures.ts"
import { report, reporting, setUp } from "./reportedDeliveries.ts"

/** Possible reports about a delivery, some of which contradict each other. */
const said: ReadonlyArray<RelayReport> = [
  report("Deferred"),
  report("Delivered", { at: 2_000 }),
  report("Bounced", { at: 3_000 }),
  report("Failed", { at: 2_500 }),
  report("Failed", { at: 1_500, failure: "Deferred" }),
  report("Failed", { at: 3_500, failure: "MailboxFull" }),
  report("Suppressed", { at: 1_800 }),
  report("Unsubscribed", { at: 4_000 }),
  report("Complained", { at: 4_100 })
]

/** The same reports in two orders, each split into batches. */
const orders = fc
  .record({
    chosen: fc.subarray([...said], { minLength: 2 }),
    status: fc.constantFrom("Accepted", "Sent", "Unknown" as const)
  })
  .chain(({ chosen, status }) => {
    const order = fc.record({
      reports: fc.shuffledSubarray([...chosen, ...chosen], { minLength: 2 * chosen.length }),
      size: fc.integer({ min: 1, max: 5 })
    })
    return fc.record({ status: fc.constant(status), orders: fc.tuple(order, order) })
  })

/** Tests of the order of reports over a storage. */
export const reportOrdersSuite = <E>(name: string, storage: Layer.Layer<StoragePorts, E>): void => {
  suiteOf(reporting.pipe(Layer.provideMerge(storage)))(`reports over ${name}`, (it) => {
    it.effect("lead to the same state in any order, repeated, and divided into any batches", () =>
      Effect.gen(function* () {
        for (const { orders: both, status } of fc.sample(orders, { numRuns: 60, seed: 7 })) {
          const states = yield* Effect.forEach(both, ({ reports, size }) =>
            Effect.gen(function* () {
              const { state, take } = yield* setUp(status, status)
              for (let start = 0; start < reports.length; start += size) {
                yield* take(reports.slice(start, start + size))
              }
              const { consent, listed, reason, status: found } = yield* state
              // Whichever of Bounced and Complained came first stays.
              const isEither = reports.some(({ kind }) => kind === "Bounced") && listed !== null
              return { found, reason, consent: isEither ? "ended" : consent, isListed: listed !== null }
            })
          )
          const about = both.map(({ reports }) =>
            reports.map(({ failure, kind }) => failure ?? kind).join(" ")
          )
          expect([status, about, states[1]]).toEqual([status, about, states[0]])
        }
      })
    )

    it.effect("correct what another said, and nothing that the service found itself", () =>
      Effect.gen(function* () {
        const delivered = { status: "Delivered", reason: null, events: ["email.delivered"] }
        const failed = { status: "Failed", events: [] }
        const corrected = yield* setUp("Accepted", "Accepted")
        yield* corrected.take([report("Suppressed")])
        expect(yield* corrected.state).toMatchObject({ status: "Suppressed" })
        yield* corrected.take([report("Failed", { failure: "Deferred" })])
        expect(yield* corrected.state).toMatchObject({ ...failed, reason: "sending.retries_exhausted" })
        yield* corrected.take([report("Failed")])
        expect(yield* corrected.state).toMatchObject({ ...failed, reason: "sending.refused" })
        yield* corrected.take([report("Failed", { failure: "MailboxFull" }), report("Suppressed")])
        expect(yield* corrected.state).toMatchObject({ ...failed, reason: "sending.refused" })
        yield* corrected.take([report("Delivered")])
        expect(yield* corrected.state).toMatchObject(delivered)
        yield* corrected.take([report("Failed"), report("Suppressed")])
        expect(yield* corrected.state).toMatchObject(delivered)
        for (const outcome of ["Refused", "MailboxFull", "Deferred", null] as const) {
          const { state, take } = yield* setUp("Failed", outcome)
          yield* take([report("Delivered"), report("Bounced")])
          expect([outcome, yield* state]).toMatchObject([outcome, { ...failed, listed: null }])
        }
        const held = yield* setUp("Suppressed", "Accepted")
        yield* held.take([report("Delivered"), report("Bounced"), report("Complained")])
        expect(yield* held.state).toMatchObject({ status: "Suppressed", listed: null, events: [] })
      })
    )

    it.effect("count a complaint once, also of a recipient who was erased since", () =>
      Effect.gen(function* () {
        const { ref, state, take } = yield* setUp("Delivered", "Delivered")
        const submissions = yield* SubmissionStore
        yield* submissions.eraseRecipients(ref.accountId, Number.MAX_SAFE_INTEGER / 4, 10)
        const complainedAt = Effect.map(submissions.deliveries([ref]), ([found]) => found!.complainedAt)
        yield* TestClock.setTime(5_000)
        yield* take([report("Complained"), report("Complained", { at: 2_000 })])
        expect(yield* complainedAt).toBe(5_000)
        yield* TestClock.setTime(9_000)
        yield* take([report("Complained")])
        expect(yield* complainedAt).toBe(5_000)
        expect((yield* state).events).toEqual([])
      })
    )

    it.effect("that arrive before the result of their message wait for it, for a time", () =>
      Effect.gen(function* () {
        const { take, takeEarly } = yield* RelayReports
        const relay = { id: newId(), kind: "Resend" } as const
        const by = (id: string, kind: RelayReport["kind"], at = 1_000): RelayReport =>
          report(kind, { at, delivery: { references: [], providerIds: ["other", id], recipient: null } })
        const { accept, company, state } = yield* setUp("Accepted", "Accepted")
        yield* TestClock.setTime(2_000)
        const early = [by("0102-early", "Delivered"), by("0102-other", "Delivered")]
        expect(yield* take(company.id, early, relay)).toMatchObject({ taken: 0, unmatched: 2 })
        expect(yield* takeEarly).toEqual([])
        yield* accept(relay.id, "0102-early")
        expect((yield* state).status).toBe("Accepted")
        expect((yield* takeEarly).map(({ kind, providerId }) => [kind, providerId])).toEqual([
          ["Resend", "0102-early"]
        ])
        expect((yield* state).status).toBe("Delivered")
        expect(yield* takeEarly).toEqual([])

        // Reports about another relay's message with the same id, reports that are too old, and more reports than are kept.
        const late = yield* setUp("Accepted", "Accepted")
        yield* TestClock.setTime(earlyMillis + 5_000)
        yield* take(late.company.id, [by("0102-late", "Bounced")], relay)
        yield* take(late.company.id, [by("0102-late", "Bounced", 6_000)], { ...relay, id: newId() })
        yield* late.accept(relay.id, "0102-late")
        expect(yield* takeEarly).toEqual([])
        yield* take(late.company.id, [by("0102-first", "Bounced", 6_000)], relay)
        yield* take(
          late.company.id,
          Array.from({ length: maxEarly }, (_, index) => by(`0103-${index}`, "Opened", 6_000)),
          relay
        )
        yield* late.accept(relay.id, "0102-first")
        expect(yield* takeEarly).toEqual([])
        yield* late.accept(relay.id, `0103-${maxEarly - 1}`)
        expect(yield* takeEarly).toHaveLength(1)
        expect((yield* late.state).status).toBe("Accepted")
      })
    )

    it.effect("that arrive while their message is transmitted wait for its result", () =>
      Effect.gen(function* () {
        const { takeEarly } = yield* RelayReports
        const busy = yield* setUp("HandingOff")
        const other = yield* setUp("Accepted")
        const batch = [report("Bounced"), report("Delivered"), other.about(report("Delivered"))]
        expect(yield* busy.take(batch, null)).toEqual({ taken: 1, unmatched: 0, foreign: 0, pending: 2 })
        expect(yield* other.state).toMatchObject({ status: "Delivered" })
        expect(yield* takeEarly).toEqual([])
        expect(yield* busy.state).toMatchObject({ status: "HandingOff", listed: null })
        yield* busy.accepted
        expect(yield* takeEarly).toHaveLength(2)
        expect(yield* busy.state).toMatchObject({ status: "Bounced", listed: "Bounced" })
        expect(yield* takeEarly).toEqual([])
      })
    )
  })
}
