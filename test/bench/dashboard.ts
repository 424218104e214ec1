/**
 * Measures the speed of the dashboard in Chromium with the embedded service over memory: the time until the first screen is drawn
 * with a cold cache, scrolling through 10,000 rows, and dragging a step in a flow with 200 steps.
 *
 * @module
 */
import { loadavg } from "node:os"
import type { Page } from "playwright-core"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"
import { launch, openPage, whyNoChromium } from "../support/chromium.ts"
import { ensureDashboard } from "../support/dashboard.ts"
import { atMost, framesOf, scrollToEnd } from "../support/frames.ts"

const rounds = 10
const people = 10_000
const perCall = 1_000
const stepCount = 200

const load = (): string => `load ${loadavg()[0]!.toFixed(1)}`

const post = async ({ baseUrl, fetch }: Embedded, path: string, token: string, body: object) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const response = await fetch(
    new Request(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) })
  )
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return ((await response.json()) as { readonly value: { readonly id: string } }).value
}

/** The time from the navigation until the screen has drawn its data, in milliseconds. */
const drawn = async (page: Page, path: string): Promise<number> => {
  await page.goto(path, { waitUntil: "commit" })
  await page.locator("h1").first().waitFor()
  await page.locator("[data-loading], [aria-busy]").first().waitFor({ state: "detached" })
  return page.evaluate("new Promise((done) => requestAnimationFrame(() => done(performance.now())))")
}

/** Reads all pages of the list, by scrolling to its end repeatedly. */
const readAll = async (page: Page): Promise<void> => {
  await page.evaluate(`new Promise((done) => {
    const list = document.querySelector("[role=table]")
    const step = () => {
      if (document.querySelector('[data-row="${people - 1}"] [data-row-focus]') !== null) return done()
      list.scrollTop = list.scrollHeight
      setTimeout(step, 20)
    }
    step()
  })`)
  await page.evaluate("document.querySelector('[role=table]').scrollTop = 0")
}

/** Measures and prints the results. */
export const benchDashboard = async (): Promise<void> => {
  if (whyNoChromium !== null) return console.log(whyNoChromium)
  await ensureDashboard()
  const service = await start({ port: 0 })
  const browser = await launch()
  try {
    const { accountId, apiKey } = service.sandbox
    for (let from = 0; from < people; from += perCall) {
      const contacts = Array.from({ length: perCall }, (_, at) => ({
        email: `person-${from + at}@people.example`,
        firstName: `Person ${from + at}`
      }))
      await post(service, "/api/v1/contacts/batch", apiKey, { contacts })
    }
    await service.settle()
    const { cookie } = await service.signIn({ role: "Admin" })
    const home = `/app/a/${accountId}`
    for (const [name, path] of [
      ["home", home],
      ["a list of contacts", `${home}/people`]
    ] as const) {
      const taken: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        // Its own context has its own cache.
        const { page } = await openPage(browser, service.baseUrl, cookie)
        taken.push(await drawn(page, path))
        await page.context().close()
      }
      console.log(
        `first screen, ${name}: ${atMost(taken, 0.5)} ms in the median, ${atMost(taken, 1)} at most (${load()})`
      )
    }
    const { page } = await openPage(browser, service.baseUrl, cookie)
    await page.goto(`${home}/people`)
    await page.locator("[data-row-focus]").first().waitFor()
    await readAll(page)
    const { frames, rows } = await scrollToEnd(page)
    console.log(
      `scrolling ${people} rows: ${atMost(frames, 0.5)} ms a frame in the median, ${atMost(frames, 0.95)} in 95 % of them, ` +
        `${rows} rows drawn (${load()})`
    )
    const steps = Array.from({ length: stepCount }, (_, at) => ({
      id: `wait-${at}`,
      kind: "Wait",
      duration: "P1D"
    }))
    const flow = await post(service, `/manage/v1/accounts/${accountId}/flows`, service.managementToken, {
      name: "Long",
      trigger: { kind: "Api" },
      steps
    })
    await page.goto(`${home}/flows/${flow.id}/edit`)
    const card = page.locator("[data-place='0']")
    const { height, width, x, y } = (await card.boundingBox())!
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    const dragged = await framesOf(page, async () => {
      // Drags down to the edge of the window, where the canvas scrolls, and moves around there.
      for (let move = 0; move < 120; move++)
        await page.mouse.move(x + width / 2 + (move % 20), Math.min(y + move * 8, 780 - (move % 12)))
    })
    await page.mouse.up()
    console.log(
      `dragging in a flow of ${stepCount} steps: ${atMost(dragged, 0.5)} ms a frame in the median, ` +
        `${atMost(dragged, 0.95)} in 95 % of them (${load()})`
    )
  } finally {
    await browser.close()
    await service.close()
  }
}
