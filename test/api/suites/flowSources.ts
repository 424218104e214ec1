/**
 * Tests flows started and ended by store events and consent changes (docs/contributing/public-api.md "Timeline events created by
 * the service"), and flow emails with catalogue items and webhooks.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { type Receiver, startReceiver } from "../../support/receiver.ts"
import { connectStore, storeEvent, type TestStore } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const proof = { text: "Yes, please." }

export const flowSourcesSuite = (target: () => Target) =>
  describe("sources of flows", () => {
    let account: TestAccount
    let flows: ReturnType<typeof flowsOf>
    let store: TestStore
    let receiver: Receiver
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Sources of flows")).sandbox
      flows = flowsOf(account)
      store = await connectStore(target(), account)
      receiver = await startReceiver()
    })
    afterAll(() => receiver.stop())

    const freshEmail = () => `shopper${++serial}@sources.example`
    /** An order in the form that a store reports. */
    const order = (email: string, status: string, number = 1) =>
      storeEvent(number === 1 ? "order.placed" : "order.updated", {
        id: `order-${email}`,
        number: "#77",
        status,
        currency: "EUR",
        total: "42.50",
        email,
        // Each update is newer than the previous one.
        updatedAt: new Date(target().now() + number).toISOString()
      })

    it("include orders that are placed, paid, cancelled and refunded", async () => {
      const names = ["order.placed", "order.paid", "order.cancelled", "order.refunded"]
      const started = await Promise.all(
        names.map((name) =>
          flows.start(name, [
            emailStep(name.replace(".", "_"), { subject: `${name} {{ event.number }} {{ event.total }}` })
          ])
        )
      )
      const email = freshEmail()
      for (const [index, status] of ["Pending", "Paid", "Cancelled", "Refunded", "Refunded"].entries()) {
        expect((await store.report(order(email, status, index + 1))).value.accepted).toBe(1)
      }
      const messages = await flows.mailTo(email, names.length)
      expect(messages.map(({ subject }) => subject).toSorted()).toEqual(
        names.map((name) => `${name} #77 42.5`).toSorted()
      )
      for (const { id } of started) await flows.runIn(id, "Completed")
    })

    it("include consent that becomes Subscribed, in every way", async () => {
      const flow = await flows.start("contact.subscribed", [emailStep("welcome")])
      const endedFor = (contactId: string) =>
        flows.runsWhere(flow.id, (runs) =>
          runs.some((run) => run.contactId === contactId && run.status === "Completed")
        )
      const subscribed = { basis: "Subscribed", proof }

      const one = await flows.person({ consent: subscribed })
      // While a run is active, no second one starts for the same person.
      await endedFor(one.id)
      // Subscribing again is no change; becoming Subscribed after another status is one.
      await account.api("POST", "/contacts", { id: one.id, consent: subscribed })
      await account.api("POST", "/contacts", { id: one.id, consent: { basis: "Unsubscribed" } })
      await account.api("POST", "/contacts", { id: one.id, consent: subscribed })
      await flows.runsWhere(
        flow.id,
        (runs) => runs.filter(({ contactId }) => contactId === one.id).length >= 2
      )

      const batch = [freshEmail(), freshEmail()]
      await account.api("POST", "/contacts/batch", {
        contacts: batch.map((email) => ({ email, consent: subscribed }))
      })
      for (const email of batch) await flows.mailTo(email, 1)

      const asked = await flows.person()
      const links = await account.manage<{ confirm: string }>("POST", `/contacts/${asked.id}/double-opt-in`)
      const confirmed = await target().fetch(links.value.confirm, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "",
        redirect: "manual"
      })
      expect(confirmed.status).toBe(303)
      await endedFor(asked.id)

      const shopper = freshEmail()
      await store.report(storeEvent("subscriber.created", { email: shopper, consent: proof }))
      await flows.mailTo(shopper, 1)

      const reported = freshEmail()
      await flows.report(uniqueName(), { email: reported, consent: subscribed })
      await flows.mailTo(reported, 1)

      const runs = await flows.runs(flow.id)
      expect(runs).toHaveLength(7)
      expect(runs.filter(({ contactId }) => contactId === one.id)).toHaveLength(2)
    })

    it("include trigger calls for people of a store, whose consent the store keeps managing", async () => {
      const email = freshEmail()
      await store.report(storeEvent("customer.upserted", { id: `c-${email}`, email }))
      const flow = (await flows.create({ trigger: { kind: "Api" }, steps: [emailStep("called")] })).value
      await flows.publish(flow.id)
      const { token, triggerUrl } = (
        await account.manage<{ token: string; triggerUrl: string }>("POST", `/flows/${flow.id}/trigger-token`)
      ).value
      const path = triggerUrl.slice(target().baseUrl.length)
      const trigger = (json: object) =>
        call<{ contactId: string }>(target(), "POST", path, { token, json: { email, ...json } })
      const called = await trigger({ id: "1", firstName: "Ada" })
      expect(called.status).toBe(200)
      await flows.mailTo(email, 1)
      const person = await account.api<object>("GET", `/contacts/${called.value.contactId}`)
      expect(person.value).toMatchObject({ firstName: "Ada", storeId: store.id, consentStatus: "Unknown" })
      const refused = await trigger({ id: "2", consent: { basis: "Customer" } })
      expect([refused.codes, refused.fields]).toEqual([["audience.contact_store_managed"], ["consent"]])
    })

    it("include abandoned carts", async () => {
      const { advance } = target()
      if (advance === null) return
      const flow = await flows.start("cart.abandoned", [
        emailStep("reminder", { html: `<p>{{ event.lineCount }} {{ event.url }}|{{ event.lines }}|</p>` })
      ])
      const email = freshEmail()
      await store.report(
        storeEvent("cart.updated", {
          id: `cart-${email}`,
          email,
          currency: "EUR",
          total: "10.50",
          url: "https://shop.example/cart",
          lines: [{ productId: "1", name: "Tea", quantity: 2, price: "10.50" }]
        })
      )
      expect(await flows.runs(flow.id)).toEqual([])
      for (let minute = 0; minute < 31; minute++) await advance("1 minute")
      const [message] = await flows.mailTo(email, 1)
      expect(message!["html"]).toContain("1 https://shop.example/cart||")
    })

    it("start the blueprints: a sign-up the welcome flow, a store account the one for new customers", async () => {
      const shop = (await openWorkspace(target(), "Blueprints of stores")).sandbox
      const own = flowsOf(shop)
      const its = await connectStore(target(), shop)
      for (const key of ["welcome", "new_customer"]) {
        const { value } = await shop.manage<{ id: string }>("POST", `/flow-blueprints/${key}/install`)
        await own.publish(value.id)
      }
      const [customer, reader, user] = [freshEmail(), freshEmail(), freshEmail()]
      await its.report(
        storeEvent("customer.upserted", { id: "1", email: customer, consent: proof }),
        storeEvent("subscriber.created", { email: reader, consent: proof })
      )
      await shop.api("POST", "/contacts", { email: user, consent: { basis: "Subscribed", proof } })
      const welcome = "Welcome, and thank you for subscribing"
      for (const [email, subject] of [
        [customer, "Thank you for making an account with us"],
        [reader, welcome],
        [user, welcome]
      ] as const) {
        expect((await own.mailTo(email, 1)).map((message) => message.subject)).toEqual([subject])
      }
    })

    it("end runs by stop events", async () => {
      const name = uniqueName()
      const stopEvents = [
        {
          name: "order.paid",
          filter: {
            join: "All",
            rules: [{ fieldKey: "event.total", operator: "GreaterThan", value: 40 }]
          }
        },
        { name: "contact.subscribed" }
      ]
      const flow = await flows.start(name, [{ id: "w", kind: "Wait", duration: "P1D" }], { stopEvents })
      const [buyer, reader] = [freshEmail(), freshEmail()]
      for (const email of [buyer, reader]) await flows.report(name, { email })
      await flows.runsWhere(flow.id, (runs) => runs.filter(({ stepId }) => stepId === "w").length === 2)
      await store.report(order(buyer, "Paid"))
      await account.api("POST", "/contacts", { email: reader, consent: { basis: "Subscribed", proof } })
      const ended = await flows.runsWhere(flow.id, (runs) => runs.every(({ status }) => status === "Stopped"))
      expect(ended.map(({ reason }) => reason).toSorted()).toEqual([
        "event: contact.subscribed",
        "event: order.paid"
      ])
    })

    it("provide items of the catalogue to emails", async () => {
      await account.api("POST", "/items", {
        id: "tea-1",
        name: "Green tea",
        price: 4.5,
        currency: "EUR",
        categories: ["Tea"]
      })
      const name = uniqueName()
      const html =
        `<p>{{ item[event.sku].name }} {{ item.tea-1.price }}</p>` +
        `{% for one in recommend.Tea %}<i>{{ one.name }}</i>{% endfor %}`
      const template = await account.manage<{ id: string }>("POST", "/templates", {
        name: "Items",
        subject: "About {{ item[event.sku].name }}",
        html
      })
      await flows.start(name, [
        emailStep("own", { html }),
        { id: "stored", kind: "SendEmail", purpose: "Transactional", templateId: template.value.id }
      ])
      const [one, other] = [freshEmail(), freshEmail()]
      await flows.report(name, { email: one }, { sku: "tea-1" })
      await flows.report(name, { email: other }, { sku: "none" })
      for (const [email, shown] of [
        [one, "Green tea"],
        [other, ""]
      ] as const) {
        const messages = await flows.mailTo(email, 2)
        expect(messages.map(({ subject }) => subject).toSorted()).toEqual(
          [`About ${shown}`.trim(), "Subject own"].toSorted()
        )
        for (const message of messages) {
          expect(message["html"]).toContain(`<p>${shown} 4.50</p><i>Green tea</i>`)
        }
      }
    })

    it("are named in webhooks about a flow's emails only", async () => {
      const path = "/emails-of-flows"
      await account.manage("POST", "/webhooks", { url: receiver.url + path, events: ["email.delivered"] })
      const name = uniqueName()
      const flow = await flows.start(name, [emailStep("hi")])
      const person = await flows.person()
      await flows.report(name, { id: person.id })
      const other = freshEmail()
      await call(target(), "POST", "/api/v1/sending/emails", {
        token: account.key,
        json: { to: other, subject: "Hello", text: "It works." }
      })
      const received = await eventually(
        async () => receiver.received(path),
        (all) => [person.email, other].every((email) => all.some(({ json }) => json.data["email"] === email))
      )
      const dataOf = (email: string) => received.find(({ json }) => json.data["email"] === email)!.json.data
      expect(dataOf(person.email)).toMatchObject({ contact_id: person.id, source_id: flow.id })
      expect(dataOf(other)).not.toHaveProperty("source_id")
    })
  })
