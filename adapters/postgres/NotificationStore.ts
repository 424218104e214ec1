/**
 * Stores notifications and the log of their attempts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  NotificationStore,
  type CompletedNotification,
  type ResentNotification
} from "../../core/ports/NotificationStore.ts"
import { mapPage, maxCounted, offsetOf } from "../../core/shared/Page.ts"
import {
  type AttemptAnswer,
  type ClaimedNotification,
  type DeliveryLogEntry,
  maxLoggedAttempts,
  type NewNotification,
  type NotificationAttempt,
  type NotificationSummary,
  type WebhookRef
} from "../../core/model/Webhook.ts"
import { isUuid } from "../../core/shared/Uuid.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import {
  behind,
  countLimit,
  type PageRow,
  type PlanRow,
  type SortColumn,
  sortedBy,
  sourceLimit,
  toPage
} from "./sql/pages.ts"
import { countOf, execute, idsOf, ifAny } from "./sql/results.ts"
import { refRows, tableOf } from "./sql/tables.ts"
import { rowRef } from "./WebhookStore.ts"

const createdTypes = {
  id: "uuid",
  accountId: "uuid",
  webhookId: "uuid",
  type: "text",
  deliveryId: "uuid",
  body: "text",
  createdAt: "timestamptz"
} as const

const created = columnsOf<NewNotification>(createdTypes)

const claimed = columnsOf<Omit<ClaimedNotification, "claimedUntil">>({
  ...createdTypes,
  attempts: "integer",
  claims: "integer"
})

type SummaryRow = Omit<NotificationSummary, "nextAttemptAt"> & { readonly runAt: number }

const summaryTypes = {
  id: "uuid",
  webhookId: "uuid",
  type: "text",
  deliveryId: "uuid",
  state: "text",
  attempts: "integer",
  createdAt: "timestamptz",
  runAt: "timestamptz"
} as const

const summaries = columnsOf<SummaryRow>(summaryTypes)

const details = columnsOf<SummaryRow & { readonly body: string }>({ ...summaryTypes, body: "text" })

const logged = columnsOf<NotificationAttempt>({
  attempt: "integer",
  at: "timestamptz",
  httpStatus: "integer",
  error: "text",
  durationMs: "integer",
  answer: "text"
})

const toListed = <Row extends SummaryRow>({ runAt, ...row }: Row) => ({
  ...row,
  nextAttemptAt: row.state === "Pending" ? runAt : null
})

/** A finished attempt, in the form that `settle` writes. */
type AttemptRow = AttemptAnswer &
  Omit<CompletedNotification, "answer" | "notification"> &
  Pick<ClaimedNotification, "accountId" | "claims" | "id">

const attempts = columnsOf<AttemptRow>({
  accountId: "uuid",
  id: "uuid",
  claims: "integer",
  state: "text",
  nextAttemptAt: "timestamptz",
  at: "timestamptz",
  httpStatus: "integer",
  error: "text",
  durationMs: "integer",
  answer: "text"
})

const entries = columnsOf<DeliveryLogEntry>({
  notificationId: "uuid",
  type: "text",
  attempt: "integer",
  at: "timestamptz",
  httpStatus: "integer",
  error: "text",
  durationMs: "integer",
  nextAttemptAt: "timestamptz",
  state: "text"
})

const toAttempt = ({ answer, at, nextAttemptAt, notification, state }: CompletedNotification): AttemptRow => {
  const { accountId, claims, id } = notification
  return {
    accountId,
    id,
    claims,
    state,
    nextAttemptAt,
    at,
    ...answer,
    durationMs: Math.round(answer.durationMs)
  }
}

const attemptPlace: ReadonlyArray<SortColumn> = [
  { column: "at", kind: "Time" },
  { column: "notification_id", kind: "Id" },
  { column: "attempt", kind: "Count" }
]

const waitingPlace: ReadonlyArray<SortColumn> = [
  { column: "created_at", kind: "Time" },
  { column: "id", kind: "Id" },
  { column: "attempts", kind: "Count" }
]

