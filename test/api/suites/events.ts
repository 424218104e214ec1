/**
 * Tests POST /events, and the management API of events (docs/contributing/public-api.md "Events", docs/contributing/decisions.md
 * 4).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, call, eventually } from "../../support/client.ts"
import type { Contact, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Reason {
  readonly code: string
  readonly field: string | null
}

interface Report {
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly reasons: ReadonlyArray<Reason> }>
}

interface EventShown {
  readonly id: string
  readonly eventId: string
  readonly name: string
  readonly occurredAt: string
  readonly status: string
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly contactId: string | null
}

interface TimelineEntry {
  readonly name: string
  readonly occurredAt: string
  readonly properties: unknown
  readonly source: string
}

const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** Nested objects with the value in the innermost one. */
const nested = (levels: number, value: unknown): unknown =>
  levels === 0 ? value : { a: nested(levels - 1, value) }

export const eventsSuite = (target: () => Target) =>
  describe("events", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Events")).sandbox
    })
    const freshEmail = () => `person${++serial}@events.example`
    const freshId = () => `event-${++serial}`
    const draft = (values: Record<string, unknown> = {}) => ({
      id: freshId(),
      name: "user.signed_up",
      contact: { email: "ada@events.example" },
      ...values
    })
    const send = (events: unknown, of = account) => of.api<Report>("POST", "/events", { events })
    const reported = async (events: unknown, of = account) => (await send(events, of)).value
    const listed = async (query = "", of = account) =>
      (await of.manage<Page<EventShown>>("GET", `/events?pageSize=200${query}`)).value
    const noneWaits = (query = "", of = account) =>
      eventually(
        () => listed(query, of),
        ({ items }) => items.every((event) => event.status !== "Accepted")
      )
    const contactOf = async (email: string) =>
      (await account.api<Contact>("GET", `/contacts/email:${email}`)).value
    const timelineOf = async (contactId: string) =>
      (await account.manage<Page<TimelineEntry>>("GET", `/contacts/${contactId}/timeline?pageSize=200`)).value
    /** The response to a call whose only event is rejected. */
    const reasonsOf = async (event: unknown) => {
      const { accepted, duplicates, rejected } = await reported([event])
      expect([accepted, duplicates, rejected.length, rejected[0]?.index]).toEqual([0, 0, 1, 0])
      return rejected[0]!.reasons
    }
    const isAccepted = async (event: unknown) =>
      expect(await reported([event])).toEqual({ accepted: 1, duplicates: 0, rejected: [] })

    it("are recorded on the timeline of a person found or created", async () => {
      const email = freshEmail()
      const occurredAt = new Date(target().now() - 3_600_000).toISOString()
      const properties = { plan: "pro", seats: 3, trial: true, ünï: [1, { x: null }], price: 12.5 }
      expect(
        await reported([
          draft({ contact: { email, firstName: "Ada", externalId: email }, occurredAt, properties }),
          draft({ name: "user.activated", contact: { externalId: email } })
        ])
      ).toEqual({ accepted: 2, duplicates: 0, rejected: [] })
      await noneWaits()
      const contact = await contactOf(email)
      expect(contact.firstName).toBe("Ada")
      const { items } = await timelineOf(contact.id)
      expect(items).toEqual([
        { name: "user.activated", occurredAt: expect.any(String), properties: {}, source: "Api" },
        { name: "user.signed_up", occurredAt, properties, source: "Api" }
      ])
      expect((await listed(`&contactId=${contact.id}`)).items).toEqual([
        {
          id: expect.any(String),
          eventId: expect.any(String),
          name: "user.activated",
          occurredAt: expect.any(String),
          status: "Processed",
          source: "Api",
          failure: null,
          contactId: contact.id
        },
        expect.objectContaining({ name: "user.signed_up", occurredAt, contactId: contact.id })
      ])
    })

    it("are accepted or rejected one by one, with position, code and field", async () => {
      const id = freshId()
      const { accepted, duplicates, rejected } = await reported([
        draft(),
        draft({ id: " ", name: "Not a name", contact: {} }),
        draft({ id }),
        draft({ id, name: "user.other" }),
        draft({ name: 5, contact: { email: 1, topics: { news: "on" } } }),
        null,
        draft({ properties: [] })
      ])
      expect([accepted, duplicates]).toEqual([2, 1])
      expect(rejected).toEqual([
        {
          index: 1,
          reasons: [
            { code: "activity.event_id_invalid", field: "id" },
            { code: "activity.event_name_invalid", field: "name" },
            { code: "activity.event_contact_required", field: "contact" }
          ]
        },
        {
          index: 4,
          reasons: expect.arrayContaining(
            ["name", "contact.email", "contact.topics.news"].map((field) => ({
              code: "validation.type",
              field
            }))
          )
        },
        { index: 5, reasons: [{ code: "validation.type", field: null }] },
        { index: 6, reasons: [{ code: "activity.event_properties_invalid", field: "properties" }] }
      ])
    })

    it("are rejected in calls of none or more than 100, accepted in calls of 100", async () => {
      for (const events of [[], times(101, () => draft())]) {
        const refused = await send(events)
        expect([refused.status, refused.codes, refused.fields]).toEqual([
          400,
          ["activity.batch_too_large"],
          ["events"]
        ])
      }
      expect(await reported(times(100, () => draft()))).toEqual({
        accepted: 100,
        duplicates: 0,
        rejected: []
      })
    })

    it("return problem+json for a body without a list", async () => {
      for (const json of [{}, { events: {} }, { events: null }, [], "events"]) {
        const refused = await account.api("POST", "/events", json)
        expect([refused.status, refused.refusal?.statusCode]).toEqual([400, 400])
      }
    })

    it("have unique ids in the account: across calls, concurrent calls, and with surrounding spaces", async () => {
      const other = (await openWorkspace(target(), "Other events")).sandbox
      const id = freshId()
      await isAccepted(draft({ id }))
      expect(await reported([draft({ id: ` ${id} ` }), draft({ id: id.toUpperCase() })])).toEqual({
        accepted: 1,
        duplicates: 1,
        rejected: []
      })
      expect((await reported([draft({ id })], other)).accepted).toBe(1)
      const ids = times(20, freshId)
      const reports = await Promise.all(times(8, () => reported(ids.map((one) => draft({ id: one })))))
      expect(reports.reduce((sum, report) => sum + report.accepted, 0)).toBe(20)
      expect(reports.reduce((sum, report) => sum + report.duplicates, 0)).toBe(140)
    })

    it("have their ids, names and prefixes validated", async () => {
      for (const id of ["", "x".repeat(201), "a\0b", null, undefined]) {
        expect(await reasonsOf(draft({ id }))).toEqual([{ code: "activity.event_id_invalid", field: "id" }])
      }
      await isAccepted(draft({ id: `${freshId()}${"x".repeat(180)}` }))
      for (const name of ["", "User", "9lives", "_a", ".a", "a-b", "a b", "é", "a".repeat(65), null]) {
        expect(await reasonsOf(draft({ name }))).toEqual([
          { code: "activity.event_name_invalid", field: "name" }
        ])
      }
      const prefixes = ["order", "cart", "customer", "subscriber", "contact", "email", "svc"]
      for (const prefix of prefixes) {
        expect(await reasonsOf(draft({ name: `${prefix}.x` }))).toEqual([
          { code: "activity.event_name_reserved", field: "name" }
        ])
      }
      for (const name of ["orders.x", "order", "svc_x", "a", "a".repeat(64), "a_1.b.."]) {
        await isAccepted(draft({ name }))
      }
    })

    it("accept times of the last 30 days, with some skew, and default to now", async () => {
      const at = (ago: number) => new Date(target().now() - ago).toISOString()
      const day = 86_400_000
      for (const occurredAt of [
        at(30 * day + 60_000),
        at(-60_000),
        "2024-02-30T00:00:00Z",
        "yesterday",
        ""
      ]) {
        expect(await reasonsOf(draft({ occurredAt }))).toEqual([
          { code: "activity.event_occurred_at_invalid", field: "occurredAt" }
        ])
      }
      expect(await reasonsOf(draft({ occurredAt: target().now() }))).toEqual([
        { code: "validation.type", field: "occurredAt" }
      ])
      for (const occurredAt of [at(30 * day - 60_000), at(0), at(-2_000), null]) {
        await isAccepted(draft({ occurredAt }))
      }
    })

    it("accept properties up to 16 KB and 3 levels, counted as compact UTF-8", async () => {
      const filling = 16 * 1024 - JSON.stringify({ a: "" }).length
      const code = (flaw: string) => ({ code: `activity.event_properties_${flaw}`, field: "properties" })
      await isAccepted(draft({ properties: { a: "x".repeat(filling) } }))
      await isAccepted(draft({ properties: { a: "é".repeat(filling / 2) } }))
      await isAccepted(draft({ properties: nested(3, 1) }))
      await isAccepted(draft({ properties: { a: [[1]], b: [{ c: "x" }] } }))
      await isAccepted(draft({ properties: null }))
      for (const [properties, flaws] of [
        [{ a: "x".repeat(filling + 1) }, ["too_large"]],
        [{ a: "é".repeat(filling / 2 + 1) }, ["too_large"]],
        [nested(4, 1), ["too_deep"]],
        [{ a: [[[]]] }, ["too_deep"]],
        [nested(4, "x".repeat(filling)), ["too_large", "too_deep"]],
        [nested(50, 1), ["too_deep"]],
        [[], ["invalid"]],
        ["text", ["invalid"]],
        [1, ["invalid"]],
        [{ a: "\0" }, ["invalid"]],
        [{ "\0": 1 }, ["invalid"]],
        [{ a: ["\ud800"] }, ["invalid"]]
      ] as const) {
        expect(await reasonsOf(draft({ properties }))).toEqual(flaws.map(code))
      }
    })

    it("are Failed, with the reason, where the person cannot be found or created", async () => {
      const known = freshEmail()
      await account.api("POST", "/contacts", { email: known, externalId: known })
      const cases = [
        [{ externalId: freshId() }, "audience.contact_email_required"],
        [{ email: "nobody" }, "validation.email"],
        [{ id: "7f000000-0000-7000-8000-000000000000" }, "audience.contact_email_required"],
        [{ externalId: known, email: "ada@events.example" }, "audience.contact_identity_conflict"],
        [{ email: known, consent: { basis: "Subscribed" } }, "audience.consent_proof_required"],
        [{ email: known, attributes: { unheard_of: 1 } }, "audience.attribute_unknown"],
        [{ email: known, firstName: "a\0b" }, "validation.format"]
      ] as const
      const events = cases.map(([contact]) => draft({ name: "will.fail", contact }))
      expect((await reported(events)).accepted).toBe(cases.length)
      const { items, totalCount } = await noneWaits("&name=will.fail")
      expect(totalCount).toBe(cases.length)
      for (const [index, [, code]] of cases.entries()) {
        const shown = items.find((event) => event.eventId === events[index]!.id)
        expect(shown).toMatchObject({
          status: "Failed",
          failure: { code, message: expect.stringMatching(/\S/) },
          contactId: null
        })
      }
      expect((await listed("&status=Failed&name=will.fail")).totalCount).toBe(cases.length)
      expect((await listed("&status=Processed&name=will.fail")).totalCount).toBe(0)
    })

    it("write people as POST /contacts does: consent, topics, fields, in the given order", async () => {
      await account.manage("POST", "/topics", { key: "event_news", name: "News" })
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
      const email = freshEmail()
      const consent = { basis: "Subscribed", proof: { text: "Yes, please" } }
      await reported(
        times(60, (index) =>
          draft({
            name: "in.order",
            contact: {
              email,
              firstName: `Name ${index}`,
              attributes: { event_count: index },
              ...(index === 3 ? { consent, topics: { event_news: false } } : {})
            }
          })
        )
      )
      await noneWaits("&name=in.order")
      await account.manage("PATCH", "/settings", { autoCreateAttributes: false })
      const contact = await contactOf(email)
      expect(contact).toMatchObject({
        firstName: "Name 59",
        attributes: { event_count: 59 },
        consentStatus: "Subscribed",
        consentSource: "Api"
      })
      const fields = (
        await account.api<ReadonlyArray<{ key: string; createdFrom: string }>>("GET", "/contact-attributes")
      ).value
      expect(fields.find((field) => field.key === "event_count")?.createdFrom).toBe("Api")
      const { items, totalCount } = await timelineOf(contact.id)
      expect(totalCount).toBe(61)
      expect(items.filter((entry) => entry.name === "contact.subscribed")).toMatchObject([
        { source: "Service" }
      ])
    })

    it("are counted in segments", async () => {
      const email = freshEmail()
      await reported(times(2, () => draft({ name: "for.segments", contact: { email } })))
      await noneWaits("&name=for.segments")
      const rule = (count: number) => ({
        definition: {
          join: "All",
          rules: [{ fieldKey: "events.for.segments", operator: "HappenedAtLeast", value: { count, days: 7 } }]
        }
      })
      const counted = async (count: number) =>
        (await account.manage<{ count: number }>("POST", "/segments/preview", rule(count))).value.count
      expect([await counted(2), await counted(3)]).toEqual([1, 0])
    })

    it("of concurrent calls are each once on one person's timeline", async () => {
      const email = freshEmail()
      const ids = times(50, freshId)
      const calls = times(20, (index) =>
        reported(
          ids
            .slice((index % 10) * 5, (index % 10) * 5 + 5)
            .map((id) => draft({ id, name: "at.once", contact: { email, city: `City ${index}` } }))
        )
      )
      const writes = times(10, (index) =>
        account.api("POST", "/contacts", { email, lastName: `Name ${index}` })
      )
      const reports = await Promise.all(calls)
      await Promise.all(writes)
      expect(reports.reduce((sum, report) => sum + report.accepted, 0)).toBe(50)
      await noneWaits("&name=at.once")
      expect((await timelineOf((await contactOf(email)).id)).totalCount).toBe(50)
    })

    it("are erased with their person, processed, failed and waiting, and do not restore the person", async () => {
      const email = freshEmail()
      const known = freshId()
      const { contact } = (
        await account.api<{ contact: Contact }>("POST", "/contacts", { email, externalId: known })
      ).value
      const name = "to.be_erased"
      await reported([
        draft({ name, contact: { email } }),
        draft({ name, contact: { email, externalId: "", attributes: { unheard_of: 1 } } }),
        draft({ name, contact: { email: "ada@events.example" } })
      ])
      expect((await noneWaits(`&name=${name}`)).totalCount).toBe(3)
      const waiting = reported(times(50, () => draft({ name, contact: { externalId: known } })))
      await waiting
      const erased = await account.api("DELETE", `/contacts/${contact.id}`)
      expect(erased.status).toBe(200)
      const left = await noneWaits(`&name=${name}`)
      expect(left.items.map((event) => [event.status, event.contactId === contact.id])).toEqual([
        ["Processed", false]
      ])
      expect((await account.api("GET", `/contacts/email:${email}`)).status).toBe(404)
      expect((await account.manage("GET", `/contacts/${contact.id}/timeline`)).status).toBe(404)
    })

    it("are listed page by page, and invalid filters are rejected", async () => {
      const page = (await account.manage<Page<EventShown>>("GET", "/events?page=2&pageSize=3")).value
      expect([page.page, page.pageSize, page.items.length]).toEqual([2, 3, 3])
      const all = (await listed()).items.map((event) => event.id)
      expect(all).toEqual(all.toSorted().toReversed())
      expect(page.items.map((event) => event.id)).toEqual(all.slice(3, 6))
      for (const query of ["status=Done", "contactId=x", "name=%00", "pageSize=0"]) {
        expect((await account.manage("GET", `/events?${query}`)).status).toBe(400)
      }
      expect((await listed("&name=nothing.here")).totalCount).toBe(0)
      const refused = await call(target(), "GET", `/manage/v1/accounts/${account.accountId}/events`)
      expect(refused.status).toBe(401)
    })

    it("require the permission events:write, and count once for the rate limit", async () => {
      const post = (token: string | undefined): Promise<Answer<Report>> =>
        call(target(), "POST", "/api/v1/events", { token, json: { events: times(10, () => draft()) } })
      expect((await post(undefined)).status).toBe(401)
      expect((await post((await account.issueKey(["contacts:write"])).key)).status).toBe(403)
      const { key } = await account.issueKey(["events:write"])
      const remaining = async () => Number((await post(key)).headers.get("ratelimit-remaining"))
      const before = await remaining()
      const after = await remaining()
      // A new minute may have begun in the meantime.
      expect(after === before - 1 || after > before).toBe(true)
    })
  })
