/**
 * How quick the dashboard is in Chromium before the embedded service over memory: until the first screen is drawn with a cold
 * cache, while 10,000 rows scroll past, and while a step of a flow with 200 steps is dragged.
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

/** Milliseconds from the navigation until the screen has drawn what it reads. */
const drawn = async (page: Page, path: string): Promise<number> => {
  await page.goto(path, { waitUntil: "commit" })
  await page.locator("h1").first().waitFor()
  await page.locator("[data-loading], [aria-busy]").first().waitFor({ state: "detached" })
  return page.evaluate("new Promise((done) => requestAnimationFrame(() => done(performance.now())))")
}

/** Reads all pages of the list, by scrolling to its end until it has them. */
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

/** Measures, and prints. */
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
        // A context of its own has a cache of its own.
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
      // Down to the edge of the window, where the canvas scrolls, and about there.
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
