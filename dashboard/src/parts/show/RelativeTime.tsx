/**
 * A time relative to now, with the exact time and its zone on hover.
 *
 * @module
 */
import { useFormat } from "../../app/reader.tsx"
import { useNow } from "../../lib/now.ts"

/** A time, either relative, or as date and time where several are compared. */
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
    <time
      dateTime={at}
      // Formatted only on hover, because formatting takes longer than rendering the rest of a list's row.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = format.exact(date)
      }}
    >
      {form === "relative" ? format.relative(date, now) : format.moment(date, now)}
    </time>
  )
}
