/**
 * The dialog of a thing that an address names and that is not there.
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
