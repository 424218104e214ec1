/**
 * Lists the recipients of a campaign, by the id of their contact. If a filter matches few recipients (an address, an order, an
 * email that did not arrive, a visit), the list is read from the index of that filter. Otherwise the recipients are read in
 * their order.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type Fragment, join } from "effect/sql/Statement"
import {
  type CampaignRecipient,
  type RecipientReason,
  type RecipientState,
  recipientStates
} from "../../../core/model/Campaign.ts"
import { type DeliveryStatus, deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import { type VisitedBy, visitVerdicts } from "../../../core/model/Visit.ts"
import type { RecipientFilter, RecipientLink } from "../../../core/ports/CampaignStore.ts"
import { offsetOf, type Page, type PageRequest, type Total } from "../../../core/shared/Page.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { arrayOf, columnsOf } from "../sql/columns.ts"
import { orUnavailable } from "../sql/errors.ts"
import { behind, type PageRow, type PlanRow, sortedBy, toPage, totalOf } from "../sql/pages.ts"
import { countOf } from "../sql/results.ts"
import { beginsWith } from "../sql/sortedLists.ts"
import { contactOf } from "../submissions/rows.ts"
import { visitedByOf, type VisitFilter, visitorOf } from "../submissions/visitedBy.ts"

/** The columns of `campaign_recipients`. */
export const recipientColumns = columnsOf<CampaignRecipient>({
  accountId: "uuid",
  campaignId: "uuid",
  contactId: "uuid",
  state: "text",
  reason: "text",
  variant: "text",
  dueAt: "timestamptz",
  movedAt: "timestamptz",
  version: "integer",
  deliveryId: "uuid",
  decidedAt: "timestamptz",
  renderError: "jsonb"
})

/**
 * The part to which a row of `campaign_recipients` belongs, as in `core/campaigns/CampaignRules.ts: partOfRecipient` and in the
 * index `campaign_recipients_part`. The number of slots is a multiple of that of parts, so the last bits of the hash suffice.
 */
export const recipientPart =
  "(get_byte(sha256((campaign_id::text || ' ' || contact_id::text)::bytea), 5) & 7)"

/** Statuses that most emails of a campaign finally have. No index is used for them. */
const common: ReadonlyArray<DeliveryStatus> = ["Accepted", "Delivered", "Sent"]

/** If an index finds more recipients than this, the list is read in its order: then at least one in fifty matches. */
const mostFound = 20_000

const inside = [{ column: "contact_id", kind: "Id" as const }]
const walked = [{ column: "k.contact_id", kind: "Id" as const }]
const shown = [{ column: `p."contactId"`, kind: "Id" as const }]

/** The filters whose values a campaign counts, with the prefixes of the counts' names. */
const counted = { state: "r:", status: "d:", opened: "opened:", clicked: "clicked:" } as const

/** The only filter and its values, if the campaign counts them. */
const countedFilter = (
  filter: RecipientFilter
): { readonly name: keyof typeof counted; readonly values: ReadonlyArray<string> } | null => {
  const [first, ...others] = Object.entries(filter).filter(([, value]) => (value ?? null) !== null)
  if (first === undefined || others.length > 0) return null
  const name = (Object.keys(counted) as ReadonlyArray<keyof typeof counted>).find((one) => one === first[0])
  if (name === undefined) return null
  const values: ReadonlyArray<string> = filter[name] ?? []
  return { name, values: [...new Set(values)] }
}

