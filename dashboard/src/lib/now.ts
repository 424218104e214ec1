/**
 * The current time, updated each minute.
 *
 * @module
 */
import { useSyncExternalStore } from "react"

const minuteMillis = 60_000

const listeners = new Set<() => void>()
let now = new Date()
let timer: ReturnType<typeof setInterval> | undefined

const tick = () => {
  now = new Date()
  for (const listener of listeners) listener()
}

/** One timer shared by all components that show a time; a list has hundreds of them. */
const subscribe = (listener: () => void) => {
  if (listeners.size === 0) {
    timer = setInterval(tick, minuteMillis)
    now = new Date()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** The current time, updated each minute. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now)
