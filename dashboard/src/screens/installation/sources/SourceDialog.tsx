/**
 * Adds a source, or changes a source's host name, its pool, and whether it requires a PTR record.
 *
 * @module
 */
import { useState } from "react"
import { useChange, useExtra } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Checkbox, Field, Input, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { all, poolsRoute, type Source, sourceRoutes } from "./sourceStates.ts"

/** The pool of a source that names none. */
const defaultPool = "default"

/** The dialog. Without a source, it adds one. */
export const SourceDialog = ({
  onClose,
  source
}: {
  readonly source: Source | null
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { sources: texts } = useSourceTexts()
  const pools = useExtra(poolsRoute, all)?.items ?? []
  const [address, setAddress] = useState("")
  const [name, setName] = useState(source?.name ?? "")
  const [pool, setPool] = useState(source?.pool ?? defaultPool)
  const [force, setForce] = useState(source?.force ?? false)
  const add = useChange("POST /sources", { renews: sourceRoutes })
  const change = useChange("PATCH /sources/:id", { renews: sourceRoutes })
  const { error, isPending } = source === null ? add : change
  const body = { name: name.trim() === "" ? null : name.trim(), pool, force }
  const onSuccess = (done: (address: string) => string) => (saved: { readonly address: string }) => {
    toast(done(saved.address))
    onClose()
  }
  const save = () =>
    source === null
      ? add.mutate({ body: { ...body, address: address.trim() } }, { onSuccess: onSuccess(texts.added) })
      : change.mutate({ params: { id: source.id }, body }, { onSuccess: onSuccess(texts.saved) })
  const known = ["address", "name", "pool"]
  const options = [...new Set([defaultPool, pool, ...pools.map(({ key }) => key)])]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={source === null ? texts.add : texts.editTitle(source.address)}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {source === null ? texts.add : texts.save}
          </Button>
        </>
      }
    >
      {error !== null && !known.some((key) => error.fields[key] !== undefined) && (
        <ErrorBanner error={error} />
      )}
      {source === null && (
        <Field label={texts.address} hint={texts.addressHint} error={error?.fields["address"]}>
          <Input
            value={address}
            dir="ltr"
            autoComplete="off"
            onChange={(event) => setAddress(event.target.value)}
          />
        </Field>
      )}
      <Field label={texts.name} hint={texts.nameHint} error={error?.fields["name"]} isOptional>
        <Input
          value={name}
          dir="ltr"
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={texts.pool} error={error?.fields["pool"]}>
        <Select
          value={pool}
          onChange={(event) => setPool(event.target.value)}
          options={options.map((key) => ({
            value: key,
            label: pools.find((one) => one.key === key)?.name ?? key
          }))}
        />
      </Field>
      <Checkbox
        label={texts.force}
        hint={texts.forceHint}
        checked={force}
        onChange={(event) => setForce(event.target.checked)}
      />
    </Dialog>
  )
}
