/**
 * The dialog that adds a contact.
 *
 * @module
 */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { nameOf } from "./consent.ts"
import { ConsentFields, consentOf, noConsent } from "./ConsentFields.tsx"

const shown = ["email", "firstName", "lastName", "externalId"] as const

/** The dialog. */
export const AddContact = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { common, people: texts } = useTexts()
  const { can } = useAccount()
  const navigate = useNavigate()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [consent, setConsent] = useState(noConsent)
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/contacts", {
    renews: ["GET /accounts/:accountId/contacts"]
  })
  const fieldError = (key: string) =>
    error?.fields[key] ?? Object.entries(error?.fields ?? {}).find(([name]) => name.startsWith(key))?.[1]
  const isShown = error !== null && [...shown, "consent"].some((key) => fieldError(key) !== undefined)
  const add = () => {
    const given = Object.fromEntries(
      shown.flatMap((key) => {
        const value = values[key]?.trim() ?? ""
        return value === "" ? [] : [[key, value]]
      })
    )
    const said = consentOf(consent)
    mutate(
      { params: { accountId }, body: { ...given, ...(said === null ? {} : { consent: said }) } },
      {
        onSuccess: ({ contact, created }) => {
          toast((created ? texts.addedContact : texts.updatedContact)(nameOf(contact)))
          onClose()
          void navigate({
            to: "/a/$accountId/people/contacts/$contactId",
            params: { accountId, contactId: contact.id }
          })
        }
      }
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={add}
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
      {error !== null && !isShown && <ErrorBanner error={error} />}
      {shown.map((key) => (
        <Field key={key} label={texts.fields[key]} isOptional={key !== "email"} error={fieldError(key)}>
          <Input
            type={key === "email" ? "email" : "text"}
            value={values[key] ?? ""}
            autoComplete="off"
            onChange={(event) => setValues({ ...values, [key]: event.target.value })}
          />
        </Field>
      ))}
      {can("consent:write") && (
        <ConsentFields value={consent} onChange={setConsent} error={fieldError("consent")} />
      )}
    </Dialog>
  )
}
