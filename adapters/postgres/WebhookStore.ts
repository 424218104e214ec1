/**
 * Stores webhooks in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { type Webhook, type WebhookRef, webhookStatuses } from "../../core/model/Webhook.ts"
import { columnsOf } from "./sql/columns.ts"
import { makeInsertWithinLimit } from "./sql/limits.ts"
import { countsOf, execute, first, ifAny } from "./sql/results.ts"
import { refRows, type RowRef, tableOf } from "./sql/tables.ts"

const columns = columnsOf<Webhook>({
  id: "uuid",
  accountId: "uuid",
  url: "text",
  events: "text[]",
  fields: "jsonb",
  description: "text",
  secrets: "jsonb",
  status: "text",
  stoppedReason: "text",
  failuresInARow: "integer",
  createdAt: "timestamptz"
})

/** A reference to the row of a webhook. */
export const rowRef = ({ accountId, webhookId }: WebhookRef): RowRef => ({ accountId, id: webhookId })

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const webhooks = yield* tableOf("webhooks", columns)
  const insertWithinLimit = yield* makeInsertWithinLimit

  return WebhookStore.of({
    insert: (webhook, maxActive) =>
      insertWithinLimit(
        [`webhooks:${webhook.accountId}`],
        webhooks.insertOrConflict([webhook]),
        sql`
          select svc_conflict('webhooks_active') from (
            select count(*) as count from webhooks
            where account_id = ${webhook.accountId} and status = 'Active'
          ) active where active.count > ${maxActive}`
      ),
    list: (accountId, page) => webhooks.page(page, sql`account_id = ${accountId}`),
    find: (refs) => webhooks.lookUp(refs.map(rowRef)),
    lock: (refs) => webhooks.lookUp(refs.map(rowRef), "for no key update"),
    active: (accountIds) =>
      webhooks
        .select(sql`
          from unnest(${[...new Set(accountIds)]}::uuid[]) as a(account) cross join lateral (
            select * from webhooks where account_id = account and status = 'Active'
            order by created_at desc, id desc limit 1000
          ) webhooks order by webhooks.account_id, webhooks.created_at, webhooks.id`)
        .pipe(ifAny(accountIds)),
    // An upsert locks rows by their key. An update with a join need not.
    save: (saved) =>
      webhooks.insertMany(
        saved,
        `order by "accountId", id on conflict (account_id, id) do update
          set ${columns.replaced(["secrets", "status", "stoppedReason", "failuresInARow"])}`
      ),
    resetFailures: (refs) =>
      execute(sql`
        update webhooks set failures_in_a_row = 0 where ctid = any(array(
          select w.place from (
            select distinct account, key from ${refRows(sql, refs.map(rowRef))} order by account, key
          ) wanted cross join lateral (
            select ctid as place from webhooks
            where account_id = account and id = key and failures_in_a_row > 0 and status = 'Active'
            limit 1 for no key update
          ) w
        ))`).pipe(ifAny(refs)),
    remove: ({ accountId, webhookId }) =>
      webhooks
        .returning(sql`delete from webhooks where account_id = ${accountId} and id = ${webhookId}`)
        .pipe(first),
    counts: countsOf(
      webhookStatuses,
      sql`select status, count(*)::float8 as count from webhooks group by status`
    )
  })
}).pipe(Layer.effect(WebhookStore))
