/**
 * Adds an identity provider with which users of the whole installation can sign in.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"

/** The fields, in order. */
const fields = ["name", "issuer", "clientId", "clientSecret", "emailDomains"] as const

type FieldName = (typeof fields)[number]

const nothing: Readonly<Record<FieldName, string>> = {
  name: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  emailDomains: ""
}

/** The dialog. */
export const CreateProvider = ({ onClose }: { readonly onClose: () => void }) => {
  const { common, installation: texts } = useTexts()
  const [values, setValues] = useState(nothing)
  const [isRequired, setRequired] = useState(false)
  const { error, isPending, mutate } = useChange("POST /identity-providers", {
    renews: ["GET /identity-providers"]
  })
  const { emailDomains, ...plain } = values
  const create = () =>
    mutate(
      {
        body: {
          ...plain,
          required: isRequired,
          emailDomains: emailDomains.split(/[\s,]+/).filter((domain) => domain !== "")
        }
      },
      {
        onSuccess: ({ name }) => {
          toast(texts.providerAdded(name))
          onClose()
        }
      }
    )
  const isOfField = error !== null && fields.some((field) => error.fields[field] !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={create}
      title={texts.addProvider}
      text={texts.addProviderText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.add}
          </Button>
        </>
      }
    >
      {error !== null && !isOfField && <ErrorBanner error={error} />}
      {fields.map((field) => (
        <Field
          key={field}
          label={texts.providerFields[field]}
          hint={texts.providerHints[field]}
          isOptional={field === "emailDomains"}
          error={error?.fields[field]}
        >
          <Input
            type={field === "clientSecret" ? "password" : "text"}
            value={values[field]}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setValues({ ...values, [field]: event.target.value })}
          />
        </Field>
      ))}
      <Checkbox
        label={texts.providerRequired}
        hint={texts.providerRequiredHint}
        checked={isRequired}
        onChange={(event) => setRequired(event.target.checked)}
      />
    </Dialog>
  )
}
