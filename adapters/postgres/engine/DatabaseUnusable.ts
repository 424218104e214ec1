/**
 * Explains why a database cannot be used, and what to do. Used at a start, by commands including the doctor, and by programs
 * that embed the service.
 *
 * @module
 */
import { Data, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type Target, targetOf, whyInvalidUrl } from "../connection/ConnectionUrl.ts"

/** The oldest supported version of PostgreSQL. */
export const oldestPostgres = 15

/** The database cannot be used. Neither string contains a secret. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  /** What is wrong, with the host, port, version or right concerned. */
  readonly reason: string
  /** What to do. */
  readonly fix: string
}> {
  override get message(): string {
    return `${this.reason}. ${this.fix}`
  }
}

const unusable = (reason: string, fix: string): DatabaseUnusable => new DatabaseUnusable({ reason, fix })

/** A name from the database on one line, shortened if it is long. */
const shown = (name: string): string => {
  const line = name.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ")
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}

/** SQLSTATE classes whose messages name settings, users, tables and the like, but contain no values of rows. */
const quotable = /^(08|0A|28|3D|3F|42|53|55|57|58|F0|XX)/

/** The code of a failure, and its message if that may be shown. */
const causeOf = ({ reason }: SqlError): { readonly code: string; readonly said: string } => {
  const { cause } = reason
  if (!(cause instanceof Error)) return { code: "", said: "" }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  return { code, said: quotable.test(code) ? shown(cause.message) : "" }
}

const refusals: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT"])
const unknownHosts: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"])

/**
 * Explains a failed connection or statement.
 *
 * @param target the target of the connection; null for the embedded database, or if it is not known
 * @param source the setting that has the connection URL
 */
export const explainSqlError = (
  error: SqlError,
  target: Target | null,
  source = "SVC_STORE"
): DatabaseUnusable => {
  const { code, said } = causeOf(error)
  const where = target === null ? "The database" : `PostgreSQL at ${shown(target.address)}`
  const as = target?.user == null ? "the user" : `user ${shown(target.user)}`
  const database = target?.database == null ? "the database" : `database ${shown(target.database)}`
  const reason = error.reason.message ?? ""
  if (code === "28P01") {
    return unusable(
      `${where} refuses the login of ${as}: wrong password or no such user`,
      `Check user and password in ${source}`
    )
  }
  if (code === "28000" && /pg_hba|encryption|SSL/i.test(said)) {
    return unusable(
      `${where} refuses the login of ${as} from this machine: ${said}`,
      `Allow it in pg_hba.conf; where it asks for encryption, add ?sslmode=require to ${source}`
    )
  }
  if (code.startsWith("28")) {
    return unusable(
      `${where} refuses the login of ${as}: ${said}`,
      `Use a user that may log in, in ${source}`
    )
  }
  if (code === "3D000") {
    return unusable(
      `${where} has no ${database}`,
      `Create it, as in: createdb, or correct its name in ${source}`
    )
  }
  if (code === "42501") {
    return unusable(
      `${where} denies ${as} a right in ${database}: ${said}`,
      "Let the user that owns the service's tables run it, or grant the right"
    )
  }
  if (code === "42704" && reason.includes("connect")) {
    return unusable(`${where} is too old: ${said}`, `Use PostgreSQL ${oldestPostgres} or newer`)
  }
  if (code === "08P01" && /startup parameter/i.test(said)) {
    return unusable(
      `${where} is a connection pooler: ${said}`,
      `Name the parameter in its ignore_startup_parameters and set it by ALTER ROLE, see docs/self-hosting.md; or lead ${source} to PostgreSQL itself`
    )
  }
  if (code === "53300") {
    return unusable(
      `${where} has no free connection: ${said}`,
      "Raise its max_connections or the user's limit"
    )
  }
  if (code.startsWith("57P"))
    return unusable(`${where} does not serve now: ${said}`, "Wait until it has started")
  if (code === "25006") {
    return unusable(`${where} is a read-only standby`, `Lead ${source} to the primary server`)
  }
  if (unknownHosts.has(code)) {
    return unusable(
      `${where} cannot be reached: its host name has no address (${code})`,
      `Check the host in ${source}`
    )
  }
  if (refusals.has(code)) {
    return unusable(
      `${where} cannot be reached: nothing listens there (${code})`,
      `Check that it runs, and host and port in ${source}`
    )
  }
  if (reason.includes("refused TLS")) {
    return unusable(
      `${where} does not offer TLS, which sslmode asks for`,
      `Turn ssl on at the server, or remove sslmode from ${source}`
    )
  }
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) {
    return unusable(
      `${where} shows a TLS certificate that is not valid here (${code})`,
      "Use a certificate this machine trusts, for the host's name"
    )
  }
  if (reason.includes("timed out")) {
    return unusable(
      `${where} does not answer in time`,
      `Check host and port in ${source}, and the firewalls in between`
    )
  }
  if (reason.includes("parse server")) {
    return unusable(`${where} is something else than PostgreSQL`, `Check host and port in ${source}`)
  }
  if (error.reason._tag === "ConnectionError") {
    return unusable(
      `${where} cannot be reached${code === "" ? "" : ` (${code})`}`,
      `Check that it runs, and host, port and user in ${source}`
    )
  }
  const detail = said === "" ? "" : `: ${said}`
  return unusable(
    `${where} failed with ${code === "" ? error.reason._tag : `SQLSTATE ${code}`}${detail}`,
    "See the log of the database"
  )
}

