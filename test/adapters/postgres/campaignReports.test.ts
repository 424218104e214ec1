/**
 * Tests that a campaign and its reports are read only from counts, however many people it has: the responses are the same without
 * the tables of recipients, emails, visits and orders.
 *
 * @module
 */
import { Effect, Fiber, Latch, Layer, ManagedRuntime, Redacted } from "effect"
import { expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { breakdowns, CampaignStore } from "../../../core/ports/CampaignStore.ts"
import { ConnectedStores } from "../../../core/ports/ConnectedStores.ts"
import { ConversionStore } from "../../../core/ports/ConversionStore.ts"
import { OrderStore } from "../../../core/ports/OrderStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { VisitStore } from "../../../core/ports/VisitStore.ts"
import { addRecipients, draftCampaign, draftRecipient } from "../../contract/CampaignStore.ts"
import { draftConversion } from "../../contract/ConversionStore.ts"
import { draftStore } from "../../contract/ConnectedStores.ts"
import { draftOrder, draftSubmission } from "../../contract/drafts.ts"
import { freshAccountId, newEmail, now } from "../../contract/fixtures.ts"
import { draftVisits } from "../../contract/VisitStore.ts"
import { eventually } from "../../support/client.ts"
import { freshDatabase, isWaiting, query } from "../../support/postgres.ts"

const tables = [
  "campaign_recipients",
  "deliveries",
  "submissions",
  "delivery_visits",
  "conversions",
  "orders"
]

it("a campaign's reports read no recipients, emails, visits or orders", async () => {
  const url = await freshDatabase()
  const node = ManagedRuntime.make(Layer.fresh(layerServer(Redacted.make(url))))
  try {
    const reports = await node.runPromise(
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        const recipient = draftRecipient(campaign)
        const heldOut = draftRecipient(campaign, { state: "HeldOut", decidedAt: now })
        yield* addRecipients([recipient, heldOut])
        const marketing = { contactId: recipient.contactId, topicId: null, campaign: { id, version: 1 } }
        const mail = draftSubmission(accountId, { marketing }, { email: newEmail() })
        yield* (yield* SubmissionStore).insert(accountId, [mail], [])
        const links = {
          x: { clicks: { Human: 1, Machine: 0, Unknown: 0 }, firstAt: now, lastAt: now }
        }
        const visits = draftVisits(accountId, mail.deliveries[0]!.id, { campaignId: id, links })
        yield* (yield* VisitStore).put([visits])
        const conversions = yield* ConversionStore
        yield* conversions.write(accountId, [], [draftConversion({ flowId: null, campaignId: id })])
        const shop = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(shop)
        const order = draftOrder(shop.id, { contactId: heldOut.contactId, status: "Paid", placedAt: now })
        yield* (yield* OrderStore).write(accountId, [{ before: null, after: order }])
        return Effect.gen(function* () {
          return {
            counts: yield* store.counts(accountId, [id]),
            breakdowns: yield* Effect.forEach(breakdowns, (by) => store.breakdown(accountId, id, by, 9)),
            links: yield* store.linkClicks(accountId, id, 9),
            untried: yield* store.untriedByDomain(accountId, id),
            orders: yield* conversions.ofCampaigns(accountId, [id]),
            compared: yield* conversions.compared(accountId, id, 1)
          }
        })
      })
    )
    const before = await node.runPromise(reports)
    expect(before).toMatchObject({
      links: [{ human: 1 }],
      orders: [{ conversions: 1 }],
      compared: { heldOut: { orders: 1 } }
    })
    expect(before.breakdowns.every(([row]) => row!.submitted === 1)).toBe(true)
    for (const table of tables) await query(url, `alter table ${table} rename to absent_${table}`)
    expect(await node.runPromise(reports)).toEqual(before)
  } finally {
    await node.dispose()
  }
})

it("an order counts once where its person is decided on at the same time, whichever is first", async () => {
  const url = await freshDatabase()
  const node = ManagedRuntime.make(Layer.fresh(layerServer(Redacted.make(url))))
  try {
    const counted = Effect.gen(function* () {
      const campaigns = yield* CampaignStore
      const orders = yield* OrderStore
      const { compared } = yield* ConversionStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const campaign = draftCampaign(accountId)
      const { id } = campaign
      yield* campaigns.insert(campaign)
      const [first, second] = [draftRecipient(campaign), draftRecipient(campaign)]
      yield* addRecipients([first, second])
      const shop = draftStore(accountId)
      yield* (yield* ConnectedStores).insert(shop)
      const placing = (contactId: string) =>
        orders.write(accountId, [{ before: null, after: draftOrder(shop.id, { contactId, placedAt: now }) }])
      const deciding = Effect.fnUntraced(function* ({ contactId, dueAt, variant }: typeof first) {
        const due = yield* campaigns.lockDue(accountId, id, [contactId], now)
        const decision = {
          contactId,
          dueAt,
          variant,
          state: "HeldOut" as const,
          reason: null,
          version: null,
          deliveryId: null,
          addressHash: null,
          renderError: null,
          heldSince: null
        }
        yield* campaigns.decide(
          accountId,
          id,
          due.map(() => decision),
          now
        )
        return due.length
      })
      /** A transaction that stays open until the returned effect is run. */
      const opened = Effect.fnUntraced(function* <E, R>(doing: Effect.Effect<unknown, E, R>) {
        const [done, over] = [yield* Latch.make(), yield* Latch.make()]
        const fiber = yield* Effect.forkChild(
          run(doing.pipe(Effect.andThen(done.open), Effect.andThen(over.await)))
        )
        yield* done.await
        return Effect.andThen(over.open, Fiber.join(fiber))
      })
      const decided = yield* opened(deciding(first))
      const placed = yield* Effect.forkChild(placing(first.contactId))
      yield* Effect.promise(() =>
        eventually(
          () => isWaiting(url),
          (met) => met
        )
      )
      yield* decided
      yield* Fiber.join(placed)
      expect((yield* compared(accountId, id, 1)).heldOut.orders).toBe(1)
      const written = yield* opened(placing(second.contactId))
      expect(yield* run(deciding(second))).toBe(0)
      yield* written
      expect(yield* run(deciding(second))).toBe(1)
      expect((yield* compared(accountId, id, 1)).heldOut.orders).toBe(2)
    })
    await node.runPromise(counted)
  } finally {
    await node.dispose()
  }
})
