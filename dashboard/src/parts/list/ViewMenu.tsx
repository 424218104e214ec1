/**
 * The menu of a list's views: one's own and the shared ones, saving and deleting them, and the columns.
 *
 * @module
 */
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { useChange, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { choosable, isSameView, searchOf, shownColumns, toggleColumn, viewOf } from "../../lib/view.ts"
import { Button } from "../form/Button.tsx"
import { Field, Input, Switch } from "../form/Field.tsx"
import { Dialog } from "../overlay/Dialog.tsx"
import { Menu, MenuCheck, MenuItem, MenuLine } from "../overlay/Menu.tsx"
import { toast } from "../overlay/toasts.ts"
import { useAction } from "../overlay/useAction.ts"
import { ErrorBanner } from "../page/Banner.tsx"
import type { Viewed } from "./ViewButton.tsx"

const listRoute = "GET /accounts/:accountId/views"

/** A list that has views. */
export type ViewedList = NonNullable<QueryOf<typeof listRoute>["list"]>[number]

/** The most views that the menu shows. */
const maxShown = 200

const SaveDialog = ({
  list,
  onClose,
  search
}: Pick<Viewed, "list" | "search"> & { readonly onClose: () => void }) => {
  const { common, views: texts } = useTexts()
  const { id: accountId } = useAccount()
  const [name, setName] = useState("")
  const [shared, setShared] = useState(false)
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/views", { renews: [listRoute] })
  const save = () =>
    mutate(
      { params: { accountId }, body: { name: name.trim(), list, shared, ...viewOf(search) } },
      {
        onSuccess: () => {
          toast(texts.saved(name.trim()))
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={texts.save}
      text={texts.saveText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Switch
        label={texts.share}
        hint={texts.shareHint}
        checked={shared}
        onChange={(event) => setShared(event.target.checked)}
      />
    </Dialog>
  )
}

/** The menu, which opens at once: its button loaded it. */
export const ViewMenu = ({ columns, list, onShow, search }: Viewed) => {
  const { views: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const { user } = useSession()
  const { items } = useList(listRoute, { params: { accountId }, query: { list: [list], limit: maxShown } })
  const [isSaving, setSaving] = useState(false)
  const { run } = useAction([listRoute])
  const current = viewOf(search)
  const shown = items.find((one) => isSameView(one, current))
  const mayDelete = shown !== undefined && (shown.createdBy.id === user.id || can("company:write"))
  const chosen = search["columns"]
  const drawn = shownColumns(columns, chosen)
  const remove = () => {
    if (shown === undefined) return
    const { list: of, name, query, shared } = shown
    void run(
      () => call("DELETE /accounts/:accountId/views/:id", { params: { accountId, id: shown.id } }),
      texts.deleted(name),
      () =>
        call("POST /accounts/:accountId/views", {
          params: { accountId },
          body: { name, list: of, shared, query, columns: shown.columns }
        })
    )
  }
  return (
    <>
      <Menu
        startsOpen
        trigger={
          <Button isSmall iconAfter="down">
            {shown?.name ?? texts.button}
          </Button>
        }
      >
        {items.map((view) => (
          <MenuItem
            key={view.id}
            {...(view === shown ? { icon: "check" as const } : {})}
            detail={view.shared ? texts.shared : undefined}
            onSelect={() => onShow(searchOf(view))}
          >
            <bdi>{view.name}</bdi>
          </MenuItem>
        ))}
        <MenuItem icon="plus" onSelect={() => setSaving(true)}>
          {texts.save}
        </MenuItem>
        {mayDelete && (
          <MenuItem icon="trash" isDanger onSelect={remove}>
            {texts.delete(shown.name)}
          </MenuItem>
        )}
        <MenuLine />
        {choosable(columns).map((column) => (
          <MenuCheck
            key={column.key}
            isChecked={drawn.includes(column)}
            onChange={() => onShow({ ...search, columns: toggleColumn(columns, chosen, column.key) })}
          >
            {column.head}
          </MenuCheck>
        ))}
      </Menu>
      {isSaving && <SaveDialog list={list} search={search} onClose={() => setSaving(false)} />}
    </>
  )
}
