/**
 * Tests the screens of the installation in Chromium, as operators use them.
 *
 * @module
 */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { whyNoChromium } from "../support/chromium.ts"
import {
  type Bench,
  type Look,
  failingEntries,
  failingReads,
  heldRefusal,
  lookAt,
  openAs,
  settled,
  startBench
} from "../support/dashboardTests.ts"

/** A notice of held mail; the embedded service sends no mail. */
const notice = {
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  lane: "google",
  accountId: null,
  domain: null,
  cause: "Reply",
  action: "PauseSource",
  rule: "reputation.spamhaus",
  words: "550 5.7.1 Service unavailable; client host blocked using Spamhaus",
  remedy: "Ask the list to remove the address, and find out why it was listed.",
  help: "https://support.google.com/mail/answer/81126",
  since: "2026-11-23T08:00:00Z",
  until: "2026-11-23T10:00:00Z",
  resolvedAt: null,
  held: 1234,
  state: "Open"
}

/** The route of mail to an address; the embedded service looks up no mail servers. */
const explained = {
  lane: "google",
  provider: "google",
  mx: [{ host: "gmail-smtp-in.l.google.com", preference: 5, addresses: ["192.0.2.1"] }],
  width: 5,
  shared: { inUse: 2 },
  tls: { kind: "Required", policy: null },
  sources: [{ address: "203.0.113.11", pool: "default", state: "Warming" }],
  notices: [notice],
  lastReplies: [{ at: notice.since, words: notice.words, action: notice.action, rule: notice.rule }],
  next: notice.until
}

/** Responds with the notice, and with one that an operator created. */
const showNotices = async (page: Page): Promise<void> => {
  await page.route(/\/manage\/v1\/shaping\/notices\?/, (route) => {
    const items = [
      notice,
      {
        ...notice,
        id: "2",
        lane: "domain:slow.example",
        cause: "Operator",
        words: "They asked us to.",
        held: 0
      }
    ]
    const value = { items, page: 1, pageSize: 50, next: null, totalCount: 2, totalIsExact: true }
    return route.fulfill({ json: { value, errors: [] } })
  })
}

/** The id of a node. */
const nodeId = "4e3fbff8-331e-4cd5-938c-31367b3d80ba"

/** A lane, the limits of mail to one receiver from one source; the embedded service sends no mail and has none. */
const lane = {
  id: "google@203.0.113.11",
  provider: "google",
  site: null,
  source: "203.0.113.11",
  width: 5,
  inUse: 3,
  leases: [
    { node: nodeId, places: 2, expiresAt: "2026-11-23T08:00:15Z" },
    { node: "mail-2", places: 1, expiresAt: "2026-11-23T08:00:15Z" }
  ],
  rate: 6,
  pausedUntil: "2026-11-23T10:00:00Z",
  strikes: 2,
  learnedAt: "2026-11-23T08:00:00Z",
  held: 1234,
  oldest: "2026-11-23T07:00:00Z",
  override: null
}

const showLanes = async (page: Page): Promise<void> => {
  await page.route(/\/manage\/v1\/nodes\?/, (route) =>
    route.fulfill({ json: { value: { items: [{ id: nodeId, host: "mail-1.vienna" }] }, errors: [] } })
  )
  await page.route(/\/manage\/v1\/shaping\/lanes\?/, (route) => {
    const site = "ip:192.0.2.10+198.51.100.7"
    const other = { ...lane, id: site, site, provider: null, source: null, leases: [], inUse: 0, held: 0 }
    const items = [lane, { ...other, rate: null, pausedUntil: null, strikes: 0, oldest: null }]
    const value = { items, page: 1, pageSize: 50, next: null, totalCount: 2, totalIsExact: true }
    return route.fulfill({ json: { value, errors: [] } })
  })
}

