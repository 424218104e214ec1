/**
 * Two texts compared line by line.
 *
 * @module
 */
import { useMemo } from "react"
import { classes } from "../../lib/classes.ts"
import { diffOf } from "../../lib/diff.ts"
import styles from "./Diff.module.css"

/** Signs, because colour alone must not carry the meaning. */
const signs = { Same: " ", Added: "+", Removed: "-" }

/** The comparison. */
export const Diff = ({
  after,
  before,
  label
}: {
  readonly label: string
  readonly before: string
  readonly after: string
}) => {
  const lines = useMemo(() => diffOf(before, after), [before, after])
  return (
    // Scrollable content must be focusable for the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={styles["diff"]} tabIndex={0} role="group" aria-label={label} dir="ltr">
      {lines.map(({ kind, text }, at) => (
        // Lines have no ids, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <code key={at} className={classes(styles["line"], styles[kind])}>
          {`${signs[kind]} ${text}`}
        </code>
      ))}
    </pre>
  )
}
