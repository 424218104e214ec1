/**
 * Stores the sandbox inbox in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type InboxEntry, InboxStore } from "../../core/ports/InboxStore.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

const makeInbox = (database: Database["Service"]) => {
  const order = new SortedIndex<InboxEntry>(() => all, byField("receivedAt"))
  const entries = new Table<InboxEntry>(database, { key: (entry) => entry.id, indexes: [order] })
  return { entries, order }
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const inboxOf = perAccount(() => makeInbox(database))
  return InboxStore.of({
    put: (added) =>
      database.write(() => {
        for (const { rendering, ...entry } of added) {
          const { entries } = inboxOf(entry.accountId)
          if (entries.get(entry.id) !== undefined) continue
          entries.insert(frozen({ ...entry, content: { _tag: "OfSubmission", ...rendering } }))
        }
      }),
    list: (accountId, page) =>
      database.read(() => inboxOf(accountId).order.page(all, page, placeBy("receivedAt"))),
    get: (accountId, id) => database.read(() => inboxOf(accountId).entries.get(id) ?? null),
    erase: (refs) =>
      database.write(() => {
        for (const { accountId, id } of refs) inboxOf(accountId).entries.remove(id)
      }),
    // There is no data of earlier versions in memory.
    raw: () => Effect.succeed(null)
  })
}).pipe(Layer.effect(InboxStore))
