/**
 * Builds the statements of the list of contacts.
 *
 * For a filter by a column, there is an index in the order of the list. For other filters, the index is in another order. Such
 * a list is first walked in its order for a limited number of rows, which finds the page if many contacts pass. If few pass,
 * the index finds few contacts, which are sorted. If there are several filters, the list is read from the index of the one
 * that finds the fewest contacts.
 *
 * @module
 */
import { minSubstring, wordEnds } from "../../../core/audience/segments/ContactFilters.ts"
import { queryKeys, tagKey, topicKey } from "../../../core/audience/segments/SearchKeys.ts"
import type { ContactFilter } from "../../../core/ports/SegmentStore.ts"
import {
  isAscending,
  maxCounted,
  maxPageSize,
  offsetOf,
  type PageRequest
} from "../../../core/shared/Page.ts"
import { contacts } from "../contacts/columns.ts"
import { CandidateCompiler } from "./candidates.ts"
import { Compiler } from "./Compiler.ts"
import { Parameters } from "./Parameters.ts"
import { maxLookedAt, sampled } from "../sql/pages.ts"
import type { Statement } from "./statements.ts"

/** How many contacts are walked before using an index in another order. */
const walked = 5_000

/**
 * If `passing` of the `newest` contacts pass, and then enough of those that are `walked`, the total is estimated without using
 * the index, which would collect the locations of all rows.
 */
const common = { newest: 200, passing: 190, walked: Math.round(maxCounted * 1.15) }

const content = "svc_contact_text(c.email, c.first_name, c.last_name, c.external_id, c.phone)"

/** Filters by a column. Each has an index in the order of the list. */
const columns = {
  consentStatus: ["consent_status", "text"],
  source: ["consent_source", "text"],
  storeId: ["store_id", "uuid"],
  country: ["country_code", "text"],
  language: ["language", "text"]
} as const

/** The columns that can determine the index. If several find equally many contacts, the first is used. */
const drivers = ["storeId", "language", "country", "source", "consentStatus"] as const

const times = {
  lastEmailedSince: "last_emailed_at",
  lastOpenSince: "last_open_at",
  lastClickSince: "last_click_at"
} as const

/** The keys of the contacts that pass a filter: all of `all`, and one of each group in `any`. */
const keysOf = (accountId: string, { q = null, tag = null, topic = null }: ContactFilter) => {
  const any: Array<ReadonlyArray<number>> = []
  if (tag !== null) any.push(tag.map((one) => tagKey(accountId, one)))
  // A contact that never made a choice has no key.
  if (topic !== null && topic.every(({ defaultOn, on }) => defaultOn !== on)) {
    any.push(topic.map(({ id, on }) => topicKey(accountId, id, on)))
  }
  const searched = q === null ? { all: [] } : queryKeys(accountId, q)
  return "any" in searched ? { all: [], any: [searched.any, ...any] } : { all: searched.all, any }
}

const timeOf = (parameters: Parameters, at: number): string =>
  parameters.add(new Date(at).toISOString(), "timestamptz")

/** The conditions on when a contact `c` was added. */
const rangeOf = (parameters: Parameters, { since = null, until = null }: ContactFilter) => [
  ...(since === null ? [] : [`c.added_at >= ${timeOf(parameters, since)}`]),
  ...(until === null ? [] : [`c.added_at < ${timeOf(parameters, until)}`])
]

/** An index with which a filter finds contacts, including all that pass. */
interface Source {
  /** The filter, if it is by a column and the index is in the order of the list. */
  readonly column: keyof typeof columns | null
  /** The column of contacts that `rows` returns. */
  readonly by: "email" | "id"
  /** The filter that every contact found by the index passes. */
  readonly passes?: "segment" | "suppressed"
  /** A `select` of that column. It adds its parameters, so it must be called once for each use. */
  readonly rows: (ending: string) => string
}

