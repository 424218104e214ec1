/**
 * The contract of `core/ports/AuditLog`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import {
  draftEntry,
  firstPage,
  freshAccountId,
  newId,
  now,
  oddText,
  type StorageTest,
  times,
  listsNewestFirst
} from "./fixtures.ts"

/** Tests of the port `AuditLog`. */
export const auditLogContract = (it: StorageTest): void => {
  describe("AuditLog", () => {
    it.effect("returns entries as they were added", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const values = [
          null,
          true,
          0,
          -1.5,
          "",
          oddText,
          [],
          {},
          { nested: { list: [1, "two", null, { three: 3 }] }, [oddText]: oddText }
        ]
        const entries = values.map((value, index) =>
          draftEntry(accountId, {
            at: now - index,
            actor: `api_key:${newId()}`,
            action: oddText,
            target: "an address",
            before: value,
            after: values[values.length - 1 - index]!
          })
        )
        yield* log.append(entries)
        expect((yield* log.list(accountId, firstPage)).items).toEqual(entries)
      })
    )

    listsNewestFirst(it, "entries", AuditLog, ({ append, list }) => ({
      draft: (accountId, at) => draftEntry(accountId, { at }),
      timeOf: (entry) => entry.at,
      insert: (entry) => append([entry]),
      list
    }))

    it.effect("shows an account only its own entries", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const entries = [draftEntry(accountId), draftEntry(other)]
        yield* log.append(entries)
        expect((yield* log.list(other, firstPage)).items).toEqual([entries[1]])
        expect((yield* log.list(yield* freshAccountId, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect("accepts 1,000 entries at once, and an empty batch", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        yield* log.append(times(1000, () => draftEntry(accountId)))
        yield* log.append([])
        expect((yield* log.list(accountId, firstPage)).totalCount).toBe(1000)
      })
    )

    it.effect("copies what it is given", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const after = { settings: { retentionDays: 30 } }
        yield* log.append([draftEntry(accountId, { after })])
        after.settings.retentionDays = 7
        const [entry] = (yield* log.list(accountId, firstPage)).items
        expect(entry!.after).toEqual({ settings: { retentionDays: 30 } })
      })
    )

    it.effect("deletes entries older than a time, the oldest first, at most as many as asked for", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const entries = times(4, (index) => draftEntry(accountId, { at: index * 1_000 }))
        yield* log.append(entries)
        expect(yield* log.prune(3_000, 2)).toBe(2)
        expect((yield* log.list(accountId, firstPage)).items).toEqual([entries[3], entries[2]])
        expect(yield* log.prune(3_000, 100)).toBe(1)
        expect((yield* log.list(accountId, firstPage)).items).toEqual([entries[3]])
        expect(yield* log.prune(3_000, 100)).toBe(0)
      })
    )
  })
}
