/**
 * Sends the saved template to one address as a test.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"

/** The button with its dialog. */
export const TestSend = ({ templateId }: { readonly templateId: string }) => {
  const { common } = useTexts()
  const { template: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [to, setTo] = useState(user.email)
  const { error, isPending, mutate, reset } = useChange("POST /accounts/:accountId/templates/:id/test")
  const close = () => {
    setOpen(false)
    reset()
  }
  return (
    <>
      <Button icon="email" onClick={() => setOpen(true)}>
        {texts.test}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={texts.testTitle}
        text={texts.testText}
        onSubmit={() =>
          mutate(
            { params: { accountId, id: templateId }, body: { to: to.trim() } },
            {
              onSuccess: () => {
                toast(texts.sent(to.trim()))
                close()
              }
            }
          )
        }
        actions={
          <>
            <Button onClick={close}>{common.cancel}</Button>
            <Button type="submit" tone="primary" isBusy={isPending}>
              {texts.send}
            </Button>
          </>
        }
      >
        {error !== null && error.fields["to"] === undefined && <ErrorBanner error={error} />}
        <Field label={texts.testTo} error={error?.fields["to"]}>
          <Input type="email" value={to} onChange={({ target: { value } }) => setTo(value)} />
        </Field>
      </Dialog>
    </>
  )
}
