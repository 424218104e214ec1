/**
 * The dialog that changes a person's profile, attributes, topics and consent.
 *
 * @module
 */
import { useState } from "react"
import type { ValueOf } from "../../../api/call.ts"
import { useExtra, useChange } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { ConsentFields, consentOf, noConsent } from "../ConsentFields.tsx"

type Person = ValueOf<"GET /accounts/:accountId/contacts/:id">

const keys = ["email", "firstName", "lastName", "phone", "city", "countryCode", "language"] as const

const attributeText = (value: unknown): string =>
  value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value)

/** The typed text as a value of the field's type. An invalid text is sent as it is, and the service rejects it with a reason. */
export const attributeOf = (type: string, text: string): unknown => {
  const trimmed = text.trim()
  if (trimmed === "") return null
  if (type === "Number") return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
  if (type === "Boolean") return trimmed === "true"
  if (type === "TextList")
    return trimmed
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  return type === "Text" ? text : trimmed
}

/** The dialog. */
export const EditContact = ({
  accountId,
  onClose,
  person
}: {
  readonly accountId: string
  readonly person: Person
  readonly onClose: () => void
}) => {
  const { common, people: texts } = useTexts()
  const { can } = useAccount()
  const before: Readonly<Record<string, string>> = Object.fromEntries(
    keys.map((key) => [key, person[key] ?? ""])
  )
  const [values, setValues] = useState(before)
  const [attributes, setAttributes] = useState<Readonly<Record<string, string>>>({})
  const [topics, setTopics] = useState<Readonly<Record<string, string>>>({})
  const [consent, setConsent] = useState(noConsent)
  const fields = useExtra("GET /accounts/:accountId/contact-attributes", { params: { accountId } }) ?? []
  const offered =
    useExtra("GET /accounts/:accountId/topics", { params: { accountId }, query: { limit: 100 } })?.items ?? []
  const { error, isPending, mutate } = useChange("PATCH /accounts/:accountId/contacts/:id", {
    renews: [
      "GET /accounts/:accountId/contacts/:id",
      "GET /accounts/:accountId/contacts/:id/consent-history",
      "GET /accounts/:accountId/contacts/:id/timeline",
      "GET /accounts/:accountId/contacts/:id/topics",
      "GET /accounts/:accountId/contacts"
    ]
  })
  const save = () => {
    const changed = Object.fromEntries(
      keys.flatMap((key) => {
        const value = (values[key] ?? "").trim()
        return value === before[key] ? [] : [[key, value === "" ? null : value]]
      })
    )
    const changedAttributes = Object.fromEntries(
      Object.entries(attributes).map(([key, text]) => [
        key,
        attributeOf(fields.find((field) => field.key === key)?.type ?? "Text", text)
      ])
    )
    const changedTopics = Object.fromEntries(
      Object.entries(topics).flatMap(([key, value]) => (value === "" ? [] : [[key, value === "on"]]))
    )
    const said = consentOf(consent)
    mutate(
      {
        params: { accountId, id: person.id },
        body: {
          ...changed,
          ...(Object.keys(changedAttributes).length === 0 ? {} : { attributes: changedAttributes }),
          ...(Object.keys(changedTopics).length === 0 ? {} : { topics: changedTopics }),
          ...(said === null ? {} : { consent: said })
        }
      },
      {
        onSuccess: () => {
          toast(texts.saved)
          onClose()
        }
      }
    )
  }
  const errorOf = (key: string): string | undefined =>
    error?.fields[key] ??
    Object.entries(error?.fields ?? {}).find(([name]) => name.startsWith(`${key}.`))?.[1]
  const known = [...keys, "consent", ...fields.map(({ key }) => `attributes.${key}`)]
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={save}
      title={texts.edit}
      text={texts.editText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {error !== null && !known.some((key) => errorOf(key) !== undefined) && <ErrorBanner error={error} />}
      {keys.map((key) => (
        <Field
          key={key}
          label={texts.fields[key]}
          error={errorOf(key)}
          hint={person.storeId === null ? undefined : texts.storeManaged}
        >
          <Input
            value={values[key] ?? ""}
            autoComplete="off"
            // A store's customers have their address from the store; the service rejects a change.
            readOnly={person.storeId !== null && key === "email"}
            onChange={(event) => setValues({ ...values, [key]: event.target.value })}
          />
        </Field>
      ))}
      {fields
        .filter(({ archivedAt }) => archivedAt === null)
        .map(({ description, key, label, type }) => {
          const value = attributes[key] ?? attributeText(person.attributes[key])
          const set = (next: string) => setAttributes({ ...attributes, [key]: next })
          return (
            <Field
              key={key}
              label={label}
              hint={description ?? undefined}
              error={errorOf(`attributes.${key}`)}
            >
              {type === "Boolean" ? (
                <Select
                  value={value}
                  onChange={(event) => set(event.target.value)}
                  options={[
                    { value: "", label: "–" },
                    { value: "true", label: texts.yes },
                    { value: "false", label: texts.no }
                  ]}
                />
              ) : (
                <Input
                  type={type === "Date" ? "date" : "text"}
                  inputMode={type === "Number" ? "decimal" : undefined}
                  value={value}
                  onChange={(event) => set(event.target.value)}
                />
              )}
            </Field>
          )
        })}
      {can("consent:write") && (
        <>
          {offered
            .filter(({ isArchived }) => !isArchived)
            .map(({ key, name }) => (
              <Field key={key} label={`${texts.topic}: ${name}`}>
                <Select
                  value={topics[key] ?? ""}
                  onChange={(event) => setTopics({ ...topics, [key]: event.target.value })}
                  options={[
                    { value: "", label: texts.bases[""] ?? "" },
                    { value: "on", label: texts.on },
                    { value: "off", label: texts.off }
                  ]}
                />
              </Field>
            ))}
          <ConsentFields value={consent} onChange={setConsent} error={errorOf("consent")} />
        </>
      )}
    </Dialog>
  )
}
