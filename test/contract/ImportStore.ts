/**
 * The contract of `core/ports/ImportStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { ContactImport, ImportError, ImportStatus } from "../../core/model/ContactImport.ts"
import { ImportStore } from "../../core/ports/ImportStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { issue } from "../../core/shared/Problem.ts"
import {
  atOnce,
  endsWithin,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  unique,
  listsNewestFirst
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<ContactImport> = {}): ContactImport => ({
  id: newId(),
  accountId,
  name: null,
  status: "Uploading",
  mapping: { Address: "email" },
  consent: null,
  delimiter: ",",
  header: ["Address"],
  size: 0,
  position: { offset: 8, line: 2 },
  rows: { read: 0, created: 0, updated: 0, failed: 0 },
  failure: null,
  createdAt: now,
  dryRun: true,
  finishedAt: null,
  version: 1,
  ...values
})

const failed = (line: number, values: Partial<ImportError> = {}): ImportError => ({
  line,
  issues: [issue("validation.email", "email")],
  email: null,
  externalId: null,
  cells: ["x"],
  ...values
})

const bytesOf = (...bytes: ReadonlyArray<number>): Uint8Array => Uint8Array.from(bytes)

/** Tests of the port `ImportStore`. */
export const importStoreContract = (it: StorageTest): void => {
  describe("ImportStore", () => {
    it.effect("returns imports as they were added", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const full = draft(accountId, {
          name: oddText,
          status: "Failed",
          mapping: { [oddText]: "email", "": "ignored", __proto__x: "city" },
          consent: { basis: "Subscribed", proof: { text: oddText, givenAt: "2024-01-01T00:00:00Z" } },
          delimiter: "\t",
          header: [oddText, "", "b"],
          size: 256 * 1024 * 1024,
          position: { offset: 200 * 1024 * 1024, line: 3_000_000 },
          rows: { read: 4, created: 1, updated: 2, failed: 1 },
          failure: { code: "audience.import_quote_not_closed", line: 7 },
          finishedAt: now + 1
        })
        const plain = draft(accountId)
        yield* store.insert(full)
        yield* store.insert(plain)
        expect(yield* store.get(accountId, full.id)).toEqual(full)
        expect(yield* store.get(accountId, plain.id)).toEqual(plain)
        expect(yield* store.get(accountId, newId())).toBeNull()
        expect(yield* store.get(yield* freshAccountId, full.id)).toBeNull()
      })
    )

    listsNewestFirst(it, "imports", ImportStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draft(accountId, { createdAt }),
      timeOf: (entry) => entry.createdAt,
      insert,
      list
    }))

    it.effect("lists the imports of some statuses", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        for (const status of ["Running", "Failed", "Completed", "Failed"] as const) {
          yield* store.insert(draft(accountId, { status }))
        }
        const list = (statuses: ReadonlyArray<ImportStatus>) =>
          Effect.map(store.list(accountId, { page: 1, pageSize: 3 }, statuses), ({ items }) =>
            items.map(({ status }) => status).toSorted()
          )
        expect(yield* list(["Failed"])).toEqual(["Failed", "Failed"])
        expect(yield* list(["Running", "Failed"])).toEqual(["Failed", "Failed", "Running"])
        expect(yield* list(["Queued"])).toEqual([])
      })
    )

    it.effect("saves the progress of an import at the version it was decided on", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const first = draft(accountId)
        yield* store.insert(first)
        const second: ContactImport = {
          ...first,
          status: "Completed",
          size: 9,
          position: { offset: 9, line: 3 },
          rows: { read: 3, created: 1, updated: 1, failed: 1 },
          failure: { code: "common.internal", line: null },
          finishedAt: now + 5,
          version: 2
        }
        yield* store.save(second)
        expect(yield* store.get(accountId, first.id)).toEqual(second)
        for (const stale of [second, { ...second, version: 4 }, draft(accountId, { version: 2 })]) {
          const error = yield* expectFailure(store.save(stale), "WriteConflict")
          expect(error).toMatchObject({ constraint: "imports_version" })
        }
        expect(yield* store.get(accountId, first.id)).toEqual(second)
      })
    )

    it.effect("saves one of many concurrent changes", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const first = draft(accountId)
        yield* store.insert(first)
        const exits = yield* atOnce(times(8, (size) => store.save({ ...first, size, version: 2 })))
        expect(successes(exits)).toHaveLength(1)
        expectOnlyFailures(exits, "WriteConflict")
      })
    )

    it.effect("stores a file in chunks, and removes it", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const [id, other] = [newId(), newId()]
        const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
        const given = bytesOf(1, 2, 3)
        yield* store.putChunk(accountId, id, 0, given)
        given[0] = 9
        yield* store.putChunk(accountId, id, 1, every)
        yield* store.putChunk(accountId, id, 2, new Uint8Array(0))
        yield* store.putChunk(accountId, other, 0, bytesOf(7))
        const read = Effect.fnUntraced(function* (of: string, place: number) {
          const bytes = yield* store.chunk(accountId, of, place)
          return bytes === null ? null : Array.from(bytes)
        })
        expect(yield* read(id, 0)).toEqual([1, 2, 3])
        expect(yield* read(id, 1)).toEqual(Array.from(every))
        expect(yield* read(id, 2)).toEqual([])
        expect(yield* read(id, 3)).toBeNull()
        expect(yield* store.chunk(yield* freshAccountId, id, 0)).toBeNull()
        yield* store.removeFile(accountId, id)
        expect(yield* read(id, 0)).toBeNull()
        expect(yield* read(other, 0)).toEqual([7])
      })
    )

    it.effect("stores failed rows in the order of the file, each line once", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const [id, other] = [newId(), newId()]
        const full = failed(10, {
          issues: [issue("validation.max_length", "city", { max: 200 }), issue("audience.contact_erased")],
          email: newEmail(),
          externalId: oddText,
          cells: [oddText, ""]
        })
        yield* store.addErrors(accountId, id, [full, failed(2)])
        yield* store.addErrors(accountId, other, [failed(2)])
        yield* store.addErrors(accountId, id, [
          failed(2, { cells: ["again"] }),
          failed(3_000_000_000, { cells: null })
        ])
        yield* store.addErrors(accountId, id, [])
        const all = [failed(2), full, failed(3_000_000_000, { cells: null })]
        expect(yield* store.errors(accountId, id, 0, 10)).toEqual(all)
        expect(yield* store.errors(accountId, id, 0, 1)).toEqual(all.slice(0, 1))
        expect(yield* store.errors(accountId, id, 2, 1)).toEqual(all.slice(1, 2))
        expect(yield* store.errors(yield* freshAccountId, id, 0, 10)).toEqual([])
        yield* store.removeErrors(accountId, id)
        expect(yield* store.errors(accountId, id, 0, 10)).toEqual([])
        expect(yield* store.errors(accountId, other, 0, 10)).toHaveLength(1)
      })
    )

    it.effect("removes a person, by address and by external id, from all reports of the account", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const otherAccount = yield* freshAccountId
        const [email, externalId] = [newEmail(), unique("user")]
        const [first, second] = [newId(), newId()]
        const stays = failed(4, { email: newEmail(), externalId: unique("user") })
        yield* store.addErrors(accountId, first, [
          failed(1, { email }),
          failed(2, { email, externalId }),
          stays
        ])
        yield* store.addErrors(accountId, second, [failed(1, { externalId }), failed(2)])
        yield* store.addErrors(otherAccount, first, [failed(1, { email })])
        yield* store.eraseRows(accountId, [{ email: null, externalId: null }])
        expect(yield* store.errors(accountId, first, 0, 1)).toEqual([failed(1, { email })])
        yield* store.eraseRows(accountId, [
          { email, externalId: null },
          { email: null, externalId }
        ])
        const gone = (line: number) => failed(line, { cells: null })
        expect(yield* store.errors(accountId, first, 0, 10)).toEqual([gone(1), gone(2), stays])
        expect(yield* store.errors(accountId, second, 0, 10)).toEqual([gone(1), failed(2)])
        expect(yield* store.errors(otherAccount, first, 0, 10)).toEqual([failed(1, { email })])
      })
    )

    it.effect("removes a person from what a running batch adds, once it is committed", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const email = newEmail()
        const running = draft(accountId, { status: "Running" })
        yield* store.insert(running)
        const saved = yield* Deferred.make<void>()
        const batch = run(
          Effect.gen(function* () {
            yield* store.save({ ...running, version: 2 })
            yield* Deferred.succeed(saved, undefined)
            // Long enough for the other transaction to reach the record and wait for it.
            yield* endsWithin(Effect.never, 50)
            yield* store.addErrors(accountId, running.id, [failed(1, { email })])
          })
        )
        const fiber = yield* Effect.forkChild(batch)
        yield* Deferred.await(saved)
        yield* run(store.eraseRows(accountId, [{ email, externalId: null }]))
        yield* Fiber.join(fiber)
        expect(yield* store.errors(accountId, running.id, 0, 10)).toEqual([failed(1, { cells: null })])
      })
    )

    it.effect("removes an import with all its data", () =>
      Effect.gen(function* () {
        const store = yield* ImportStore
        const accountId = yield* freshAccountId
        const [gone, stays] = [draft(accountId), draft(accountId)]
        for (const entry of [gone, stays]) {
          yield* store.insert(entry)
          yield* store.putChunk(accountId, entry.id, 0, bytesOf(1))
          yield* store.addErrors(accountId, entry.id, [failed(1)])
        }
        yield* store.remove(accountId, gone.id)
        expect(yield* store.get(accountId, gone.id)).toBeNull()
        expect(yield* store.chunk(accountId, gone.id, 0)).toBeNull()
        expect(yield* store.errors(accountId, gone.id, 0, 10)).toEqual([])
        expect(yield* store.get(accountId, stays.id)).toEqual(stays)
        expect(yield* store.chunk(accountId, stays.id, 0)).not.toBeNull()
        expect(yield* store.errors(accountId, stays.id, 0, 10)).toHaveLength(1)
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(1)
      })
    )
  })
}
