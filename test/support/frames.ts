/**
 * Notes how long the frames of a page take.
 *
 * @module
 */
import type { Page } from "playwright-core"

/** Runs in the page: scrolls the list to its end in 120 steps, one a frame, and notes the frames and the rows that are drawn. */
const scrolling = `new Promise((resolve) => {
  const list = document.querySelector("[role=table]")
  const frames = []
  let rows = 0
  let last = performance.now()
  const step = (now) => {
    frames.push(now - last)
    last = now
    rows = Math.max(rows, document.querySelectorAll("[data-row]").length)
    if (frames.length > 120) return resolve({ frames, rows })
    list.scrollTop = ((list.scrollHeight - list.clientHeight) * frames.length) / 120
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`

/** Scrolls the list of a page to its end. Resolves with the frames, in milliseconds, and the most rows that were drawn. */
export const scrollToEnd = (
  page: Page
): Promise<{ readonly frames: ReadonlyArray<number>; readonly rows: number }> => page.evaluate(scrolling)

/** The frames of a page while something is done, in milliseconds. */
export const framesOf = async (page: Page, act: () => Promise<void>): Promise<ReadonlyArray<number>> => {
  await page.evaluate(`(() => {
    const noted = (globalThis.notedFrames = [])
    let last = performance.now()
    const note = (now) => {
      noted.push(now - last)
      last = now
      if (globalThis.notedFrames === noted) requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
  })()`)
  await act()
  return page.evaluate("(() => { const noted = notedFrames; delete globalThis.notedFrames; return noted })()")
}

/** The time that a share of the values is at most, in milliseconds with one digit. */
export const atMost = (values: ReadonlyArray<number>, share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0).toFixed(1)
