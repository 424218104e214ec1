/**
 * Measures how long the event loop of this process is held.
 *
 * @module
 */

/**
 * The longest time, milliseconds, for which this thread's own work kept a timer of 5 ms from running while an action was in
 * progress. It is CPU time, so that other processes of the machine do not count.
 */
export const longestStall = async (act: () => Promise<unknown>): Promise<number> => {
  const spent = () => {
    const { system, user } = process.threadCpuUsage()
    return (system + user) / 1000
  }
  let last = spent()
  let longest = 0
  const timer = setInterval(() => {
    const now = spent()
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
