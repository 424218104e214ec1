/**
 * Debounces a value.
 *
 * @module
 */
import { useEffect, useState } from "react"

/** The value, updated once it has not changed for the given number of milliseconds. */
export const useDebounced = <Value>(value: Value, millis: number): Value => {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), millis)
    return () => clearTimeout(timer)
  }, [millis, value])
  return rested
}
