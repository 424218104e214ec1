/**
 * Stores campaigns in the database. Triggers count recipients, emails and clicks: see `migrations/0052_campaigns.ts` and
 * `0081_campaign_tallies.ts`.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Fragment, join } from "effect/sql/Statement"
import {
  type Campaign,
  clockReasons,
  emptyDefinition,
  type CampaignNamed,
  type CampaignProgress,
  type CampaignStatus,
  type CampaignTest,
  type CampaignUse,
  type CampaignVersion,
  type RecipientDecision,
  type RecipientReason
} from "../../core/model/Campaign.ts"
import {
  breakdownCounts,
  type BreakdownRow,
  type CampaignRef,
  CampaignStore,
  type CampaignVersionRef,
  type LinkCount,
  type RecipientResult,
  type VariantCount,
  type VersionSubjects
} from "../../core/ports/CampaignStore.ts"
import { partCount } from "../../core/campaigns/CampaignRules.ts"
import { listRecipients, recipientColumns, recipientPart } from "./campaigns/recipients.ts"
import { visitConditions, visitedByOf } from "./submissions/visitedBy.ts"
import { mapPage } from "../../core/shared/Page.ts"
import { columnOf, columnsOf } from "./sql/columns.ts"
import type { SortColumn } from "./sql/pages.ts"
import { folded, sortedList } from "./sql/sortedLists.ts"
import { orConflict, orUnavailable } from "./sql/errors.ts"
import { countOf, execute, first, ifAny } from "./sql/results.ts"
import { refRows, tableOf } from "./sql/tables.ts"
import { deliveries } from "./submissions/rows.ts"

const columns = columnsOf<Campaign>({
  accountId: "uuid",
  id: "uuid",
  name: "text",
  status: "text",
  statusReason: "text",
  statusAt: "timestamptz",
  definition: "jsonb",
  version: "integer",
  startAt: "timestamptz",
  launchedAt: "timestamptz",
  baseline: "jsonb",
  test: "jsonb",
  approval: "jsonb",
  createdBy: "jsonb",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  updatedBy: "jsonb"
})

const versionColumns = columnsOf<CampaignVersion>({
  accountId: "uuid",
  campaignId: "uuid",
  version: "integer",
  name: "text",
  templateId: "uuid",
  templateVersion: "integer",
  subject: "text",
  preheader: "text",
  html: "text",
  text: "text",
  from: "jsonb",
  replyTo: "jsonb",
  topicId: "uuid",
  parts: "jsonb",
  utm: "jsonb",
  tracking: "jsonb",
  createdAt: "timestamptz",
  createdBy: "jsonb"
})

const subjectColumns = columnsOf<VersionSubjects>({
  campaignId: "uuid",
  version: "integer",
  subject: "text",
  parts: "jsonb"
})

const progressColumns = columnsOf<CampaignProgress>({
  accountId: "uuid",
  campaignId: "uuid",
  asOf: "timestamptz",
  segments: "jsonb",
  position: "jsonb",
  isComplete: "boolean",
  pacedAt: "timestamptz",
  recent: "jsonb",
  updatedAt: "timestamptz"
})

const decisionColumns = columnsOf<RecipientDecision>({
  contactId: "uuid",
  state: "text",
  reason: "text",
  variant: "text",
  dueAt: "timestamptz",
  version: "integer",
  deliveryId: "uuid",
  addressHash: "text",
  heldSince: "timestamptz",
  renderError: "jsonb"
})

/** How many bytes of an address's hash are stored. They suffice to distinguish the addresses of a campaign. */
const hashBytes = 16

const changing = [
  "name",
  "status",
  "statusReason",
  "statusAt",
  "definition",
  "version",
  "startAt",
  "launchedAt",
  "baseline",
  "test",
  "approval",
  "updatedAt",
  "updatedBy"
] as const

/** The orders of a list other than by creation. */
const sorts: ReadonlyMap<string, SortColumn> = new Map([
  ["updated", { column: "i.updated_at", kind: "Time" }],
  ["started", { column: "coalesce(i.start_at, 'epoch')", kind: "Time" }],
  ["name", { column: folded("i.name"), kind: "Text" }]
])

/** The id that precedes all others. */
const firstId = "00000000-0000-0000-0000-000000000000"

