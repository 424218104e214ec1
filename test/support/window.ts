/**
 * The rate windows of the service under test.
 *
 * @module
 */
import type { Target } from "./targets.ts"

/** The length of a rate window. */
export const windowMillis = 60_000

/** How long the calls of a test take on a busy machine at most, milliseconds. */
const spanMillis = 20_000

/** Goes on to the next window where the current one may end before the test does, so that a test lies in one. */
export const enterWindow = async ({ advance, now }: Pick<Target, "advance" | "now">): Promise<void> => {
  const left = windowMillis - (now() % windowMillis)
  if (left >= spanMillis) return
  if (advance === null) await new Promise((resolve) => setTimeout(resolve, left + 20))
  else await advance(left + 20)
}
