/**
 * A value that follows another once it has rested.
 *
 * @module
 */
import { useEffect, useState } from "react"

/** The value as it was when it last rested for so many milliseconds. */
export const useDebounced = <Value>(value: Value, millis: number): Value => {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), millis)
    return () => clearTimeout(timer)
  }, [millis, value])
  return rested
}
