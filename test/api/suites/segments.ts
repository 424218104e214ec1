/**
 * Tests segments: the customer's list and the operator's routes (docs/contributing/public-api.md "Segments and topics",
 * docs/contributing/management-api.md "A/segments", docs/contributing/decisions.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, eventually } from "../../support/client.ts"
import { type Contact, dateTimePattern, idPattern, type Page } from "../../support/shapes.ts"
import { settled, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Segment {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly definition: unknown
  readonly builtInKey: string | null
  readonly count: number
  readonly sendableCount: number
  readonly updatedAt?: string
}

interface Preview {
  readonly count: number
  readonly sendableCount: number
  readonly sample: ReadonlyArray<Contact>
}

interface AuditEntry {
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

const builtInKeys = [
  "all",
  "subscribed",
  "customers",
  "repeat_customers",
  "engaged_90_days",
  "inactive_180_days",
  "new_30_days"
]

const rule = (fieldKey: string, operator: string, value: unknown = null) => ({ fieldKey, operator, value })
const all = (...rules: ReadonlyArray<unknown>) => ({ join: "All", rules })
const any = (...rules: ReadonlyArray<unknown>) => ({ join: "Any", rules })

const expectRefusal = (answer: Answer<unknown>, status: number, code: string, field: string | null) => {
  expect([answer.status, ...answer.codes]).toEqual([status, code])
  expect(answer.fields).toEqual(field === null ? [] : [field])
}

export const segmentsSuite = (target: () => Target) =>
  describe("segments", () => {
    let workspace: Workspace
    let account: TestAccount
    const person = (name: string) => `${name}@segments.example`

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Segments")
      account = workspace.sandbox
      for (const json of [
        { key: "plan", type: "Text" },
        { key: "seats", type: "Number" },
        { key: "renews_on", type: "Date" },
        { key: "seen_at", type: "DateTime" },
        { key: "trial", type: "Boolean" },
        { key: "likes", type: "TextList" }
      ]) {
        expect((await account.api("POST", "/contact-attributes", json)).status).toBe(201)
      }
      await account.manage("POST", "/topics", { key: "news", name: "News" })
      await account.manage("POST", "/topics", { key: "beta", name: "Beta", defaultOn: false })
      const today = new Date(target().now()).toISOString().slice(0, 10)
      const subscribed = { basis: "Subscribed", proof: { text: "Yes" } }
      for (const json of [
        {
          email: person("ada"),
          firstName: "Ada",
          city: "İzmir",
          countryCode: "TR",
          consent: subscribed,
          attributes: { plan: "Pro", seats: 0.3, renews_on: today, trial: true, likes: ["Tea", "Jazz"] },
          topics: { news: false, beta: true }
        },
        {
          email: person("bob"),
          firstName: "BOB",
          city: "Wien",
          consent: { basis: "Customer" },
          attributes: { plan: "free", seats: 12, seen_at: "2020-01-01T00:30:00+01:00", trial: false }
        },
        { email: person("cyd"), firstName: "Οδυσσεύς", consent: subscribed, attributes: { plan: "PRO+" } },
        { email: person("dan") }
      ]) {
        expect((await account.api("POST", "/contacts", json)).status).toBe(201)
      }
      await account.manage("POST", "/suppressions", { email: person("cyd"), kind: "Protected" })
    })

    const create = (definition: unknown, values: object = {}) =>
      account.manage<Segment>("POST", "/segments", { name: "Segment", definition, ...values })
    const preview = (definition: unknown) =>
      account.manage<Preview>("POST", "/segments/preview", { definition })
    const names = (sample: ReadonlyArray<Contact>) =>
      sample.map((contact) => contact.email.replace(/@.*/, "")).toSorted()
    const publicList = async (of = account) =>
      (await of.api<ReadonlyArray<Segment>>("GET", "/segments")).value

    it("include the built-in ones, with exact counts and stable ids", async () => {
      const segments = (await publicList()).filter((segment) => segment.builtInKey !== null)
      expect(segments.map((segment) => segment.builtInKey)).toEqual(builtInKeys)
      const counts = Object.fromEntries(
        segments.map(({ builtInKey, count, sendableCount }) => [builtInKey, [count, sendableCount]])
      )
      expect(counts).toEqual({
        all: [4, 2],
        subscribed: [2, 1],
        customers: [0, 0],
        repeat_customers: [0, 0],
        engaged_90_days: [0, 0],
        inactive_180_days: [0, 0],
        new_30_days: [4, 2]
      })
      const again = (await publicList()).filter((segment) => segment.builtInKey !== null)
      expect(again).toEqual(segments)
      const other = await publicList(workspace.live)
      expect(other.map((segment) => segment.builtInKey)).toEqual(builtInKeys)
      expect(new Set([...other, ...segments].map((segment) => segment.id)).size).toBe(2 * builtInKeys.length)
      for (const segment of segments) {
        expect(segment.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect((await preview(segment.definition)).value.count).toBe(segment.count)
      }
    })

    it.each([
      ["nothing", all(), "ada bob cyd dan"],
      ["a text in another case", all(rule("firstName", "Equals", "bob")), "bob"],
      ["a text that is not", all(rule("firstName", "NotEquals", "bob")), "ada cyd dan"],
      ["a dotted capital I", all(rule("city", "StartsWith", "iz")), "ada"],
      ["a final sigma", all(rule("firstName", "EndsWith", "ΣΕΎΣ")), "cyd"],
      ["part of an attribute", all(rule("attributes.plan", "Contains", "pro")), "ada cyd"],
      ["a list of texts", all(rule("attributes.plan", "In", ["FREE", "pro"])), "ada bob"],
      ["none of a list", all(rule("attributes.plan", "NotIn", ["FREE", "pro"])), "cyd dan"],
      ["an exact number", all(rule("attributes.seats", "Equals", 0.3)), "ada"],
      ["a number nearly that", all(rule("attributes.seats", "Equals", 0.1 + 0.2)), ""],
      ["a range", all(rule("attributes.seats", "Between", { from: 0.3, to: 12 })), "ada bob"],
      ["a range as a list", all(rule("attributes.seats", "Between", [0.3, 12])), "ada bob"],
      ["a day", all(rule("attributes.seen_at", "On", "2019-12-31")), "bob"],
      ["before a day", all(rule("attributes.seen_at", "Before", "2020-01-01")), "bob"],
      ["after a day", all(rule("attributes.seen_at", "After", "2019-12-31")), ""],
      ["today", all(rule("attributes.renews_on", "InNextDays", 1)), "ada"],
      ["days past", all(rule("addedAt", "InLastDays", 1)), "ada bob cyd dan"],
      ["never", all(rule("lastOrderAt", "NotInLastDays", 1)), "ada bob cyd dan"],
      ["true", all(rule("attributes.trial", "IsTrue")), "ada"],
      ["false", all(rule("attributes.trial", "IsFalse")), "bob"],
      ["any of a list", all(rule("attributes.likes", "HasAny", ["TEA", "Beer"])), "ada"],
      ["all of a list", all(rule("attributes.likes", "HasAll", ["tea", "JAZZ"])), "ada"],
      ["none of a list's", all(rule("attributes.likes", "HasNone", ["tea"])), "bob cyd dan"],
      ["set", all(rule("countryCode", "IsSet")), "ada"],
      ["not set", all(rule("attributes.seats", "IsNotSet")), "cyd dan"],
      ["a topic on by default", all(rule("topics.news", "IsTrue")), "bob cyd dan"],
      ["a topic off by default", all(rule("topics.beta", "IsFalse")), "bob cyd dan"],
      ["consent", all(rule("consentStatus", "Equals", "Subscribed")), "ada cyd"],
      [
        "what never happened",
        all(rule("events.user.signed_up", "HappenedAtLeast", { count: 1, days: 7 })),
        ""
      ],
      ["less than once", all(rule("events.x", "HappenedLessThan", { count: 1, days: 7 })), "ada bob cyd dan"],
      ["all rules", all(rule("consentStatus", "Equals", "Subscribed"), rule("city", "IsSet")), "ada"],
      ["any rule", any(rule("firstName", "Equals", "bob"), rule("city", "IsSet")), "ada bob"]
    ])("select by %s", async (_, definition, expected) => {
      const { count, sample } = (await preview(definition)).value
      expect(names(sample).join(" ")).toBe(expected)
      expect(count).toBe(sample.length)
    })

    it("are counted again after every kind of change, and on every day", async () => {
      const { sandbox } = await openWorkspace(target(), "Changing counts")
      await sandbox.manage("POST", "/topics", { key: "news", name: "News" })
      const make = async (name: string, definition: unknown) => {
        expect((await sandbox.manage("POST", "/segments", { name, definition })).status).toBe(201)
      }
      await make("city", all(rule("city", "Equals", "Wien")))
      await make("news", all(rule("topics.news", "IsTrue")))
      await make("visited", all(rule("events.site.visited", "HappenedAtLeast", { count: 1, days: 1 })))
      await make("sendable", all(rule("consentStatus", "Equals", "Subscribed")))
      const counts = async () => {
        const listed = (await publicList(sandbox)).filter(({ builtInKey }) => builtInKey === null)
        return Object.fromEntries(listed.map((each) => [each.name, [each.count, each.sendableCount]]))
      }
      const expectCounts = async (city: unknown, news: unknown, visited: unknown, sendable: unknown) => {
        const expected = { city, news, visited, sendable }
        for (let call = 0; call < 2; call++) expect(await counts()).toEqual(expected)
        // The number of people on the pages equals the count.
        for (const { id, name } of (await publicList(sandbox)).slice(-4)) {
          const read = async (page: number) =>
            (await sandbox.api<Page<Contact>>("GET", `/contacts?segment=${id}&page=${page}`)).value
          const [people] = expected[name as keyof typeof expected] as [number]
          const [first, again, behind] = [await read(1), await read(1), await read(2)]
          expect([name, first.totalCount, first.items.length]).toEqual([name, people, people])
          expect(again).toEqual(first)
          expect(behind).toEqual({ ...first, page: 2, items: [] })
          // The people's data are current.
          for (const { id: contactId } of first.items) {
            expect(again.items).toContainEqual(
              (await sandbox.api<Contact>("GET", `/contacts/${contactId}`)).value
            )
          }
        }
      }
      await expectCounts([0, 0], [0, 0], [0, 0], [0, 0])
      const email = person("changing")
      const consent = { basis: "Subscribed", proof: { text: "Yes" } }
      await sandbox.api("POST", "/contacts", { email, city: "Wien", consent })
      await expectCounts([1, 1], [1, 1], [0, 0], [1, 1])
      await sandbox.api("POST", "/contacts", { email, topics: { news: false } })
      await expectCounts([1, 1], [0, 0], [0, 0], [1, 1])
      await sandbox.api("POST", "/contacts/batch", { contacts: [{ email, city: "Graz" }] })
      await expectCounts([0, 0], [0, 0], [0, 0], [1, 1])
      await sandbox.manage("POST", "/suppressions", { email, kind: "Protected" })
      await expectCounts([0, 0], [0, 0], [0, 0], [1, 0])
      await sandbox.manage("DELETE", `/suppressions/${encodeURIComponent(email)}`)
      await expectCounts([0, 0], [0, 0], [0, 0], [1, 1])
      const occurredAt = new Date(target().now()).toISOString()
      await sandbox.api("POST", "/events", {
        events: [{ id: "visit", name: "site.visited", occurredAt, contact: { email } }]
      })
      await expect.poll(async () => (await counts())["visited"], { timeout: 10_000 }).toEqual([1, 1])
      await expectCounts([0, 0], [0, 0], [1, 1], [1, 1])
      const { advance } = target()
      if (advance !== null) {
        await advance("2 days")
        await expectCounts([0, 0], [0, 0], [0, 0], [1, 1])
      }
      await sandbox.api("DELETE", `/contacts/email:${email}`)
      await expectCounts([0, 0], [0, 0], [0, 0], [0, 0])
    })

    it("are listed, and their people, as they are after every change of a segment", async () => {
      const { sandbox } = await openWorkspace(target(), "Changing segments")
      const others = (await openWorkspace(target(), "Other segments")).sandbox
      for (const [name, city] of [
        ["ada", "Wien"],
        ["bob", "Graz"]
      ]) {
        await sandbox.api("POST", "/contacts", { email: person(name!), city })
      }
      const own = async () =>
        (await publicList(sandbox))
          .filter(({ builtInKey }) => builtInKey === null)
          .map(({ count, name }) => [name, count])
      const listed = async (...expected: ReadonlyArray<readonly [string, number]>) => {
        for (let call = 0; call < 2; call++) expect(await own()).toEqual(expected)
      }
      await listed()
      const inCity = (name: string) => ({ name, definition: all(rule("city", "Equals", name)) })
      const { id } = (await sandbox.manage<Segment>("POST", "/segments", inCity("Wien"))).value
      await listed(["Wien", 1])
      const path = `/contacts?segment=${id}`
      const emails = async () =>
        (await sandbox.api<Page<Contact>>("GET", path)).value.items.map(({ email }) => email)
      for (let call = 0; call < 2; call++) expect(await emails()).toEqual([person("ada")])
      await sandbox.manage("PATCH", `/segments/${id}`, { name: "The city" })
      await listed(["The city", 1])
      await sandbox.manage("PATCH", `/segments/${id}`, inCity("Graz"))
      await listed(["Graz", 1])
      for (let call = 0; call < 2; call++) expect(await emails()).toEqual([person("bob")])
      // Another account has neither the segment nor its people.
      expectRefusal(await others.api("GET", path), 404, "segments.not_found", null)
      await sandbox.manage("DELETE", `/segments/${id}`)
      await listed()
      expectRefusal(await sandbox.api("GET", path), 404, "segments.not_found", null)
    })

    it("are limited to 100 for an account, all of which one call counts", async () => {
      const { sandbox } = await openWorkspace(target(), "Many segments")
      /** Rules of which the last one may match. */
      const rules = (index: number) => [
        ...Array.from({ length: 11 }, (_, place) => rule("email", "Contains", `${index}-${place}@nowhere`)),
        rule("events.site.visited", "HappenedAtLeast", { count: 2 + index, days: 1 + index }),
        rule("city", "EndsWith", `nowhere ${index}`),
        rule("firstName", "Equals", `Name ${index % 3}`)
      ]
      const make = (index: number) =>
        sandbox.manage<Segment>("POST", "/segments", {
          name: `Segment ${index}`,
          definition: { join: "Any", rules: rules(index) }
        })
      const made: Array<Segment> = []
      for (let index = 0; index < 100; index++) made.push((await make(index)).value)
      for (const index of [1, 2, 2]) {
        const one = { email: person(`m${Math.random()}`), firstName: `name ${index}` }
        expect((await sandbox.api("POST", "/contacts", one)).status).toBe(201)
      }
      const counted = await publicList(sandbox)
      expect(made.map(({ id }) => counted.find((one) => one.id === id)?.count)).toEqual(
        made.map((_, index) => index % 3)
      )
      const refused = await make(100)
      expectRefusal(refused, 400, "segments.limit_reached", null)
      expect(refused.envelope?.errors[0]?.params).toEqual({ max: 100 })
      const gone = await sandbox.manage("DELETE", `/segments/${made[0]!.id}`)
      expect(gone.status).toBe(200)
      // Of concurrent calls, only as many succeed as the limit allows.
      const answers = await Promise.all([101, 102, 103].map(make))
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 400, 400])
    })

    it("can be previewed with at most ten people, newest first, without being stored", async () => {
      const { sandbox } = await openWorkspace(target(), "Previews")
      for (let index = 0; index < 12; index++) {
        await sandbox.api("POST", "/contacts", { email: person(`p${index}`), consent: { basis: "Customer" } })
      }
      const answer = await sandbox.manage<Preview>("POST", "/segments/preview", { definition: all() })
      expect(answer.status).toBe(200)
      expect(answer.value).toMatchObject({ count: 12, sendableCount: 12 })
      expect(answer.value.sample.map((contact) => contact.email)).toEqual(
        Array.from({ length: 10 }, (_, index) => person(`p${11 - index}`))
      )
      expect(await publicList(sandbox)).toHaveLength(builtInKeys.length)
    })

    it("are created, read, changed and deleted, and recorded in the audit log", async () => {
      const definition = all(rule("firstName", "In", [" Ada ", "Bob"]), rule("attributes.seats", "IsSet"))
      const made = await create(definition, { name: " Two ", description: " Both " })
      expect(made.status).toBe(201)
      const { id } = made.value
      expect(id).toMatch(idPattern)
      const updatedBy = { kind: "Token", id: null, name: "management" }
      const kept = all(rule("firstName", "In", ["Ada", "Bob"]), rule("attributes.seats", "IsSet"))
      expect(made.value).toEqual({
        id,
        name: "Two",
        description: "Both",
        definition: kept,
        builtInKey: null,
        count: 2,
        sendableCount: 2,
        updatedAt: expect.stringMatching(dateTimePattern) as string,
        updatedBy
      })
      const edited = { updatedAt: expect.any(String) as string, updatedBy }
      expect((await account.manage<Segment>("GET", `/segments/${id.toUpperCase()}`)).value).toEqual(
        made.value
      )
      expect(made.value).toMatchObject((await publicList()).at(-1)!)
      const page = (await account.manage<Page<Segment>>("GET", "/segments?pageSize=2")).value
      expect(page.items[0]).toEqual(made.value)
      const everySegment = (await account.manage<Page<Segment>>("GET", "/segments?pageSize=200")).value.items
      const builtIn = everySegment.filter(({ builtInKey }) => builtInKey !== null)
      expect(builtIn.length).toBeGreaterThan(0)
      // A built-in segment is as old as its account.
      for (const { updatedAt } of builtIn) {
        expect(target().now() - Date.parse(updatedAt!)).toBeLessThan(3_600_000 * 24 * 366)
      }
      expect(page).toMatchObject({ page: 1, pageSize: 2, totalCount: (await publicList()).length })

      const change = (json: object) => account.manage<Segment>("PATCH", `/segments/${id}`, json)
      expect((await change({})).value).toEqual({ ...made.value, ...edited })
      expect((await change({ name: "One" })).value).toEqual({ ...made.value, ...edited, name: "One" })
      const narrowed = any(rule("firstName", "Equals", "Ada"))
      expect((await change({ description: null, definition: narrowed })).value).toEqual({
        ...made.value,
        ...edited,
        name: "One",
        description: null,
        definition: narrowed,
        count: 1,
        sendableCount: 1
      })
      const removed = await account.manage("DELETE", `/segments/${id}`)
      expect([removed.status, removed.value]).toEqual([200, null])
      expectRefusal(await account.manage("DELETE", `/segments/${id}`), 404, "common.not_found", null)
      expectRefusal(await account.manage("GET", `/segments/${id}`), 404, "common.not_found", null)
      const log = (await account.manage<Page<AuditEntry>>("GET", "/audit-log?pageSize=4")).value.items
      expect(log.map((entry) => [entry.action, entry.target.id])).toEqual([
        ["segment.removed", id],
        ["segment.changed", id],
        ["segment.changed", id],
        ["segment.changed", id]
      ])
      expect(log[1]).toMatchObject({
        before: { name: "One", description: "Both", definition: kept },
        after: { name: "One", description: null, definition: narrowed }
      })
    })

    it.each([
      [{ join: "Both", rules: [] }, "segments.join_invalid", "definition.join"],
      [all(rule("surname", "IsSet")), "segments.field_unknown", "definition.rules[0].fieldKey"],
      [all(rule("attributes.nothing", "IsSet")), "segments.field_unknown", "definition.rules[0].fieldKey"],
      [all(rule("topics.nothing", "IsTrue")), "segments.field_unknown", "definition.rules[0].fieldKey"],
      [all(rule("__proto__", "IsSet")), "segments.field_unknown", "definition.rules[0].fieldKey"],
      [all(rule("events.", "IsSet")), "segments.field_unknown", "definition.rules[0].fieldKey"],
      [
        all(rule("city", "IsSet"), rule("city", "GreaterThan", 1)),
        "segments.operator_invalid",
        "definition.rules[1].operator"
      ],
      [all(rule("city", "toString")), "segments.operator_invalid", "definition.rules[0].operator"],
      [all(rule("city", "Equals", "")), "segments.value_invalid", "definition.rules[0].value"],
      [all(rule("city", "Equals", "a\u0000")), "segments.value_invalid", "definition.rules[0].value"],
      [all(rule("city", "In", [])), "segments.value_invalid", "definition.rules[0].value"],
      [all(rule("city", "IsSet", true)), "segments.value_invalid", "definition.rules[0].value"],
      [all(rule("orderCount", "Equals", "1")), "segments.value_invalid", "definition.rules[0].value"],
      [all(rule("addedAt", "On", "2026-02-30")), "segments.value_invalid", "definition.rules[0].value"],
      [all(rule("addedAt", "InLastDays", 0)), "segments.value_invalid", "definition.rules[0].value"],
      [
        all(rule("events.x", "HappenedAtLeast", { count: 0, days: 1 })),
        "segments.value_invalid",
        "definition.rules[0].value"
      ],
      [
        all(...Array.from({ length: 51 }, () => rule("city", "IsSet"))),
        "segments.too_many_rules",
        "definition.rules"
      ]
    ])("reject %j", async (definition, code, field) => {
      expectRefusal(await create(definition), 400, code, field)
      expectRefusal(await preview(definition), 400, code, field)
    })

    it("say what rules can be made of", async () => {
      const { fields, operators } = (
        await account.manage<{
          readonly fields: ReadonlyArray<{
            readonly key: string
            readonly label: string | null
            kind: string
          }>
          readonly operators: Readonly<Record<string, ReadonlyArray<unknown>>>
        }>("GET", "/segments/fields")
      ).value
      expect(fields).toContainEqual({ key: "orderCount", label: null, kind: "Number" })
      expect(fields).toContainEqual({ key: "attributes.likes", label: "Likes", kind: "List" })
      expect(fields).toContainEqual({ key: "topics.news", label: "News", kind: "Boolean" })
      expect(operators["Events"]).toContainEqual({ operator: "HappenedAtLeast", takes: "Counts" })
      expect(Object.keys(operators)).toEqual(expect.arrayContaining(fields.map(({ kind }) => kind)))
    })

    it.each([
      ["city", "", "Wien İzmir"],
      ["city", "IZ", "İzmir"],
      ["attributes.plan", "pro", "PRO+ Pro"],
      ["attributes.likes", "", "Jazz Tea"],
      ["consentStatus", "subs", "Subscribed Unsubscribed"],
      ["attributes.seats", "", ""],
      ["email", "", ""]
    ])("complete the values of %s that contain %j", async (field, q, expected) => {
      const query = new URLSearchParams({ field, q })
      const answer = await account.manage<ReadonlyArray<string>>("GET", `/segments/values?${query}`)
      expect(answer.value.toSorted().join(" ")).toBe(expected)
    })

    it("refuse to complete the values of no field", async () => {
      const values = (query: string) => account.manage("GET", `/segments/values${query}`)
      expectRefusal(await values("?field=surname"), 400, "segments.field_unknown", "field")
      expectRefusal(await values(""), 400, "validation.required", "field")
    })

    it("say who would be reached, and why the others would not", async () => {
      const reach = async (topic?: string) =>
        (
          await account.manage<unknown>("POST", "/segments/reach", {
            definition: any(rule("consentStatus", "IsSet")),
            ...(topic === undefined ? {} : { topic })
          })
        ).value
      const protectedOne = { reason: "sending.gate_protected", cause: "Protected", consentStatus: null }
      const unknownOne = { reason: "sending.gate_consent", cause: "NoConsent", consentStatus: "Unknown" }
      expect(await reach()).toEqual({
        count: 4,
        reached: 2,
        rest: expect.toSatisfy((rest: unknown) => {
          expect(rest).toHaveLength(2)
          expect(rest).toContainEqual({ ...protectedOne, count: 1 })
          expect(rest).toContainEqual({ ...unknownOne, count: 1 })
          return true
        }) as unknown
      })
      // Ada turned off the news, and turned on a topic that is off by default.
      expect(await reach("news")).toMatchObject({ count: 4, reached: 1 })
      expect(await reach("beta")).toMatchObject({ count: 4, reached: 1 })
      const unknown = { definition: all(), topic: "nothing" }
      const refused = await account.manage("POST", "/segments/reach", unknown)
      expect([refused.status < 500, refused.codes, refused.fields]).toEqual([
        true,
        ["topics.not_found"],
        ["topic"]
      ])
    })

    it("keep how many people they had on each day", async () => {
      interface Sizes {
        readonly days: number
        readonly items: ReadonlyArray<{
          readonly segmentId: string
          readonly date: string
          readonly count: number
          readonly sendableCount: number
        }>
      }
      const sizes = (query = "") => account.manage<Sizes>("GET", `/segments/sizes${query}`)
      const { count, id, sendableCount } = (await create(any(rule("consentStatus", "IsSet")))).value
      await settled(target())
      const { value } = await eventually(
        () => sizes(`?segment=${id}&days=1`),
        (answer) => answer.value.items.length > 0
      )
      const date = new Date(target().now()).toISOString().slice(0, 10)
      expect(value).toEqual({ days: 1, items: [{ segmentId: id, date, count, sendableCount }] })
      const every = (await sizes()).value
      expect(every.days).toBe(30)
      expect(new Set(every.items.map(({ segmentId }) => segmentId)).size).toBeGreaterThan(7)
      expectRefusal(await sizes(`?segment=${unknownId}`), 404, "common.not_found", null)
      expectRefusal(await sizes("?days=0"), 400, "validation.range", "days")
      await account.manage("DELETE", `/segments/${id}`)
      expectRefusal(await sizes(`?segment=${id}`), 404, "common.not_found", null)
      expect((await sizes()).value.items.map(({ segmentId }) => segmentId)).not.toContain(id)
    })

    it("accept 50 rules, and archived fields and topics", async () => {
      const fifty = any(...Array.from({ length: 50 }, () => rule("city", "Equals", "wien")))
      expect((await preview(fifty)).value.count).toBe(1)
      await account.api("POST", "/contact-attributes", { key: "old", type: "Number" })
      await account.api("POST", "/contacts", { email: person("dan"), attributes: { old: 1 } })
      const { id } = (await create(all(rule("attributes.old", "Equals", 1)))).value
      await account.api("PATCH", "/contact-attributes/old", { archived: true })
      expect((await account.manage<Segment>("GET", `/segments/${id}`)).value.count).toBe(1)
      await account.manage("DELETE", `/segments/${id}`)
    })

    it("reject invalid names and shapes", async () => {
      expectRefusal(await create(all(), { name: " " }), 400, "validation.required", "name")
      expectRefusal(await create(all(), { name: "n".repeat(101) }), 400, "validation.max_length", "name")
      const long = { description: "d".repeat(301) }
      expectRefusal(await create(all(), long), 400, "validation.max_length", "description")
      for (const definition of [null, [], {}, { join: "All" }, { join: "All", rules: [1] }]) {
        const answer = await create(definition)
        expect([answer.status, answer.refusal?.statusCode]).toEqual([400, 400])
      }
    })

    it("cannot be changed if built-in, and are isolated by account", async () => {
      const [builtIn] = await publicList()
      const path = `/segments/${builtIn!.id}`
      expectRefusal(await account.manage("PATCH", path, { name: "Mine" }), 400, "segments.built_in", null)
      expectRefusal(await account.manage("DELETE", path), 400, "segments.built_in", null)
      expect((await account.manage<Segment>("GET", path)).value).toMatchObject(builtIn!)
      const { id } = (await create(all())).value
      for (const other of [path, `/segments/${id}`, `/segments/${unknownId}`, "/segments/none"]) {
        expectRefusal(await workspace.live.manage("GET", other), 404, "common.not_found", null)
        expectRefusal(await workspace.live.manage("PATCH", other, {}), 404, "common.not_found", null)
        expectRefusal(await workspace.live.manage("DELETE", other), 404, "common.not_found", null)
      }
      await account.manage("DELETE", `/segments/${id}`)
    })
  })
