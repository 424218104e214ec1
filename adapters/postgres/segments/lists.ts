/**
 * The statement of the list of contacts.
 *
 * A filter by a column is read in the order of the list from an index of its own. Others are found by an index that has
 * not that order. So such a list is first walked in its order, as far as costs little: where many contacts pass, this
 * finds the page. Where few do, the index returns few, which are sorted.
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
import type { Statement } from "./statements.ts"

/** How many contacts are walked before an index is asked. */
const walked = 5_000

const content = "svc_contact_text(c.email, c.first_name, c.last_name, c.external_id, c.phone)"

/** Filters by a column, each with an index in the order of the list. */
const columns = {
  consentStatus: ["consent_status", "text"],
  source: ["consent_source", "text"],
  storeId: ["store_id", "uuid"],
  country: ["country_code", "text"],
  language: ["language", "text"]
} as const

/** The filter that drives a list, the most selective first. */
const drivers = ["storeId", "language", "country", "source", "consentStatus"] as const

const times = {
  lastEmailedSince: "last_emailed_at",
  lastOpenSince: "last_open_at",
  lastClickSince: "last_click_at"
} as const

/** The keys that the contacts which pass a filter have: all of `all`, and one of each of `any`. */
const keysOf = (accountId: string, { q = null, tag = null, topic = null }: ContactFilter) => {
  const any: Array<ReadonlyArray<number>> = []
  if (tag !== null) any.push(tag.map((one) => tagKey(accountId, one)))
  // Who never chose has no key.
  if (topic !== null && topic.every(({ defaultOn, on }) => defaultOn !== on)) {
    any.push(topic.map(({ id, on }) => topicKey(accountId, id, on)))
  }
  const searched = q === null ? { all: [] } : queryKeys(accountId, q)
  return "any" in searched ? { all: [], any: [searched.any, ...any] } : { all: searched.all, any }
}

