/**
 * Stands in for the command palette while it loads, so that nothing typed in the meantime is lost.
 *
 * @module
 */
import { Icon } from "../../parts/page/Icon.tsx"
import { useTexts } from "../reader.tsx"
import styles from "./CommandPalette.module.css"

/** Gives a field the focus as soon as it is mounted. */
export const focusAtOnce = (field: HTMLInputElement | null): void => field?.focus()

/** The search field. The palette takes over the text typed into it. */
export const EarlyPalette = ({
  onClose,
  onType
}: {
  readonly onType: (typed: string) => void
  readonly onClose: () => void
}) => {
  const { palette } = useTexts()
  return (
    <div className={styles["viewport"]}>
      <div className={styles["palette"]} role="dialog" aria-modal="true" aria-label={palette.title} aria-busy>
        <div className={styles["field"]}>
          <Icon name="search" />
          <input
            ref={focusAtOnce}
            className={styles["input"]}
            placeholder={palette.placeholder}
            aria-label={palette.placeholder}
            onChange={({ target }) => onType(target.value)}
            onKeyDown={({ key }) => key === "Escape" && onClose()}
          />
        </div>
      </div>
    </div>
  )
}
