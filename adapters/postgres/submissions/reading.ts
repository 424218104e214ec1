/**
 * Reads submissions with their deliveries.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  type DeliveryRef,
  maxOfDomain,
  type SubmissionFilter,
  type SubmissionFlow,
  type SubmissionCampaign,
  type SubmissionSource,
  type SubmissionRef
} from "../../../core/ports/SubmissionStore.ts"
import { deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import { maxSmallBodies } from "../../../core/model/Submission.ts"
import { type PageRequest, placeBy } from "../../../core/shared/Page.ts"
import type { UtcDay } from "../../../core/shared/UtcDays.ts"
import { dayRows, type StatusCountRow, statusCountsOf } from "../sql/days.ts"
import { orUnavailable } from "../sql/errors.ts"
import { type PageRow, type PlanRow, sortedBy, toPage } from "../sql/pages.ts"
import { ifAny } from "../sql/results.ts"
import { refRows } from "../sql/tables.ts"
import { makeSources, placeColumns, shownColumns } from "./lists.ts"
import {
  type BodiesRow,
  campaignOf,
  contactOf,
  deliveries,
  type FileRow,
  isMarketing,
  selectedSummary,
  type SubmissionRow,
  toAttachment,
  toBodies,
  toSummary,
  toUnloaded,
  type UnloadedRow
} from "./rows.ts"

/** The names of the counts of a day's deliveries. */
const countedAs = [...deliveryStatuses, "softBounced"] as const

type CountedAs = (typeof countedAs)[number]

