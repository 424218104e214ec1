/**
 * Shared by the tests of the dashboard's screens: a service with sample data, a browser, and visual checks of a screen in all its
 * forms.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Browser, Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"
import { findingsOf, launch, noteErrors, type Opened, openPage, signIn, usual } from "./chromium.ts"
import { ensureDashboard } from "./dashboard.ts"
import { inFewColours } from "./screenshots.ts"

/** The folder of the documentation's screenshots. They are written if `SVC_TEST_SCREENS` is set. */
const screens = fileURLToPath(new URL("../../docs/screens/", import.meta.url))
const writesScreens = process.env["SVC_TEST_SCREENS"] !== undefined

/** A service with a browser. */
export interface Bench {
  readonly service: Embedded
  readonly browser: Browser
  /** Calls the management API with the management token and returns the value. */
  readonly manage: <Value>(method: string, path: string, body?: unknown) => Promise<Value>
  /** Posts to any route with a key or a token. */
  readonly post: (path: string, token: string, body: unknown) => Promise<unknown>
  /** Submits an email in the sandbox. */
  readonly send: (to: string, subject: string) => Promise<void>
  /**
   * Opens a page with only a session. A closed page is reused, together with the code that the browser has compiled for it. So a
   * test must remove the scripts that it adds to its page.
   */
  readonly open: (cookie: string) => Promise<Opened>
  readonly close: () => Promise<void>
}

/** Starts the service and the browser. Builds the dashboard if the build is missing or older than the sources. */
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
  const { baseUrl } = service
  const idle: Array<Opened> = []
  const open: Bench["open"] = async (cookie) => {
    const opened = idle.pop() ?? (await openPage(browser, baseUrl, null))
    const { page, problems } = opened
    const context = page.context()
    const close = async (): Promise<void> => {
      await Promise.all([page, context].map((routed) => routed.unrouteAll({ behavior: "ignoreErrors" })))
      page.removeAllListeners()
      noteErrors(page, problems)
      await page.setViewportSize(usual)
      await page.emulateMedia({ colorScheme: null })
      // A page of the same origin without any script.
      await page.goto("/health")
      await page.evaluate("localStorage.clear(), sessionStorage.clear()")
      await context.clearCookies()
      problems.length = 0
      idle.push(opened)
    }
    await signIn(context, baseUrl, cookie)
    return { page, problems, close }
  }
  return {
    service,
    browser,
    open,
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

/** Waits until a screen has rendered everything it reads. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator("h1").first().waitFor()
  await page.locator("[data-loading], [aria-busy]").first().waitFor({ state: "detached" })
}

/** An unknown address inside the frame of a path. */
const nowhere = (path: string): string => `${/^\/app\/a\/[^/]+/.exec(path)?.[0] ?? "/app"}/nothing`

/** Navigates to a path without reloading the page, and waits for the title of the new screen. */
const go = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`
    for (const title of document.querySelectorAll("h1")) title.dataset.left = ""
    history.pushState(null, "", ${JSON.stringify(path)})`)
  await page.locator("h1:not([data-left])").first().waitFor()
}

/** Leaves a screen without reloading the page. */
const leave = async (page: Page, path: string): Promise<void> => {
  if (!page.url().endsWith(nowhere(path))) await go(page, nowhere(path))
}

/** Waits until an element has the focus. */
export const focused = async (wanted: Locator): Promise<void> => {
  await expect
    .poll(() => wanted.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true)
}

/**
 * Shows a screen as a user sees it on arrival, in a page that shows another screen or none. Only the first visit loads the page.
 */
export const visit = async (page: Page, path: string): Promise<void> => {
  if (!page.url().includes("/app/")) await page.goto(path)
  else {
    await leave(page, path)
    if (path !== nowhere(path)) await go(page, path)
  }
  await settled(page)
}

/** The window sizes in which each screen is checked. */
const wide = { width: 1280, height: 640 }
const narrow = { width: 375, height: 812 }

/** The size of `wide` at 200 % zoom. */
const enlarged = { width: 640, height: 320 }

/** The lowest height of a list, in pixels, at which rows are visible. */
const leastList = 96

/** By how many pixels a page is wider than its window, or a list's rows wider than the list. */
const excessOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`Math.max(
    document.documentElement.scrollWidth - innerWidth,
    ...Array.from(document.querySelectorAll("main header"), (head) => Math.round(head.getBoundingClientRect().right - innerWidth)),
    ...Array.from(
      document.querySelectorAll("[role=table] [role=row]"),
      (row) => Math.max(...Array.from(row.children, (cell) => cell.scrollWidth === 0 ? 0 : cell.offsetLeft + cell.offsetWidth)) - row.clientWidth
    )
  )`)

