/**
 * Stores identity providers in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Identity, IdentityProvider } from "../../core/model/IdentityProvider.ts"
import { IdentityProviderStore } from "../../core/ports/IdentityProviderStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const keyOf = (issuer: string, subject: string): string => JSON.stringify([issuer, subject])

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const ofOwner = new SortedIndex<IdentityProvider>(({ companyId }) => companyId ?? "", byField("createdAt"))
  const order = new SortedIndex<IdentityProvider>(() => all, byField("createdAt"))
  const providers = new Table<IdentityProvider>(database, { key: ({ id }) => id, indexes: [ofOwner, order] })
  const identities = new Table<Identity>(database, { key: ({ issuer, subject }) => keyOf(issuer, subject) })

  return IdentityProviderStore.of({
    insert: (provider) => database.write(() => void providers.insert(frozen(provider))),
    find: (id) => database.read(() => providers.get(id) ?? null),
    list: (companyId, page) => database.read(() => ofOwner.page(companyId ?? "", page, placeBy("createdAt"))),
    all: database.read(() => [...order.rows(all)]),
    ofDomain: (domain) =>
      database.read(() => order.rows(all).filter(({ emailDomains }) => emailDomains.includes(domain))),
    saveSecret: (id, clientSecret) =>
      database.write(() => {
        const found = providers.get(id)
        if (found !== undefined) providers.replace({ ...found, clientSecret })
      }),
    remove: (companyId, id) =>
      database.write(() => {
        const found = providers.get(id)
        if (found === undefined || found.companyId !== companyId) return null
        providers.remove(id)
        return found
      }),
    findIdentity: (issuer, subject) => database.read(() => identities.get(keyOf(issuer, subject)) ?? null),
    insertIdentity: (identity) =>
      database.writeOrConflict(() => {
        if (identities.get(keyOf(identity.issuer, identity.subject)) !== undefined) {
          throw new WriteConflict({ constraint: "identities_pkey" })
        }
        identities.insert(frozen(identity))
      })
  })
}).pipe(Layer.effect(IdentityProviderStore))
