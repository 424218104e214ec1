/**
 * Finds the tables that a statement reads without a condition on the account, from PostgreSQL's plan of the statement.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** A table of the schema. */
export interface TableKey {
  readonly name: string
  /** Whether each of its rows belongs to an account. */
  readonly hasAccount: boolean
  /** The first columns of its primary key, or of its indexes where it has no key. */
  readonly first: ReadonlyArray<string>
}

/** The tables of the schema, without partitions. */
export const tableKeys = Effect.flatMap(
  SqlClient,
  (sql) => sql<TableKey>`
    select c.relname::text as name,
      exists (
        select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'account_id' and a.attnotnull and not a.attisdropped
      ) as "hasAccount",
      array(
        select distinct a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and (i.indisprimary or not exists (
          select from pg_index k where k.indrelid = c.oid and k.indisprimary
        ))
      ) as first
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`
)

/** The partitioned table of each partition. */
export const wholeTables = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql<{ part: string; whole: string }>`
      select inhrelid::regclass::text as part, inhparent::regclass::text as whole
      from pg_inherits join pg_class c on c.oid = inhrelid where c.relkind in ('r', 'p')`,
    (rows) => new Map(rows.map(({ part, whole }) => [part, whole]))
  )
)

interface Plan {
  readonly [name: string]: unknown
  readonly Plans?: ReadonlyArray<Plan>
}

const conditions = ["Index Cond", "Recheck Cond", "Filter", "TID Cond"]

interface Scan {
  readonly table: string
  readonly condition: string
  readonly byPlace: boolean
}

const scansOf = (plan: Plan): ReadonlyArray<Scan> => {
  const below = (plan.Plans ?? []).flatMap(scansOf)
  const table = plan["Relation Name"]
  if (typeof table !== "string" || !String(plan["Node Type"]).endsWith("Scan")) return below
  const condition = conditions.map((name) => String(plan[name] ?? "")).join(" ")
  return [...below, { table, condition, byPlace: plan["Node Type"] === "Tid Scan" }]
}

/** The type with which the driver sends a parameter; PostgreSQL infers `unknown` ones. */
const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) {
    const first = typeOf(value.find((one) => one !== null && one !== undefined))
    return value.length === 0 ? "unknown" : first === "unknown" ? "text[]" : `${first}[]`
  }
  switch (typeof value) {
    case "boolean":
      return "boolean"
    case "bigint":
      return "bigint"
    case "number":
      return !Number.isInteger(value) ? "float8" : Math.abs(value) > 2_147_483_647 ? "bigint" : "int"
    default:
      return value instanceof Date ? "timestamptz" : value instanceof Uint8Array ? "bytea" : "unknown"
  }
}

/**
 * The accounts' tables that a statement reads without a condition on `account_id`, followed by `by place` if it finds the rows by
 * their physical location (ctid). Null for a statement that has no plan, such as a schema change.
 */
export const unkeyedTables = Effect.fnUntraced(function* (
  text: string,
  parameters: ReadonlyArray<unknown>,
  tenants: ReadonlySet<string>,
  wholes: ReadonlyMap<string, string>
) {
  if (!/^\s*(?:with|select|insert|update|delete)\b/i.test(text)) return null
  const sql = yield* SqlClient
  const found = yield* Effect.gen(function* () {
    // Without hash and merge joins, each joined table is looked up by a condition, which then shows the columns it is read by.
    yield* sql.unsafe("set local enable_hashjoin = off")
    yield* sql.unsafe("set local enable_mergejoin = off")
    const types = parameters.length === 0 ? "" : `(${parameters.map(typeOf).join(", ")})`
    yield* sql.unsafe(`prepare planned${types} as ${text}`)
    const values = parameters.length === 0 ? "" : `(${parameters.map(() => "null").join(", ")})`
    const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
      `explain (format json) execute planned${values}`
    )
    yield* sql.unsafe("deallocate planned")
    return scansOf(row!["QUERY PLAN"][0]!.Plan)
  }).pipe(sql.withTransaction)
  const unkeyed = found
    .map((scan) => ({ ...scan, table: wholes.get(scan.table) ?? scan.table }))
    .filter(({ condition, table }) => tenants.has(table) && !condition.includes("account_id"))
  return [...new Set(unkeyed.map(({ byPlace, table }) => (byPlace ? `${table} by place` : table)))].toSorted()
})
