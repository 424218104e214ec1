/**
 * Stores sending domains in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type DomainRef, DomainStore } from "../../core/ports/DomainStore.ts"
import { domainStatuses, type SendingDomain } from "../../core/model/Domain.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { countByStatus } from "./engine/countByStatus.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<SendingDomain>((domain) => domain.accountId, byField("createdAt"))
  const byName = new SortedIndex<SendingDomain>((domain) => domain.domain, byField("createdAt"))
  const domains = new Table<SendingDomain, "domains_name">(database, {
    key: (domain) => domain.id,
    unique: { domains_name: (domain) => `${domain.accountId} ${domain.domain}` },
    indexes: [order, byName]
  })
  const ofAccount = (accountId: string, id: string): SendingDomain | null => {
    const domain = domains.get(id)
    return domain?.accountId === accountId ? domain : null
  }
  const find = (refs: ReadonlyArray<DomainRef>): ReadonlyArray<SendingDomain> => [
    ...new Set(refs.flatMap(({ accountId, id }) => ofAccount(accountId, id) ?? []))
  ]

  return DomainStore.of({
    insert: (domain) => database.writeOrConflict(() => void domains.insert(frozen(domain))),
    save: (saved) =>
      database.write(() => {
        for (const { accountId, checkedAt, failedChecks, id, keys, records, status, verifiedAt } of saved) {
          const domain = ofAccount(accountId, id)
          if (domain === null) continue
          const changes = { status, records, keys, failedChecks, checkedAt, verifiedAt }
          domains.replace({ ...domain, ...frozen(changes) })
        }
      }),
    find: (refs) => database.read(() => find(refs)),
    // Transactions run one after the other.
    lock: (refs) => database.read(() => find(refs)),
    get: (accountId, id) => database.read(() => ofAccount(accountId, id)),
    named: (accountId, domain) =>
      database.read(() => domains.by("domains_name", `${accountId} ${domain}`) ?? null),
    remove: (accountId, id) =>
      database.write(() => (ofAccount(accountId, id) === null ? null : (domains.remove(id) ?? null))),
    list: (accountId, page) => database.read(() => order.page(accountId, page, placeBy("createdAt"))),
    verified: (accountIds) =>
      database.read(() =>
        [...new Set(accountIds)].flatMap((accountId) =>
          order.rows(accountId).filter((domain) => domain.status === "Verified")
        )
      ),
    verifiedByName: (names) =>
      database.read(() =>
        [...new Set(names)].flatMap((name) =>
          byName.rows(name).filter((domain) => domain.status === "Verified")
        )
      ),
    counts: database.read(() => countByStatus(domainStatuses, domains.rows()))
  })
}).pipe(Layer.effect(DomainStore))
