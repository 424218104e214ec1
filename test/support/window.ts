/**
 * The rate windows of the service under test.
 *
 * @module
 */
import type { Target } from "./targets.ts"

/** The length of a rate window. */
export const windowMillis = 60_000

/** Waits for the next window where the current one is about to end, so that a test lies in one. */
export const enterWindow = async (target: Target): Promise<void> => {
  const left = windowMillis - (target.now() % windowMillis)
  if (left < 5000) await new Promise((resolve) => setTimeout(resolve, left + 20))
}
