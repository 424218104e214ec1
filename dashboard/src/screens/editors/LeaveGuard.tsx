/**
 * Asks for confirmation before a screen with unsaved changes is left.
 *
 * @module
 */
import { useBlocker } from "@tanstack/react-router"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"

/** Guards the screen while `isChanged` returns true. */
export const LeaveGuard = ({ isChanged }: { readonly isChanged: () => boolean }) => {
  const { leave: texts } = useEditorTexts()
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isChanged(),
    enableBeforeUnload: isChanged,
    withResolver: true
  })
  if (blocker.status !== "blocked") return null
  return (
    <Dialog
      isOpen
      onClose={blocker.reset}
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <Button onClick={blocker.reset}>{texts.stay}</Button>
          <Button tone="danger" onClick={blocker.proceed}>
            {texts.leave}
          </Button>
        </>
      }
    />
  )
}
