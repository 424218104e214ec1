/**
 * Lists submissions. Most filters are read in the order of the list from an index of their own: the one that is expected
 * to find the fewest drives the list, and the others are checked row by row. The indexes of tags and of the search have not
 * that order: as in the list of contacts, such a list is first walked in its order, as far as costs little, and where
 * few pass, the index finds them and they are sorted.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { SubmissionFilter } from "../../../core/ports/SubmissionStore.ts"
import { type Among, maxPageSize, offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { visitedByOf, type VisitFilter, visitedIds } from "./visitedBy.ts"
import { foldCase } from "../../../core/shared/Validate.ts"
import {
  behind,
  between,
  countLimit,
  ofValue,
  pageLimit,
  type SortColumn,
  sortedBy,
  sourceLimit,
  timeText
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

const submissionColumns: Readonly<
  Record<"campaignId" | "flowId" | "from" | "keyId" | "source" | "templateId", Filtered>
> = {
  campaignId: {
    expression: "(s.marketing -> 'campaign' ->> 'id')::uuid",
    type: "uuid",
    condition: "s.marketing -> 'campaign' is not null"
  },
  flowId: { expression: "s.flow_id", type: "uuid", condition: "s.flow_id is not null" },
  templateId: { expression: "s.template_id", type: "uuid", condition: "s.template_id is not null" },
  keyId: { expression: "s.key_id", type: "uuid", condition: "s.key_id is not null" },
  source: {
    expression: `(coalesce(s.source, case when s.flow_id is null then 'Api' else 'Flow' end) collate "C")`,
    type: "text"
  },
  from: {
    expression: `(lower(s."from"->>'email') collate "C")`,
    type: "text",
    condition: `s."from" is not null`
  }
}

const deliveryColumns: Readonly<Record<VisitFilter | "domain" | "reason" | "status" | "to", Filtered>> = {
  opened: { expression: visitedByOf("opened"), type: "text" },
  clicked: { expression: visitedByOf("clicked"), type: "text" },
  to: { expression: "d.email", type: "text" },
  domain: { expression: `(substring(d.email from '[^@]*$') collate "C")`, type: "text" },
  reason: { expression: "d.reason", type: "text", condition: "d.reason is not null" },
  status: { expression: "d.status", type: "text" }
}

/** How many submissions are walked before the index of tags or of the search is asked. */
const walked = 2_000

/** The characters of a subject that its index has. */
const maxSubject = 64

/** Greater than any other character. */
const lastCharacter = "\u{10ffff}"