/** Explains failures of the server at `url`, or of the embedded database. Other errors are passed on unchanged. */
export const orUnusable =
  (url: Redacted.Redacted | null, source?: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError> | DatabaseUnusable, R> =>
    Effect.mapError(self, (error) =>
      isSqlError(error)
        ? explainSqlError(error, url === null ? null : targetOf(Redacted.value(url)), source)
        : (error as Exclude<E, SqlError>)
    )

/** Fails if a connection URL cannot be used. */
export const requireValidUrl = (
  url: Redacted.Redacted,
  source = "SVC_STORE"
): Effect.Effect<void, DatabaseUnusable> => {
  const why = whyInvalidUrl(Redacted.value(url))
  return why === null ? Effect.void : unusable(`${source} is no connection URL: ${why}`, "Correct it")
}

/** Why this version of the engine cannot be used; null if it can. */
export const versionFault = (version: string, major: number): DatabaseUnusable | null =>
  major >= oldestPostgres
    ? null
    : unusable(`PostgreSQL ${shown(version)} is too old`, `Use PostgreSQL ${oldestPostgres} or newer`)

/** The rights of a connection's user. */
interface Rights {
  readonly user: string
  readonly database: string
  /** The schema in which new tables are created; null if there is none. */
  readonly schema: string | null
  readonly canCreate: boolean
  /** The owner of the service's tables, if the user cannot act as that owner. */
  readonly otherOwner: string | null
  /** A table of the service whose rows the user cannot read or write. */
  readonly closedTable: string | null
}

/** Why the connection's user cannot change the schema, and cannot use it; null if the user can. */
export interface RightFaults {
  readonly toMigrate: DatabaseUnusable | null
  readonly toRun: DatabaseUnusable | null
}

const quoted = (name: string): string => `"${shown(name).replaceAll('"', '""')}"`

const faultsOf = ({ canCreate, closedTable, database, otherOwner, schema, user }: Rights): RightFaults => {
  const who = `User ${shown(user)}`
  const owner = otherOwner === null ? null : shown(otherOwner)
  const toMigrate =
    schema === null
      ? unusable(
          `${who} has no schema to create tables in, in database ${shown(database)}`,
          `Create the one that its search_path names, or: GRANT USAGE, CREATE ON SCHEMA public TO ${quoted(user)}`
        )
      : !canCreate
        ? unusable(
            `${who} may not create tables in schema ${shown(schema)} of database ${shown(database)}`,
            `As its owner run: GRANT CREATE ON SCHEMA ${quoted(schema)} TO ${quoted(user)}`
          )
        : owner !== null
          ? unusable(
              `${who} may not change the service's tables, which belong to ${owner}`,
              `Connect as ${owner}, or run: GRANT ${quoted(owner)} TO ${quoted(user)}`
            )
          : null
  const toRun =
    closedTable === null
      ? null
      : unusable(
          `${who} may not read and write table ${shown(closedTable)} of database ${shown(database)}`,
          owner === null
            ? `Run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${quoted(schema ?? "public")} TO ${quoted(user)}`
            : `Connect as ${owner}, or run: GRANT ${quoted(owner)} TO ${quoted(user)}`
        )
  return { toMigrate, toRun }
}

/** The engine's version, such as `18.1`, and its major version. */
export const engineVersion: Effect.Effect<
  { readonly version: string; readonly major: number },
  SqlError,
  SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ version: string; number: number }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number`
  return {
    version: row?.version.split(" ")[0] ?? "unknown",
    major: Math.floor((row?.number ?? 0) / 10_000)
  }
})

/** The rights that the connection's user lacks. */
export const rightFaults: Effect.Effect<RightFaults, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [rights] = yield* sql<Rights>`
    with ours as (
      select relnamespace, relowner from pg_class where oid = to_regclass('svc_migrations')
    )
    select current_user::text as "user", current_database()::text as database, current_schema()::text as schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "canCreate",
      (select pg_get_userbyid(relowner)::text from ours where not pg_has_role(relowner, 'USAGE')) as "otherOwner",
      (select one.relname::text from pg_class one join ours using (relnamespace, relowner)
        where one.relkind in ('r', 'p') and not one.relispartition and not (
          has_table_privilege(one.oid, 'SELECT') and has_table_privilege(one.oid, 'INSERT')
          and has_table_privilege(one.oid, 'UPDATE') and has_table_privilege(one.oid, 'DELETE')
        ) order by 1 limit 1) as "closedTable"`
  return faultsOf(rights!)
})
