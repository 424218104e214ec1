/**
 * The dialog of the account's default sender.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"

interface Sender {
  readonly email: string
  readonly name: string | null
}

/** The dialog. */
export const SenderDialog = ({
  accountId,
  onClose,
  sender
}: {
  readonly accountId: string
  readonly sender: Sender | null
  readonly onClose: () => void
}) => {
  const { common, domains: texts } = useTexts()
  const [email, setEmail] = useState(sender?.email ?? "")
  const [name, setName] = useState(sender?.name ?? "")
  const { error, isPending, mutate } = useChange("PATCH /accounts/:accountId/settings", {
    renews: ["GET /accounts/:accountId"]
  })
  const save = (defaultSender: Sender | null) =>
    mutate(
      { params: { accountId }, body: { defaultSender } },
      {
        onSuccess: () => {
          toast(texts.senderSaved)
          onClose()
        }
      }
    )
  const fieldOf = (key: string) => error?.fields[`defaultSender.${key}`] ?? error?.fields[key]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => save({ email: email.trim(), name: name.trim() === "" ? null : name.trim() })}
      title={texts.defaultSender}
      text={texts.defaultSenderText}
      actions={
        <>
          {sender !== null && <Button onClick={() => save(null)}>{texts.noSender}</Button>}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {error !== null && fieldOf("email") === undefined && fieldOf("name") === undefined && (
        <ErrorBanner error={error} />
      )}
      <Field label={texts.senderEmail} error={fieldOf("email")}>
        <Input
          type="email"
          value={email}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={texts.senderName} isOptional error={fieldOf("name")}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  )
}
