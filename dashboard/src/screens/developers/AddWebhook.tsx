/**
 * The dialog that adds a webhook, and shows its secret once.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import { Checkbox, Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"

/** The dialog. */
export const AddWebhook = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { common, webhooks: texts } = useTexts()
  const [url, setUrl] = useState("https://")
  const [description, setDescription] = useState("")
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set())
  const [withVisitor, setVisitor] = useState(false)
  const { data, error, isPending, mutate, reset } = useChange("POST /accounts/:accountId/webhooks", {
    renews: ["GET /accounts/:accountId/webhooks"]
  })
  if (data !== undefined)
    return (
      <SecretDialog
        title={texts.createdTitle}
        label={texts.secret}
        secret={data.secret}
        note={texts.once}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  const create = () =>
    mutate({
      params: { accountId },
      body: {
        url: url.trim(),
        events: [...events],
        fields: withVisitor ? ["visitor"] : [],
        description: description.trim() === "" ? null : description.trim()
      }
    })
  const known = ["url", "description"]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={create}
      title={texts.add}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.add}
          </Button>
        </>
      }
    >
      {error !== null && !known.some((key) => error.fields[key] !== undefined) && (
        <ErrorBanner error={error} />
      )}
      <Field label={texts.url} hint={texts.urlHint} error={error?.fields["url"]}>
        <Input
          type="url"
          value={url}
          autoComplete="off"
          dir="ltr"
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <Field label={texts.description} isOptional error={error?.fields["description"]}>
        <Input
          value={description}
          autoComplete="off"
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <Choices
        label={`${texts.events}. ${texts.eventsHint}`}
        values={events}
        onChange={setEvents}
        options={Object.entries(texts.eventTexts)
          .filter(([value]) => value !== "webhook.test")
          .map(([value, label]) => ({ value, label }))}
      />
      <Checkbox
        label={texts.visitor}
        hint={texts.visitorHint}
        checked={withVisitor}
        onChange={(event) => setVisitor(event.target.checked)}
      />
    </Dialog>
  )
}
