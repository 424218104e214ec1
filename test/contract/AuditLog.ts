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
  readPages,
  type StorageTest,
  times
} from "./fixtures.ts"

/** Tests of the port `AuditLog`. */
export const auditLogContract = (it: StorageTest): void => {
  describe("AuditLog", () => {
    it.effect("gives entries back as they were added", () =>
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

    it.effect("lists newest first, page by page, each entry once", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const entries = times(10, (index) => draftEntry(accountId, { at: now - index * 1000 }))
        yield* log.append(entries.slice(5))
        yield* log.append(entries.slice(0, 5).toReversed())
        expect(yield* readPages((page) => log.list(accountId, page), 3)).toEqual(entries)
        expect(yield* readPages((page) => log.list(accountId, page), 10)).toEqual(entries)
      })
    )

    it.effect("pages entries of one moment without gap or repetition", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        yield* log.append(times(11, () => draftEntry(accountId)))
        const ids = (yield* readPages((page) => log.list(accountId, page), 4)).map(({ id }) => id)
        expect(new Set(ids).size).toBe(11)
      })
    )

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

    it.effect("takes 1,000 entries at once, and none", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        yield* log.append(times(1000, () => draftEntry(accountId)))
        yield* log.append([])
        expect((yield* log.list(accountId, firstPage)).totalCount).toBe(1000)
      })
    )

    it.effect("keeps what was given, whatever the giver does with it later", () =>
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
  })
}