const isDelivered = "d.status in ('Delivered', 'Sent', 'Accepted')"

/** When a person did what a test's metric counts, from the person's emails `d` and their visits `v`; null for never. */
const reachedAt: Readonly<Record<CampaignTest["metric"], string>> = {
  Opens: "v.reader_opened_at",
  Clicks: "v.reader_clicked_at",
  Conversions:
    "(select min(ordered_at) from conversions o where o.account_id = d.account_id and o.delivery_id = d.id)"
}

/** The sums that make up a breakdown. */
const tallies = breakdownCounts.map((name) => `sum(${columnOf(name)})::float8 as "${name}"`).join(", ")

/** SQL for the name under which a visit is counted; null for visits that are not counted. */
const visitNames = (["opened", "clicked"] as const)
  .map((kind) => {
    const cases = Object.entries(visitConditions[kind]).map(
      ([by, test]) => `when ${test} then '${kind}:${by}'`
    )
    return `case ${cases.join(" ")} end`
  })
  .join(", ")

/** Completes the definition of a campaign stored by a version with fewer options. */
const completed = (campaign: Campaign): Campaign => ({
  ...campaign,
  definition: { ...emptyDefinition, ...campaign.definition }
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const campaigns = yield* tableOf("campaigns", columns)
  const versions = yield* tableOf("campaign_versions", versionColumns)
  const subjects = yield* tableOf("campaign_versions", subjectColumns)
  const progress = yield* tableOf("campaign_progress", progressColumns)
  const recipients = yield* tableOf("campaign_recipients", recipientColumns)
  const emails = yield* tableOf("deliveries", deliveries)
  const decisionRecord = sql.literal(`r(${decisionColumns.recordset})`)

  const progressOf = (accountId: string, id: string, lock: "" | "for update") =>
    first(
      progress.select(sql`
        from campaign_progress where account_id = ${accountId} and campaign_id = ${id} ${sql.literal(lock)}`)
    )

  /** Pending recipients of each part. Each part is read in the order of an index until enough are found. */
  const pendingOf = (accountId: string, id: string, parts: ReadonlyArray<number>, rest: Fragment) =>
    join(
      " union all ",
      false
    )(
      parts.map(
        (part) => sql`(
          select * from campaign_recipients where account_id = ${accountId} and campaign_id = ${id}
            and ${sql.literal(`${recipientPart} = ${part}`)} and state = 'Pending' ${rest})`
      )
    )
  const everyPart = Array.from({ length: partCount }, (_, part) => part)

  /** Existing versions without duplicates, as the table `campaign_versions` in a statement. It reads only `selected`. */
  const versionRows = (refs: ReadonlyArray<CampaignVersionRef>, selected: string) => sql`(
      select distinct account, campaign, number from rows from (
        unnest(${refs.map(({ accountId }) => accountId)}::uuid[]),
        unnest(${refs.map(({ campaignId }) => campaignId)}::uuid[]),
        unnest(${refs.map(({ version }) => version)}::int[])
      ) as r(account, campaign, number)
    ) r cross join lateral (
      select ${sql.literal(selected)} from campaign_versions
      where account_id = account and campaign_id = campaign and version = number limit 1
    ) campaign_versions`

  /** `core/model/Campaign.ts: isNaming`, in SQL. */
  const isNaming = (named: CampaignNamed) => {
    if ("topic" in named) return sql`definition ->> 'topic' = ${named.topic}`
    if ("templateId" in named) {
      return sql`jsonb_path_exists(
        definition, '$.**.templateId ? (@ == $id)', jsonb_build_object('id', ${named.templateId}::text))`
    }
    const ids = [named.segmentId]
    return sql`(definition -> 'audience' -> 'segments' ?| ${ids}::text[]
      or definition -> 'audience' -> 'exclude' ?| ${ids}::text[])`
  }

  /** The counts in the rows of a statement, by name. */
  const toMap = (rows: ReadonlyArray<{ readonly name: string; readonly count: number }>) =>
    new Map(rows.map(({ count, name }) => [name, count]))

  return CampaignStore.of({
    insert: (added) => campaigns.insertMany([added]),
    find: (accountId, ids) =>
      campaigns.select(sql`from campaigns where account_id = ${accountId} and id = any(${ids}::uuid[])`).pipe(
        ifAny(ids),
        Effect.map((found) => found.map(completed))
      ),
    lock: (accountId, id) =>
      Effect.map(
        first(
          campaigns.select(sql`from campaigns where account_id = ${accountId} and id = ${id} for update`)
        ),
        (campaign) => campaign && completed(campaign)
      ),
    save: (changed) => Effect.asVoid(campaigns.update(changed, changing, ["accountId", "id"])),
    remove: Effect.fnUntraced(function* (accountId, id) {
      for (const table of [
        "recipients",
        "progress",
        "versions",
        "counts",
        "tallies",
        "links",
        "earnings",
        "comparison"
      ]) {
        yield* execute(sql`
          delete from ${sql.literal(`campaign_${table}`)} where account_id = ${accountId} and campaign_id = ${id}`)
      }
      yield* execute(sql`delete from campaigns where account_id = ${accountId} and id = ${id}`)
    }),
    list: (
      accountId,
      {
        currentSince = null,
        isApprovalRequested = false,
        isArchived = null,
        q = null,
        segment = null,
        status,
        tag = null,
        topic = null,
        ...range
      },
      page
    ) => {
      // Written out, so that the index of these is used.
      const waiting = sql.literal("approval ->> 'state' = 'Requested' and status in ('Draft', 'Paused')")
      const passing = sql.and([
        sql`account_id = ${accountId}`,
        ...(isApprovalRequested ? [waiting] : []),
        ...(currentSince === null
          ? []
          : [
              sql`(status in ('Sending', 'Paused') or (${waiting})
                or (status = 'Sent' and status_at >= ${new Date(currentSince)}))`
            ]),
        ...(isArchived === null
          ? []
          : [sql`coalesce((definition ->> 'isArchived')::boolean, false) = ${isArchived}`]),
        ...(tag === null ? [] : [sql`definition -> 'tags' ?| ${tag}::text[]`]),
        ...(topic === null ? [] : [sql`definition ->> 'topic' = any(${topic}::text[])`]),
        ...(segment === null ? [] : [sql`definition -> 'audience' -> 'segments' ?| ${segment}::text[]`]),
        ...(q === null
          ? []
          : [
              sql`(strpos(lower(name), lower(${q})) > 0
                or strpos(lower(definition -> 'content' ->> 'subject'), lower(${q})) > 0)`
            ])
      ])
      const by = sorts.get(page.sort?.by ?? "")
      const { since = null, until = null } = range
      const at = (time: number | null) => (time === null ? null : new Date(time))
      const found =
        by === undefined
          ? campaigns.page(page, passing, [{ column: "status", type: "text", values: status }], range)
          : sortedList(sql, page, {
              table: "campaigns",
              passing: sql`${passing}
                and (${status ?? null}::text[] is null or status = any(${status ?? null}::text[]))
                and (${at(since)}::timestamptz is null or created_at >= ${at(since)})
                and (${at(until)}::timestamptz is null or created_at < ${at(until)})`,
              by,
              columns: sql.literal(columns.selected("i")),
              decode: columns.decode
            })
      return Effect.map(found, (shown) => mapPage(shown, completed))
    },
    count: (accountId, status) =>
      countOf(sql`
        select count(*)::float8 as count from campaigns
        where account_id = ${accountId} and (${status}::text is null or status = ${status})`),
    bySlug: (accountId, slug) =>
      Effect.map(
        first(
          campaigns.select(sql`
            from campaigns where account_id = ${accountId} and definition -> 'archive' ->> 'slug' = ${slug}`)
        ),
        (campaign) => campaign && completed(campaign)
      ),
    archived: (accountId, limit, offset) =>
      Effect.map(
        campaigns.select(sql`
          from campaigns where account_id = ${accountId} and status = 'Sent'
            and definition -> 'archive' ->> 'public' = 'true'
          order by start_at desc, id desc limit ${limit} offset ${offset}`),
        (found) => found.map(completed)
      ),
    inStatus: (accountId, statuses, limit, starting) =>
      Effect.map(
        campaigns.select(sql`
          from campaigns where account_id = ${accountId} and status = any(${statuses}::text[]) ${
            starting === undefined
              ? sql``
              : sql`and coalesce(start_at, status_at) > ${new Date(starting.after)}
                  and coalesce(start_at, status_at) < ${new Date(starting.before)}`
          } order by created_at desc, id desc limit ${limit}`),
        (found) => found.map(completed)
      ),
    uses: (accountId, statuses, named, limit) =>
      orUnavailable(sql<CampaignUse>`
        select id, name, status from campaigns
        where account_id = ${accountId} and status = any(${statuses}::text[]) ${
          named === null ? sql`` : sql`and ${isNaming(named)}`
        } limit ${limit}`),
    // No index has the recipients without a reason, who are most of an audience; their number is the difference of the
    // counts. Other recipients are looked up for each campaign separately, never over all accounts at once.
    withWaiting: (accountId, reason) =>
      orUnavailable(sql<CampaignRef>`
        select c.account_id as "accountId", c.id from campaigns c
        where c.status in ('Sending', 'Paused') and (${accountId}::uuid is null or c.account_id = ${accountId}) and ${
          reason === null
            ? sql`(
                select sum(case name when 'r:Pending' then count else -count end) from campaign_counts
                where account_id = c.account_id and campaign_id = c.id and (name = 'r:Pending' or name like 'p:%')
              ) > 0`
            : sql`exists (
                select from campaign_recipients where account_id = c.account_id and campaign_id = c.id and state = 'Pending'
                  and reason = ${reason}
                offset 0
              )`
        }`),
    addVersion: (added) => versions.insertMany([added]),
    versions: (refs) => versions.select(sql`from ${versionRows(refs, "*")}`).pipe(ifAny(refs)),
    subjects: (refs) =>
      subjects
        .select(sql`
          from ${versionRows(
            refs,
            `account_id, campaign_id, version, subject, (
              select jsonb_agg(jsonb_build_object(
                'variant', part -> 'variant', 'language', part -> 'language', 'subject', part -> 'subject'
              ) order by place) from jsonb_array_elements(parts) with ordinality p(part, place)
            ) as parts`
          )}`)
        .pipe(ifAny(refs)),
    statuses: (refs) =>
      Effect.map(
        orUnavailable(sql<{ readonly key: string; readonly status: CampaignStatus }>`
          select account || '/' || key as key, c.status from ${refRows(sql, refs)} cross join lateral (
            select status from campaigns where account_id = account and id = key limit 1
          ) c`).pipe(ifAny(refs)),
        (rows) => new Map(rows.map(({ key, status }) => [key, status]))
      ),
    lockBatch: Effect.fnUntraced(function* (accountId, id, now) {
      const campaign = yield* first(
        campaigns.select(sql`from campaigns where account_id = ${accountId} and id = ${id} for share`)
      )
      if (campaign === null) return null
      const stored = yield* progressOf(accountId, id, "for update")
      if (stored !== null) return { campaign: completed(campaign), progress: stored }
      yield* execute(sql`
        insert into campaign_progress (account_id, campaign_id, is_complete, updated_at)
        values (${accountId}, ${id}, false, ${new Date(now)}) on conflict do nothing`)
      const added = yield* progressOf(accountId, id, "for update")
      return added === null ? null : { campaign: completed(campaign), progress: added }
    }),
    lockShared: (accountId, id) =>
      Effect.map(
        first(campaigns.select(sql`from campaigns where account_id = ${accountId} and id = ${id} for share`)),
        (campaign) => campaign && completed(campaign)
      ),
    progress: (accountId, id) => progressOf(accountId, id, ""),
    saveProgress: (changed) =>
      Effect.asVoid(
        progress.update(
          changed,
          ["asOf", "segments", "position", "isComplete", "pacedAt", "recent", "updatedAt"],
          ["accountId", "campaignId"]
        )
      ),
    due: (accountId, id, part, now, limit) => {
      const rest = sql`and due_at <= ${new Date(now)} order by due_at, contact_id limit ${limit}`
      return recipients.select(sql`
        from (${pendingOf(accountId, id, part === null ? everyPart : [part], rest)}) campaign_recipients
        order by due_at, contact_id limit ${limit}`)
    },
    lockDue: (accountId, id, contactIds, now) =>
      recipients
        .select(sql`
          from campaign_recipients
          where account_id = ${accountId} and campaign_id = ${id} and contact_id = any(${contactIds}::uuid[])
            and state = 'Pending' and due_at <= ${new Date(now)}
          order by due_at, contact_id for update skip locked`)
        .pipe(ifAny(contactIds)),
    waitingByClock: (accountId, id, after, now, limit) =>
      recipients.select(sql`
        from campaign_recipients
        where account_id = ${accountId} and campaign_id = ${id} and (${after}::uuid is null or contact_id > ${after}::uuid)
          and state = 'Pending' and due_at > ${new Date(now)}
          and (reason is null or reason = any(${clockReasons}::text[]))
        order by contact_id limit ${limit}`),
    nextDueAt: (accountId, id) =>
      Effect.map(
        orUnavailable(sql<{ readonly at: Date }>`
          select due_at as at from (${pendingOf(accountId, id, everyPart, sql`order by due_at limit 1`)}) r
          order by due_at limit 1`),
        ([row]) => row?.at.getTime() ?? null
      ),
    nextDueBy: (accountId, id, reasons) =>
      Effect.map(
        orUnavailable(sql<{ readonly reason: RecipientReason; readonly at: Date }>`
          select k.reason, r.due_at as at from unnest(${reasons}::text[]) as k(reason) cross join lateral (
            select due_at from campaign_recipients
            where account_id = ${accountId} and campaign_id = ${id} and state = 'Pending' and reason = k.reason
            order by due_at limit 1
          ) r`).pipe(ifAny(reasons)),
        (rows) => new Map(rows.map(({ at, reason }) => [reason, at.getTime()]))
      ),
    takenHashes: (accountId, id, hashes) =>
      Effect.map(
        orUnavailable(sql<{ readonly hash: string }>`
          select h.hash from (select distinct unnest(${hashes}::text[]) as hash) h cross join lateral (
            select from campaign_recipients where account_id = ${accountId} and campaign_id = ${id}
              and address_hash = substr(decode(h.hash, 'hex'), 1, ${hashBytes}::int) limit 1
          ) r`).pipe(ifAny(hashes)),
        (rows) => rows.map(({ hash }) => hash)
      ),
    decide: (accountId, id, decisions, now) =>
      orConflict(sql<{ readonly id: string }>`
        update campaign_recipients c set state = r.state, reason = r.reason, variant = r.variant, due_at = r."dueAt", version = r.version,
          delivery_id = r."deliveryId", address_hash = substr(decode(r."addressHash", 'hex'), 1, ${hashBytes}::int),
          decided_at = case when r.state = 'Pending' then r."heldSince" else ${new Date(now)} end, render_error = r."renderError",
          moved_at = null
        from json_to_recordset(${decisionColumns.encode(decisions)}::json) as ${decisionRecord}
        where c.account_id = ${accountId} and c.campaign_id = ${id} and c.contact_id = r."contactId"
          and c.state = 'Pending'
        returning c.contact_id as id`).pipe(
        ifAny(decisions),
        Effect.map((rows) => rows.map((row) => row.id))
      ),
    release: (accountId, id, { reason, variant }, limit, now) =>
      Effect.map(
        orUnavailable(sql<{ readonly id: string }>`
          update campaign_recipients c set due_at = ${new Date(now)}, reason = null,
            variant = coalesce(${variant}::text, c.variant)
          from (
            select contact_id from campaign_recipients
            where account_id = ${accountId} and campaign_id = ${id} and state = 'Pending' and reason = ${reason}
            order by due_at desc, contact_id desc limit ${limit}
          ) r where c.account_id = ${accountId} and c.campaign_id = ${id} and c.contact_id = r.contact_id
            and c.state = 'Pending' returning c.contact_id as id`),
        (rows) => rows.length
      ),
    retry: (accountId, id, { isUnrendered, reasons }, after, limit, now) =>
      Effect.map(
        orUnavailable(sql<{ readonly count: number; readonly last: string | null }>`
        with chosen as materialized (
          select r.contact_id, r.delivery_id from campaign_recipients r
          left join deliveries d on d.account_id = r.account_id and d.id = r.delivery_id
          where r.account_id = ${accountId} and r.campaign_id = ${id} and (${after}::uuid is null or r.contact_id > ${after}::uuid) and (
            (${isUnrendered}::boolean and r.state = 'Skipped' and r.reason = 'campaigns.render_failed')
            or (r.state = 'Skipped' and r.reason = any(${reasons}::text[]))
            or (r.state = 'Submitted' and d.status = 'Failed' and d.reason = any(${reasons}::text[]))
          ) order by r.contact_id limit ${limit} for update of r
        ), left_out as (
          update deliveries d set campaign_id = null from chosen
          where d.account_id = ${accountId} and d.id = chosen.delivery_id
        ), again as (
          update campaign_recipients r set state = 'Pending', reason = null, due_at = ${new Date(now)}, version = null,
            delivery_id = null, address_hash = null, decided_at = null, render_error = null
          from chosen where r.account_id = ${accountId} and r.campaign_id = ${id} and r.contact_id = chosen.contact_id
          returning 1
        ) select count(*)::int as count, (select contact_id from chosen order by contact_id desc limit 1) as last from again`),
        ([row]) => row!
      ),
    testedAt: (accountId, id) =>
      Effect.map(
        orUnavailable(sql<{ readonly at: Date | null }>`
          select max(a.finished_at) as at
          from campaign_recipients r cross join lateral (
            select finished_at from attempts
            where account_id = r.account_id and delivery_id = r.delivery_id and outcome <> 'Held' order by claim limit 1
          ) a where r.account_id = ${accountId} and r.campaign_id = ${id} and r.variant is not null`),
        ([row]) => row!.at?.getTime() ?? null
      ),
    variantResults: (accountId, id, metric, until) =>
      orUnavailable(sql<VariantCount>`
        select r.variant, count(*)::float8 as delivered,
          (count(*) filter (where ${sql.literal(reachedAt[metric])} < ${new Date(until)}))::float8 as reached
        from campaign_recipients r join deliveries d on d.account_id = r.account_id and d.id = r.delivery_id
        left join delivery_visits v on v.account_id = d.account_id and v.delivery_id = d.id
        where r.account_id = ${accountId} and r.campaign_id = ${id} and r.variant is not null
          and ${sql.literal(isDelivered)} group by r.variant order by r.variant`),
    breakdown: (accountId, id, by, limit) =>
      orUnavailable(sql<BreakdownRow>`
        select key, ${sql.literal(tallies)} from campaign_tallies
        where account_id = ${accountId} and campaign_id = ${id} and by = ${by}
        group by key having sum(submitted) > 0 order by 2 desc, 1 limit ${limit}`),
    linkClicks: (accountId, id, limit) =>
      orUnavailable(sql<LinkCount>`
        select version, variant, link, sum(human)::float8 as human, sum(unknown)::float8 as unknown,
          sum(machine)::float8 as machine, sum(clicks)::float8 as clicks, min(first_at) as "firstAt", max(last_at) as "lastAt"
        from campaign_links where account_id = ${accountId} and campaign_id = ${id}
        group by version, variant, link having sum(clicks) > 0 order by 7 desc, link, version, variant limit ${limit}`),
    cancelPending: (accountId, id, limit, now) =>
      countOf(sql`
        with gone as (
          update campaign_recipients set state = 'Cancelled', reason = 'sending.cancelled', decided_at = ${new Date(now)}
          where account_id = ${accountId} and campaign_id = ${id} and contact_id = any(array(
            select contact_id from campaign_recipients
            where account_id = ${accountId} and campaign_id = ${id} and state = 'Pending'
            limit ${limit} for update
          )) returning 1
        ) select count(*)::int as count from gone`),
    queued: (accountId, id, reason, after, limit) =>
      emails.select(sql`
        from deliveries
        where account_id = ${accountId} and campaign_id = ${id} and status = 'Queued'
          and (${reason}::text is null or reason = ${reason})
          and (attempts, id) > (${after?.attempts ?? -1}::int, ${after?.id ?? firstId}::uuid)
        order by attempts, id limit ${limit}`),
    untriedByDomain: (accountId, id) =>
      Effect.map(
        orUnavailable(sql<{ readonly name: string; readonly count: number }>`
          select coalesce(key, '') as name, sum(untried)::float8 as count from campaign_tallies
          where account_id = ${accountId} and campaign_id = ${id} and by = 'Domain' and untried <> 0
          group by key having sum(untried) > 0`),
        toMap
      ),
    inReview: (accountId, id, limit) =>
      emails.select(sql`
        from deliveries where account_id = ${accountId} and campaign_id = ${id} and status = 'PendingReview'
        order by attempts, id limit ${limit}`),
    counts: (accountId, ids) =>
      Effect.map(
        orUnavailable(sql<{ readonly id: string; readonly name: string; readonly count: number }>`
          select campaign_id as id, name, sum(count)::float8 as count from campaign_counts
          where account_id = ${accountId} and campaign_id = any(${ids}::uuid[]) group by campaign_id, name`).pipe(
          ifAny(ids)
        ),
        (rows) => {
          const byId = Map.groupBy(rows, (row) => row.id)
          return ids.map((id) => toMap(byId.get(id) ?? []))
        }
      ),
    recount: (accountId, id) =>
      Effect.map(
        orUnavailable(sql<{ readonly name: string; readonly count: number }>`
          select name, count(*)::float8 as count from (
            select unnest(array_remove(array[
              'r:' || state, case state when 'Skipped' then 's:' || reason when 'Pending' then 'p:' || reason end
            ], null)) as name from campaign_recipients where account_id = ${accountId} and campaign_id = ${id}
            union all
            select unnest(array_remove(array[
              'd:' || status,
              case when attempts = 0 and status in ('Queued', 'HandingOff', 'PendingReview') then 'd:untried' end,
              case when attempts > 0 and status = 'Queued' then 'd:retrying' end,
              case when status = 'Queued' and reason is not null then 'q:' || reason end,
              case when status = 'Failed' and reason = 'sending.mailbox_full' then 'd:softBounced' end,
              case when complained_at is not null then 'd:complained' end,
              case when unsubscribed_at is not null then 'd:unsubscribed' end,
              case when topic_off_at is not null then 'd:topicOff' end
            ], null)) from deliveries where account_id = ${accountId} and campaign_id = ${id}
            union all
            select unnest(array[${sql.literal(visitNames)}]) from delivery_visits
            where account_id = ${accountId} and campaign_id = ${id}
          ) n where name is not null group by name`),
        toMap
      ),
    compact: (accountId, id) =>
      execute(sql`
        select svc_add_up_campaign(${accountId}, ${id}), svc_add_up_earnings(${accountId}, ${id}),
          svc_add_up_comparison(${accountId}, ${id})`),
    recipients: listRecipients(sql),
    results: (accountId, deliveryIds) =>
      orUnavailable(sql<RecipientResult>`
        select k.id as "deliveryId", ${sql.literal(visitedByOf("opened", "k"))} as "openedBy",
          ${sql.literal(visitedByOf("clicked", "k"))} as "clickedBy",
          coalesce(array(select jsonb_object_keys(v.links)), '{}') as links, c.count as conversions
        from (select ${accountId}::uuid as account_id, id from (select distinct unnest(${deliveryIds}::uuid[]) as id) i) k
        left join lateral (
          select links from delivery_visits where account_id = k.account_id and delivery_id = k.id limit 1
        ) v on true
        cross join lateral (
          select count(*)::float8 as count from conversions where account_id = k.account_id and delivery_id = k.id
        ) c where v.links is not null or c.count > 0`).pipe(ifAny(deliveryIds)),
    recipient: (accountId, id, contactId) =>
      first(
        recipients.select(sql`
          from campaign_recipients
          where account_id = ${accountId} and campaign_id = ${id} and contact_id = ${contactId}`)
      ),
    // Batches lock recipients before contacts, so this skips locked rows instead of waiting.
    reconsider: (accountId, contactIds, now) =>
      execute(sql`
        update campaign_recipients r set due_at = ${new Date(now)},
          moved_at = case when r.reason is null then ${new Date(now)} end
        from (
          select campaign_id, contact_id from campaign_recipients
          where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) and state = 'Pending'
            and due_at > ${new Date(now)} and (reason is null or reason = any(${clockReasons}::text[]))
          for update skip locked
        ) w where r.account_id = ${accountId} and r.campaign_id = w.campaign_id and r.contact_id = w.contact_id`).pipe(
        ifAny(contactIds)
      ),
    erase: (accountId, contactIds) =>
      execute(sql`
        delete from campaign_recipients where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(
        ifAny(contactIds)
      )
  })
}).pipe(Layer.effect(CampaignStore))
