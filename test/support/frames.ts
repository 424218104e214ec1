/**
 * Measures the durations of a page's frames.
 *
 * @module
 */
import type { Page } from "playwright-core"

/**
 * Runs in the page: scrolls the list to its end in 120 steps, one per frame, and records the frames and the number of rendered
 * rows.
 */
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

/**
 * Scrolls the list of a page to its end. Resolves with the durations of the frames, in milliseconds, and the most rows rendered
 * at the same time.
 */
export const scrollToEnd = (
  page: Page
): Promise<{ readonly frames: ReadonlyArray<number>; readonly rows: number }> => page.evaluate(scrolling)

/** The durations of a page's frames while an action runs, in milliseconds. */
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

/** A quantile of the values, in milliseconds with one decimal. */
export const atMost = (values: ReadonlyArray<number>, share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0).toFixed(1)
