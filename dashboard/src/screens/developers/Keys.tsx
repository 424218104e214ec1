/**
 * The API keys of the account.
 *
 * @module
 */
import { Suspense, useState } from "react"
import { lazyPart } from "../../app/newVersion.ts"
import { call, type ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { wholeList } from "../../api/whole.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { MissingDialog } from "../../parts/overlay/MissingDialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const CreateKey = lazyPart(() => import("./CreateKey.tsx"), "CreateKey")
const KeyDialog = lazyPart(() => import("./KeyDialog.tsx"), "KeyDialog")
const KeyUse = lazyPart(() => import("./KeyUse.tsx"), "KeyUse")

const listRoute = "GET /accounts/:accountId/api-keys"

type Key = ValueOf<typeof listRoute>[number]

/** The current state of a key. */
const stateOf = ({ expiresAt, revokedAt }: Key): "active" | "expired" | "revoked" => {
  if (revokedAt !== null) return "revoked"
  return expiresAt !== null && new Date(expiresAt) <= new Date() ? "expired" : "active"
}

const tones: Readonly<Record<string, Tone>> = { active: "good", expired: "warning" }

/** How many permissions a row lists. */
const namedPermissions = 2

/** The screen. */
export const Keys = () => {
  const { developers, keys: texts, people } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const query = useApi(listRoute, { params: { accountId } })
  const [panel, show] = usePanel()
  const [open, setOpen] = useState<Key | null>(null)
  const [now] = useState(() => new Date())
  const { isBusy, run } = useAction([listRoute])
  const mayWrite = can("keys:write")
  const shown = query.data?.find(({ id }) => id === panel)
  const revoke = ({ id, name }: Key) => {
    setOpen(null)
    void run(
      () => call("DELETE /accounts/:accountId/api-keys/:id", { params: { accountId, id } }),
      texts.revokedDone(name),
      undefined,
      (key: Key) => (key.id === id ? { ...key, revokedAt: new Date().toISOString() } : key)
    )
  }
  const columns: ReadonlyArray<Column<Key>> = [
    {
      key: "name",
      head: texts.name,
      width: "minmax(9rem, 1.5fr)",
      cell: ({ name }) => <span dir="auto">{name}</span>
    },
    {
      key: "key",
      head: texts.key,
      width: "minmax(11rem, 1.2fr)",
      narrow: "second",
      cell: ({ display }) => <code>{display}</code>
    },
    {
      key: "permissions",
      head: texts.permissions,
      width: "minmax(9rem, 1.5fr)",
      cell: ({ permissions }) => (
        <span title={permissions.join(", ")}>
          {permissions.length === Object.keys(texts.permissionTexts).length
            ? texts.all
            : permissions.slice(0, namedPermissions).join(", ") +
              (permissions.length > namedPermissions ? ` +${permissions.length - namedPermissions}` : "")}
        </span>
      )
    },
    {
      key: "state",
      head: texts.state,
      width: "6rem",
      narrow: "end",
      cell: (key) => {
        const state = stateOf(key)
        return <Badge tone={tones[state] ?? "neutral"}>{texts[state]}</Badge>
      }
    },
    {
      key: "expires",
      head: texts.expires,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ expiresAt }) => (expiresAt === null ? texts.never : <RelativeTime at={expiresAt} />)
    },
    {
      key: "used",
      head: texts.lastUsed,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.notUsed : <RelativeTime at={lastUsedAt} />)
    },
    ...(mayWrite
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "7rem",
            isEnd: true,
            cell: (key: Key) =>
              key.revokedAt === null && (
                <Button isSmall tone="quiet" onClick={() => setOpen(key)}>
                  {texts.revoke}
                </Button>
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
    <Page isList title={developers.title} actions={add}>
      <AreaTabs area="developers" />
      <List
        label={developers.tabs.keys}
        list={wholeList(query)}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: ".", search: { shown: id } })}
        empty={
          <EmptyState icon="key" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayWrite && (
        <Suspense fallback={null}>
          <CreateKey accountId={accountId} onClose={() => show(null)} />
        </Suspense>
      )}
      {panel !== null && panel !== newPanel && query.data !== undefined && shown === undefined && (
        <MissingDialog thing="ApiKey" onClose={() => show(null)} />
      )}
      {shown !== undefined && open === null && (
        <Suspense fallback={null}>
          <KeyDialog
            accountId={accountId}
            apiKey={shown}
            onClose={() => show(null)}
            onRevoke={mayWrite ? () => setOpen(shown) : null}
          />
        </Suspense>
      )}
      {open !== null && (
        <ConfirmDialog
          isOpen
          title={texts.revokeTitle(open.name)}
          text={texts.revokeText(
            open.lastUsedAt === null ? texts.notUsed : format.relative(new Date(open.lastUsedAt), now)
          )}
          action={texts.revoke}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => revoke(open)}
        >
          {can("requests:read") && (
            <Suspense fallback={null}>
              <KeyUse accountId={accountId} keyId={open.id} />
            </Suspense>
          )}
        </ConfirmDialog>
      )}
    </Page>
  )
}
