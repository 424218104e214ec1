/**
 * Measures the CPU time of this thread, and how long it blocks the event loop.
 *
 * @module
 */

/** The CPU time that this thread has used so far, in milliseconds. Other processes do not affect it. */
export const spentMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/**
 * The longest time, in milliseconds, for which this thread's own work delayed a 5 ms timer while an action was running. It is
 * measured in CPU time, so that other processes do not affect it.
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
    // Lets the timer notice a stall at the end.
    await new Promise((resolve) => setTimeout(resolve, 10))
  } finally {
    clearInterval(timer)
  }
  return longest
}