const placeOfLog = (table: string): ReadonlyArray<SortColumn> => [
  { column: `${table}.at`, kind: "Time" },
  { column: `${table}."notificationId"`, kind: "Id" },
  { column: `${table}.attempt`, kind: "Count" }
]

/** The port over a `SqlClient`. `limit 1` makes each a look-up by key, whatever the planner's statistics. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const notifications = yield* tableOf("notifications", claimed)
  const listed = yield* tableOf("notifications", summaries, ["id"])
  const whole = yield* tableOf("notifications", details)
  const attemptRows = yield* tableOf("webhook_attempts", logged)
  const names = sql.literal(created.names)
  const fields = sql.literal(created.fields)
  const recordset = sql.literal(`r(${created.recordset})`)
  const attemptRecordset = sql.literal(`g(${attempts.recordset})`)

  const webhookRows = (refs: ReadonlyArray<WebhookRef>) => refRows(sql, refs.map(rowRef))

  return NotificationStore.of({
    // Sorted, so that two overlapping batches cannot deadlock.
    insert: (added) =>
      idsOf(sql`
        insert into notifications (${names}, state, attempts, claims, run_at, due_at)
        select ${fields}, 'Pending', 0, 0, "createdAt", "createdAt"
        from json_to_recordset(${created.encode(added)}::json) as ${recordset}
        order by "accountId", "deliveryId", type, "webhookId", id
        on conflict (account_id, delivery_id, type, webhook_id) where delivery_id is not null do nothing
        returning id`).pipe(ifAny(added)),
    claim: (requests, lease, now) =>
      notifications
        .returning(sql`
          with picked as materialized (
            select n.place from rows from (
              unnest(${requests.map((request) => request.accountId)}::uuid[]),
              unnest(${requests.map((request) => request.webhookId)}::uuid[]),
              unnest(${requests.map((request) => request.limit)}::int[])
            ) as r(account, webhook, most) cross join lateral (
              select ctid as place from notifications
              where account_id = account and webhook_id = webhook and state = 'Pending'
                and due_at <= ${new Date(now)}
              order by due_at, id limit r.most for no key update skip locked
            ) n
          )
          update notifications set claims = claims + 1, due_at = ${new Date(now + lease)}
          where ctid = any(array(select place from picked))`)
        .pipe(
          Effect.map((rows) =>
            rows
              .toSorted((a, b) => (a.id < b.id ? -1 : 1))
              .map((notification) => ({ ...notification, claimedUntil: now + lease }))
          ),
          ifAny(requests)
        ),
    due: (refs, now, before) =>
      orUnavailable(sql<WebhookRef & { readonly at: Date }>`
        select account as "accountId", key as "webhookId", n.due_at as at from ${webhookRows(refs)}
        cross join lateral (
          select due_at from notifications
          where account_id = account and webhook_id = key and state = 'Pending'
            and due_at <= ${new Date(before)} and (due_at <= ${new Date(now)} or due_at <> run_at)
          order by due_at, id limit 1
        ) n`).pipe(
        Effect.map((rows) => rows.map((row) => ({ ...row, at: row.at.getTime() }))),
        ifAny(refs)
      ),
    complete: (settled) =>
      idsOf(sql`
        with own as materialized (
          select g.*, n.* from (
            select * from json_to_recordset(${attempts.encode(settled.map(toAttempt))}::json) as ${attemptRecordset}
            order by "accountId", id
          ) g cross join lateral (
            select account_id, webhook_id, id as notification_id, attempts + 1 as attempt
            from notifications
            where account_id = g."accountId" and id = g.id and claims = g.claims
            limit 1 for no key update
          ) n
        ),
        moved as (
          insert into notifications as n (account_id, id, webhook_id, type, body, state, attempts, claims,
            run_at, due_at, created_at)
          select account_id, notification_id, webhook_id, '', '', state, attempt, claims,
            coalesce("nextAttemptAt", at), coalesce("nextAttemptAt", at), at
          from own
          on conflict (account_id, id) do update set
            state = case when n.state = 'Pending' then excluded.state else n.state end,
            attempts = excluded.attempts, claims = n.claims + 1,
            run_at = excluded.due_at, due_at = excluded.due_at
        )
        insert into webhook_attempts (account_id, notification_id, attempt, webhook_id, at, http_status,
          error, duration_ms, answer)
        select account_id, notification_id, attempt, webhook_id, at, "httpStatus", error, "durationMs", answer
        from own
        returning notification_id as id`).pipe(ifAny(settled)),
    // Locked in one order, so that two statements cannot deadlock.
    release: (given, now) =>
      execute(sql`
        update notifications set claims = claims + 1, due_at = ${new Date(now)} where ctid = any(array(
          select n.place from (
            select * from rows from (
              unnest(${given.map((one) => one.accountId)}::uuid[]), unnest(${given.map((one) => one.id)}::uuid[]),
              unnest(${given.map((one) => one.claims)}::int[])
            ) as r(account, notification, claim) order by account, notification
          ) r cross join lateral (
            select ctid as place from notifications
            where account_id = account and id = notification and claims = claim limit 1 for no key update
          ) n
        ))`).pipe(ifAny(given)),
    cancel: (refs) =>
      execute(sql`
        update notifications set state = 'Cancelled' where ctid = any(array(
          select n.place from ${webhookRows(refs)} cross join lateral (
            select ctid as place from notifications
            where account_id = account and webhook_id = key and state = 'Pending'
            order by due_at, id for no key update
          ) n
        ))`).pipe(ifAny(refs)),
    // Locked in one order, and found again by the update, because a row may have moved by the time it is locked.
    resend: ({ accountId, webhookId }, ids, now) =>
      Effect.gen(function* () {
        const found = yield* orUnavailable(sql<ResentNotification & { readonly isClaimed: boolean }>`
          select n.* from (
            select distinct notification from unnest(${ids}::uuid[]) as r(notification) order by notification
          ) r cross join lateral (
            select id, attempts < ${maxLoggedAttempts} as "isDue",
              state = 'Pending' and due_at <> run_at and due_at > ${new Date(now)} as "isClaimed"
            from notifications
            where account_id = ${accountId} and id = notification and webhook_id = ${webhookId} and body <> ''
            limit 1 for no key update
          ) n`)
        const due = found.filter(({ isClaimed, isDue }) => isDue && !isClaimed).map(({ id }) => id)
        yield* execute(sql`
          update notifications set state = 'Pending', run_at = ${new Date(now)}, due_at = ${new Date(now)}
          where account_id = ${accountId} and id = any(${due}::uuid[])`).pipe(ifAny(due))
        return found.map(({ id, isClaimed, isDue }) => ({ id, isDue: isDue || isClaimed }))
      }).pipe(ifAny(ids)),
    erase: (accountId, deliveryIds) =>
      execute(sql`
        with gone as (
          delete from notifications where ctid = any(array(
            select n.place from unnest(${deliveryIds}::uuid[]) as d(delivery) cross join lateral (
              select ctid as place from notifications
              where account_id = ${accountId} and delivery_id = delivery and delivery_id is not null
              order by type, webhook_id for update
            ) n
          ))
          returning id
        )
        delete from webhook_attempts where ctid = any(array(
          select a.place from gone cross join lateral (
            select ctid as place from webhook_attempts
            where account_id = ${accountId} and notification_id = gone.id order by attempt limit 100
          ) a
        ))`).pipe(ifAny(deliveryIds)),
    log: ({ accountId, webhookId }, page) => {
      const made = sql`account_id = ${accountId} and webhook_id = ${webhookId}`
      const waiting = sql`${made} and attempts = 0 and body <> ''`
      return orUnavailable(sql<PageRow>`
        select c.total, p.* from (
          select least((
            select count(*) from (select from webhook_attempts where ${made} ${countLimit(sql, page)}) a
          ) + (
            select count(*) from (select from notifications where ${waiting} ${countLimit(sql, page)}) n
          ), ${page.total === "Bounded" ? maxCounted + 1 : null}::bigint)::int as total
        ) c
        left join lateral (
          select l.* from (
            select a.notification_id as "notificationId", n.type, a.attempt, a.at, a.http_status as "httpStatus",
              a.error, a.duration_ms as "durationMs",
              case when n.attempts = a.attempt and n.state = 'Pending' then n.run_at end as "nextAttemptAt",
              case when n.attempts = a.attempt then n.state
                when a.http_status between 200 and 299 then 'Succeeded' else 'Failed' end as state
            from (
              select * from webhook_attempts where ${made} and ${behind(sql, page, attemptPlace)}
              order by ${sortedBy(sql, page, attemptPlace)} ${sourceLimit(sql, page)}
            ) a cross join lateral (
              select * from notifications where account_id = ${accountId} and id = a.notification_id limit 1
            ) n
            union all
            select id, type, 0, created_at, null, null, null,
              case when state = 'Pending' then run_at end, state
            from (
              select * from notifications where ${waiting} and ${behind(sql, page, waitingPlace)}
              order by ${sortedBy(sql, page, waitingPlace)} ${sourceLimit(sql, page)}
            ) u
          ) l order by ${sortedBy(sql, page, placeOfLog("l"))}
          limit ${page.pageSize + 1} offset ${offsetOf(page)}
        ) p on true order by ${sortedBy(sql, page, placeOfLog("p"))}`).pipe(
        Effect.flatMap((rows) =>
          toPage(rows, page, {
            decode: entries.decode,
            placeOf: ({ at, attempt, notificationId }) => [at, notificationId, attempt],
            explained: sql<PlanRow>`explain (format json) select from webhook_attempts where ${made}`,
            key: "notificationId"
          })
        )
      )
    },
    get: Effect.fnUntraced(function* (accountId, id) {
      const [row] = yield* whole.select(sql`
        from notifications where account_id = ${accountId} and id = ${id} and body <> ''`)
      if (row === undefined) return null
      const log = yield* attemptRows.select(sql`
        from webhook_attempts where account_id = ${accountId} and notification_id = ${id} order by attempt`)
      return { ...toListed(row), log }
    }),
    list: (accountId, filter, page) => {
      const { q = null } = filter
      const own = sql`account_id = ${accountId} and body <> ''`
      const about =
        q === null
          ? sql`true`
          : sql`id in (
              select n.id from (
                select id from deliveries where account_id = ${accountId} and email = ${q}
                union all select ${isUuid(q) ? q : null}::uuid
              ) d cross join lateral (
                select id from notifications
                where account_id = ${accountId} and delivery_id = d.id and delivery_id is not null offset 0
              ) n offset 0
            )`
      return Effect.map(
        listed.page(
          page,
          sql`${own} and ${about}`,
          [
            { column: "webhook_id", type: "uuid", values: filter.webhookId },
            { column: "state", type: "text", values: filter.state },
            { column: "type", type: "text", values: filter.type }
          ],
          filter
        ),
        (found) => mapPage(found, toListed)
      )
    },
    prune: (before, limit) =>
      countOf(sql`
        with old as materialized (
          select ctid as place from notifications where created_at < ${new Date(before)} and body <> ''
          order by created_at limit ${limit} for update skip locked
        ),
        removed as (
          delete from notifications
          where ctid = any(array(select place from old)) and type <> 'email.complained'
          returning account_id, id
        ),
        emptied as (
          update notifications
          set body = '', claims = claims + 1, state = case when state = 'Pending' then 'Cancelled' else state end
          where ctid = any(array(select place from old)) and type = 'email.complained'
          returning account_id, id
        ),
        gone as materialized (select * from removed union all select * from emptied),
        logged as (
          delete from webhook_attempts where ctid = any(array(
            select a.place from gone cross join lateral (
              select ctid as place from webhook_attempts
              where account_id = gone.account_id and notification_id = gone.id order by attempt limit 100
            ) a
          ))
        )
        select count(*)::int as count from gone`)
  })
}).pipe(Layer.effect(NotificationStore))
