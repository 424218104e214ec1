/**
 * The contact fields of the account.
 *
 * @module
 */
import { useState } from "react"
import { call, type ValueOf } from "../../api/call.ts"
import { useApi, useChange } from "../../api/queries.ts"
import { wholeList } from "../../api/whole.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { keyOfName } from "../../lib/keyOfName.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { Field, Input, Select, TextArea } from "../../parts/form/Field.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /accounts/:accountId/contact-attributes"

type ContactField = ValueOf<typeof listRoute>[number]

const FieldDialog = ({
  accountId,
  field,
  onClose
}: {
  readonly accountId: string
  /** The field to change; null to create one. */
  readonly field: ContactField | null
  readonly onClose: () => void
}) => {
  const { common, fields: texts, topics } = useTexts()
  const [label, setLabel] = useState(field?.label ?? "")
  const [key, setKey] = useState<string | null>(null)
  const [type, setType] = useState("Text")
  const [description, setDescription] = useState(field?.description ?? "")
  const create = useChange("POST /accounts/:accountId/contact-attributes", { renews: [listRoute] })
  const update = useChange("PATCH /accounts/:accountId/contact-attributes/:key", { renews: [listRoute] })
  const { error, isPending } = field === null ? create : update
  const chosenKey = key ?? keyOfName(label)
  const said = description.trim() === "" ? null : description.trim()
  const save = () => {
    const done = (text: string) => ({
      onSuccess: () => {
        toast(text)
        onClose()
      }
    })
    if (field === null)
      create.mutate(
        { params: { accountId }, body: { key: chosenKey, label: label.trim(), type, description: said } },
        done(texts.added(label.trim()))
      )
    else
      update.mutate(
        { params: { accountId, key: field.key }, body: { label: label.trim(), description: said } },
        done(texts.saved)
      )
  }
  const hasField =
    error !== null && ["label", "key", "type", "description"].some((one) => error.fields[one] !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={field === null ? texts.add : texts.edit}
      text={texts.text}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {field === null ? common.add : common.save}
          </Button>
        </>
      }
    >
      {error !== null && !hasField && <ErrorBanner error={error} />}
      <Field label={texts.label} error={error?.fields["label"]}>
        <Input value={label} autoComplete="off" onChange={(event) => setLabel(event.target.value)} />
      </Field>
      {field === null && (
        <>
          <Field label={texts.key} hint={topics.keyHint} error={error?.fields["key"]}>
            <Input value={chosenKey} autoComplete="off" onChange={(event) => setKey(event.target.value)} />
          </Field>
          <Field label={texts.type} hint={texts.typeHint} error={error?.fields["type"]}>
            <Select
              value={type}
              onChange={(event) => setType(event.target.value)}
              options={Object.entries(texts.types).map(([value, name]) => ({ value, label: name }))}
            />
          </Field>
        </>
      )}
      <Field label={topics.description} isOptional error={error?.fields["description"]}>
        <TextArea rows={2} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
    </Dialog>
  )
}

/** The screen. */
export const Fields = () => {
  const { fields: texts, people, topics } = useTexts()
  const { can, id: accountId } = useAccount()
  const list = wholeList(useApi(listRoute, { params: { accountId } }))
  const [panel, show] = usePanel()
  const [open, setOpen] = useState<ContactField | null>(null)
  const { run } = useAction([listRoute])
  const mayWrite = can("fields:write")
  const setArchived = ({ archivedAt, key, label }: ContactField) => {
    const set = (archived: boolean) => () =>
      call("PATCH /accounts/:accountId/contact-attributes/:key", {
        params: { accountId, key },
        body: { archived }
      })
    const isArchived = archivedAt !== null
    void run(
      set(!isArchived),
      (isArchived ? texts.wasRestored : texts.wasArchived)(label),
      set(isArchived),
      (field: ContactField) =>
        field.key === key ? { ...field, archivedAt: isArchived ? null : new Date().toISOString() } : field
    )
  }
  const columns: ReadonlyArray<Column<ContactField>> = [
    {
      key: "label",
      head: texts.label,
      width: "minmax(10rem, 1.4fr)",
      cell: ({ label }) => <span dir="auto">{label}</span>
    },
    {
      key: "key",
      head: texts.key,
      width: "minmax(7rem, 1fr)",
      narrow: "second",
      cell: ({ key }) => <code>{key}</code>
    },
    {
      key: "type",
      head: texts.type,
      width: "minmax(7rem, 1fr)",
      cell: ({ type }) => texts.types[type] ?? type
    },
    {
      key: "origin",
      head: texts.origin,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ createdFrom }) => texts.origins[createdFrom] ?? createdFrom
    },
    {
      key: "created",
      head: texts.created,
      width: "minmax(7rem, 0.8fr)",
      narrow: "end",
      cell: ({ archivedAt, createdAt }) =>
        archivedAt === null ? <RelativeTime at={createdAt} /> : <Badge>{topics.archived}</Badge>
    },
    ...(mayWrite
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "2.5rem",
            isEnd: true,
            cell: (field: ContactField) => (
              <Menu align="end" trigger={<IconButton isSmall icon="more" label={people.actions} />}>
                <MenuItem onSelect={() => setOpen(field)}>{people.edit}</MenuItem>
                <MenuItem onSelect={() => setArchived(field)}>
                  {field.archivedAt === null ? topics.archive : topics.restore}
                </MenuItem>
              </Menu>
            )
          }
        ]
      : [])
  ]
  const add = mayWrite && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={people.title} actions={add}>
      <AreaTabs area="people" />
      <List
        label={people.tabs.fields}
        list={list}
        columns={columns}
        keyOf={({ key }) => key}
        empty={
          <EmptyState icon="template" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {(open !== null || (panel === newPanel && mayWrite)) && (
        <FieldDialog
          accountId={accountId}
          field={open}
          onClose={() => (open === null ? show(null) : setOpen(null))}
        />
      )}
    </Page>
  )
}
