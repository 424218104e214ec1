/**
 * Tests the audiences of campaigns: segments by the outcome of other campaigns, and copies for the people whom a campaign did not
 * reach (docs/campaigns.md, docs/segments.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import type { Contact, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Campaign {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
}

interface Segment {
  readonly id: string
  readonly name: string
  readonly count: number
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
  "accept-language": "en"
}
let last = 0

const expectRefusal = (
  answer: Answer<unknown>,
  status: number,
  code: string,
  field: string | null = null
) => {
  expect([answer.status, ...answer.codes]).toEqual([status, code])
  expect(answer.fields).toEqual(field === null ? [] : [field])
}

export const campaignAudiencesSuite = (target: () => Target) =>
  describe("campaign audiences", () => {
    let account: TestAccount
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Campaign audiences")).sandbox
    })
    const definition = (fieldKey: string, operator: string, value: unknown = null) => ({
      join: "All",
      rules: [{ fieldKey, operator, value }]
    })
    const makeSegment = async (name: string, rules: object) => {
      const made = await account.manage<Segment>("POST", "/segments", { name, definition: rules })
      expect(made.codes).toEqual([])
      return made.value.id
    }
    /** Creates people in their own city, and the segment of that city. */
    const people = async (size: number, values: (index: number) => object = () => ({})) => {
      const city = `audience${++last}x${Math.random().toString(36).slice(2, 8)}`
      await account.api("POST", "/contacts/batch", {
        contacts: Array.from({ length: size }, (_, index) => ({
          email: `p${index}@${city}.example`,
          firstName: `P${index}`,
          city,
          consent: { basis: "Customer" },
          ...values(index)
        }))
      })
      return { city, segment: await makeSegment(city, definition("city", "Equals", city)) }
    }
    const draft = async (write: object) => {
      const made = await account.manage<Campaign>("POST", "/campaigns", {
        name: "Spring",
        content: { subject: "Hello", html: '<p><a href="https://shop.example/a">A</a></p>' },
        tracking: { opens: true, clicks: true },
        ...write
      })
      expect(made.codes).toEqual([])
      return made.value.id
    }
    const send = async (id: string) => {
      expect((await account.manage("POST", `/campaigns/${id}/launch`, {})).codes).toEqual([])
      await eventually(
        async () => {
          const { value } = await account.manage<Campaign>("GET", `/campaigns/${id}`)
          if (value.status !== "Sent") await target().advance?.("1100 millis")
          return value
        },
        ({ status }) => status === "Sent"
      )
    }
    const copy = (id: string, json: object) => account.manage<Campaign>("POST", `/campaigns/${id}/copy`, json)
    /** The names of a segment's people. */
    const namesIn = async (segment: string) => {
      const found = await account.manage<Page<Contact>>("GET", `/contacts?segment=${segment}&limit=200`)
      return found.value.items.map(({ firstName }) => firstName).toSorted()
    }
    const click = async (email: string) => {
      const mail = (await mailOf(account).inbox()).find(({ to }) => to === email)!
      const path = /href="([^"]+)"/.exec(String(mail["html"]))![1]!.slice(target().baseUrl.length)
      expect((await target().fetch(path, { headers: browser, redirect: "manual" })).status).toBe(302)
    }

    it("select by what became of a campaign, and its copies go to those it did not reach", async ({
      skip
    }) => {
      if (target().advance === null) return skip("a click so soon after the delivery is a machine's")
      const { city, segment } = await people(4, (index) => (index === 3 ? { consent: undefined } : {}))
      const late = await makeSegment(`${city} late`, definition("city", "Equals", `${city}-late`))
      const id = await draft({ audience: { segments: [segment, late] } })
      await send(id)
      await target().advance?.("10 minutes")
      await click(`p0@${city}.example`)
      const of = async (operator: string) =>
        namesIn(await makeSegment(operator, definition(`campaigns.${id}`, operator)))
      const clicked = await makeSegment("clicked", definition(`campaigns.${id}`, "Clicked"))
      await eventually(
        () => namesIn(clicked),
        (names) => names.length > 0
      )
      expect(await of("WasSent")).toEqual(["P0", "P1", "P2"])
      expect(await of("WasDelivered")).toEqual(["P0", "P1", "P2"])
      expect(await of("Clicked")).toEqual(["P0"])
      // A click counts as an open too.
      expect(await of("Opened")).toEqual(["P0"])
      expect(await of("NotOpened")).toEqual(["P1", "P2"])
      expect(await of("NotClicked")).toEqual(["P1", "P2"])
      expect(await of("Converted")).toEqual([])
      expect(await of("WasNotSent")).toContain("P3")
      const preview = (fieldKey: string, operator: string, value: unknown = null) =>
        account.manage<Segment>("POST", "/segments/preview", {
          definition: definition(fieldKey, operator, value)
        })
      expect((await preview(`campaigns.${id.toUpperCase()}`, "WasSent")).value.count).toBe(3)
      expect((await preview("campaigns.any", "SentAtLeast", { count: 1, days: 1 })).value.count).toBe(3)
      expect((await preview("campaigns.any", "ClickedAtLeast", { count: 1, days: 1 })).value.count).toBe(1)
      expect((await preview("campaigns.any", "SentAtLeast", { count: 2, days: 9 })).value.count).toBe(0)

      const same = await copy(id, { name: "Again" })
      expect(same.value).toMatchObject({
        name: "Again",
        status: "Draft",
        audience: { segments: [segment, late] }
      })
      const notClicked = await copy(id, { to: "NotClicked" })
      expect(notClicked.status).toBe(201)
      const [chosen] = notClicked.value.audience.segments
      expect(notClicked.value.audience).toEqual({ segments: [chosen], exclude: [] })
      const repeated = await copy(id, { to: "NotClicked" })
      expect(repeated.value.audience).toEqual(notClicked.value.audience)
      // People who click before the copy starts do not get it.
      await click(`p1@${city}.example`)
      await eventually(
        () => namesIn(chosen!),
        (names) => names.length === 1
      )
      await send(notClicked.value.id)
      const inbox = await mailOf(account).inbox()
      const received = (index: number) => inbox.filter(({ to }) => to === `p${index}@${city}.example`).length
      expect([0, 1, 2, 3].map(received)).toEqual([1, 1, 2, 0])

      // People who were added later or were skipped were not sent the campaign.
      await account.api("POST", "/contacts", {
        email: `late@${city}.example`,
        firstName: "Late",
        city: `${city}-late`,
        consent: { basis: "Customer" }
      })
      const notSent = await copy(id, { to: "NotSent" })
      expect(notSent.value.audience.segments).toEqual([segment, late])
      await send(notSent.value.id)
      const stats = await account.manage<{ readonly total: object }>(
        "GET",
        `/campaigns/${notSent.value.id}/stats`
      )
      expect(stats.value.total).toMatchObject({ audience: 2, submitted: 1, skipped: 1 })
    })

    it("count whom they would reach, why not the others, and where they are", async () => {
      const { city, segment } = await people(6, (index) => ({
        countryCode: index === 5 ? undefined : "AT",
        ...(index === 0 && { consent: { basis: "Unsubscribed" } })
      }))
      await account.manage("POST", "/suppressions", { email: `p1@${city}.example`, kind: "Complained" })
      interface Estimate {
        readonly count: number
        readonly reachable: number
        readonly by: Readonly<Record<string, number>>
        readonly zones: ReadonlyArray<object>
        readonly sample: ReadonlyArray<Contact>
      }
      const estimate = async (write: object) => {
        const answer = await account.manage<Estimate>("POST", "/campaigns/audience", {
          audience: { segments: [segment] },
          ...write
        })
        expect(answer.codes).toEqual([])
        return answer.value
      }
      const whole = await estimate({})
      expect(whole).toMatchObject({
        count: 6,
        reachable: 4,
        by: { "sending.gate_consent": 1, "sending.gate_complained": 1 },
        zones: [
          { zone: "Europe/Vienna", count: 5, at: null },
          { zone: "UTC", count: 1, at: null }
        ]
      })
      expect(whole.sample).toHaveLength(6)
      const excluded = await makeSegment(`${city} p5`, definition("email", "StartsWith", "p5@"))
      expect(await estimate({ audience: { segments: [segment], exclude: [excluded] } })).toMatchObject({
        count: 5,
        reachable: 3
      })
      await account.manage("POST", "/topics", { key: "late", name: "Late", defaultOn: false })
      expect(await estimate({ topic: "late" })).toMatchObject({ reachable: 0 })
      expect(await estimate({ holdoutPercent: 50 })).toMatchObject({
        reachable: 2,
        by: { "sending.held_out": 2 }
      })
      const local = new Date(target().now() + 2 * 86_400_000).toISOString().slice(0, 10)
      const { zones } = await estimate({ schedule: { localTime: `${local}T09:00` } })
      expect(zones).toContainEqual({ zone: "UTC", count: 1, at: `${local}T09:00:00.000Z` })
      const id = await draft({ audience: { segments: [segment] } })
      await send(id)
      await account.manage("PATCH", "/settings", { marketingCaps: [{ emails: 1, days: 1 }] })
      expect(await estimate({})).toMatchObject({ reachable: 0, by: { "sending.gate_frequency": 4 } })
      const waiting = { whenCapped: { action: "Wait", hours: 2 } }
      expect(await estimate(waiting)).toMatchObject({ reachable: 4 })
      await account.manage("PATCH", "/settings", { marketingCaps: [] })
      const refused = await account.manage("POST", "/campaigns/audience", {
        audience: { segments: [segment], exclude: [] },
        topic: "nope",
        holdoutPercent: 51
      })
      expect(refused.codes.toSorted()).toEqual(["topics.not_found", "validation.range"])
    })

    it("are listed by name, change and start, without those that are archived", async () => {
      const own = (await openWorkspace(target(), "Lists of campaigns")).sandbox
      const made: Array<string> = []
      for (const name of ["beta", "Alpha", "gamma"]) {
        made.push((await own.manage<Campaign>("POST", "/campaigns", { name })).value.id)
      }
      const names = async (query: string) => {
        const found = await own.manage<Page<Campaign>>("GET", `/campaigns?${query}`)
        expect(found.codes).toEqual([])
        return found.value.items.map(({ name }) => name)
      }
      expect(await names("sort=name")).toEqual(["Alpha", "beta", "gamma"])
      expect(await names("sort=-name")).toEqual(["gamma", "beta", "Alpha"])
      expect(await names("")).toEqual(["gamma", "Alpha", "beta"])
      await target().advance?.("1 seconds")
      const hidden = await own.manage<{ readonly isArchived: boolean }>("PATCH", `/campaigns/${made[0]}`, {
        isArchived: true
      })
      expect(hidden.value.isArchived).toBe(true)
      expect(await names("sort=name")).toEqual(["Alpha", "gamma"])
      expect(await names("isArchived=true")).toEqual(["beta"])
      await own.manage("PATCH", `/campaigns/${made[0]}`, { isArchived: false })
      expect((await names("sort=-updated"))[0]).toBe("beta")
      expect(await names("sort=started")).toHaveLength(3)
      const first = await own.manage<Page<Campaign> & { readonly next: string }>(
        "GET",
        "/campaigns?sort=name&limit=2"
      )
      expect(await names(`sort=name&limit=2&after=${first.value.next}`)).toEqual(["gamma"])
      expect((await own.manage("GET", "/campaigns?sort=size")).status).toBe(400)
    })

    it("let what the variants of a paused test send be changed, and nothing else of it", async () => {
      const { segment } = await people(20)
      const variant = (id: string, subject = `Variant ${id}`) => ({ id, content: { subject, text: id } })
      const test = { variants: [variant("a"), variant("b")], share: 100 }
      const id = await draft({
        content: null,
        test,
        audience: { segments: [segment] },
        pace: { emails: 1, per: "Day" }
      })
      const act = (action: string) => account.manage<Campaign>("POST", `/campaigns/${id}/${action}`, {})
      const change = (json: object) =>
        account.manage<{ readonly version: number }>("PATCH", `/campaigns/${id}`, json)
      expect((await act("launch")).codes).toEqual([])
      expect((await act("pause")).codes).toEqual([])
      for (const other of [
        null,
        { ...test, share: 50 },
        { ...test, variants: [...test.variants, variant("c")] }
      ]) {
        expectRefusal(await change({ test: other }), 409, "campaigns.not_editable", "test")
      }
      const changed = { ...test, variants: [variant("a", "Changed"), variant("b", "Changed")] }
      expect((await change({ test: changed })).value).toMatchObject({ version: 2 })
      expect((await change({ pace: null })).codes).toEqual([])
      expect((await act("resume")).codes).toEqual([])
      await eventually(
        async () => {
          const { value } = await account.manage<Campaign>("GET", `/campaigns/${id}`)
          if (value.status !== "Sent") await target().advance?.("1100 millis")
          return value
        },
        ({ status }) => status === "Sent"
      )
      const mails = (await mailOf(account).inbox()).filter(
        ({ subject }) => subject === "Changed" || subject.startsWith("Variant ")
      )
      expect(mails).toHaveLength(20)
      expect(mails.filter(({ subject }) => subject === "Changed").length).toBeGreaterThanOrEqual(19)
    })

    it("reject rules about campaigns that the account does not have, and copies for no one", async () => {
      const { segment } = await people(1)
      const id = await draft({ audience: { segments: [segment] } })
      const preview = (fieldKey: string, operator: string, value: unknown = null) =>
        account.manage("POST", "/segments/preview", { definition: definition(fieldKey, operator, value) })
      const field = "definition.rules[0].fieldKey"
      expectRefusal(await preview(`campaigns.${unknownId}`, "WasSent"), 400, "segments.field_unknown", field)
      expectRefusal(await preview("campaigns.spring", "WasSent"), 400, "segments.field_unknown", field)
      const operator = "definition.rules[0].operator"
      expectRefusal(await preview(`campaigns.${id}`, "IsSet"), 400, "segments.operator_invalid", operator)
      expectRefusal(await preview("campaigns.any", "WasSent"), 400, "segments.operator_invalid", operator)
      const value = "definition.rules[0].value"
      expectRefusal(await preview(`campaigns.${id}`, "WasSent", 1), 400, "segments.value_invalid", value)
      expectRefusal(await preview("campaigns.any", "SentAtLeast", 1), 400, "segments.value_invalid", value)
      expectRefusal(await copy(id, { to: "Everyone" }), 400, "validation.format", "to")
      expectRefusal(await copy(unknownId, { to: "NotSent" }), 404, "common.not_found")
      // A rule about a campaign that never sent selects no one, even after the campaign is deleted.
      const unsent = await makeSegment("Unsent", definition(`campaigns.${id}`, "WasSent"))
      expect(await namesIn(unsent)).toEqual([])
      expect((await account.manage("DELETE", `/campaigns/${id}`)).codes).toEqual([])
      expect(await namesIn(unsent)).toEqual([])
    })
  })
