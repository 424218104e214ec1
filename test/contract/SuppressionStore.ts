/**
 * The contract of `core/ports/SuppressionStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { type SuppressionFilter, SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { type Suppression, suppressionKinds } from "../../core/model/Suppression.ts"
import {
  atOnce,
  endsWithin,
  firstPage,
  freshAccountId,
  newEmail,
  now,
  readOn,
  readPages,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<Suppression> = {}): Suppression => ({
  accountId,
  email: newEmail(),
  kind: "Bounced",
  source: "Report",
  createdAt: now,
  ...values
})

const byEmail = (entries: ReadonlyArray<Suppression>): ReadonlyArray<Suppression> =>
  entries.toSorted((a, b) => (a.email + a.accountId < b.email + b.accountId ? -1 : 1))

/** Tests of the port `SuppressionStore`. */
export const suppressionStoreContract = (it: StorageTest): void => {
  describe("SuppressionStore", () => {
    it.effect("finds the entries of addresses that are suppressed, in several accounts", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const entries = suppressionKinds.map((kind) => draft(accountId, { kind }))
        const unicode = draft(accountId, { email: "zoë.漢字'\"\\@xn--bcher-kva.example" })
        const foreign = draft(other, { email: entries[0]!.email, kind: "Protected" })
        yield* store.put([...entries, unicode, foreign])
        const refs = [
          ...entries,
          unicode,
          foreign,
          draft(accountId),
          { accountId: other, email: entries[1]!.email }
        ]
        expect(byEmail(yield* store.find([...refs, entries[0]!]))).toEqual(
          byEmail([...entries, unicode, foreign])
        )
        expect(yield* store.find([])).toEqual([])
      })
    )

    it.effect("makes a listing wait for a lookup under lock, and the reverse", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        for (const [first, second] of [
          ["Listing", "Taking"],
          ["Taking", "Listing"],
          ["Listing", "Listing"]
        ] as const) {
          const holding = yield* Deferred.make<void>()
          const release = yield* Deferred.make<void>()
          const holder = yield* Effect.forkChild(
            run(
              store
                .lock([accountId], first)
                .pipe(
                  Effect.andThen(Deferred.succeed(holding, undefined)),
                  Effect.andThen(Deferred.await(release))
                )
            )
          )
          yield* Deferred.await(holding)
          const waiting = yield* Effect.forkChild(run(store.lock([accountId, accountId], second)))
          expect(yield* endsWithin(Fiber.await(waiting), 50)).toBe(false)
          yield* Deferred.succeed(release, undefined)
          yield* Fiber.join(holder)
          yield* Fiber.join(waiting)
        }
      })
    )

    it.effect("gives a listed address the new kind and keeps its time", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entry = draft(accountId)
        yield* store.put([entry])
        yield* store.put([
          { ...entry, kind: "Complained", source: "Report" as const, createdAt: now + 5 },
          draft(accountId)
        ])
        expect(yield* store.find([entry])).toEqual([{ ...entry, kind: "Complained" }])
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(2)
      })
    )

    it.effect("accepts one address twice in a batch, with the last kind and the first time", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entry = draft(accountId)
        yield* store.put([
          entry,
          { ...entry, kind: "Complained", source: "Report" as const, createdAt: now + 5 }
        ])
        expect(yield* store.find([entry])).toEqual([{ ...entry, kind: "Complained" }])
      })
    )

    it.effect("adds and finds 1,000 addresses at once, and accepts an empty batch", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entries = times(1000, () => draft(accountId))
        yield* store.put(entries)
        yield* store.put([])
        expect(byEmail(yield* store.find(entries))).toEqual(byEmail(entries))
      })
    )

    it.effect("accepts concurrent puts of the same addresses", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entries = times(30, () => draft(accountId))
        const exits = yield* atOnce(
          times(8, (writer) => store.put(writer % 2 === 0 ? entries : entries.toReversed()))
        )
        expect(successes(exits)).toHaveLength(8)
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(30)
      })
    )

    it.effect("removes an address and returns its entry", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const entry = draft(accountId)
        const foreign = draft(other, { email: entry.email })
        yield* store.put([entry, foreign])
        expect(yield* store.remove(accountId, entry.email)).toEqual(entry)
        expect(yield* store.remove(accountId, entry.email)).toBeNull()
        expect(yield* store.find([entry, foreign])).toEqual([foreign])
        yield* store.put([{ ...entry, createdAt: now + 9 }])
        expect(yield* store.find([entry])).toEqual([{ ...entry, createdAt: now + 9 }])
      })
    )

    it.effect("lists newest first, those of one time by address, page by page", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entries = [
          draft(accountId, { email: "b@example.com", createdAt: now + 2 }),
          draft(accountId, { email: "d@example.com", createdAt: now + 1 }),
          draft(accountId, { email: "c@example.com", createdAt: now + 1 }),
          draft(accountId, { email: "a@example.com", createdAt: now + 1 }),
          draft(accountId, { email: "0@example.com" })
        ]
        yield* store.put([entries[3]!, entries[0]!, entries[4]!, entries[2]!, entries[1]!])
        expect(yield* readPages((page) => store.list(accountId, page), 2)).toEqual(entries)
        expect((yield* store.list(yield* freshAccountId, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect("lists entries by who listed them, the last one of several", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entries = (["Report", "Ui", "Import", null] as const).map((source, index) =>
          draft(accountId, { source, createdAt: now - index })
        )
        yield* store.put(entries)
        const read = (filter: SuppressionFilter) => readOn((page) => store.list(accountId, page, filter), 1)
        expect(yield* read({})).toEqual(entries)
        expect(yield* read({ source: ["Ui"] })).toEqual([entries[1]])
        expect(yield* read({ source: ["Import", "Report"] })).toEqual([entries[0], entries[2]])
        expect(yield* read({ source: ["Report"], kind: ["Protected"] })).toEqual([])
        expect(yield* read({ source: ["Report"], kind: ["Bounced"], q: entries[0]!.email })).toEqual([
          entries[0]
        ])
        yield* store.put([{ ...entries[3]!, source: "Ui" }])
        expect((yield* read({ source: ["Ui"] })).map(({ email }) => email)).toEqual([
          entries[1]!.email,
          entries[3]!.email
        ])
        const hash = "b".repeat(64)
        yield* store.erase(accountId, [{ email: entries[2]!.email, hash }])
        expect(yield* read({ source: ["Import"] })).toEqual([{ ...entries[2], email: hash }])
      })
    )

    it.effect("lists entries by kind, time and the beginning of the address", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const entries = ["ann@a.example", "anna@b.example", "bob@a.example", "an_%@a.example"].map(
          (email, index) =>
            draft(accountId, { email, kind: suppressionKinds[index % 3]!, createdAt: now - index })
        )
        yield* store.put(entries)
        const read = (filter: SuppressionFilter) => readOn((page) => store.list(accountId, page, filter), 1)
        expect(yield* read({ q: "ann" })).toEqual(entries.slice(0, 2))
        expect(yield* read({ q: "an_%" })).toEqual(entries.slice(3))
        expect(yield* read({ q: "bob@a.example", kind: ["Protected"] })).toEqual([entries[2]])
        expect(yield* read({ kind: ["Bounced", "Complained"] })).toEqual([entries[0], entries[1], entries[3]])
        expect(yield* read({ kind: ["Bounced"], since: now })).toEqual([entries[0]])
        expect(yield* read({ since: now - 2, until: now })).toEqual(entries.slice(1, 3))
      })
    )

    it.effect("lists every entry that stays once, whatever is added and removed between pages", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        let last = 7
        // The minimal standard generator, which gives the same numbers for every storage.
        const below = (limit: number) => (last = (last * 48_271) % 2_147_483_647) % limit
        for (const ascending of [false, true]) {
          const accountId = yield* freshAccountId
          const entry = () => draft(accountId, { createdAt: now + below(9) })
          const present = times(40, entry)
          yield* store.put(present)
          const removed = new Set<string>()
          let added = 0
          const change = Effect.suspend(() => {
            const gone = present[below(present.length)]!.email
            removed.add(gone)
            const more = added++ < 30 ? [entry(), entry()] : []
            return Effect.andThen(store.remove(accountId, gone), store.put(more))
          })
          const seen = yield* readOn((page) => store.list(accountId, page), 3, ascending, change)
          const emails = seen.map(({ email }) => email)
          expect(new Set(emails).size).toBe(emails.length)
          const left = present.filter(({ email }) => !removed.has(email))
          expect(left.filter(({ email }) => !emails.includes(email))).toEqual([])
        }
      })
    )
  })
}
