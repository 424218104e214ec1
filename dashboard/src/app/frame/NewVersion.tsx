/**
 * Offers to load the page again after an upgrade, when a part that was not loaded yet is gone. It does not reload by itself:
 * edits would be lost.
 *
 * @module
 */
import { useEffect, useState } from "react"
import { Button } from "../../parts/form/Button.tsx"
import { useTexts } from "../reader.tsx"
import styles from "./NewVersion.module.css"

/** The offer, while it applies. */
export const NewVersion = () => {
  const { common, errors } = useTexts()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const show = () => setShown(true)
    addEventListener("vite:preloadError", show)
    return () => removeEventListener("vite:preloadError", show)
  }, [])
  if (!isShown) return null
  return (
    <div className={styles["offer"]} role="alert">
      <div>
        <strong>{errors.newVersion}</strong>
        <p>{errors.newVersionText}</p>
      </div>
      <Button onClick={() => setShown(false)}>{common.close}</Button>
      <Button tone="primary" onClick={() => location.reload()}>
        {errors.reload}
      </Button>
    </div>
  )
}
