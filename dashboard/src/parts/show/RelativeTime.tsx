/**
 * A time as people say it, with the exact one and its zone on hover.
 *
 * @module
 */
import { useEffect, useState } from "react"
import { useFormat } from "../../app/reader.tsx"

const minuteMillis = 60_000

/** The time now, each minute. */
const useNow = (): Date => {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), minuteMillis)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** A time: relative, or the moment itself where several are compared. */
export const RelativeTime = ({
  at,
  form = "relative"
}: {
  /** ISO 8601; null shows a dash. */
  readonly at: string | null
  readonly form?: "relative" | "moment"
}) => {
  const now = useNow()
  const format = useFormat()
  if (at === null) return <span>–</span>
  const date = new Date(at)
  return (
    <time dateTime={at} title={format.exact(date)}>
      {form === "relative" ? format.relative(date, now) : format.moment(date, now)}
    </time>
  )
}
