/**
 * What the tests of the dashboard's screens share: a service with sample data, a browser, and the looks at a screen in each of
 * its forms.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Browser, Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"
import { findingsOf, launch, type Opened, openPage } from "./chromium.ts"
import { ensureDashboard } from "./dashboard.ts"
import { inFewColours } from "./screenshots.ts"

/** The screenshots of the documentation, written where `SVC_TEST_SCREENS` is set. */
const screens = fileURLToPath(new URL("../../docs/screens/", import.meta.url))
const writesScreens = process.env["SVC_TEST_SCREENS"] !== undefined

/** A service with a browser before it. */
export interface Bench {
  readonly service: Embedded
  readonly browser: Browser
  /** Calls the management API with the management token and returns the value. */
  readonly manage: <Value>(method: string, path: string, body?: unknown) => Promise<Value>
  /** Posts to any route with a key or a token. */
  readonly post: (path: string, token: string, body: unknown) => Promise<unknown>
  /** Submits an email of the sandbox. */
  readonly send: (to: string, subject: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts both. The dashboard is built where it is missing or older than its sources. */
export const startBench = async (): Promise<Bench> => {
  await ensureDashboard()
  const service = await start({ port: 0 })
  const browser = await launch()
  const call = async (path: string, token: string, method: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const answer = (await response.json()) as { readonly value: never; readonly errors: unknown }
    expect([path, response.ok, answer.errors]).toEqual([path, true, []])
    return answer.value
  }
  return {
    service,
    browser,
    manage: (method, path, body) => call(`/manage/v1${path}`, service.managementToken, method, body),
    post: (path, token, body) => call(path, token, "POST", body),
    send: (to, subject) =>
      call("/api/v1/sending/emails", service.sandbox.apiKey, "POST", {
        to,
        subject,
        html: "<p>It works.</p>"
      }),
    close: async () => {
      await browser.close()
      await service.close()
    }
  }
}

/** Waits until a screen has drawn what it reads. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator("h1").first().waitFor()
  await page.locator("[data-loading], [aria-busy]").first().waitFor({ state: "detached" })
}

/** The forms in which each screen is looked at. */
const forms = [
  { name: "wide", options: { viewport: { width: 1280, height: 640 } }, hasAxe: true },
  {
    name: "narrow-dark",
    options: { viewport: { width: 375, height: 812 }, colorScheme: "dark" as const },
    hasAxe: true
  },
  // Its words are longer; its elements are the same.
  { name: "german", options: { viewport: { width: 375, height: 812 }, locale: "de-DE" }, hasAxe: false }
]

/** What the first form is at 200 %. */
const enlarged = { width: 640, height: 320 }

/** A list that is lower shows none of its rows, in pixels. */
const leastList = 96

/** How much wider than its window a page is, or than its place the list on it, in pixels. */
const excessOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`Math.max(
    document.documentElement.scrollWidth - innerWidth,
    ...Array.from(
      document.querySelectorAll("[role=table] [role=row]"),
      (row) => Math.max(...Array.from(row.children, (cell) => cell.scrollWidth === 0 ? 0 : cell.offsetLeft + cell.offsetWidth)) - row.clientWidth
    )
  )`)

/** Gives the window a size, and waits until the page is drawn in it. */
const resize = async (
  page: Page,
  size: { readonly width: number; readonly height: number }
): Promise<void> => {
  await page.setViewportSize(size)
  await expect
    .poll(() => page.evaluate("[innerWidth, innerHeight]"), { timeout: 20_000 })
    .toEqual([size.width, size.height])
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
}

/** Looks at a screen as it is at 200 %, and from right to left. */
const lookAround = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const before = page.viewportSize()
  await resize(page, enlarged)
  const wide = await excessOf(page)
  if (wide > 0) found.push(`${name} at 200 %: ${wide} pixels too wide`)
  const height = await page.evaluate<number>(
    "document.querySelector('[role=table][aria-rowcount]')?.clientHeight ?? Infinity"
  )
  if (height < leastList) found.push(`${name} at 200 %: its list is ${height} pixels high`)
  if (before !== null) await resize(page, before)
  await page.evaluate("document.documentElement.dir = 'rtl'")
  const turned = await excessOf(page)
  if (turned > 0) found.push(`${name} from right to left: ${turned} pixels too wide`)
  await page.evaluate("document.documentElement.dir = 'ltr'")
  return found
}

/** A screen to look at. */
export interface Look {
  /** The name of its screenshot. */
  readonly name: string
  readonly path: string
  /** Whether the documentation shows it. */
  readonly isShown?: boolean
  /** Brings the screen into a state, such as an open dialog. */
  readonly act?: (page: Page) => Promise<void>
}

/**
 * Looks at screens in each form, enlarged and from right to left: axe finds nothing, the policy is not violated, nothing is wider
 * than the window, no list is without room, no call is refused. One page per form visits all of them. Resolves with the problems.
 */
