/**
 * Keeps the process alive while calls of the embedded service are in progress, and no longer. The service's timers, threads and
 * connections do not keep it alive.
 *
 * @module
 */

/** The longest interval of a timer, in milliseconds. */
const longest = 2 ** 31 - 1

/** Makes a function that runs calls and keeps the process alive while they run. */
export const makeCallsInProgress = () => {
  let running = 0
  let timer: NodeJS.Timeout | undefined
  return async <A>(call: () => Promise<A>): Promise<A> => {
    if (running++ === 0) timer = setInterval(() => undefined, longest)
    try {
      return await call()
    } finally {
      if (--running === 0) clearInterval(timer)
    }
  }
}
