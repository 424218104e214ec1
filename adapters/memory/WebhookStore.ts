/**
 * Stores webhooks in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { type Webhook, type WebhookRef, webhookStatuses } from "../../core/model/Webhook.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { countByStatus } from "./engine/countByStatus.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const keyOf = ({ accountId, webhookId }: WebhookRef): string => `${accountId} ${webhookId}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Webhook>((webhook) => webhook.accountId, newest)
  const active = new SortedIndex<Webhook>(
    (webhook) => (webhook.status === "Active" ? webhook.accountId : null),
    newest
  )
  const webhooks = new Table<Webhook>(database, {
    key: ({ accountId, id }) => keyOf({ accountId, webhookId: id }),
    indexes: [order, active]
  })

  const owned = (ref: WebhookRef): Webhook | undefined => webhooks.get(keyOf(ref))
  const find = (refs: ReadonlyArray<WebhookRef>) =>
    database.read(() => [...new Set(refs.flatMap((ref) => owned(ref) ?? []))])

  return WebhookStore.of({
    insert: (webhook, maxActive) =>
      database.writeOrConflict(() => {
        webhooks.insert(frozen(webhook))
        if (active.rows(webhook.accountId).length > maxActive) {
          throw new WriteConflict({ constraint: "webhooks_active" })
        }
      }),
    list: (accountId, page) => database.read(() => order.page(accountId, page, placeBy("createdAt"))),
    find,
    active: (accountIds) =>
      database.read(() => [...new Set(accountIds)].flatMap((accountId) => active.rows(accountId))),
    // Transactions run one after the other.
    lock: find,
    save: (changed) =>
      database.write(() => {
        for (const { accountId, failuresInARow, id, secrets, status, stoppedReason } of changed) {
          const before = owned({ accountId, webhookId: id })
          if (before === undefined) continue
          webhooks.replace(frozen({ ...before, secrets, status, stoppedReason, failuresInARow }))
        }
      }),
    resetFailures: (refs) =>
      database.write(() => {
        for (const ref of refs) {
          const webhook = owned(ref)
          if (webhook === undefined || webhook.failuresInARow === 0 || webhook.status === "Stopped") continue
          webhooks.replace({ ...webhook, failuresInARow: 0 })
        }
      }),
    remove: (ref) => database.write(() => webhooks.remove(keyOf(ref)) ?? null),
    counts: database.read(() => countByStatus(webhookStatuses, webhooks.rows()))
  })
}).pipe(Layer.effect(WebhookStore))

const newest = byField("createdAt")
