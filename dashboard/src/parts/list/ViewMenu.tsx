/**
 * The menu for a list's views: the user's own and the shared ones, saving and changing them, and choosing columns.
 *
 * @module
 */
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
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
import { Entry, Row, Rows } from "../page/Columns.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"
import type { Viewed } from "./ViewButton.tsx"

const listRoute = "GET /accounts/:accountId/views"

/** A list that has views. */
export type ViewedList = NonNullable<QueryOf<typeof listRoute>["list"]>[number]

type SavedView = ItemOf<typeof listRoute>

/** The most views that the menu lists. */
const maxShown = 200

/** Saves the current filters, order and columns as a view, or changes a view. */
const ViewDialog = ({
  list,
  onClose,
  search,
  view
}: Pick<Viewed, "list" | "search"> & { readonly view: SavedView | null; readonly onClose: () => void }) => {
  const { common } = useTexts()
  const { views: texts } = useListTexts()
  const { id: accountId } = useAccount()
  const [name, setName] = useState(view?.name ?? "")
  const [shared, setShared] = useState(view?.shared ?? false)
  const [isReplaced, setReplaced] = useState(false)
  const add = useChange("POST /accounts/:accountId/views", { renews: [listRoute] })
  const change = useChange("PATCH /accounts/:accountId/views/:id", { renews: [listRoute] })
  const { error, isPending } = view === null ? add : change
  const save = () => {
    const named = { name: name.trim(), shared }
    const done = {
      onSuccess: () => {
        toast(texts.saved(named.name))
        onClose()
      }
    }
    if (view === null)
      add.mutate({ params: { accountId }, body: { ...named, list, ...viewOf(search) } }, done)
    else {
      const body = { ...named, ...(isReplaced ? viewOf(search) : {}) }
      change.mutate({ params: { accountId, id: view.id }, body }, done)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={view === null ? texts.save : texts.editTitle(view.name)}
      text={view === null ? texts.saveText : undefined}
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
      {view !== null && (
        <Switch
          label={texts.replace}
          hint={texts.replaceHint}
          checked={isReplaced}
          onChange={(event) => setReplaced(event.target.checked)}
        />
      )}
    </Dialog>
  )
}

/** Lists the views that the user may change, with their actions. */
const ChangeDialog = ({
  onClose,
  onEdit,
  views
}: {
  readonly views: ReadonlyArray<SavedView>
  readonly onEdit: (view: SavedView) => void
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { views: texts } = useListTexts()
  const { id: accountId } = useAccount()
  const { isBusy, run } = useAction([listRoute])
  const remove = ({ columns, id, list, name, query, shared }: SavedView) =>
    void run(
      () => call("DELETE /accounts/:accountId/views/:id", { params: { accountId, id } }),
      texts.deleted(name),
      () =>
        call("POST /accounts/:accountId/views", {
          params: { accountId },
          body: { name, list, shared, query, columns }
        }),
      (view: SavedView) => (view.id === id ? null : view)
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.change}
      text={texts.changeText}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Rows>
        {views.map((view) => (
          <Entry
            key={view.id}
            text={view.shared ? texts.shared : texts.own}
            end={
              <Row>
                <Button isSmall aria-label={`${texts.edit}: ${view.name}`} onClick={() => onEdit(view)}>
                  {texts.edit}
                </Button>
                <Button
                  isSmall
                  tone="danger"
                  isBusy={isBusy}
                  aria-label={`${texts.delete}: ${view.name}`}
                  onClick={() => remove(view)}
                >
                  {texts.delete}
                </Button>
              </Row>
            }
          >
            <bdi>{view.name}</bdi>
          </Entry>
        ))}
      </Rows>
    </Dialog>
  )
}

/** The menu. It opens as soon as it is loaded, because a click on its button loads it. */
export const ViewMenu = ({ columns, list, onShow, search }: Viewed) => {
  const { views: button } = useTexts()
  const { views: texts } = useListTexts()
  const { can, id: accountId } = useAccount()
  const { user } = useSession()
  const { items } = useList(listRoute, { params: { accountId }, query: { list: [list], limit: maxShown } })
  const [open, setOpen] = useState<"change" | "save" | SavedView | null>(null)
  const current = viewOf(search)
  const shown = items.find((one) => isSameView(one, current))
  const changeable = items.filter(({ createdBy }) => createdBy.id === user.id || can("company:write"))
  const chosen = search["columns"]
  const drawn = shownColumns(columns, chosen)
  const close = () => setOpen(null)
  return (
    <>
      <Menu
        startsOpen
        trigger={
          <Button isSmall iconAfter="down">
            {shown?.name ?? button.button}
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
        <MenuItem icon="plus" onSelect={() => setOpen("save")}>
          {texts.save}
        </MenuItem>
        {changeable.length > 0 && (
          <MenuItem icon="settings" onSelect={() => setOpen("change")}>
            {texts.change}
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
      {open === "change" && <ChangeDialog views={changeable} onEdit={setOpen} onClose={close} />}
      {open !== null && open !== "change" && (
        <ViewDialog list={list} search={search} view={open === "save" ? null : open} onClose={close} />
      )}
    </>
  )
}
