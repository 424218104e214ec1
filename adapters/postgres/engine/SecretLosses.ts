/**
 * Counts what would be lost with the secret key, for an operator who decides whether to keep searching for the key.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The data that the secret key has sealed, signed or hashed. */
export interface SecretLosses {
  /** Sending domains with DKIM keys. */
  readonly domains: number
  readonly webhooks: number
  readonly stores: number
  /** Mail relays of companies and of the installation. */
  readonly relays: number
  /** Identity providers. */
  readonly providers: number
  /** Users with one-time codes. */
  readonly users: number
  /** Sealed days of companies' audit logs. */
  readonly days: number
  /** Flows that send webhook requests. */
  readonly flows: number
  /** Emails with a link that may still be followed, or that a report may still concern. */
  readonly emails: number
  /** Addresses of erased people. */
  readonly erased: number
  /** Suppressions of erased people. */
  readonly suppressions: number
  /** Accounts that hold people out of all marketing email. */
  readonly holdouts: number
}

/** Counts what would be lost. The database must have the current schema. */
export const secretLosses: Effect.Effect<SecretLosses, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [losses] = yield* sql<SecretLosses>`
    select
      (select count(*)::int from domains where keys <> '[]') as domains,
      (select count(*)::int from webhooks) as webhooks,
      (select count(*)::int from stores) as stores,
      (select count(*)::int from relays) as relays,
      (select count(*)::int from identity_providers) as providers,
      (select count(*)::int from users where totp_secret is not null) as users,
      (select count(*)::int from audit_seals) as days,
      (select count(*)::int from flows where jsonb_path_exists(definition, '$.** ? (@.kind == "Webhook")')) as flows,
      (select count(*)::int from submissions) as emails,
      (select count(*)::int from contacts where address_hash is not null) +
        (select count(*)::int from erased_addresses) as erased,
      (select count(*)::int from suppressions where strpos(email, '@') = 0) as suppressions,
      (select count(*)::int from accounts where settings -> 'holdoutPercent' > '0') as holdouts`
  return losses!
})
