/**
 * The dialog that reports an event by hand.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { objectOf } from "../../lib/json.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input, TextArea } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"

/** The dialog. */
export const SendEvent = ({
  accountId,
  onClose,
  person
}: {
  readonly accountId: string
  /** The person the event is about; without it, the dialog asks for an address. */
  readonly person?: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}) => {
  const { common, sendEvent: texts } = useTexts()
  // One id for the whole dialog, so that pressing the button repeatedly reports the event only once.
  const [id] = useState(() => `dashboard-${crypto.randomUUID()}`)
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [properties, setProperties] = useState("")
  const [isWrong, setWrong] = useState(false)
  const { data, error, isPending, mutate } = useChange("POST /accounts/:accountId/events", {
    renews: ["GET /accounts/:accountId/events", "GET /accounts/:accountId/contacts/:id/timeline"]
  })
  const send = () => {
    const given = objectOf(properties)
    const address = email.trim()
    const contact =
      person !== undefined
        ? { contact: { id: person.id } }
        : address === ""
          ? {}
          : { contact: { email: address } }
    setWrong(given === null)
    if (given === null) return
    mutate(
      {
        params: { accountId },
        body: {
          id,
          name: name.trim(),
          ...contact,
          properties: given
        }
      },
      {
        onSuccess: ({ rejected }) => {
          if (rejected.length > 0) return
          toast(texts.done(name.trim()))
          onClose()
        }
      }
    )
  }
  const rejected = data?.rejected.flatMap(({ reasons }) => reasons) ?? []
  const reasonOf = (field: string) =>
    error?.fields[field] ?? rejected.find((reason) => reason.field === field)?.code
  const personError = reasonOf("contact.email") ?? reasonOf("contact")
  const isShown = [
    reasonOf("name"),
    person === undefined ? personError : undefined,
    reasonOf("properties")
  ].some((reason) => reason !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={send}
      title={person === undefined ? texts.open : texts.openFor(person.name)}
      text={texts.text}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.submit}
          </Button>
        </>
      }
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      {rejected.length > 0 && !isShown && (
        <Banner tone="bad">{texts.rejected(rejected.map(({ code }) => code).join(", "))}</Banner>
      )}
      <Field label={texts.name} hint={texts.nameHint} error={reasonOf("name")}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      {person === undefined && (
        <Field label={texts.person} hint={texts.personHint} error={personError}>
          <Input
            type="email"
            value={email}
            autoComplete="off"
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
      )}
      <Field
        label={texts.properties}
        isOptional
        hint={texts.propertiesHint}
        error={isWrong ? texts.noJson : reasonOf("properties")}
      >
        <TextArea
          value={properties}
          spellCheck={false}
          onChange={(event) => setProperties(event.target.value)}
        />
      </Field>
    </Dialog>
  )
}
