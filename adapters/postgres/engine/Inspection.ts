/**
 * Reads the state of a database without changing it, for an operator who wants to know whether a start would succeed.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PartitionedTable } from "../../../core/ports/Partitions.ts"
import {
  type DatabaseUnusable,
  engineVersion,
  type RightFaults,
  rightFaults,
  versionFault
} from "./DatabaseUnusable.ts"
import { currentSchema, schemaVersion } from "./Migrations.ts"
import { partitionedTables } from "../sql/partitionedTables.ts"

/** The state of a database. */
export interface Inspection {
  /** The engine's version, such as `18.1`. */
  readonly engineVersion: string
  /** Why this engine cannot be used; null if it can. */
  readonly engineFault: DatabaseUnusable | null
  /** The rights that the connection's user lacks. */
  readonly rights: RightFaults
  /** The schema version of the database; 0 without a schema. */
  readonly schema: number
  /** The schema version that this version of the service needs. */
  readonly currentSchema: number
  /** A string sealed with the secret key of the installation; null before the first start. */
  readonly secretCheck: string | null
  /** Contacts with another spelling of a contact's address, which get no email. Empty if the schema does not store them yet. */
  readonly twins: ReadonlyArray<AddressTwin>
  /** Tables partitioned by time. Empty if the schema does not have them yet. */
  readonly partitioned: ReadonlyArray<PartitionedTable>
  /** The maximum number of connections that the server, the database and the user allow, without those for superusers. */
  readonly maxConnections: number
  /** The number of suspensions that hold mail; 0 if the schema does not store them yet. */
  readonly suspensions: number
  /** The time of the engine's clock, in epoch milliseconds. */
  readonly clock: number
}

/** A contact whose address is another spelling of that of the contact `keptBy`. */
export interface AddressTwin {
  readonly accountId: string
  readonly contactId: string
  readonly keptBy: string
}

/** The maximum number of such contacts that are read. */
const maxTwins = 1_000

/** The first schema version that stores the sealed string. */
const secretCheckSince = 10

/** The limits of the user and the database are -1 if they are not set. */
const allowedConnections = `
  select least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
  ) as count`

/** Reads the state of a database. */
export const inspect: Effect.Effect<Inspection, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { major, version } = yield* engineVersion
  const schema = yield* schemaVersion
  const kept =
    schema < secretCheckSince
      ? []
      : yield* sql<{ sealed: string | null }>`select secret_check as sealed from instance limit 1`
  const twins =
    schema < currentSchema
      ? []
      : yield* sql<AddressTwin>`
          select t.account_id as "accountId", t.contact_id as "contactId", t.kept_by as "keptBy"
          from address_twins t cross join lateral (
            select email from contacts where account_id = t.account_id and id = t.contact_id limit 1
          ) c where c.email like '"%' order by 1, 2 limit ${maxTwins}`
  const partitioned = schema < currentSchema ? [] : yield* sql<PartitionedTable>`${partitionedTables(sql)}`
  const [allowed] = yield* sql.unsafe<{ count: number }>(allowedConnections)
  const [held] =
    schema < currentSchema
      ? []
      : yield* sql<{ count: number }>`
          select count(*)::int as count from suspensions where resolved_at is null`
  const [told] = yield* sql<{ clock: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as clock`
  return {
    maxConnections: allowed?.count ?? 0,
    engineVersion: version,
    engineFault: versionFault(version, major),
    rights: yield* rightFaults,
    schema,
    currentSchema,
    secretCheck: kept[0]?.sealed ?? null,
    twins,
    partitioned,
    suspensions: held?.count ?? 0,
    clock: told!.clock
  }
})
