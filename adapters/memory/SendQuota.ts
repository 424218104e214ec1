/**
 * Daily counts of emails, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SendQuota } from "../../core/ports/SendQuota.ts"
import { Database } from "./engine/Database.ts"
import { Table } from "./engine/Table.ts"

/** The emails that an account sent in a day. */
interface Count {
  readonly key: string
  readonly day: string
  readonly sent: number
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const days = new Map<string, Set<string>>()
  const counts = new Table<Count>(database, {
    key: (count) => count.key,
    indexes: [
      {
        add: ({ day, key }) => {
          const keys = days.get(day)
          if (keys === undefined) days.set(day, new Set([key]))
          else keys.add(key)
        },
        remove: ({ day, key }) => {
          const keys = days.get(day)
          keys?.delete(key)
          if (keys?.size === 0) days.delete(day)
        }
      }
    ]
  })

  return SendQuota.of({
    take: (requests) =>
      database.write(() =>
        requests.map(({ accountId, day, limit, wanted }) => {
          const key = `${accountId} ${day}`
          const count = counts.get(key)
          const sent = count?.sent ?? 0
          const granted = Math.max(0, limit === null ? wanted : Math.min(wanted, limit - sent))
          if (granted > 0) {
            const row = { key, day, sent: sent + granted }
            if (count === undefined) counts.insert(row)
            else counts.replace(row)
          }
          return granted
        })
      ),
    prune: (before) =>
      database.write(() => {
        for (const [day, keys] of days) {
          if (day < before) for (const key of keys) counts.remove(key)
        }
      })
  })
}).pipe(Layer.effect(SendQuota))
