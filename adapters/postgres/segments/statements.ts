/**
 * Builds the statements that count and list the contacts of segment definitions.
 *
 * @module
 */
import { dayMillis } from "../../../core/audience/segments/DayRange.ts"
import type { FrequencyCap } from "../../../core/model/Account.ts"
import type { ConsentStatus } from "../../../core/model/Consent.ts"
import type { SegmentDefinition } from "../../../core/model/SegmentDefinition.ts"
import type { SuppressionKind } from "../../../core/model/Suppression.ts"
import { slotCount } from "../../../core/campaigns/CampaignRules.ts"
import { testKey } from "../../../core/campaigns/AudienceRules.ts"
import {
  type AudiencePart,
  type CompletedField,
  maxCompleted,
  maxLooked,
  maxZoneGroups,
  type SelectedPeople,
  type TopicTest,
  type ZoneKey
} from "../../../core/ports/SegmentStore.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { contacts } from "../contacts/columns.ts"
import type { PageRow } from "../sql/pages.ts"
import { contactOf, isMarketing } from "../submissions/rows.ts"
import { Compiler } from "./Compiler.ts"
import { Parameters } from "./Parameters.ts"

/** The text of a statement, and its parameters. */
export interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** The ids that precede and follow all others. */
const firstId = "00000000-0000-0000-0000-000000000000"
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** The consent that allows marketing. */
const mayGetMarketing = `c.consent_status in ('Subscribed', 'SoftOptIn')`

/** The change marks of an account's audience, as the port declares them. `account` is an expression. */
export const marksOf = (account: string): string =>
  `(select coalesce(md5(string_agg(mark::text, ' ' order by process)), '') from audience_changes where account_id = ${account})`

/** The row of `countStatement`. */
export interface CountRow {
  readonly marks: string
  readonly [count: string]: number | string
}

/**
 * The `marks`, and for each definition `count<index>` and `sendable<index>`. One pass over the contacts tests each rule once.
 */
export const countStatement = (
  accountId: string,
  definitions: ReadonlyArray<SegmentDefinition>,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  // The condition of a single definition is that of the whole query, so an index can be used for it.
  const isShared = definitions.length > 1
  const compiler = new Compiler(account, now, parameters, undefined, isShared)
  const conditions = definitions.map((definition) => compiler.condition(definition))
  const picked = isShared ? conditions : ["true"]
  const tests = picked.map((condition, index) => `, ${condition} as picked${index}`)
  const columns = picked.flatMap((_, index) => [
    `count(*) filter (where picked${index})::int as count${index}`,
    `count(*) filter (where picked${index} and sendable)::int as sendable${index}`
  ])
  const source = isShared
    ? compiler.sharedContacts
    : `contacts c ${compiler.joins} where c.account_id = ${account} and c.erased_at is null and ${conditions[0] ?? "true"}`
  return {
    text: `
      select ${[`${marksOf(account)} as marks`, ...columns].join(", ")} from (
        select ${mayGetMarketing} and not exists (
          select from suppressions s where s.account_id = ${account} and s.email = c.email
        ) as sendable${tests.join("")}
        from ${source} offset 0
      ) p`,
    parameters: parameters.values
  }
}

/** The row of `reachStatement`. People in a row with a kind are also counted in the row without one. */
export interface ReachRow {
  readonly hasAddress: boolean
  readonly status: ConsentStatus
  readonly kind: SuppressionKind | null
  readonly hasTopic: boolean
  readonly count: number
}

/** The condition of the selected people. */
const selecting = (compiler: Compiler, { exclude, include }: SelectedPeople): string => {
  const any = include.map((definition) => compiler.condition(definition)).join(" or ")
  const none = exclude.map((definition) => ` and (${compiler.condition(definition)}) is not true`)
  return `(${any})${none.join("")}`
}

/** How many contacts are selected, by consent and topic, and how many of them are suppressed, by kind. */
export const reachStatement = (
  accountId: string,
  chosen: SelectedPeople,
  topic: Pick<TopicTest, "defaultOn" | "id"> | null,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const condition = selecting(compiler, chosen)
  const hasTopic =
    topic === null
      ? "true"
      : `coalesce(c.topics->${parameters.add(topic.id, "text")} = 'true', ${parameters.add(topic.defaultOn, "boolean")})`
  return {
    text: `
      select c.consent_status as status, null::text as kind, ${hasTopic} as "hasTopic",
        c.email is not null as "hasAddress", count(*)::int as count
      from contacts c ${compiler.joins}
      where c.account_id = ${account} and c.erased_at is null and ${condition}
      group by 1, 3, 4
      union all
      select c.consent_status, s.kind, ${hasTopic}, true, count(*)::int
      from suppressions s cross join lateral (
        select * from contacts where account_id = ${account} and email = s.email limit 1
      ) c ${compiler.joins}
      where s.account_id = ${account} and c.erased_at is null and ${condition}
      group by 1, 2, 3`,
    parameters: parameters.values
  }
}

