/**
 * Lists submissions. Each filter is read in the order of the list from an index of its own: the one that is expected to
 * find the fewest drives the list, and the others are checked row by row.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { SubmissionFilter } from "../../../core/ports/SubmissionStore.ts"
import { type Among, type PageRequest } from "../../../core/shared/Page.ts"
import {
  behind,
  between,
  countLimit,
  pageLimit,
  type SortColumn,
  sortedBy,
  sourceLimit
} from "../sql/pages.ts"

const submissionPlace: ReadonlyArray<SortColumn> = [
  { column: "s.created_at", kind: "Time" },
  { column: "s.id", kind: "Id" }
]

const deliveryPlace: ReadonlyArray<SortColumn> = [
  { column: "d.created_at", kind: "Time" },
  { column: "d.submission_id", kind: "Id" }
]

/** How a list is sorted, by the columns that its sources return. */
export const placeColumns: ReadonlyArray<SortColumn> = [
  { column: "created_at", kind: "Time" },
  { column: "id", kind: "Id" }
]

/** The same as a page's rows have them. */
export const shownColumns: ReadonlyArray<SortColumn> = [
  { column: `p."createdAt"`, kind: "Time" },
  { column: "p.id", kind: "Id" }
]

/** A filter's expression and condition, as its index has them, with the type of its values. */
interface Filtered {
  readonly expression: string
  readonly type: string
  readonly condition?: string
}

const submissionColumns: Readonly<Record<"flowId" | "from" | "templateId", Filtered>> = {
  flowId: { expression: "s.flow_id", type: "uuid", condition: "s.flow_id is not null" },
  templateId: { expression: "s.template_id", type: "uuid", condition: "s.template_id is not null" },
  from: {
    expression: `(lower(s."from"->>'email') collate "C")`,
    type: "text",
    condition: `s."from" is not null`
  }
}

const deliveryColumns: Readonly<Record<"domain" | "reason" | "status" | "to", Filtered>> = {
  to: { expression: "d.email", type: "text" },
  domain: { expression: `(substring(d.email from '[^@]*$') collate "C")`, type: "text" },
  reason: { expression: "d.reason", type: "text", condition: "d.reason is not null" },
  status: { expression: "d.status", type: "text" }
}

/** Which filter drives a list that has several: the first. */
const drivers = ["to", "flowId", "templateId", "from", "domain", "reason", "status"] as const

/** Makes the sources of lists. */
export const makeSources = (sql: SqlClient) => {
  const valuesOf = (values: ReadonlyArray<string>, type: string) =>
    sql`${values}${sql.literal(`::${type}[]`)}`

  /** The conditions of those filters of `columns` that are set, except `driver`. */
  const tests = (
    filter: SubmissionFilter,
    columns: Readonly<Record<string, Filtered>>,
    driver: string | null
  ) =>
    Object.entries(columns).flatMap(([name, { expression, type }]) => {
      const values = (filter as Readonly<Record<string, Among<string> | undefined>>)[name] ?? null
      return values === null || name === driver
        ? []
        : [sql`${sql.literal(expression)} = any(${valuesOf(values, type)})`]
    })

  /**
   * A `select` of `created_at` and `id` of the submissions that pass a filter, each once: those of the page, sorted as it
   * is, those that are counted for its total, or all.
   */
  return (
    accountId: string,
    filter: SubmissionFilter,
    page: PageRequest,
    what: "All" | "Counted" | "Page"
  ): Fragment => {
    const driver = drivers.find((name) => (filter[name] ?? null) !== null) ?? null
    const from = what === "Page" ? page : { ...page, after: null }
    const limit = what === "Page" ? pageLimit(sql, page) : what === "Counted" ? countLimit(sql, page) : sql``
    const limitOfEach = what === "Page" ? sourceLimit(sql, page) : limit
    const limited = (columns: ReadonlyArray<SortColumn>) => sql`
      ${sql.and([between(sql, columns[0]!.column, filter), behind(sql, from, columns)])}`
    const sorted = (columns: ReadonlyArray<SortColumn>, most: Fragment) =>
      sql`order by ${sortedBy(sql, from, columns)} ${most}`
    const merged = (values: Fragment, source: Fragment) => sql`
      select distinct created_at, id from (
        select f.* from unnest(${values}) as v(value) cross join lateral (${source}) f
      ) m ${sorted(placeColumns, limit)}`

    const submissionTests = tests(filter, submissionColumns, driver)
    const deliveryTests = tests(filter, deliveryColumns, driver)
    const ofSubmission = (account: Fragment, id: string) =>
      submissionTests.length === 0
        ? []
        : [
            sql`(select true from submissions s where s.account_id = ${account} and s.id = ${sql.literal(id)}
              and ${sql.and(submissionTests)} limit 1)`
          ]
    const ofDelivery =
      deliveryTests.length === 0
        ? []
        : [
            sql`(select true from deliveries d where d.account_id = ${accountId} and d.submission_id = s.id
              and ${sql.and(deliveryTests)} limit 1)`
          ]

    if (driver !== null && driver in deliveryColumns) {
      const { condition, expression, type } = deliveryColumns[driver as keyof typeof deliveryColumns]
      const conditions = [
        sql`d.account_id = ${accountId}`,
        sql`${sql.literal(expression)} = v.value`,
        sql.literal(condition ?? "true"),
        limited(deliveryPlace),
        ...deliveryTests,
        ...ofSubmission(sql`${accountId}`, "d.submission_id")
      ]
      return merged(
        valuesOf(filter[driver] as ReadonlyArray<string>, type),
        sql`select distinct d.created_at, d.submission_id as id from deliveries d where ${sql.and(conditions)}
          ${sorted(deliveryPlace, limitOfEach)}`
      )
    }
    const conditions = [
      sql`s.account_id = ${accountId}`,
      limited(submissionPlace),
      ...submissionTests,
      ...ofDelivery
    ]
    if (driver === null) {
      return sql`select s.created_at, s.id from submissions s where ${sql.and(conditions)} ${sorted(submissionPlace, limit)}`
    }
    const { condition, expression, type } = submissionColumns[driver as keyof typeof submissionColumns]
    return merged(
      valuesOf(filter[driver] as ReadonlyArray<string>, type),
      sql`select s.created_at, s.id from submissions s
        where ${sql.literal(`${expression} = v.value and ${condition}`)} and ${sql.and(conditions)} ${sorted(submissionPlace, limitOfEach)}`
    )
  }
}
