/**
 * Tests store events, and GET /commerce/orders (docs/contributing/public-api.md "Orders" and "Events reported by shop plugins or
 * platforms", docs/contributing/decisions.md 8).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { type Contact, dateTimePattern, idPattern, type Page } from "../../support/shapes.ts"
import { connectStore, type ListedOrder, storeEvent, type TestStore } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface TimelineEntry {
  readonly name: string
  readonly occurredAt: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly source: string
}

const day = 86_400_000

export const ordersSuite = (target: () => Target) =>
  describe("orders", () => {
    let workspace: Workspace
    let account: TestAccount
    let store: TestStore
    let serial = 0
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Orders")
      account = workspace.sandbox
      store = await connectStore(target(), account)
    })
    const at = (offset: number) => new Date(target().now() + offset).toISOString()
    const freshEmail = () => `buyer${++serial}@orders.example`
    const order = (email: string | null, values: object = {}) => ({
      id: `order-${++serial}`,
      number: `#${1000 + serial}`,
      status: "Pending",
      currency: "EUR",
      total: 19.9,
      placedAt: at(-60_000),
      customer: { email, firstName: "Ada", lastName: "Lovelace" },
      lines: [{ productId: "1", name: "Tea", quantity: 1, price: 19.9 }],
      ...values
    })
    const list = (query: string, of = account) =>
      of.api<Page<ListedOrder>>("GET", `/commerce/orders?${query}`)
    const contactOf = async (email: string) => {
      const found = await account.api<Page<ListedOrder>>(
        "GET",
        `/commerce/orders?view=All&search=${encodeURIComponent(email)}`
      )
      expect(found.value.items[0]?.email).toBe(email)
      const page = await account.api<Page<Contact>>("GET", "/contacts?pageSize=200")
      return page.value.items.find((contact) => contact.email === email)!
    }
    const timeline = async (contactId: string) =>
      (await account.manage<Page<TimelineEntry>>("GET", `/contacts/${contactId}/timeline`)).value.items

    it("are reported by the store's token, each event by itself, and listed", async () => {
      const email = freshEmail()
      const placed = order(email, { total: "129.90", paidAt: at(-1000), status: "Paid" })
      const answer = await store.report(
        storeEvent("order.placed", placed),
        storeEvent("order.shipped", placed),
        storeEvent("order.placed", { ...placed, id: undefined }),
        "nothing",
        { name: "order.placed", data: placed }
      )
      expect(answer.status).toBe(200)
      expect(answer.value).toEqual({
        accepted: 1,
        duplicates: 0,
        rejected: [
          { index: 1, reasons: [{ code: "commerce.event_name_unknown", field: "name" }] },
          { index: 2, reasons: [{ code: "validation.required", field: "data.id" }] },
          { index: 3, reasons: expect.arrayContaining([{ code: "validation.type", field: null }]) },
          { index: 4, reasons: [{ code: "validation.required", field: "id" }] }
        ]
      })
      const page = (await list(`view=All&search=${encodeURIComponent(placed.number)}`)).value
      expect(page).toEqual({
        items: [
          {
            id: expect.stringMatching(idPattern),
            storeId: store.id,
            number: placed.number,
            status: "Paid",
            currency: "EUR",
            total: 129.9,
            email,
            customerName: "Ada Lovelace",
            placedAt: placed.placedAt,
            paidAt: expect.stringMatching(dateTimePattern),
            lineCount: 1
          }
        ],
        page: 1,
        pageSize: 50,
        totalCount: 1
      })
      expect((await list(`view=All&search=${encodeURIComponent(placed.number)}`)).text).toContain(
        '"total":129.90,'
      )
    })

    it("are read by their id, with their lines, their contact and what its timeline has of them", async () => {
      const email = freshEmail()
      const lines = [
        { productId: "tea-1", name: "Tee 茶", quantity: 2, price: "19.90" },
        // Lines with invalid values are left out of an order, which is accepted.
        { productId: {}, name: 7, quantity: "many", price: "a lot", colour: "red" }
      ]
      const placed = order(email, { status: "Paid", paidAt: at(-1000), lines })
      await store.report(storeEvent("order.placed", placed))
      const [listed] = (await list(`view=All&search=${encodeURIComponent(email)}`)).value.items
      const read = (id: string) => account.manage<object>("GET", `/orders/${id}`)
      expect((await read(listed!.id)).value).toEqual({
        ...listed,
        externalId: expect.any(String),
        contactId: (await contactOf(email)).id,
        lines: [
          { productId: "tea-1", name: "Tee 茶", quantity: 2, price: 19.9 },
          { productId: null, name: expect.any(String), quantity: 1, price: null }
        ],
        reached: ["Placed", "Paid"]
      })
      expect((await read((await contactOf(email)).id)).codes).toEqual(["common.not_found"])
    })

    it("are rejected without the store's token, before the body is checked", async () => {
      const other = await connectStore(target(), account)
      const path = `/ingest/v1/stores/${store.id}/events`
      for (const token of [
        undefined,
        "svc_store_nonsense",
        other.token,
        account.key,
        target().managementToken
      ]) {
        const refused = await call(target(), "POST", path, { token, body: "no json" })
        expect(refused.status).toBe(401)
        expect(refused.codes).toEqual(["auth.unauthorized"])
      }
      const nowhere = await call(target(), "POST", "/ingest/v1/stores/nowhere/events", { token: store.token })
      expect(nowhere.status).toBe(401)
      expect((await call(target(), "POST", path, { token: store.token, body: "no json" })).status).toBe(400)
      expect((await store.report()).codes).toEqual(["commerce.batch_too_large"])
      expect((await store.report(...Array.from({ length: 1001 }, () => 1))).codes).toEqual([
        "commerce.batch_too_large"
      ])
    })

    it("accept an event id once, also concurrently", async () => {
      const email = freshEmail()
      const event = storeEvent("order.placed", order(email))
      const answers = await Promise.all(Array.from({ length: 5 }, () => store.report(event, event)))
      const sum = (field: "accepted" | "duplicates") =>
        answers.reduce((total, answer) => total + answer.value[field], 0)
      expect([sum("accepted"), sum("duplicates")]).toEqual([1, 9])
      expect((await list(`view=All&search=${email}`)).value.totalCount).toBe(1)
      const { id } = await contactOf(email)
      expect((await timeline(id)).map((entry) => entry.name)).toEqual(["order.placed"])
    })

    it("change between all statuses, and report each milestone once", async () => {
      const email = freshEmail()
      const placed = order(email)
      const step = async (status: string, seconds: number) => {
        const event = storeEvent("order.updated", {
          ...placed,
          status,
          updatedAt: at(-50_000 + seconds * 1000)
        })
        expect((await store.report(event)).value.accepted).toBe(1)
      }
      for (const [index, status] of [
        "Pending",
        "Paid",
        "Completed",
        "Refunded",
        "Paid",
        "Cancelled"
      ].entries()) {
        await step(status, index)
      }
      const { id } = await contactOf(email)
      const entries = await timeline(id)
      expect(entries.map((entry) => entry.name).toSorted()).toEqual([
        "order.cancelled",
        "order.paid",
        "order.placed",
        "order.refunded"
      ])
      expect(entries.every((entry) => entry.source === "Store")).toBe(true)
      expect(entries[0]!.properties).toMatchObject({ storeId: store.id, number: placed.number, total: 19.9 })
    })

    it("ignore older events", async () => {
      const email = freshEmail()
      const placed = order(email)
      const update = (status: string, offset: number) =>
        store.report(storeEvent("order.updated", { ...placed, status, updatedAt: at(offset) }))
      await update("Completed", -10_000)
      await update("Pending", -20_000)
      expect((await list(`view=All&search=${email}`)).value.items.map((one) => one.status)).toEqual([
        "Completed"
      ])
      await update("Refunded", -5_000)
      expect((await list(`view=All&search=${email}`)).value.items.map((one) => one.status)).toEqual([
        "Refunded"
      ])
    })

    it("count for their contact if paid and not refunded", async () => {
      const email = freshEmail()
      const first = order(email, { status: "Paid", total: 10.1, placedAt: at(-3 * day) })
      const second = order(email, { status: "Completed", total: "0.20", placedAt: at(-2 * day) })
      const third = order(email, { status: "Pending", total: 5, placedAt: at(-day) })
      await store.report(...[first, second, third].map((one) => storeEvent("order.placed", one)))
      const before = await contactOf(email)
      expect(before).toMatchObject({
        storeId: store.id,
        orderCount: 2,
        totalSpent: 10.3,
        isPayingCustomer: true,
        fromOrders: true,
        lastOrderAt: second.placedAt,
        firstName: "Ada"
      })
      await store.report(
        storeEvent("order.updated", { ...second, status: "Refunded", updatedAt: at(0) }),
        storeEvent("order.updated", { ...first, status: "Cancelled", updatedAt: at(0) })
      )
      expect(await contactOf(email)).toMatchObject({
        orderCount: 0,
        totalSpent: 0,
        isPayingCustomer: false,
        lastOrderAt: null
      })
    })

    it("are found by view, status, days, store and any part of number, email and name in any case", async () => {
      const { live } = workspace
      const shop = await connectStore(target(), live)
      const other = await connectStore(target(), live)
      const statuses = ["Pending", "Paid", "Completed", "Cancelled", "Refunded", "Failed", "Draft"]
      const orders = statuses.map((status, index) =>
        order(`Order.${status}@Found.Example`, {
          status,
          number: `N-${index}-ÄÖ`,
          placedAt: at(-index * 10 * day - 60_000),
          customer: { email: `order.${status}@found.example`, firstName: "Zoë", lastName: `O'%_${status}` }
        })
      )
      expect(
        (await shop.report(...orders.map((one) => storeEvent("order.placed", one)))).value.accepted
      ).toBe(7)
      await other.report(storeEvent("order.placed", order("else@found.example", { placedAt: at(-30 * day) })))
      const found = async (query: string) => {
        const { items, totalCount } = (await list(query, live)).value
        expect(items).toHaveLength(totalCount)
        return items.map((one) => (one.storeId === shop.id ? one.status : "other"))
      }
      expect(await found("view=All")).toEqual([
        "Pending",
        "Paid",
        "Completed",
        "other",
        "Cancelled",
        "Refunded",
        "Failed",
        "Draft"
      ])
      expect(await found("view=Paid")).toEqual(["Paid", "Completed"])
      expect(await found("view=Pending")).toEqual(["Pending", "other"])
      expect(await found("view=Abandoned")).toEqual(["Draft"])
      expect(await found("view=Refunded")).toEqual(["Refunded"])
      expect(await found("view=Paid&status=Completed")).toEqual(["Completed"])
      expect(await found("view=Paid&status=Pending")).toEqual([])
      expect(await found("view=All&status=Failed")).toEqual(["Failed"])
      expect(await found("view=All&days=25")).toEqual(["Pending", "Paid", "Completed"])
      expect(await found(`view=All&storeId=${other.id}`)).toEqual(["other"])
      expect(await found(`view=Pending&storeId=${shop.id}&days=1`)).toEqual(["Pending"])
      for (const [search, expected] of [
        ["n-1-äö", ["Paid"]],
        ["ORDER.FAILED@", ["Failed"]],
        ["'%_REFUNDED", ["Refunded"]],
        ["%", statuses],
        ["_p", ["Pending", "Paid"]],
        ["zoë o'%_draft", ["Draft"]],
        ["nobody", []]
      ] as const) {
        expect(await found(`view=All&search=${encodeURIComponent(search)}`)).toEqual(expected)
      }
      expect(await found("view=Paid&days=15&search=found")).toEqual(["Paid"])
      const pages = await Promise.all(
        [1, 2, 3, 4].map((page) => list(`view=All&pageSize=3&page=${page}`, live))
      )
      expect(pages.map((page) => page.value.items.length)).toEqual([3, 3, 2, 0])
      expect(pages.every((page) => page.value.totalCount === 8)).toBe(true)
      expect((await list("view=All", account)).text).not.toContain("@found.example")
    })

    it("require a valid query and a key with permission", async () => {
      for (const [query, field, code] of [
        ["", "view", "validation.required"],
        ["view=None", "view", "validation.format"],
        ["view=All&status=paid", "status", "validation.format"],
        ["view=All&storeId=1", "storeId", "validation.format"],
        [`view=All&search=${"x".repeat(101)}`, "search", "validation.max_length"],
        ["view=All&days=0", "days", "validation.range"],
        ["view=All&days=3661", "days", "validation.range"],
        ["view=All&days=x", "days", "validation.type"],
        ["view=All&pageSize=201", "pageSize", "validation.range"],
        ["view=All&page=0", "page", "validation.range"]
      ] as const) {
        const refused = await list(query)
        expect([query, refused.status, refused.codes, refused.fields]).toEqual([query, 400, [code], [field]])
      }
      const { key } = await account.issueKey(["contacts:read"])
      expect((await call(target(), "GET", "/api/v1/commerce/orders?view=All", { token: key })).status).toBe(
        403
      )
    })

    it("found by a search are counted exactly, and paging up to the total returns all", async () => {
      const shop = await connectStore(target(), account)
      for (const size of [1000, 30]) {
        const placed = Array.from({ length: size }, () => order(null, { number: `many-${++serial}` }))
        const answer = await shop.report(...placed.map((one) => storeEvent("order.placed", one)))
        expect(answer.value.accepted).toBe(size)
      }
      const found = new Set<string>()
      const totals: Array<number> = []
      for (let page = 1; found.size < (totals.at(-1) ?? 1); page++) {
        const { headers, value } = await list(`view=All&search=MANY-&pageSize=200&page=${page}`)
        expect(headers.get("x-svc-warnings")).toBeNull()
        for (const { id } of value.items) found.add(id)
        totals.push(value.totalCount)
      }
      expect(found.size).toBe(1030)
      expect(totals).toEqual(totals.map(() => 1030))
      expect((await list(`view=All&storeId=${shop.id}`)).value.totalCount).toBe(1030)
      expect((await list(`view=Paid&search=many-`)).value.totalCount).toBe(0)
    })

    it("reported concurrently leave totals that match a recount", async () => {
      const email = freshEmail()
      const orders = Array.from({ length: 12 }, (_, index) =>
        order(email, { total: 1.1, placedAt: at(-index * 1000) })
      )
      await Promise.all(
        orders.map(async (one, index) => {
          await store.report(storeEvent("order.placed", { ...one, status: "Paid", updatedAt: at(-2000) }))
          if (index % 3 === 0) {
            await store.report(
              storeEvent("order.updated", { ...one, status: "Refunded", updatedAt: at(-1000) })
            )
          }
        })
      )
      const contact = await contactOf(email)
      expect(contact).toMatchObject({ orderCount: 8, totalSpent: 8.8 })
      expect((await list(`view=Refunded&search=${email}`)).value.totalCount).toBe(4)
    })

    it("are listed by the management API, with filters, a search and from any place on", async () => {
      const of = (await openWorkspace(target(), "Browsed orders")).sandbox
      const [first, second] = [await connectStore(target(), of), await connectStore(target(), of)]
      const sent: Array<string> = []
      for (const [index, shop] of [first, first, second, first, second].entries()) {
        const one = order(`browser${index}@orders.example`, {
          status: index === 3 ? "Paid" : "Pending",
          placedAt: at(-index * day - 60_000)
        })
        sent.push(one.number)
        await shop.report(storeEvent("order.placed", one))
      }
      const browse = async (query: string) =>
        of.manage<Page<ListedOrder> & { next: string | null }>("GET", `/orders?${query}`)
      const numbers = async (query: string) =>
        (await browse(query)).value.items.map(({ number }) => sent.indexOf(number!))
      await eventually(
        () => numbers(""),
        (found) => found.length === 5
      )
      expect(await numbers("sort=time")).toEqual([4, 3, 2, 1, 0])
      expect(await numbers("sort=name&status=Pending,Paid")).toEqual([0, 1, 2, 3, 4])
      expect(await numbers("sort=-name&days=3")).toEqual([2, 1, 0])
      expect(await numbers(`storeId=${second.id}`)).toEqual([2, 4])
      expect(await numbers(`storeId=${first.id},${second.id}&status=Paid`)).toEqual([3])
      const [since, until] = [encodeURIComponent(at(-3 * day)), encodeURIComponent(at(-day))]
      expect(await numbers(`since=${since}&until=${until}`)).toEqual([1, 2])
      const [firstTime, lastTime] = ["1000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"]
      expect(await numbers(`since=${firstTime}&until=${lastTime}`)).toEqual([0, 1, 2, 3, 4])
      expect([await numbers(`since=${lastTime}`), await numbers(`until=${firstTime}`)]).toEqual([[], []])
      expect(await numbers("q=BROWSER4@")).toEqual([4])
      expect(await numbers("view=Paid")).toEqual([3])
      expect(await numbers("view=Paid,Pending")).toEqual([0, 1, 2, 3, 4])
      expect(await numbers("view=Pending&days=2")).toEqual([0, 1])
      expect(await numbers(`days=2&since=${since}`)).toEqual([0, 1])
      expect(await numbers(`days=30&since=${since}`)).toEqual([0, 1, 2])
      expect(await numbers("view=Refunded&status=Paid")).toEqual([])
      for (const query of ["limit=2", "limit=2&q=browser", `limit=2&status=Pending,Paid`]) {
        const { next } = (await browse(query)).value
        expect(await numbers(`${query}&after=${next}`)).toEqual([2, 3])
      }
      for (const [query, field] of [
        ["view=Sold", "view"],
        ["days=0", "days"],
        ["status=Sold", "status"],
        ["storeId=mine", "storeId"],
        ["sort=total", "sort"],
        ["sort=time&q=x", "sort"],
        ["sort=-name&q=x", "sort"]
      ]) {
        const answer = await browse(query!)
        expect([answer.status, answer.fields]).toEqual([400, [field]])
      }
    })

    it("have stores, which are listed by status, time and name", async () => {
      const of = (await openWorkspace(target(), "Listed stores")).sandbox
      const shops: Array<TestStore> = []
      for (const name of ["Tea", "apples", "Bread"]) shops.push(await connectStore(target(), of, { name }))
      await of.manage("DELETE", `/stores/${shops[1]!.id}`)
      interface ListedStore {
        readonly name: string
        readonly connectedAt: string
      }
      const browse = (query: string) =>
        of.manage<Page<ListedStore> & { next: string | null }>("GET", `/stores?${query}`)
      const names = async (query: string) => (await browse(query)).value.items.map(({ name }) => name)
      const newest = await names("")
      expect(newest.toSorted()).toEqual(["Bread", "Tea", "apples"])
      expect(await names("sort=time")).toEqual(newest.toReversed())
      expect(await names("sort=name")).toEqual(["apples", "Bread", "Tea"])
      expect(await names("sort=-name&status=Connected")).toEqual(["Tea", "Bread"])
      expect(await names("status=Disconnected")).toEqual(["apples"])
      expect(await names(`storeId=${shops[2]!.id},${shops[0]!.id}&sort=name`)).toEqual(["Bread", "Tea"])
      const after = encodeURIComponent(at(day))
      expect(await names(`since=${after}`)).toEqual([])
      expect(await names(`until=${after}&status=Connected,Disconnected`)).toHaveLength(3)
      const { next } = (await browse("sort=name&limit=1")).value
      expect(await names(`sort=name&after=${next}`)).toEqual(["Bread", "Tea"])
      for (const [query, field] of [
        ["status=Closed", "status"],
        ["storeId=mine", "storeId"],
        ["sort=domain", "sort"],
        ["since=now", "since"]
      ]) {
        const answer = await browse(query!)
        expect([answer.status, answer.fields]).toEqual([400, [field]])
      }
    })

    it("and items are listed by the management API", async () => {
      const of = (await openWorkspace(target(), "Browsed items")).sandbox
      const shop = await connectStore(target(), of)
      for (const [id, name, active] of [
        ["b-1", "Shoe", true],
        ["a-2", "apron", false],
        ["c-3", "Belt", true]
      ] as const) {
        await of.api("POST", "/items", { id, name, active })
      }
      interface ListedItem {
        readonly externalId: string
      }
      const ids = async (query: string) =>
        (await of.manage<Page<ListedItem>>("GET", `/items?${query}`)).value.items.map(
          ({ externalId }) => externalId
        )
      expect((await ids("")).toSorted()).toEqual(["a-2", "b-1", "c-3"])
      expect(await ids("sort=name")).toEqual(["a-2", "c-3", "b-1"])
      expect(await ids("sort=-name&status=Active")).toEqual(["b-1", "c-3"])
      expect(await ids("sort=name&status=Active,Inactive")).toEqual(["a-2", "c-3", "b-1"])
      expect(await ids("q=BE")).toEqual(["c-3"])
      expect(await ids("q=b")).toHaveLength(2)
      expect(await ids(`storeId=${shop.id}`)).toEqual([])
      expect(await ids("kind=plan")).toEqual([])
      for (const [query, field] of [
        ["kind=shoe", "kind"],
        ["status=Paid", "status"],
        ["sort=price", "sort"],
        ["category=x", "category"]
      ]) {
        const answer = await of.manage("GET", `/items?${query}`)
        expect([answer.status, answer.fields]).toEqual([400, [field]])
      }
    })
  })
