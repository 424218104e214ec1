/**
 * The contract of `core/ports/RelayStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { MailRelay } from "../../core/model/MailRelay.ts"
import { type EarlyReport, RelayStore } from "../../core/ports/RelayStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { moveUnclaimed } from "../../core/sending/delivery/DeliveryRules.ts"
import { draftToMany } from "./drafts.ts"
import {
  atOnce,
  firstPage,
  freshAccountId,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (values: Partial<MailRelay> = {}): MailRelay => ({
  id: newId(),
  companyId: newId(),
  name: "A relay",
  kind: "AmazonSes",
  shownUrl: "smtps://user:***@relay.example",
  secrets: "sealed",
  streams: ["Transactional", "Marketing"],
  maxPerSecond: null,
  dailyLimit: null,
  shared: false,
  feedback: {},
  feedbackSecrets: [],
  state: "Active",
  stateReason: null,
  words: null,
  lastRefusal: null,
  lastReportAt: null,
  createdAt: now,
  ...values
})

/** Tests of the port `RelayStore`. */
export const relayStoreContract = (it: StorageTest): void => {
  describe("RelayStore", () => {
    it.effect("finds relays by id and owner, and removes those of their owner", () =>
      Effect.gen(function* () {
        const store = yield* RelayStore
        const own = draft({
          name: oddText,
          maxPerSecond: 14,
          dailyLimit: 50_000,
          streams: ["Marketing"],
          feedback: { topicArn: oddText },
          feedbackSecrets: ["password"],
          words: oddText
        })
        const second = draft({ companyId: own.companyId, createdAt: now + 1, kind: "Smtp" })
        const installed = draft({ companyId: null, shared: true })
        for (const relay of [own, second, installed]) yield* store.insert(relay)
        const found = yield* store.find([own.id, installed.id, own.id, newId()])
        expect(found).toHaveLength(2)
        expect(found).toEqual(expect.arrayContaining([own, installed]))
        expect(yield* store.find([])).toEqual([])
        expect((yield* store.list(own.companyId, firstPage)).items).toEqual([second, own])
        expect((yield* store.list(null, firstPage)).items).toContainEqual(installed)
        expect((yield* store.list(newId(), firstPage)).items).toEqual([])
        expect(yield* store.count(own.companyId)).toBe(2)
        expect(yield* store.count(null)).toBeGreaterThan(0)
        expect(yield* store.count(newId())).toBe(0)
        expect(yield* store.all).toEqual(expect.arrayContaining([own, second, installed]))
        expect(yield* store.remove(null, second.id)).toBeNull()
        expect(yield* store.remove(newId(), second.id)).toBeNull()
        expect(yield* store.remove(own.companyId, second.id)).toEqual(second)
        expect(yield* store.remove(null, installed.id)).toEqual(installed)
        expect(yield* store.find([second.id, installed.id])).toEqual([])
      })
    )

    it.effect("replaces settings, secrets and condition apart, and moves the last report forward", () =>
      Effect.gen(function* () {
        const store = yield* RelayStore
        const relay = draft()
        yield* store.insert(relay)
        const condition = { state: "Failing", stateReason: "relays.login_failed", words: oddText } as const
        const lastRefusal = { at: now, words: oddText }
        yield* store.saveCondition(
          relay.id,
          { ...condition, stateReason: "relays.account_refused" },
          lastRefusal
        )
        yield* store.saveCondition(relay.id, condition)
        yield* store.reported(relay.id, now + 2_000)
        yield* store.reported(relay.id, now + 1_000)
        const settings = {
          name: oddText,
          shownUrl: "smtp://other.example",
          secrets: "sealed again",
          streams: ["Transactional"],
          maxPerSecond: 1,
          dailyLimit: 2,
          shared: true,
          feedback: { username: "relay" },
          feedbackSecrets: ["password"]
        } as const
        const others = {
          companyId: newId(),
          kind: "Smtp",
          lastRefusal: null,
          lastReportAt: null,
          createdAt: 0
        } as const
        yield* store.save({ ...relay, ...settings, ...others })
        const expected = { ...relay, ...settings, ...condition, lastRefusal, lastReportAt: now + 2_000 }
        expect(yield* store.find([relay.id])).toEqual([expected])
        yield* store.resealSecrets(relay.id, "sealed", "of what it was before")
        yield* store.resealSecrets(relay.id, "sealed again", "sealed a third time")
        yield* store.saveCondition(relay.id, { state: "Active", stateReason: null, words: null })
        yield* store.save({
          ...expected,
          secrets: "sealed a third time",
          maxPerSecond: null,
          dailyLimit: null
        })
        expect(yield* store.find([relay.id])).toEqual([
          {
            ...expected,
            secrets: "sealed a third time",
            maxPerSecond: null,
            dailyLimit: null,
            state: "Active",
            stateReason: null,
            words: null
          }
        ])
        const missing = draft()
        yield* store.save(missing)
        yield* store.resealSecrets(missing.id, "sealed", "sealed again")
        yield* store.saveCondition(missing.id, condition, lastRefusal)
        yield* store.reported(missing.id, now)
        expect(yield* store.find([missing.id])).toEqual([])
      })
    )

    it.effect("finds the messages of a relay by its own ids, until they are pruned", () =>
      Effect.gen(function* () {
        const store = yield* RelayStore
        const [relayId, other, accountId] = [newId(), newId(), newId()]
        const first = { accountId, deliveryId: newId(), relayId, providerId: "0102-first", sentAt: 1_000 }
        const second = { ...first, deliveryId: newId(), providerId: oddText, sentAt: 2_000 }
        const foreign = { ...first, deliveryId: newId(), relayId: other, sentAt: 3_000 }
        const nameless = { ...first, deliveryId: newId(), providerId: null, sentAt: 4_500 }
        yield* store.noteMessages([first, second, foreign, nameless])
        yield* store.noteMessages([])
        expect(yield* store.findMessages(relayId, [oddText, "unknown"])).toEqual([second])
        expect(yield* store.findMessages(relayId, ["0102-first"])).toEqual([first])
        expect(yield* store.findMessages(other, ["0102-first"])).toEqual([foreign])
        expect(yield* store.findMessages(relayId, [])).toEqual([])
        const again = { ...first, providerId: "0102-again", sentAt: 4_000 }
        yield* store.noteMessages([again])
        expect(yield* store.findMessages(relayId, ["0102-first", "0102-again"])).toEqual([again])
        expect(yield* store.pruneMessages(2_000, 10)).toBe(0)
        expect(yield* store.pruneMessages(3_500, 1)).toBe(1)
        expect(yield* store.findMessages(relayId, [oddText])).toEqual([])
        expect(yield* store.pruneMessages(5_000, 10)).toBe(3)
      })
    )

    it.effect("counts the latest messages of relays that are still Accepted", () =>
      Effect.gen(function* () {
        const store = yield* RelayStore
        const accountId = yield* freshAccountId
        const [relayId, other, unused] = [newId(), newId(), newId()]
        const submission = draftToMany(
          accountId,
          (["Accepted", "Delivered", "Accepted", "Bounced", "Accepted"] as const).map((status) => ({
            status
          }))
        )
        yield* (yield* SubmissionStore).insert(accountId, [submission], [])
        const [first, second, third, fourth, fifth] = submission.deliveries.map((delivery, index) => ({
          accountId,
          deliveryId: delivery.id,
          relayId: index === 4 ? other : relayId,
          providerId: index % 2 === 0 ? null : newId(),
          sentAt: (index + 1) * 1_000
        }))
        const erased = { ...first!, deliveryId: newId(), sentAt: 4_500 }
        yield* store.noteMessages([first!, second!, third!, fourth!, fifth!, erased])
        const counted = (since: number, until: number, limit: number) =>
          Effect.map(store.unreported([relayId, other, unused, relayId], since, until, limit), (found) =>
            Object.fromEntries(
              found.map((one) => [one.relayId === relayId ? "one" : "other", [one.unreported, one.messages]])
            )
          )
        expect(yield* counted(0, 10_000, 10)).toEqual({ one: [2, 4], other: [1, 1] })
        expect(yield* counted(2_000, 4_000, 10)).toEqual({ one: [1, 2] })
        expect(yield* counted(0, 4_000, 1)).toEqual({ one: [1, 1] })
        expect(yield* counted(0, 10_000, 1)).toEqual({ other: [1, 1] })
        expect(yield* store.unreported([], 0, 10_000, 10)).toEqual([])
        expect(yield* store.pruneMessages(9_000, 10)).toBe(6)
      })
    )

    it.effect("gives each token of a relay to one caller, until it is pruned", () =>
      Effect.gen(function* () {
        const store = yield* RelayStore
        const [relayId, other] = [newId(), newId()]
        const token = {
          relayId,
          companyId: newId(),
          token: newHash(),
          digest: newHash(),
          expiresAt: 1_000
        }
        const claims = successes(yield* atOnce(times(4, () => store.claimToken(token))))
        expect(claims.filter((claim) => claim === "Claimed")).toHaveLength(1)
        expect(yield* store.claimToken(token)).toBe("Repeated")
        expect(yield* store.claimToken({ ...token, digest: newHash() })).toBe("Used")
        expect(yield* store.claimToken({ ...token, relayId: other, companyId: null, expiresAt: 3_000 })).toBe(
          "Claimed"
        )
        expect(yield* store.pruneTokens(1_000, 10)).toBe(0)
        expect(yield* store.pruneTokens(2_000, 10)).toBe(1)
        expect(yield* store.claimToken({ ...token, relayId: other })).toBe("Repeated")
        expect(yield* store.claimToken(token)).toBe("Claimed")
        expect(yield* store.pruneTokens(4_000, 1)).toBe(1)
        expect(yield* store.pruneTokens(4_000, 10)).toBe(1)
      })
    )

    it.effect(
      "keeps the latest early reports of a relay until their deliveries are known, for one caller",
      () =>
        Effect.gen(function* () {
          const store = yield* RelayStore
          const accountId = yield* freshAccountId
          const submissions = yield* SubmissionStore
          const submission = draftToMany(
            accountId,
            (["Accepted", "HandingOff", "Delivered", "HandingOff", "Failed"] as const).map((status) => ({
              status
            }))
          )
          yield* submissions.insert(accountId, [submission], [])
          const refs = submission.deliveries.map(({ id }) => ({ accountId, id }))
          const [relayId, other] = [newId(), newId()]
          const early = (values: Partial<EarlyReport>): EarlyReport => ({
            id: newId(),
            relayId,
            kind: "SparkPost",
            delivery: null,
            providerId: null,
            report: {
              delivery: { references: [oddText], providerIds: ["0102-first"], recipient: null },
              kind: "Delivered",
              failure: null,
              code: null,
              words: oddText,
              at: 5,
              visit: null
            },
            keptAt: 1,
            ...values
          })
          const note = (index: number, providerId: string) =>
            store.noteMessages([
              { accountId, deliveryId: refs[index]!.id, relayId, providerId, sentAt: 1_000 }
            ])
          const first = early({ providerId: "0102-first" })
          yield* store.keepReports(relayId, [first, early({ providerId: "0102-busy" })], 10)
          yield* store.keepReports(relayId, [], 10)
          yield* store.keepReports(other, [early({ relayId: other, providerId: "0102-first" })], 10)
          expect(yield* store.claimReports(10)).toEqual([])
          yield* note(0, "0102-first")
          yield* note(1, "0102-busy")
          const claimed = successes(yield* atOnce(times(3, () => store.claimReports(10)))).flat()
          expect(claimed).toEqual([{ ...first, delivery: refs[0] }])

          // Only reports about deliveries that are known and not being transmitted.
          const known = refs.map((delivery, index) => early({ delivery, keptAt: 2 + index }))
          const erased = early({ delivery: { accountId, id: newId() }, keptAt: 9 })
          yield* store.keepReports(relayId, [...known.slice(1), erased, known[0]!], 5)
          expect(yield* store.claimReports(1)).toEqual([known[2]])
          expect(yield* store.claimReports(10)).toEqual([known[4]])
          yield* submissions.move([moveUnclaimed(submission.deliveries[3]!, ["Accepted", null], 3)])
          expect(yield* store.claimReports(10)).toEqual([known[3]])
          expect(yield* store.pruneReports(9, 1)).toBe(1)
          expect(yield* store.pruneReports(9, 10)).toBe(1)
          expect(yield* store.pruneReports(10, 10)).toBe(1)
          expect(yield* store.pruneMessages(9_000, 10)).toBe(2)
        })
    )
  })
}
