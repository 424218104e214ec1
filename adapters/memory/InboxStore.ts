/**
 * The sandbox inbox in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type InboxMessage, InboxStore } from "../../core/ports/InboxStore.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

interface RawMessage {
  readonly id: string
  readonly bytes: Uint8Array
}

const makeInbox = (database: Database["Service"]) => {
  const order = new SortedIndex<InboxMessage>(() => all, byField("receivedAt"))
  const messages = new Table<InboxMessage>(database, { key: (message) => message.id, indexes: [order] })
  const raws = new Table<RawMessage>(database, { key: (raw) => raw.id })
  return { messages, order, raws }
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const inboxOf = perAccount(() => makeInbox(database))
  return InboxStore.of({
    put: (added) =>
      database.write(() => {
        for (const { message, raw } of added) {
          const { messages, raws } = inboxOf(message.accountId)
          if (messages.get(message.id) !== undefined) continue
          messages.insert(frozen(message))
          raws.insert({ id: message.id, bytes: new Uint8Array(raw) })
        }
      }),
    list: (accountId, page) => database.read(() => inboxOf(accountId).order.page(all, page)),
    get: (accountId, id) => database.read(() => inboxOf(accountId).messages.get(id) ?? null),
    erase: (refs) =>
      database.write(() => {
        for (const { accountId, id } of refs) {
          const { messages, raws } = inboxOf(accountId)
          messages.remove(id)
          raws.remove(id)
        }
      }),
    // Bytes cannot be frozen, so each reader gets a copy.
    raw: (accountId, id) =>
      database.read(() => {
        const stored = inboxOf(accountId).raws.get(id)
        return stored === undefined ? null : new Uint8Array(stored.bytes)
      })
  })
}).pipe(Layer.effect(InboxStore))
