/**
 * Tests conversions (docs/contributing/decisions.md 4 "Conversions"): orders attributed to a click in a flow's email, in whatever
 * order they arrive.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { emailStep, type Flow, flowsOf, uniqueName } from "../../support/flows.ts"
import type { Contact, Page } from "../../support/shapes.ts"
import { connectStore, storeEvent, type TestStore } from "../../support/stores.ts"
import { settled, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface TimelineEntry {
  readonly name: string
  readonly occurredAt: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly source: string
}

/** A contact, with the tracked links of the email that a flow sent. */
interface Reader {
  readonly contact: Contact
  readonly messageId: string
  readonly links: ReadonlyArray<string>
}

const html = ["a", "b", "c"].map((name) => `<a href="https://shop.example/${name}">${name}</a>`).join(" ")
const person = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
  "accept-language": "en"
}

export const conversionsSuite = (target: () => Target) =>
  describe("conversions", () => {
    let account: TestAccount
    let store: TestStore
    let flow: Flow
    let readers: ReadonlyArray<Reader>
    let campaignId: string
    let buyer: Reader
    let serial = 0

    beforeAll(async () => {
      account = (await openWorkspace(target(), "Conversions")).sandbox
      store = await connectStore(target(), account)
      const flows = flowsOf(account)
      const name = uniqueName()
      flow = await flows.start(name, [emailStep("offer", { html })])
      const people = await Promise.all(Array.from({ length: 7 }, () => flows.person()))
      for (const { id } of people) await flows.report(name, { id })
      const readerOf = async (contact: Contact): Promise<Reader> => {
        const [mail] = await flows.mailTo(contact["email"] as string, 1)
        const found = String(mail!["html"]).matchAll(/href="([^"]+)"/g)
        const links = [...found].map(([, url]) => url!.slice(target().baseUrl.length))
        return { contact, messageId: mail!.submissionId, links }
      }
      readers = await Promise.all(people.map(readerOf))
      const recipient = await flows.person({ consent: { basis: "Customer" } })
      const segment = await account.manage<{ readonly id: string }>("POST", "/segments", {
        name: "buyer",
        definition: {
          join: "All",
          rules: [{ fieldKey: "email", operator: "Equals", value: recipient["email"] }]
        }
      })
      const campaign = await account.manage<{ readonly id: string }>("POST", "/campaigns", {
        name: "Offer",
        content: { subject: "Offer", html },
        audience: { segments: [segment.value.id] }
      })
      campaignId = campaign.value.id
      const path = `/campaigns/${campaignId}`
      expect((await account.manage("POST", `${path}/launch`)).codes).toEqual([])
      const isSent = ({ status }: { readonly status: string }) => status === "Sent"
      await eventually(async () => {
        const { value } = await account.manage<{ readonly status: string }>("GET", path)
        if (!isSent(value)) await target().advance?.("1100 millis")
        return value
      }, isSent)
      buyer = await readerOf(recipient)
      // Visits within 3 seconds of delivery are attributed to programs.
      const { advance } = target()
      if (advance === null) await new Promise((resolve) => setTimeout(resolve, 3_200))
      else await advance("3200 millis")
    })

    const at = (offset: number) => new Date(target().now() + offset).toISOString()
    const click = async (link: string, headers: Record<string, string> = person) => {
      const response = await target().fetch(link, { headers, redirect: "manual" })
      expect(response.status).toBe(302)
    }
    const order = ({ contact }: Reader, values: object = {}) => ({
      id: `converted-${++serial}`,
      status: "Pending",
      currency: "EUR",
      total: 10,
      placedAt: at(0),
      customer: { email: contact["email"] },
      lines: [],
      ...values
    })
    const report = async (name: string, data: object) => {
      expect((await store.report(storeEvent(name, data))).value.accepted).toBe(1)
    }
    const read = async ({ contact }: Reader) =>
      (await account.api<Contact>("GET", `/contacts/${contact.id}`)).value
    const converted = async (reader: Reader, placedAt: string | null) =>
      expect(
        (
          await eventually(
            () => read(reader),
            ({ lastConversionAt }) => lastConversionAt === placedAt
          )
        )["lastConversionAt"]
      ).toBe(placedAt)
    const timeline = async ({ contact }: Reader) =>
      (
        await account.manage<Page<TimelineEntry>>("GET", `/contacts/${contact.id}/timeline`)
      ).value.items.filter(({ name }) => name === "conversion.attributed")
    const stats = async () =>
      (await account.manage<Readonly<Record<string, number>>>("GET", `/flows/${flow.id}/stats`)).value

    it("are orders after a click, on the contact, the timeline and the flow, and start flows", async () => {
      const [reader] = readers as [Reader]
      const thanks = await flowsOf(account).start("conversion.attributed", [emailStep("thanks")])
      const before = await stats()
      await click(reader.links[0]!)
      const placed = order(reader)
      await report("order.placed", placed)
      await converted(reader, placed.placedAt)
      const [entry, ...others] = await timeline(reader)
      expect(others).toEqual([])
      const { lastClickAt } = await read(reader)
      expect(entry).toMatchObject({ occurredAt: placed.placedAt, source: "Service" })
      expect(entry!.properties).toEqual({
        orderId: expect.any(String),
        flowId: flow.id,
        messageId: reader.messageId,
        clickedAt: lastClickAt
      })
      expect(await stats()).toMatchObject({
        started: 7,
        completed: 7,
        clicked: before["clicked"]! + 1,
        opened: before["opened"]! + 1,
        conversions: before["conversions"]! + 1
      })
      await flowsOf(account).runIn(thanks.id, "Completed")
      // A later order by the same person moves the time.
      await settled(target())
      const next = order(reader)
      await report("order.placed", next)
      await converted(reader, next.placedAt)
      expect(await timeline(reader)).toHaveLength(2)
    })

    it("are counted and summed of campaigns, and move when the order is cancelled", async () => {
      const earned = async () =>
        (
          await account.manage<{ readonly stats: Readonly<Record<string, unknown>> }>(
            "GET",
            `/campaigns/${campaignId}`
          )
        ).value.stats
      expect(await earned()).toMatchObject({ conversions: 0, revenue: [], refunded: [] })
      await click(buyer.links[0]!)
      const placed = order(buyer, { total: 12.55, updatedAt: at(0) })
      await report("order.placed", placed)
      await converted(buyer, placed.placedAt)
      const money = [{ currency: "EUR", amount: "12.55" }]
      expect(await earned()).toMatchObject({ conversions: 1, revenue: money, refunded: [] })
      const [entry] = await timeline(buyer)
      expect(entry!.properties).toMatchObject({ campaignId, messageId: buyer.messageId })
      expect(entry!.properties).not.toHaveProperty("flowId")
      const total = await account.manage<{ readonly total: object }>("GET", `/campaigns/${campaignId}/stats`)
      expect(total.value.total).toMatchObject({ conversions: 1, revenue: money })
      await report("order.updated", { ...placed, status: "Cancelled", updatedAt: at(1_000) })
      await settled(target())
      expect(await earned()).toMatchObject({ conversions: 1, revenue: [], refunded: money })
    })

    it("begin when a draft is placed, and stay when the order is cancelled", async () => {
      const reader = readers[1]!
      await click(reader.links[0]!)
      const draft = order(reader, { status: "Draft", updatedAt: at(0) })
      await report("order.placed", draft)
      await settled(target())
      expect((await read(reader))["lastConversionAt"]).toBeNull()
      await report("order.updated", { ...draft, status: "Pending", updatedAt: at(1_000) })
      await converted(reader, draft.placedAt)
      await report("order.updated", { ...draft, status: "Cancelled", updatedAt: at(2_000) })
      await settled(target())
      await converted(reader, draft.placedAt)
      expect(await timeline(reader)).toHaveLength(1)
    })

    it("are not made by a click before which the order was placed, or by a program", async () => {
      const [early, bot] = [readers[2]!, readers[3]!]
      await report("order.placed", order(early, { placedAt: at(-60_000) }))
      await click(early.links[0]!)
      await click(bot.links[0]!, { "user-agent": "curl/8.5.0" })
      await report("order.placed", order(bot))
      await settled(target())
      for (const reader of [early, bot]) {
        expect((await read(reader))["lastConversionAt"]).toBeNull()
        expect(await timeline(reader)).toEqual([])
      }
    })

    it("end when a burst shows that a program clicked", async () => {
      // Only with a virtual clock are the clicks certain to fall within the seconds of a burst.
      if (target().advance === null) return
      const reader = readers[4]!
      const { conversions } = await stats()
      await click(reader.links[0]!)
      const placed = order(reader)
      await report("order.placed", placed)
      await converted(reader, placed.placedAt)
      expect((await read(reader))["lastClickAt"]).not.toBeNull()
      await click(reader.links[1]!)
      await click(reader.links[2]!)
      await converted(reader, null)
      expect(await timeline(reader)).toEqual([])
      const after = await read(reader)
      expect([after["lastClickAt"], after["lastOpenAt"]]).toEqual([null, null])
      expect((await stats())["conversions"]).toBe(conversions)
      expect((await stats())["clickedByMachines"]).toBeGreaterThan(0)
    })

    it("follow the order to the contact it turns out to be of", async () => {
      const reader = readers[5]!
      await click(reader.links[0]!)
      const placed = order(reader, { customer: { email: null }, updatedAt: at(0) })
      await report("order.placed", placed)
      await settled(target())
      expect((await read(reader))["lastConversionAt"]).toBeNull()
      const { email } = reader.contact as unknown as { readonly email: string }
      await report("order.updated", { ...placed, customer: { email }, updatedAt: at(1_000) })
      await converted(reader, placed.placedAt)
    })

    it("are erased with the person", async () => {
      const reader = readers[6]!
      await click(reader.links[0]!)
      const placed = order(reader)
      await report("order.placed", placed)
      await converted(reader, placed.placedAt)
      const { conversions } = await stats()
      await account.api("DELETE", `/contacts/${reader.contact.id}`)
      expect((await stats())["conversions"]).toBe(conversions! - 1)
      expect((await account.api("GET", `/contacts/${reader.contact.id}`)).status).toBe(404)
    })

    it("have a window of 1 to 90 days", async () => {
      for (const conversionWindowDays of [0, 91, 1.5, -1]) {
        const refused = await account.manage("PATCH", "/settings", { conversionWindowDays })
        expect(refused.codes).toEqual(["validation.range"])
      }
      const changed = await account.manage<Record<string, unknown>>("PATCH", "/settings", {
        conversionWindowDays: 90
      })
      expect(changed.value["conversionWindowDays"]).toBe(90)
    })

    it("have a name that only the service uses", async () => {
      const send = (name: string) =>
        account.api<{
          readonly accepted: number
          readonly rejected: ReadonlyArray<{ readonly reasons: ReadonlyArray<{ readonly code: string }> }>
        }>("POST", "/events", {
          events: [{ id: uniqueName(), name, contact: { id: readers[0]!.contact.id } }]
        })
      const refused = (await send("conversion.attributed")).value
      expect(refused.accepted).toBe(0)
      expect(JSON.stringify(refused)).toContain("activity.event_name_reserved")
      expect((await send("conversion.of_a_lead")).value.accepted).toBe(1)
    })
  })
