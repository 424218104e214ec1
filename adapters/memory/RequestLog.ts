/**
 * Stores the request log in memory: the last 10,000 calls of each account.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { RequestEntry } from "../../core/model/RequestEntry.ts"
import { type RequestFilter, RequestLog } from "../../core/ports/RequestLog.ts"
import { type Among, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"
import { SharedTables } from "./tables/SharedTables.ts"

const maxEntries = 10_000

const dayMillis = 86_400_000

const keyOf = ({ accountId, id }: RequestEntry): string => `${accountId} ${id}`

const isAmong = <A>(values: Among<A> | undefined, value: A): boolean =>
  values == null || values.includes(value)

const matches =
  ({ code, keyId, method, q, route, since, status, until }: RequestFilter) =>
  (entry: RequestEntry): boolean =>
    (since == null || entry.at >= since) &&
    (until == null || entry.at < until) &&
    isAmong(keyId, entry.keyId) &&
    isAmong(method, entry.method) &&
    (route == null || (entry.route !== null && route.includes(entry.route))) &&
    isAmong(status, entry.status) &&
    (code == null || (entry.code !== null && code.includes(entry.code))) &&
    (q == null || entry.requestId === q)

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { accounts } = yield* SharedTables
  const order = new SortedIndex<RequestEntry>((entry) => entry.accountId, byField("at"))
  const entries = new Table<RequestEntry>(database, { key: keyOf, indexes: [order] })
  return RequestLog.of({
    append: (added) =>
      database.write(() => {
        for (const entry of added) entries.insert(frozen(entry))
        for (const accountId of new Set(added.map((entry) => entry.accountId))) {
          const rows = order.rows(accountId)
          entries.removeMany(rows.slice(0, Math.max(0, rows.length - maxEntries)).map(keyOf))
        }
      }),
    list: (accountId, filter, page) =>
      database.read(() => pageOfAll(order.rows(accountId).filter(matches(filter)), page, placeBy("at"))),
    removeBodies: (accountId) =>
      database.write(() => {
        for (const entry of order.rows(accountId)) {
          if (entry.requestBody === null && entry.responseBody === null) continue
          entries.replace(frozen({ ...entry, requestBody: null, responseBody: null }))
        }
      }),
    prune: (now, limit) =>
      database.write(() => {
        const old = [...accounts.rows()].flatMap(({ id, settings: { requestLogDays } }) =>
          order.rows(id).filter(({ at }) => at < now - requestLogDays * dayMillis)
        )
        const gone = old.slice(0, limit)
        entries.removeMany(gone.map(keyOf))
        return gone.length
      })
  })
}).pipe(Layer.effect(RequestLog))