/** How many contacts are selected, by the values that determine their time zone: rows of `ZoneGroup`. */
export const zonesStatement = (
  accountId: string,
  chosen: SelectedPeople,
  attribute: string | null,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const condition = selecting(compiler, chosen)
  const own = attribute === null ? "null::text" : `c.attributes->>${parameters.add(attribute, "text")}`
  return {
    text: `
      select ${own} as own, c.country_code as "countryCode", count(*)::int as count
      from contacts c ${compiler.joins}
      where c.account_id = ${account} and c.erased_at is null and ${condition}
      group by 1, 2 order by 3 desc, 1, 2 limit ${maxZoneGroups}`,
    parameters: parameters.values
  }
}

/** How many of the selected contacts have reached one of the frequency caps: a row with a `count`. */
export const cappedStatement = (
  accountId: string,
  chosen: SelectedPeople,
  caps: ReadonlyArray<FrequencyCap>,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const condition = selecting(compiler, chosen)
  const after = (days: number) =>
    parameters.add(new Date(now - days * dayMillis).toISOString(), "timestamptz")
  const reached = caps.map(
    ({ days, emails }) =>
      `count(*) filter (where s.created_at > ${after(days)}) >= ${parameters.add(emails, "int")}`
  )
  return {
    text: `
      select count(*)::int as count from (
        select ${contactOf("s")} as contact_id from submissions s
        where s.account_id = ${account} and ${isMarketing("s")}
          and s.created_at > ${after(Math.max(...caps.map(({ days }) => days)))} and exists (
            select from deliveries d where d.account_id = s.account_id and d.submission_id = s.id
              and d.status <> 'Suppressed' and not (d.status = 'Failed' and d.reason = 'sending.cancelled')
          )
        group by 1 having ${reached.join(" or ")}
      ) m join contacts c on c.account_id = ${account} and c.id = m.contact_id ${compiler.joins}
      where c.erased_at is null and ${mayGetMarketing} and ${condition}`,
    parameters: parameters.values
  }
}

/** The contacts that a definition selects, as rows with an `id`. */
const matching = (accountId: string, definition: SegmentDefinition, now: number, parameters: Parameters) => {
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const condition = compiler.condition(definition)
  const text = `
    select c.id from contacts c ${compiler.joins}
    where c.account_id = ${account} and c.erased_at is null and ${condition}`
  return { account, text }
}

/** Adds the contacts that a definition selects to the members of a flow, which has none yet. */
export const addMembersStatement = (
  accountId: string,
  flowId: string,
  definition: SegmentDefinition,
  now: number
): Statement => {
  const parameters = new Parameters()
  const { account, text } = matching(accountId, definition, now, parameters)
  const flow = parameters.add(flowId, "uuid")
  return {
    text: `
      insert into flow_members (account_id, flow_id, contact_id)
      select ${account}, ${flow}, m.id from (${text}) m order by m.id`,
    parameters: parameters.values
  }
}

/** The last contact of a part, by id: a row with an `id`, or no row if fewer contacts are left. */
export const partEndStatement = (accountId: string, { after, size }: AudiencePart): Statement => ({
  text: `
    select id from contacts where account_id = $1::uuid and id > $2::uuid order by id limit 1 offset $3::int - 1`,
  parameters: [accountId, after ?? firstId, size]
})

/** The selected contacts of a part. */
const partOf = (
  accountId: string,
  { after, asOf, chosen }: AudiencePart,
  last: string | null,
  parameters: Parameters
) => {
  const account = parameters.add(accountId, "uuid")
  const [from, to] = [after ?? firstId, last ?? lastId].map((id) => parameters.add(id, "uuid"))
  const within = (id: string) => `${id} > ${from} and ${id} <= ${to}`
  const compiler = new Compiler(account, asOf, parameters, within)
  const condition = selecting(compiler, chosen)
  const added = parameters.add(new Date(asOf).toISOString(), "timestamptz")
  const rows = `contacts c ${compiler.joins}
    where c.account_id = ${account} and c.erased_at is null and ${within("c.id")} and c.added_at <= ${added} and ${condition}`
  return { account, rows }
}

