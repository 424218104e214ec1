/**
 * Lists submissions. Most filters have an index in the order of the list. The filter that finds the fewest rows determines the
 * index, and the other filters are checked row by row. The indexes of tags, visits and the search are in another order. As in
 * the list of contacts, such a list is first walked in its order for a limited number of rows; if few pass, the rows that the
 * index finds are sorted. The index of subjects finds the rows of one period, and therefore the first periods of the list.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { SubmissionFilter } from "../../../core/ports/SubmissionStore.ts"
import { type Among, isAscending, type PageRequest } from "../../../core/shared/Page.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { campaignOf, isOfCampaign } from "./rows.ts"
import { visitedByOf, type VisitFilter, visitedIds } from "./visitedBy.ts"
import { comparableAddress } from "../../../core/shared/EmailAddress.ts"
import { foldCase } from "../../../core/shared/Validate.ts"
import {
  behind,
  between,
  fewestOf,
  type ListSources,
  ofValue,
  pageLimit,
  type SortColumn,
  sortedBy,
  sourceLimit,
  timeText,
  totalOf,
  unsortedList,
  withValues
} from "../sql/pages.ts"

const submissionPlace: ReadonlyArray<SortColumn> = [
  { column: "s.created_at", kind: "Time" },
  { column: "s.id", kind: "Id" }
]

const deliveryPlace: ReadonlyArray<SortColumn> = [
  { column: "d.created_at", kind: "Time" },
  { column: "d.submission_id", kind: "Id" }
]

/** The columns by which a list is sorted, as its sources return them. */
export const placeColumns: ReadonlyArray<SortColumn> = [
  { column: "created_at", kind: "Time" },
  { column: "id", kind: "Id" }
]

/** The same columns in the rows of a page. */
export const shownColumns: ReadonlyArray<SortColumn> = [
  { column: `p."createdAt"`, kind: "Time" },
  { column: "p.id", kind: "Id" }
]

/** The expression and the condition of a filter, as in its index, and the type of its values. */
interface Filtered {
  readonly expression: string
  readonly type: string
  readonly condition?: string
}

const submissionColumns: Readonly<
  Record<"campaignId" | "flowId" | "from" | "keyId" | "source" | "templateId", Filtered>
