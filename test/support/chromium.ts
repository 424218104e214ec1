/**
 * Opens the dashboard in Chromium, and collects problems in the page: policy violations, errors, failed calls.
 *
 * @module
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page
} from "playwright-core"

const program = "/usr/bin/chromium"

/** Why no browser can be started on this machine; null if one can. */
export const whyNoChromium: string | null = existsSync(program)
  ? null
  : `Chromium is not installed at ${program}.`

/** Makes screenshots equal on machines with other fonts. */
const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  ${["sans-serif", "sans", "system-ui", "DejaVu Sans"]
    .map(
      (name) =>
        `<alias binding="strong"><family>${name}</family><prefer><family>Liberation Sans</family></prefer></alias>`
    )
    .join("")}
</fontconfig>`

/** Starts the browser. */
export const launch = async (): Promise<Browser> => {
  const folder = await mkdtemp(join(tmpdir(), "svc-fonts-"))
  const file = join(folder, "fonts.conf")
  await writeFile(file, fonts)
  const browser = await chromium.launch({
    executablePath: program,
    args: ["--no-sandbox", "--force-color-profile=srgb", "--disable-gpu"],
    env: { ...process.env, FONTCONFIG_FILE: file }
  })
  browser.on("disconnected", () => rmSync(folder, { recursive: true, force: true }))
  return browser
}

/** The default size of a window. */
export const usual = { width: 1280, height: 800 }

/** A page, with the problems found in it so far. */
export interface Opened {
  readonly page: Page
  readonly problems: Array<string>
  /** Closes the page, or returns it for reuse. */
  readonly close: () => Promise<void>
}

/** Runs in the page. */
const reportViolations = `addEventListener("securitypolicyviolation", ({ blockedURI, sourceFile, violatedDirective }) =>
  reportViolation("policy: " + [violatedDirective, blockedURI, sourceFile].join(" ")))`

/** Gives the pages of a context a session. `cookie` is the result of the service's `signIn`. */
export const signIn = async (context: BrowserContext, baseUrl: string, cookie: string): Promise<void> => {
  const cut = cookie.indexOf("=")
  await context.addCookies([
    {
      name: cookie.slice(0, cut),
      value: cookie.slice(cut + 1),
      url: baseUrl,
      httpOnly: true,
      sameSite: "Lax"
    }
  ])
}

/** Opens a page with its own session. `cookie` is the result of the service's `signIn`. */
export const openPage = async (
  browser: Browser,
  baseUrl: string,
  cookie: string | null,
  options: BrowserContextOptions = {}
): Promise<Opened> => {
  const context = await browser.newContext({
    viewport: usual,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    baseURL: baseUrl,
    ...options
  })
  if (cookie !== null) await signIn(context, baseUrl, cookie)
  const problems: Array<string> = []
  await context.exposeFunction("reportViolation", (text: string) => problems.push(text))
  await context.addInitScript(reportViolations)
  const page = await context.newPage()
  noteErrors(page, problems)
  return { page, problems, close: () => context.close() }
}

/** Collects the errors of a page. */
export const noteErrors = (page: Page, problems: Array<string>): void => {
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("console", (message) => {
    // The browser itself reports each rejected call, which the screens handle.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(`console: ${message.text()}`)
  })
}

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** The rules of WCAG 2.2 AA, and the best practices of axe. */
const everyRule = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
}

/** The rules whose result can change with the colours and the width of a window although the elements stay the same. */
const rulesOfLooks = {
  type: "rule",
  values: [
    "button-name",
    "color-contrast",
    "label",
    "link-name",
    "page-has-heading-one",
    "scrollable-region-focusable",
    "target-size"
  ]
}

/**
 * The violations that axe finds on a page: each rule with the elements that violate it.
 *
 * @param isSeenBefore whether the same elements were checked before in other colours and at another width, so that only rules
 * depending on these are checked again
 */
export const findingsOf = async (page: Page, isSeenBefore = false): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(`${axe};undefined`)
  const runOnly = isSeenBefore ? rulesOfLooks : everyRule
  return page.evaluate<ReadonlyArray<string>>(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ["violations"] })}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ failureSummary = "", html }) => id + ": " + html.slice(0, 200) + " " + failureSummary)
      )
    )`
  )
}
