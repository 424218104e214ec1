/**
 * The screens of the installation in Chromium, as operators use them.
 *
 * @module
 */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { whyNoChromium } from "../support/chromium.ts"
import { type Bench, type Look, lookAt, openAs, settled, startBench } from "../support/dashboardTests.ts"

/** What holds mail: the embedded service sends none. */
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

/** Shows the notice, and another of an operator. */
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

const looks: ReadonlyArray<Look> = [
  {
    name: "installation",
    isShown: true,
    path: "/app/installation",
    act: async (page) => {
      await page.getByText("smtps://user:***@email-smtp.eu-west-1.amazonaws.com").waitFor()
      await page.getByRole("link", { name: /Steps by provider|Schritte je Anbieter/ }).waitFor()
    }
  },
  { name: "companies", path: "/app/installation/companies" },
  { name: "queues", path: "/app/installation/queues" },
  { name: "queued-jobs", path: "/app/installation/jobs" },
  {
    name: "delivery",
    isShown: true,
    path: "/app/installation/delivery",
    act: async (page) => {
      await showNotices(page)
      await page.reload()
      await page.getByRole("row", { name: "google" }).getByRole("button").click()
      await page.getByRole("dialog").waitFor()
    }
  },
  { name: "standings", path: "/app/installation/standing" },
  { name: "database", path: "/app/installation/database" },
  { name: "logs", path: "/app/installation/logs" },
  { name: "users", path: "/app/installation/users" },
  { name: "access", path: "/app/installation/access" },
  { name: "configuration", path: "/app/installation/configuration" }
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
      await bench.manage("POST", "/tokens", { name: "Scrape", rights: ["metrics:read"], expiresInDays: 90 })
      await bench.service.settle()
    }, 240_000)

    afterAll(() => bench?.close())

    it("shows each of them without a finding of axe, in light and dark, wide and narrow, in English and German", async () => {
      const { cookie } = await bench.service.signIn()
      expect(await lookAt(bench, cookie, looks)).toEqual([])
    })

    it("opens access to the people of a company with a reason, and closes it", async () => {
      const { page, problems } = await openAs(bench)
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
      await page.getByText(/^Access to A company .* is open until/).waitFor()
      await page.goto(`/app/a/${live.accountId}/emails`)
      await page.getByText("Emails appear here as soon as one is submitted").waitFor()
      await page.goto("/app/installation/companies")
      await choose("Close access")
      await page.getByText(/is closed$/).waitFor()
      expect(problems).toEqual([])
      await page.context().close()
    })

    it("holds mail with a reason, resumes it, and gives it up by its number", async () => {
      const { page, problems } = await openAs(bench)
      await showNotices(page)
      const bodies: Array<unknown> = []
      await page.route(/\/manage\/v1\/shaping\/(?:resume|flush|bounce)$/, (route) => {
        bodies.push(route.request().postDataJSON())
        return route.fulfill({ json: { value: { resumed: 1, released: 1234, ended: 1234 }, errors: [] } })
      })
      await page.goto("/app/installation/delivery")
      await page.getByRole("button", { name: "Hold mail" }).first().click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Key of the provider").fill("google")
      await dialog.getByRole("button", { name: "Hold mail" }).click()
      await dialog.getByRole("alert").waitFor()
      await dialog.getByLabel("Reason").fill("Their postmaster asked us to")
      await dialog.getByRole("button", { name: "Hold mail" }).click()
      await page.getByText("The mail is held").waitFor()
      const open = () =>
        page
          .getByRole("row", { name: /google.*Spamhaus/ })
          .getByRole("button")
          .click()
      await open()
      await dialog.getByRole("button", { name: "Resume slowly" }).click()
      await page.getByText("It resumes, slowly at first").waitFor()
      await open()
      await dialog.getByRole("button", { name: "Give up" }).click()
      await dialog.getByText(/^1,234 emails end as failed/).waitFor()
      await dialog.getByLabel("Reason").fill("The shop is closed")
      await dialog.getByRole("button", { name: "Give up" }).click()
      await page.getByText("1,234 emails were given up").waitFor()
      expect(bodies).toEqual([
        { noticeId: notice.id },
        { provider: "google", reason: "The shop is closed", confirm: 1234 }
      ])
      await page.getByRole("button", { name: "Explain a reply" }).click()
      await dialog.getByLabel("Reply").fill("550 5.1.1 no such user")
      await dialog.getByRole("button", { name: "Explain" }).click()
      await dialog.getByText("The address does not exist, and is suppressed.").waitFor()
      expect(problems).toEqual([])
      await page.context().close()
    })

    it("invites a user, disables them and lets them in again", async () => {
      const { page, problems } = await openAs(bench)
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
      await page.getByText("grace@example.org may sign in again").waitFor()
      expect(problems).toEqual([])
      await page.context().close()
    })

    it("shows a new token once, and the configuration without its secrets", async () => {
      const { page } = await openAs(bench)
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
      // The embedded service reads no variables.
      const items = [
        { name: "SVC_SECRET_KEY", value: "set", source: "Environment", isSecret: true },
        { name: "SVC_ROLES", value: "api,worker", source: "Default", isSecret: false }
      ]
      await page.route("**/manage/v1/configuration", (route) =>
        route.fulfill({ json: { value: { items }, errors: [] } })
      )
      await page.goto("/app/installation/configuration?q=svc_secret_key")
      await page.getByRole("cell", { name: "Set, not shown" }).waitFor()
      expect(await page.getByText("SVC_ROLES").count()).toBe(0)
      await page.context().close()
    })

    it("is not there for those who are no operators", async () => {
      const { page } = await openAs(bench, { role: "Owner" })
      await page.goto("/app/installation/logs")
      await page.getByRole("heading", { name: "Page not found" }).waitFor()
      await page.goto("/app/")
      await settled(page)
      expect(await page.getByRole("link", { name: "Installation" }).count()).toBe(0)
      await page.context().close()
    })
  }
)
