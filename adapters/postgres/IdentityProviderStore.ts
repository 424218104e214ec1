/**
 * Stores identity providers in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Identity, IdentityProvider } from "../../core/model/IdentityProvider.ts"
import { IdentityProviderStore } from "../../core/ports/IdentityProviderStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const providerColumns = columnsOf<IdentityProvider>({
  id: "uuid",
  companyId: "uuid",
  name: "text",
  issuer: "text",
  clientId: "text",
  clientSecret: "text",
  emailDomains: "jsonb",
  defaultRole: "text",
  required: "boolean",
  createdAt: "timestamptz"
})

const identityColumns = columnsOf<Identity>({
  issuer: "text",
  subject: "text",
  userId: "uuid",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const providers = yield* tableOf("identity_providers", providerColumns)
  const identities = yield* tableOf("identities", identityColumns, ["createdAt"])
  const isOf = (companyId: string | null) =>
    companyId === null ? sql`company_id is null` : sql`company_id = ${companyId}`

  return IdentityProviderStore.of({
    insert: (provider) => providers.insertMany([provider]),
    find: (id) => first(providers.select(sql`from identity_providers where id = ${id}`)),
    list: (companyId, page) => providers.page(page, isOf(companyId)),
    all: providers.select(sql`from identity_providers order by created_at, id`),
    ofDomain: (domain) =>
      providers.select(
        sql`from identity_providers where jsonb_exists(email_domains, ${domain}) order by created_at, id`
      ),
    saveSecret: (id, secret) =>
      execute(sql`update identity_providers set client_secret = ${secret} where id = ${id}`),
    remove: (companyId, id) =>
      first(providers.returning(sql`delete from identity_providers where id = ${id} and ${isOf(companyId)}`)),
    findIdentity: (issuer, subject) =>
      first(identities.select(sql`from identities where issuer = ${issuer} and subject = ${subject}`)),
    insertIdentity: (identity) => identities.insertOrConflict([identity])
  })
}).pipe(Layer.effect(IdentityProviderStore))
