/**
 * Tests signing in, the frame and the first screens of the dashboard in Chromium, with the real service behind them.
 *
 * @module
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPage, whyNoChromium } from "../support/chromium.ts"
import { type Bench, heldRefusal, lookAt, openAs, settled, startBench } from "../support/dashboardTests.ts"

if (whyNoChromium !== null) process.stdout.write(`The dashboard's tests are skipped: ${whyNoChromium}\n`)

const password = "correct horse battery staple 9"

/** The content security policy of every file (section 1 of the dashboard's specification). */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
  "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const dist = fileURLToPath(new URL("../../dashboard/dist/", import.meta.url))

/** The size of a file as transferred, in bytes. */
const sentBytes = (file: string): number => {
  const path = join(dist, file)
  return statSync(
    readdirSync(join(path, "..")).includes(`${file.split("/").at(-1)}.gz`) ? `${path}.gz` : path
  ).size
}

describe.skipIf(whyNoChromium !== null)("the dashboard", { timeout: 240_000 }, () => {
  let bench: Bench
  let home: string
  let emails: string

  beforeAll(async () => {
    bench = await startBench()
    const { sandbox } = bench.service
    home = `/app/a/${sandbox.accountId}`
    emails = `${home}/emails`
    const long = `${"a".repeat(60)}@${"b".repeat(60)}.example`
    await bench.send(long, `${"A very long subject ".repeat(9)}مرحبا 🎉`)
    for (let at = 0; at < 60; at += 1)
      await bench.send(`person-${at}@example.org`, `Your order ${at} is on its way`)
    for (const kind of ["Bounced", "Complained", "Protected"]) {
      await bench.manage("POST", `/accounts/${sandbox.accountId}/suppressions`, {
        email: `${kind.toLowerCase()}@example.org`,
        kind
      })
    }
    await bench.service.settle()
  }, 240_000)

  afterAll(() => bench?.close())

  it("signs a new member in by a set-up link, out, and in by password", async () => {
    const { items } = await bench.manage<{ items: ReadonlyArray<{ id: string }> }>("GET", "/companies")
    const { link } = await bench.manage<{ link: string }>("POST", `/companies/${items[0]!.id}/members`, {
      email: "ada@example.org",
      role: "Admin"
    })
    const { close, page, problems } = await openPage(bench.browser, bench.service.baseUrl, null)
    await page.goto(link)
    await page.getByLabel("Your name").fill("Ada Lovelace")
    await page.getByLabel("Password").fill("password1234")
    await page.getByRole("button", { name: "Continue" }).click()
    // A password that is too weak does not use the link up.
    await page.getByRole("alert").waitFor()
    expect(page.url()).not.toContain("#")
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByRole("heading", { name: "Home" }).waitFor()
    // The live account sends nothing before it has a domain.
    await page.getByRole("link", { name: "Try it in the sandbox" }).click()
    await page.getByText("Sandbox: no mail leaves the service.").waitFor()

    await page.getByRole("button", { name: /Ada Lovelace/ }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.goto(emails)
    await page.getByLabel("Email address").fill("ada@example.org")
    await page.getByLabel("Password").fill("not the password")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Address, password or code is wrong.").waitFor()
    await page.getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    // The user returns to the page that needed the sign-in.
    await page.getByRole("heading", { name: "Emails" }).waitFor()
    expect(new URL(page.url()).pathname).toBe(emails)
    await page.goto(link)
    await page.getByRole("heading", { name: "This link is no longer valid" }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("shows each screen without a finding of axe, in light and dark, wide and narrow, in English and German", async () => {
    const { cookie } = await bench.service.signIn({ role: "Admin" })
    expect(
      await lookAt(bench, null, [
        { name: "sign-in", isShown: true, path: "/app/sign-in" },
        { name: "reset", path: "/app/reset-password" },
        { name: "link", path: "/app/welcome" }
      ])
    ).toEqual([])
    expect(
      await lookAt(bench, cookie, [
        { name: "home", isShown: true, path: home },
        { name: "emails", isShown: true, path: emails },
        { name: "emails-long", path: `${emails}?q=aaaa` },
        { name: "emails-none", path: `${emails}?status=Bounced` },
        {
          name: "email",
          isShown: true,
          path: emails,
          act: async (page) => {
            await page.locator("[data-row-focus]").nth(1).click()
            await page.locator("dl").first().waitFor()
          }
        },
        { name: "suppressions", isShown: true, path: `${home}/suppressions` },
        { name: "profile", isShown: true, path: "/app/profile" },
        { name: "profile-security", isShown: true, path: "/app/profile?tab=security" },
        { name: "profile-sessions", isShown: true, path: "/app/profile?tab=sessions" },
        { name: "profile-tokens", isShown: true, path: "/app/profile?tab=tokens" },
        { name: "device", isShown: true, path: "/app/device" },
        { name: "lost", path: `${home}/nothing` },
        {
          name: "palette",
          isShown: true,
          path: emails,
          act: async (page) => {
            await page.keyboard.press("Control+k")
            await page.getByRole("combobox").waitFor()
          }
        },
        {
          name: "shortcuts",
          path: emails,
          act: async (page) => {
            await page.keyboard.press("?")
            await page.getByRole("dialog").waitFor()
          }
        }
      ])
    ).toEqual([])
  })

  it("is used by the keyboard alone", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    await page.goto(home)
    await settled(page)
    // A screen is read as soon as the user points at a link to it, and not again when it is shown.
    const reads: Array<string> = []
    page.on("request", (request) => {
      if (request.url().endsWith("/emails?limit=50")) reads.push(request.url())
    })
    await page.getByRole("link", { name: "Emails", exact: true }).focus()
    await expect.poll(() => reads.length).toBe(1)
    await page.keyboard.press("g")
    await page.keyboard.press("e")
    await page.getByRole("heading", { name: "Emails" }).waitFor()
    await settled(page)
    expect(reads.length).toBe(1)
    // The area and the tab are marked as current; the link back from a screen below is not.
    const current = page.locator("[aria-current='page']")
    expect(await current.allInnerTexts()).toEqual(["Emails", "All emails"])
    await page.locator("[data-row-focus]").first().focus()
    const focused = () =>
      page.evaluate<string | undefined>("document.activeElement.closest('[data-row]')?.dataset.row")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await expect.poll(focused).toBe("2")
    await page.keyboard.press("End")
    await expect.poll(focused).toBe("49")
    // The last row is on the second page, which is loaded on the way.
    const atEnd = async () => {
      await page.keyboard.press("End")
      return focused()
    }
    await expect.poll(atEnd, { timeout: 10_000 }).toBe("60")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^A very long subject/ }).waitFor()
    expect(await current.allInnerTexts()).toEqual(["Emails"])
    // A new screen focuses its title. Going back to a list focuses the row from which the user left it.
    await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("h1")
    await page.goBack()
    await expect.poll(focused).toBe("60")
    await page.keyboard.press("Control+k")
    // Typed at once, as people do, whether or not the palette has been loaded.
    await page.keyboard.type("suppr")
    await page
      .locator("[data-highlighted]")
      .getByText(/^Suppressions/)
      .waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Suppressions" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("compl")
    await expect.poll(() => page.url()).toContain("q=compl")
    await expect.poll(() => page.locator("[data-row]").count()).toBe(1)
    expect(problems).toEqual([])
    await close()
  })

  it("says in the reader's language what the service refuses and explains", async () => {
    await bench.manage("POST", `/accounts/${bench.service.sandbox.accountId}/contacts`, {
      email: "person-0@example.org"
    })
    const { cookie } = await bench.service.signIn({ role: "Admin" })
    const { close, page, problems } = await openPage(bench.browser, bench.service.baseUrl, cookie, {
      locale: "de-DE"
    })
    const dialog = page.getByRole("dialog")
    await page.goto(`${home}/people/topics?shown=new`)
    await dialog.getByLabel("Name").fill("Angebote")
    await dialog.getByLabel("Schlüssel").fill("Zwei Worte")
    await page.keyboard.press("Enter")
    await dialog.getByText("Zwei Worte ist kein Schlüssel:").waitFor()
    await page.goto(`${home}/people?q=person-0`)
    await page.locator("[data-row-focus]").first().click()
    await page.getByRole("button", { name: /^Warum/ }).click()
    await dialog.getByRole("combobox").first().selectOption("email")
    await dialog.locator("button[type=submit]").click()
    await dialog.getByText("Der Server des Empfängers hat die E-Mail angenommen.").waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("lifts a suppression at once, and undoes it", async () => {
    const { close, page } = await openAs(bench, { role: "Admin" })
    // The button also exists in a narrow window.
    await page.setViewportSize({ width: 375, height: 812 })
    await page.goto(`${home}/suppressions?q=bounced`)
    // The change is shown before the service responds, and reverted if it refuses.
    const refusal = await heldRefusal(page, /\/suppressions\/bounced/)
    await page.getByRole("button", { name: "Lift" }).click()
    await page.getByRole("heading", { name: "No results match these filters" }).waitFor()
    refusal.give()
    await page.getByText("Not now.").waitFor()
    await page.getByRole("button", { name: "Lift" }).waitFor()
    await refusal.end()
    await page.getByRole("button", { name: "Lift" }).click()
    await page.getByText("bounced@example.org can receive email again").waitFor()
    await page.getByRole("heading", { name: "No results match these filters" }).waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByRole("button", { name: "Lift" }).waitFor()
    await close()
  })

  it("asks to sign in again in the middle of an edit, and loses nothing", async () => {
    const { link } = await bench.manage<{ link: string }>(
      "POST",
      `/companies/${(await bench.manage<{ items: ReadonlyArray<{ id: string }> }>("GET", "/companies")).items[0]!.id}/members`,
      { email: "grace@example.org", name: "Grace", role: "Viewer" }
    )
    const { close, page } = await openPage(bench.browser, bench.service.baseUrl, null)
    await page.goto(link)
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByRole("heading", { name: "Home" }).waitFor()
    await page.goto("/app/profile")
    await page.getByLabel("Name").fill("Grace Hopper")
    await page.context().clearCookies()
    await page.getByRole("button", { name: "Save" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Password").fill(password)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Saved").waitFor()
    expect(await page.getByLabel("Name").inputValue()).toBe("Grace Hopper")

    // Changing a password requires a factor given in the last 15 minutes.
    await page.goto("/app/profile?tab=security")
    await bench.service.advance("20 minutes")
    await page.getByLabel("New password").fill(`${password} and more`)
    await page.getByRole("button", { name: "Change password" }).click()
    await dialog.getByLabel("Password").fill(password)
    await dialog.getByRole("button", { name: "Confirm" }).click()
    await page.getByText("Password changed").waitFor()
    await close()
  })

  it("begins anew where someone else signs in over the page, and sends nothing of before", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    await page.goto("/app/profile")
    await page.getByLabel("Name").fill("Not theirs")
    await page.context().clearCookies()
    await page.getByRole("button", { name: "Save" }).click()
    const { cookie } = await bench.service.signIn({ role: "Viewer" })
    const cut = cookie.indexOf("=")
    const session = { name: cookie.slice(0, cut), value: cookie.slice(cut + 1), url: bench.service.baseUrl }
    await page.route("**/session/password", async (route) => {
      await page.context().addCookies([{ ...session, httpOnly: true, sameSite: "Lax" }])
      await route.fulfill({ json: { value: { needs: null }, errors: [] } })
    })
    const sent: Array<string> = []
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent.push(request.url())
    })
    await page.getByRole("dialog").getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/app\/a\//)
    await page.getByRole("heading", { name: "Home" }).waitFor()
    expect([sent, problems]).toEqual([[], []])
    await close()
  })

  it("signs in at the identity provider of an address, and goes on where it was", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Viewer" })
    const methods = [{ kind: "Provider", id: "acme", name: "Acme Login" }]
    await page.route("**/session/start", (route) =>
      route.fulfill({ json: { value: { methods }, errors: [] } })
    )
    // Stands in for the provider's own pages; the service's callback redirects to the start page.
    await page.route("**/session/provider/acme", (route) =>
      route.fulfill({ status: 302, headers: { location: `${bench.service.baseUrl}/app/` } })
    )
    // The service does not know this provider, so it redirects to the sign-in page, which says so.
    await page.goto("/manage/v1/session/provider/01890a5d-ac96-774b-bcce-b302099a8057")
    await page.getByText("This identity provider was removed.").waitFor()
    await page.goto("/app/sign-in?to=%2Fprofile%3Ftab%3Dsessions")
    await page.getByLabel("Email address").fill("ada@acme.example")
    await page.getByRole("link", { name: "Continue with Acme Login" }).click()
    await page.getByText("This browser").waitFor()
    await page.goto("/app/")
    await page.getByRole("heading", { name: "Home" }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("adds a passkey, which confirms a new token over its dialog, and signs in", async () => {
    const { link } = await bench.manage<{ link: string }>(
      "POST",
      `/companies/${(await bench.manage<{ items: ReadonlyArray<{ id: string }> }>("GET", "/companies")).items[0]!.id}/members`,
      { email: "alan@example.org", name: "Alan", role: "Viewer" }
    )
    const { close, page, problems } = await openPage(bench.browser, bench.service.baseUrl, null)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send("WebAuthn.enable")
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true
      }
    })
    await page.goto(link)
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByRole("heading", { name: "Home" }).waitFor()
    await page.goto("/app/profile?tab=security")
    await page.getByRole("button", { name: "Add a passkey" }).click()
    // The first field has the focus.
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Laptop")
    await page.keyboard.press("Enter")
    await page.getByText("Passkey added").waitFor()
    // A removed passkey disappears before the service responds, and reappears if the service refuses.
    const laptop = page.getByText("Laptop", { exact: true })
    const refusal = await heldRefusal(page, /\/me\/passkeys\/./)
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await laptop.waitFor({ state: "detached" })
    refusal.give()
    await page.getByText("Not now.").waitFor()
    await laptop.waitFor()
    await refusal.end()

    await bench.service.advance("20 minutes")
    await page.goto("/app/profile?tab=tokens")
    await page.getByRole("button", { name: "Create a token" }).click()
    await page.keyboard.type("Reports")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Use a passkey" }).click()
    const secret = page.getByRole("dialog").locator("pre")
    expect(await secret.textContent()).toMatch(/^svc_user_/)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText("Reports", { exact: true }).waitFor()

    await page.getByRole("button", { name: /Alan/ }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    // The passkey is offered at once, and the test's authenticator accepts the first offer.
    await page.getByRole("heading", { name: "Home" }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("says what failed, keeps what it shows, and tries again", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    const lists = `**/manage/v1/accounts/*/emails?*`
    let answer: "503" | "offline" | "pass" = "503"
    await page.route(lists, (route) => {
      if (answer === "pass") return route.continue()
      return answer === "offline" ? route.abort() : route.fulfill({ status: 503, body: "Bad gateway" })
    })
    await page.goto(emails)
    await page.getByText("The service returned an error.").waitFor({ timeout: 60_000 })
    answer = "pass"
    await page.getByRole("button", { name: "Try again" }).click()
    await page.locator("[data-row-focus]").first().waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("keeps what was entered without a network, sends nothing of it later, and goes on by itself", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    const network = page.context()
    const dialog = page.getByRole("dialog")
    await page.goto(`${home}/people/topics?shown=new`)
    await dialog.getByLabel("Name").fill("Never sent")
    await network.setOffline(true)
    await dialog.getByRole("button", { name: "Add" }).click()
    await dialog.getByText("The service cannot be reached. What you entered is kept.").waitFor()
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Never sent")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByText("You are offline.").waitFor()
    // Neither this screen nor the command palette has been loaded yet.
    await page.getByRole("link", { name: "Segments" }).click()
    await page.keyboard.press("Control+k")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await network.setOffline(false)
    await page.getByText("You are offline.").waitFor({ state: "detached" })
    await page.getByRole("link", { name: "New segment" }).waitFor()
    const { items } = await bench.manage<{ items: ReadonlyArray<{ name: string }> }>(
      "GET",
      `/accounts/${bench.service.sandbox.accountId}/topics`
    )
    expect(items.filter(({ name }) => name === "Never sent")).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it("loads at most 130 KB for the entry and 190 KB for a list, under its policy", async () => {
    const html = readFileSync(join(dist, "index.html"), "utf8")
    const entry = Array.from(html.matchAll(/\/app\/(assets\/[\w.-]+)"/g), ([, file]) => file!)
    const entryBytes = entry.reduce((sum, file) => sum + sentBytes(file), 0)
    const { close, page } = await openAs(bench, { role: "Admin" })
    const loaded = new Set<string>()
    page.on("request", (request) => {
      const [, file] = /\/app\/(assets\/.+)$/.exec(request.url()) ?? []
      if (file !== undefined) loaded.add(file)
    })
    const headers: Array<Promise<Record<string, string>>> = []
    page.on("response", (response) => {
      if (/\/app\/(?:a|assets)\//.test(response.url())) headers.push(response.allHeaders())
    })
    await page.goto(emails)
    await settled(page)
    for (const {
      "cache-control": kept,
      "content-security-policy": own,
      "content-type": type
    } of await Promise.all(headers)) {
      expect([type, own]).toEqual([type, policy])
      expect([type, kept]).toEqual([
        type,
        type!.startsWith("text/html") ? "no-store" : "public, max-age=31536000, immutable"
      ])
    }
    expect(headers.length).toBe(loaded.size + 1)
    const listBytes = [...loaded].reduce((sum, file) => sum + sentBytes(file), 0)
    process.stdout.write(
      `entry ${entryBytes} bytes, list ${listBytes} bytes in ${loaded.size} files, by gzip\n`
    )
    expect(entryBytes).toBeLessThanOrEqual(130_000)
    expect(listBytes).toBeLessThanOrEqual(190_000)
    await close()
  })
})
