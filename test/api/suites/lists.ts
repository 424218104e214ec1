/**
 * Tests lists of the management API: pages behind a cursor, totals, filters (docs/management-api.md "Lists").
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, eventually } from "../../support/client.ts"
import type { ListPage } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

const size = 7
const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

/** The lists of an account, below its path. */
const lists = [
  "/audit-log",
  "/domains",
  "/suppressions",
  "/reports/dmarc",
  "/reports/tls",
  "/emails",
  "/inbox",
  "/imports",
  "/events",
  "/segments",
  "/topics",
  "/stores",
  "/templates",
  "/flows",
  "/webhooks",
  "/notifications",
  "/contacts",
  "/items",
  "/orders",
  "/jobs",
  "/exports",
  "/campaigns",
  "/views"
]

/** The names by which each list can be sorted. */
const sorts: ReadonlyArray<readonly [path: string, ...names: ReadonlyArray<string>]> = [
  ["/contacts", "added", "lastActivity"],
  ["/emails", "time"],
  ["/events", "time"],
  ["/notifications", "time"],
  ["/requests", "time"],
  ["/orders", "time", "name"],
  ["/items", "time", "name"],
  ["/stores", "time", "name"],
  ["/suppressions", "time"],
  ["/imports", "time"],
  ["/exports", "time"],
  ["/jobs", "time"],
  ["/campaigns", "time", "updated", "name"]
]

interface Email {
  readonly id: string
  readonly subject: string
}

interface Event {
  readonly id: string
  readonly eventId: string
}

