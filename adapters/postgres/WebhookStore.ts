/**
 * Webhooks in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Transaction } from "../../core/ports/Transaction.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import type { Webhook, WebhookRef } from "../../core/model/Webhook.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

const columns = columnsOf({
  id: "uuid",
  accountId: "uuid",
  url: "text",
  events: "text[]",
  description: "text",
  secrets: "jsonb",
  status: "text",
  stoppedReason: "text",
  failuresInARow: "integer",
  createdAt: "timestamptz"
} satisfies Record<keyof Webhook, string>)

const toWebhook = (row: object): Webhook => columns.decode<Webhook>(row)

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { run } = yield* Transaction
    const names = sql.literal(columns.names)
    const fields = sql.literal(columns.fields)
    const recordset = sql.literal(`r(${columns.recordset})`)
    const selected = sql.literal(columns.selected("w"))

    // The limit counts rows that exist already, so writers of one account go one after the other; the count must be
    // a statement of its own to see what the writer before has committed.
    const insert = Effect.fnUntraced(function* (webhook: Webhook, maxActive: number) {
      yield* orConflict(
        sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${webhook.accountId}`}, 0))`
      )
      yield* orConflict(sql`
        insert into webhooks (${names})
        select ${fields} from json_to_recordset(${columns.encode([webhook])}::json) as ${recordset}`)
      yield* orConflict(sql`
        select svc_conflict('webhooks_active') from (
          select count(*) as count from webhooks where account_id = ${webhook.accountId} and status = 'Active'
        ) active where active.count > ${maxActive}`)
    })

    const wanted = (refs: ReadonlyArray<WebhookRef>) => sql`
      select distinct * from rows from (
        unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.webhookId)}::uuid[])
      ) as r(account, webhook)`

    return WebhookStore.of({
      insert: (webhook, maxActive) => run(insert(webhook, maxActive)),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (
              select count(*)::int as total from webhooks where account_id = ${accountId}
            ) c
            left join lateral (
              select ${selected} from webhooks w where account_id = ${accountId}
              order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toWebhook)
        ),
      find: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from (${wanted(refs)}) wanted cross join lateral (
                  select * from webhooks where account_id = account and id = webhook limit 1
                ) w`),
              (rows) => rows.map(toWebhook)
            ),
      active: (accountIds) =>
        accountIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from unnest(${[...new Set(accountIds)]}::uuid[]) as a(account)
                cross join lateral (
                  select * from webhooks where account_id = account and status = 'Active'
                  order by created_at desc, id desc limit 1000
                ) w order by w.account_id, w.created_at, w.id`),
              (rows) => rows.map(toWebhook)
            ),
      // In one order, so that two that overlap never wait for each other.
      lock: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from (select * from (${wanted(refs)}) each order by account, webhook) wanted
                cross join lateral (
                  select * from webhooks where account_id = account and id = webhook limit 1 for no key update
                ) w`),
              (rows) => rows.map(toWebhook)
            ),
      save: (webhooks) =>
        webhooks.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                insert into webhooks as w (${names})
                select ${fields} from json_to_recordset(${columns.encode(webhooks)}::json) as ${recordset}
                order by "accountId", id
                on conflict (account_id, id) do update set secrets = excluded.secrets, status = excluded.status,
                  stopped_reason = excluded.stopped_reason, failures_in_a_row = excluded.failures_in_a_row`)
            ),
      resetFailures: (refs) =>
        refs.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                update webhooks set failures_in_a_row = 0 where ctid = any(array(
                  select w.place from (select * from (${wanted(refs)}) each order by account, webhook) wanted
                  cross join lateral (
                    select ctid as place from webhooks
                    where account_id = account and id = webhook and failures_in_a_row > 0 and status = 'Active'
                    limit 1 for no key update
                  ) w
                ))`)
            ),
      remove: ({ accountId, webhookId }) =>
        Effect.map(
          orUnavailable(sql`
            delete from webhooks w where account_id = ${accountId} and id = ${webhookId} returning ${selected}`),
          (rows) => (rows[0] === undefined ? null : toWebhook(rows[0]))
        )
    })
  })
)
