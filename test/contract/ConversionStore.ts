/**
 * The contract of `core/ports/ConversionStore`, and of the storage that conversions depend on: the result is the same in whatever
 * order orders, clicks and other changes arrive.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ContactEventListener, ContactEvents } from "../../core/audience/timeline/ContactEvents.ts"
import { Conversions } from "../../core/commerce/conversions/Conversions.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import type { CampaignRecipient, RecipientState } from "../../core/model/Campaign.ts"
import type { Contact } from "../../core/model/Contact.ts"
import type { Conversion } from "../../core/model/Conversion.ts"
import { isEarning, type Order } from "../../core/model/Order.ts"
import { CampaignStore } from "../../core/ports/CampaignStore.ts"
import { ConnectedStores } from "../../core/ports/ConnectedStores.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { ConversionStore } from "../../core/ports/ConversionStore.ts"
import { OrderStore } from "../../core/ports/OrderStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { addRecipients, draftRecipient } from "./CampaignStore.ts"
import { draftStore } from "./ConnectedStores.ts"
import { draftOrder, draftSubmission } from "./drafts.ts"
import {
  byId,
  changes,
  draftContact,
  firstPage,
  freshAccountId,
  keys,
  makeRandom,
  minute,
  newId,
  now,
  type StorageTest,
  times
} from "./fixtures.ts"
import { draftVisits } from "./VisitStore.ts"

const day = 24 * 60 * minute

/** A conversion of the contract's tests. */
export const draftConversion = (values: Partial<Conversion> = {}): Conversion => ({
  id: newId(),
  contactId: newId(),
  orderId: newId(),
  flowId: newId(),
  campaignId: null,
  deliveryId: newId(),
  clickedAt: now - minute,
  orderedAt: now,
  ...values
})

/** A decided recipient of a campaign. */
const recipientOf = (
  values: Pick<CampaignRecipient, "accountId" | "campaignId" | "contactId" | "decidedAt" | "state">
): CampaignRecipient => draftRecipient({ accountId: values.accountId, id: values.campaignId }, values)

const conversions = Conversions.layer.pipe(
  Layer.provide(ContactEvents.layer),
  Layer.provide(Layer.succeed(ContactEventListener, { dispatch: () => Effect.void })),
  Layer.provide(
    Layer.succeed(Ids, {
      next: Effect.sync(newId),
      many: (count) => Effect.sync(() => times(count, newId))
    })
  )
)