/** What is cut off in a wide window: badges and buttons of lists, which would then be invisible, and tables. */
const cutOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(`[
    ...Array.from(document.querySelectorAll("[role=row] [role=cell]")).flatMap((cell) => {
      const { left, right } = cell.getBoundingClientRect()
      const last = cell.querySelector(":scope > span:last-child, :scope > button:last-child, :scope > div > span:last-child")
      const place = last?.getBoundingClientRect()
      const isCut = place !== undefined && getComputedStyle(last).display !== "inline" && (place.right > right + 1 || place.left < left - 1)
      return isCut ? [last.outerHTML.slice(0, 160) + " is cut"] : []
    }),
    // One of more columns scrolls.
    ...Array.from(document.querySelectorAll("table")).filter((table) => table.rows[0].cells.length <= 11).flatMap((table) => {
      const excess = table.offsetWidth - table.parentElement.clientWidth
      return excess > 1 ? [table.parentElement.ariaLabel + ": its table is " + excess + " pixels too wide"] : []
    })
  ]`)

/** The smallest touch target, in pixels (WCAG 2.2, 2.5.5). Links within text are exempt. */
const leastTarget = 44

/** The elements whose touch target is too small, including pseudo-elements that extend it invisibly. */
const smallTargetsOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(`Array.from(
    document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=tab]")
  ).flatMap((element) => {
    const styles = getComputedStyle(element)
    const { height, width } = (element.closest("label") ?? element).getBoundingClientRect()
    const isOutOfSight = width < 2 || styles.visibility === "hidden" || element.matches("[href='#content']")
    if (isOutOfSight || styles.display === "inline") return []
    const [more = { x: 0, y: 0 }] = ["::before", "::after"].flatMap((part) => {
      const { bottom, content, left, position, right, top } = getComputedStyle(element, part)
      if (content === "none" || position !== "absolute") return []
      const [x, y] = [[left, right], [top, bottom]].map((ends) => -ends.reduce((sum, end) => sum + parseFloat(end), 0))
      return [{ x, y }]
    })
    const isSmall = Math.round(height + more.y) < ${leastTarget} || Math.round(width + more.x) < ${leastTarget}
    return isSmall ? [element.outerHTML.slice(0, 160) + " is " + Math.round(width) + " by " + Math.round(height)] : []
  })`)

