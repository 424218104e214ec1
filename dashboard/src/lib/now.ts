/**
 * The time now, as it passes.
 *
 * @module
 */
import { useEffect, useState } from "react"

const minuteMillis = 60_000

/** The time now, each minute. */
export const useNow = (): Date => {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), minuteMillis)
    return () => clearInterval(timer)
  }, [])
  return now
}