/** Lists the recipients of a campaign that match a filter. */
export const listRecipients = (sql: SqlClient) => {
  const selected = sql.literal(recipientColumns.selected("campaign_recipients"))
  const any = (column: string, values: ReadonlyArray<string | number>, type: string) =>
    sql`${sql.literal(column)} = any(${values}${sql.literal(`::${type}[]`)})`
  const ofColumn = (
    column: "reason" | "state" | "variant" | "version",
    values: ReadonlyArray<string | number>
  ) => any(column, values, column === "version" ? "int" : "text")
  const union = (sources: ReadonlyArray<Fragment>) => join(" union all ", false)(sources)
  const linkRows = (links: ReadonlyArray<RecipientLink>) => sql`rows from (
    unnest(${links.map(({ version }) => version)}::int[]), unnest(${arrayOf(links.map(({ variant }) => variant))}::text[]),
    unnest(${links.map(({ link }) => link)}::text[])
  ) as l(number, variant_id, link)`

  /** Contacts whose recipients have the given states and reasons. Each `select` has an index. */
  const decidedAs = (
    accountId: string,
    id: string,
    states: ReadonlyArray<RecipientState>,
    reasons: ReadonlyArray<RecipientReason> | null
  ) =>
    union(
      states.map(
        (state) => sql`select contact_id from campaign_recipients
          where account_id = ${accountId} and campaign_id = ${id} and ${sql.literal(`state = '${state}'`)}
            and ${reasons === null ? sql`true` : any("reason", reasons, "text")}`
      )
    )

  /** The contacts of a campaign's emails that satisfy conditions. Each has an index. */
  const withEmail = (accountId: string, id: string, conditions: ReadonlyArray<string>) => sql`
    select ${sql.literal(contactOf("s"))} as contact_id from (
      ${union(
        conditions.map(
          (condition) => sql`select submission_id from deliveries
            where account_id = ${accountId} and campaign_id = ${id} and ${sql.literal(condition)}`
        )
      )} offset 0
    ) d cross join lateral (
      select contact_id, marketing from submissions where account_id = ${accountId} and id = d.submission_id limit 1
    ) s`

  const withVisit = (
    accountId: string,
    id: string,
    kind: VisitFilter,
    by: ReadonlyArray<VisitedBy> | null
  ) => {
    const named = (by ?? []).filter((one) => one !== "None")
    return by !== null && named.length === by.length && named.length > 0
      ? union(
          named.map(
            (one) => sql`select contact_id from delivery_visits
              where account_id = ${accountId} and campaign_id = ${id} and ${sql.literal(`${visitorOf(kind)} = '${one}'`)}`
          )
        )
      : null
  }

  /** The contacts, if they are few enough to be sorted; otherwise null. */
  const ifFew = (contacts: Fragment): Effect.Effect<Fragment | null, Unavailable> =>
    Effect.map(
      countOf(
        sql`select count(*)::float8 as count from (${contacts} limit ${sql.literal(String(mostFound + 1))}) r`
      ),
      (found) => (found > mostFound ? null : contacts)
    )

  /** Contacts that include all that match a filter; null if the recipients are to be read in their order. */
  const sourceOf = Effect.fnUntraced(function* (
    accountId: string,
    id: string,
    filter: RecipientFilter
  ): Effect.fn.Return<Fragment | null, Unavailable> {
    const { clicked = null, isConverted, isUnsubscribed, links = null, opened = null, q = null } = filter
    const { reason = null, state = null, status = null } = filter
    if (q !== null) {
      return yield* ifFew(
        sql`select id as contact_id from contacts where account_id = ${accountId} and ${beginsWith(sql, "email", q)}`
      )
    }
    if (isConverted === true) {
      return sql`select contact_id from conversions where account_id = ${accountId} and campaign_id = ${id}`
    }
    if (isUnsubscribed === true) return withEmail(accountId, id, ["unsubscribed_at is not null"])
    if (status !== null && !status.some((one) => common.includes(one))) {
      return withEmail(
        accountId,
        id,
        status.map((one) => `status = '${one}'`)
      )
    }
    const visited =
      withVisit(accountId, id, "clicked", links === null ? clicked : ["Human", "Unknown", "Machine"]) ??
      withVisit(accountId, id, "opened", opened)
    // Each index is in the order of the list.
    if (visited !== null) return visited
    const open = recipientStates.filter((one) => one !== "Submitted")
    const states = state ?? (reason === null ? null : open)
    if (states !== null && states.length > 0 && !states.includes("Submitted")) {
      return yield* ifFew(decidedAs(accountId, id, states, reason))
    }
    for (const column of ["variant", "version"] as const) {
      const values = filter[column] ?? null
      if (values === null) continue
      // The index of the column is not in the order of the list.
      const chosen = yield* ifFew(sql`
        select contact_id from campaign_recipients
        where account_id = ${accountId} and campaign_id = ${id} and ${ofColumn(column, values)} offset 0`)
      if (chosen !== null) return chosen
    }
    return null
  })

  /** The conditions on a recipient and its email `d`. */
  const tests = (filter: RecipientFilter): ReadonlyArray<Fragment> => {
    const { isConverted = null, isUnsubscribed = null, links = null, q = null, status = null } = filter
    const own = (["state", "reason", "variant", "version"] as const).flatMap((column) => {
      const values = filter[column] ?? null
      return values === null ? [] : [ofColumn(column, values)]
    })
    if (q !== null) {
      own.push(sql`(select true from contacts c where c.account_id = campaign_recipients.account_id
        and c.id = campaign_recipients.contact_id and ${beginsWith(sql, "c.email", q)} limit 1)`)
    }
    const visits: Array<Fragment> = []
    for (const kind of ["opened", "clicked"] as const) {
      const by = filter[kind] ?? null
      if (by === null) continue
      if (by.includes("None")) visits.push(any(visitedByOf(kind), by, "text"))
      else {
        own.push(
          any(
            `(select ${visitorOf(kind)} from delivery_visits where account_id = campaign_recipients.account_id
              and delivery_id = campaign_recipients.delivery_id limit 1)`,
            by,
            "text"
          )
        )
      }
    }
    const converted =
      "exists (select from conversions where account_id = d.account_id and delivery_id = d.id)"
    const ofEmail = [
      ...(status === null ? [] : [any("d.status", status, "text")]),
      ...visits,
      ...(isConverted === null ? [] : [sql.literal(isConverted ? converted : `not ${converted}`)]),
      ...(isUnsubscribed === null
        ? []
        : [sql.literal(`d.unsubscribed_at is ${isUnsubscribed ? "not " : ""}null`)]),
      ...(links === null
        ? []
        : [
            sql`exists (select from delivery_visits v cross join ${linkRows(links)}
              where v.account_id = d.account_id and v.delivery_id = d.id and l.number = version
                and l.variant_id is not distinct from variant and v.links ? l.link)`
          ])
    ]
    return ofEmail.length === 0
      ? own
      : [
          ...own,
          sql`(select true from deliveries d where d.account_id = campaign_recipients.account_id
            and d.id = delivery_id and ${sql.and(ofEmail)} limit 1)`
        ]
  }

  /** The number of recipients that match a filter, from the campaign's counts; null for filters that are not counted. */
  const countedTotal = Effect.fnUntraced(function* (
    accountId: string,
    id: string,
    filter: RecipientFilter
  ): Effect.fn.Return<Total | null, Unavailable> {
    const only = countedFilter(filter)
    if (only === null) return null
    const rows = yield* orUnavailable(sql<{ readonly name: string; readonly count: number }>`
      select name, sum(count)::float8 as count from campaign_counts
      where account_id = ${accountId} and campaign_id = ${id} group by name`)
    if (rows.length === 0) return null
    const counts = new Map(rows.map(({ count, name }) => [name, count]))
    const sumOf = (prefix: string, values: ReadonlyArray<string>): number =>
      values.reduce((sum, value) => sum + (counts.get(prefix + value) ?? 0), 0)
    const emails = sumOf("d:", deliveryStatuses)
    const prefix = counted[only.name]
    const withoutVisit = only.values.includes("None") ? emails - sumOf(prefix, visitVerdicts) : 0
    return {
      totalCount: sumOf(prefix, only.values) + withoutVisit,
      // The counts include emails of erased people and emails that were sent again.
      totalIsExact: only.name === "state" || emails === sumOf("r:", ["Submitted"])
    }
  })

  return Effect.fnUntraced(function* (
    accountId: string,
    id: string,
    filter: RecipientFilter,
    request: PageRequest
  ): Effect.fn.Return<Page<CampaignRecipient>, Unavailable> {
    const source = yield* sourceOf(accountId, id, filter)
    const conditions = tests(filter)
    const passing = sql.and([sql`true`, ...conditions])
    const ofCampaign = sql`account_id = ${accountId} and campaign_id = ${id}`
    const inOrder = sql`order by ${sortedBy(sql, request, inside)}`
    /** Recipients by their contacts, which include all that match, in the order of the list. */
    const contacts = (from: PageRequest, ending: Fragment) =>
      source === null
        ? sql`select contact_id from campaign_recipients where ${ofCampaign} and ${behind(sql, from, inside)} ${inOrder} ${ending}`
        : sql`select distinct contact_id from (${source}) c where ${behind(sql, from, inside)} ${inOrder} ${ending}`
    const found = (what: Fragment, rows: Fragment) => sql`
      select ${what} from ${rows} k cross join lateral (
        select * from campaign_recipients where ${ofCampaign} and contact_id = k.contact_id limit 1
      ) campaign_recipients where ${passing}`
    const page =
      source === null
        ? sql`select ${selected} from campaign_recipients where ${ofCampaign} and ${behind(sql, request, inside)} and ${passing}
            ${inOrder}`
        : sql`${found(selected, sql`(${contacts(request, sql``)})`)} order by ${sortedBy(sql, request, walked)}`
    const whole = { ...request, after: null }
    const size = totalOf(
      sql,
      request,
      (limit) => contacts(whole, limit),
      source === null && conditions.length === 0 ? null : (rows) => found(sql``, rows)
    )
    const rows = yield* orUnavailable(sql<PageRow>`
      select c.*, p.* from (${size}) c left join lateral (
        ${page} limit ${request.pageSize + 1} offset ${offsetOf(request)}
      ) p on true order by ${sortedBy(sql, request, shown)}`)
    const listed = yield* toPage(rows, request, {
      decode: recipientColumns.decode,
      placeOf: ({ contactId }) => [contactId],
      explained: sql<PlanRow>`explain (format json) ${contacts(whole, sql``)}`,
      key: "contactId"
    })
    const total = listed.totalIsExact ? null : yield* countedTotal(accountId, id, filter)
    return total === null
      ? listed
      : { ...listed, ...total, totalCount: Math.max(total.totalCount, listed.items.length) }
  })
}