/** The indexes for a filter. One of them is chosen by its position. */
const sourcesOf = (
  parameters: Parameters,
  account: string,
  accountId: string,
  filter: ContactFilter,
  now: number
): ReadonlyArray<Source> => {
  const add = (value: unknown, type: string) => parameters.add(value, type)
  const time = (at: number) => timeOf(parameters, at)
  const found: Array<Source> = []

  const keys = keysOf(accountId, filter)
  if (keys.all.length + keys.any.length > 0) {
    found.push({
      column: null,
      by: "id",
      rows: (ending) => {
        const tests = [
          ...(keys.all.length > 0 ? [`keys @> ${add(keys.all, "int[]")}`] : []),
          ...keys.any.map((some) => `keys && ${add(some, "int[]")}`)
        ]
        return `select contact_id as id from contact_search where ${tests.join(" and ")}
          and (account_id = ${account}) is true ${ending}`
      }
    })
  }
  if (filter.suppressed === true) {
    found.push({
      column: null,
      by: "email",
      passes: "suppressed",
      rows: (ending) => `select email from suppressions where account_id = ${account} ${ending}`
    })
  }
  for (const [name, column] of Object.entries(times)) {
    const since = filter[name as keyof typeof times] ?? null
    if (since !== null) {
      found.push({
        column: null,
        by: "id",
        rows: (ending) => `select contact_id as id from contact_activity where account_id = ${account}
          and ${column} is not null and ${column} >= ${time(since)} ${ending}`
      })
    }
  }
  const { segment = null } = filter
  const candidates = (to: Parameters) =>
    segment === null ? null : new CandidateCompiler(accountId, account, now, to).anyOf(segment)
  const selected = candidates(new Parameters())
  if (selected !== null) {
    found.push({
      column: null,
      by: "id",
      ...(selected.isExact ? { passes: "segment" as const } : {}),
      rows: (ending) => `select contact_id as id from (${candidates(parameters)!.select()}) u ${ending}`
    })
  }
  for (const name of drivers) {
    const values = filter[name] ?? null
    if (values === null) continue
    const [column, type] = columns[name]
    const { since = null, until = null } = filter
    found.push({
      column: name,
      by: "id",
      rows: (ending) => `select f.id from unnest(${add(values, `${type}[]`)}) as v(value) cross join lateral (
        select c.id from contacts c where c.account_id = ${account} and c.erased_at is null and c.${column} is not null
          and ${since === null ? `c.${column} >= v.value` : `(c.${column}, c.added_at) >= (v.value, ${time(since)})`}
          and ${until === null ? `c.${column} <= v.value` : `(c.${column}, c.added_at) < (v.value, ${time(until)})`}
        order by c.${column} desc, c.added_at desc, c.id desc ${ending}
      ) f`
    })
  }
  return found
}

/**
 * The parts of the statement of a page. Its parameters include those of `page`.
 *
 * @param place the position of the source that is read
 */
