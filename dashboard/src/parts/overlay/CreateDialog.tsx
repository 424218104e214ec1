/**
 * Dialogs that create something with a secret, such as a key, and then show the secret once.
 *
 * @module
 */
import { type ReactNode, useState } from "react"
import type { ApiError } from "../../api/errors.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../form/Button.tsx"
import { Choices } from "../form/Choices.tsx"
import { Field, Input, Select } from "../form/Field.tsx"
import { ErrorBanner } from "../page/Banner.tsx"
import { Dialog } from "./Dialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

/** The mutation of `useChange` that creates it. */
interface Change<Made> {
  readonly data: Made | undefined
  readonly error: ApiError | null
  readonly isPending: boolean
  readonly reset: () => void
}

/** What is shown after creation. */
interface Shown {
  readonly title: string
  readonly label: string
  readonly secret: string
  readonly note: string
  /** Instructions for the secret. */
  readonly text?: ReactNode
}

interface Props<Made> {
  readonly change: Change<Made>
  readonly title: string
  readonly text?: ReactNode
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly shown: (made: Made) => Shown
}

/** The dialog. Errors of the fields in `known` are shown at those fields, not by the dialog. */
export const CreateDialog = <Made,>({
  action,
  change: { data, error, isPending, reset },
  children,
  known,
  onClose,
  shown,
  ...rest
}: Props<Made> & {
  readonly action: string
  readonly children: ReactNode
  readonly known: ReadonlyArray<string>
  readonly onSubmit: () => void
}) => {
  const { common } = useTexts()
  if (data !== undefined)
    return (
      <SecretDialog
        {...shown(data)}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  return (
    <Dialog
      {...rest}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {action}
          </Button>
        </>
      }
    >
      {error !== null && !known.some((key) => error.fields[key] !== undefined) && (
        <ErrorBanner error={error} />
      )}
      {children}
    </Dialog>
  )
}

/** The values for a new key or token. */
export interface TokenDraft {
  readonly name: string
  readonly rights: ReadonlyArray<string>
  /** Null if it never expires. */
  readonly expiresInDays: number | null
}

const anyExpiry = ["30", "90", "365", "never"]
const none: ReadonlyArray<string> = []

/** The dialog for keys and tokens: a name, an expiry, and rights. */
export const TokenDialog = <Made extends { readonly name: string }>({
  children,
  choices,
  choose,
  expiries = anyExpiry,
  initial = none,
  name: nameLabel,
  nameHint,
  onCreate,
  shown,
  ...rest
}: Omit<Props<Made>, "shown"> & {
  readonly shown: (made: Made) => Omit<Shown, "title">
  /** The label of the name field. */
  readonly name: string
  readonly nameHint?: string
  /** The options for the expiry: numbers of days, or `never`. */
  readonly expiries?: ReadonlyArray<string>
  /** Rights in groups. If there are any, at least one must be chosen. */
  readonly choices: ReadonlyArray<{
    readonly label: string
    readonly options: Parameters<typeof Choices>[0]["options"]
  }>
  /** The message if no right is chosen. */
  readonly choose: string
  /** The rights that are chosen initially. */
  readonly initial?: ReadonlyArray<string>
  /** Further fields after the name. */
  readonly children?: ReactNode
  readonly onCreate: (draft: TokenDraft) => void
}) => {
  const { keys } = useTexts()
  const [name, setName] = useState("")
  const [expiry, setExpiry] = useState("90")
  const [rights, setRights] = useState<ReadonlySet<string>>(new Set(initial))
  const [tried, setTried] = useState(false)
  const isLacking = choices.length > 0 && rights.size === 0
  const create = () => {
    setTried(true)
    if (isLacking) return
    onCreate({
      name: name.trim(),
      rights: [...rights],
      expiresInDays: expiry === "never" ? null : Number(expiry)
    })
  }
  return (
    <CreateDialog
      {...rest}
      action={keys.create}
      known={["name"]}
      onSubmit={create}
      shown={(made) => ({ ...shown(made), title: keys.createdTitle(made.name) })}
    >
      <Field label={nameLabel} hint={nameHint} error={rest.change.error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={keys.expiry}>
        <Select
          value={expiry}
          onChange={(event) => setExpiry(event.target.value)}
          options={expiries.map((value) => ({ value, label: keys.expiries[value] ?? value }))}
        />
      </Field>
      {children}
      {choices.map(({ label, options }, at) => (
        <Choices
          key={label}
          label={label}
          values={rights}
          onChange={setRights}
          error={at === 0 && tried && isLacking ? choose : undefined}
          options={options}
        />
      ))}
    </CreateDialog>
  )
}
