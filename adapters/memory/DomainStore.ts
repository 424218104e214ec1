/**
 * Sending domains in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import type { SendingDomain } from "../../core/sending/Domain.ts"
import { Database } from "./Database.ts"
import { byTime, OrderIndex } from "./OrderIndex.ts"
import { frozen, Table } from "./Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  DomainStore,
  Effect.gen(function* () {
    const database = yield* Database
    const order = new OrderIndex<SendingDomain>(
      (domain) => domain.accountId,
      byTime((domain) => domain.createdAt)
    )
    const domains = new Table<SendingDomain, "domains_name">(database, {
      key: (domain) => domain.id,
      unique: { domains_name: (domain) => `${domain.accountId} ${domain.domain}` },
      indexes: [order]
    })
    const ofAccount = (accountId: string, id: string): SendingDomain | null => {
      const domain = domains.get(id)
      return domain?.accountId === accountId ? domain : null
    }

    return DomainStore.of({
      insert: (domain) => database.writeUnlessRefused(() => void domains.insert(frozen(domain))),
      save: ({ accountId, id, records, status, verifiedAt }) =>
        database.write(() => {
          const domain = ofAccount(accountId, id)
          if (domain !== null) domains.replace({ ...domain, status, records: frozen(records), verifiedAt })
        }),
      get: (accountId, id) => database.read(() => ofAccount(accountId, id)),
      remove: (accountId, id) =>
        database.write(() => (ofAccount(accountId, id) === null ? null : (domains.remove(id) ?? null))),
      list: (accountId, page) => database.read(() => order.page(accountId, page)),
      verified: (accountIds) =>
        database.read(() =>
          [...new Set(accountIds)].flatMap((accountId) =>
            order.rows(accountId).filter((domain) => domain.status === "Verified")
          )
        )
    })
  })
)