const partsOf = (
  parameters: Parameters,
  accountId: string,
  filter: ContactFilter,
  page: PageRequest,
  now: number,
  place: number
) => {
  const add = (value: unknown, type: string) => parameters.add(value, type)
  const account = add(accountId, "uuid")
  const source = sourcesOf(parameters, account, accountId, filter, now)[place]
  const time = (at: number) => timeOf(parameters, at)
  const compiler = new Compiler(account, now, parameters)
  const ofAccount = `c.account_id = ${account} and c.erased_at is null`

  const range = rangeOf(parameters, filter)

  const ofColumn = Object.entries(columns).flatMap(([name, [column, type]]) => {
    const values = filter[name as keyof typeof columns] ?? null
    return values === null ? [] : [{ name, column, values: add(values, `${type}[]`) }]
  })
  const others: Array<string> = []
  for (const [name, column] of Object.entries(times)) {
    const since = filter[name as keyof typeof times] ?? null
    if (since !== null) others.push(`c.${column} >= ${time(since)}`)
  }
  const { q = null, segment = null, suppressed = null, tag = null, topic = null } = filter
  if (tag !== null) others.push(`c.tags ?| ${add(tag, "text[]")}`)
  if (topic !== null) {
    const tests = topic.map(({ defaultOn, id, on }) => {
      const choice = `coalesce(c.topics->${add(id, "text")} = 'true', ${add(defaultOn, "boolean")})`
      return on ? choice : `not ${choice}`
    })
    others.push(`(${tests.join(" or ")})`)
  }
  if (q !== null) {
    const wanted = add(q, "text")
    const ends = `E'${"\\n".repeat(wordEnds.length)}'`
    others.push(
      Array.from(q).length >= minSubstring
        ? `strpos(${content}, ${wanted}) > 0`
        : `strpos(chr(10) || translate(${content}, '${wordEnds}', ${ends}), chr(10) || ${wanted}) > 0`
    )
  }
  const ofSource: Array<string> = []
  const testsOf = (name: Source["passes"]) => (source?.passes === name ? ofSource : others)
  if (suppressed !== null) {
    const found = `(select true from suppressions s where s.account_id = ${account} and s.email = c.email limit 1)`
    testsOf("suppressed").push(`${found} is ${suppressed ? "not " : ""}null`)
  }
  for (const definition of filter.outside ?? [])
    others.push(`(${compiler.condition(definition)}) is not true`)
  const otherJoins = compiler.joins
  if (segment !== null) {
    const definitions = segment.map((definition) => `(${compiler.condition(definition)})`)
    testsOf("segment").push(`(${definitions.join(" or ")})`)
  }
  const { joins } = compiler
  const columnTests = ofColumn.map(({ column, values }) => `c.${column} = any(${values})`)
  const allOf = (all: ReadonlyArray<string>) => all.map((test) => `(${test})`).join(" and ") || "true"
  const tests = allOf([...range, ...columnTests, ...others, ...ofSource])
  /** The remaining conditions on the contacts that the index finds. */
  const testsOfFound = allOf([...range, ...columnTests, ...others])

  /** Whether the index of a column finds only contacts that pass. */
  const isOnly = others.length === 0 && ofColumn.length === 1

  const byActivity = page.sort?.by === "lastActivity"
  const ascending = isAscending(page)
  const key = byActivity
    ? "greatest(c.added_at, c.last_open_at, c.last_click_at, c.last_order_at, c.last_conversion_at)"
    : "c.added_at"
  const direction = ascending ? "asc" : "desc"
  const sorted = (of: string, id: string) => `order by ${of} ${direction}, ${id} ${direction}`
  const { after = null } = page
  const begin = after === null ? null : `(${time(after[0] as number)}, ${add(after[1], "uuid")})`
  const behind = (of: string, id: string) =>
    begin === null ? "true" : `(${of}, ${id}) ${ascending ? ">" : "<"} ${begin}`

  const offset = offsetOf(page)
  const most = offset === 0 ? Math.max(maxPageSize, page.pageSize) + 1 : offset + page.pageSize + 1
  const steps = Math.max(walked, most)

  /** The contacts in the order of the list, from the beginning of the page. */
  const inOrder = (limit: number | null, test: string, what: string) => {
    const limited = limit === null ? "" : `limit ${limit}`
    return byActivity
      ? `select ${what} from contact_activity a cross join lateral (
          select * from contacts where account_id = ${account} and id = a.contact_id limit 1
        ) c ${joins}
        where a.account_id = ${account} and ${behind("a.active_at", "a.contact_id")} and c.erased_at is null and ${test}
        ${sorted("a.active_at", "a.contact_id")} ${limited}`
      : `select ${what} from contacts c ${joins} where ${ofAccount} and ${behind("c.added_at", "c.id")} and ${test}
        ${sorted("c.added_at", "c.id")} ${limited}`
  }

  const driving = ofColumn.find((one) => one.name === source?.column)
  /** A range of one value, as in `sql/pages.ts: ofValue`. */
  const inValue = (column: string) => {
    const [low, high] = [filter.since ?? null, filter.until ?? null]
    const from = begin === null ? null : `(v.value, ${begin.slice(1)}`
    const lower =
      ascending && from !== null
        ? `(c.${column}, c.added_at, c.id) > ${from}`
        : low === null
          ? `c.${column} >= v.value`
          : `(c.${column}, c.added_at) >= (v.value, ${time(low)})`
    const upper =
      !ascending && from !== null
        ? `(c.${column}, c.added_at, c.id) < ${from}`
        : high === null
          ? `c.${column} <= v.value`
          : `(c.${column}, c.added_at) < (v.value, ${time(high)})`
    return `${lower} and ${upper}`
  }
  /** The contacts with each value of a column, in the order of the list. */
  const ofValues = (limit: number) =>
    driving === undefined
      ? null
      : `select f.* from unnest(${driving.values}) as v(value) cross join lateral (
          select c.id, ${key} as place from contacts c ${joins}
          where ${ofAccount} and c.${driving.column} is not null and ${inValue(driving.column)} and ${tests}
          order by c.${driving.column} ${direction}, c.added_at ${direction}, c.id ${direction} limit ${limit}
        ) f`

  /** The passing contacts among rows with ids or addresses. */
  const passing = (what: string, rows: string, range_ = "true") => {
    const by = source?.by ?? "id"
    return `select ${what} from (select * from ${rows} r offset 0) k cross join lateral (
        select * from contacts where account_id = ${account} and ${by} = k.${by} limit 1
      ) c ${source?.passes === "segment" ? otherJoins : joins}
      where ${ofAccount} and ${range_} and ${testsOfFound}`
  }
  const firstOf = (rows: string) => `select id, place from (${rows}) l ${sorted("place", "id")} limit ${most}`

  const all = (ending: string) =>
    source?.rows(ending) ??
    `select c.id from contacts c where ${[ofAccount, ...range].join(" and ")}
      order by c.added_at desc, c.id desc ${ending}`
  const count = (of: string) => `(select count(*) from (${of}) t)::int`
  const total = (of: string, share = "null::float8") => `select ${of} as total, ${share} as share`
  const exact = () => total(count(passing("", `(${all("")})`)))
  const share = () =>
    `case when exceeded then ${count(passing("", `(select * from seen limit ${sampled})`))} / ${sampled}::float8 end`
  // Without a total, the list is walked first. The rows that it has beyond this page are read by later pages.
  const [limitOfSeen, exceeded] =
    page.total === "None" ? [0, "count(*) = 0"] : [maxLookedAt + 1, `count(*) > ${maxLookedAt}`]
  const seen = (isCommon = "false") => `
    seen as materialized (
      select a.* from (select where not ${isCommon}) g cross join lateral (${all(`limit ${limitOfSeen}`)}) a
      limit ${limitOfSeen}
    ), size as materialized (
      select ${isCommon} or ${exceeded} as exceeded from seen
    )`
  /** How many of the newest contacts pass, and of how many. Not counted if few pass, or if each test needs a look-up. */
  const newest = () => {
    const some = (limit: number) => `
      select (${tests}) is true as passes from contacts c ${joins} where ${ofAccount} order by c.added_at desc, c.id desc limit ${limit}`
    const passed = "count(*) filter (where passes)"
    return page.total !== "Bounded" || tests.includes("select") || joins !== ""
      ? "newest as (select 0 as found, 0 as looked)"
      : `newest as materialized (
          select ${passed} as found, count(*) as looked from (
            select where (select contacts from contact_counts where account_id = ${account}) > ${common.walked}
              and (select ${passed} from (${some(common.newest)}) n) >= ${common.passing}
          ) g cross join lateral (${some(common.walked)}) n
        )`
  }

  /** As in `sql/pages.ts: unsortedList`. */
  if (source !== undefined && source.column === null) {
    const found = passing(`c.id, ${key} as place`, `(${source.rows("")})`, behind(key, "c.id"))
    const isCommon = `(select found > ${maxCounted} from newest)`
    return {
      account,
      sorted,
      ctes: `with ${newest()}, ${seen(isCommon)}, passed as materialized (
        select f.* from (select from size where not exceeded) g cross join lateral (
          ${passing(`c.id, ${key} as place`, "seen")}
        ) f
      ), walk as materialized (
        select w.* from (select from size where exceeded) g cross join lateral (
          ${inOrder(steps, "true", `c.id, ${key} as place, (${tests}) is true as passes`)}
        ) w
      ), near as materialized (
        ${firstOf("select id, place from walk where passes")}
      ), state as materialized (
        select exceeded and (select count(*) from near) < ${most} and (select count(*) from walk) >= ${steps} as searched
        from size
      )`,
      total:
        page.total === "None"
          ? total("0")
          : page.total === "Bounded"
            ? `select case when found > ${maxCounted} then (
                  select round(contacts::numeric * found / looked) from contact_counts where account_id = ${account}
                )::int when not exceeded then (select count(*)::int from passed) end as total,
                case when found > ${maxCounted} then 1 else ${share()} end as share from size, newest`
            : exact(),
      shown: `
        select id, place from passed where ${behind("place", "id")}
        union all
        select id, place from near where not (select searched from state)
        union all
        select f.id, f.place from (select from state where searched) g cross join lateral (${firstOf(found)}) f`
    }
  }
  const values = byActivity ? null : ofValues(most)
  const shown = values === null ? inOrder(most, tests, `c.id, ${key} as place`) : firstOf(values)
  if (page.total === "None") return { account, sorted, ctes: "", total: total("0"), shown }
  if (tests === "true") {
    const counted = `coalesce((select contacts from contact_counts where account_id = ${account}), 0)::int`
    return { account, sorted, ctes: "", total: total(counted, "1"), shown }
  }
  if (source === undefined ? others.length === 0 : isOnly) {
    const limit = page.total === "Bounded" ? `limit ${maxCounted + 1}` : ""
    return {
      account,
      sorted,
      ctes: "",
      total: total(count(`select from (${all(limit)}) a ${limit}`), "1"),
      shown
    }
  }
  return page.total === "Bounded"
    ? {
        account,
        sorted,
        ctes: `with ${seen()}`,
        total: `${total(`case when not exceeded then ${count(passing("", "seen"))} end`, share())} from size`,
        shown
      }
    : { account, sorted, ctes: "", total: exact(), shown }
}

