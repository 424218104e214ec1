/**
 * A box to tick in a row of a list, which is named by the row.
 *
 * @module
 */
import { useEffect, useRef } from "react"
import styles from "./Field.module.css"

/** A box without a visible label. `isPartial` shows that some of what it stands for is chosen. */
export const Tick = ({
  checked,
  isPartial = false,
  label,
  onChange
}: {
  readonly label: string
  readonly checked: boolean
  readonly isPartial?: boolean
  readonly onChange: () => void
}) => {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isPartial
  }, [isPartial])
  return (
    <input
      ref={box}
      type="checkbox"
      className={styles["checkbox"]}
      checked={checked}
      aria-label={label}
      onChange={onChange}
    />
  )
}
