/**
 * The tokens of the company.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { TokenDialog } from "../../parts/overlay/CreateDialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /companies/:companyId/tokens"

type Token = ItemOf<typeof listRoute>

const AddDialog = ({ companyId, onClose }: { readonly companyId: string; readonly onClose: () => void }) => {
  const { tokens: texts } = useTexts()
  const { memberships } = useSession()
  const [accounts, setAccounts] = useState<NonNullable<Token["accounts"]>>("Sandbox")
  const change = useChange("POST /companies/:companyId/tokens", { renews: [listRoute] })
  const own = memberships.find(({ company }) => company.id === companyId)?.rights
  const offered = [...new Set([...(own?.live ?? []), ...(own?.sandbox ?? [])])].toSorted()
  return (
    <TokenDialog
      change={change}
      onClose={onClose}
      title={texts.add}
      text={texts.addText}
      name={texts.name}
      choices={[
        {
          label: `${texts.rights}. ${texts.rightsHint}`,
          options: offered.map((value) => ({ value, label: value }))
        }
      ]}
      choose={texts.choose}
      shown={({ token }) => ({ label: texts.token, secret: token, note: texts.once })}
      onCreate={(draft) => change.mutate({ params: { companyId }, body: { ...draft, accounts } })}
    >
      <Field label={texts.accounts}>
        <Select
          value={accounts}
          onChange={(event) => setAccounts(event.target.value as typeof accounts)}
          options={optionsOf(texts.accountKinds)}
        />
      </Field>
    </TokenDialog>
  )
}

/** The screen. */
export const Tokens = () => {
  const { keys, people, settings, tokens: texts } = useTexts()
  const format = useFormat()
  const { canInCompany, company } = useAccount()
  const companyId = company.id
  const list = useList(listRoute, { params: { companyId } })
  const [panel, show] = usePanel()
  const [open, setOpen] = useState<Token | null>(null)
  const [now] = useState(() => new Date())
  const { isBusy, run } = useAction([listRoute])
  const revoke = ({ id, name }: Token) => {
    setOpen(null)
    void run(
      () => call("DELETE /companies/:companyId/tokens/:id", { params: { companyId, id } }),
      keys.revokedDone(name),
      undefined,
      (token: Token) => (token.id === id ? { ...token, revokedAt: new Date().toISOString() } : token)
    )
  }
  const columns: ReadonlyArray<Column<Token>> = [
    { key: "name", head: texts.name, width: "minmax(9rem, 1.5fr)", cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: "token",
      head: texts.token,
      width: "minmax(10rem, 1.2fr)",
      narrow: "second",
      cell: ({ display }) => <code>{display}</code>
    },
    {
      key: "rights",
      head: texts.rights,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ rights }) => (
        <span title={rights.join(", ")}>
          {texts.countRights(format.number(rights.length), rights.length)}
        </span>
      )
    },
    {
      key: "accounts",
      head: texts.accounts,
      width: "minmax(7rem, 1fr)",
      cell: ({ accounts }) => (accounts === null ? "–" : texts.accountKinds[accounts])
    },
    {
      key: "expires",
      head: keys.expires,
      width: "minmax(6rem, 0.8fr)",
      narrow: "end",
      cell: ({ expiresAt, revokedAt }) =>
        revokedAt !== null ? (
          <Badge>{keys.revoked}</Badge>
        ) : expiresAt === null ? (
          keys.never
        ) : (
          <RelativeTime at={expiresAt} />
        )
    },
    {
      key: "used",
      head: keys.lastUsed,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? keys.notUsed : <RelativeTime at={lastUsedAt} />)
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "7rem",
      isEnd: true,
      cell: (token) =>
        token.revokedAt === null && (
          <Button isSmall tone="quiet" onClick={() => setOpen(token)}>
            {keys.revoke}
          </Button>
        )
    }
  ]
  const mayWrite = canInCompany("tokens:write")
  const add = mayWrite && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={settings.title} actions={add}>
      <AreaTabs area="settings" />
      <List
        label={settings.tabs.tokens}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="key" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayWrite && <AddDialog companyId={companyId} onClose={() => show(null)} />}
      {open !== null && (
        <ConfirmDialog
          isOpen
          title={texts.revokeTitle(open.name)}
          text={texts.revokeText(
            open.lastUsedAt === null ? keys.notUsed : format.relative(new Date(open.lastUsedAt), now)
          )}
          action={keys.revoke}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => revoke(open)}
        />
      )}
    </Page>
  )
}
