/**
 * The checkbox of a row in a list.
 *
 * @module
 */
import { useEffect, useRef } from "react"
import styles from "./Field.module.css"

/** A checkbox without a visible label. `isPartial` shows that only some of the things it stands for are selected. */
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
