/**
 * Creates a token of the installation.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { companyRights, installationRights } from "../../lib/rights.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"

const optionsOf = (rights: ReadonlyArray<string>) => rights.map((value) => ({ value, label: value }))

/** The dialog. */
export const CreateToken = ({ onClose }: { readonly onClose: () => void }) => {
  const { common, installation: texts, keys, tokens } = useTexts()
  const [name, setName] = useState("")
  const [expiry, setExpiry] = useState("90")
  const [rights, setRights] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const { data, error, isPending, mutate, reset } = useChange("POST /tokens", { renews: ["GET /tokens"] })
  if (data !== undefined)
    return (
      <SecretDialog
        title={keys.createdTitle(data.name)}
        label={tokens.token}
        secret={data.token}
        note={tokens.once}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  const create = () => {
    setTried(true)
    if (rights.size === 0) return
    mutate({
      body: {
        name: name.trim(),
        rights: [...rights],
        expiresInDays: expiry === "never" ? null : Number(expiry)
      }
    })
  }
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={create}
      title={tokens.add}
      text={texts.tokensText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {keys.create}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={tokens.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={keys.expiry}>
        <Select
          value={expiry}
          onChange={(event) => setExpiry(event.target.value)}
          options={["30", "90", "365", "never"].map((value) => ({
            value,
            label: keys.expiries[value] ?? value
          }))}
        />
      </Field>
      <Choices
        label={texts.installationRights}
        values={rights}
        onChange={setRights}
        error={tried && rights.size === 0 ? tokens.choose : undefined}
        options={optionsOf(installationRights)}
      />
      <Choices
        label={texts.companyRights}
        values={rights}
        onChange={setRights}
        options={optionsOf(companyRights)}
      />
    </Dialog>
  )
}
