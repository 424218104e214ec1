/**
 * Stores visits of deliveries in the database, with one row for each visited delivery.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { join } from "effect/sql/Statement"
import { type DeliveryVisits, noVisits, type Visit } from "../../core/model/Visit.ts"
import { type ReaderClicks, type VisitedCounts, VisitStore } from "../../core/ports/VisitStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { dayRows, type StatusCountRow, statusCountsOf } from "./sql/days.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, idsOf, ifAny } from "./sql/results.ts"
import { counted } from "./submissions/visitedBy.ts"
import { refRows, tableOf } from "./sql/tables.ts"

const columns = columnsOf<DeliveryVisits>({
  accountId: "uuid",
  deliveryId: "uuid",
  visits: "jsonb",
  opens: "jsonb",
  clicks: "jsonb",
  links: "jsonb",
  flowId: "uuid",
  campaignId: "uuid",
  contactId: "uuid",
  firstOpenedAt: "timestamptz",
  firstClickedAt: "timestamptz",
  readerOpenedAt: "timestamptz",
  readerClickedAt: "timestamptz",
  readerClicks: "jsonb"
})

const keys: ReadonlySet<string> = new Set(["accountId", "deliveryId"])

type Counted = keyof typeof counted
const countNames = Object.keys(counted) as ReadonlyArray<Counted>

const countsOf = ({
  clickedByReaders,
  openedByReaders,
  ...counts
}: Readonly<Record<Counted, number>>): VisitedCounts => ({
  ...counts,
  opened: openedByReaders - counts.openedUnknown,
  clicked: clickedByReaders - counts.clickedUnknown
})

/** The port over a `SqlClient`. `offset 0` makes each a look-up by key, whatever the planner's statistics. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("delivery_visits", columns)
  const { clicks, opens } = noVisits("", "")

  return VisitStore.of({
    // The write locks the row and returns its latest version, whereas `for update` would return an older one. Sorted, so
    // that two overlapping batches cannot deadlock.
    lock: (refs) =>
      table
        .returning(sql`
          insert into delivery_visits (account_id, delivery_id, visits, opens, clicks)
          select account, key, '[]', ${JSON.stringify(opens)}::jsonb, ${JSON.stringify(clicks)}::jsonb from (
            select distinct account, key from ${refRows(sql, refs)} order by account, key
          ) r cross join lateral (
            select 1 from deliveries where account_id = r.account and id = r.key limit 1 for key share
          ) d
          on conflict (account_id, delivery_id) do update set visits = delivery_visits.visits`)
        .pipe(ifAny(refs)),
    put: (given) =>
      table.insertMany(
        given,
        `order by "accountId", "deliveryId" on conflict (account_id, delivery_id) do update set
          ${columns.replaced(columns.order.filter((field) => !keys.has(field)))}`
      ),
    of: (refs) =>
      table
        .select(sql`
          from ${refRows(sql, refs)} cross join lateral (
            select * from delivery_visits where account_id = account and delivery_id = key offset 0
          ) delivery_visits`)
        .pipe(ifAny(refs)),
    readerClicks: (accountId, contactIds) =>
      orUnavailable(sql<ReaderClicks>`
        select v.delivery_id as "deliveryId", v.flow_id as "flowId", v.campaign_id as "campaignId",
          v.contact_id as "contactId", v.reader_clicks as clicks
        from (select distinct unnest(${contactIds}::uuid[]) as id) k cross join lateral (
          select delivery_id, flow_id, campaign_id, contact_id, reader_clicks from delivery_visits
          where account_id = ${accountId} and contact_id = k.id offset 0
        ) v where coalesce(v.flow_id, v.campaign_id) is not null and v.reader_clicks <> '[]'`).pipe(
        ifAny(contactIds)
      ),
    readers: (accountId, after, limit) =>
      idsOf(sql`
        select distinct contact_id as id from delivery_visits
        where account_id = ${accountId} and contact_id is not null and reader_clicks <> '[]'
          and (${after}::uuid is null or contact_id > ${after}::uuid)
        order by contact_id limit ${limit}`),
    latest: (accountId, emails) =>
      orUnavailable(sql<{
        readonly email: string
        readonly openedAt: Date | null
        readonly clickedAt: Date | null
      }>`
        select k.email, v.opened as "openedAt", v.clicked as "clickedAt"
        from (select distinct unnest(${emails}::text[]) as email) k cross join lateral (
          select max(reader_opened_at) as opened, max(reader_clicked_at) as clicked from (
            select id from deliveries where account_id = ${accountId} and email = k.email offset 0
          ) d cross join lateral (
            select reader_opened_at, reader_clicked_at from delivery_visits
            where account_id = ${accountId} and delivery_id = d.id limit 1
          ) one
        ) v`).pipe(
        Effect.map((rows) =>
          rows.map(({ clickedAt, email, openedAt }) => ({
            email,
            openedAt: openedAt?.getTime() ?? null,
            clickedAt: clickedAt?.getTime() ?? null
          }))
        ),
        ifAny(emails)
      ),
    visitsTo: (accountId, email, limit) =>
      orUnavailable(sql<{ readonly visits: ReadonlyArray<Visit> }>`
        select v.visits from (
          select id from deliveries where account_id = ${accountId} and email = ${email}
          order by created_at desc, submission_id desc limit ${limit}
        ) d cross join lateral (
          select visits from delivery_visits where account_id = ${accountId} and delivery_id = d.id limit 1
        ) v where v.visits <> '[]'`).pipe(Effect.map((rows) => rows.flatMap(({ visits }) => visits))),
    // Each count reads a range of its own index.
    countByDay: (accountId, days) =>
      statusCountsOf(
        sql<StatusCountRow<Counted>>`
          with day as materialized (select d.place::int, d.since, d.until from ${dayRows(sql, days)})
          ${join(
            " union all ",
            false
          )(
            countNames.map((name) => {
              const [condition, time] = counted[name]
              return sql`
                select d.place, ${name}::text as status, c.count from day d cross join lateral (
                  select count(*)::float8 as count from delivery_visits
                  where account_id = ${accountId} and ${sql.literal(condition)}
                    and ${sql.literal(time)} >= d.since and ${sql.literal(time)} < d.until
                ) c`
            })
          )}`,
        days,
        countNames
      ).pipe(Effect.map((counts) => counts.map(countsOf))),
    countOfFlow: (accountId, flowId) =>
      orUnavailable(sql<Record<Counted, number>>`
        select ${sql.literal(
          countNames
            .map((name) => `(count(*) filter (where ${counted[name][0]}))::float8 as "${name}"`)
            .join(", ")
        )}
        from delivery_visits where account_id = ${accountId} and flow_id = ${flowId}`).pipe(
        Effect.map(([counts]) => countsOf(counts!))
      ),
    eraseVisits: (refs) =>
      execute(sql`
        update delivery_visits set visits = '[]' where ctid = any(array(
          select v.place from (select distinct account, key from ${refRows(sql, refs)} order by account, key) r
          cross join lateral (
            select ctid as place from delivery_visits where account_id = r.account and delivery_id = r.key
            limit 1 for update
          ) v
        ))`).pipe(ifAny(refs)),
    erase: (refs) =>
      execute(sql`
        delete from delivery_visits where ctid = any(array(
          select v.place from ${refRows(sql, refs)} cross join lateral (
            select ctid as place from delivery_visits where account_id = account and delivery_id = key offset 0
          ) v
        ))`).pipe(ifAny(refs)),
    prune: (before, limit) =>
      countOf(sql`
        with old as materialized (
          select ctid as place from delivery_visits where oldest_at < ${before}
          order by oldest_at limit ${limit} for update skip locked
        ),
        pruned as (
          update delivery_visits set visits = (
            select coalesce(jsonb_agg(v order by place), '[]')
            from jsonb_array_elements(visits) with ordinality as e(v, place)
            where (v ->> 'at')::float8 >= ${before}
          )
          where ctid = any(array(select place from old)) returning 1
        )
        select count(*)::int as count from pruned`)
  })
}).pipe(Layer.effect(VisitStore))
