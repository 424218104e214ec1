/**
 * Opens the dashboard in Chromium, and collects what goes wrong in the page: violations of its policy, errors, failed calls.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const program = "/usr/bin/chromium"

/** Why no browser can be started here; null where one can. */
export const whyNoChromium: string | null = existsSync(program) ? null : `Chromium is not installed at ${program}.`

/** Starts the browser. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: program, args: ["--no-sandbox", "--force-color-profile=srgb"] })

/** A page, and what went wrong in it so far. */
export interface Opened {
  readonly page: Page
  readonly problems: Array<string>
}

/** Opens a page of its own session. `cookie` is that of `signIn`. */
export const openPage = async (
  browser: Browser,
  baseUrl: string,
  cookie: string | null,
  options: BrowserContextOptions = {}
): Promise<Opened> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    baseURL: baseUrl,
    ...options
  })
  if (cookie !== null) {
    const cut = cookie.indexOf("=")
    await context.addCookies([
      { name: cookie.slice(0, cut), value: cookie.slice(cut + 1), url: baseUrl, httpOnly: true, sameSite: "Lax" }
    ])
  }
  const problems: Array<string> = []
  await context.exposeFunction("reportViolation", (text: string) => problems.push(text))
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ blockedURI, sourceFile, violatedDirective }) => {
      const { reportViolation } = globalThis as unknown as { reportViolation: (text: string) => void }
      reportViolation(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`)
    })
  })
  const page = await context.newPage()
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("console", (message) => {
    // The browser reports each refused call itself, which the screens handle.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(`console: ${message.text()}`)
  })
  return { page, problems }
}

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** What axe finds on a page: each rule with the elements that break it. */
export const findingsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    interface Finding {
      readonly id: string
      readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
    }
    const { axe: engine } = globalThis as unknown as {
      axe: { run: (root: Document, options: object) => Promise<{ violations: ReadonlyArray<Finding> }> }
    }
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    const { violations } = await engine.run(document, { runOnly: { type: "tag", values: tags } })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary, html }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`)
    )
  })
}
