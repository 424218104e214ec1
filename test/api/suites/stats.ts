/**
 * Tests the daily counts of an account, and the statistics of its emails (docs/contributing/management-api.md `GET A/stats`).
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { mailOf } from "../../support/mail.ts"
import type { ContactWritten } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

type Counts = Readonly<Record<string, number>>

interface Day {
  readonly date: string
  readonly emails: Counts
  readonly softBounces: number
  readonly opens: number
  readonly clicks: number
  readonly opensUnknown: number
  readonly clicksUnknown: number
  readonly opensByMachines: number
  readonly clicksByMachines: number
  readonly events: number
  readonly contacts: number
  readonly runs: Counts
}

interface Stats {
  readonly days: number
  readonly items: ReadonlyArray<Day>
}

const noEmails = {
  queued: 0,
  sent: 0,
  failed: 0,
  suppressed: 0,
  delivered: 0,
  bounced: 0,
  handingOff: 0,
  accepted: 0,
  unknown: 0,
  pendingReview: 0
}
const noRuns = { active: 0, completed: 0, stopped: 0, failed: 0 }
const nothing = {
  emails: noEmails,
  softBounces: 0,
  opens: 0,
  clicks: 0,
  opensUnknown: 0,
  clicksUnknown: 0,
  opensByMachines: 0,
  clicksByMachines: 0,
  events: 0,
  contacts: 0,
  runs: noRuns
}

const dayMillis = 86_400_000

const sum = (a: Counts, b: Counts): Counts =>
  Object.fromEntries(Object.keys(a).map((name) => [name, a[name]! + (b[name] ?? Number.NaN)]))

export const statsSuite = (target: () => Target) =>
  describe("daily counts", () => {
    const open = async (name: string) => (await openWorkspace(target(), name)).sandbox
    const stats = async (account: TestAccount, query = "") =>
      (await account.manage<Stats>("GET", `/stats${query}`)).value
    /** The sum of today's and yesterday's counts, in case midnight has passed in the meantime. */
    const recent = async (account: TestAccount): Promise<Omit<Day, "date">> => {
      const [today, yesterday] = (await stats(account, "?days=2")).items as [Day, Day]
      return {
        emails: sum(today.emails, yesterday.emails),
        softBounces: today.softBounces + yesterday.softBounces,
        opens: today.opens + yesterday.opens,
        clicks: today.clicks + yesterday.clicks,
        opensUnknown: today.opensUnknown + yesterday.opensUnknown,
        clicksUnknown: today.clicksUnknown + yesterday.clicksUnknown,
        opensByMachines: today.opensByMachines + yesterday.opensByMachines,
        clicksByMachines: today.clicksByMachines + yesterday.clicksByMachines,
        events: today.events + yesterday.events,
        contacts: today.contacts + yesterday.contacts,
        runs: sum(today.runs, yesterday.runs)
      }
    }
    const recently = (account: TestAccount, satisfied: (counts: Omit<Day, "date">) => boolean) =>
      eventually(() => recent(account), satisfied)

    it("list every day, today first, 30 by default", async () => {
      const account = await open("No counts")
      const { days, items } = await stats(account)
      expect(days).toBe(30)
      expect(items).toHaveLength(30)
      const newest = Date.parse(items[0]!.date)
      expect(items).toEqual(
        items.map((_, age) => ({
          date: new Date(newest - age * dayMillis).toISOString().slice(0, 10),
          ...nothing
        }))
      )
      expect(Math.abs(newest + dayMillis / 2 - target().now())).toBeLessThan(2 * dayMillis)
      for (const asked of [1, 366]) {
        const answer = await stats(account, `?days=${asked}`)
        expect([answer.days, answer.items.length]).toEqual([asked, asked])
      }
    })

    it.each([
      ["0", "validation.range"],
      ["-1", "validation.range"],
      ["367", "validation.range"],
      ["99999999999999999999", "validation.range"],
      ["1.5", "validation.type"],
      ["all", "validation.type"],
      ["%00", "validation.type"]
    ])("reject %s days", async (days, code) => {
      const answer = await (await open("Bad days")).manage("GET", `/stats?days=${days}`)
      expect([answer.status, answer.codes, answer.fields]).toEqual([400, [code], ["days"]])
    })

    it("require the operator's token and an existing account", async () => {
      const account = await open("Guarded")
      const path = `/manage/v1/accounts/${account.accountId}/stats`
      expect((await call(target(), "GET", path)).status).toBe(401)
      expect((await call(target(), "GET", path, { token: account.key })).status).toBe(401)
      for (const id of [account.accountId.replace(/.{4}$/, "ffff"), "none", "%00"]) {
        const answer = await call(target(), "GET", `/manage/v1/accounts/${id}/stats`, {
          token: target().managementToken
        })
        expect([answer.status, answer.codes]).toEqual([404, ["common.not_found"]])
      }
    })

    it("count emails for each recipient by outcome, first opens and first clicks", async () => {
      const account = await open("Counted emails")
      const mail = mailOf(account)
      await account.manage("POST", "/suppressions", { email: "not@counts.example", kind: "Protected" })
      await mail.send("later@counts.example", { sendAt: new Date(target().now() + dayMillis).toISOString() })
      await mail.send("bounce@counts.example", { cc: ["one@counts.example"], bcc: ["not@counts.example"] })
      const tracked = {
        html: `<p><a href="https://shop.example/a">A</a></p>`,
        tracking: { opens: true, clicks: true }
      }
      const { id } = await mail.send("two@counts.example", tracked)
      await mail.settled(id, "Delivered")
      const expected = {
        ...nothing,
        emails: { ...noEmails, queued: 1, bounced: 1, delivered: 2, suppressed: 1 }
      }
      expect(
        await recently(
          account,
          ({ emails }) => emails["bounced"] === 1 && emails["delivered"] === 2 && emails["queued"] === 1
        )
      ).toEqual(expected)
      const [message] = await mail.messagesOf(id)
      const paths = String(message!["html"]).match(/\/t\/[oc]\/[^"]+/g)!
      expect(paths).toHaveLength(2)
      const visit = async (headers: Record<string, string>) => {
        for (const path of [...paths, ...paths]) await target().fetch(path, { headers, redirect: "manual" })
      }
      await visit({ "user-agent": "curl/8.5.0" })
      const counted = await recently(account, (day) => day.opensByMachines > 0 && day.clicksByMachines > 0)
      expect(counted).toEqual({ ...expected, opensByMachines: 1, clicksByMachines: 1 })
      const { advance } = target()
      if (advance !== null) {
        // A visit by a person, more than 3 seconds after delivery.
        await advance("3200 millis")
        const image =
          "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"
        await target().fetch(
          paths.find((path) => path.startsWith("/t/o/"))!,
          {
            headers: { "user-agent": image }
          }
        )
        const unknown = await recently(account, ({ opensUnknown }) => opensUnknown > 0)
        expect(unknown).toEqual({ ...expected, opensUnknown: 1, clicksByMachines: 1 })
        await visit({
          "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
          "accept-language": "en"
        })
        const read = await recently(account, ({ clicks, opens }) => opens > 0 && clicks > 0)
        expect(read).toEqual({ ...expected, opens: 1, clicks: 1 })
      }
      expect(await recent(await open("Uncounted"))).toEqual(nothing)
    })

    it("count emails by what sent and received them, and list them by it", async () => {
      const account = await open("Statistics")
      const mail = mailOf(account)
      const news = { tags: { kind: "news" } }
      const { id } = await mail.send("one@first.example", news)
      await mail.settled(id, "Delivered")
      await mail.send("two@first.example", { cc: ["three@second.example"], tags: { kind: "receipt" } })
      const [message] = await mail.messagesOf(id)
      await account.manage("POST", `/inbox/${message!.id}/simulate`, { kind: "Complaint" })
      interface Counted {
        readonly at: string
        readonly key: string
        readonly emails: Counts
        readonly delivered: number
        readonly complained: number
        readonly opened: Counts
      }
      const by = async (query: string) =>
        (await account.manage<{ items: ReadonlyArray<Counted> }>("GET", `/stats?by=${query}`)).value.items
      const totals = (items: ReadonlyArray<Counted>) =>
        [...Map.groupBy(items, ({ key }) => key)]
          .map(([key, rows]) => [
            key,
            rows.reduce((total, { delivered }) => total + delivered, 0),
            rows.reduce((total, { complained }) => total + complained, 0)
          ])
          .toSorted()
      await eventually(
        async () => totals(await by("Source")),
        ([first]) => first?.[1] === 3 && first[2] === 1
      )
      expect(totals(await by("Domain&unit=Hour"))).toEqual([
        ["first.example", 2, 1],
        ["second.example", 1, 0]
      ])
      expect(totals(await by("Tag"))).toEqual([
        ["kind=news", 1, 1],
        ["kind=receipt", 2, 0]
      ])
      expect(totals(await by("Provider"))).toEqual([["other", 3, 1]])
      for (const none of ["Flow", "Campaign", "Template"]) expect(await by(none)).toEqual([])
      const tomorrow = new Date(target().now() + dayMillis).toISOString()
      expect(totals(await by(`Source&until=${encodeURIComponent(tomorrow)}`))).toEqual([["Api", 3, 1]])
      expect(await by(`Source&until=2001-01-01T00:00:00Z&since=2000-12-31T00:00:00Z`)).toEqual([])
      const [{ at, delivered: _delivered, ...rest }] = (await by("Source")) as [Counted]
      expect(at).toMatch(/T00:00:00\.000Z$/)
      expect(rest.emails).toEqual({ ...noEmails, delivered: rest.emails["delivered"] })
      expect(rest.opened).toEqual({ human: 0, unknown: 0, machine: 0 })

      interface Listed {
        readonly items: ReadonlyArray<{ readonly source: string; readonly keyId: string }>
        readonly totalCount: number
      }
      const list = async (query: string) => (await account.manage<Listed>("GET", `/emails?${query}`)).value
      const all = await list("source=Api,Smtp")
      expect(all.totalCount).toBe(2)
      const { keyId, source } = all.items[0]!
      expect([source, (await list(`keyId=${keyId}`)).totalCount]).toEqual(["Api", 2])
      expect((await list("source=Flow")).totalCount).toBe(0)
      for (const name of ["keyId", "campaignId"]) {
        expect((await list(`${name}=${account.accountId}`)).totalCount).toBe(0)
      }
    })

    it.each([
      ["by=Colour", "by"],
      ["unit=Day", "by"],
      ["since=2031-01-01T00:00:00Z", "by"],
      ["by=Tag&days=3", "days"],
      ["by=Tag&unit=Week", "unit"],
      ["by=Tag&since=yesterday", "since"],
      ["by=Tag&since=2031-01-02T00:00:00Z&until=2031-01-01T00:00:00Z", "until"],
      ["by=Tag&since=2020-01-01T00:00:00Z&until=2031-01-01T00:00:00Z", "since"],
      ["by=Tag&unit=Hour&since=2031-01-01T00:00:00Z&until=2031-02-01T00:00:00Z", "since"]
    ])("reject statistics with %s", async (query, field) => {
      const answer = await (await open("Bad statistics")).manage("GET", `/stats?${query}`)
      expect([answer.status, answer.fields]).toEqual([400, [field]])
    })

    it("count events once, existing contacts, and runs by outcome", async () => {
      const account = await open("Counted people")
      const flows = flowsOf(account)
      const [name, stop] = [uniqueName(), uniqueName()]
      const flow = await flows.start(
        name,
        [{ id: "w", kind: "WaitForEvent", name: uniqueName(), timeout: "P1D" }, emailStep("m")],
        { stopEvents: [{ name: stop }] }
      )
      const people = await Promise.all(Array.from({ length: 3 }, () => flows.person()))
      const [stays, stops, goes] = people as [
        ContactWritten["contact"],
        ContactWritten["contact"],
        ContactWritten["contact"]
      ]
      for (const { id } of people) await flows.report(name, { id })
      await flows.runsWhere(flow.id, (runs) => runs.filter(({ stepId }) => stepId === "w").length === 3)
      await flows.report(stop, { id: stops.id })
      await flows.runsWhere(flow.id, (runs) => runs.some(({ status }) => status === "Stopped"))
      const repeated = { id: uniqueName(), name: "thing.done", contact: { id: stays.id } }
      await account.api("POST", "/events", { events: [repeated, repeated] })
      await account.api("POST", "/events", { events: [repeated] })
      const counts = { ...nothing, events: 5, contacts: 3, runs: { ...noRuns, active: 2, stopped: 1 } }
      expect(await recent(account)).toEqual(counts)
      await account.api("DELETE", `/contacts/${goes.id}`)
      expect(await recently(account, ({ runs }) => runs["active"] === 1)).toEqual({
        ...counts,
        events: 4,
        contacts: 2,
        runs: { ...noRuns, active: 1, stopped: 1 }
      })
    })
  })
