/**
 * The tokens of the company.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState, Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { SettingsTabs } from "./SettingsTabs.tsx"

const listRoute = "GET /companies/:companyId/tokens"

type Token = ItemOf<typeof listRoute>

const CreateDialog = ({
  companyId,
  onClose
}: {
  readonly companyId: string
  readonly onClose: () => void
}) => {
  const { common, keys, tokens: texts } = useTexts()
  const { memberships } = useSession()
  const [name, setName] = useState("")
  const [accounts, setAccounts] = useState("Sandbox")
  const [expiry, setExpiry] = useState("90")
  const [rights, setRights] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const { data, error, isPending, mutate, reset } = useChange("POST /companies/:companyId/tokens", {
    renews: [listRoute]
  })
  if (data !== undefined)
    return (
      <SecretDialog
        title={keys.createdTitle(data.name)}
        label={texts.token}
        secret={data.token}
        note={texts.once}
        onClose={() => {
          reset()
          onClose()
        }}
      />
    )
  const own = memberships.find(({ company }) => company.id === companyId)?.rights
  const offered = [...new Set([...(own?.live ?? []), ...(own?.sandbox ?? [])])].toSorted()
  const create = () => {
    setTried(true)
    if (rights.size === 0) return
    mutate({
      params: { companyId },
      body: {
        name: name.trim(),
        rights: [...rights],
        accounts: accounts === "Live" || accounts === "Both" ? accounts : "Sandbox",
        expiresInDays: expiry === "never" ? null : Number(expiry)
      }
    })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={create}
      title={texts.add}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {keys.create}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={texts.accounts}>
        <Select
          value={accounts}
          onChange={(event) => setAccounts(event.target.value)}
          options={Object.entries(texts.accountKinds).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <Field label={keys.expiry}>
        <Select
          value={expiry}
          onChange={(event) => setExpiry(event.target.value)}
          options={["30", "90", "365", "never"].map((value) => ({
            value,
            label: keys.expiries[value] ?? value
          }))}
        />
      </Field>
      <Choices
        label={`${texts.rights}. ${texts.rightsHint}`}
        values={rights}
        onChange={setRights}
        error={tried && rights.size === 0 ? texts.choose : undefined}
        options={offered.map((value) => ({ value, label: value }))}
      />
    </Dialog>
  )
}

/** The screen. */
export const Tokens = () => {
  const { keys, people, settings, tokens: texts } = useTexts()
  const format = useFormat()
  const { can, company } = useAccount()
  const companyId = company.id
  const list = useList(listRoute, { params: { companyId } })
  const [open, setOpen] = useState<Token | "new" | null>(null)
  const [now] = useState(() => new Date())
  const { isBusy, run } = useAction([listRoute])
  const revoke = async ({ id, name }: Token) => {
    await run(
      () => call("DELETE /companies/:companyId/tokens/:id", { params: { companyId, id } }),
      keys.revokedDone(name)
    )
    setOpen(null)
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
      narrow: "action",
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
  const add = can("tokens:write") && (
    <Button tone="primary" icon="plus" onClick={() => setOpen("new")}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={settings.title} actions={add}>
      <SettingsTabs />
      <List
        label={settings.tabs.tokens}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="key" title={texts.empty} action={add}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {open === "new" && <CreateDialog companyId={companyId} onClose={() => setOpen(null)} />}
      {open !== null && open !== "new" && (
        <ConfirmDialog
          isOpen
          title={texts.revokeTitle(open.name)}
          text={texts.revokeText(
            open.lastUsedAt === null ? keys.notUsed : format.relative(new Date(open.lastUsedAt), now)
          )}
          action={keys.revoke}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void revoke(open)}
        />
      )}
    </Page>
  )
}
