/**
 * Bulk actions on the selected people, or on all people of the list. Each runs as a job with progress and a report.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import type { Right } from "../../lib/rights.ts"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi, useChange } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem, MenuLine } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import styles from "./Contacts.module.css"

type Kind = "AddTag" | "RemoveTag" | "SetTopic" | "Unsubscribe" | "Export" | "Erase"

const rights: Readonly<Record<Kind, Right>> = {
  AddTag: "contacts:write",
  RemoveTag: "contacts:write",
  SetTopic: "consent:write",
  Unsubscribe: "consent:write",
  Export: "contacts:export",
  Erase: "contacts:erase"
}

const kinds = Object.keys(rights) as ReadonlyArray<Kind>

/** The people a job is for. */
type Target = { readonly ids: ReadonlyArray<string> } | { readonly filter: Readonly<Record<string, string>> }

const BulkDialog = ({
  accountId,
  count,
  kind,
  onClose,
  target
}: {
  readonly accountId: string
  readonly kind: Kind
  readonly count: number
  readonly target: Target
  readonly onClose: () => void
}) => {
  const { common, people: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const [tag, setTag] = useState("")
  const [topic, setTopic] = useState("")
  const [isOn, setOn] = useState("on")
  const [fileFormat, setFileFormat] = useState("Csv")
  const [typed, setTyped] = useState("")
  const topics = useApi("GET /accounts/:accountId/topics", { params: { accountId }, query: { limit: 100 } })
  const options = (topics.data?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/contacts/bulk", {
    renews: ["GET /accounts/:accountId/jobs"]
  })
  const people = texts.countPeople(format.number(count), count)
  const action = {
    kind,
    ...(kind === "AddTag" || kind === "RemoveTag" ? { tag: tag.trim() } : {}),
    ...(kind === "SetTopic" ? { topic: topic === "" ? options[0]?.value : topic, on: isOn === "on" } : {}),
    ...(kind === "Export" ? { format: fileFormat } : {})
  }
  const needsWord = kind === "Erase" && count > 1
  const mayGo = !needsWord || typed.trim() === texts.eraseWord
  const start = () => {
    if (!mayGo) return
    mutate(
      { params: { accountId }, body: { ...target, action } },
      {
        onSuccess: () => {
          toast(texts.started)
          onClose()
          void navigate({ to: "/a/$accountId/people/jobs", params: { accountId } })
        }
      }
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={start}
      title={texts.bulk[kind] ?? kind}
      text={texts.bulkTexts[kind]?.(people)}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            tone={kind === "Erase" || kind === "Unsubscribe" ? "danger" : "primary"}
            isBusy={isPending}
            disabled={!mayGo || (kind === "SetTopic" && options.length === 0)}
          >
            {kind === "Erase" || kind === "Unsubscribe" ? texts.bulk[kind] : texts.start}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      {(kind === "AddTag" || kind === "RemoveTag") && (
        <Field label={texts.tag}>
          <Input value={tag} onChange={(event) => setTag(event.target.value)} autoComplete="off" />
        </Field>
      )}
      {kind === "SetTopic" && (
        <>
          <Field label={texts.topic}>
            <Select value={topic} options={options} onChange={(event) => setTopic(event.target.value)} />
          </Field>
          <Field label={texts.change}>
            <Select
              value={isOn}
              onChange={(event) => setOn(event.target.value)}
              options={[
                { value: "on", label: texts.on },
                { value: "off", label: texts.off }
              ]}
            />
          </Field>
        </>
      )}
      {kind === "Export" && (
        <Field label={texts.format}>
          <Select
            value={fileFormat}
            onChange={(event) => setFileFormat(event.target.value)}
            options={optionsOf(texts.formats)}
          />
        </Field>
      )}
      {needsWord && (
        <Field label={texts.typeWord(texts.eraseWord)}>
          <Input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
        </Field>
      )}
    </Dialog>
  )
}

/** The bar. `filter` and `total` are those of the current list. */
export const BulkBar = ({
  accountId,
  filter,
  onClear,
  selected,
  total
}: {
  readonly accountId: string
  readonly selected: ReadonlySet<string>
  readonly filter: Readonly<Record<string, string>>
  readonly total: number
  readonly onClear: () => void
}) => {
  const { people: texts } = useTexts()
  const format = useFormat()
  const { can } = useAccount()
  const [isAll, setAll] = useState(false)
  const [kind, setKind] = useState<Kind | null>(null)
  const count = isAll ? total : selected.size
  const allowed = kinds.filter((one) => can(rights[one]))
  return (
    <div className={styles["bulk"]} role="group" aria-label={texts.actions}>
      <strong role="status">
        {isAll ? texts.allSelected(format.number(total)) : texts.selected(format.number(count), count)}
      </strong>
      {!isAll && total > selected.size && (
        <Button isSmall tone="quiet" onClick={() => setAll(true)}>
          {texts.allMatching(format.number(total))}
        </Button>
      )}
      <Menu
        trigger={
          <Button isSmall iconAfter="down">
            {texts.actions}
          </Button>
        }
      >
        {allowed.map((one) => (
          <div key={one}>
            {one === "Erase" && <MenuLine />}
            <MenuItem isDanger={one === "Erase"} onSelect={() => setKind(one)}>
              {texts.bulk[one]}
            </MenuItem>
          </div>
        ))}
      </Menu>
      <Button isSmall tone="quiet" icon="close" onClick={onClear}>
        {texts.clearSelection}
      </Button>
      {kind !== null && (
        <BulkDialog
          accountId={accountId}
          kind={kind}
          count={count}
          target={isAll ? { filter } : { ids: [...selected] }}
          onClose={() => setKind(null)}
        />
      )}
    </div>
  )
}
