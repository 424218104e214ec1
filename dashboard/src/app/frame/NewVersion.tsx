/**
 * Offers to reload the page if a part of it is gone after an upgrade. The page does not reload by itself, because unsaved edits
 * would be lost.
 *
 * @module
 */
import { useSyncExternalStore } from "react"
import { Button } from "../../parts/form/Button.tsx"
import { dismissNewVersion, isNewVersion, subscribeNewVersion } from "../newVersion.ts"
import { useTexts } from "../reader.tsx"
import styles from "./NewVersion.module.css"

/** The banner with the offer. */
export const NewVersion = () => {
  const { common, errors } = useTexts()
  if (!useSyncExternalStore(subscribeNewVersion, isNewVersion)) return null
  return (
    <div className={styles["offer"]} role="alert">
      <div>
        <strong>{errors.newVersion}</strong>
        <p>{errors.newVersionText}</p>
      </div>
      <Button onClick={dismissNewVersion}>{common.close}</Button>
      <Button tone="primary" onClick={() => location.reload()}>
        {errors.reload}
      </Button>
    </div>
  )
}
