/**
 * Tests of which click an order is attributed to, and of the resulting changes to stored conversions.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  attribute,
  changeConversions,
  lastConversionAt
} from "../../../../core/commerce/conversions/ConversionRules.ts"
import type { Conversion } from "../../../../core/model/Conversion.ts"
import { orderStatuses } from "../../../../core/model/Order.ts"
import type { ReaderClicks } from "../../../../core/ports/VisitStore.ts"
import { draftOrder } from "../../../contract/drafts.ts"

const window = 100
const contactId = "ada"
const order = (placedAt: number, values: object = {}) =>
  draftOrder("store", { contactId, status: "Pending", placedAt, ...values })
const email = (deliveryId: string, ...clicks: ReadonlyArray<number>): ReaderClicks => ({
  deliveryId,
  flowId: `flow of ${deliveryId}`,
  campaignId: null,
  contactId,
  clicks
})

const attributed = (...given: Parameters<typeof attribute>) =>
  attribute(...given).map(({ clickedAt, deliveryId }) => `${deliveryId} ${clickedAt}`)

describe("an order", () => {
  it("is attributed to the last click before it, in whichever email", () => {
    const emails = [email("a", 10, 50, 90), email("b", 20, 60)]
    expect(attributed([order(70)], emails, window)).toEqual(["b 60"])
    expect(attributed([order(50)], emails, window)).toEqual(["a 50"])
    expect(attributed([order(9)], emails, window)).toEqual([])
    expect(attributed([order(95), order(15)], emails, window)).toEqual(["a 90", "a 10"])
  })

  it("is attributed to no click longer ago than the window, or of another contact", () => {
    expect(attributed([order(110)], [email("a", 10)], window)).toEqual(["a 10"])
    expect(attributed([order(111)], [email("a", 10)], window)).toEqual([])
    expect(attributed([order(20, { contactId: "bob" })], [email("a", 10)], window)).toEqual([])
    expect(attributed([order(20, { contactId: null })], [email("a", 10)], window)).toEqual([])
  })

  it("counts in every status but Draft", () => {
    const counted = orderStatuses.filter(
      (status) => attributed([order(20, { status })], [email("a", 10)], window).length > 0
    )
    expect(counted).toEqual(orderStatuses.filter((status) => status !== "Draft"))
  })
})

const anyEmails = fc
  .uniqueArray(fc.constantFrom("a", "b", "c"))
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc
          .array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 4 })
          .map((clicks) => email(id, ...clicks.toSorted((x, y) => x - y)))
      )
    )
  )
const anyOrders = fc
  .array(fc.integer({ min: 0, max: 300 }), { maxLength: 4 })
  .map((places) => places.map((placedAt, index) => order(placedAt, { id: `order ${index}` })))

describe("attributions", () => {
  it("do not depend on the order in which orders and emails are given", () => {
    const sorted = (given: Parameters<typeof attribute>) =>
      attribute(...given).toSorted((one, other) => (one.orderId < other.orderId ? -1 : 1))
    fc.assert(
      fc.property(anyOrders, anyEmails, (orders, emails) => {
        expect(sorted([orders.toReversed(), emails.toReversed(), window])).toEqual(
          sorted([orders, emails, window])
        )
      })
    )
  })

  it("replace what was stored of their contacts, and change nothing when decided again", () => {
    fc.assert(
      fc.property(anyOrders, anyEmails, anyEmails, (orders, before, after) => {
        let id = 0
        const newId = () => `id ${id++}`
        const apply = (stored: ReadonlyArray<Conversion>, emails: ReadonlyArray<ReaderClicks>) => {
          const wanted = attribute(orders, emails, window)
          const changes = changeConversions(stored, wanted, newId)
          const kept = stored.filter((conversion) => !changes.removed.includes(conversion))
          const result = [...kept, ...changes.added, ...changes.replaced]
          expect(result.map(({ id: _id, ...rest }) => JSON.stringify(rest)).toSorted()).toEqual(
            wanted.map((one) => JSON.stringify(one)).toSorted()
          )
          return { result, changes }
        }
        const first = apply([], before)
        expect(first.changes.replaced).toEqual([])
        const { result } = apply(first.result, after)
        expect(apply(result, after).changes).toEqual({ removed: [], added: [], replaced: [] })
      })
    )
  })

  it("move the contact's last conversion, except from a later one that was imported", () => {
    const conversion = (orderedAt: number) => ({
      contactId,
      orderId: `${orderedAt}`,
      flowId: "f",
      campaignId: null,
      deliveryId: "d",
      clickedAt: 0,
      orderedAt
    })
    expect(lastConversionAt(null, [], [conversion(5), conversion(3)])).toBe(5)
    expect(lastConversionAt(5, [conversion(5)], [conversion(3)])).toBe(3)
    expect(lastConversionAt(5, [conversion(5)], [])).toBeNull()
    expect(lastConversionAt(9, [conversion(5)], [])).toBe(9)
    expect(lastConversionAt(9, [], [conversion(12)])).toBe(12)
  })
})