export const listsSuite = (target: () => Target) =>
  describe("lists of the management API", () => {
    let workspace: Workspace
    let account: TestAccount
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Lists")
      account = workspace.sandbox
      for (let index = 0; index < size; index++) {
        const to = index % 2 === 0 ? `n${index}@even.example` : `n${index}@odd.example`
        await account.api("POST", "/sending/emails", { to, subject: `Subject ${index}`, text: "x" })
        await account.manage("POST", "/suppressions", { email: `s${index}@listed.example`, kind: "Bounced" })
        await account.manage("POST", "/templates", { name: `T${index}`, subject: "x", text: "x" })
        await account.manage("POST", "/campaigns", { name: `C${(index * 3) % size}` })
        await account.manage("POST", "/views", { name: `V${index}`, list: "emails", query: {}, shared: true })
        const body = { filter: {}, action: { kind: "AddTag", tag: `t${index}` } }
        await account.manage("POST", "/contacts/bulk", body)
        await account.api("POST", "/events", {
          events: [
            {
              id: `listed-${index}`,
              name: index < 3 ? "listed.first" : "listed.second",
              contact: { email: `n${index}@even.example` }
            }
          ]
        })
      }
      // The lists are compared only after no more emails arrive.
      await eventually(
        () => list("/inbox"),
        ({ value }) => value.items.length === size
      )
    })
    const list = <Item = Readonly<Record<string, unknown>>>(path: string, of = account) =>
      of.manage<ListPage<Item>>("GET", path)
    const refused = (answer: Answer<unknown>) => [answer.status, answer.fields]
    const walk = async (path: string, limit: number) => {
      const items: Array<Readonly<Record<string, unknown>>> = []
      const sign = path.includes("?") ? "&" : "?"
      for (let after = ""; ;) {
        const { value } = await list(`${path}${sign}limit=${limit}${after}`)
        expect(value.page).toBe(after === "" ? 1 : null)
        expect(value.pageSize).toBe(limit)
        items.push(...value.items)
        if (value.next === null) return items
        expect(value.items).toHaveLength(limit)
        after = `&after=${value.next}`
      }
    }

    /** The items without counts that change: of a segment, of events still being processed, and of a campaign. */
    const uncounted = (items: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
      items.map(({ count: _count, sendableCount: _sendable, stats: _stats, ...rest }) => rest)

    it.each(lists)("%s is the same by pages and behind cursors", async (path) => {
      const all = (await list(`${path}?count=exact`)).value
      expect(all).toMatchObject({ page: 1, pageSize: 50, next: null, totalIsExact: true })
      expect(all.items).toHaveLength(all.totalCount)
      for (const limit of [1, 3]) expect(uncounted(await walk(path, limit))).toEqual(uncounted(all.items))
      const second = (await list(`${path}?page=2&pageSize=2`)).value
      expect(second).toMatchObject({ page: 2, pageSize: 2, totalCount: all.totalCount })
      expect(uncounted(second.items)).toEqual(uncounted(all.items.slice(2, 4)))
    })

    it("of companies are paged as those of an account", async () => {
      const first = (await manage<ListPage<{ id: string }>>(target(), "GET", "/companies?limit=1")).value
      expect(first.items.map(({ id }) => id)).toHaveLength(1)
      if (first.next === null) return
      const after = (
        await manage<ListPage<{ id: string }>>(target(), "GET", `/companies?after=${first.next}`)
      ).value
      expect(after.page).toBe(null)
      expect(after.items.map(({ id }) => id)).not.toContain(first.items[0]!.id)
    })

    it("of companies are filtered by one state or both", async () => {
      const names = async (query: string) =>
        (
          await manage<ListPage<{ id: string }>>(target(), "GET", `/companies?q=Lists&${query}`)
        ).value.items.map(({ id }) => id)
      const { items } = (await manage<ListPage<object>>(target(), "GET", "/companies?q=Lists&state=Active"))
        .value
      expect(items[0]).toMatchObject({ deletedAt: null, volume: 0 })
      expect(await names("state=Active")).toContain(workspace.companyId)
      expect(await names("state=Active,Deleted")).toContain(workspace.companyId)
      expect(await names("state=Deleted")).not.toContain(workspace.companyId)
    })

    it("of users are sorted by the volume of their companies", async () => {
      const users = async (query: string) =>
        (await manage<ListPage<{ volume: number }>>(target(), "GET", `/users?${query}`)).value.items.map(
          ({ volume }) => volume
        )
      const volumes = await users("sort=-volume&limit=200")
      expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
      expect((await users("sort=volume&limit=1"))[0]).toBeLessThanOrEqual(volumes.at(-1)!)
    })

    it("of members are paged as those of an account", async () => {
      const members = (query: string) =>
        manage<ListPage<{ email: string }>>(
          target(),
          "GET",
          `/companies/${workspace.companyId}/members?${query}`
        )
      const emails = Array.from(
        { length: 3 },
        (_, index) => `m${index}-${workspace.companyId}@members.example`
      )
      for (const email of emails) {
        await manage(target(), "POST", `/companies/${workspace.companyId}/members`, {
          json: { email, role: "Viewer" }
        })
      }
      const all = (await members("count=exact")).value
      expect(all).toMatchObject({ page: 1, pageSize: 50, next: null, totalCount: 3, totalIsExact: true })
      // Those added within a millisecond have any order.
      expect(all.items.map(({ email }) => email).toSorted()).toEqual(emails)
      const { items, next, page } = (await members("limit=2")).value
      expect([items, page]).toEqual([all.items.slice(0, 2), 1])
      const rest = (await members(`limit=2&after=${next}`)).value
      expect(rest).toMatchObject({ items: all.items.slice(2), page: null, next: null })
      expect(refused(await members(`after=${next}&page=1`))).toEqual([400, ["after"]])
      expect(refused(await members("role=Viewer"))).toEqual([400, ["role"]])
    })

    it("are sorted in both directions", async () => {
      const until = new Date(target().now()).toISOString()
      for (const [path, ...names] of sorts) {
        // Each of these reads is itself logged as a request.
        const begin = path === "/requests" ? `${path}?until=${encodeURIComponent(until)}&` : `${path}?`
        for (const name of names) {
          const last = uncounted(await walk(`${begin}sort=-${name}`, 3))
          const first = uncounted(await walk(`${begin}sort=${name}`, 3))
          expect([path, name, first]).toEqual([path, name, last.toReversed()])
          if (name === names[0]) expect([path, uncounted(await walk(begin, 3))]).toEqual([path, last])
        }
      }
    })

    it("are not shifted by an entry that is added between two pages", async () => {
      const { items, next } = (await list<{ email: string }>("/suppressions?limit=3")).value
      await account.manage("POST", "/suppressions", { email: "late@listed.example", kind: "Protected" })
      const rest = (await list<{ email: string }>(`/suppressions?after=${next}`)).value.items
      const seen = [...items, ...rest].map(({ email }) => email)
      expect(seen).toEqual(Array.from({ length: size }, (_, index) => `s${size - 1 - index}@listed.example`))
      await account.manage("DELETE", "/suppressions/late@listed.example")
    })

    it("reject a cursor that is none, or one of another list, order, filter or account", async () => {
      const next = (await list("/emails?limit=2")).value.next!
      const filtered = (await list("/emails?limit=2&domain=even.example,odd.example")).value.next!
      const forged = ["", ["wrong"], ["wrong", 1, "x"], [null], { a: 1 }].map((value) =>
        Buffer.from(JSON.stringify(value)).toString("base64url")
      )
      const decoded = JSON.parse(Buffer.from(next, "base64url").toString()) as [string, number, string]
      for (const place of [
        [1e18, decoded[2]],
        ["x", decoded[2]],
        [decoded[1], "x"],
        [decoded[1]],
        [-1e300, 1]
      ]) {
        forged.push(Buffer.from(JSON.stringify([decoded[0], ...place])).toString("base64url"))
      }
      const paths = [
        `/suppressions?after=${next}`,
        `/events?after=${next}`,
        `/emails?sort=time&after=${next}`,
        `/emails?domain=even.example&after=${next}`,
        `/emails?after=${filtered}`,
        `/emails?after=${next.slice(0, -3)}`,
        `/emails?after=${next}&page=1`,
        ...["a", "%00", "{}", "💣", "a".repeat(5_000), ...forged].map((text) => `/emails?after=${text}`)
      ]
      for (const path of paths) expect([path, ...refused(await list(path))]).toEqual([path, 400, ["after"]])
      expect(refused(await list(`/emails?after=${next}`, workspace.live))).toEqual([400, ["after"]])
      expect((await list(`/emails?after=${filtered}&domain=odd.example`)).status).toBe(200)
    })

    it("reject sizes, orders, filters and values that they do not have", async () => {
      expect(refused(await list("/emails?limit=2&pageSize=3"))).toEqual([400, ["limit"]])
      expect((await list("/emails?limit=2&pageSize=2")).value.pageSize).toBe(2)
      for (const [query, field] of [
        ["limit=0", "limit"],
        ["limit=201", "limit"],
        ["limit=x", "limit"],
        ["page=0", "page"],
        ["count=all", "count"],
        ["sort=subject", "sort"],
        ["sort=--time", "sort"],
        ["colour=red", "colour"],
        ["status=Queued,Lost", "status"],
        ["flowId=x", "flowId"],
        ["domain=a b", "domain"],
        ["since=yesterday", "since"],
        ["since=2026-01-01", "since"]
      ]) {
        expect([query, ...refused(await list(`/emails?${query}`))]).toEqual([query, 400, [field]])
      }
      expect(refused(await list("/imports?state=Lost"))).toEqual([400, ["state"]])
      expect((await list("/imports?state=Queued,Running,Completed")).value.totalCount).toBe(0)
      const many = Array.from({ length: 101 }, (_, index) => `${index}.example`).join()
      expect(refused(await list(`/emails?domain=${many}`))).toEqual([400, ["domain"]])
    })

    it("of emails are filtered: several values mean any, several filters all", async () => {
      const subjects = async (query: string) =>
        (await list<Email>(`/emails?${query}`)).value.items.map(({ id }) => id).length
      expect(await subjects("domain=even.example")).toBe(4)
      expect(await subjects("domain=EVEN.example,odd.example")).toBe(size)
      expect(await subjects("domain=odd.example&to=N1@odd.example,n3@odd.example,n2@even.example")).toBe(2)
      expect(await subjects("to=n1@odd.example,n2@even.example")).toBe(2)
      expect(await subjects("from=nobody@mail.example")).toBe(0)
      expect(await subjects(`templateId=${unknownId}`)).toBe(0)
      expect(await subjects(`flowId=${unknownId},${unknownId.toUpperCase()}`)).toBe(0)
      expect(await subjects("reason=sending.cancelled&status=Failed")).toBe(0)
      expect(await subjects("since=2020-01-01T00:00:00Z&until=9999-12-31T23:59:59Z")).toBe(size)
      expect(await subjects("until=2020-01-01T00:00:00Z")).toBe(0)
      expect(await subjects("status=,&domain=")).toBe(size)
      expect(await subjects("opened=None&clicked=None")).toBe(size)
      expect(await subjects("opened=Human,Machine")).toBe(0)
      // Mail of a sandbox reaches no provider.
      expect(await subjects("provider=google,yahoo")).toBe(0)
      expect(refused(await list(`/emails?provider=${"x".repeat(101)}`))).toEqual([400, ["provider"]])
    })

    it("of emails are found by tag, contact and search", async () => {
      const to = "former@tagged.example"
      const sent = await account.api<{ id: string }>("POST", "/sending/emails", {
        to,
        subject: "Ünique subject",
        text: "x",
        tags: { plan: "gold", sum: "1=1" },
        idempotencyKey: "Tagged-1"
      })
      const { contact } = (
        await account.api<{ contact: { id: string } }>("POST", "/contacts", {
          email: to,
          externalId: "tagged"
        })
      ).value
      await account.api("POST", "/contacts", { email: "latter@tagged.example", externalId: "tagged" })
      const ids = async (query: string) =>
        (await list<Email>(`/emails?${query}`)).value.items.map(({ id }) => id)
      const { id } = sent.value
      expect((await account.manage("GET", `/emails/${id}`)).value).toMatchObject({
        idempotencyKey: "Tagged-1",
        source: "Api",
        flowId: null,
        runId: null,
        campaignId: null
      })
      for (const query of [
        "tag=plan=gold",
        "tag=plan=silver,plan=gold",
        "tag=sum=1=1",
        `contactId=${contact.id}`,
        `contactId=${contact.id}&to=${to}&tag=plan=gold&q=Ün&status=Queued,Sent,Delivered`,
        "q=ÜNIQUE",
        "q=former@",
        "q=Tagged-",
        `q=${id.toUpperCase()}`
      ]) {
        expect([query, await ids(encodeURI(query))]).toEqual([query, [id]])
      }
      for (const query of [
        "tag=plan=",
        `contactId=${unknownId}`,
        "q=tagged-",
        `contactId=${contact.id}&to=n1@odd.example`
      ]) {
        expect([query, await ids(query)]).toEqual([query, []])
      }
      for (const [query, field] of [
        ["tag=plan", "tag"],
        ["tag==gold", "tag"],
        ["tag=a%00=b", "tag"],
        ["contactId=x", "contactId"],
        ["opened=Robot", "opened"],
        [`q=${"x".repeat(255)}`, "q"]
      ] as const) {
        expect([query, ...refused(await list(`/emails?${query}`))]).toEqual([query, 400, [field]])
      }
    })

    it("of suppressions are filtered by who suppressed the address", async () => {
      const emails = async (query: string) =>
        (await list<{ email: string }>(`/suppressions?${query}`)).value.items.map(({ email }) => email)
      expect(await emails("source=Ui")).toHaveLength(size)
      expect(await emails("source=Ui&kind=Bounced&q=s1@")).toEqual(["s1@listed.example"])
      expect(await emails("source=Report,Import")).toEqual([])
      expect(refused(await list("/suppressions?source=Api"))).toEqual([400, ["source"]])
    })

    it("of contacts are those of the public API, filtered and searched", async () => {
      const people: ReadonlyArray<object> = [
        { email: "ada@people.example", firstName: "Ada", lastName: "Lovelace", countryCode: "gb" },
        { email: "grace@people.example", firstName: "Grace", externalId: "C-1906", language: "en" }
      ]
      for (const contact of people) await account.api("POST", "/contacts", contact)
      await account.manage("POST", "/topics", { key: "listed", name: "Listed", defaultOn: true })
      const emails = async (query: string) =>
        (await list<{ email: string }>(`/contacts?${query}`)).value.items.map(({ email }) => email)
      const [ada, grace] = ["ada@people.example", "grace@people.example"]
      const all = (await account.api<{ items: ReadonlyArray<object> }>("GET", "/contacts")).value.items
      expect(await walk("/contacts", 3)).toEqual(all)
      expect(await walk("/contacts?sort=added", 3)).toEqual(all.toReversed())
      expect(await walk("/contacts?sort=lastActivity", 3)).toHaveLength(all.length)
      expect(await emails("q=LOVEL")).toEqual([ada])
      expect(await emails("q=c-19")).toEqual([grace])
      expect(await emails("q=people.example&country=GB,DE")).toEqual([ada])
      expect(await emails("language=EN")).toEqual([grace])
      expect(await emails("q=people&topic=listed")).toEqual([grace, ada])
      expect(await emails("q=people&topic=!listed")).toEqual([])
      expect(await emails("q=people&suppressed=true")).toEqual([])
      await account.manage("POST", "/suppressions", { email: ada, kind: "Protected" })
      expect(await emails("q=people&suppressed=true")).toEqual([ada])
      expect(await emails("q=people&suppressed=false")).toEqual([grace])
      expect(await emails("q=people&suppressed=true,false")).toEqual([grace, ada])
      await account.manage("DELETE", `/suppressions/${ada}`)
      for (const [query, field] of [
        ["topic=unknown", "topic"],
        ["country=XX", "country"],
        ["consentStatus=Yes", "consentStatus"],
        ["suppressed=maybe", "suppressed"],
        ["sort=email", "sort"],
        [`q=${"x".repeat(255)}`, "q"]
      ] as const) {
        expect([query, ...refused(await list(`/contacts?${query}`))]).toEqual([query, 400, [field]])
      }
      expect((await list(`/contacts?segment=${unknownId}`)).status).toBe(404)
    })

    it("of events are filtered and searched", async () => {
      const ids = async (query: string) =>
        (await list<Event>(`/events?${query}`)).value.items.map(({ eventId }) => eventId)
      expect(await ids("name=listed.first")).toEqual(["listed-2", "listed-1", "listed-0"])
      expect(await ids("name=listed.first,listed.second&sort=time&limit=4")).toEqual([
        "listed-0",
        "listed-1",
        "listed-2",
        "listed-3"
      ])
      expect(await ids("q=listed-4")).toEqual(["listed-4"])
      const [{ id }] = (await list<Event>("/events?q=listed-5")).value.items as [Event]
      expect(await ids(`q=${id.toUpperCase()}`)).toEqual(["listed-5"])
      expect(await ids("q=listed-4&name=listed.first")).toEqual([])
      await account.manage("POST", "/events", {
        id: "by-hand",
        name: "listed.hand",
        contact: { email: "n0@even.example" }
      })
      expect(await ids("source=Ui")).toEqual(["by-hand"])
      expect(await ids("source=Ui&name=listed.first")).toEqual([])
      expect(await ids("source=Api&name=listed.first,listed.hand")).toHaveLength(3)
      expect((await list("/events?source=Ui")).value.items).toMatchObject([{ source: "Ui" }])
      expect(refused(await list("/events?source=Store"))).toEqual([400, ["source"]])
      expect(await ids("q=validation.email")).toEqual([])
      expect(await ids("until=1000-01-01T00:00:00Z")).toEqual([])
      expect(await ids("since=1000-01-01T00:00:00Z&name=listed.second")).toHaveLength(4)
    })
  })
