/**
 * The contract of `core/ports/ShapingStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { addressLane, type SharedLane } from "../../core/model/Lane.ts"
import { longestSuspension, type Suspension, suspensionKey } from "../../core/model/Suspension.ts"
import { ShapingStore } from "../../core/ports/ShapingStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { minute, newId, now, type StorageTest } from "./fixtures.ts"

const suspension = (changes: Partial<Suspension> = {}): Suspension => ({
  id: newId(),
  lane: `ip:${newId()}`,
  accountId: null,
  sender: null,
  cause: "Reply",
  action: "PauseSource",
  rule: "block-list",
  words: "554 5.7.1 blocked using a list",
  remedy: "Ask to be taken off the list.",
  minutes: 120,
  mostMinutes: 720,
  since: now,
  until: now + 120 * minute,
  resolvedAt: null,
  probeUntil: null,
  refused: [],
  slowly: true,
  changedAt: now,
  ...changes
})

const laneOf = (lane: string, changes: Partial<SharedLane> = {}): SharedLane => ({
  lane,
  width: 3,
  successes: 0,
  strikes: 0,
  suspendedUntil: 0,
  provenUntil: 0,
  stated: {},
  flow: [],
  slowStart: null,
  leases: [],
  pace: null,
  marks: {},
  override: null,
  changedAt: now,
  ...changes
})

const page = { page: 1, pageSize: 10 }

/** Tests of the port `ShapingStore`. */
export const shapingStoreContract = (it: StorageTest): void => {
  describe("ShapingStore", () => {
    it.effect("keeps the latest suspension of what it holds, and lists it", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const first = suspension()
        const accountId = newId()
        const ofSender = suspension({
          lane: first.lane,
          accountId,
          sender: "example.org",
          action: "Probe",
          refused: [newId()],
          since: now + minute
        })
        yield* store.put([ofSender, first])
        expect(yield* store.find(ofSender.id)).toEqual(ofSender)
        expect(yield* store.lock([suspensionKey(first), "none"])).toEqual([first])
        const lane = [first.lane]
        expect((yield* store.page(page, { lane })).items).toEqual([ofSender, first])
        expect((yield* store.page(page, { lane, accountId: [accountId] })).items).toEqual([ofSender])

        const ofAnother = suspension({ lane: first.lane, accountId: newId(), since: now + 2 * minute })
        yield* store.put([ofAnother])
        expect((yield* store.page(page, { lane, concerns: accountId })).items).toEqual([ofSender, first])
        const ofAll = { lane, ofAll: true, before: now + 1 }
        expect((yield* store.page(page, ofAll)).items).toEqual([first])
        expect((yield* store.page(page, { ...ofAll, before: now })).items).toEqual([])
        yield* store.put([{ ...ofAnother, resolvedAt: now }])

        const later = suspension({
          lane: first.lane,
          since: now + 2 * minute,
          changedAt: now + 2 * minute,
          resolvedAt: now + 3 * minute
        })
        yield* store.put([later])
        expect(yield* store.find(first.id)).toBeNull()
        expect((yield* store.page(page, { lane, open: { is: true, at: now } })).items).toEqual([ofSender])
        const ended = { lane, open: { is: false, at: now }, concerns: accountId }
        expect((yield* store.page(page, ended)).items).toEqual([later])
        // Suspensions with an end time have ended at that time, whether or not this was recorded.
        const timed = [suspension({ cause: "Operator" }), suspension({ cause: "Unreachable" })]
        yield* store.put(timed)
        for (const one of timed) {
          const openAt = (at: number, is: boolean) =>
            Effect.map(store.page(page, { lane: [one.lane], open: { is, at } }), ({ items }) => items)
          expect(yield* openAt(one.until - 1, true)).toEqual([one])
          expect(yield* openAt(one.until - 1, false)).toEqual([])
          expect(yield* openAt(one.until, true)).toEqual([])
          expect(yield* openAt(one.until, false)).toEqual([one])
        }
        const changed = yield* store.changed(now + 2 * minute, 1000)
        expect(changed.filter((one) => one.lane === first.lane)).toEqual([later])
      })
    )

    it.effect("lists the suspensions of a provider from any source and of any site", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const provider = `p${newId().slice(0, 8)}`
        const of = (lane: string, since: number) => suspension({ lane, since: now + since })
        const all = [of(`${provider}:one.example`, 3), of(`${provider}@192.0.2.1`, 2), of(provider, 1)]
        yield* store.put([...all, of(`ip:${provider}`, 4)])
        expect((yield* store.page(page, { provider: [provider] })).items).toEqual(all)
        const lane = [all[0]!.lane]
        expect((yield* store.page(page, { provider: [provider], lane })).items).toEqual([all[0]])
        expect((yield* store.page(page, { provider: ["other"], lane })).items).toEqual([])
      })
    )

    it.effect("lets one message at a time find out whether a suspension can end", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const open = suspension()
        const ended = suspension({ resolvedAt: now })
        yield* store.put([open, ended])
        const claim = (at: number) => store.claimProbes([open.id, ended.id], at, at + minute)
        expect(yield* claim(now)).toEqual([open.id])
        expect(yield* claim(now + minute - 1)).toEqual([])
        expect((yield* store.find(open.id))?.probeUntil).toBe(now + minute)
        const claims = yield* Effect.all([claim(now + minute), claim(now + minute)], { concurrency: 2 })
        expect(claims.flat()).toEqual([open.id])
      })
    )

    it.effect("ends suspensions whose time has ended, and deletes those that ended", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const long = 1000 * 365 * 24 * 60 * minute
        const over = suspension({ until: now - long, refused: [newId()] })
        const current = suspension({ until: now - long + minute })
        yield* store.put([over, current])
        expect(yield* store.settle(now - long + minute, now - long + 2 * minute, 10)).toBe(1)
        expect(yield* store.find(over.id)).toMatchObject({ resolvedAt: now - long + 2 * minute, refused: [] })
        expect(yield* store.find(current.id)).toEqual(current)
        expect(yield* store.prune(now - long + 2 * minute, 10)).toBe(0)
        expect(yield* store.prune(now - long + 3 * minute, 10)).toBe(1)
        expect(yield* store.find(over.id)).toBeNull()
      })
    )

    it.effect("adds lanes that are not there, and keeps what processes write of them", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const { run } = yield* Transaction
        const [key, site] = [newId(), `ip:${newId()}`]
        const given = [laneOf(`${key}:192.0.2.1`), laneOf(site)]
        const found = yield* run(store.lockLanes(given))
        expect(found.toSorted((a, b) => (a.lane < b.lane ? -1 : 1))).toEqual(
          given.toSorted((a, b) => (a.lane < b.lane ? -1 : 1))
        )
        const changed = laneOf(site, {
          width: 7,
          successes: 2,
          strikes: 4,
          suspendedUntil: now + minute,
          provenUntil: now + 2 * minute,
          leases: [{ node: newId(), places: 3, wanted: 5, expiresAt: now + 15_000 }],
          pace: {
            perMinute: 6,
            growth: 2,
            since: now,
            until: now + minute,
            notBefore: now,
            tokens: 0.5,
            tokensAt: now
          },
          marks: { rate: [now - 1, now] },
          flow: [{ minute: 1, delivered: 2, deferred: 3 }],
          slowStart: { learned: 20, from: now, acceptedFrom: now + 1 },
          stated: { connections: { most: 2, until: now + minute }, encryptedUntil: now + minute },
          changedAt: now + 1
        })
        yield* run(Effect.andThen(store.lockLanes([laneOf(site)]), store.putLanes([changed])))
        expect(yield* run(store.lockLanes([laneOf(site)]))).toEqual([changed])
        expect(
          (yield* store.notedLanes(1_000)).filter(({ lane }) => lane.includes(key) || lane === site)
        ).toEqual([changed])
        const lane = [key, site]
        const names = (items: ReadonlyArray<SharedLane>) => items.map((one) => one.lane)
        expect(names((yield* store.lanes(page, { lane })).items)).toEqual(
          [`${key}:192.0.2.1`, site].toSorted().toReversed()
        )
        const paused = (at: number, ...lanes: ReadonlyArray<string>) =>
          Effect.map(store.lanes(page, { lane, paused: { is: true, at, lanes } }), ({ items }) =>
            names(items)
          )
        const open = { is: false, at: now, lanes: [] }
        expect(names((yield* store.lanes(page, { lane, paused: open })).items)).toEqual([`${key}:192.0.2.1`])
        yield* store.lockLanes([laneOf(`${site}@192.0.2.7`), laneOf(newId())])
        const lastUsed = (yield* store.siteLanes(1_000)).filter((one) => one.lane.includes(site))
        expect(lastUsed).toEqual([
          { lane: site, changedAt: now + 1 },
          { lane: `${site}@192.0.2.7`, changedAt: now }
        ])
        expect((yield* store.siteLanes(1_000)).filter((one) => !one.lane.includes(":"))).toEqual([])
        // Address blocks are leased like lanes but are not listed as lanes.
        const block = addressLane(`2001:db8:${newId()}::/48`)
        expect(yield* run(store.lockLanes([laneOf(block)]))).toMatchObject([{ lane: block }])
        expect((yield* store.siteLanes(1_000)).filter((one) => one.lane === block)).toEqual([])
        expect((yield* store.lanes(page, { lane: [block] })).items).toEqual([])
        const from = (...source: ReadonlyArray<string>) =>
          Effect.map(store.lanes(page, { lane, source }), ({ items }) => names(items))
        expect(yield* from("192.0.2.7")).toEqual([`${site}@192.0.2.7`])
        expect(yield* from("192.0.2.8")).toEqual([])
        expect(yield* paused(now)).toEqual([site])
        expect(yield* paused(now + minute)).toEqual([])
        expect(yield* paused(now + minute, `${key}:192.0.2.1`)).toEqual([`${key}:192.0.2.1`])
      })
    )

    it.effect("lets one process at a time change a lane, also one that is new", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const { run } = yield* Transaction
        const name = `ip:${newId()}`
        const add = run(
          Effect.gen(function* () {
            const [lane] = yield* store.lockLanes([laneOf(name, { width: 1 })])
            yield* Effect.yieldNow
            yield* store.putLanes([{ ...lane!, width: lane!.width + 1 }])
          })
        )
        yield* Effect.all(
          Array.from({ length: 5 }, () => add),
          { concurrency: "unbounded" }
        )
        expect((yield* store.lanes(page, { lane: [name] })).items).toMatchObject([{ width: 6 }])
      })
    )

    it.effect("exchanges the lanes that are as they are known, each once", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const key = newId()
        const [first, second, third] = [1, 2, 3].map((index) =>
          laneOf(`ip:${key}+${index}`, {
            pace: {
              perMinute: 6,
              growth: 1.5,
              since: now,
              until: now,
              notBefore: now,
              tokens: 0.1,
              tokensAt: now
            },
            marks: { rate: [now] },
            stated: { connections: { most: 2, until: now } },
            leases: [{ node: key, places: 1, wanted: 2, expiresAt: now }]
          })
        ) as [SharedLane, SharedLane, SharedLane]
        yield* store.lockLanes([second, first])
        const stored = Effect.map(
          store.lanes(page, { lane: [first, second, third].map(({ lane }) => lane) }),
          ({ items }) => items.toReversed()
        )
        const known = yield* stored
        const next = (one: SharedLane): SharedLane => ({
          ...one,
          pace: null,
          leases: [],
          width: one.width + 1
        })
        const exchanges = [third, ...known].map((one) => ({ known: one, next: next(one) }))
        // A lane that does not exist is not added.
        expect((yield* store.exchangeLanes(exchanges)).toSorted()).toEqual([first.lane, second.lane])
        expect(yield* stored).toEqual(known.map(next))
        expect(yield* store.exchangeLanes(exchanges)).toEqual([])
        yield* store.putLanes([{ ...next(first), marks: {} }])
        const again = known.map((one) => ({ known: next(one), next: next(next(one)) }))
        expect(yield* store.exchangeLanes(again)).toEqual([second.lane])
        // Of several concurrent exchanges, only one succeeds.
        const [lane] = yield* stored
        const all = yield* Effect.all(
          Array.from({ length: 5 }, (_, index) =>
            store.exchangeLanes([{ known: lane!, next: { ...lane!, strikes: 1 + index } }])
          ),
          { concurrency: "unbounded" }
        )
        expect(all.flat()).toEqual([first.lane])
        expect(yield* store.exchangeLanes([])).toEqual([])
      })
    )

    it.effect("deletes lanes that were not used for long", () =>
      Effect.gen(function* () {
        const store = yield* ShapingStore
        const long = 1000 * 365 * 24 * 60 * minute
        const name = `ip:${newId()}`
        yield* store.lockLanes([laneOf(name, { changedAt: now - long })])
        expect(yield* store.pruneLanes(now - long, 10)).toBe(0)
        const override = { rules: { maxWidth: 2 }, until: null, reason: "They asked." }
        yield* store.lockLanes([laneOf(`${name}0`, { changedAt: now - long, override })])
        // The servers of the lane asked for encryption for a longer time.
        const stated = { encryptedUntil: now - long + 10 }
        yield* store.lockLanes([laneOf(`${name}1`, { changedAt: now - long, stated })])
        expect(yield* store.pruneLanes(now - long + 1, 10)).toBe(1)
        expect((yield* store.lanes(page, { lane: [`${name}1`] })).items).toMatchObject([{ stated }])
        expect(yield* store.pruneLanes(now - long + 11, 10)).toBe(1)
        expect((yield* store.lanes(page, { lane: [`${name}0`] })).items).toMatchObject([{ override }])
        expect((yield* store.lanes(page, { lane: [name] })).items).toEqual([])
        // What is suspended for days still exists when sending resumes.
        const slowStart = { learned: 8, from: 0, acceptedFrom: 0 }
        yield* store.lockLanes([laneOf(`${name}2`, { changedAt: now - long, slowStart })])
        const later = now - long + longestSuspension
        expect(yield* store.pruneLanes(later, 10)).toBe(0)
        expect((yield* store.lanes(page, { lane: [`${name}2`] })).items).toMatchObject([{ slowStart }])
        expect(yield* store.pruneLanes(later + 1, 10)).toBe(1)
      })
    )
  })
}
