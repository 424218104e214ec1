/**
 * Modal dialogs. They keep the focus inside and close with Escape.
 *
 * @module
 */
import { Dialog as Base } from "@base-ui/react/dialog"
import { type FormEvent, type ReactNode, useRef, useState, useSyncExternalStore } from "react"
import { openGate, subscribeGate } from "../../api/gates.ts"
import { useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { Button, IconButton } from "../form/Button.tsx"
import { Field, Input } from "../form/Field.tsx"
import { BackContext } from "../page/back.ts"
import { Skeleton } from "../page/Empty.tsx"
import styles from "./Dialog.module.css"

/** Selects the fields that a user fills in. */
const fields = "input:not([type=hidden]):not([readonly]), select, textarea"

/** A dialog. With `onSubmit`, its content is a form. The first field gets the focus, except on touch screens. */
export const Dialog = ({
  actions,
  children,
  isGate = false,
  isOpen,
  isWide = false,
  onClose,
  onSubmit,
  text,
  title
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  /** One or two sentences below the title. */
  readonly text?: ReactNode
  readonly children?: ReactNode
  /** The buttons. The one that performs the action comes last. */
  readonly actions?: ReactNode
  readonly onSubmit?: () => void
  readonly isWide?: boolean
  /**
   * Whether calls wait for this dialog (`api/gates`). Other dialogs that open meanwhile, such as one from the URL, would cover
   * it.
   */
  readonly isGate?: boolean
}) => {
  const texts = useTexts()
  const mayOpen = useSyncExternalStore(subscribeGate, openGate) === null || isGate
  const [hasOpened, setOpened] = useState(mayOpen)
  if (mayOpen && !hasOpened) setOpened(true)
  const popup = useRef<HTMLDivElement>(null)
  const content = (
    <>
      {children !== undefined && (
        <div className={styles["content"]}>
          <BackContext value={null}>{children}</BackContext>
        </div>
      )}
      {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
    </>
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onSubmit?.()
  }
  return (
    <Base.Root open={isOpen && hasOpened} onOpenChange={(open) => open || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles["shade"]} />
        <Base.Viewport className={styles["viewport"]}>
          <Base.Popup
            ref={popup}
            className={classes(styles["dialog"], isWide && styles["wide"])}
            initialFocus={(by) =>
              (by === "touch" ? null : popup.current?.querySelector<HTMLElement>(fields)) ?? true
            }
          >
            <header className={styles["head"]}>
              <div>
                <Base.Title className={styles["title"]}>{title}</Base.Title>
                {text !== undefined && <Base.Description className={styles["text"]}>{text}</Base.Description>}
              </div>
              <IconButton isSmall icon="close" label={texts.common.close} onClick={onClose} />
            </header>
            {onSubmit === undefined ? (
              content
            ) : (
              <form onSubmit={submit} noValidate>
                {content}
              </form>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** Asks for confirmation of an action that cannot be undone, and says what it affects, in numbers. */
export const ConfirmDialog = ({
  action,
  children,
  isBusy = false,
  isOpen,
  name,
  onClose,
  onConfirm,
  text,
  title,
  tone = "danger"
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  /** What the action affects, in numbers. Null while that is being read; until then the action cannot be confirmed. */
  readonly text: ReactNode
  /** `primary` for an action that destroys nothing but cannot be undone either. */
  readonly tone?: "danger" | "primary"
  /** Further details, such as a list. */
  readonly children?: ReactNode
  /** The label of the button that confirms. */
  readonly action: string
  readonly onConfirm: () => void
  readonly isBusy?: boolean
  /** The name that must be typed to confirm, for an action on many people or on a live domain. */
  readonly name?: string
}) => {
  const texts = useTexts()
  const [typed, setTyped] = useState("")
  // Text copied from the label may contain the isolate characters around a right-to-left name.
  const mayGo = text !== null && (name === undefined || typed.replace(/[\u2068\u2069]/g, "").trim() === name)
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      text={text ?? <Skeleton width="16rem" />}
      onSubmit={() => mayGo && onConfirm()}
      actions={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" tone={tone} isBusy={isBusy} disabled={!mayGo}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {name !== undefined && (
        <Field label={texts.common.typeName(name)}>
          <Input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
        </Field>
      )}
    </Dialog>
  )
}