/** Resizes the window, and waits until the page is redrawn. */
const resize = async (
  page: Page,
  size: { readonly width: number; readonly height: number }
): Promise<void> => {
  await page.setViewportSize(size)
  await expect
    .poll(() => page.evaluate("[innerWidth, innerHeight]"), { timeout: 20_000 })
    .toEqual([size.width, size.height])
  // Inherited colours change one element after another, each in its own frame.
  await page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame)
    // Of what is drawn out of sight, finished ones stay in the list.
    const isCalm = () => document.getAnimations().every(({ playState }) => playState === "finished")
    for (let calm = 0; calm < 2; calm = isCalm() ? calm + 1 : 0) await frame()
  })()`)
}

/** Checks a screen from right to left, at 200 % zoom, and in a narrow window with dark colours, as on a phone at night. */
const lookAround = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const check = async (form: string): Promise<void> => {
    const excess = await excessOf(page)
    if (excess > 0) found.push(`${form}: ${excess} pixels too wide`)
  }
  await page.evaluate("document.documentElement.dir = 'rtl'")
  await check("from right to left")
  await page.evaluate("document.documentElement.dir = 'ltr'")
  await resize(page, enlarged)
  await check("at 200 %")
  const height = await page.evaluate<number>(
    "document.querySelector('[role=table][aria-rowcount]')?.clientHeight ?? Infinity"
  )
  if (height < leastList) found.push(`at 200 %: its list is ${height} pixels high`)
  await page.emulateMedia({ colorScheme: "dark" })
  await resize(page, narrow)
  await check("narrow")
  const findings = await findingsOf(page, true)
  return [...found, ...findings.map((finding) => `narrow, dark: ${finding}`)]
}

/** A screen to check. */
export interface Look {
  /** The name of its screenshot. */
  readonly name: string
  readonly path: string
  /** Whether the documentation shows it. */
  readonly isShown?: boolean
  /** The height of the window for its screenshot, in pixels, if the content needs more than the default. */
  readonly height?: number
  /** Runs before the screen is shown, for example to replace the response to one of its reads. */
  readonly prepare?: (page: Page) => Promise<void>
  /** Brings the screen into a state, such as an open dialog. */
  readonly act?: (page: Page) => Promise<void>
}

/**
 * Checks screens in light and dark, wide, narrow and enlarged, from right to left and in German. axe must find nothing, the
 * policy must not be violated, nothing may be wider than the window, nothing in a list or table may be cut off, every list must
 * have room, and every touch target must be large enough. One page per language visits all screens and changes its colours and
 * size in place. Resolves with the problems.
 */
export const lookAt = async (
  bench: Bench,
  cookie: string | null,
  looks: ReadonlyArray<Look>
): Promise<ReadonlyArray<string>> => {
  if (writesScreens) mkdirSync(screens, { recursive: true })
  const found: Array<string> = []
  const { browser, open, service } = bench
  const note = (name: string, more: ReadonlyArray<string>): void => {
    found.push(...more.map((problem) => `${name}: ${problem}`))
  }
  const show = async (page: Page, { act, path, prepare }: Look): Promise<void> => {
    await prepare?.(page)
    // Without a session, there is no frame to stay in, so the page is loaded.
    if (cookie === null) await page.goto(path)
    else await visit(page, path)
    await settled(page)
    await act?.(page)
  }
  const { close, page, problems } =
    cookie === null ? await openPage(browser, service.baseUrl, null) : await open(cookie)
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: "light" })
    await resize(page, wide)
    await show(page, look)
    const excess = await excessOf(page)
    if (excess > 0) note(look.name, [`${excess} pixels too wide`])
    note(look.name, await cutOf(page))
    note(look.name, await findingsOf(page))
    if (writesScreens && look.isShown === true) {
      if (look.height !== undefined) await resize(page, { ...wide, height: look.height })
      writeFileSync(`${screens}${look.name}.png`, inFewColours(await page.screenshot()))
    }
    note(look.name, [...(await lookAround(page)), ...problems.splice(0)])
  }
  await close()
  // German words are longer. The elements are the same, and are checked with a coarse pointer, for which they are larger.
  const german = await openPage(browser, service.baseUrl, cookie, {
    viewport: narrow,
    locale: "de-DE",
    hasTouch: true
  })
  for (const look of looks) {
    await show(german.page, look)
    const excess = await excessOf(german.page)
    note(`${look.name}, German`, [
      ...(excess > 0 ? [`${excess} pixels too wide`] : []),
      ...(await smallTargetsOf(german.page)).map((target) => `too small for a finger: ${target}`),
      ...german.problems.splice(0)
    ])
  }
  await german.close()
  return found
}

/** Opens a page as a user with a role, or as the operator. */
export const openAs = async (
  { open, service }: Bench,
  options: Parameters<Embedded["signIn"]>[0] = {}
): Promise<Opened> => open((await service.signIn(options)).cookie)

/** Rejects the calls of a page to some addresses, each when the test says so. `end` lets later calls through. */
export const heldRefusal = async (
  page: Page,
  address: RegExp
): Promise<{ readonly give: () => void; readonly end: () => Promise<void> }> => {
  let give = (): void => undefined
  const given = new Promise<void>((done) => (give = done))
  await page.route(address, async (route) => {
    await given
    const errors = [{ code: "common.rate_limited", message: "Not now.", params: null }]
    await route.fulfill({ status: 429, json: { errors } })
  })
  return { give: () => give(), end: () => page.unroute(address) }
}

/** Collects the calls of a page that are rejected for lack of a right, from now on. */
export const refusalsOf = (page: Page): ReadonlyArray<string> => {
  const refused: Array<string> = []
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  return refused
}

/**
 * A script that runs in the page before everything else and makes the reads of screens fail or wait, as `window.fault` says. It
 * runs in the page because intercepting calls from outside would turn off the browser's cache of scripts. The session and the
 * companies are exempt, because they are read before any screen, and so are streams, which reconnect by themselves.
 */
const faults = `if (window === top) {
  const real = fetch, later = setTimeout
  // A time of now differs from one visit to the next.
  const timeless = (url) => url.replace(/since=[^&]*/, "")
  window.begin = (fault) => {
    window.fault = fault
    window.reads = new Set()
    window.shifts = 0
    const slow = new Promise((done) => (window.release = done))
    window.slow = slow
  }
  begin(JSON.parse(sessionStorage.getItem("fault") ?? "{}"))
  sessionStorage.clear()
  // What is tried again after a while is tried again soon.
  window.setTimeout = (run, millis, ...rest) => later(run, millis > 900 && millis < 9_000 ? 20 : millis, ...rest)
  window.fetch = async (url, options) => {
    const { pathname } = new URL(url, location)
    const isRead = (options?.method ?? "GET") === "GET" && !/\\/v1\\/(?:session|companies)$|\\/stream$/.test(pathname)
    if (!isRead || !pathname.startsWith("/manage/v1/")) return real(url, options)
    reads.add(url)
    const { kind, url: failing } = fault
    if (kind === "slow") await slow
    if (failing !== undefined && timeless(failing) !== timeless(url)) return real(url, options)
    if (kind === "offline") throw new TypeError("Failed to fetch")
    if (typeof kind !== "number") return real(url, options)
    const code = kind === 401 ? "auth.unauthorized" : "x"
    return new Response(kind === 503 ? "Bad gateway" : JSON.stringify({ errors: [{ code }] }), { status: kind })
  }
  // Drops what was read, except what the frame shows: as if the page were loaded anew. React keeps the application's store.
  window.drop = () => {
    const root = document.getElementById("root")
    const { stateNode } = root[Object.keys(root).find((key) => key.startsWith("__reactContainer"))]
    let { current } = stateNode
    while (current.memoizedProps?.client === undefined) current = current.child
    current.memoizedProps.client.removeQueries({ type: "inactive" })
  }
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shifts += value
  }).observe({ type: "layout-shift", buffered: true })
}`

/** The ways in which a read fails: with a status, or without any response. */
const failures = [400, 403, 500, 503, "offline"] as const

/** The largest layout shift allowed while a screen loads (CLS). Google calls this value good. */
const mostShifts = 0.1

const isThere = (place: Locator, timeout = 5_000): Promise<boolean> =>
  place.waitFor({ timeout }).then(
    () => true,
    () => false
  )

/** The button that tries again, also on the screen below a dialog. */
const retryOf = (page: Page): Locator =>
  page.getByRole("button", { name: "Try again", includeHidden: true }).first()

/** Shows a screen afresh with its reads failing or waiting. */
const showWith = async (page: Page, path: string, fault: object): Promise<void> => {
  await leave(page, path)
  await page.evaluate(`drop(); begin(${JSON.stringify(fault)})`)
  await go(page, path)
}

/**
 * Visits screens of one thing each, in one page: while its reads wait each shows its frame, and of each read that fails or finds
 * nothing it says so, with a way to try again where that helps. Resolves with what does not.
 *
 * @param paths of the screens; the first is one that is there without any
 */
export const failingEntries = async (
  page: Page,
  [first, ...paths]: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const added = await page.addInitScript(faults)
  const found: Array<string> = []
  const retry = retryOf(page)
  const nothing = page
    .locator("main")
    .getByText(/^(?:.* not found|.* was deleted.*)$/i)
    .first()
  await page.goto(first!)
  for (const [at, path] of paths.entries()) {
    await showWith(page, path, { kind: "slow" })
    await page.evaluate("release()")
    await settled(page)
    const reads = await page.evaluate<ReadonlyArray<string>>("[...reads]")
    if (reads.length === 0) found.push(`${path}: reads nothing`)
    // Without suggestions, a value can still be typed.
    const shown = reads.filter((url) => !url.includes("/segments/values?"))
    for (const [index, url] of shown.entries()) {
      const kind = [...failures, 404][(at + index) % (failures.length + 1)]
      await showWith(page, path, { kind, url })
      if (!(await isThere(kind === 404 ? retry.or(nothing).first() : retry)))
        found.push(`${path}: ${kind} of ${url}`)
    }
  }
  await added.dispose()
  return found
}

/**
 * Visits screens whose reads are slow, fail one after another in different ways, or are unauthorized. A screen must show its
 * frame meanwhile without layout shifts, say what failed with a way to try again, and ask the user to sign in. Resolves with the
 * violations.
 *
 * @param paths of the screens
 */
export const failingReads = async (
  page: Page,
  paths: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const added = await page.addInitScript(faults)
  const found: Array<string> = []
  const retry = retryOf(page)
  await page.goto(paths[0]!)
  for (const [at, path] of paths.entries()) {
    await page.evaluate(`sessionStorage.setItem("fault", '{"kind":"slow"}')`)
    await page.goto(path)
    if (!(await isThere(page.locator("main h1").first())))
      found.push(`${path}: nothing is drawn before its reads are answered`)
    await page.evaluate("release()")
    await settled(page)
    const shifts = await page.evaluate<number>("shifts")
    if (shifts > mostShifts) found.push(`${path}: shifts by ${shifts.toFixed(2)} while it loads`)
    const read = await page.evaluate<ReadonlyArray<string>>("[...reads]")
    const revisit = (fault: object) => showWith(page, path, fault)
    for (const [index, url] of read.entries()) {
      const kind = failures[(at + index) % failures.length]
      await revisit({ kind, url })
      if (!(await isThere(retry))) found.push(`${path}: ${kind} of ${url}`)
    }
    if (read.length === 0) continue
    await revisit({ kind: 401 })
    if (!(await isThere(page.getByRole("dialog").getByLabel("Password"))))
      found.push(`${path}: does not ask to sign in again`)
  }
  await added.dispose()
  return found
}