/** Counts the contacts that each index of a filter finds, as `sql/pages.ts: fewestOf` does; null if there are fewer than two. */
export const fewestStatement = (accountId: string, filter: ContactFilter, now: number): Statement | null => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const sources = sourcesOf(parameters, account, accountId, filter, now)
  if (sources.length < 2) return null
  const limit = `limit ${maxCounted}`
  const counts = sources.map(
    ({ rows }, place) =>
      `select ${place} as place, (select count(*) from (select from (${rows(limit)}) a ${limit}) t) as rows`
  )
  return {
    text: `select place from (${counts.join(" union all ")}) c order by rows, place limit 1`,
    parameters: parameters.values
  }
}

/**
 * A page of the contacts that pass a filter, as rows for `toPage`.
 *
 * @param place the position of the index that is read
 */
export const findStatement = (
  accountId: string,
  filter: ContactFilter,
  page: PageRequest,
  now: number,
  place: number
): Statement => {
  const parameters = new Parameters()
  const { account, ctes, shown, sorted, total } = partsOf(parameters, accountId, filter, page, now, place)
  const limit = parameters.add(page.pageSize + 1, "bigint")
  const offset = parameters.add(offsetOf(page), "bigint")
  return {
    text: `
      ${ctes} select t.*, p.* from (${total}) t left join lateral (
        select k.place, ${contacts.selected("c")} from (
          select id, place from (${shown}) l ${sorted("place", "id")} limit ${limit} offset ${offset}
        ) k cross join lateral (
          select * from contacts where account_id = ${account} and id = k.id limit 1
        ) c
      ) p on true ${sorted("p.place", "p.id")}`,
    parameters: parameters.values
  }
}

/** How many contacts the planner expects the index to find, as a row for `expectedRows`. */
export const expectStatement = (
  accountId: string,
  filter: ContactFilter,
  now: number,
  place: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const source = sourcesOf(parameters, account, accountId, filter, now)[place]
  const range = source === undefined ? rangeOf(parameters, filter) : []
  const rows =
    source === undefined
      ? `select from contacts c where c.account_id = ${account} and c.erased_at is null ${range.map((test) => `and ${test}`).join(" ")}`
      : source.column === null
        ? source.rows("")
        : `select from contacts where account_id = ${account} and erased_at is null
            and ${columns[source.column][0]} = any(${parameters.add(filter[source.column], `${columns[source.column][1]}[]`)})`
  return { text: `explain (format json) ${rows}`, parameters: parameters.values }
}
