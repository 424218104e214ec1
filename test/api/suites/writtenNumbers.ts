/**
 * Tests the notation of numbers: event properties are displayed as they were written, and prices and totals are exact or
 * rejected.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { type Receiver, startReceiver } from "../../support/receiver.ts"
import type { CatalogueItem, ContactWritten, Page } from "../../support/shapes.ts"
import { connectStore, type EventsTaken, type ListedOrder } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

/** Numbers that change, or are lost, when converted to a double and back. */
const written = [
  "1.10",
  "9007199254740993",
  "12345678901234567890",
  "-0",
  "-0.0",
  "1e2",
  "1E+2",
  "1e-400",
  "100.00",
  "0.1000000000000000055511151231257827"
]

const shown = written.map((number, index) => `"n${index}":${number}`).join()

export const writtenNumbersSuite = (target: () => Target) =>
  describe("numbers as they were written", () => {
    let account: TestAccount
    let flows: ReturnType<typeof flowsOf>
    let receiver: Receiver
    beforeAll(async () => {
      receiver = await startReceiver()
      account = (await openWorkspace(target(), "Numbers")).sandbox
      flows = flowsOf(account)
    })
    afterAll(() => receiver.stop())
    const post = <Value = unknown>(path: string, body: string) =>
      call<Value>(target(), "POST", `/api/v1${path}`, { token: account.key, body })
    const report = async (name: string, email: string, properties: string) => {
      const event = `{"id":"${uniqueName()}","name":"${name}","contact":{"email":"${email}"},"properties":${properties}}`
      expect((await post("/events", `{"events":[${event}]}`)).value).toMatchObject({ accepted: 1 })
    }
    const person = () => flows.person()

    it("are shown on the timeline, in emails and in webhooks as written", async () => {
      const name = uniqueName()
      const subject = written.map((_, index) => `{{event.n${index}}}`).join(" ")
      const flow = await flows.start(name, [
        { id: "hook", kind: "Webhook", url: `${receiver.url}/numbers` },
        emailStep("mail", { subject, html: "<p>{{ event.n0 | times: 2 }} {{event.list}} {{event.five}}</p>" })
      ])
      const { email, id } = await person()
      await report(name, email, `{${shown},"list":[1.50,{"a":2.0}],"five":5}`)
      await flows.runIn(flow.id, "Completed")
      const timeline = await account.manage("GET", `/contacts/${id}/timeline`)
      const [received] = await receiver.awaited("/numbers", 1)
      for (const text of [timeline.text, received!.body]) {
        for (const [index, number] of written.entries()) expect(text).toMatch(`"n${index}":${number}`)
        expect(text).toContain(`[1.50,{"a":2.0}]`)
        expect(text).toMatch(/"five":5[,}]/)
      }
      const [message] = await flows.mailTo(email, 1)
      expect(message).toMatchObject({ subject: written.join(" "), html: expect.stringContaining("2.2  5") })
    })

    it("are compared by their value in filters", async () => {
      const name = uniqueName()
      const rule = (operator: string, value: unknown) => ({ fieldKey: "event.n", operator, value })
      const rules = [
        rule("Equals", 1.1),
        rule("LessThan", 2),
        rule("Between", { from: 1, to: 1.1 }),
        rule("IsSet", null)
      ]
      const flow = await flows.start(name, [
        {
          id: "b",
          kind: "Branch",
          condition: { join: "All", rules },
          then: [emailStep("yes")],
          else: [emailStep("no")]
        }
      ])
      const { email } = await person()
      await report(name, email, '{"n":1.10}')
      await flows.runIn(flow.id, "Completed")
      expect(await flows.mailTo(email, 1)).toMatchObject([{ subject: "Subject yes" }])
    })

    it("are kept in the properties of a trigger's call", async () => {
      const { id } = (
        await flows.create({
          trigger: { kind: "Api" },
          steps: [emailStep("mail", { subject: "{{event.n}}" })]
        })
      ).value
      await flows.publish(id)
      const { token } = (await account.manage<{ token: string }>("POST", `/flows/${id}/trigger-token`)).value
      const { email } = await person()
      const answer = await call(target(), "POST", `/flows/${id}/trigger`, {
        token,
        body: `{"id":"one","email":"${email}","properties":{"n":1.10}}`
      })
      expect(answer.status).toBe(200)
      expect(await flows.mailTo(email, 1)).toMatchObject([{ subject: "1.10" }])
    })

    it("count towards the size of properties as written, and not as a level", async () => {
      const event = (properties: string) =>
        `{"events":[{"id":"${uniqueName()}","name":"a","contact":{"email":"a@b.example"},"properties":${properties}}]}`
      const long = (digits: number) => `{"n":1${"0".repeat(digits)}.50}`
      const answers = await Promise.all(
        [event('{"a":{"b":[1.50]}}'), event('{"a":{"b":[[1.50]]}}'), event(long(200)), event(long(308))].map(
          (body) =>
            post<{ readonly accepted: number; readonly rejected: ReadonlyArray<unknown> }>("/events", body)
        )
      )
      expect(answers.map(({ value }) => value.accepted)).toEqual([1, 0, 1, 1])
      const large = await post<{ readonly rejected: ReadonlyArray<unknown> }>(
        "/events",
        event(`{"n":[0.${"0".repeat(17_000)}1]}`)
      )
      expect(large.value.rejected).toMatchObject([
        { reasons: [{ code: "activity.event_properties_too_large", field: "properties" }] }
      ])
    })

    it("of a template's variables are shown without loss", async () => {
      const { id } = (
        await account.manage<{ readonly id: string }>("POST", "/templates", {
          name: "Numbers",
          subject: "{{ big }} {{ long }} {{ list[0] }} {% if two == 2 %}{{ two }}{% endif %}",
          text: "{{ variables.o.small }}"
        })
      ).value
      const variables = `{"big":12345678901234567890,"long":9007199254740993,"list":[1.00000000000000001],"two":2.0,"o":{"small":1e-400}}`
      const subject = "12345678901234567890 9007199254740993 1.00000000000000001 2"
      const { value } = await post<{ readonly id: string }>(
        "/sending/emails",
        `{"to":"variables@numbers.example","templateId":"${id}","variables":${variables}}`
      )
      expect(value.id).toEqual(expect.any(String))
      const [message] = await flows.mailTo("variables@numbers.example", 1)
      expect(message).toMatchObject({ subject, text: expect.stringContaining("1e-400") })
      const rendered = await call(
        target(),
        "POST",
        `/manage/v1/accounts/${account.accountId}/templates/${id}/render`,
        { token: target().managementToken, body: `{"variables":${variables}}` }
      )
      expect(rendered.value).toMatchObject({ subject, text: expect.stringContaining("1e-400") })
    })

    it("cannot be forged by a key", async () => {
      const forged = `{"n":1.10,"forged":{"\\ufdd0number":"1,\\"x\\":2"}}`
      const answer = await post<{ readonly rejected: ReadonlyArray<unknown> }>(
        "/events",
        `{"events":[{"id":"forged","name":"a","contact":{"email":"a@b.example"},"properties":${forged}}]}`
      )
      expect(answer.value.rejected).toMatchObject([{ reasons: [{ code: "validation.type" }] }])
    })

    it("are doubles in attributes", async () => {
      await account.api("POST", "/contact-attributes", { key: "score", type: "Number" })
      const answer = await post<ContactWritten>(
        "/contacts",
        '{"email":"doubles@numbers.example","attributes":{"score":9007199254740993.10}}'
      )
      expect(answer.value.contact.attributes).toEqual({ score: 9007199254740994 })
    })

    it.each([
      ["1.00000000000000001", null],
      ["1e-400", null],
      ["0.10000000000000000001", null],
      ["9007199254740993", null],
      ["-0.0001", null],
      ["19.90", 19.9],
      ["1.5e1", 15],
      ["1500e-2", 15],
      ["0.00", 0],
      ["-0.0", 0],
      ["0e999999", 0],
      [`1${"0".repeat(1200)}e-1200`, 1]
    ])("make a price exact or rejected: %s", async (number, price) => {
      const item = (id: string) => `{"id":"${id}","name":"n","currency":"EUR","price":${number}}`
      const single = await post<CatalogueItem>("/items", item(`p${number.slice(0, 50)}`))
      const { value } = await post<{
        readonly results: ReadonlyArray<{ readonly status: string; readonly errors: unknown }>
      }>("/items/batch", `{"items":[${item(`b${number.slice(0, 50)}`)}]}`)
      if (price === null) {
        expect([single.status, single.codes]).toEqual([400, ["catalog.item_price_invalid"]])
        expect(value.results).toMatchObject([
          { status: "failed", errors: [{ code: "catalog.item_price_invalid", field: "price" }] }
        ])
      } else {
        expect(single.value.price).toBe(price)
        expect(value.results).toMatchObject([{ status: "created" }])
      }
    })

    it("make an order's total exact or rejected", async () => {
      const store = await connectStore(target(), account)
      const order = (total: string) =>
        `{"id":"${uniqueName()}","name":"order.placed","data":{"id":"${uniqueName()}","currency":"EUR","total":${total},"email":"o@b.example","lines":[{"price":1.10,"quantity":1.0}]}}`
      const totals = ["1.00000000000000001", "1e-400", "123456789012345678", "12.340", "1e1"]
      const { value } = await call<EventsTaken>(target(), "POST", `/ingest/v1/stores/${store.id}/events`, {
        token: store.token,
        body: `{"events":[${totals.map(order).join()}]}`
      })
      expect(value.rejected.map(({ index, reasons }) => [index, reasons[0]!.field])).toEqual([
        [0, "data.total"],
        [1, "data.total"],
        [2, "data.total"]
      ])
      const { items } = (
        await account.api<Page<ListedOrder>>("GET", `/commerce/orders?view=All&storeId=${store.id}`)
      ).value
      expect(items.map(({ total }) => total).toSorted()).toEqual([10, 12.34])
    })

    it.each([
      [
        "Shopify",
        "orders/create",
        (id: string, total: string) =>
          `{"id":${id},"total_price":${total},"currency":"EUR","financial_status":"paid"}`
      ],
      [
        "WooCommerce",
        "order.created",
        (id: string, total: string) => `{"id":${id},"total":${total},"currency":"EUR","status":"processing"}`
      ]
    ])("make the total of an order of %s exact, or the order is ignored", async (platform, topic, order) => {
      const store = await connectStore(target(), account, { platform, currency: "EUR" })
      const totals = [
        "1.00000000000000001",
        "1e-400",
        "9007199254740993",
        "12.340",
        "1e1",
        '"19.90"',
        '"1e1"'
      ]
      for (const [index, total] of totals.entries()) {
        expect((await store.webhook(topic, order(String(4000 + index), total))).status).toBe(200)
      }
      const listed = await account.api("GET", `/commerce/orders?view=All&storeId=${store.id}`)
      const { items } = listed.value as Page<ListedOrder>
      expect(items.map(({ total }) => total).toSorted((a, b) => a - b)).toEqual([10, 12.34, 19.9])
    })
  })