/** The parts of the statements about a filter, whose parameters are those of `page` too. */
const partsOf = (
  parameters: Parameters,
  accountId: string,
  filter: ContactFilter,
  page: PageRequest,
  now: number
) => {
  const add = (value: unknown, type: string) => parameters.add(value, type)
  const account = add(accountId, "uuid")
  const time = (at: number) => add(new Date(at).toISOString(), "timestamptz")
  const compiler = new Compiler(account, now, parameters)
  const ofAccount = `c.account_id = ${account} and c.erased_at is null`

  const range: Array<string> = []
  if ((filter.since ?? null) !== null) range.push(`c.added_at >= ${time(filter.since!)}`)
  if ((filter.until ?? null) !== null) range.push(`c.added_at < ${time(filter.until!)}`)

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
  if (suppressed !== null) {
    const found = `(select true from suppressions s where s.account_id = ${account} and s.email = c.email limit 1)`
    others.push(`${found} is ${suppressed ? "not " : ""}null`)
  }
  if (segment !== null) {
    const definitions = segment.map((definition) => `(${compiler.condition(definition)})`)
    others.push(`(${definitions.join(" or ")})`)
  }
  for (const definition of filter.outside ?? [])
    others.push(`(${compiler.condition(definition)}) is not true`)
  const { joins } = compiler
  const columnTests = ofColumn.map(({ column, values }) => `c.${column} = any(${values})`)
  const tests = [...range, ...columnTests, ...others].map((test) => `(${test})`).join(" and ") || "true"

  const byActivity = page.sort?.by === "lastActivity"
  const ascending = isAscending(page)
  const key = byActivity
    ? "greatest(c.added_at, c.last_open_at, c.last_click_at, c.last_order_at, c.last_conversion_at)"
    : "c.added_at"
  const direction = ascending ? "asc" : "desc"
  const sorted = (of: string, id: string) => `order by ${of} ${direction}, ${id} ${direction}`
  const { after = null } = page
  const place = after === null ? null : `(${time(after[0] as number)}, ${add(after[1], "uuid")})`
  const behind = (of: string, id: string) =>
    place === null ? "true" : `(${of}, ${id}) ${ascending ? ">" : "<"} ${place}`

  const offset = offsetOf(page)
  const most = offset === 0 ? Math.max(maxPageSize, page.pageSize) + 1 : offset + page.pageSize + 1
  const steps = Math.max(walked, most)

  /** The contacts in the order of the list, from the page's beginning on. */
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

  const driver = drivers.find((name) => ofColumn.some((one) => one.name === name))
  const driving = ofColumn.find((one) => one.name === driver)
  /** A range of one value, as `sql/pages.ts: ofValue` explains. */
  const inValue = (column: string, begins: boolean) => {
    const [low, high] = [filter.since ?? null, filter.until ?? null]
    const from = begins && place !== null ? `(v.value, ${place.slice(1)}` : null
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
  /** Those of each value of a column, in the order of the list. */
  const ofValues = (limit: number | null, begins: boolean) =>
    driving === undefined
      ? null
      : `select f.* from unnest(${driving.values}) as v(value) cross join lateral (
          select c.id, ${key} as place from contacts c ${joins}
          where ${ofAccount} and c.${driving.column} is not null and ${inValue(driving.column, begins)} and ${tests}
          order by c.${driving.column} ${direction}, c.added_at ${direction}, c.id ${direction}
          ${limit === null ? "" : `limit ${limit}`}
        ) f`

  const wantedKeys = keysOf(accountId, filter)
  const keyTests = [
    ...(wantedKeys.all.length > 0 ? [`keys @> ${add(wantedKeys.all, "int[]")}`] : []),
    ...wantedKeys.any.map((keys) => `keys && ${add(keys, "int[]")}`)
  ]
  const since = Object.entries(times).find(([name]) => (filter[name as keyof typeof times] ?? null) !== null)
  /** From the segments, where no other filter has an index. */
  const ofSegment = () => {
    const select =
      segment === null ? null : new CandidateCompiler(accountId, account, now, parameters).anyOf(segment)
    return select === null
      ? null
      : `(select contact_id from (${select}) u offset 0) k cross join lateral (
          select * from contacts where account_id = ${account} and id = k.contact_id limit 1
        ) c`
  }
  /** Contacts `c`, among them all that pass, from an index without the order of the list. */
  const indexed =
    keyTests.length > 0
      ? `(select contact_id from contact_search where ${keyTests.join(" and ")}
          and (account_id = ${account}) is true offset 0) k cross join lateral (
            select * from contacts where account_id = ${account} and id = k.contact_id limit 1
          ) c`
      : suppressed === true
        ? `(select email from suppressions where account_id = ${account} offset 0) s cross join lateral (
            select * from contacts where account_id = ${account} and email = s.email limit 1
          ) c`
        : since === undefined
          ? ofSegment()
          : `(select contact_id from contact_activity where account_id = ${account} and ${since[1]} is not null
              and ${since[1]} >= ${time(filter[since[0] as keyof typeof times]!)} offset 0) a cross join lateral (
              select * from contacts where account_id = ${account} and id = a.contact_id limit 1
            ) c`

  const fromIndex = (what: string, range_: string) =>
    `select ${what} from ${indexed} ${joins} where ${ofAccount} and ${range_} and ${tests}`
  const firstOf = (source: string) =>
    `select id, place from (${source}) l ${sorted("place", "id")} limit ${most}`

  const shown = (() => {
    if (indexed !== null) {
      return `
        with walk as materialized (
          ${inOrder(steps, "true", `c.id, ${key} as place, (${tests}) is true as passes`)}
        ), near as materialized (
          ${firstOf("select id, place from walk where passes")}
        ), state as materialized (
          select (select count(*) from near) >= ${most} or (select count(*) from walk) < ${steps} as enough
        )
        select id, place from near where (select enough from state)
        union all
        select f.id, f.place from (select from state where not enough) g cross join lateral (
          ${firstOf(fromIndex(`c.id, ${key} as place`, behind(key, "c.id")))}
        ) f`
    }
    const values = byActivity ? null : ofValues(most, true)
    return values === null ? inOrder(most, tests, `c.id, ${key} as place`) : firstOf(values)
  })()

  const all =
    indexed !== null
      ? fromIndex("", "true")
      : (ofValues(null, false) ?? `select from contacts c ${joins} where ${ofAccount} and ${tests}`)
  const isPlain = tests === "true"
  const limit = page.total === "Bounded" ? `limit ${maxCounted + 1}` : ""
  const total =
    page.total === "None"
      ? "0"
      : isPlain
        ? `coalesce((select contacts from contact_counts where account_id = ${account}), 0)::int`
        : `(select count(*) from (select from (${all}) m ${limit}) m)::int`
  return { account, all, shown, sorted, total }
}

/** A page of the contacts that pass a filter: rows of `toPage`. */
export const findStatement = (
  accountId: string,
  filter: ContactFilter,
  page: PageRequest,
  now: number
): Statement => {
  const parameters = new Parameters()
  const { account, shown, sorted, total } = partsOf(parameters, accountId, filter, page, now)
  const limit = parameters.add(page.pageSize + 1, "bigint")
  const offset = parameters.add(offsetOf(page), "bigint")
  return {
    text: `
      select t.total, p.* from (select ${total} as total) t left join lateral (
        select k.place, ${contacts.selected("c")} from (
          select id, place from (${shown}) l ${sorted("place", "id")} limit ${limit} offset ${offset}
        ) k cross join lateral (
          select * from contacts where account_id = ${account} and id = k.id limit 1
        ) c
      ) p on true ${sorted("p.place", "p.id")}`,
    parameters: parameters.values
  }
}

/** How many contacts the planner expects to pass a filter: a row as `expectedRows` reads it. */
export const expectStatement = (accountId: string, filter: ContactFilter, now: number): Statement => {
  const parameters = new Parameters()
  const { all } = partsOf(parameters, accountId, filter, { page: 1, pageSize: 1 }, now)
  return { text: `explain (format json) ${all}`, parameters: parameters.values }
}