> = {
  campaignId: {
    expression: campaignOf("s"),
    type: "uuid",
    condition: isOfCampaign("s")
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

const deliveryColumns: Readonly<
  Record<VisitFilter | "domain" | "provider" | "reason" | "status" | "to", Filtered>
> = {
  opened: { expression: visitedByOf("opened"), type: "text" },
  clicked: { expression: visitedByOf("clicked"), type: "text" },
  to: { expression: "d.email", type: "text" },
  domain: { expression: `(substring(d.email from '[^@]*$') collate "C")`, type: "text" },
  provider: { expression: "d.provider", type: "text", condition: "d.provider is not null" },
  reason: { expression: "d.reason", type: "text", condition: "d.reason is not null" },
  status: { expression: "d.status", type: "text" }
}

const filtered: Readonly<Partial<Record<string, Filtered>>> = { ...submissionColumns, ...deliveryColumns }

const tagsOf = (tag: NonNullable<SubmissionFilter["tag"]>): ReadonlyArray<string> =>
  tag.map(({ name, value }) => JSON.stringify({ [name]: value }))

/** The number of characters of a subject in its index. */
const maxSubject = 64

/** The period in which a submission `s` was created, as in the index of subjects. */
const periodOf = "date_bin('6 hours', s.created_at, '2000-01-01 00:00Z')"

/** A character greater than any other. */
const lastCharacter = "\u{10ffff}"

/** The filters that can determine the index. If several find equally many rows, the first is used. */
const drivers = [
  "to",
  "campaignId",
  "flowId",
  "templateId",
  "keyId",
  "from",
  "domain",
  "reason",
  "provider",
  "status",
  "source",
  "tag",
  "q",
  "clicked",
  "opened"
] as const

type Driver = (typeof drivers)[number]

/** The statement of a page, and the rows that its total counts. */
interface EmailSources extends ListSources {
  readonly all: Fragment
}

/** Makes the sources of lists. */
export const makeSources = (sql: SqlClient) => {
  const valuesOf = (values: ReadonlyArray<string>, type: string) =>
    sql`${values}${sql.literal(`::${type}[]`)}`

  /** The conditions of the filters in `columns` that are set, except `driver`. */
  const tests = (
    filter: SubmissionFilter,
    columns: Readonly<Record<string, Filtered>>,
    driver: string | null
  ) =>
    Object.entries(columns).flatMap(([name, { expression, type }]) => {
      const values = (filter as Readonly<Record<string, Among<string> | undefined>>)[name] ?? null
      return values === null || name === driver ? [] : [withValues(sql, expression, values, type)]
    })

  /** The conditions of the filter by tag and of the search, on a submission `s`. */
  const searchTests = ({ q = null, tag = null }: SubmissionFilter): ReadonlyArray<Fragment> => {
    const folded = foldCase(q ?? "")
    const id = isUuid(folded) ? folded : null
    return [
      ...(tag === null ? [] : [sql`s.tags @> any(${tagsOf(tag)}::jsonb[])`]),
      ...(q === null
        ? []
        : [
            sql`(
              (s.subject <> '' and starts_with(svc_folded(s.subject), ${folded}::text))
              or coalesce(starts_with(s.idempotency_key, ${q}::text), false) or s.id = ${id}::uuid
              or (select true from deliveries d where d.account_id = s.account_id and d.submission_id = s.id
                and (starts_with(d.email, ${comparableAddress(q)}::text) or d.id = ${id}::uuid) limit 1) is true
            )`
          ])
    ]
  }

  /** The ids of the submissions that have one of the tags. */
  const tagged = (accountId: string, tag: NonNullable<SubmissionFilter["tag"]>): Fragment => sql`
    select s.id from unnest(${tagsOf(tag)}::jsonb[]) as v(value) cross join lateral (
      select id from submissions s where s.tags <> '{}'
        and svc_account_tags(s.account_id, s.tags) @> svc_account_tags(${accountId}::uuid, v.value)
        and (s.account_id = ${accountId}) is true offset 0
    ) s`

  /**
   * The parts of a search: times and ids from all indexes, which may contain a submission several times; a similar `select`
   * that is only explained; and the rows that each index finds in the filter's time range.
   */
  const searched = (accountId: string, filter: SubmissionFilter, q: string, page: PageRequest) => {
    const folded = foldCase(q)
    const id = isUuid(folded) ? folded : null
    const range = (expression: string, begin: string) => {
      const column = sql.literal(expression)
      return sql`${column} >= ${begin}::text and ${column} < ${begin + lastCharacter}::text`
    }
    const subject = Array.from(folded).slice(0, maxSubject).join("")
    const ofSubject = sql`s.account_id = ${accountId} and s.subject <> ''
      and ${range(`(svc_folded_subject(s.subject) collate "C")`, subject)}`
    const isForward = isAscending(page)
    const direction = sql.literal(isForward ? "asc" : "desc")
    const period = sql.literal(periodOf)
    const place = (ascending: boolean) => sortedBy(sql, page, submissionPlace, ascending)
    /** Submissions with a matching subject, by periods, from the account's first email to the last in the order of the list. */
    const byPeriods = (condition: Fragment, inPeriod = sql``, inAll = sql``) => {
      const end = (ascending: boolean) => sql`(select ${period} from submissions s
        where s.account_id = ${accountId} and ${condition} order by ${place(ascending)} limit 1)`
      return sql`
        select f.created_at, f.id from (
          select period from generate_series(${end(isForward)}, ${end(!isForward)},
            interval ${sql.literal(isForward ? "'6 hours'" : "'-6 hours'")}) period
          order by period ${direction} offset 0
        ) e cross join lateral (
          select s.created_at, s.id from submissions s where ${ofSubject} and ${period} = e.period and ${condition}
          ${inPeriod} offset 0
        ) f ${inAll}`
    }
    const ranged = between(sql, "s.created_at", filter)
    const end = sourceLimit(sql, page)
    const others = [
      sql`select created_at, id from submissions where account_id = ${accountId} and idempotency_key is not null
        and ${range("idempotency_key", q)}`,
      sql`select created_at, submission_id as id from deliveries
        where account_id = ${accountId} and ${range("email", comparableAddress(q))}`,
      sql`select created_at, submission_id as id from deliveries where account_id = ${accountId} and id = ${id}::uuid`,
      sql`select created_at, id from submissions where account_id = ${accountId} and id = ${id}::uuid`
    ]
    const union = sql.join(" union all ", false)
    return {
      ids: union([byPeriods(ranged), ...others]),
      explained: union([sql`select s.created_at, s.id from submissions s where ${ofSubject}`, ...others]),
      passed: [
        {
          all: byPeriods(ranged),
          first: sql`(${byPeriods(
            sql.and([ranged, behind(sql, page, submissionPlace)]),
            sql`order by ${place(isForward)} ${end}`,
            sql`order by e.period ${direction}, ${sortedBy(sql, page, placeColumns)} ${end}`
          )})`
        },
        // Each of these indexes is in another order. Several recipients of one email may have a matching address.
        ...others.map((rows) => ({ all: sql`select distinct s.* from (${rows} offset 0) s where ${ranged}` }))
      ]
    }
  }

  return Effect.fnUntraced(function* (
    accountId: string,
    filter: SubmissionFilter,
    page: PageRequest
  ): Effect.fn.Return<EmailSources, Unavailable> {
    const whole = { ...page, after: null }
    const { q = null, tag = null } = filter
    const found = q === null ? null : searched(accountId, filter, q, page)
    const pageEnd = pageLimit(sql, page)
    const sourceEnd = sourceLimit(sql, page)
    const limited = sql.and([between(sql, "s.created_at", filter), behind(sql, page, submissionPlace)])
    const sorted = (columns: ReadonlyArray<SortColumn>, most: Fragment) =>
      sql`order by ${sortedBy(sql, page, columns)} ${most}`
    const ofAccount = (id: string) => sql`select * from submissions where account_id = ${accountId}
      and id = ${sql.literal(id)} limit 1`

    const filterOf = (name: Driver, from: PageRequest) => {
      const ofDelivery = name in deliveryColumns
      const { condition, expression, type } = filtered[name]!
      const range = ofValue(
        sql,
        from,
        expression,
        ofDelivery ? deliveryPlace : submissionPlace,
        timeText,
        filter
      )
      return {
        expression: sql.literal(expression),
        ofDelivery,
        order: range.order,
        passes: sql.and([range.condition, sql.literal(condition ?? "true")]),
        values: sql`unnest(${valuesOf(filter[name as "status"] as ReadonlyArray<string>, type)}) as v(value)`
      }
    }

    /** The rows of each value of a filter by a column, of deliveries `d` or submissions `s`. */
    const byValue = (name: Driver, from: PageRequest, tested: ReadonlyArray<Fragment>, limit: Fragment) => {
      const { expression, ofDelivery, order, passes, values } = filterOf(name, from)
      const conditions = sql.and([passes, ...tested])
      const rows = ofDelivery
        ? sql`select d.created_at, d.submission_id as id from deliveries d
            where d.account_id = ${accountId} and ${conditions}
            group by ${expression}, d.created_at, d.submission_id`
        : sql`select s.created_at, s.id from submissions s where s.account_id = ${accountId} and ${conditions}`
      return sql`select f.created_at, f.id from ${values} cross join lateral (${rows} ${order} ${limit}) f`
    }

    /** The ids of the same rows, in the order of the index: not sorted within a time, and possibly with duplicates. */
    const toCount = (name: Driver, limit: Fragment) => {
      const { expression, ofDelivery, passes, values } = filterOf(name, whole)
      const [table, alias, id] = ofDelivery
        ? ["deliveries", "d", "submission_id"]
        : ["submissions", "s", "id"]
      const direction = isAscending(page) ? "asc" : "desc"
      return sql`select f.id from ${values} cross join lateral (
        select ${sql.literal(`${alias}.${id} as id from ${table} ${alias}`)}
        where ${sql.literal(`${alias}.account_id`)} = ${accountId} and ${passes}
        order by ${expression} ${sql.literal(`${direction}, ${alias}.created_at ${direction}`)} ${limit}
      ) f`
    }

    /**
     * The ids of the submissions, or of the visited deliveries, that a filter finds with an index in another order than the
     * list; null for other filters.
     */
    const unsorted = (name: Driver): Fragment | null => {
      if (name === "tag") return tag === null ? null : tagged(accountId, tag)
      if (name === "q") return found?.ids ?? null
      if (name !== "opened" && name !== "clicked") return null
      const by = filter[name] ?? null
      return by === null ? null : visitedIds(sql, name, accountId, by)
    }

    const possible = drivers.flatMap((name) => {
      if ((filter[name] ?? null) === null) return []
      const ids = unsorted(name)
      const isSorted = ids === null && name in filtered && name !== "opened" && name !== "clicked"
      if (ids === null && !isSorted) return []
      return [{ name, ids, rows: (limit: Fragment) => ids ?? toCount(name, limit) }]
    })
    // Few submissions have the same address.
    const isAddressed = possible[0]?.name === "to"
    const driver =
      possible[
        isAddressed
          ? 0
          : yield* fewestOf(
              sql,
              possible.map(({ rows }) => rows)
            )
      ]
    const name = driver?.name ?? null

    const submissionTests = [...tests(filter, submissionColumns, name), ...searchTests(filter)]
    const otherDeliveryTests = tests(filter, deliveryColumns, driver?.ids == null ? name : null)
    const deliveryTests = otherDeliveryTests.length === 0 ? [] : tests(filter, deliveryColumns, null)
    const ofDeliveries =
      deliveryTests.length === 0
        ? []
        : [
            sql`(select true from deliveries d where d.account_id = ${accountId} and d.submission_id = s.id
              and ${sql.and(deliveryTests)} limit 1)`
          ]
    const conditions = [...submissionTests, ...ofDeliveries]
    const isVisit = name === "opened" || name === "clicked"
    // The index of a visit finds only deliveries that pass the filter. Another filter must be passed by the same delivery.
    const conditionsOfFound =
      isVisit && tests(filter, deliveryColumns, name).length === 0 ? submissionTests : conditions
    const idOf = sql.literal(isVisit ? "d.submission_id" : "r.id")
    const ofVisit = isVisit
      ? sql`cross join lateral (
          select submission_id from deliveries where account_id = ${accountId} and id = r.id limit 1
        ) d`
      : sql``
    /** The passing submissions among rows with ids, without duplicates. */
    const passing = (ranged: ReadonlyArray<Fragment>) => (rows: Fragment) =>
      sql`select s.created_at, s.id from (select distinct ${idOf} as id from ${rows} r ${ofVisit} offset 0) k
        cross join lateral (${ofAccount("k.id")}) s where ${sql.and([sql`true`, ...ranged, ...conditionsOfFound])}`

    if (driver === undefined) {
      const rows = (from: PageRequest, tested: ReadonlyArray<Fragment>, limit: Fragment) =>
        sql`select s.created_at, s.id from submissions s where ${sql.and([
          sql`s.account_id = ${accountId}`,
          between(sql, "s.created_at", filter),
          behind(sql, from, submissionPlace),
          ...tested
        ])} ${sorted(submissionPlace, limit)}`
      return {
        ctes: sql``,
        shown: rows(page, conditions, pageEnd),
        total: totalOf(
          sql,
          page,
          (limit) => rows(whole, [], limit),
          conditions.length === 0 ? null : passing([])
        ),
        all: rows(whole, [], sql``)
      }
    }
    if (driver.ids === null) {
      const isDelivery = driver.name in deliveryColumns
      const tested = !isDelivery
        ? conditions
        : [
            ...otherDeliveryTests,
            ...(submissionTests.length === 0
              ? []
              : [
                  sql`(select true from submissions s where s.account_id = ${accountId} and s.id = d.submission_id
                    and ${sql.and(submissionTests)} limit 1)`
                ])
          ]
      const { condition, expression, type } = filtered[driver.name]!
      const [table, alias] = isDelivery ? ["deliveries", "d"] : ["submissions", "s"]
      return {
        ctes: sql``,
        shown: sql`select distinct created_at, id from (${byValue(driver.name, page, tested, sourceEnd)}) m
          ${sorted(placeColumns, pageEnd)}`,
        total: totalOf(
          sql,
          page,
          driver.rows,
          conditions.length > 0
            ? passing([])
            : isDelivery
              ? (rows) => sql`select distinct id from ${rows} r`
              : null
        ),
        all: sql`select from ${sql.literal(`${table} ${alias}`)} where ${sql.and([
          sql`${sql.literal(alias!)}.account_id = ${accountId}`,
          between(sql, `${alias}.created_at`, filter),
          sql.literal(condition ?? "true"),
          withValues(sql, expression, filter[driver.name as "status"] as ReadonlyArray<string>, type)
        ])}`
      }
    }
    const { ids } = driver
    const passes = sql.and(conditions)
    // The index has the beginnings of subjects, so everything that it finds for a short search passes.
    const isExact =
      name === "q" && conditions.length === 1 && Array.from(foldCase(q ?? "")).length <= maxSubject
    const ranged = [between(sql, "s.created_at", filter)]
    const sources = unsortedList(
      sql,
      page,
      placeColumns,
      ids,
      passing(ranged),
      (limit) => sql`select s.created_at, s.id, (${passes}) is true as passes from submissions s
        where s.account_id = ${accountId} and ${limited} ${sorted(submissionPlace, limit)}`,
      isExact ? found!.passed : null
    )
    return { ...sources, all: name === "q" ? found!.explained : ids }
  })
}