/** Responds with sources that are ready: their addresses are on a machine, and their PTR records are confirmed. */
const showReady = async (page: Page): Promise<void> => {
  const ready = (source: { readonly warmUp: object | null; readonly name: string | null }) => ({
    ...source,
    state: source.warmUp === null ? "Active" : "Warming",
    reason: null,
    hosts: ["mail-1"],
    ptr: { wanted: source.name, names: [source.name], confirmed: true, checkedAt: "2026-11-23T08:00:00Z" }
  })
  await page.route(/\/manage\/v1\/sources(?:\?|\/[0-9a-f-]{36}$)/, async (route) => {
    const answer = (await (await route.fetch()).json()) as {
      value: { items?: Array<Parameters<typeof ready>[0]> } & Parameters<typeof ready>[0]
    }
    const { value } = answer
    const shown = value.items === undefined ? ready(value) : { ...value, items: value.items.map(ready) }
    await route.fulfill({ json: { ...answer, value: shown } })
  })
}

/** Responds with a configuration; the embedded service reads no environment variables. */
const showConfiguration = async (page: Page): Promise<void> => {
  const items = [
    { name: "SVC_BASE_URL", value: "https://mail.example", source: "Environment", isSecret: false },
    { name: "SVC_SECRET_KEY", value: "set", source: "Environment", isSecret: true },
    { name: "SVC_ROLES", value: "api,worker", source: "Default", isSecret: false }
  ]
  await page.route("**/manage/v1/configuration", (route) =>
    route.fulfill({ json: { value: { items }, errors: [] } })
  )
}

/** Responds with the log of a node; the embedded service logs nothing. */
const showLogs = async (page: Page): Promise<void> => {
  const line = (level: string, message: string, fields: object) => ({
    at: "2026-11-23T08:00:00Z",
    level,
    message,
    fields
  })
  const items = [
    line("Warn", "mail is held", {
      lane: "google",
      rule: "reputation.spamhaus",
      until: "2026-11-23T10:00:00Z"
    }),
    line("Info", "warm-up of a source goes on", { source: "203.0.113.11", from: "9", day: "10" }),
    line("Error", "a store did not answer", { code: "storage.unavailable", attempt: "2" })
  ]
  await page.route(/\/manage\/v1\/logs(?:\?|$)/, (route) =>
    route.fulfill({ json: { value: { items }, errors: [] } })
  )
}

/** Opens the source that is warming up. */
const openWarming = async (page: Page): Promise<void> => {
  await page.getByRole("link", { name: "203.0.113.11" }).click()
  await page.getByRole("heading", { name: /a day to each group|am Tag an jede Gruppe/ }).waitFor()
  await settled(page)
}

