/**
 * Measures the processor's time of this thread, and how long it holds the event loop.
 *
 * @module
 */

/** The processor's time, milliseconds, that this thread has taken so far: what other processes of the machine take does not count. */
export const spentMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/**
 * The longest time, milliseconds, for which this thread's own work kept a timer of 5 ms from running while an action was in
 * progress. It is CPU time, so that other processes of the machine do not count.
 */
export const longestStall = async (act: () => Promise<unknown>): Promise<number> => {
  let last = spentMillis()
  let longest = 0
  const timer = setInterval(() => {
    const now = spentMillis()
    longest = Math.max(longest, now - last)
    last = now
  }, 5)
  try {
    await act()
    // A stall at the end counts too.
    await new Promise((resolve) => setTimeout(resolve, 10))
  } finally {
    clearInterval(timer)
  }
  return longest
}