export const lookAt = async (
  { browser, service }: Bench,
  cookie: string | null,
  looks: ReadonlyArray<Look>
): Promise<ReadonlyArray<string>> => {
  if (writesScreens) mkdirSync(screens, { recursive: true })
  const found: Array<string> = []
  for (const { hasAxe, name: form, options } of forms) {
    const { page, problems } = await openPage(browser, service.baseUrl, cookie, options)
    for (const { act, isShown = false, name, path } of looks) {
      await page.goto(path)
      await settled(page)
      await act?.(page)
      const width = await excessOf(page)
      if (width > 0) found.push(`${name} ${form}: ${width} pixels too wide`)
      const findings = hasAxe ? await findingsOf(page) : []
      found.push(...findings.map((finding) => `${name} ${form}: ${finding}`))
      found.push(...problems.splice(0).map((problem) => `${name} ${form}: ${problem}`))
      if (form !== "wide") continue
      if (writesScreens && isShown)
        writeFileSync(`${screens}${name}.png`, inFewColours(await page.screenshot()))
      found.push(...(await lookAround(page, name)))
    }
    await page.context().close()
  }
  return found
}

/** Opens a page as a user of a role, or as the operator. */
export const openAs = async (
  { browser, service }: Bench,
  options: Parameters<Embedded["signIn"]>[0] = {}
): Promise<Opened> => openPage(browser, service.baseUrl, (await service.signIn(options)).cookie)

/** The calls of a page that are refused for want of a right, from now on. */
export const refusalsOf = (page: Page): ReadonlyArray<string> => {
  const refused: Array<string> = []
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  return refused
}

/**
 * Runs in the page, before everything: lets reads of screens fail or wait as `sessionStorage` says. Calls are not intercepted
 * from outside, which would turn off the browser's cache of scripts. The session and the companies are read before any screen.
 */
const faults = `{
  const real = fetch, later = setTimeout
  const { kind, url: failing } = JSON.parse(sessionStorage.getItem("fault") ?? "{}")
  const slow = new Promise((done) => (window.release = done))
  window.reads = new Set()
  // What is tried again after a while is tried again soon.
  window.setTimeout = (run, millis, ...rest) => later(run, millis > 900 && millis < 9_000 ? 20 : millis, ...rest)
  window.fetch = async (url, options) => {
    const { pathname } = new URL(url, location)
    const isRead = (options?.method ?? "GET") === "GET" && !/\\/v1\\/(?:session|companies)$/.test(pathname)
    if (!isRead || !pathname.startsWith("/manage/v1/")) return real(url, options)
    window.reads.add(url)
    if (kind === "slow") await slow
    if (failing !== undefined && failing !== url) return real(url, options)
    if (kind === "offline") throw new TypeError("Failed to fetch")
    if (typeof kind !== "number") return real(url, options)
    const code = kind === 401 ? "auth.unauthorized" : "x"
    return new Response(kind === 503 ? "Bad gateway" : JSON.stringify({ errors: [{ code }] }), { status: kind })
  }
  window.shifts = 0
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shifts += value
  }).observe({ type: "layout-shift", buffered: true })
}`

/** How a read fails: with a status, or without any answer. */
const failures = [400, 500, 503, "offline"] as const

/** The most that a screen may shift while it loads, as the browser counts it; what Google calls good (CLS). */
const mostShifts = 0.1

/**
 * Visits screens whose reads are slow, fail one after the other, each in another way, and are unauthorized. Each shows its frame
 * meanwhile and does not jump, says what failed with a way to try again, and asks to sign in. Resolves with what does not.
 *
 * @param paths of the screens
 */
export const failingReads = async (
  page: Page,
  paths: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  await page.addInitScript(faults)
  const found: Array<string> = []
  const visit = async (path: string, fault: object): Promise<void> => {
    await page.evaluate(`sessionStorage.setItem("fault", ${JSON.stringify(JSON.stringify(fault))})`)
    await page.goto(path)
  }
  const isThere = (place: Locator, timeout = 5_000): Promise<boolean> =>
    place.waitFor({ timeout }).then(
      () => true,
      () => false
    )
  // Also of the screen below a dialog.
  const retry = page.getByRole("button", { name: "Try again", includeHidden: true }).first()
  const heading = page.locator("main h1").first()
  await page.goto(paths[0]!)
  for (const [at, path] of paths.entries()) {
    await visit(path, { kind: "slow" })
    if (!(await isThere(heading))) found.push(`${path}: nothing is drawn before its reads are answered`)
    await page.evaluate("release()")
    await settled(page)
    const shifts = await page.evaluate<number>("shifts")
    if (shifts > mostShifts) found.push(`${path}: shifts by ${shifts.toFixed(2)} while it loads`)
    const read = await page.evaluate<ReadonlyArray<string>>("[...reads]")
    for (const [index, url] of read.entries()) {
      const kind = failures[(at + index) % failures.length]
      await visit(path, { kind, url })
      if (!(await isThere(heading)) || !(await isThere(retry))) found.push(`${path}: ${kind} of ${url}`)
    }
    if (read.length === 0) continue
    await visit(path, { kind: 401 })
    if (!(await isThere(page.getByRole("dialog").getByLabel("Password"))))
      found.push(`${path}: does not ask to sign in again`)
  }
  return found
}
