/**
 * Offers to load the page again after an upgrade, when a part that was not loaded yet is gone. It does not reload by itself:
 * edits would be lost.
 *
 * @module
 */
import { useSyncExternalStore } from "react"
import { Button } from "../../parts/form/Button.tsx"
import { dismissNewVersion, isNewVersion, subscribeNewVersion } from "../newVersion.ts"
import { useTexts } from "../reader.tsx"
import styles from "./NewVersion.module.css"

/** The offer, while it applies. */
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