/** Which filter drives a list that has several: the first. */
const drivers = [
  "to",
  "campaignId",
  "flowId",
  "templateId",
  "keyId",
  "from",
  "domain",
  "reason",
  "status",
  "source"
] as const

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

  /** Ids of all submissions that pass the filters by visits; null where no index has them. */
  const visitedOf = (accountId: string, filter: SubmissionFilter): Fragment | null => {
    const ids = (["opened", "clicked"] as const).flatMap((kind) => {
      const by = filter[kind] ?? null
      return by === null ? [] : [visitedIds(sql, kind, accountId, by) ?? []].flat()
    })
    // Fewer are clicked than opened.
    const fewest = ids.at(-1)
    return fewest === undefined
      ? null
      : sql`select d.submission_id as id from (${fewest} offset 0) v cross join lateral (
          select submission_id from deliveries where account_id = ${accountId} and id = v.id limit 1
        ) d`
  }

  /** What a filter by tag and the search test of a submission `s`, and the ids of all that may pass; null without either. */
  const searchOf = (accountId: string, { q = null, tag = null }: SubmissionFilter) => {
    const sources: Array<Fragment> = []
    const conditions: Array<Fragment> = []
    if (tag !== null) {
      const tags = tag.map(({ name, value }) => JSON.stringify({ [name]: value }))
      conditions.push(sql`s.tags @> any(${tags}::jsonb[])`)
      sources.push(sql`select s.id from unnest(${tags}::jsonb[]) as v(value) cross join lateral (
        select id from submissions s where s.tags <> '{}'
          and svc_account_tags(s.account_id, s.tags) @> svc_account_tags(${accountId}::uuid, v.value)
          and (s.account_id = ${accountId}) is true offset 0
      ) s`)
    }
    if (q !== null) {
      const folded = foldCase(q)
      const id = isUuid(folded) ? folded : null
      const range = (expression: string, begin: string) => {
        const column = sql.literal(expression)
        return sql`${column} >= ${begin}::text and ${column} < ${begin + lastCharacter}::text`
      }
      const subject = `(svc_folded_subject(s.subject) collate "C")`
      conditions.push(sql`(
        (s.subject <> '' and starts_with(svc_folded(s.subject), ${folded}::text))
        or coalesce(starts_with(s.idempotency_key, ${q}::text), false) or s.id = ${id}::uuid
        or (select true from deliveries d where d.account_id = s.account_id and d.submission_id = s.id
          and (starts_with(d.email, ${folded}::text) or d.id = ${id}::uuid) limit 1) is true
      )`)
      sources.push(sql`
        select id from submissions s where account_id = ${accountId} and s.subject <> ''
          and ${range(subject, Array.from(folded).slice(0, maxSubject).join(""))}
        union all
        select id from submissions where account_id = ${accountId} and idempotency_key is not null
          and ${range("idempotency_key", q)}
        union all
        select submission_id from deliveries where account_id = ${accountId} and ${range("email", folded)}
        union all
        select submission_id from deliveries where account_id = ${accountId} and id = ${id}::uuid
        union all
        select ${id}::uuid where ${id}::uuid is not null`)
    }
    const first = sources.at(-1)
    return first === undefined ? null : { ids: first, tests: conditions }
  }

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
    const given = searchOf(accountId, filter)
    const driver = given === null ? (drivers.find((name) => (filter[name] ?? null) !== null) ?? null) : null
    const visited = given === null && driver === null ? visitedOf(accountId, filter) : null
    const searched = visited === null ? given : { ids: visited, tests: [] }
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
      const ofDriver = ofValue(sql, from, expression, deliveryPlace, timeText, filter)
      const conditions = [
        sql`d.account_id = ${accountId}`,
        ofDriver.condition,
        sql.literal(condition ?? "true"),
        ...deliveryTests,
        ...ofSubmission(sql`${accountId}`, "d.submission_id")
      ]
      return merged(
        valuesOf(filter[driver] as ReadonlyArray<string>, type),
        sql`select d.created_at, d.submission_id as id from deliveries d where ${sql.and(conditions)}
          group by ${sql.literal(expression)}, d.created_at, d.submission_id ${ofDriver.order} ${limitOfEach}`
      )
    }
    const conditions = [sql`s.account_id = ${accountId}`, ...submissionTests, ...ofDelivery]
    if (searched !== null) {
      const passing = sql.and([...conditions, ...searched.tests])
      const found = sql`select s.created_at, s.id from (select distinct id from (${searched.ids}) u offset 0) k
        cross join lateral (
          select * from submissions where account_id = ${accountId} and id = k.id limit 1
        ) s where ${sql.and([limited(submissionPlace), passing])}`
      if (what !== "Page") return sql`${found} ${limit}`
      const most = offsetOf(from) === 0 ? maxPageSize + 1 : offsetOf(from) + from.pageSize + 1
      const steps = Math.max(walked, most)
      return sql`
        with walk as materialized (
          select s.created_at, s.id, (${passing}) is true as passes from submissions s
          where s.account_id = ${accountId} and ${limited(submissionPlace)}
          ${sorted(submissionPlace, sql.literal(`limit ${steps}`))}
        ), near as materialized (
          select created_at, id from walk where passes ${sorted(placeColumns, limitOfEach)}
        ), state as materialized (
          select (select count(*) from near) >= ${sql.literal(`${most}`)}
            or (select count(*) from walk) < ${sql.literal(`${steps}`)} as enough
        )
        select created_at, id from (
          select created_at, id from near where (select enough from state)
          union all
          select f.created_at, f.id from (select from state where not enough) g cross join lateral (
            ${found} ${sorted(submissionPlace, limitOfEach)}
          ) f
        ) m ${sorted(placeColumns, limit)}`
    }
    if (driver === null) {
      return sql`select s.created_at, s.id from submissions s
        where ${sql.and([limited(submissionPlace), ...conditions])} ${sorted(submissionPlace, limit)}`
    }
    const { condition, expression, type } = submissionColumns[driver as keyof typeof submissionColumns]
    const ofDriver = ofValue(sql, from, expression, submissionPlace, timeText, filter)
    return merged(
      valuesOf(filter[driver] as ReadonlyArray<string>, type),
      sql`select s.created_at, s.id from submissions s
        where ${ofDriver.condition} and ${sql.literal(condition ?? "true")} and ${sql.and(conditions)}
        ${ofDriver.order} ${limitOfEach}`
    )
  }
}