const looks: ReadonlyArray<Look> = [
  {
    name: "installation",
    isShown: true,
    path: "/app/installation",
    act: async (page) => {
      await page.getByText("smtps://user:***@email-smtp.eu-west-1.amazonaws.com").waitFor()
      await page.getByRole("link", { name: /Guides by provider|Schritte je Anbieter/ }).waitFor()
      await page.getByText(/^(?:No backup is monitored|Keine Sicherung wird überwacht)/).waitFor()
      const links = page.getByRole("link", { name: "Runbook" })
      expect(await links.first().getAttribute("href")).toMatch(/^\/docs\/runbook#svc[a-z]+$/)
    }
  },
  { name: "companies", isShown: true, path: "/app/installation/companies" },
  { name: "queues", isShown: true, path: "/app/installation/queues" },
  { name: "queued-jobs", isShown: true, path: "/app/installation/jobs" },
  {
    name: "delivery",
    isShown: true,
    path: "/app/installation/delivery",
    prepare: showNotices,
    act: async (page) => {
      await page.getByRole("row", { name: "google" }).getByRole("button").click()
      await page.getByRole("dialog").waitFor()
    }
  },
  {
    name: "providers",
    isShown: true,
    path: "/app/installation/providers",
    act: (page) => page.getByText("Google", { exact: true }).first().waitFor()
  },
  {
    name: "provider-limits",
    path: "/app/installation/providers?q=google",
    act: async (page) => {
      await page.getByRole("row", { name: "google" }).getByRole("button").last().click()
      await page.getByRole("dialog").waitFor()
    }
  },
  {
    name: "lanes",
    isShown: true,
    path: "/app/installation/lanes",
    prepare: showLanes,
    act: (page) => page.getByRole("row", { name: "google" }).waitFor()
  },
  {
    name: "lane",
    path: "/app/installation/lanes",
    act: async (page) => {
      await page.getByRole("row", { name: "google" }).getByRole("button").click()
      await page.getByRole("dialog").waitFor()
    }
  },
  {
    name: "sources",
    isShown: true,
    path: "/app/installation/sources",
    prepare: showReady,
    act: (page) => page.getByRole("link", { name: "203.0.113.12" }).waitFor()
  },
  { name: "source", isShown: true, path: "/app/installation/sources", act: openWarming },
  {
    name: "source-warm-up",
    path: "/app/installation/sources",
    act: async (page) => {
      await openWarming(page)
      await page.getByRole("button", { name: /Change warm-up day|Plan verschieben/ }).click()
      await page.getByRole("dialog").waitFor()
    }
  },
  { name: "standings", isShown: true, path: "/app/installation/standing" },
  { name: "database", isShown: true, path: "/app/installation/database" },
  {
    name: "logs",
    isShown: true,
    path: "/app/installation/logs",
    prepare: showLogs,
    act: (page) => page.getByText("mail is held").waitFor()
  },
  { name: "users", isShown: true, path: "/app/installation/users" },
  { name: "access", isShown: true, path: "/app/installation/access" },
  { name: "installation-audit-log", isShown: true, path: "/app/installation/audit-log" },
  {
    name: "configuration",
    isShown: true,
    path: "/app/installation/configuration",
    prepare: showConfiguration,
    act: (page) => page.getByText("SVC_SECRET_KEY").waitFor()
  }
]

describe.skipIf(whyNoChromium !== null)(
  "the dashboard's screens of the installation",
  { timeout: 240_000 },
  () => {
    let bench: Bench

    beforeAll(async () => {
      bench = await startBench()
      await bench.send("person@example.org", "Your order is on its way")
      await bench.manage("POST", "/companies", {
        name: `A company with a long name ${"🎉 مرحبا ".repeat(5)}`
      })
      await bench.manage("POST", "/relays", {
        name: "Amazon SES",
        kind: "AmazonSes",
        url: "smtps://user:password@email-smtp.eu-west-1.amazonaws.com"
      })
      await bench.manage("POST", "/pools", { key: "news", name: "Newsletters", overflow: "default" })
      const add = (at: number, pool: string) =>
        bench.manage<{ id: string }>("POST", "/sources", {
          address: `203.0.113.${at}`,
          name: `out${at}.mail.example`,
          pool
        })
      const warmed = await add(11, "default")
      await bench.manage("POST", `/sources/${warmed.id}/warm-up`, { day: 10 })
      await add(12, "news")
      await bench.manage("POST", "/tokens", { name: "Scrape", rights: ["metrics:read"], expiresInDays: 90 })
      await bench.service.settle()
    }, 240_000)

    afterAll(() => bench?.close())

    it("shows each of them without a finding of axe, in light and dark, wide and narrow, in English and German", async () => {
      const { cookie } = await bench.service.signIn()
      expect(await lookAt(bench, cookie, looks)).toEqual([])
    })

    it("says of each read of each of them that fails that it failed, waits for slow ones, and asks to sign in again", async () => {
      const { close, page, problems } = await openAs(bench)
      const paths = [...new Set(looks.map(({ path }) => path))]
      expect([await failingReads(page, paths), problems]).toEqual([[], []])
      const { items } = await bench.manage<{ items: ReadonlyArray<{ id: string }> }>("GET", "/sources")
      const sources = ["/app/installation/sources", `/app/installation/sources/${items[0]!.id}`]
      expect([await failingEntries(page, sources), problems]).toEqual([[], []])
      await close()
    })

    it("asks to sign in again in the middle of an edit, and loses nothing", async () => {
      const { close, page, problems } = await openAs(bench)
      const { cookie } = await bench.service.signIn()
      await page.goto("/app/installation/companies")
      await page.getByRole("button", { name: "Create a company" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill("Not lost")
      await page.context().clearCookies()
      await page.keyboard.press("Enter")
      await dialog.getByLabel("Password").fill("correct horse battery staple 9")
      await page.route("**/session/password", async (route) => {
        const [name = "", value = ""] = cookie.split("=")
        await page.context().addCookies([{ name, value, url: bench.service.baseUrl, httpOnly: true }])
        await route.fulfill({ json: { value: { needs: null }, errors: [] } })
      })
      await page.keyboard.press("Enter")
      await page.getByText("Not lost was created").waitFor()
      await page.getByPlaceholder("Name").fill("not l")
      await page.getByRole("link", { name: "Not lost" }).waitFor()
      await expect.poll(() => page.locator("[data-row]").count()).toBe(1)
      expect(problems).toEqual([])
      await close()
    })

    it("opens access to the people of a company with a reason, and closes it", async () => {
      const { close, page, problems } = await openAs(bench)
      const { live } = (
        await bench.manage<{ items: ReadonlyArray<{ name: string; live: { accountId: string } }> }>(
          "GET",
          "/companies"
        )
      ).items.find(({ name }) => name.startsWith("A company"))!
      await page.goto(`/app/a/${live.accountId}/emails`)
      await page.getByRole("link", { name: "Open access" }).click()
      const row = page.getByRole("row", { name: "A company" })
      const choose = async (item: string): Promise<void> => {
        await row.getByRole("button").click()
        await page.getByRole("menuitem", { name: item }).click()
      }
      await choose("Open access")
      await page.getByRole("button", { name: "Open access" }).click()
      await page.getByRole("alert").waitFor()
      await page.getByLabel("Reason").fill("Ticket 4711")
      await page.getByRole("button", { name: "Open access" }).click()
      // The name is wrapped in directional isolates, because it may mix directions.
      await page.getByText(/^Access to \u{2068}?A company .* is open until/u).waitFor()
      await page.goto(`/app/a/${live.accountId}/emails`)
      await page.getByText("Emails appear here as soon as they are submitted").waitFor()
      await page.goto("/app/installation/audit-log?action=account")
      await page.getByRole("row", { name: "A company" }).first().waitFor()
      await page.getByRole("button", { name: "More filters" }).click()
      await page.getByLabel("Network").fill("192.0.2.99")
      await page.getByRole("button", { name: "Apply" }).click()
      await page.getByText("No results match these filters").waitFor()
      expect(new URL(page.url()).search).toBe("?action=account&network=192.0.2.99")
      await page.goto("/app/installation/companies")
      await choose("Close access")
      await page.getByText(/is closed$/).waitFor()
      expect(problems).toEqual([])
      await close()
    })

    it("holds mail with a reason, resumes it, and gives it up by its number", async () => {
      const { close, page, problems } = await openAs(bench)
      await showNotices(page)
      const bodies: Array<unknown> = []
      await page.route(/\/manage\/v1\/shaping\/(?:resume|flush|bounce)$/, (route) => {
        bodies.push(route.request().postDataJSON())
        return route.fulfill({ json: { value: { resumed: 1, released: 1234, ended: 1234 }, errors: [] } })
      })
      await page.goto("/app/installation/delivery")
      await page.getByRole("button", { name: "Hold mail" }).first().click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Provider").selectOption("google")
      await dialog.getByRole("button", { name: "Hold mail" }).click()
      await dialog.getByRole("alert").waitFor()
      await dialog.getByLabel("Reason").fill("Their postmaster asked us to")
      await dialog.getByRole("button", { name: "Hold mail" }).click()
      await page.getByText("The mail is held").waitFor()
      const open = () =>
        page
          .getByRole("row", { name: /Google.*Spamhaus/ })
          .getByRole("button")
          .click()
      await open()
      await dialog.getByRole("button", { name: "Resume slowly" }).click()
      await page.getByText("Mail resumes, slowly at first").waitFor()
      await open()
      await dialog.getByRole("button", { name: "Give up" }).click()
      await dialog.getByText(/^1,234 emails fail and are never sent/).waitFor()
      await dialog.getByLabel("Reason").fill("The shop is closed")
      await dialog.getByRole("button", { name: "Give up" }).click()
      await page.getByText("1,234 emails were given up").waitFor()
      expect(bodies).toEqual([
        { noticeId: notice.id },
        { provider: "google", reason: "The shop is closed", confirm: 1234 }
      ])
      await page.route(/\/shaping\/explain\?/, (route) =>
        route.fulfill({ json: { value: explained, errors: [] } })
      )
      await page.getByRole("button", { name: "Explain an address" }).click()
      await dialog.getByLabel("Address or domain").fill("ada@gmail.com")
      await page.keyboard.press("Enter")
      for (const shown of ["gmail-smtp-in.l.google.com", "2 of 5", "203.0.113.11 (Warming up)", "Required"])
        await dialog.getByText(shown, { exact: true }).waitFor()
      await dialog.getByText(notice.words).first().waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "Explain a reply" }).click()
      await dialog.getByLabel("Reply").fill("550 5.1.1 no such user")
      await dialog.getByRole("button", { name: "Explain" }).click()
      await dialog.getByText("The address does not exist, and is suppressed.").waitFor()
      expect(problems).toEqual([])
      await close()
    })

    it("adds an address, warms it up, pauses it with Undo, and removes it, which says its numbers", async () => {
      const { close, page, problems } = await openAs(bench)
      await page.goto("/app/installation/sources")
      const dialog = page.getByRole("dialog")
      await page.getByRole("button", { name: "Add an address" }).click()
      await dialog.getByLabel("Address", { exact: true }).fill("no address")
      await dialog.getByRole("button", { name: "Add an address" }).click()
      await dialog.getByRole("alert").waitFor()
      await dialog.getByLabel("Address", { exact: true }).fill("203.0.113.13")
      await page.keyboard.press("Enter")
      await page.getByText("203.0.113.13 was added").waitFor()
      await page.getByRole("link", { name: "203.0.113.13" }).click()
      await page.getByText(/^Not sending: /).waitFor()

      await page.getByRole("button", { name: "Start warm-up" }).click()
      await dialog.getByLabel("Starting day").fill("46")
      await dialog.getByRole("button", { name: "Start warm-up" }).click()
      await dialog.getByText("Enter a day from 1 to 45.").waitFor()
      await dialog.getByLabel("Starting day").fill("10")
      await dialog
        .getByText(/^Today it sends at most 4,000 emails to each of 5 provider groups, 20,000 in total\./)
        .waitFor()
      await dialog.getByRole("button", { name: "Start warm-up" }).click()
      await page.getByText("Day 10 of 45").waitFor()
      await page.getByText("0 of 20,000").waitFor()

      // The change is shown before the service responds, and reverted if it refuses.
      const refusal = await heldRefusal(page, /\/sources\/[^/]+\/pause$/)
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("Paused", { exact: true }).waitFor()
      refusal.give()
      await page.getByText("Not now.").waitFor()
      await page.getByText(/^Not sending: /).waitFor()
      await refusal.end()
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("203.0.113.13 is paused; no other address of its pool can send").waitFor()
      await page.getByRole("button", { name: "Undo" }).click()
      await page.getByRole("button", { name: "Pause" }).waitFor()
      await page.getByRole("button", { name: "Check PTR" }).click()
      await page.getByText("The PTR record is not confirmed").waitFor()
      await page.getByRole("button", { name: "End warm-up" }).click()
      await dialog.getByText("It is on day 10 of 45, with at most 20,000 emails today.").waitFor()
      await dialog.getByRole("button", { name: "End warm-up" }).click()
      await page.getByText("None: no limit.").waitFor()

      await page.getByRole("button", { name: "Change", exact: true }).click()
      await dialog.getByLabel("Pool").selectOption("news")
      await dialog.getByRole("button", { name: "Save" }).click()
      await page.getByText("203.0.113.13 was changed").waitFor()
      await page.getByRole("button", { name: "Remove" }).click()
      await dialog.getByText(/^It sent 0 emails today\. No other address of the pool news /).waitFor()
      await dialog.getByRole("button", { name: "Remove" }).click()
      await page.getByText("203.0.113.13 was removed").waitFor()
      await page.getByRole("link", { name: "203.0.113.11" }).waitFor()
      expect(await page.getByRole("link", { name: "203.0.113.13" }).count()).toBe(0)
      // The service rejected the invalid address with 400, as the first attempt intended.
      expect(problems.filter((problem) => !problem.includes("400"))).toEqual([])
      await close()
    })

    it("adds a pool, which an account's mail then leaves from, and keeps one that is used", async () => {
      const { close, page, problems } = await openAs(bench)
      await page.goto("/app/installation/sources")
      const dialog = page.getByRole("dialog")
      await page.getByRole("button", { name: "Add a pool" }).click()
      await dialog.getByLabel("Name").fill("Night mail")
      expect(await dialog.getByLabel("Key").inputValue()).toBe("night-mail")
      await dialog.getByLabel("Overflow").selectOption("default")
      await dialog.getByRole("button", { name: "Add a pool" }).click()
      await page.getByText("The pool Night mail was added").waitFor()
      await page.getByText(/^0 addresses · overflows into /).waitFor()

      const { items } = await bench.manage<{ items: ReadonlyArray<{ live: { accountId: string } }> }>(
        "GET",
        "/companies"
      )
      const { accountId } = items[0]!.live
      await bench.manage("POST", "/shaping/suspend", {
        domain: "slow.example",
        accountId,
        reason: "Asked to"
      })
      await page.goto(`/app/a/${accountId}/domains/standing`)
      await page.getByText("Recipients at slow.example").waitFor()
      await page.getByRole("button", { name: "Change pools" }).click()
      await dialog.getByLabel("Marketing").selectOption("night-mail")
      await dialog.getByRole("button", { name: "Save" }).click()
      await page.getByText("The pools were changed").waitFor()
      await page.getByText("night-mail", { exact: true }).waitFor()

      await page.goto("/app/installation/sources")
      await page.getByRole("button", { name: "Remove: Night mail" }).click()
      await dialog.getByText(/^It has 0 addresses\./).waitFor()
      // The pool disappears before the service responds, and reappears if the service refuses.
      let answer = (): void => undefined
      const answered = new Promise<void>((done) => (answer = done))
      await page.route(/\/pools\/night-mail$/, async (route) => {
        await answered
        await route.continue()
      })
      await dialog.getByRole("button", { name: "Remove" }).click()
      await page.getByText("Night mail", { exact: true }).waitFor({ state: "detached" })
      answer()
      await page
        .getByText(/in use|uses? it|still/i)
        .first()
        .waitFor()
      await page.getByText("Night mail", { exact: true }).waitFor()
      // The service rejected the removal with 409.
      expect(problems.filter((problem) => !problem.includes("409"))).toEqual([])
      await close()
    })

    it("sets the limits of a provider, and returns to those of the table", async () => {
      const { close, page, problems } = await openAs(bench)
      await page.goto("/app/installation/providers?q=google")
      const row = page.getByRole("row", { name: "google" })
      const dialog = page.getByRole("dialog")
      await row.getByRole("button", { name: "Limits" }).click()
      await dialog.getByRole("button", { name: "Set limits" }).click()
      await dialog.getByText("Enter at least one limit.").waitFor()
      await dialog.getByLabel("Maximum connections").fill("0")
      await dialog.getByText("Enter a whole number from 1 to 10,000.").waitFor()
      await dialog.getByLabel("Maximum connections").fill("2")
      await dialog.getByLabel("Reason").fill("They asked us to")
      await dialog.getByRole("button", { name: "Set limits" }).click()
      await page.getByText("Limits of Google were set").waitFor()
      await row.getByTitle("Operator").getByText("2", { exact: true }).waitFor()
      await row.getByRole("button", { name: "Limits" }).click()
      await dialog.getByRole("row", { name: "Maximum connections 2 Operator" }).waitFor()
      await dialog.getByRole("button", { name: "Use table defaults" }).click()
      await page.getByText("Google uses the table's limits again").waitFor()
      await row.getByTitle("Operator").waitFor({ state: "detached" })
      expect(problems).toEqual([])
      await close()
    })

    it("shows a lane with its connections by node", async () => {
      const { close, page } = await openAs(bench)
      await showLanes(page)
      await page.goto("/app/installation/lanes")
      await page
        .getByRole("row", { name: /Google.*203\.0\.113\.11.*3 of 5/ })
        .getByRole("button", { name: "Show" })
        .click()
      const dialog = page.getByRole("dialog")
      await dialog.getByRole("row", { name: /^mail-1\.vienna \(4e3fbff8\) 2/ }).waitFor()
      await dialog.getByText("2 failed connections since it last accepted an email").waitFor()
      await dialog.getByRole("button", { name: "Set limits" }).click()
      await dialog.getByRole("heading", { name: "Limits of google" }).waitFor()
      await close()
    })

    it("invites a user, disables them and lets them in again", async () => {
      const { close, page, problems } = await openAs(bench)
      await page.goto("/app/installation/users")
      await page.getByRole("button", { name: "Invite a person" }).first().click()
      await page.getByLabel("Email address").fill("grace@example.org")
      await page.getByRole("button", { name: "Invite", exact: true }).click()
      const link = (await page.getByRole("dialog").locator("pre").textContent()) ?? ""
      await page.getByRole("button", { name: "Done" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      expect(await page.content()).not.toContain(link)
      const row = page.getByRole("row", { name: "grace@example.org" })
      await row.getByRole("button").click()
      await page.getByRole("menuitem", { name: "Disable" }).click()
      await page.getByRole("button", { name: "Disable" }).click()
      await page.getByText("grace@example.org is disabled").waitFor()
      await row.getByRole("button").click()
      await page.getByRole("menuitem", { name: "Enable" }).click()
      await page.getByText("grace@example.org can sign in again").waitFor()
      expect(problems).toEqual([])
      await close()
    })

    it("shows a new token once, and the configuration without its secrets", async () => {
      const { close, page } = await openAs(bench)
      await page.goto("/app/installation/access")
      await page.getByRole("button", { name: "Create a token" }).click()
      await page.getByLabel("Name").fill("Terraform")
      await page.getByRole("checkbox", { name: "installation:read" }).check()
      await page.keyboard.press("Enter")
      const secret = (await page.getByRole("dialog").locator("pre").textContent()) ?? ""
      expect(secret).not.toBe("")
      await page.getByRole("button", { name: "Done" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      expect(await page.content()).not.toContain(secret)
      await showConfiguration(page)
      await page.goto("/app/installation/configuration?q=svc_secret_key")
      await page.getByRole("cell", { name: "Set (hidden)" }).waitFor()
      expect(await page.getByText("SVC_ROLES").count()).toBe(0)
      await close()
    })

    it("is not there for those who are no operators", async () => {
      const { close, page } = await openAs(bench, { role: "Owner" })
      await page.goto("/app/installation/logs")
      await page.getByRole("heading", { name: "Page not found" }).waitFor()
      await page.goto("/app/")
      await settled(page)
      expect(await page.getByRole("link", { name: "Installation" }).count()).toBe(0)
      await close()
    })
  }
)
