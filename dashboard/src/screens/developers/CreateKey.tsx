/**
 * The dialog that creates a key, and shows it once.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"

/** The dialog. */
export const CreateKey = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { common, keys: texts } = useTexts()
  const [name, setName] = useState("")
  const [expiry, setExpiry] = useState("90")
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(new Set(["emails:send"]))
  const [tried, setTried] = useState(false)
  const { data, error, isPending, mutate, reset } = useChange("POST /accounts/:accountId/api-keys", {
    renews: ["GET /accounts/:accountId/api-keys"]
  })
  if (data !== undefined)
    return (
      <SecretDialog
        title={texts.createdTitle(data.name)}
        label={texts.key}
        secret={data.key}
        note={texts.once}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  const create = () => {
    setTried(true)
    if (permissions.size === 0) return
    mutate({
      params: { accountId },
      body: {
        name: name.trim(),
        permissions: [...permissions],
        expiresInDays: expiry === "never" ? null : Number(expiry)
      }
    })
  }
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
            {texts.create}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.name} hint={texts.nameHint} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Choices
        label={texts.permissions}
        values={permissions}
        onChange={setPermissions}
        error={tried && permissions.size === 0 ? texts.choose : undefined}
        options={Object.entries(texts.permissionTexts).map(([value, label]) => ({
          value,
          label,
          hint: value
        }))}
      />
      <Field label={texts.expiry}>
        <Select
          value={expiry}
          onChange={(event) => setExpiry(event.target.value)}
          options={["30", "90", "365", "never"].map((value) => ({
            value,
            label: texts.expiries[value] ?? value
          }))}
        />
      </Field>
    </Dialog>
  )
}
