/**
 * Reads and writes the rows of one table as records. Each operation has one prepared statement for any number of rows.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { WriteConflict } from "../../../core/ports/Transaction.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import {
  type Among,
  offsetOf,
  type Page,
  type PageRequest,
  type PlaceKind,
  type TimeRange
} from "../../../core/shared/Page.ts"
import type { Columns } from "./columns.ts"
import { orUnavailable } from "./errors.ts"
import {
  behind,
  between,
  betweenIds,
  fewestOf,
  idText,
  ofValue,
  type PageRow,
  type PlanRow,
  sortedBy,
  sourceLimit,
  timeText,
  toPage,
  totalOf,
  withValues
} from "./pages.ts"
import { countOf, execute, executeOrConflict } from "./results.ts"

/** The account and id of a row. */
export interface RowRef {
  readonly accountId: string
  readonly id: string
}

/** The rows `r(account, key)`, one for each reference. */
export const refRows = (sql: SqlClient, refs: ReadonlyArray<RowRef>): Fragment => sql`rows from (
  unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.id)}::uuid[])
) as r(account, key)`

/**
 * Deletes at most `limit` of the oldest rows that satisfy `condition`. Rows that another transaction has locked are skipped.
 * Returns the number of deleted rows.
 *
 * @param column a timestamp, in an index that begins with the columns of the condition
 * @param before epoch milliseconds
 */
export const pruneOldest = (
  sql: SqlClient,
  table: string,
  column: string,
  before: number,
  limit: number,
  condition: Fragment = sql`true`
): Effect.Effect<number, Unavailable> =>
  countOf(sql`
    with gone as (
      delete from ${sql.literal(table)} where ctid = any(array(
        select ctid from ${sql.literal(table)} where ${condition} and ${sql.literal(column)} < ${new Date(before)}
        order by ${sql.literal(column)} limit ${limit} for update skip locked
      )) returning 1
    )
    select count(*)::int as count from gone`)

/** A filter of a page: a column and the values it may have; null for any value. */
export interface ValuesFilter {
  readonly column: string
  readonly type: string
  readonly values: Among<string | number> | undefined
}

const kinds: Readonly<Record<string, PlaceKind>> = { uuid: "Id", timestamptz: "Time", text: "Text" }

/**
 * A table over a `SqlClient`.
 *
 * @param order the fields by which pages are sorted, with the newest record first
 */
