/**
 * A progress bar.
 *
 * @module
 */
import styles from "./Progress.module.css"

/** A bar. */
export const Progress = ({
  label,
  share,
  text
}: {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  readonly text: string
}) => (
  <div className={styles["progress"]}>
    <progress aria-label={label} value={Math.min(1, share)} max={1} />
    <span>{text}</span>
  </div>
)
