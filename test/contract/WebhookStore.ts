/**
 * The contract of `core/ports/WebhookStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { Transaction } from "../../core/ports/Transaction.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import type { Webhook } from "../../core/model/Webhook.ts"
import {
  atOnce,
  byId,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  freshAccountIds,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  listsNewestFirst
} from "./fixtures.ts"

/** A new webhook. */
export const draftWebhook = (accountId: string, values: Partial<Webhook> = {}): Webhook => ({
  id: newId(),
  accountId,
  url: "https://hooks.example/in",
  events: [],
  fields: [],
  description: null,
  secrets: [{ sealed: "sealed", until: null }],
  status: "Active",
  stoppedReason: null,
  failuresInARow: 0,
  createdAt: now,
  ...values
})

const many = 1000

const refOf = ({ accountId, id }: Webhook) => ({ accountId, webhookId: id })

/** Tests of the port `WebhookStore`. */
export const webhookStoreContract = (it: StorageTest): void => {
  describe("WebhookStore", () => {
    it.effect("counts the webhooks of all accounts by status", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const [accountId, other] = yield* Effect.all([freshAccountId, freshAccountId])
        const before = yield* store.counts
        yield* store.insert(draftWebhook(accountId), many)
        yield* store.insert(draftWebhook(other), many)
        yield* store.insert(draftWebhook(other, { status: "Stopped", stoppedReason: "failures" }), many)
        const after = yield* store.counts
        expect(after).toEqual({ Active: before.Active + 2, Stopped: before.Stopped + 1 })
      })
    )

    it.effect("returns webhooks as they were added", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const accountId = yield* freshAccountId
        const plain = draftWebhook(accountId)
        const full = draftWebhook(accountId, {
          url: "https://hooks.example/?a=1&b='\"\\",
          events: ["email.sent", "webhook.test"],
          description: oddText,
          secrets: [
            { sealed: "new", until: null },
            { sealed: "old", until: now + 5 }
          ],
          status: "Stopped",
          stoppedReason: oddText,
          failuresInARow: 15,
          createdAt: now + 1
        })
        for (const webhook of [plain, full]) yield* store.insert(webhook, many)
        expect((yield* store.list(accountId, firstPage)).items).toEqual([full, plain])
        expect(byId(yield* store.find([refOf(full), refOf(plain), refOf(full)]))).toEqual([plain, full])
        expect(yield* store.find([{ accountId, webhookId: newId() }])).toEqual([])
        expect(yield* store.find([{ accountId: yield* freshAccountId, webhookId: plain.id }])).toEqual([])
        expect(yield* store.find([])).toEqual([])
      })
    )

    listsNewestFirst(it, "webhooks", WebhookStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draftWebhook(accountId, { createdAt }),
      timeOf: (webhook) => webhook.createdAt,
      insert: (webhook) => insert(webhook, many),
      list
    }))

    it.effect("keeps the limit of active webhooks, also concurrently", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const accountId = yield* freshAccountId
        yield* store.insert(draftWebhook(accountId, { status: "Stopped" }), 3)
        const exits = yield* atOnce(times(8, () => store.insert(draftWebhook(accountId), 3)))
        expect(successes(exits)).toHaveLength(3)
        expectOnlyFailures(exits, "WriteConflict")
        const conflict = yield* expectFailure(store.insert(draftWebhook(accountId), 3), "WriteConflict")
        expect(conflict.constraint).toBe("webhooks_active")
        yield* store.insert(draftWebhook(accountId, { status: "Stopped" }), 3)
        expect(yield* store.active([accountId])).toHaveLength(3)
        yield* store.insert(draftWebhook(yield* freshAccountId), 1)
      })
    )

    it.effect("returns the active webhooks of several accounts, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const [one = "", two = "", none = ""] = yield* freshAccountIds(3)
        const first = draftWebhook(one)
        const second = draftWebhook(one, { createdAt: now + 1 })
        const stopped = draftWebhook(one, { status: "Stopped" })
        const other = draftWebhook(two)
        for (const webhook of [second, first, stopped, other]) yield* store.insert(webhook, many)
        const active = yield* store.active([two, one, none, one])
        expect(active.filter(({ accountId }) => accountId === one)).toEqual([first, second])
        expect(active.filter(({ accountId }) => accountId === two)).toEqual([other])
        expect(active).toHaveLength(3)
        expect(yield* store.active([])).toEqual([])
      })
    )

    it.effect("saves the fields that can change, of many webhooks at once", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const webhooks = times(30, () => draftWebhook(accountId))
        for (const webhook of webhooks) yield* store.insert(webhook, many)
        const changed = webhooks.map((webhook, index) => ({
          ...webhook,
          secrets: [{ sealed: `newer ${index}`, until: null }, ...webhook.secrets],
          status: "Stopped" as const,
          stoppedReason: "why",
          failuresInARow: index
        }))
        yield* run(
          Effect.andThen(
            store.lock(webhooks.map(refOf)),
            store.save(changed.map((webhook) => ({ ...webhook, url: "https://never.example/" })))
          )
        )
        expect(byId(yield* store.find(webhooks.map(refOf)))).toEqual(changed)
        yield* store.save([])
      })
    )

    it.effect("counts every one of many concurrent failures", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const webhooks = times(3, () => draftWebhook(accountId))
        for (const webhook of webhooks) yield* store.insert(webhook, many)
        const refs = webhooks.map(refOf)
        const count = run(
          Effect.flatMap(store.lock(refs), (found) =>
            store.save(found.map((webhook) => ({ ...webhook, failuresInARow: webhook.failuresInARow + 1 })))
          )
        )
        const exits = yield* atOnce(times(12, () => count))
        expect(successes(exits)).toHaveLength(12)
        expect((yield* store.find(refs)).map(({ failuresInARow }) => failuresInARow)).toEqual([12, 12, 12])
      })
    )

    it.effect("resets counts, except of stopped webhooks", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const accountId = yield* freshAccountId
        const failing = draftWebhook(accountId, { failuresInARow: 3 })
        const well = draftWebhook(accountId)
        const stopped = draftWebhook(accountId, { failuresInARow: 15, status: "Stopped" })
        const other = draftWebhook(accountId, { failuresInARow: 4 })
        for (const webhook of [failing, well, stopped, other]) yield* store.insert(webhook, many)
        yield* store.resetFailures([stopped, well, failing, failing].map(refOf))
        yield* store.resetFailures([])
        expect(byId(yield* store.find([failing, well, stopped, other].map(refOf)))).toEqual(
          byId([{ ...failing, failuresInARow: 0 }, well, stopped, other])
        )
      })
    )

    it.effect("removes a webhook and returns it", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const accountId = yield* freshAccountId
        const webhook = draftWebhook(accountId)
        yield* store.insert(webhook, many)
        expect(yield* store.remove({ accountId: yield* freshAccountId, webhookId: webhook.id })).toBeNull()
        expect(yield* store.remove(refOf(webhook))).toEqual(webhook)
        expect(yield* store.remove(refOf(webhook))).toBeNull()
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(0)
      })
    )
  })
}
