/**
 * The contract of `core/ports/DomainStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { SendingDomain } from "../../core/model/Domain.ts"
import { draftDkimKey, draftDomain } from "./drafts.ts"
import {
  atOnce,
  byId,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  listsNewestFirst
} from "./fixtures.ts"

/** Tests of the port `DomainStore`. */
export const domainStoreContract = (it: StorageTest): void => {
  describe("DomainStore", () => {
    it.effect("returns a domain as it was added", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draftDomain(accountId, {
          domain: "xn--bcher-kva.example",
          status: "Verified",
          records: [
            {
              type: "TXT",
              name: "svc._domainkey",
              value: oddText,
              purpose: "DKIM",
              found: true,
              seen: [oddText, ""]
            },
            { type: "MX", name: "bounce", value: "10 mx.example.com", purpose: "ReturnPath", found: false }
          ],
          keys: [
            draftDkimKey,
            { ...draftDkimKey, selector: "svc2e-0", algorithm: "ed25519", state: "Retired", retiredAt: now }
          ],
          failedChecks: 2,
          checkedAt: now + 3,
          verifiedAt: now + 5
        })
        yield* store.insert(domain)
        expect(yield* store.get(accountId, domain.id)).toEqual(domain)
        expect(yield* store.named(accountId, domain.domain)).toEqual(domain)
        expect(yield* store.named(accountId, "other.example")).toBeNull()
        expect(yield* store.named(yield* freshAccountId, domain.domain)).toBeNull()
        expect(yield* store.get(accountId, newId())).toBeNull()
        expect(yield* store.get(yield* freshAccountId, domain.id)).toBeNull()
      })
    )

    it.effect("counts the domains of all accounts by status", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const before = yield* store.counts
        yield* store.insert(draftDomain(accountId, { domain: "one.example", status: "Failing" }))
        yield* store.insert(draftDomain(accountId, { domain: "two.example", status: "Verified" }))
        yield* store.insert(draftDomain(other, { domain: "two.example", status: "Failing" }))
        const after = yield* store.counts
        expect(after).toEqual({ ...before, Failing: before.Failing + 2, Verified: before.Verified + 1 })
        expect(Object.keys(after).toSorted()).toEqual(["Failing", "Pending", "Verified"])
      })
    )

    it.effect("rejects a name of the account, and allows it in another account", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draftDomain(accountId)
        yield* store.insert(domain)
        const conflict = yield* expectFailure(
          store.insert(draftDomain(accountId, { domain: domain.domain })),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("domains_name")
        yield* store.insert(draftDomain(yield* freshAccountId, { domain: domain.domain }))
        expect((yield* store.list(accountId, firstPage)).items).toEqual([domain])
      })
    )

    it.effect("accepts one of concurrent domains with the same name", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domains = times(20, () => draftDomain(accountId, { domain: "example.com" }))
        const exits = yield* atOnce(domains.map((domain) => Effect.as(store.insert(domain), domain)))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        expect((yield* store.list(accountId, firstPage)).items).toEqual(successes(exits))
      })
    )

    it.effect("replaces the status, records, keys, checks and times of domains", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draftDomain(accountId)
        const other = draftDomain(accountId)
        yield* store.insert(domain)
        yield* store.insert(other)
        const saved: SendingDomain = {
          ...domain,
          status: "Failing",
          records: [{ type: "CNAME", name: "a", value: "b", purpose: "SPF", found: true }],
          keys: [draftDkimKey],
          failedChecks: 3,
          checkedAt: now + 9,
          verifiedAt: now + 7
        }
        yield* store.save([saved])
        expect(yield* store.get(accountId, domain.id)).toEqual(saved)
        expect(yield* store.get(accountId, other.id)).toEqual(other)
        const otherSaved: SendingDomain = { ...other, status: "Verified", verifiedAt: now }
        yield* store.save([domain, otherSaved])
        expect(yield* store.get(accountId, domain.id)).toEqual(domain)
        expect(yield* store.get(accountId, other.id)).toEqual(otherSaved)
        yield* store.save([])
      })
    )

    it.effect("does not restore a removed domain on save", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draftDomain(accountId)
        const staying = draftDomain(accountId)
        yield* store.insert(domain)
        yield* store.insert(staying)
        yield* store.remove(accountId, domain.id)
        yield* store.save([
          { ...domain, status: "Verified" },
          { ...staying, accountId: yield* freshAccountId, status: "Verified" }
        ])
        expect(yield* store.get(accountId, domain.id)).toBeNull()
        expect(yield* store.get(accountId, staying.id)).toEqual(staying)
      })
    )

    it.effect("finds domains of several accounts, each once and only in its own account", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const { run } = yield* Transaction
        const [one, other] = [
          draftDomain(yield* freshAccountId, { keys: [draftDkimKey] }),
          draftDomain(yield* freshAccountId)
        ]
        for (const domain of [one, other]) yield* store.insert(domain)
        const refs = [one, other, one, { accountId: one.accountId, id: other.id }, draftDomain(newId())]
        expect(byId(yield* store.find(refs))).toEqual(byId([one, other]))
        expect(byId(yield* run(store.lock(refs)))).toEqual(byId([one, other]))
        expect(yield* store.find([])).toEqual([])
        expect(yield* run(store.lock([]))).toEqual([])
      })
    )

    it.effect("locks domains, so that no decision on them is lost", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const domains = [draftDomain(accountId), draftDomain(accountId)]
        for (const domain of domains) yield* store.insert(domain)
        const count = (refs: ReadonlyArray<SendingDomain>) =>
          run(
            Effect.gen(function* () {
              const locked = yield* store.lock(refs)
              yield* Effect.yieldNow
              yield* store.save(
                locked.map((domain) => ({ ...domain, failedChecks: domain.failedChecks + 1 }))
              )
            })
          )
        const exits = yield* atOnce(
          times(20, (index) => count(index % 2 === 0 ? domains : domains.toReversed()))
        )
        expect(successes(exits)).toHaveLength(20)
        const saved = yield* store.find(domains)
        expect(saved.map((domain) => domain.failedChecks)).toEqual([20, 20])
      })
    )

    it.effect("removes a domain, returns it, and releases its name", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draftDomain(accountId)
        yield* store.insert(domain)
        expect(yield* store.remove(yield* freshAccountId, domain.id)).toBeNull()
        expect(yield* store.remove(accountId, domain.id)).toEqual(domain)
        expect(yield* store.remove(accountId, domain.id)).toBeNull()
        yield* store.insert(draftDomain(accountId, { domain: domain.domain }))
      })
    )

    listsNewestFirst(it, "domains", DomainStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draftDomain(accountId, { createdAt }),
      timeOf: (domain) => domain.createdAt,
      insert,
      list
    }))

    it.effect("returns the verified domains of several accounts", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const verified = [
          draftDomain(accountId, { status: "Verified", verifiedAt: now }),
          draftDomain(accountId, { status: "Verified", verifiedAt: now }),
          draftDomain(other, { status: "Verified", verifiedAt: now })
        ]
        const rest = [draftDomain(accountId), draftDomain(other, { status: "Failing", verifiedAt: now })]
        const foreign = draftDomain(yield* freshAccountId, { status: "Verified", verifiedAt: now })
        for (const domain of [...verified, ...rest, foreign]) yield* store.insert(domain)
        expect(byId(yield* store.verified([accountId, other, accountId, newId()]))).toEqual(byId(verified))
        expect(yield* store.verified([])).toEqual([])
        const names = [...verified.slice(1), ...rest].map(({ domain }) => domain)
        const again = draftDomain(other, { domain: names[0]!, status: "Verified", verifiedAt: now })
        yield* store.insert(again)
        expect(byId(yield* store.verifiedByName([...names, names[0]!, "none.test"]))).toEqual(
          byId([...verified.slice(1), again])
        )
        expect(yield* store.verifiedByName([])).toEqual([])
      })
    )
  })
}
