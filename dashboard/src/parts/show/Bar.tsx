/**
 * A bar for a row of a table, to compare it with the others. Its numbers are in the row.
 *
 * @module
 */
import styles from "./Bar.module.css"

/** The parts of a bar, in their order. */
const tones = ["good", "warning", "bad", "neutral"] as const

/** A bar, as long as its parts together are of `most`; nothing of nothing. */
export const Bar = ({
  most,
  parts
}: {
  readonly parts: Readonly<Partial<Record<(typeof tones)[number], number>>>
  /** The longest of the table. */
  readonly most: number
}) => {
  const shown = tones.map((tone) => [tone, parts[tone] ?? 0] as const).filter(([, count]) => count > 0)
  const whole = shown.reduce((sum, [, count]) => sum + count, 0)
  if (whole === 0) return null
  return (
    <div
      className={styles["bar"]}
      style={{ width: `${(whole / Math.max(whole, most)) * 100}%` }}
      aria-hidden="true"
    >
      {shown.map(([tone, count]) => (
        <span key={tone} className={styles[tone]} style={{ flexGrow: count }} />
      ))}
    </div>
  )
}
