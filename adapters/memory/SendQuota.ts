/**
 * Stores daily counts of emails, and counts of queues and of emails held for review, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SendQuota } from "../../core/ports/SendQuota.ts"
import { Database } from "./engine/Database.ts"
import { Table } from "./engine/Table.ts"

/** The number of emails that an account sent in a day. */
interface Count {
  readonly key: string
  readonly day: string
  readonly sent: number
}

/** The count of an account's queue. */
interface QueueRow {
  readonly accountId: string
  readonly most: number
  readonly waiting: number
  readonly countedAt: number
}

/** The number of emails of a source that were held for review. */
interface HoldRow {
  readonly key: string
  readonly held: number
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

  const queues = new Table<QueueRow>(database, { key: (queue) => queue.accountId })
  const holds = new Table<HoldRow>(database, { key: (hold) => hold.key })
  const heldOf = (accountId: string, sourceId: string) => holds.get(`${accountId} ${sourceId}`)

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
    taken: (accountId, day) => database.read(() => counts.get(`${accountId} ${day}`)?.sent ?? 0),
    reserve: ({ accountId, most, wanted }) =>
      database.write(() => {
        const queue = queues.get(accountId)
        if (queue === undefined || queue.most !== most) return { granted: 0, countedAt: null }
        const granted = Math.max(0, Math.min(wanted, most - queue.waiting))
        if (granted > 0) queues.replace({ ...queue, waiting: queue.waiting + granted })
        return { granted, countedAt: queue.countedAt }
      }),
    release: (accountId, count) =>
      database.write(() => {
        const queue = queues.get(accountId)
        if (queue !== undefined) queues.replace({ ...queue, waiting: Math.max(0, queue.waiting - count) })
      }),
    // Transactions run one after the other.
    lock: (accountId, most) =>
      database.read(() => {
        const queue = queues.get(accountId)
        return queue?.most === most ? queue.countedAt : null
      }),
    recount: ({ accountId, at, most, waiting }) =>
      database.write(() => {
        const row = { accountId, most, waiting, countedAt: at }
        if (queues.get(accountId) === undefined) queues.insert(row)
        else queues.replace(row)
      }),
    held: (accountId, sourceIds) =>
      database.read(() => sourceIds.map((sourceId) => heldOf(accountId, sourceId)?.held ?? 0)),
    hold: (accountId, most, requests) =>
      database.write(() =>
        requests.map(({ sourceId, wanted }) => {
          const row = heldOf(accountId, sourceId)
          const held = row?.held ?? 0
          const granted = Math.max(0, Math.min(wanted, most - held))
          const changed = { key: `${accountId} ${sourceId}`, held: held + granted }
          if (row === undefined) holds.insert(changed)
          else holds.replace(changed)
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
