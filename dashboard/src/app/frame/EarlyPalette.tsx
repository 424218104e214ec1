/**
 * Stands for the command palette while that is being loaded, so that nothing is lost of what is typed meanwhile.
 *
 * @module
 */
import { Icon } from "../../parts/page/Icon.tsx"
import { useTexts } from "../reader.tsx"
import styles from "./CommandPalette.module.css"

/** Gives a field the focus as soon as it is there. */
export const focusAtOnce = (field: HTMLInputElement | null): void => field?.focus()

/** The palette's field: what is typed into it is where the palette begins. */
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