/** All interleavings of the sources, each keeping its own order. */
const interleavings = <A>(sources: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<ReadonlyArray<A>> => {
  const left = sources.filter((source) => source.length > 0)
  if (left.length === 0) return [[]]
  return left.flatMap((source) =>
    interleavings(left.map((other) => (other === source ? other.slice(1) : other))).map((rest) => [
      source[0]!,
      ...rest
    ])
  )
}

/** Tests of the port `ConversionStore`. */
export const conversionsContract = (it: StorageTest): void => {
  describe("ConversionStore", () => {
    it.effect("returns, counts, removes and erases conversions", () =>
      Effect.gen(function* () {
        const store = yield* ConversionStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const [contactId, flowId] = [newId(), newId()]
        const own = times(3, () => draftConversion({ contactId, flowId }))
        const foreign = draftConversion({ flowId })
        const of = (...contactIds: ReadonlyArray<string>) => Effect.map(store.of(accountId, contactIds), byId)
        yield* store.write(accountId, [], [...own, foreign])
        yield* store.write(other, [], [own[0]!])
        yield* store.write(accountId, [], [])
        expect(yield* of(contactId, contactId)).toEqual(byId(own))
        expect(yield* of()).toEqual([])
        expect(yield* of(contactId, foreign.contactId, newId())).toHaveLength(4)
        expect(yield* store.countOfFlow(accountId, flowId)).toBe(4)
        expect(yield* store.countOfFlow(accountId, newId())).toBe(0)
        const moved = { ...own[1]!, id: newId(), flowId: newId(), orderedAt: now + 1 }
        yield* store.write(accountId, [own[0]!, own[1]!], [moved])
        expect(yield* of(contactId)).toEqual(byId([own[2]!, moved]))
        yield* store.erase(accountId, [contactId])
        yield* store.erase(accountId, [])
        expect(yield* of(contactId, foreign.contactId)).toEqual([foreign])
        expect(yield* store.of(other, [contactId])).toEqual([own[0]])
      })
    )
  })

  describe("ConversionStore and orders", () => {
    it.effect("sums what the orders of a flow and of campaigns are worth, by currency", () =>
      Effect.gen(function* () {
        const store = yield* ConversionStore
        const orders = yield* OrderStore
        const accountId = yield* freshAccountId
        const connected = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(connected)
        const flowId = newId()
        const order = (values: Partial<Order>) => draftOrder(connected.id, { contactId: null, ...values })
        const placed = [
          order({ status: "Paid", currency: "EUR", total: "129.90" }),
          order({ status: "Pending", currency: "EUR", total: "0.2" }),
          order({ status: "Completed", currency: "JPY", total: "700" }),
          order({ status: "Cancelled", currency: "EUR", total: "1000" }),
          order({ status: "Refunded", currency: "EUR", total: "0" })
        ]
        const others = [order({ status: "Paid", currency: "EUR", total: "5" })]
        yield* orders.write(
          accountId,
          [...placed, ...others].map((after) => ({ before: null, after }))
        )
        yield* store.write(
          accountId,
          [],
          [...placed.map(({ id }) => draftConversion({ flowId, orderId: id })), draftConversion({ flowId })]
        )
        const revenue = yield* store.revenueOfFlow(accountId, flowId)
        expect(revenue.toSorted((one, two) => (one.currency < two.currency ? -1 : 1))).toEqual([
          { currency: "EUR", amount: "130.10" },
          { currency: "JPY", amount: "700" }
        ])
        expect(yield* store.revenueOfFlow(accountId, newId())).toEqual([])
        const [campaignId, empty] = [newId(), newId()]
        const ofCampaign = placed.map(({ id }) => draftConversion({ flowId: null, campaignId, orderId: id }))
        const gone = draftConversion({ flowId: null, campaignId })
        yield* store.write(accountId, [], [...ofCampaign, gone])
        expect(yield* store.of(accountId, [gone.contactId])).toEqual([gone])
        expect(yield* store.ofCampaigns(accountId, [empty, campaignId])).toEqual([
          { conversions: 0, revenue: [], lost: [] },
          {
            conversions: 6,
            revenue: [
              { currency: "EUR", amount: "130.10" },
              { currency: "JPY", amount: "700" }
            ],
            lost: [{ currency: "EUR", amount: "1000" }]
          }
        ])
        expect(yield* store.ofCampaigns(accountId, [])).toEqual([])
        expect((yield* store.ofCampaigns(newId(), [campaignId]))[0]).toMatchObject({ conversions: 0 })
      })
    )
  })

  describe("ConversionStore and campaigns", () => {
    it.effect("sums a campaign's orders as a recount does, whatever changes and in which order", () =>
      Effect.gen(function* () {
        const store = yield* ConversionStore
        const orders = yield* OrderStore
        const accountId = yield* freshAccountId
        const shop = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(shop)
        const campaignId = newId()
        const seed = Math.floor(Math.random() * 2 ** 31)
        const { below, pick } = makeRandom(seed)
        const placed = new Map<string, Order>()
        const found = new Map<string, Conversion>()
        const people = times(8, () => ({ orderId: newId(), contactId: newId() }))
        const drawn = () => ({
          status: pick(["Pending", "Paid", "Completed", "Cancelled", "Refunded"] as const),
          currency: pick(["EUR", "USD"]),
          total: `${below(100)}`
        })
        const worth = (isEarned: boolean) => {
          const own = [...found.keys()].flatMap((orderId) => placed.get(orderId) ?? [])
          const those = own.filter(({ status }) => isEarning(status) === isEarned)
          return [...Map.groupBy(those, ({ currency }) => currency)]
            .map(([currency, of]) => ({
              currency,
              amount: `${of.reduce((sum, { total }) => sum + Number(total), 0)}`
            }))
            .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
        }
        for (let step = 0; step < 80; step++) {
          const { contactId, orderId } = pick(people)
          const conversion = found.get(orderId)
          const order = placed.get(orderId)
          const kind = below(7)
          if (kind < 2 && conversion === undefined) {
            const added = draftConversion({ flowId: null, campaignId, contactId, orderId })
            found.set(orderId, added)
            yield* store.write(accountId, [], [added])
          } else if (kind === 2 && conversion !== undefined) {
            found.delete(orderId)
            yield* store.write(accountId, [conversion], [])
          } else if (kind < 6) {
            const after: Order = {
              ...(order ?? draftOrder(shop.id, { id: orderId, contactId })),
              ...drawn(),
              ...(order !== undefined && { version: order.version + 1 })
            }
            placed.set(orderId, after)
            yield* orders.write(accountId, [{ before: order ?? null, after }])
          } else {
            placed.delete(orderId)
            yield* orders.erase(accountId, [contactId])
          }
          expect([seed, step, yield* store.ofCampaigns(accountId, [campaignId])]).toEqual([
            seed,
            step,
            [{ conversions: found.size, revenue: worth(true), lost: worth(false) }]
          ])
        }
      })
    )

    it.effect("compares the orders of those who got a campaign with those of who was held out", () =>
      Effect.gen(function* () {
        const store = yield* ConversionStore
        const accountId = yield* freshAccountId
        const shop = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(shop)
        const campaignId = newId()
        const [sent, heldOut, other] = [newId(), newId(), newId()]
        const recipient = (contactId: string, state: RecipientState) =>
          recipientOf({ accountId, campaignId, contactId, state, decidedAt: now })
        yield* addRecipients([
          recipient(sent, "Submitted"),
          recipient(heldOut, "HeldOut"),
          recipient(other, "Skipped")
        ])
        const order = (contactId: string, placedAt: number, values: Partial<Order> = {}) =>
          draftOrder(shop.id, { contactId, placedAt, currency: "EUR", total: "5.00", ...values })
        const placed = [
          order(sent, now, { status: "Paid" }),
          order(sent, now + 1, { status: "Pending", total: "2.50" }),
          order(sent, now + 2, { status: "Refunded" }),
          order(sent, now - 1, { status: "Paid" }),
          order(sent, now + 2 * day, { status: "Paid" }),
          order(heldOut, now + 2 * day - 1, { status: "Completed", currency: "USD" }),
          order(other, now + 1, { status: "Paid" })
        ]
        yield* (yield* OrderStore).write(
          accountId,
          placed.map((after) => ({ before: null, after }))
        )
        expect(yield* store.compared(accountId, campaignId, 2)).toEqual({
          sent: { orders: 2, revenue: [{ currency: "EUR", amount: "7.50" }] },
          heldOut: { orders: 1, revenue: [{ currency: "USD", amount: "5.00" }] }
        })
        const none = { orders: 0, revenue: [] }
        expect((yield* store.compared(accountId, campaignId, 1)).heldOut).toEqual(none)
        expect(yield* store.compared(accountId, newId(), 90)).toEqual({ sent: none, heldOut: none })
        expect(yield* store.compared(newId(), campaignId, 90)).toEqual({ sent: none, heldOut: none })
      })
    )

    it.effect("compares as a recount does, whatever changes and in which order", () =>
      Effect.gen(function* () {
        const store = yield* ConversionStore
        const campaigns = yield* CampaignStore
        const orders = yield* OrderStore
        const accountId = yield* freshAccountId
        const shop = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(shop)
        const campaignId = newId()
        const seed = Math.floor(Math.random() * 2 ** 31)
        const { below, pick } = makeRandom(seed)
        const people = times(4, newId)
        const orderIds = times(8, newId)
        const recipients = new Map<string, { readonly state: RecipientState; readonly decidedAt: number }>()
        const placed = new Map<string, Order>()
        const group = (state: RecipientState, days: number) => {
          const own = [...placed.values()].filter(({ contactId, placedAt, status }) => {
            const recipient = recipients.get(contactId ?? "")
            const waited = recipient?.state === state ? placedAt - recipient.decidedAt : -1
            return isEarning(status) && waited >= 0 && waited < days * day
          })
          const revenue = [...Map.groupBy(own, ({ currency }) => currency)].map(([currency, of]) => ({
            currency,
            amount: `${of.reduce((sum, { total }) => sum + Number(total), 0)}`
          }))
          return {
            orders: own.length,
            revenue: revenue.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
          }
        }
        for (let step = 0; step < 80; step++) {
          const contactId = pick(people)
          const kind = below(10)
          if (kind < 3 && !recipients.has(contactId)) {
            const decidedAt = now + below(3) * day
            const state = pick(["Submitted", "HeldOut", "Skipped"] as const)
            recipients.set(contactId, { state, decidedAt })
            yield* addRecipients([recipientOf({ accountId, campaignId, contactId, state, decidedAt })])
          } else if (kind === 3) {
            recipients.delete(contactId)
            yield* campaigns.erase(accountId, [contactId])
          } else if (kind === 4) {
            for (const [id, order] of placed) if (order.contactId === contactId) placed.delete(id)
            yield* orders.erase(accountId, [contactId])
          } else if (kind === 5) yield* campaigns.compact(accountId, campaignId)
          else {
            const id = pick(orderIds)
            const before = placed.get(id) ?? null
            const after: Order = {
              ...(before ?? draftOrder(shop.id, { id })),
              contactId: pick([...people, null]),
              status: pick(["Pending", "Paid", "Cancelled", "Refunded"] as const),
              currency: pick(["EUR", "USD"]),
              total: `${below(100)}`,
              placedAt: now + below(94 * 24) * 60 * minute,
              ...(before !== null && { version: before.version + 1 })
            }
            placed.set(id, after)
            yield* orders.write(accountId, [{ before, after }])
          }
          const days = pick([1, 5, 90])
          expect([seed, step, days, yield* store.compared(accountId, campaignId, days)]).toEqual([
            seed,
            step,
            days,
            { sent: group("Submitted", days), heldOut: group("HeldOut", days) }
          ])
        }
      })
    )
  })

  describe("conversions", () => {
    it.effect("are the same whatever arrives first: clicks, verdicts, orders and their contacts", () =>
      Effect.gen(function* () {
        const { decide } = yield* Conversions
        const contacts = yield* ContactStore
        const orders = yield* OrderStore
        const visits = yield* VisitStore
        const submissions = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const store = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(store)
        const flows = [newId(), newId()] as const

        const run = Effect.fnUntraced(function* (sequence: ReadonlyArray<string>) {
          const ada: Contact = draftContact()
          const bob: Contact = draftContact()
          yield* contacts.write(accountId, changes({ inserts: [ada, bob] }))
          const sent = times(2, () => draftSubmission(accountId))
          yield* submissions.insert(accountId, sent, [])
          const click = (index: 0 | 1, clicks: ReadonlyArray<number>) =>
            visits.put([
              draftVisits(accountId, sent[index]!.deliveries[0]!.id, {
                flowId: flows[index],
                contactId: ada.id,
                readerClicks: clicks
              })
            ])
          let placed: Order | null = null
          const report = Effect.fnUntraced(function* (values: Partial<Order>) {
            const before: Order | null = placed
            const after: Order =
              before === null
                ? draftOrder(store.id, { placedAt: now, ...values })
                : { ...before, ...values, version: before.version + 1 }
            placed = after
            yield* orders.write(accountId, [{ before, after }])
          })
          const arrivals: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
            click: click(0, [now - 3 * minute, now + minute]),
            "program's click": click(1, [now - 2 * minute]),
            burst: click(1, []),
            draft: report({ status: "Draft", contactId: bob.id }),
            placed: report({ status: "Pending", contactId: ada.id }),
            cancelled: report({ status: "Cancelled" })
          }
          for (const arrival of sequence) {
            yield* Effect.orDie(arrivals[arrival]!)
            yield* decide(accountId, [ada.id, bob.id])
          }
          const found = yield* contacts.find(accountId, keys({ ids: [ada.id, bob.id] }))
          const timeline = yield* (yield* TimelineStore).list(accountId, ada.id, firstPage)
          const stored = yield* (yield* ConversionStore).of(accountId, [ada.id, bob.id])
          const name = new Map([
            [ada.id, "Ada"],
            [bob.id, "Bob"],
            [sent[0]!.deliveries[0]!.id, "first email"],
            [sent[1]!.deliveries[0]!.id, "second email"],
            [placed!["id"] as string, "order"]
          ])
          const named = (text: string) =>
            [...name].reduce((result, [id, called]) => result.replaceAll(id, called), text)
          return named(
            JSON.stringify({
              times: found.map(({ id, lastConversionAt }) => [id, lastConversionAt]).toSorted(),
              stored: stored.map(({ id: _id, ...rest }) => rest),
              timeline: timeline.items.map(({ id: _id, ...rest }) => rest)
            })
          )
        })

        const sequences = interleavings([
          ["click"],
          ["program's click", "burst"],
          ["draft", "placed", "cancelled"]
        ])
        expect(sequences).toHaveLength(60)
        const ends = new Map<string, string>()
        for (const sequence of sequences) ends.set(yield* run(sequence), sequence.join(", "))
        expect([...ends.values()]).toHaveLength(1)
        const [end] = [...ends.keys()].map((text) => JSON.parse(text) as Record<string, unknown>)
        expect(end).toMatchObject({
          stored: [
            {
              contactId: "Ada",
              orderId: "order",
              flowId: flows[0],
              deliveryId: "first email",
              clickedAt: now - 3 * minute,
              orderedAt: now
            }
          ],
          timeline: [{ name: "conversion.attributed", occurredAt: now, source: "Service" }]
        })
      }).pipe(Effect.provide(conversions))
    )
  })
}
