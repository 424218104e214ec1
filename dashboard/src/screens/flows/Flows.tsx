/**
 * The flows of the account, and ready-made flows to start from.
 *
 * @module
 */
import { useNavigate } from "@tanstack/react-router"
import { call } from "../../api/call.ts"
import { type ItemOf, useApi, useChange, useList } from "../../api/queries.ts"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Entry, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Card, Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { flowTones } from "./describe.ts"
import { FlowOutline } from "./FlowOutline.tsx"
import { useTriggerText } from "./useTriggerText.ts"

const listRoute = "GET /accounts/:accountId/flows"

type OneFlow = ItemOf<typeof listRoute>

const Blueprints = ({ accountId, onClose }: { readonly accountId: string; readonly onClose: () => void }) => {
  const { common, flows: texts } = useTexts()
  const query = useApi("GET /accounts/:accountId/flow-blueprints", { params: { accountId } })
  const { isBusy, run } = useAction([listRoute])
  const navigate = useNavigate()
  const install = (key: string, name: string) =>
    run(async () => {
      const params = { accountId, key }
      const { id } = await call("POST /accounts/:accountId/flow-blueprints/:key/install", { params })
      void navigate({ to: "/a/$accountId/flows/$flowId", params: { accountId, flowId: id }, search: {} })
    }, texts.installed(name))
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={texts.blueprints}
      text={texts.blueprintsText}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Loaded query={query}>
        {(blueprints) => (
          <Card isFlush>
            <Rows>
              {blueprints.map(({ description, key, name, steps }) => (
                <Entry
                  key={key}
                  picture={<FlowOutline steps={steps} />}
                  text={description}
                  end={
                    <Button isSmall isBusy={isBusy} onClick={() => void install(key, name)}>
                      {texts.install}
                    </Button>
                  }
                >
                  {name}
                </Entry>
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Dialog>
  )
}

/** The screen. */
export const Flows = () => {
  const texts = useTexts()
  const { flow: editor } = useEditorTexts()
  const navigate = useNavigate()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const [panel, show] = usePanel()
  const triggerText = useTriggerText(list.items.map(({ trigger }) => trigger))
  const columns: ReadonlyArray<Column<OneFlow>> = [
    {
      key: "name",
      head: texts.flows.name,
      width: "minmax(12rem, 2fr)",
      cell: ({ name }) => <bdi>{name}</bdi>
    },
    {
      key: "trigger",
      head: texts.flows.trigger,
      width: "minmax(10rem, 1.5fr)",
      narrow: "second",
      cell: ({ trigger }) => <bdi>{triggerText(trigger)}</bdi>
    },
    {
      key: "version",
      head: texts.flows.version,
      width: "5rem",
      isEnd: true,
      cell: ({ version }) => (version === 0 ? "–" : version)
    },
    {
      key: "changed",
      head: texts.flows.changed,
      width: "minmax(7rem, 1fr)",
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />
    },
    {
      key: "state",
      head: texts.flows.state,
      width: "7rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={flowTones[status] ?? "neutral"}>{texts.flows.states[status]}</Badge>
    }
  ]
  const create = useChange("POST /accounts/:accountId/flows", { renews: [listRoute] })
  const begin = () =>
    create.mutate(
      {
        params: { accountId },
        body: { name: editor.newName, trigger: { kind: "Event", name: "user.signed_up" }, steps: [] }
      },
      {
        onSuccess: ({ id }) =>
          void navigate({ to: "/a/$accountId/flows/$flowId/edit", params: { accountId, flowId: id } }),
        onError: ({ message }) => toast(message, { tone: "bad" })
      }
    )
  const mayWrite = can("flows:write")
  const add = mayWrite && (
    <>
      <Button onClick={() => show(newPanel)}>{texts.flows.blueprints}</Button>
      <Button tone="primary" icon="plus" isBusy={create.isPending} onClick={begin}>
        {editor.new}
      </Button>
    </>
  )
  return (
    <Page isList title={texts.flows.title} text={texts.flows.text} actions={add}>
      <div />
      <List
        label={texts.flows.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/a/$accountId/flows/$flowId", params: { accountId, flowId: id } })}
        empty={
          <EmptyState icon="flow" title={texts.flows.empty}>
            {texts.flows.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayWrite && <Blueprints accountId={accountId} onClose={() => show(null)} />}
    </Page>
  )
}
