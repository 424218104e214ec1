/**
 * Tests what operators see of the installation (docs/contributing/management-api.md "/nodes").
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { dateTimePattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage as manageOf, openWorkspace } from "../../support/workspace.ts"

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"

export const installationSuite = (target: () => Target) =>
  describe("the installation", () => {
    const manage = <Value>(method: string, path: string, json?: unknown) =>
      manageOf<Value>(target(), method, path, json === undefined ? {} : { json })
    interface Items {
      readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
    }

    it("lists its nodes, which report how they do", async () => {
      const { value } = await manage<Page<Record<string, unknown>>>("GET", "/nodes?state=Up&sort=-age")
      expect(value.items.length).toBeGreaterThan(0)
      expect(value.items[0]).toMatchObject({
        state: "Up",
        roles: expect.arrayContaining(["api", "worker"]),
        startedAt: expect.stringMatching(dateTimePattern),
        memoryBytes: expect.any(Number),
        eventLoopDelayMs: expect.any(Number)
      })
      expect((await manage("GET", "/nodes?state=Away")).fields).toEqual(["state"])
    })

    it("tells what a mail server's reply leads to", async () => {
      const classify = (json: unknown) =>
        manage<Readonly<Record<string, unknown>>>("POST", "/shaping/classify", json)
      const found = await classify({
        reply: "550 5.7.1 Client host [1.2.3.4] blocked using zen.spamhaus.org",
        stage: "Rcpt",
        provider: "google"
      })
      expect(found.status).toBe(200)
      expect(found.value).toEqual({
        action: "PauseSource",
        scope: "source",
        rule: "block-list",
        reason: "sending.provider_held",
        remedy: expect.any(String),
        source: expect.any(String)
      })
      const accepted = await classify({ reply: "250 2.0.0 Ok: queued", stage: "Message" })
      expect(accepted.value).toMatchObject({ action: "Accept", scope: null, reason: null })
      const nothing = { action: "Retry", scope: "server", rule: "no reply", remedy: null }
      expect((await classify({ reply: "what?", stage: "Rcpt" })).value).toMatchObject({
        ...nothing,
        reason: "sending.retrying"
      })
      expect((await classify({ reply: "what?", stage: "Message" })).value).toMatchObject({
        ...nothing,
        reason: "sending.outcome_unknown"
      })
      expect((await classify({ reply: "550 no", stage: "Rcpt", provider: "nobody" })).fields).toEqual([
        "provider"
      ])
      expect((await classify({ reply: "5".repeat(10_001), stage: "Rcpt" })).fields).toEqual(["reply"])
      expect((await classify({ reply: "550 no", stage: "Later" })).status).toBe(400)
    })

    it("holds the mail to a provider, tells what holds it, and sends or ends it", async () => {
      const suspend = (json: object) =>
        manage<Readonly<Record<string, unknown>>>("POST", "/shaping/suspend", json)
      const domain = `${crypto.randomUUID()}.example`
      const reason = "They asked us to wait."
      const made = await suspend({ domain, reason })
      expect(made.status).toBe(201)
      expect(made.value).toMatchObject({
        lane: `domain:${domain}`,
        provider: null,
        site: null,
        source: null,
        accountId: null,
        scope: "site",
        code: null,
        cause: "Operator",
        words: reason,
        state: "Open",
        held: 0,
        until: expect.stringMatching(dateTimePattern)
      })
      const explained = await manage<Readonly<Record<string, unknown>>>(
        "GET",
        `/shaping/explain?to=ada@${domain}`
      )
      expect(explained.value).toMatchObject({
        domain,
        mx: [],
        rules: { maxWidth: { value: 20, from: "Table" } },
        shared: null,
        provider: null,
        site: null,
        source: null,
        width: 2,
        pause: { until: made.value["until"], words: reason },
        warmUp: null,
        held: 0,
        tls: null,
        notices: [{ id: made.value.id }],
        lastReplies: [],
        next: made.value["until"]
      })
      const noticesOf = async (query: string) =>
        (await manage<Page<unknown>>("GET", `/shaping/notices?lane=domain:${domain}${query}`)).value.items
      for (const query of ["", "&state=Open"])
        expect(await noticesOf(query)).toMatchObject([{ id: made.value["id"] }])
      expect(await noticesOf("&state=Resolved")).toEqual([])
      const google = await suspend({ provider: "google", source: "192.0.2.7", reason })
      expect(google.value).toMatchObject({ provider: "google", site: null, source: "192.0.2.7" })
      const ofGoogle = await manage<Page<Record<string, unknown>>>(
        "GET",
        "/shaping/notices?state=Open&provider=google"
      )
      expect(ofGoogle.value.items.map(({ id }) => id)).toContain(google.value["id"])
      for (const state of ["", "&state=Open,Resolved"]) {
        const ofAny = await manage<Page<Record<string, unknown>>>(
          "GET",
          `/shaping/notices?provider=google${state}`
        )
        expect(ofAny.value.items.map(({ id }) => id)).toContain(google.value["id"])
      }
      const resumed = await manage("POST", "/shaping/resume", { noticeId: google.value["id"] })
      expect(resumed.value).toEqual({ resumed: 0 })
      const needs = { suspend: { reason }, resume: {}, flush: {}, bounce: { reason, confirm: 0 } }
      for (const [action, more] of Object.entries(needs)) {
        for (const accountId of ["1e5", "", "a\u0000"]) {
          const odd = await manage("POST", `/shaping/${action}`, { domain, accountId, ...more })
          expect([odd.status, odd.codes, odd.fields]).toEqual([400, ["validation.format"], ["accountId"]])
        }
        const missing = { domain, accountId: crypto.randomUUID(), ...more }
        const absent = await manage("POST", `/shaping/${action}`, missing)
        expect([absent.status, absent.codes, absent.fields]).toEqual([
          404,
          ["common.not_found"],
          ["accountId"]
        ])
      }
      const explainFor = (accountId: string) =>
        manage("GET", `/shaping/explain?to=${domain}&accountId=${encodeURIComponent(accountId)}`)
      expect((await explainFor(crypto.randomUUID())).fields).toEqual(["accountId"])
      expect((await explainFor("1e5")).status).toBe(400)
      const account = target().sandbox.accountId
      const upper = await suspend({ domain, reason, accountId: account.toUpperCase() })
      expect(upper.value["accountId"]).toBe(account)
      expect((await manage("POST", "/shaping/resume", { domain, accountId: account })).status).toBe(200)
      const wrong = await manage("POST", "/shaping/bounce", { domain, reason, confirm: 4 })
      expect([wrong.status, wrong.codes]).toEqual([409, ["shaping.count_changed"]])
      const ended = await manage("POST", "/shaping/bounce", { domain, reason, confirm: 0 })
      expect(ended.value).toEqual({ ended: 0 })
      const olderThan = "2020-01-01T00:00:00Z"
      const older = await manage("POST", "/shaping/bounce", { domain, reason, confirm: 0, olderThan })
      expect(older.value).toEqual({ ended: 0 })
      const soon = { domain, reason, confirm: 0, olderThan: "soon" }
      expect((await manage("POST", "/shaping/bounce", soon)).fields).toEqual(["olderThan"])
      expect((await manage("POST", "/shaping/flush", { domain })).value).toEqual({ released: 0 })
      const gone = await manage("POST", "/shaping/resume", { noticeId: made.value.id })
      expect([gone.status, gone.codes, gone.fields]).toEqual([404, ["common.not_found"], ["noticeId"]])
      for (const json of [{ reason }, { reason, domain, provider: "google" }, { reason, provider: "none" }])
        expect((await suspend(json)).codes).toEqual(["shaping.lane_invalid"])
      for (const name of ["", "a b", "a\u0000b", "a".repeat(1_000), "\ud800", "a\r\nb", "<script>"])
        for (const json of [
          { reason, domain: name },
          { reason, site: name }
        ])
          expect((await suspend(json)).codes).toEqual(["shaping.lane_invalid"])
      expect((await suspend({ domain, reason: " " })).fields).toEqual(["reason"])
      for (const [action, more] of Object.entries(needs))
        for (const odd of ["a\u0000b", "\ud800"]) {
          const { codes, fields } = await manage("POST", `/shaping/${action}`, {
            domain,
            ...more,
            reason: odd
          })
          expect([action, codes, fields]).toEqual([action, ["validation.format"], ["reason"]])
        }
      for (const until of ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "soon"])
        expect((await suspend({ domain, reason, until })).codes).toEqual(["shaping.until_invalid"])
    })

    it("shows an account what holds its mail, and of all accounts' mail only that it is held", async () => {
      const { live, sandbox } = await openWorkspace(target(), "Notices")
      const domain = `${crypto.randomUUID()}.example`
      const reason = "They asked us to wait."
      const suspend = async (accountId: string | null) =>
        (await manage<{ id: string }>("POST", "/shaping/suspend", { domain, accountId, reason })).value.id
      const [own, another, ofAll] = [
        await suspend(live.accountId),
        await suspend(sandbox.accountId),
        await suspend(null)
      ]
      const { value } = await live.manage<Page<Record<string, unknown>>>(
        "GET",
        "/notices?state=Open&limit=100"
      )
      const found = new Map(value.items.map((item) => [item["id"], item]))
      const shown = async (query: string) =>
        (await live.manage<Page<{ id: string }>>("GET", `/notices?${query}`)).value.items.map(({ id }) => id)
      for (const query of ["limit=100", "limit=100&state=Resolved,Open"]) {
        expect(await shown(query)).toContain(own)
      }
      expect(found.get(own)).toMatchObject({
        lane: `domain:${domain}`,
        words: reason,
        held: 0,
        state: "Open"
      })
      expect(found.get(ofAll)).toMatchObject({ lane: `domain:${domain}`, words: null, remedy: null })
      expect(found.has(another)).toBe(false)
      const whole = await live.manage<Page<{ id: string }>>("GET", "/notices?limit=100")
      expect(whole.value.items.map(({ id }) => id)).toEqual(expect.arrayContaining([own, ofAll]))
      for (const noticeId of [own, another, ofAll])
        expect((await manage("POST", "/shaping/resume", { noticeId })).status).toBe(200)
      const resolved = await live.manage<Page<{ id: string }>>("GET", "/notices?state=Resolved&limit=100")
      expect(resolved.value.items.map(({ id }) => id)).toContain(own)
    })

    it("shows providers and lanes with their rules, and overrides them", async () => {
      interface Rules {
        readonly key: string
        readonly rules: Readonly<Record<string, { readonly value: unknown; readonly from: string }>>
      }
      const google = async () => (await manage<Page<Rules>>("GET", "/shaping/providers?q=googl")).value.items
      expect(await google()).toMatchObject([
        { key: "google", rules: { maxWidth: { value: 5, from: "Table" }, tls: { value: "required" } } }
      ])
      const ofAll = await manage<Page<Rules>>("GET", "/shaping/providers?limit=3")
      expect(ofAll.value.items).toHaveLength(3)
      const keysOf = async (query: string) => {
        const { value } = await manage<Page<Rules>>("GET", `/shaping/providers?q=comcast${query}`)
        return value.items.map(({ key }) => key)
      }
      const states = async () => [
        await keysOf(""),
        await keysOf("&state=Active"),
        await keysOf("&state=Paused")
      ]
      const comcast = { provider: "comcast", reason: "They asked." }
      expect(await states()).toEqual([["comcast"], ["comcast"], []])
      expect(await keysOf("&state=Active,Paused")).toEqual(["comcast"])
      await manage("POST", "/shaping/suspend", comcast)
      expect(await states()).toEqual([["comcast"], [], ["comcast"]])
      await manage("POST", "/shaping/resume", { provider: "comcast" })
      expect(await states()).toEqual([["comcast"], ["comcast"], []])
      const [seen] = (await manage<Page<object>>("GET", "/shaping/providers?q=comcast")).value.items
      expect(seen).toMatchObject({ deliveredPerMinute: 0, deferredPerMinute: 0, paused: false })
      const set = (lane: string, json: object) =>
        manage<Readonly<Record<string, unknown>>>("PUT", `/shaping/overrides/${lane}`, json)
      const reason = "They asked for less."
      const made = await set("google", { maxWidth: 2, reason })
      expect([made.status, made.value]).toEqual([200, { maxWidth: 2, until: null, reason }])
      expect(await google()).toMatchObject([{ rules: { maxWidth: { value: 2, from: "Override" } } }])
      const timeouts = { openMs: 5_000, answerMs: 60_000 }
      expect((await set("google", { maxWidth: 2, timeouts, reason })).value).toMatchObject({ timeouts })
      expect(await google()).toMatchObject([{ rules: { timeouts: { value: timeouts, from: "Override" } } }])
      const lanes = await manage<Page<Record<string, unknown>>>("GET", "/shaping/lanes?provider=google")
      expect(lanes.value.items.filter(({ source }) => source === null)).toMatchObject([
        { id: "google", provider: "google", leases: [], held: 0, override: { maxWidth: 2 } }
      ])
      const every = await manage<Page<{ readonly id: string }>>("GET", "/shaping/lanes?limit=200")
      expect(every.value.items.map(({ id }) => id)).toContain("google")
      expect(
        (await manage<Page<unknown>>("GET", "/shaping/lanes?paused=true&site=ip:192.0.2.9")).value.items
      ).toEqual([])
      for (const [paused, ids] of [
        ["false", ["google"]],
        ["true,false", ["google"]],
        ["true", []]
      ] as const) {
        const path = `/shaping/lanes?provider=google&paused=${paused}`
        const shown = (await manage<Page<{ id: string; source: string | null }>>("GET", path)).value.items
        expect([paused, shown.filter(({ source }) => source === null).map(({ id }) => id)]).toEqual([
          paused,
          ids
        ])
      }
      expect((await manage("GET", "/shaping/lanes?paused=maybe")).codes).toEqual(["validation.format"])
      const fromSource = "/shaping/lanes?provider=google&source=192.0.2.77"
      expect((await manage<Page<unknown>>("GET", fromSource)).value.items).toEqual([])
      expect((await manage("DELETE", "/shaping/overrides/google")).status).toBe(200)
      expect((await manage("DELETE", "/shaping/overrides/google")).codes).toEqual(["common.not_found"])
      expect(await google()).toMatchObject([{ rules: { maxWidth: { value: 5, from: "Table" } } }])
      for (const [lane, json, fields] of [
        ["nobody", { maxWidth: 2, reason }, []],
        ["google", { reason }, ["maxWidth"]],
        ["google", { maxWidth: 0, reason }, ["maxWidth"]],
        ["google", { startWidth: 3, maxWidth: 2, reason }, ["startWidth"]],
        // Where no limit is given, the provider has the one of the table.
        ["google", { startWidth: 50, reason }, ["startWidth"]],
        ["google", { timeouts: { openMs: 99 }, reason }, ["timeouts.openMs"]],
        ["google", { timeouts: { answerMs: 3_600_001 }, reason }, ["timeouts.answerMs"]],
        ["google", { maxWidth: 2, reason: " " }, ["reason"]],
        ["google", { maxWidth: 2, reason, until: "2020-01-01T00:00:00Z" }, ["until"]],
        ["google", { maxWidth: 2, reason, until: "soon" }, ["until"]]
      ] as const) {
        const wrong = await set(lane, json)
        expect([json, wrong.status, wrong.fields.filter((field) => field !== null)]).toEqual([
          json,
          400,
          fields
        ])
      }
      for (const wrong of ["nobody", "mimecast:", "google:192.0.2.1", "ip:mx.example"])
        expect((await set(wrong, { maxWidth: 2, reason })).codes).toEqual(["shaping.lane_invalid"])
      // A site is named by its sorted addresses, even at a provider whose sites have their own limits.
      const lanesAt = async (site: string) =>
        (await manage<Page<object>>("GET", `/shaping/lanes?site=${encodeURIComponent(site)}`)).value.items
      for (const [given, site, provider] of [
        ["ip:192.0.2.9+192.0.2.10", "ip:192.0.2.10+192.0.2.9", null],
        ["mimecast:192.0.2.9+192.0.2.10+192.0.2.9", "mimecast:192.0.2.10+192.0.2.9", "mimecast"]
      ] as const) {
        const named = encodeURIComponent(given)
        expect((await set(named, { maxWidth: 2, reason })).value).toMatchObject({ maxWidth: 2 })
        expect(await lanesAt(site)).toMatchObject([{ id: site, site, provider, override: { maxWidth: 2 } }])
        const { value } = await manage<{ id: string }>("POST", "/shaping/suspend", { site: given, reason })
        expect(value).toMatchObject({ lane: site, site, provider })
        expect((await manage("POST", "/shaping/resume", { noticeId: value.id })).status).toBe(200)
        expect((await manage("DELETE", `/shaping/overrides/${named}`)).status).toBe(200)
      }
    })

    it("lists the jobs of its queues, by queue, account and state", async () => {
      const all = await manage<Page<Record<string, unknown>>>("GET", "/jobs?limit=5")
      expect(all.status).toBe(200)
      for (const job of all.value.items) expect(job).not.toHaveProperty("payload")
      const none = await manage<Page<unknown>>(
        "GET",
        `/jobs?account=${unknown}&queue=events,runs&state=Buried`
      )
      expect(none.value).toMatchObject({ items: [], totalCount: 0 })
      expect((await manage("GET", "/jobs?queue=nothing")).fields).toEqual(["queue"])
      const queues = await manage<{ queues: ReadonlyArray<{ queue: string }> }>("GET", "/queues")
      expect(queues.value.queues.map(({ queue }) => queue)).toContain("deliveries")
      for (const [method, path] of [
        ["POST", `/jobs/${unknown}/retry`],
        ["DELETE", `/jobs/${unknown}`],
        ["DELETE", "/jobs/x"]
      ] as const) {
        expect([path, (await manage(method, path)).codes]).toEqual([path, ["common.not_found"]])
      }
    })

    it("shows its database, certificates, backups, log, alerts and configuration, without secrets", async () => {
      const database = await manage<{ engine: string; tables: ReadonlyArray<object> }>("GET", "/database")
      expect(database.status).toBe(200)
      expect(database.value.tables.length > 0).toBe(database.value.engine !== "Memory")
      const alerts = await manage<Items>("GET", "/alerts")
      expect(alerts.value.items).toHaveLength(13)
      expect(alerts.value.items).toContainEqual(
        expect.objectContaining({ name: "SvcJobsBuried", runbook: "deploy/RUNBOOK.md#svcjobsburied" })
      )
      expect((await manage("GET", "/backups")).value).toMatchObject({ isWatched: false, lastAt: null })
      for (const path of ["/certificates", "/logs?level=Warn,Error", "/configuration"]) {
        const answer = await manage<Items>("GET", path)
        expect([path, answer.status, Array.isArray(answer.value.items)]).toEqual([path, 200, true])
        expect(answer.text).not.toContain(target().managementToken)
      }
    })

    it("moves its clock and does what falls due, where everything is in memory", async () => {
      const { value } = await manage<{ engine: string }>("GET", "/database")
      const advance = (by: string) => manage<{ now: string }>("POST", "/clock/advance", { by })
      if (value.engine !== "Memory") {
        expect((await advance("PT1S")).codes).toEqual(["common.not_found"])
        return
      }
      for (const by of ["", "P", "1D", "-P1D", "P400D"]) {
        expect([by, (await advance(by)).codes]).toEqual([by, ["automation.duration_invalid"]])
      }
      const before = target().now()
      const moved = Date.parse((await advance("PT2M")).value.now)
      expect(moved - before).toBeGreaterThanOrEqual(120_000)
    })
  })