/** SQL for the attribute that names a person's time zone; null if it is empty, and so names none. */
const ownZone = (attribute: string | null, parameters: Parameters): string =>
  attribute === null ? "null::text" : `nullif(c.attributes->>${parameters.add(attribute, "text")}, '')`

/** The distinct values that determine the time zones of the selected contacts of a part: rows of `ZoneKey`. */
export const partZonesStatement = (
  accountId: string,
  part: AudiencePart,
  last: string | null,
  attribute: string | null
): Statement => {
  const parameters = new Parameters()
  const { rows } = partOf(accountId, part, last, parameters)
  return {
    text: `
      select distinct ${ownZone(attribute, parameters)} as own, nullif(c.country_code, '') as "countryCode" from ${rows}`,
    parameters: parameters.values
  }
}

/**
 * Adds the selected contacts of a part to the recipients of a campaign, following `core/campaigns/AudienceRules.ts:
 * recipientOf`.
 *
 * @param times the due times of groups with the same time zone, in epoch milliseconds; null if all are due alike
 */
export const addRecipientsStatement = (
  accountId: string,
  part: AudiencePart,
  last: string | null,
  times: ReadonlyArray<ZoneKey & { readonly at: number | null }> | null
): Statement => {
  const parameters = new Parameters()
  const { account, rows } = partOf(accountId, part, last, parameters)
  const { campaignId, dueAt, engagedSince, test } = part.plan
  const time = (at: number) => parameters.add(new Date(at).toISOString(), "timestamptz")
  const campaign = parameters.add(campaignId, "uuid")
  const asOf = time(part.asOf)
  const own = ownZone(typeof dueAt === "number" ? null : dueAt.attribute, parameters)
  const due = times === null ? time(dueAt as number) : "z.at"
  const joined =
    times === null
      ? ""
      : `left join json_to_recordset(${parameters.add(JSON.stringify(times), "json")})
          as t(own text, "countryCode" text, at float8)
          on coalesce(t.own, '') = coalesce(p.own, '') and coalesce(t."countryCode", '') = coalesce(p.country_code, '')
        cross join lateral (select to_timestamp(t.at / 1000) as at) z`
  const place =
    engagedSince === null
      ? "interval '0'"
      : `case when greatest(p.last_open_at, p.last_click_at) >= ${time(engagedSince)} then interval '0'
          else interval '1 millisecond' end`
  /** SQL for `core/campaigns/CampaignRules.ts: slotOf`. */
  const slot = () => {
    const hash = `encode(sha256(convert_to(${parameters.add(`${testKey(campaignId)} `, "text")} || p.id, 'UTF8')), 'hex')`
    return `('x' || left(${hash}, 12))::bit(48)::bigint % ${slotCount}`
  }
  const bounds = (test?.variants ?? []).map(
    ({ below, id }) => `when s.slot < ${parameters.add(below, "int")} then ${parameters.add(id, "text")}`
  )
  const variants =
    test === null
      ? "cross join (select null::text as variant) v"
      : `cross join lateral (select ${slot()} as slot offset 0) s
        cross join lateral (select case ${bounds.join(" ")} end as variant) v`
  const [isRest, restAt] = test === null ? ["false", "now()"] : ["v.variant is null", time(test.restAt)]
  return {
    text: `
      insert into campaign_recipients (account_id, campaign_id, contact_id, state, reason, variant, due_at, decided_at)
      select ${account}, ${campaign}, p.id,
        case when ${due} is null then 'Skipped' else 'Pending' end,
        case when ${due} is null then 'campaigns.local_time_passed' when ${isRest} then 'campaigns.test' end,
        v.variant,
        case when ${due} is null then ${asOf} + ${place}
          when ${isRest} then ${restAt} - ${place} else ${due} + ${place} end,
        case when ${due} is null then ${asOf} end
      from (
        select c.id, c.country_code, c.last_open_at, c.last_click_at, ${own} as own from ${rows}
      ) p ${joined}
      ${variants}
      order by p.id on conflict do nothing`,
    parameters: parameters.values
  }
}

/** The row of `memberChangesStatement`. */
export interface MemberChangeRow {
  readonly entered: boolean
  readonly id: string
}

