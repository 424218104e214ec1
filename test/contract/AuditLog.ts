/**
 * The contract of `core/ports/AuditLog`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { noAccount } from "../../core/model/Account.ts"
import { type Actor, keyActor, managementActor, storeActor, systemActor } from "../../core/model/Actor.ts"
import { type AuditEntry, type AuditFilter, AuditLog, type AuditScope } from "../../core/ports/AuditLog.ts"
import {
  auditOf,
  byId,
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
        const from = { network: "192.0.2.1", userAgent: oddText }
        const actors: ReadonlyArray<Actor> = [
          managementActor,
          systemActor,
          storeActor(newId()),
          { ...keyActor(newId()), ...from },
          { kind: "User", id: newId(), name: oddText, sessionId: newId(), ...from },
          { kind: "Token", id: newId(), name: "script", sessionId: null, ...from },
          { kind: "Cli", id: "svc", name: null, sessionId: null, network: null, userAgent: null }
        ]
        const entries = values.map((value, index) =>
          draftEntry(accountId, {
            at: now - index,
            actor: actors[index % actors.length]!,
            targetName: index === 0 ? oddText : null,
            action: oddText,
            target: "an address",
            before: value,
            after: values[values.length - 1 - index]!
          })
        )
        yield* log.append(entries)
        expect((yield* log.list(auditOf(accountId), {}, firstPage)).items).toEqual(entries)
      })
    )

    listsNewestFirst(it, "entries", AuditLog, ({ append, list }) => ({
      draft: (accountId, at) => draftEntry(accountId, { at }),
      timeOf: (entry) => entry.at,
      insert: (entry) => append([entry]),
      list: (accountId, page) => list(auditOf(accountId), {}, page)
    }))

    it.effect("lists the entries of a company and its accounts, and those of all", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const [live, sandbox, other] = [yield* freshAccountId, yield* freshAccountId, yield* freshAccountId]
        const companyId = newId()
        const entries = [
          draftEntry(live, { at: now + 3 }),
          draftEntry(noAccount, { at: now + 2, companyId }),
          draftEntry(sandbox, { at: now + 1 })
        ]
        yield* log.append([...entries, draftEntry(other), draftEntry(noAccount, { companyId: newId() })])
        const list = (scope: AuditScope) => Effect.map(log.list(scope, {}, firstPage), ({ items }) => items)
        const accountIds = [live, sandbox]
        expect(yield* list({ _tag: "Company", companyId, accountIds })).toEqual(entries)
        expect(yield* list({ _tag: "Company", companyId, accountIds: [sandbox] })).toEqual(entries.slice(1))
        expect(yield* list({ _tag: "Accounts", accountIds })).toEqual([entries[0], entries[2]])
        expect(yield* list({ _tag: "Installation" })).toEqual(expect.arrayContaining(entries))
      })
    )

    it.effect("filters by actor, action or its first part, target, outcome, network and time", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const [key, user] = [newId(), newId()]
        const entries = [
          draftEntry(accountId, { at: now + 4, action: "api_key.revoked", actor: keyActor(key) }),
          draftEntry(accountId, { at: now + 3, action: "api_keys.revoked", outcome: "Refused" }),
          draftEntry(accountId, {
            at: now + 2,
            action: "flow.created",
            actor: { ...systemActor, kind: "User", id: user, network: "192.0.2.9" }
          }),
          draftEntry(accountId, { at: now + 1, action: "api_key.created", actor: storeActor(newId()) })
        ]
        yield* log.append(entries)
        const places = Effect.fnUntraced(function* (filter: AuditFilter) {
          const { items } = yield* log.list(auditOf(accountId), filter, firstPage)
          return items.map((entry) => entries.findIndex(({ id }) => id === entry.id))
        })
        const none = newId()
        expect(yield* places({ actions: ["api_key"] })).toEqual([0, 3])
        expect(yield* places({ actions: ["api_key.revoked", "flow"] })).toEqual([0, 2])
        expect(yield* places({ actorIds: [key, user] })).toEqual([0, 2])
        expect(yield* places({ actorIds: [none] })).toEqual([])
        expect(yield* places({ actorKinds: ["Token", "User"] })).toEqual([1, 2])
        expect(yield* places({ actorKinds: ["ApiKey"] })).toEqual([0])
        expect(yield* places({ actorKinds: ["System"] })).toEqual([3])
        expect(yield* places({ outcomes: ["Refused"] })).toEqual([1])
        expect(yield* places({ outcomes: ["Done"] })).toEqual([0, 2, 3])
        expect(yield* places({ networks: ["192.0.2.9"] })).toEqual([2])
        expect(yield* places({ targets: [entries[1]!.target, none] })).toEqual([1])
        expect(yield* places({ since: now + 2, until: now + 4 })).toEqual([1, 2])
        expect(yield* places({ actions: ["api_key"], since: now + 2 })).toEqual([0])
      })
    )

    it.effect("shows an account only its own entries", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const entries = [draftEntry(accountId), draftEntry(other)]
        yield* log.append(entries)
        expect((yield* log.list(auditOf(other), {}, firstPage)).items).toEqual([entries[1]])
        expect((yield* log.list(auditOf(yield* freshAccountId), {}, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect("accepts 1,000 entries at once, and an empty batch", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        yield* log.append(times(1000, () => draftEntry(accountId)))
        yield* log.append([])
        expect((yield* log.list(auditOf(accountId), {}, firstPage)).totalCount).toBe(1000)
      })
    )

    it.effect("copies what it is given", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const after = { settings: { retentionDays: 30 } }
        yield* log.append([draftEntry(accountId, { after })])
        after.settings.retentionDays = 7
        const [entry] = (yield* log.list(auditOf(accountId), {}, firstPage)).items
        expect(entry!.after).toEqual({ settings: { retentionDays: 30 } })
      })
    )

    it.effect("deletes entries older than a time, the oldest first, at most as many as asked for", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const scope = auditOf(accountId)
        const entries = times(4, (index) => draftEntry(accountId, { at: index * 1_000 }))
        const others = [draftEntry(yield* freshAccountId, { at: 0 }), draftEntry(noAccount, { at: 0 })]
        const ofCompany = draftEntry(noAccount, { at: 0, companyId: newId() })
        yield* log.append([...entries, ...others, ofCompany])
        expect(yield* log.prune(scope, 3_000, 2)).toBe(2)
        expect((yield* log.list(auditOf(accountId), {}, firstPage)).items).toEqual([entries[3], entries[2]])
        expect(yield* log.prune(scope, 3_000, 100)).toBe(1)
        expect((yield* log.list(auditOf(accountId), {}, firstPage)).items).toEqual([entries[3]])
        expect(yield* log.prune(scope, 3_000, 100)).toBe(0)
        expect((yield* log.list(auditOf(others[0]!.accountId), {}, firstPage)).items).toEqual([others[0]])
        // Entries of the installation belong to no company.
        expect(yield* log.prune({ _tag: "Installation" }, 1, 100)).toBe(1)
        const company: AuditScope = { _tag: "Company", companyId: ofCompany.companyId!, accountIds: [] }
        expect((yield* log.list(company, {}, firstPage)).items).toEqual([ofCompany])
        expect(yield* log.prune(company, 1, 100)).toBe(1)
      })
    )

    it.effect("adds up the counts of entries with one id", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const [one, other] = [draftEntry(accountId), draftEntry(accountId, { at: now - 1 })]
        yield* log.count([
          { ...one, after: { count: 1 } },
          { ...other, after: { count: 2 } }
        ])
        yield* log.count([{ ...one, at: now + 5, action: "another", after: { count: 3 } }])
        expect((yield* log.list(auditOf(accountId), {}, firstPage)).items).toEqual([
          { ...one, after: { count: 4 } },
          { ...other, after: { count: 2 } }
        ])
      })
    )

    it.effect("reads a span of time, the oldest first, part by part", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const accountId = yield* freshAccountId
        const entries = [0, 1, 1, 2, 3].map((at) => draftEntry(accountId, { at }))
        yield* log.append(entries.toReversed())
        const span = (after: AuditEntry | null, limit: number) =>
          log.span(auditOf(accountId), { since: 1, until: 3 }, after, limit)
        expect(yield* span(null, 2)).toEqual(entries.slice(1, 3))
        expect(yield* span(entries[1]!, 2)).toEqual(entries.slice(2, 4))
        expect(yield* span(entries[3]!, 2)).toEqual([])
      })
    )

    it.effect("finds entries about targets, and removes what they hold except ids", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const target = newId()
        const held = draftEntry(accountId, { target, targetName: "Ada", before: { a: 1 }, after: null })
        const rest = [
          draftEntry(accountId, { target }),
          draftEntry(accountId, { targetName: "Grace" }),
          draftEntry(other, { target, targetName: "Ada" })
        ]
        yield* log.append([held, ...rest])
        expect(yield* log.about(accountId, [target, newId()], 10)).toEqual([held])
        yield* log.redact(other, [{ id: held.id, contentDigest: "no" }])
        yield* log.redact(accountId, [{ id: held.id, contentDigest: "digest" }])
        yield* log.redact(accountId, [])
        expect(yield* log.about(accountId, [target], 10)).toEqual([])
        const { items } = yield* log.list(auditOf(accountId), { targets: [target] }, firstPage)
        const redacted = { ...held, targetName: null, before: null, contentDigest: "digest" }
        expect(byId(items)).toEqual(byId([redacted, rest[0]!]))
        expect((yield* log.list(auditOf(other), {}, firstPage)).items).toEqual([rest[2]])
      })
    )
  })
}
