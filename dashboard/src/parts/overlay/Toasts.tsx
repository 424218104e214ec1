/**
 * Shows the messages of `toasts.ts` and announces them to screen readers.
 *
 * @module
 */
import { useEffect, useState, useSyncExternalStore } from "react"
import { useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { Button, IconButton } from "../form/Button.tsx"
import styles from "./Toasts.module.css"
import { currentToasts, dismissToast, subscribeToasts, type Toast, toastMillis } from "./toasts.ts"

const Message = ({ id, text, tone, undo }: Toast) => {
  const texts = useTexts()
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(() => dismissToast(id), undo === null ? toastMillis.plain : toastMillis.undo)
    return () => clearTimeout(timer)
  }, [id, isHeld, undo])
  return (
    <li
      className={classes(styles["toast"], tone === "bad" && styles["bad"])}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{text}</span>
      {undo !== null && (
        <Button
          isSmall
          tone="quiet"
          onClick={() => {
            dismissToast(id)
            undo()
          }}
        >
          {texts.common.undo}
        </Button>
      )}
      <IconButton isSmall icon="close" label={texts.common.close} onClick={() => dismissToast(id)} />
    </li>
  )
}

/** The messages, at the end of the page. */
export const Toasts = () => {
  const toasts = useSyncExternalStore(subscribeToasts, currentToasts)
  return (
    <div role="status" aria-live="polite" className={styles["place"]}>
      <ul className={styles["list"]}>
        {toasts.map((one) => (
          <Message key={one.id} {...one} />
        ))}
      </ul>
    </div>
  )
}