/** `find`, `ofKeys`, `flowsOf`, `campaignsOf`, `originsOf`, `marketingTimes`, `lastUses`, `providersOf`, `list`, `countByDay`, `unloaded`, `bodies` and `contents`. */
export const makeReading = Effect.gen(function* () {
  const sql = yield* SqlClient
  const withDeliveries = (columns: string) => `${columns}, (
      select json_agg(recipient) from (
        select ${deliveries.selected("d")} from deliveries d
        where d.account_id = s.account_id and d.submission_id = s.id order by d.position
      ) recipient
    ) as deliveries`
  /** The columns of a summary of a submission `s`. */
  const brief = sql.literal(withDeliveries(selectedSummary("s")))
  const bodyBytes = `coalesce(s.html_bytes, octet_length(s.html), 0) + coalesce(s.text_bytes, octet_length(s.text), 0)`
  const domainOf = sql.literal(`(substring(d.email from '[^@]*$') collate "C")`)
  const isSmall = `${bodyBytes} <= ${maxSmallBodies}`
  const small = (column: string) => `case when ${isSmall} then s.${column} end as ${column}`
  /** The columns of the content with the bodies of a submission `s`. The content itself is read only if `condition` holds. */
  const apart = (condition: string) => `encode(s.bodies_hash, 'hex') as hash, s.html_bytes as "htmlBytes",
    s.text_bytes as "textBytes", (
      select id from contents where account_id = s.account_id and hash = s.bodies_hash limit 1
    ) as "objectId", case when ${condition} then (
      select content from contents where account_id = s.account_id and hash = s.bodies_hash limit 1
    ) end as content`
  const bodiesColumns = sql.literal(`s.account_id as "accountId", s.id, s.html, s.text,
    ${apart("s.bodies_hash is not null")}`)
  const unloadedColumns =
    sql.literal(`${withDeliveries(selectedSummary("s"))}, ${small("html")}, ${small("text")},
    ${apart(isSmall)}, ${bodyBytes} as "bodyBytes", coalesce((
      select sum(greatest(coalesce(a.size, octet_length(a.content)), 1)) from attachments a
      where a.account_id = s.account_id and a.submission_id = s.id
    ), 0)::float8 as "attachedBytes"`)

  /** The summaries of a statement's submissions `s`. */
  const summariesOf = (rest: Fragment) =>
    Effect.map(orUnavailable(sql<SubmissionRow>`select ${brief} ${rest}`), (rows) => rows.map(toSummary))

  const find = (accountId: string, ids: ReadonlyArray<string>) =>
    summariesOf(sql`
      from (select distinct unnest(${ids}::uuid[]) as id) k cross join lateral (
        select * from submissions where account_id = ${accountId} and id = k.id limit 1
      ) s`).pipe(ifAny(ids))

  const ofKeys = (accountId: string, keys: ReadonlyArray<string>) =>
    summariesOf(sql`
      from (select distinct unnest(${keys}::text[]) as key) k cross join lateral (
        select * from submissions where account_id = ${accountId} and idempotency_key = k.key limit 1
      ) s`).pipe(ifAny(keys))

  const flowsOf = (accountId: string, ids: ReadonlyArray<string>) =>
    orUnavailable(sql<SubmissionFlow>`
      select s.id, s.flow_id as "flowId", s.run_id as "runId" from (select distinct unnest(${ids}::uuid[]) as id) k
      cross join lateral (
        select id, flow_id, run_id from submissions where account_id = ${accountId} and id = k.id limit 1
      ) s where s.flow_id is not null and s.run_id is not null`).pipe(ifAny(ids))

  const campaignsOf = (accountId: string, ids: ReadonlyArray<string>) =>
    orUnavailable(sql<SubmissionCampaign>`
      select s.id, s.campaign as "campaignId", s.contact as "contactId"
      from (select distinct unnest(${ids}::uuid[]) as id) k cross join lateral (
        select id, ${sql.literal(campaignOf("submissions"))} as campaign, ${sql.literal(contactOf("submissions"))} as contact
        from submissions where account_id = ${accountId} and id = k.id limit 1
      ) s where s.campaign is not null`).pipe(ifAny(ids))

  const originsOf = (accountId: string, ids: ReadonlyArray<string>) =>
    orUnavailable(sql<SubmissionSource>`
      select s.id, s.source as "sourceId" from (select distinct unnest(${ids}::uuid[]) as id) k
      cross join lateral (
        select id, coalesce(flow_id, ${sql.literal(campaignOf("submissions"))}) as source from submissions
        where account_id = ${accountId} and id = k.id limit 1
      ) s where s.source is not null`).pipe(ifAny(ids))

  const marketingTimes = (
    accountId: string,
    contactIds: ReadonlyArray<string>,
    after: number,
    most: number
  ) =>
    Effect.map(
      orUnavailable(sql<{ readonly contactId: string; readonly at: Date }>`
        select k.id as "contactId", s.created_at as at from (
          select distinct unnest(${contactIds}::uuid[]) as id
        ) k cross join lateral (
          select created_at from submissions s
          where account_id = ${accountId} and ${sql.literal(isMarketing("s"))} and ${sql.literal(contactOf("s"))} = k.id
            and created_at > ${new Date(after)} and exists (
              select from deliveries d where d.account_id = s.account_id and d.submission_id = s.id
                and d.status <> 'Suppressed' and not (d.status = 'Failed' and d.reason = 'sending.cancelled')
            )
          order by created_at desc limit ${most}
        ) s order by s.created_at desc`).pipe(ifAny(contactIds)),
      (rows) =>
        new Map(
          [...Map.groupBy(rows, ({ contactId }) => contactId)].map(([contactId, group]) => [
            contactId,
            group.map(({ at }) => at.getTime())
          ])
        )
    )

  const lastUses = (accountId: string, templateIds: ReadonlyArray<string>) =>
    Effect.map(
      orUnavailable(sql<{ readonly id: string; readonly at: Date }>`
        select t.id, s.created_at as at from (
          select distinct unnest(${templateIds}::uuid[]) as id
        ) t cross join lateral (
          select created_at from submissions
          where account_id = ${accountId} and template_id = t.id and template_id is not null
          order by created_at desc, id desc limit 1
        ) s`).pipe(ifAny(templateIds)),
      (rows) => new Map(rows.map(({ at, id }) => [id, at.getTime()]))
    )

  // Written as a range of the column, for which only the index of domains can be used.
  const providersOf = (accountId: string, domains: ReadonlyArray<string>) =>
    Effect.map(
      orUnavailable(sql<{ readonly domain: string; readonly provider: string }>`
        select v.value as domain, f.provider from (
          select distinct unnest(${domains}::text[]) as value
        ) v cross join lateral (
          select r.provider from (
            select d.provider, d.created_at from deliveries d
            where d.account_id = ${accountId} and ${domainOf} >= v.value and ${domainOf} <= v.value
            order by ${domainOf} desc, d.created_at desc, d.submission_id desc limit ${maxOfDomain}
          ) r where r.provider is not null order by r.created_at desc limit 1
        ) f`).pipe(ifAny(domains)),
      (rows) => new Map(rows.map(({ domain, provider }) => [domain, provider]))
    )

  const sourcesOf = makeSources(sql)

  const list = Effect.fnUntraced(function* (accountId: string, filter: SubmissionFilter, page: PageRequest) {
    const { all, ctes, shown, total } = yield* sourcesOf(accountId, filter, page)
    const rows = yield* orUnavailable(sql<PageRow & SubmissionRow>`
      ${ctes} select c.*, p.* from (${total}) c left join lateral (
        select ${brief} from (
          select id from (${shown}) f
          order by ${sortedBy(sql, page, placeColumns)} limit ${page.pageSize + 1}
        ) shown cross join lateral (
          select * from submissions where account_id = ${accountId} and id = shown.id limit 1
        ) s
      ) p on true order by ${sortedBy(sql, page, shownColumns)}`)
    return yield* toPage(rows, page, {
      decode: toSummary,
      placeOf: placeBy("createdAt"),
      explained: sql<PlanRow>`explain (format json) ${all}`
    })
  })

  const countByDay = (accountId: string, days: ReadonlyArray<UtcDay>) =>
    statusCountsOf(
      sql<StatusCountRow<CountedAs>>`
        with day as materialized (select d.place::int, d.since, d.until from ${dayRows(sql, days)})
        select d.place, s.status, c.count
        from unnest(${deliveryStatuses}::text[]) as s(status) cross join day d cross join lateral (
          select count(*)::float8 as count from deliveries
          where account_id = ${accountId} and status = s.status
            and created_at >= d.since and created_at < d.until
        ) c where c.count > 0
        union all
        select d.place, 'softBounced', c.count from day d cross join lateral (
          select count(*)::float8 as count from deliveries
          where account_id = ${accountId} and status = 'Failed' and reason = 'sending.mailbox_full'
            and created_at >= d.since and created_at < d.until
        ) c`,
      days,
      countedAs
    ).pipe(Effect.map((counts) => counts.map(({ softBounced, ...statuses }) => ({ statuses, softBounced }))))

  const unloaded = (refs: ReadonlyArray<DeliveryRef>) =>
    orUnavailable(sql<UnloadedRow>`
      select ${unloadedColumns} from (
        select distinct d.account_id, d.submission_id from ${refRows(sql, refs)} cross join lateral (
          select account_id, submission_id from deliveries where account_id = account and id = key limit 1
        ) d
      ) wanted cross join lateral (
        select * from submissions where account_id = wanted.account_id and id = submission_id limit 1
      ) s`).pipe(
      ifAny(refs),
      Effect.map((rows) => rows.map(toUnloaded))
    )

  const bodies = (refs: ReadonlyArray<SubmissionRef>) =>
    orUnavailable(sql<SubmissionRef & BodiesRow>`
      select s.* from (select distinct account, key from ${refRows(sql, refs)}) r cross join lateral (
        select ${bodiesColumns} from submissions s
        where account_id = account and id = key limit 1
      ) s`).pipe(
      ifAny(refs),
      Effect.map((rows) => rows.map((row) => ({ accountId: row.accountId, id: row.id, ...toBodies(row) })))
    )

  const filesOf = (refs: ReadonlyArray<SubmissionRef>) =>
    orUnavailable(sql<FileRow>`
      select a.*, c.id as "objectId", coalesce(a.stored, c.content) as content
      from (select distinct account, key from ${refRows(sql, refs)}) r cross join lateral (
        select account_id as "accountId", submission_id as "submissionId", position, filename,
          content_type as "contentType", content_id as "contentId", content as stored, hash as name,
          encode(hash, 'hex') as hash
        from attachments where account_id = account and submission_id = key offset 0
      ) a left join lateral (
        select id, content from contents where account_id = account and hash = a.name limit 1
      ) c on true order by a."submissionId", a.position`).pipe(
      ifAny(refs),
      Effect.map((found) => Map.groupBy(found, (file) => file.submissionId))
    )

  const contents = Effect.fnUntraced(function* (refs: ReadonlyArray<SubmissionRef>) {
    const found = yield* bodies(refs)
    const files = yield* filesOf(found)
    return found.map((one) => ({ ...one, attachments: (files.get(one.id) ?? []).map(toAttachment) }))
  })

  return {
    find,
    ofKeys,
    flowsOf,
    campaignsOf,
    originsOf,
    marketingTimes,
    lastUses,
    providersOf,
    list,
    countByDay,
    unloaded,
    bodies,
    contents
  }
})
