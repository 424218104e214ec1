/**
 * Lists the shortcuts of the keyboard.
 *
 * @module
 */
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { areasOf, installationScreen } from "./navigation.ts"
import { useTexts } from "../reader.tsx"
import { useNavigationAccount, useSession } from "../session.ts"
import styles from "./ShortcutsDialog.module.css"

/** The list. */
export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const texts = useTexts()
  const account = useNavigationAccount()
  const { operator } = useSession()
  const screens = [
    ...(account === null ? [] : areasOf(account).flat()),
    ...(operator ? [installationScreen] : [])
  ]
  const entries: ReadonlyArray<readonly [string, string]> = [
    ["Ctrl K", texts.shortcuts.palette],
    ["/", texts.shortcuts.search],
    ["↑ ↓", texts.shortcuts.rows],
    ["Enter", texts.shortcuts.open],
    ...screens.map(({ key, name }) => [`G ${key.toUpperCase()}`, texts.shortcuts.go(name(texts))] as const),
    ["?", texts.shortcuts.help]
  ]
  return (
    <Dialog isOpen onClose={onClose} title={texts.shortcuts.title}>
      <dl className={styles["list"]}>
        {entries.map(([keys, text]) => (
          <div key={keys}>
            <dt>{text}</dt>
            <dd>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
