/**
 * The dialog shown if the thing that the URL names does not exist.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../form/Button.tsx"
import { useMissingTitle } from "../page/Missing.tsx"
import { Dialog } from "./Dialog.tsx"

/** The dialog. */
export const MissingDialog = ({
  onClose,
  thing
}: {
  readonly thing: string
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={useMissingTitle()(thing)}
      text={common.missingText}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    />
  )
}
