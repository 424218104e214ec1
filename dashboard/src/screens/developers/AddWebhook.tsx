/**
 * The dialog that adds a webhook, and shows its secret once.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import { Checkbox, Field, Input } from "../../parts/form/Field.tsx"
import { CreateDialog } from "../../parts/overlay/CreateDialog.tsx"

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
  const change = useChange("POST /accounts/:accountId/webhooks", {
    renews: ["GET /accounts/:accountId/webhooks"]
  })
  const { error, mutate } = change
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
  return (
    <CreateDialog
      change={change}
      onClose={onClose}
      onSubmit={create}
      title={texts.add}
      text={texts.addText}
      action={common.add}
      known={["url", "description"]}
      shown={({ secret }) => ({
        title: texts.createdTitle,
        label: texts.secret,
        secret,
        note: texts.once
      })}
    >
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
        label={texts.events}
        hint={texts.eventsHint}
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
    </CreateDialog>
  )
}
