/**
 * A bar in a row of a table, for comparison with other rows. The row also has the numbers.
 *
 * @module
 */
import styles from "./Bar.module.css"

/** The parts of a bar, in order. */
const tones = ["good", "warning", "bad", "neutral"] as const

/** A bar whose length is the sum of its parts in proportion to `most`; nothing if the sum is 0. */
export const Bar = ({
  most,
  parts
}: {
  readonly parts: Readonly<Partial<Record<(typeof tones)[number], number>>>
  /** The largest sum in the table. */
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
