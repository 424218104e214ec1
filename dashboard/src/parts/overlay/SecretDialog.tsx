/**
 * The dialog that shows a new secret once.
 *
 * @module
 */
import type { ReactNode } from "react"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../form/Button.tsx"
import { SecretOnce } from "../show/Code.tsx"
import { Dialog } from "./Dialog.tsx"

/** The dialog. Its opener must discard the secret when the dialog closes. */
export const SecretDialog = ({
  label,
  note,
  onClose,
  secret,
  text,
  title
}: {
  readonly title: string
  readonly label: string
  readonly secret: string
  readonly note: string
  readonly text?: ReactNode
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      text={text}
      actions={
        <Button tone="primary" onClick={onClose}>
          {common.done}
        </Button>
      }
    >
      <SecretOnce label={label} secret={secret} note={note} />
    </Dialog>
  )
}