/** The contacts that a definition selects but that are not members of a flow, and the reverse. */
export const memberChangesStatement = (
  accountId: string,
  flowId: string,
  definition: SegmentDefinition,
  limit: number,
  now: number
): Statement => {
  const parameters = new Parameters()
  const { account, text } = matching(accountId, definition, now, parameters)
  const flow = parameters.add(flowId, "uuid")
  const most = parameters.add(limit, "bigint")
  const members = `select contact_id as id from flow_members where account_id = ${account} and flow_id = ${flow}`
  const missing = (entered: boolean, these: string, those: string) =>
    `(select ${entered} as entered, a.id from ${these} a where not exists (select from ${those} b where b.id = a.id)
      order by a.id limit ${most})`
  return {
    text: `
      with picked as materialized (${text}), member as materialized (${members})
      ${missing(true, "picked", "member")} union all ${missing(false, "member", "picked")}`,
    parameters: parameters.values
  }
}

/** The most frequent values of a field in the newest contacts or timeline entries, as rows with a `value`. */
export const valuesStatement = (accountId: string, field: CompletedField): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const newest = (what: string) => `
    select ${what} as value from contacts where account_id = ${account} and erased_at is null
    order by added_at desc, id desc limit ${maxLooked}`
  const elements = (what: string) => `
    select e.value from (${newest(what)}) n cross join lateral jsonb_array_elements_text(
      case when jsonb_typeof(n.value) = 'array' then n.value else '[]' end
    ) e`
  const source = (): string => {
    switch (field._tag) {
      case "Column":
        return newest({ city: "city", countryCode: "country_code", language: "language" }[field.column])
      case "Tags":
        return elements("tags")
      case "Attribute": {
        const key = parameters.add(field.key, "text")
        return field.isList ? elements(`attributes->${key}`) : newest(`attributes->>${key}`)
      }
      case "Events":
        return `select name as value from timeline where account_id = ${account} order by id desc limit ${maxLooked}`
    }
  }
  return {
    text: `
      select value from (${source()}) v where value <> '' group by value
      order by count(*) desc, value collate "C" limit ${maxCompleted}`,
    parameters: parameters.values
  }
}

/** The row of a page of contacts. */
export interface ContactPageRow extends PageRow {
  readonly marks: string
}

/** A page of the contacts that a definition selects. The contacts are read once. */
export const pageStatement = (
  accountId: string,
  definition: SegmentDefinition,
  page: PageRequest,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const condition = compiler.condition(definition)
  return {
    text: `
      with picked as materialized (
        select c.id, c.added_at from contacts c ${compiler.joins}
        where c.account_id = ${account} and c.erased_at is null and ${condition}
      )
      select t.*, p.* from (select count(*)::int as total, ${marksOf(account)} as marks from picked) t left join lateral (
        select ${contacts.selected("c")} from (
          select id from picked order by added_at desc, id desc
          limit ${parameters.add(page.pageSize, "bigint")} offset ${parameters.add(offsetOf(page), "bigint")}
        ) k cross join lateral (
          select * from contacts where account_id = ${account} and id = k.id limit 1
        ) c
      ) p on true order by p."addedAt" desc, p.id desc`,
    parameters: parameters.values
  }
}

/**
 * A page of all contacts. The rows before the page are skipped in the index, and only the rows of the page are read.
 */
export const listStatement = (accountId: string, page: PageRequest): Statement => ({
  text: `
    select t.*, p.* from (
      select coalesce((select contacts from contact_counts where account_id = $1::uuid), 0)::int as total,
        ${marksOf("$1::uuid")} as marks
    ) t left join lateral (
      select ${contacts.selected("c")} from (
        select id from contacts where account_id = $1::uuid and erased_at is null
        order by added_at desc, id desc limit $2::bigint offset $3::bigint
      ) k cross join lateral (
        select * from contacts where account_id = $1::uuid and id = k.id limit 1
      ) c
    ) p on true order by p."addedAt" desc, p.id desc`,
  parameters: [accountId, page.pageSize, offsetOf(page)]
})

/** The given contacts, in the order of their ids, with the change marks of the state from which they are read. */
export const shownStatement = (accountId: string, ids: ReadonlyArray<string>): Statement => ({
  text: `
    select t.*, c.* from (select 0 as total, ${marksOf("$1::uuid")} as marks) t left join (
      select ${contacts.selected("c")}, k.place from unnest($2::uuid[]) with ordinality as k(id, place) cross join lateral (
        select * from contacts where account_id = $1::uuid and id = k.id and erased_at is null limit 1
      ) c
    ) c on true order by c.place`,
  parameters: [accountId, ids]
})
