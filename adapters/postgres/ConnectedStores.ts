/**
 * Stores connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Store } from "../../core/model/Store.ts"
import { ConnectedStores } from "../../core/ports/ConnectedStores.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { between, withValues } from "./sql/pages.ts"
import { countOf, execute, executeOrConflict, first, idsOf } from "./sql/results.ts"
import { folded, sortedList } from "./sql/sortedLists.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Store>({
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
})

const dateOf = (millis: number | null): Date | null => (millis === null ? null : new Date(millis))

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const stores = yield* tableOf("stores", columns)

  return ConnectedStores.of({
    insert: (store) => stores.insertOrConflict([store]),
    save: (store) =>
      executeOrConflict(sql`
        with saved as (update stores set name = ${store.name}, consent_mode = ${store.consentMode},
          currency = ${store.currency}::text, token_hash = ${store.tokenHash},
          token_display = ${store.tokenDisplay}, webhook_secret = ${store.webhookSecret},
          connected_at = ${new Date(store.connectedAt)},
          disconnected_at = ${dateOf(store.disconnectedAt)}::timestamptz
        where account_id = ${store.accountId} and id = ${store.id}
          and (not erasing or ${dateOf(store.disconnectedAt)}::timestamptz is not null) returning id)
        select svc_conflict('stores_erasing') from stores
        where account_id = ${store.accountId} and id = ${store.id} and not exists (select from saved)`),
    startErasure: (accountId, id, at) =>
      execute(sql`
        update stores set erasing = true, disconnected_at = coalesce(disconnected_at, ${new Date(at)})
        where account_id = ${accountId} and id = ${id}`),
    isErasing: (accountId, id) =>
      Effect.map(
        idsOf(sql`select id from stores where account_id = ${accountId} and id = ${id} and erasing`),
        (ids) => ids.length > 0
      ),
    endErasure: (accountId, id) =>
      execute(sql`update stores set erasing = false where account_id = ${accountId} and id = ${id}`),
    hold: (accountId, id, connectedAt) =>
      orUnavailable(sql<{ readonly connected: boolean }>`
        select disconnected_at is null and connected_at = ${new Date(connectedAt)} as connected from stores
        where account_id = ${accountId} and id = ${id} for share`).pipe(
        Effect.map(([row]) => row?.connected ?? false)
      ),
    get: (accountId, id) =>
      first(stores.select(sql`from stores where account_id = ${accountId} and id = ${id}`)),
    ofDomain: (accountId, platform, domain) =>
      stores
        .select(sql`
          from stores where account_id = ${accountId} and platform = ${platform} and domain = ${domain}`)
        .pipe(first),
    byId: (id) => first(stores.select(sql`from stores where id = ${id} limit 1`)),
    count: (accountId) =>
      countOf(sql`select count(*)::int as count from stores where account_id = ${accountId}`),
    // An account has at most 100 stores.
    list: (accountId, page, { status, storeId, ...range } = {}) =>
      sortedList(sql, page, {
        table: "stores",
        passing: sql.and([
          sql`i.account_id = ${accountId}`,
          between(sql, "i.connected_at", range),
          ...((storeId ?? null) === null ? [] : [withValues(sql, "i.id", storeId!, "uuid")]),
          ...((status ?? null) === null
            ? []
            : [
                sql`case when i.disconnected_at is null then 'Connected' else 'Disconnected' end = any(${status!}::text[])`
              ])
        ]),
        by:
          page.sort?.by === "name"
            ? { column: folded("i.name"), kind: "Text" }
            : { column: "i.connected_at", kind: "Time" },
        columns: sql.literal(columns.selected("i")),
        decode: columns.decode
      })
  })
}).pipe(Layer.effect(ConnectedStores))