export const tableOf = Effect.fnUntraced(function* <A extends object>(
  name: string,
  columns: Columns<A>,
  order: ReadonlyArray<string> = ["createdAt", "id"]
) {
  type Field = keyof A & string

  const sql = yield* SqlClient
  const selected = sql.literal(columns.selected(name))
  const table = sql.literal(name)
  const always = sql`true`
  const [key = ""] = columns.order
  const sorted = (columnOf: (field: Field) => string) =>
    order.map((field) => ({
      column: columnOf(field as Field),
      kind: kinds[columns.typeOf(field as Field)] ?? "Count"
    }))
  const inside = sorted(columns.column)
  const outside = sorted((field) => `p."${field}"`)
  const placeOf = (record: A) => order.map((field) => record[field as Field] as string | number)
  const into = sql.literal(`insert into ${name} (${columns.names}) select ${columns.fields}`)
  const recordset = sql.literal(`r(${columns.recordset})`)

  const read = (statement: Effect.Effect<ReadonlyArray<object>, SqlError>) =>
    Effect.map(orUnavailable(statement), (rows) => rows.map(columns.decode))
  /** Inserts records. `rest` follows the `select` of their fields: an order, and the action on a conflict. */
  const insertion = (records: ReadonlyArray<A>, rest = "") =>
    sql<{ readonly id: string }>`
      ${into} from json_to_recordset(${columns.encode(records)}::json) as ${recordset} ${sql.literal(rest)}`

  return {
    /** What a `select` returns from the table. */
    columns: selected,
    insertion,
    insertMany: (records: ReadonlyArray<A>, rest?: string): Effect.Effect<void, Unavailable> =>
      records.length === 0 ? Effect.void : execute(insertion(records, rest)),
    /** As `insertMany`. A row that a constraint rejects is a `WriteConflict`. */
    insertOrConflict: (
      records: ReadonlyArray<A>,
      rest?: string
    ): Effect.Effect<void, WriteConflict | Unavailable> =>
      records.length === 0 ? Effect.void : executeOrConflict(insertion(records, rest)),
    /**
     * Writes some fields of the row that has the record's `keys` and satisfies `condition`. Returns false if there is no such
     * row. There must be an index that begins with the keys.
     */
    update: (
      record: A,
      fields: ReadonlyArray<Field>,
      keys: ReadonlyArray<Field>,
      condition = always
    ): Effect.Effect<boolean, Unavailable> => {
      const equal = (field: Field) => {
        const [value, type] = columns.parameter(record, field)
        return sql`${sql.literal(columns.column(field))} = ${value}${sql.literal(`::${type}`)}`
      }
      return orUnavailable(sql`
        update ${table} set ${sql.csv(fields.map(equal))}
        where ${sql.and([...keys.map(equal), condition])} returning 1`).pipe(
        Effect.map((rows) => rows.length > 0)
      )
    },
    /** The records of `select <columns> <rest>`. */
    select: (rest: Fragment) => read(sql`select ${selected} ${rest}`),
    /** The records of a statement that returns the rows it writes or deletes. */
    returning: (statement: Fragment) => read(sql`${statement} returning ${selected}`),
    /**
     * The rows of references, without duplicates. The limit makes each a look-up by key, whatever the planner's statistics.
     * Locks are taken in the order of the keys, so that two transactions cannot deadlock.
     */
    lookUp: (refs: ReadonlyArray<RowRef>, lock: "" | "for update" | "for no key update" = "") =>
      refs.length === 0
        ? Effect.succeed([])
        : read(sql`
            select ${selected} from (
              select distinct account, key from ${refRows(sql, refs)} order by account, key
            ) k cross join lateral (
              select * from ${table} where account_id = k.account and id = k.key limit 1 ${sql.literal(lock)}
            ) ${table}`),
    /**
     * A page of the rows that satisfy a condition and the filters that are set. It is read from the index of the filter that
     * finds the fewest rows. Such an index begins with the columns of the condition and of the filter, and ends with those
     * of the order. Several conditions, at most one of which a row satisfies, are read separately.
     */
    page: (
      request: PageRequest,
      condition: Fragment | ReadonlyArray<Fragment>,
      filters: ReadonlyArray<ValuesFilter> = [],
      range: TimeRange = {}
    ): Effect.Effect<Page<A>, Unavailable> => {
      const given = filters.filter(({ values }) => (values ?? null) !== null)
      const byId = inside[0]!.kind === "Id"
      const inRange = (byId ? betweenIds : between)(sql, inside[0]!.column, range)
      const ordered = sql`order by ${sortedBy(sql, request, inside)}`
      const whole = { ...request, after: null }
      const has = ({ column, type, values }: ValuesFilter) => withValues(sql, column, values!, type)
      const among = Array.isArray(condition)
        ? (condition as ReadonlyArray<Fragment>)
        : [condition as Fragment]
      /** The rows that satisfy conditions. With a filter, the rows of each of its values are read separately. */
      const rowsOf = (
        what: Fragment,
        from: PageRequest,
        driver: ValuesFilter | undefined,
        conditions: ReadonlyArray<Fragment>,
        ending: Fragment
      ) => {
        const sources = among.map((one) => {
          const all = sql.and([one, ...conditions])
          if (driver === undefined) {
            return sql`(select ${what} from ${table}
              where ${all} and ${inRange} and ${behind(sql, from, inside)} ${ordered} ${ending})`
          }
          const { condition: ofDriver, order: byDriver } = ofValue(
            sql,
            from,
            driver.column,
            inside,
            byId ? idText : timeText,
            range
          )
          return sql`(select f.* from unnest(${driver.values!}${sql.literal(`::${driver.type}[]`)}) as v(value)
            cross join lateral (
              select ${what} from ${table} where ${all} and ${ofDriver} ${byDriver} ${ending}
            ) f)`
        })
        return sql.join(" union all ", false)(sources)
      }
      const nothing = sql.literal("")
      return Effect.gen(function* () {
        const place = yield* fewestOf(
          sql,
          given.map((one) => (limit: Fragment) => rowsOf(nothing, whole, one, [], limit))
        )
        const driver = given[place]
        const others = given.filter((one) => one !== driver).map(has)
        const tested = others.length === 0 ? nothing : sql`(${sql.and(others)}) is true as passes`
        const total = totalOf(
          sql,
          request,
          (limit) => rowsOf(tested, whole, driver, [], limit),
          others.length === 0 ? null : (rows) => sql`select from ${rows} k where passes`
        )
        const rows = yield* orUnavailable(sql<PageRow>`
          select c.*, p.* from (${total}) c left join lateral (
            select ${selected} from (
              ${rowsOf(sql.literal("*"), request, driver, others, sourceLimit(sql, request))}
            ) ${table} ${ordered} limit ${request.pageSize + 1} offset ${offsetOf(request)}
          ) p on true order by ${sortedBy(sql, request, outside)}`)
        const source = [sql.or(among), inRange, ...(driver === undefined ? [] : [has(driver)])]
        return yield* toPage(rows, request, {
          decode: columns.decode,
          placeOf,
          explained: sql<PlanRow>`explain (format json) select from ${table} where ${sql.and(source)}`,
          key
        })
      })
    }
  }
})
