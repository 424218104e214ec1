/**
 * Tests the editors by keyboard alone, in Chromium: a new user makes a segment, a template and a flow.
 *
 * @module
 */
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findingsOf, whyNoChromium } from "../support/chromium.ts"
import { type Bench, focused, lookAt, openAs, settled, startBench } from "../support/dashboardTests.ts"

if (whyNoChromium !== null) process.stdout.write(`The editors' tests are skipped: ${whyNoChromium}\n`)

/** The most presses of Tab that may be needed to reach an element of a screen. */
const maxTabs = 120

/** Presses Tab until an element has the focus. */
const tabTo = async (page: Page, wanted: Locator): Promise<void> => {
  await wanted.waitFor()
  for (let presses = 0; presses < maxTabs; presses += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not lead to ${wanted}`)
}

/** Presses a button with the keyboard. */
const press = async (page: Page, wanted: Locator): Promise<void> => {
  await tabTo(page, wanted)
  await page.keyboard.press("Enter")
}

/** Types into a field, replacing its value. */
const type = async (page: Page, wanted: Locator, text: string): Promise<void> => {
  await tabTo(page, wanted)
  await page.keyboard.press("Control+A")
  await page.keyboard.type(text)
}

/** Chooses an option of a native select by typing, as keyboard users do. */
const choose = async (page: Page, wanted: Locator, label: string): Promise<void> => {
  await tabTo(page, wanted)
  await page.keyboard.type(label, { delay: 5 })
}

/**
 * Chooses an item of the open menu by typing the first word of its name, and then by arrow keys. Waits for the effect of each
 * key, because a busy machine may be slow. Returns once the menu is closed.
 */
const pick = async (page: Page, item: string): Promise<void> => {
  const [word = ""] = item.split(" ")
  const highlighted = page.locator("[role=menuitem][data-highlighted]")
  await page.getByRole("menuitem", { name: item, exact: true }).waitFor()
  await page.keyboard.type(word)
  await highlighted.filter({ hasText: word }).waitFor()
  for (let name = await highlighted.innerText(); name !== item; name = await highlighted.innerText()) {
    await page.keyboard.press("ArrowDown")
    await expect.poll(() => highlighted.innerText()).not.toBe(name)
  }
  await page.keyboard.press("Enter")
  await page.getByRole("menu").waitFor({ state: "detached" })
}

const add = async (page: Page, opener: Locator, item: string): Promise<void> => {
  await press(page, opener)
  await pick(page, item)
}

describe.skipIf(whyNoChromium !== null)("the editors", { timeout: 240_000 }, () => {
  let bench: Bench
  let home: string

  beforeAll(async () => {
    bench = await startBench()
    home = `/app/a/${bench.service.sandbox.accountId}`
    for (const [name, city] of [
      ["ada", "Wien"],
      ["grace", "Graz"]
    ]) {
      await bench.post("/api/v1/contacts", bench.service.sandbox.apiKey, {
        email: `${name}@people.example`,
        firstName: name,
        city,
        consent: { basis: "Subscribed", proof: { text: "Yes" } }
      })
    }
    await bench.service.settle()
  }, 240_000)

  afterAll(() => bench?.close())

  it("have no finding of axe, in light and dark, wide and narrow, in English and German", async () => {
    const { cookie } = await bench.service.signIn({ role: "Admin" })
    const looks = [
      { name: "segment-new", isShown: true, path: `${home}/people/segments/new` },
      { name: "template-new", isShown: true, path: `${home}/templates/new` },
      { name: "template-blocks", isShown: true, path: `${home}/templates/new?from=welcome` },
      { name: "template-code", path: `${home}/templates/new?from=Mjml` }
    ]
    expect(await lookAt(bench, cookie, looks)).toEqual([])
  })

  it("make a segment, and say at once whom it selects", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Marketer" })
    await page.goto(`${home}/people/segments`)
    await settled(page)
    await press(page, page.getByRole("link", { name: "New segment" }).first())
    await type(page, page.getByLabel("Name"), "In Vienna")
    await press(page, page.getByRole("button", { name: "Add a rule" }))
    const rule = page.getByRole("listitem", { name: "Rule 1" })
    await choose(page, rule.getByLabel("Field"), "City")
    await type(page, rule.getByLabel("Value"), "wien")
    await page.getByText("People for whom City is “wien”.").waitFor()
    await page.getByRole("link", { name: "ada" }).waitFor()
    await press(page, page.getByRole("button", { name: "Create" }))
    await page.getByRole("heading", { name: "In Vienna" }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("make a template of blocks, and send a test", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    await page.goto(`${home}/templates`)
    await settled(page)
    await press(page, page.getByRole("link", { name: "New template" }).first())
    await press(page, page.getByRole("button", { name: "Visual composer" }))
    await type(page, page.getByLabel("Name", { exact: true }), "News")
    await type(page, page.getByLabel("Subject", { exact: true }), "News of today")
    await add(page, page.getByRole("button", { name: "Add a block" }).last(), "Text")
    await type(page, page.getByRole("textbox", { name: "Text", exact: true }).first(), "Hello **all**")
    await page.frameLocator("iframe").getByText("all").waitFor()
    // Formatting and placeholders are inserted by their buttons; the preview shows them above the brand's footer.
    await page.keyboard.press("Control+A")
    await press(page, page.getByRole("button", { name: "Bold" }))
    await page.frameLocator("iframe").locator("strong", { hasText: "Hello" }).waitFor()
    await page.frameLocator("iframe").getByText("Unsubscribe").waitFor()
    await add(page, page.getByRole("button", { name: "Add a block" }).last(), "Columns")
    const block = page.getByRole("button", { name: /^Block 1: Text/ }).first()
    await tabTo(page, block)
    await page.keyboard.press("Alt+ArrowRight")
    const inColumn = page.getByRole("region", { name: "Column 1" }).getByRole("button", { name: /Hello/ })
    await focused(inColumn)
    await page.keyboard.press("Alt+ArrowUp")
    await focused(page.locator("[data-place='0']"))
    await press(page, page.getByRole("button", { name: "Save" }))
    await page.getByRole("heading", { name: "News" }).waitFor()
    await press(page, page.getByRole("button", { name: "Send a test" }))
    await type(page, page.getByLabel("Address", { exact: true }), "me@example.org")
    await page.keyboard.press("Enter")
    await page.getByText("A test was sent to me@example.org").waitFor()
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([])
    await close()
  })

  it("make a flow with a branch and a wait, simulate and publish it", async () => {
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    await page.goto(`${home}/flows`)
    await settled(page)
    await press(page, page.getByRole("button", { name: "New flow" }).first())
    const adders = page.getByRole("button", { name: "Add a step", exact: true })
    await add(page, adders.last(), "Wait")
    await page.getByRole("button", { name: /^Wait/ }).waitFor()
    await add(page, adders.last(), "Branch")
    await page.getByRole("button", { name: /^Branch/ }).waitFor()
    await add(page, adders.first(), "End")
    await page.getByRole("button", { name: /^End/ }).waitFor()
    // A key adds a step after another one, and a key moves it into the paths of the branch below.
    const waiting = page.getByRole("button", { name: /^Wait/ })
    await tabTo(page, waiting)
    await page.keyboard.press("+")
    await pick(page, "Update contact")
    const change = page.getByRole("button", { name: /^Update contact/ })
    await expect.poll(() => change.getAttribute("data-place")).toBe("1")
    await focused(change)
    await page.keyboard.press("Alt+ArrowRight")
    await expect.poll(() => change.getAttribute("data-place")).toBe("1-then-1")
    await focused(change)
    await page.keyboard.press("Control+z")
    await expect.poll(() => change.getAttribute("data-place")).toBe("1")
    await tabTo(page, change)
    await page.keyboard.press("Delete")
    await change.waitFor({ state: "detached" })
    // A problem is shown with the name of its step; following it selects the step.
    await add(page, adders.last(), "Wait for an event")
    await press(page, page.getByRole("button", { name: "Save", exact: true }))
    const alert = page.getByRole("alert").filter({ hasText: "An event's name must be" })
    await press(page, alert.getByRole("button", { name: "Wait for an event" }))
    await type(page, page.getByLabel("Event", { exact: true }).first(), "user.activated")
    await press(page, page.getByRole("button", { name: "Save and run" }))
    await page.getByText("Saved", { exact: true }).first().waitFor()
    await page.getByText(/^Result:/).waitFor()
    const path = page.getByRole("group", { name: "Step by step" })
    await path.getByRole("button", { name: /^Wait: \d/ }).waitFor()
    await press(page, page.getByRole("button", { name: "Previous step" }))
    await page.getByText(/^Step (\d+) of (?!\1 )/).waitFor()
    await press(page, page.getByRole("button", { name: "Publish" }))
    await press(page, page.getByRole("dialog").getByRole("button", { name: "Publish" }))
    await page.getByText("Published as version 1").waitFor()
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([])
    await close()
  })

  it("warn before a flow is published whose email cannot leave", async () => {
    const { accountId } = bench.service.live
    const step = { id: "mail", kind: "SendEmail", purpose: "Transactional", subject: "Hi", text: "Hi" }
    const { id } = await bench.manage<{ id: string }>("POST", `/accounts/${accountId}/flows`, {
      name: "Live",
      trigger: { kind: "Api" },
      steps: [step]
    })
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    await page.goto(`/app/a/${accountId}/flows/${id}/edit`)
    await settled(page)
    await page.getByRole("button", { name: "Publish" }).click()
    await page.getByRole("dialog").getByText("No sending domain is verified yet").waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it("move a step by dragging its card into a path, and replay a run on a canvas without findings of axe", async () => {
    const always = { join: "All", rules: [] }
    const within = { id: "within", kind: "Branch", condition: always, then: [], else: [] }
    const paths = [
      { weight: 1, steps: [] },
      { weight: 1, steps: [] }
    ]
    const steps = [
      { id: "pause", kind: "Wait", duration: "P1D" },
      { id: "fork", kind: "Split", paths },
      { ...within, id: "around", then: [within] }
    ]
    const path = `/accounts/${bench.service.sandbox.accountId}/flows`
    const trigger = { kind: "Event", name: "trip.booked" }
    const { id } = await bench.manage<{ id: string }>("POST", path, { name: "Trip", trigger, steps })
    await bench.manage("POST", `${path}/${id}/publish`)
    const contact = { email: "ada@people.example" }
    await bench.post("/api/v1/events", bench.service.sandbox.apiKey, {
      events: [{ id: "trip-1", name: "trip.booked", contact }]
    })
    await bench.service.settle()
    const { close, page, problems } = await openAs(bench, { role: "Admin" })
    await page.goto(`${home}/flows/${id}/edit`)
    await settled(page)
    expect(await findingsOf(page)).toEqual([])
    const card = page.getByRole("button", { name: /^Wait/ })
    const end = page.getByRole("group", { name: "Path 2" }).getByRole("button", { name: "Add a step" })
    const from = (await card.boundingBox())!
    const to = (await end.boundingBox())!
    await page.mouse.move(from.x + 20, from.y + 20)
    await page.mouse.down()
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 })
    // The drop target is marked in the next frame.
    await page.locator("[data-slot][data-drop]").waitFor()
    await page.mouse.up()
    await expect.poll(() => card.getAttribute("data-place")).toBe("0-1-0")
    await focused(card)
    await page.keyboard.press("Control+z")
    await expect.poll(() => card.getAttribute("data-place")).toBe("0")
    await page.goto(`${home}/flows/${id}`)
    await settled(page)
    await page.getByRole("heading", { name: "Funnel" }).waitFor()
    const tracks = page.locator("dl > div > dd > [aria-hidden]")
    const widths = await tracks.evaluateAll((all) => all.map(({ clientWidth }) => clientWidth))
    expect([widths.length > 3, new Set(widths).size]).toEqual([true, 1])
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole("button", { name: "Log" }).click()
    const replayed = page.getByRole("dialog").getByRole("group", { name: "Show on canvas" })
    await replayed.getByText("1 day").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("listitem").filter({ hasText: "Active" }).getByText("Wait: 1 day").waitFor()
    expect(problems).toEqual([])
    await close()
  })
})
