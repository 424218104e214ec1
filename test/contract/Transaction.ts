/**
 * The contract of `core/ports/Transaction`, observed through the other storage ports.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Data, Deferred, Effect, Exit, Fiber } from "effect"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { newDomain } from "../../core/model/Domain.ts"
import { retryConflicts } from "../../core/kernel/Conflicts.ts"
import {
  atOnce,
  auditOf,
  changed,
  changes,
  draftContact,
  draftEntry,
  edited,
  expectFailure,
  firstPage,
  freshAccount,
  freshAccountId,
  freshAccountIds,
  interruptedAt,
  keys,
  newEmail,
  newId,
  now,
  pause,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

class Rejected extends Data.TaggedError("Rejected") {}

/** Writes one record through each of several ports. */
const writeEverywhere = Effect.fnUntraced(function* (accountId: string) {
  const contact = draftContact()
  yield* (yield* ContactStore).write(accountId, changes({ inserts: [contact] }))
  yield* (yield* AuditLog).append([draftEntry(accountId)])
  yield* (yield* SuppressionStore).put([
    { accountId, email: newEmail(), kind: "Protected", source: "Report" as const, createdAt: now }
  ])
  yield* (yield* DomainStore).insert(
    newDomain({ id: newId(), accountId, domain: "example.com", createdAt: now }, false)
  )
  return contact
})

/** How many of those records the account has. */
const countEverywhere = Effect.fnUntraced(function* (accountId: string) {
  return [
    yield* (yield* ContactStore).count(accountId),
    (yield* (yield* AuditLog).list(auditOf(accountId), {}, firstPage)).totalCount,
    (yield* (yield* SuppressionStore).list(accountId, firstPage)).totalCount,
    (yield* (yield* DomainStore).list(accountId, firstPage)).totalCount
  ]
})

