/**
 * The topics that people can turn on and off.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { keyOfName } from "../../lib/keyOfName.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { Field, Input, Switch, TextArea } from "../../parts/form/Field.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"

const listRoute = "GET /accounts/:accountId/topics"

type Topic = ItemOf<typeof listRoute>

const TopicDialog = ({
  accountId,
  onClose,
  topic
}: {
  readonly accountId: string
  /** The topic to change; null to create one. */
  readonly topic: Topic | null
  readonly onClose: () => void
}) => {
  const { common, topics: texts } = useTexts()
  const [name, setName] = useState(topic?.name ?? "")
  const [key, setKey] = useState<string | null>(null)
  const [description, setDescription] = useState(topic?.description ?? "")
  const [isOn, setOn] = useState(true)
  const create = useChange("POST /accounts/:accountId/topics", { renews: [listRoute] })
  const update = useChange("PATCH /accounts/:accountId/topics/:id", { renews: [listRoute] })
  const { error, isPending } = topic === null ? create : update
  const chosenKey = key ?? keyOfName(name)
  const said = description.trim() === "" ? null : description.trim()
  const save = () => {
    const done = (text: string) => ({
      onSuccess: () => {
        toast(text)
        onClose()
      }
    })
    if (topic === null)
      create.mutate(
        {
          params: { accountId },
          body: { key: chosenKey, name: name.trim(), description: said, defaultOn: isOn }
        },
        done(texts.added(name.trim()))
      )
    else
      update.mutate(
        { params: { accountId, id: topic.id }, body: { name: name.trim(), description: said } },
        done(texts.saved)
      )
  }
  const hasField =
    error !== null && ["name", "key", "description"].some((one) => error.fields[one] !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={topic === null ? texts.add : texts.edit}
      text={texts.text}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {topic === null ? common.add : common.save}
          </Button>
        </>
      }
    >
      {error !== null && !hasField && <ErrorBanner error={error} />}
      <Field label={texts.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      {topic === null && (
        <Field label={texts.key} hint={texts.keyHint} error={error?.fields["key"]}>
          <Input value={chosenKey} autoComplete="off" onChange={(event) => setKey(event.target.value)} />
        </Field>
      )}
      <Field
        label={texts.description}
        hint={texts.descriptionHint}
        isOptional
        error={error?.fields["description"]}
      >
        <TextArea rows={2} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
      {topic === null && (
        <Switch label={texts.defaultOn} checked={isOn} onChange={(event) => setOn(event.target.checked)} />
      )}
    </Dialog>
  )
}

/** The screen. */
export const Topics = () => {
  const { people, topics: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const [panel, show] = usePanel()
  const [open, setOpen] = useState<Topic | null>(null)
  const { run } = useAction([listRoute])
  const mayWrite = can("topics:write")
  const setArchived = ({ id, isArchived, name }: Topic) => {
    const set = (value: boolean) => () =>
      call("PATCH /accounts/:accountId/topics/:id", {
        params: { accountId, id },
        body: { isArchived: value }
      })
    void run(
      set(!isArchived),
      (isArchived ? texts.wasRestored : texts.wasArchived)(name),
      set(isArchived),
      (topic: Topic) => (topic.id === id ? { ...topic, isArchived: !isArchived } : topic)
    )
  }
  const columns: ReadonlyArray<Column<Topic>> = [
    {
      key: "name",
      head: texts.name,
      width: "minmax(10rem, 1.4fr)",
      cell: ({ name }) => <span dir="auto">{name}</span>
    },
    {
      key: "key",
      head: texts.key,
      width: "minmax(7rem, 1fr)",
      narrow: "second",
      cell: ({ key }) => <code>{key}</code>
    },
    {
      key: "description",
      head: texts.description,
      width: "minmax(8rem, 2fr)",
      cell: ({ description }) => <span dir="auto">{description ?? "–"}</span>
    },
    {
      key: "state",
      head: texts.state,
      width: "8rem",
      narrow: "end",
      cell: ({ defaultOn, isArchived }) =>
        isArchived ? (
          <Badge>{texts.archived}</Badge>
        ) : (
          <Badge tone={defaultOn ? "good" : "neutral"}>{defaultOn ? texts.on : texts.off}</Badge>
        )
    },
    ...(mayWrite
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "2.5rem",
            isEnd: true,
            cell: (topic: Topic) => (
              <Menu align="end" trigger={<IconButton isSmall icon="more" label={people.actions} />}>
                <MenuItem onSelect={() => setOpen(topic)}>{people.edit}</MenuItem>
                <MenuItem onSelect={() => setArchived(topic)}>
                  {topic.isArchived ? texts.restore : texts.archive}
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
        label={people.tabs.topics}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="campaign" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {(open !== null || (panel === newPanel && mayWrite)) && (
        <TopicDialog
          accountId={accountId}
          topic={open}
          onClose={() => (open === null ? show(null) : setOpen(null))}
        />
      )}
    </Page>
  )
}
