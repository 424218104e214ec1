/**
 * Connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Store } from "../../core/model/Store.ts"
import { ConnectedStores } from "../../core/ports/ConnectedStores.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

const storeColumns = columnsOf({
  id: "uuid",
  accountId: "uuid",
  platform: "text",
  name: "text",
  domain: "text",
  consentMode: "text",
  currency: "text",
  tokenHash: "text",
  tokenDisplay: "text",
  webhookSecret: "text",
  connectedAt: "timestamptz",
  disconnectedAt: "timestamptz"
} satisfies Record<keyof Store, string>)

const toStore = (row: object): Store => storeColumns.decode<Store>(row)

const first = (rows: ReadonlyArray<object>): Store | null => (rows[0] === undefined ? null : toStore(rows[0]))

const dateOf = (millis: number | null): Date | null => (millis === null ? null : new Date(millis))

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  ConnectedStores,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(storeColumns.selected("s"))
    const names = sql.literal(storeColumns.names)
    const fields = sql.literal(storeColumns.fields)
    const recordset = sql.literal(storeColumns.recordset)

    return ConnectedStores.of({
      insert: (store) =>
        Effect.asVoid(
          orConflict(sql`
            insert into stores (${names})
            select ${fields} from json_to_recordset(${storeColumns.encode([store])}::json) as r(${recordset})`)
        ),
      save: (store) =>
        Effect.asVoid(
          orConflict(sql`
            with saved as (update stores set name = ${store.name}, consent_mode = ${store.consentMode},
              currency = ${store.currency}::text, token_hash = ${store.tokenHash},
              token_display = ${store.tokenDisplay}, webhook_secret = ${store.webhookSecret},
              connected_at = ${new Date(store.connectedAt)},
              disconnected_at = ${dateOf(store.disconnectedAt)}::timestamptz
            where account_id = ${store.accountId} and id = ${store.id}
              and (not erasing or ${dateOf(store.disconnectedAt)}::timestamptz is not null) returning id)
            select svc_conflict('stores_erasing') from stores
            where account_id = ${store.accountId} and id = ${store.id} and not exists (select from saved)`)
        ),
      startErasure: (accountId, id, at) =>
        Effect.asVoid(
          orUnavailable(sql`
            update stores set erasing = true, disconnected_at = coalesce(disconnected_at, ${new Date(at)})
            where account_id = ${accountId} and id = ${id}`)
        ),
      isErasing: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql`select id from stores where account_id = ${accountId} and id = ${id} and erasing`
          ),
          (rows) => rows.length > 0
        ),
      endErasure: (accountId, id) =>
        Effect.asVoid(
          orUnavailable(sql`update stores set erasing = false where account_id = ${accountId} and id = ${id}`)
        ),
      hold: (accountId, id, connectedAt) =>
        Effect.map(
          orUnavailable(sql<{ readonly connected: boolean }>`
            select disconnected_at is null and connected_at = ${new Date(connectedAt)} as connected from stores
            where account_id = ${accountId} and id = ${id} for share`),
          (rows) => rows[0]?.connected ?? false
        ),
      get: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql`select ${columns} from stores s where s.account_id = ${accountId} and s.id = ${id}`
          ),
          first
        ),
      ofDomain: (accountId, platform, domain) =>
        Effect.map(
          orUnavailable(sql`
            select ${columns} from stores s
            where s.account_id = ${accountId} and s.platform = ${platform} and s.domain = ${domain}`),
          first
        ),
      byId: (id) =>
        Effect.map(orUnavailable(sql`select ${columns} from stores s where s.id = ${id} limit 1`), first),
      count: (accountId) =>
        Effect.map(
          orUnavailable(
            sql<{ count: number }>`select count(*)::int as count from stores where account_id = ${accountId}`
          ),
          (rows) => rows[0]?.count ?? 0
        ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (select count(*)::int as total from stores where account_id = ${accountId}) c
            left join lateral (
              select ${columns} from stores s where s.account_id = ${accountId}
              order by s.connected_at desc, s.id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."connectedAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toStore)
        )
    })
  })
)