/** Tests of the port `Transaction`. */
export const transactionContract = (it: StorageTest): void => {
  describe("Transaction", () => {
    it.effect("commits what was written through all ports, and returns the effect's value", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const contact = yield* run(writeEverywhere(accountId))
        expect(yield* countEverywhere(accountId)).toEqual([1, 1, 1, 1])
        expect(yield* (yield* ContactStore).find(accountId, keys({ ids: [contact.id] }))).toEqual([contact])
      })
    )

    it.effect("sees its own writes", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const seen = yield* run(Effect.andThen(writeEverywhere(accountId), countEverywhere(accountId)))
        expect(seen).toEqual([1, 1, 1, 1])
      })
    )

    it.effect("takes writes made in parallel inside it", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const audit = yield* AuditLog
        const write = (count: number) =>
          Effect.all(
            times(count, () => audit.append([draftEntry(accountId)])),
            { concurrency: "unbounded" }
          )
        yield* run(write(20))
        yield* Effect.exit(run(Effect.andThen(write(20), new Rejected())))
        expect((yield* audit.list(auditOf(accountId), {}, firstPage)).totalCount).toBe(20)
      })
    )

    it.effect("rolls back when the effect fails, and passes its error on", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        yield* expectFailure(run(Effect.andThen(writeEverywhere(accountId), new Rejected())), "Rejected")
        expect(yield* countEverywhere(accountId)).toEqual([0, 0, 0, 0])
      })
    )

    it.effect("rolls back changes and removals, not only additions", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const account = yield* freshAccount()
        const contacts = yield* ContactStore
        const domains = yield* DomainStore
        const accounts = yield* AccountStore
        const contact = yield* writeEverywhere(account.id)
        const before = yield* domains.list(account.id, firstPage)
        yield* Effect.exit(
          run(
            Effect.gen(function* () {
              yield* contacts.write(
                account.id,
                changes({ updates: [changed(contact, { email: newEmail() })] })
              )
              yield* domains.remove(account.id, before.items[0]!.id)
              yield* accounts.saveSettings(account.id, { ...account.settings, retentionDays: 7 }, edited)
              return yield* new Rejected()
            })
          )
        )
        expect(yield* contacts.find(account.id, keys({ emails: [contact.email!] }))).toEqual([contact])
        expect(yield* domains.list(account.id, firstPage)).toEqual(before)
        expect(yield* accounts.find([account.id])).toEqual([account])
        yield* contacts.write(account.id, changes({ updates: [changed(contact, { email: newEmail() })] }))
      })
    )

    it.effect("rolls back on a defect", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const exit = yield* Effect.exit(run(Effect.andThen(writeEverywhere(accountId), Effect.die("defect"))))
        expect(Exit.isFailure(exit)).toBe(true)
        expect(yield* countEverywhere(accountId)).toEqual([0, 0, 0, 0])
      })
    )

    it.effect("rolls back when interrupted, and leaves the database usable", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        yield* interruptedAt((reached) =>
          run(Effect.andThen(Effect.andThen(writeEverywhere(accountId), reached), Effect.never))
        )
        expect(yield* countEverywhere(accountId)).toEqual([0, 0, 0, 0])
        yield* run(writeEverywhere(accountId))
        expect(yield* countEverywhere(accountId)).toEqual([1, 1, 1, 1])
      })
    )

    it.effect("is all or nothing at every point of interruption", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountIds = yield* freshAccountIds(40)
        yield* Effect.all(
          accountIds.map((accountId, index) =>
            Effect.gen(function* () {
              const fiber = yield* Effect.forkChild(run(writeEverywhere(accountId)))
              yield* pause(index)
              yield* Fiber.interrupt(fiber)
            })
          ),
          { concurrency: 8 }
        )
        for (const accountId of accountIds) {
          const counts = yield* countEverywhere(accountId)
          expect(counts).toEqual(counts.map(() => counts[0]))
        }
      })
    )

    it.effect("rolls back what came before a rejected write", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const contact = yield* writeEverywhere(accountId)
        const audit = yield* AuditLog
        const contacts = yield* ContactStore
        const twin = draftContact({ email: contact.email })
        const written = run(
          Effect.andThen(
            audit.append([draftEntry(accountId)]),
            contacts.write(accountId, changes({ inserts: [draftContact(), twin] }))
          )
        )
        yield* expectFailure(written, "WriteConflict")
        expect(yield* countEverywhere(accountId)).toEqual([1, 1, 1, 1])
      })
    )

    it.effect("never succeeds without a commit, even if a rejected write is caught inside", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const contact = yield* writeEverywhere(accountId)
        const audit = yield* AuditLog
        const contacts = yield* ContactStore
        const twin = draftContact({ email: contact.email })
        const exit = yield* Effect.exit(
          run(
            Effect.andThen(
              audit.append([draftEntry(accountId)]),
              Effect.ignore(contacts.write(accountId, changes({ inserts: [twin] })))
            )
          )
        )
        const { totalCount } = yield* audit.list(auditOf(accountId), {}, firstPage)
        expect(totalCount).toBe(Exit.isSuccess(exit) ? 2 : 1)
      })
    )

    it.effect("joins a transaction inside another: the outer one commits both", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const [first, second] = (yield* freshAccountIds(2)) as [string, string]
        yield* run(Effect.andThen(writeEverywhere(first), run(writeEverywhere(second))))
        expect(yield* countEverywhere(first)).toEqual([1, 1, 1, 1])
        expect(yield* countEverywhere(second)).toEqual([1, 1, 1, 1])
      })
    )

    it.effect("joins a transaction inside another: the outer one rolls back both", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const [first, second] = (yield* freshAccountIds(2)) as [string, string]
        const outer = run(
          Effect.andThen(
            run(Effect.andThen(writeEverywhere(first), run(writeEverywhere(second)))),
            new Rejected()
          )
        )
        yield* expectFailure(outer, "Rejected")
        expect(yield* countEverywhere(first)).toEqual([0, 0, 0, 0])
        expect(yield* countEverywhere(second)).toEqual([0, 0, 0, 0])
      })
    )

    it.effect("joins a transaction inside another: a failure that passes both rolls back both", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const [first, second] = (yield* freshAccountIds(2)) as [string, string]
        const inner = run(Effect.andThen(writeEverywhere(second), new Rejected()))
        yield* expectFailure(run(Effect.andThen(writeEverywhere(first), inner)), "Rejected")
        expect(yield* countEverywhere(first)).toEqual([0, 0, 0, 0])
        expect(yield* countEverywhere(second)).toEqual([0, 0, 0, 0])
      })
    )

    it.effect("hides half of a transaction from other readers", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const contacts = yield* ContactStore
        const one = draftContact()
        const other = draftContact()
        const started = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              yield* contacts.write(accountId, changes({ inserts: [one] }))
              yield* Deferred.succeed(started, undefined)
              yield* pause(60)
              yield* contacts.write(accountId, changes({ inserts: [other] }))
            })
          )
        )
        yield* Deferred.await(started)
        const reader = Effect.andThen(pause(5), contacts.find(accountId, keys({ ids: [one.id, other.id] })))
        const seen = yield* Effect.all(times(20, () => reader))
        yield* Fiber.join(writer)
        for (const rows of seen) expect([0, 2]).toContain(rows.length)
        expect(yield* contacts.count(accountId)).toBe(2)
      })
    )

    it.effect("hides what is rolled back from other readers", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const contacts = yield* ContactStore
        const started = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              yield* contacts.write(accountId, changes({ inserts: [draftContact()] }))
              yield* Deferred.succeed(started, undefined)
              yield* pause(30)
              return yield* new Rejected()
            })
          )
        )
        yield* Deferred.await(started)
        const seen = yield* atOnce(times(10, () => contacts.count(accountId)))
        yield* expectFailure(Fiber.join(writer), "Rejected")
        expect(successes(seen)).toEqual(times(10, () => 0))
        expect(yield* contacts.count(accountId)).toBe(0)
      })
    )

    it.effect("holds a lock on an account until the end", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const { id } = yield* freshAccount({ retentionDays: 1 })
        const accounts = yield* AccountStore
        const increment = run(
          Effect.gen(function* () {
            const [account] = yield* accounts.lock([id])
            const settings = account!.settings
            yield* Effect.yieldNow
            yield* accounts.saveSettings(
              id,
              { ...settings, retentionDays: settings.retentionDays + 1 },
              edited
            )
          })
        )
        yield* Effect.all(
          times(30, () => retryConflicts(increment)),
          { concurrency: "unbounded" }
        )
        const [account] = yield* accounts.find([id])
        expect(account!.settings.retentionDays).toBe(31)
      })
    )

    it.effect("completes locks requested in different orders", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const ids = yield* freshAccountIds(6)
        const accounts = yield* AccountStore
        const audit = yield* AuditLog
        const locked = (some: ReadonlyArray<string>) =>
          retryConflicts(
            run(Effect.andThen(accounts.lock(some), audit.append(some.map((id) => draftEntry(id)))))
          )
        yield* Effect.all(
          times(20, (index) => locked(index % 2 === 0 ? ids : ids.toReversed())),
          { concurrency: "unbounded" }
        )
        for (const id of ids) expect((yield* audit.list(auditOf(id), {}, firstPage)).totalCount).toBe(20)
      })
    )

    it.effect("commits many concurrent transactions", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountIds = yield* freshAccountIds(50)
        yield* Effect.all(
          accountIds.map((accountId) => run(writeEverywhere(accountId))),
          { concurrency: "unbounded" }
        )
        for (const accountId of accountIds) expect(yield* countEverywhere(accountId)).toEqual([1, 1, 1, 1])
      })
    )

    it.effect("reads one account's rows like any other reader when it only reads", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const inbox = yield* InboxStore
        expect(yield* run(inbox.list(accountId, firstPage))).toEqual({
          items: [],
          page: 1,
          pageSize: 200,
          totalCount: 0,
          totalIsExact: true,
          next: null
        })
      })
    )
  })
}
