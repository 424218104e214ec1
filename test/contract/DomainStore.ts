/**
 * The contract of `core/ports/DomainStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import type { SendingDomain } from "../../core/sending/Domain.ts"
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
  readPages,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<SendingDomain> = {}): SendingDomain => ({
  id: newId(),
  accountId,
  domain: `${unique("mail")}.example.com`,
  status: "Pending",
  records: [],
  verifiedAt: null,
  createdAt: now,
  ...values
})

/** Tests of the port `DomainStore`. */
export const domainStoreContract = (it: StorageTest): void => {
  describe("DomainStore", () => {
    it.effect("gives a domain back as it was added", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draft(accountId, {
          domain: "xn--bcher-kva.example",
          status: "Verified",
          records: [
            { type: "TXT", name: "svc._domainkey", value: oddText, purpose: "DKIM", found: true },
            { type: "MX", name: "bounce", value: "10 mx.example.com", purpose: oddText, found: false }
          ],
          verifiedAt: now + 5
        })
        yield* store.insert(domain)
        expect(yield* store.get(accountId, domain.id)).toEqual(domain)
        expect(yield* store.get(accountId, newId())).toBeNull()
        expect(yield* store.get(yield* freshAccountId, domain.id)).toBeNull()
      })
    )

    it.effect("refuses a name the account has, and no other's", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draft(accountId)
        yield* store.insert(domain)
        const refused = yield* expectFailure(
          store.insert(draft(accountId, { domain: domain.domain })),
          "WriteConflict"
        )
        expect(refused.constraint).toBe("domains_name")
        yield* store.insert(draft(yield* freshAccountId, { domain: domain.domain }))
        expect((yield* store.list(accountId, firstPage)).items).toEqual([domain])
      })
    )

    it.effect("of domains of one name added at the same moment takes one", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domains = times(20, () => draft(accountId, { domain: "example.com" }))
        const exits = yield* atOnce(domains.map((domain) => Effect.as(store.insert(domain), domain)))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        expect((yield* store.list(accountId, firstPage)).items).toEqual(successes(exits))
      })
    )

    it.effect("replaces a domain's status, records and times", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draft(accountId)
        const other = draft(accountId)
        yield* store.insert(domain)
        yield* store.insert(other)
        const saved: SendingDomain = {
          ...domain,
          status: "Failing",
          records: [{ type: "CNAME", name: "a", value: "b", purpose: "c", found: true }],
          verifiedAt: now + 7
        }
        yield* store.save(saved)
        expect(yield* store.get(accountId, domain.id)).toEqual(saved)
        expect(yield* store.get(accountId, other.id)).toEqual(other)
        yield* store.save(domain)
        expect(yield* store.get(accountId, domain.id)).toEqual(domain)
      })
    )

    it.effect("saving a domain that went does not bring it back", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draft(accountId)
        yield* store.insert(domain)
        yield* store.remove(accountId, domain.id)
        yield* store.save({ ...domain, status: "Verified" })
        expect(yield* store.get(accountId, domain.id)).toBeNull()
      })
    )

    it.effect("removes a domain, answers it, and frees its name", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domain = draft(accountId)
        yield* store.insert(domain)
        expect(yield* store.remove(yield* freshAccountId, domain.id)).toBeNull()
        expect(yield* store.remove(accountId, domain.id)).toEqual(domain)
        expect(yield* store.remove(accountId, domain.id)).toBeNull()
        yield* store.insert(draft(accountId, { domain: domain.domain }))
      })
    )

    it.effect("lists an account's domains newest first, page by page", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const domains = times(5, (index) => draft(accountId, { createdAt: now - index }))
        for (const index of [3, 0, 4, 1, 2]) yield* store.insert(domains[index]!)
        yield* store.insert(draft(yield* freshAccountId))
        expect(yield* readPages((page) => store.list(accountId, page), 2)).toEqual(domains)
      })
    )

    it.effect("answers the verified domains of several accounts", () =>
      Effect.gen(function* () {
        const store = yield* DomainStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const verified = [
          draft(accountId, { status: "Verified", verifiedAt: now }),
          draft(accountId, { status: "Verified", verifiedAt: now }),
          draft(other, { status: "Verified", verifiedAt: now })
        ]
        const rest = [draft(accountId), draft(other, { status: "Failing", verifiedAt: now })]
        const foreign = draft(yield* freshAccountId, { status: "Verified", verifiedAt: now })
        for (const domain of [...verified, ...rest, foreign]) yield* store.insert(domain)
        expect(byId(yield* store.verified([accountId, other, accountId, newId()]))).toEqual(byId(verified))
        expect(yield* store.verified([])).toEqual([])
      })
    )
  })
}
