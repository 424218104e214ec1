/**
 * The rate windows of the service under test.
 *
 * @module
 */
import type { Target } from "./targets.ts"

/** The length of a rate window. */
export const windowMillis = 60_000

/** The longest time that the calls of a test take on a busy machine, in milliseconds. */
const spanMillis = 20_000

/** Waits for the next window if the current one may end during the test, so that the whole test is within one window. */
export const enterWindow = async ({ advance, now }: Pick<Target, "advance" | "now">): Promise<void> => {
  const left = windowMillis - (now() % windowMillis)
  if (left >= spanMillis) return
  if (advance === null) await new Promise((resolve) => setTimeout(resolve, left + 20))
  else await advance(left + 20)
}
