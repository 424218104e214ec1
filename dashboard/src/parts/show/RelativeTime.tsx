/**
 * A time as people say it, with the exact one and its zone on hover.
 *
 * @module
 */
import { useFormat } from "../../app/reader.tsx"
import { useNow } from "../../lib/now.ts"

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
    <time
      dateTime={at}
      // Written when it is looked for: to format it takes longer than to draw the row of a list that it stands in.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = format.exact(date)
      }}
    >
      {form === "relative" ? format.relative(date, now) : format.moment(date, now)}
    </time>
  )
}
