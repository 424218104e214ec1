/**
 * Tests the progress of long work, on a terminal and elsewhere.
 *
 * @module
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { progressTo } from "../../runtimes/telemetry/progress.ts"

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const stream = (isTTY: boolean) => {
  let text = ""
  return {
    isTTY,
    columns: 100,
    write: (part: string) => {
      text += part
      return true
    },
    text: () => text
  }
}

/** Reports every second that another hundredth is done. */
const work = (to: ReturnType<typeof stream>, seconds: number) => {
  const { end, report } = progressTo(to)
  for (let second = 0; second <= seconds; second++) {
    report("Copying", second, 100)
    vi.advanceTimersByTime(1_000)
  }
  end()
}

it("progress is a line every ten seconds where there is no terminal", () => {
  const output = stream(false)
  work(output, 35)
  const lines = output
    .text()
    .split("\n")
    .filter((line) => line !== "")
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(/^Copying: (9|10)%, about 1m3\ds left$/)
  expect(lines[2]).toMatch(/^Copying: (28|29|30)%, about 1m1\ds left$/)
  expect(lines[3]).toMatch(/^Copying: 35%/)
})

it("progress of short work writes nothing where there is no terminal", () => {
  const output = stream(false)
  work(output, 5)
  expect(output.text()).toBe("")
})

it("progress is a bar on a terminal", () => {
  const output = stream(true)
  work(output, 50)
  expect(output.text()).toMatch(/Copying \[=+-+\] 50%, about 50s left/)
})
