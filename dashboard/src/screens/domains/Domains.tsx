/**
 * The sending domains of the account, and its default sender.
 *
 * @module
 */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { type ItemOf, useExtra, useChange, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { SenderDialog } from "./SenderDialog.tsx"
import styles from "./Domains.module.css"
import { domainTones } from "./states.ts"

const listRoute = "GET /accounts/:accountId/domains"

type OneDomain = ItemOf<typeof listRoute>

const AddDialog = ({ accountId, onClose }: { readonly accountId: string; readonly onClose: () => void }) => {
  const { common, domains: texts } = useTexts()
  const navigate = useNavigate()
  const [domain, setDomain] = useState("")
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/domains", { renews: [listRoute] })
  const add = () =>
    mutate(
      { params: { accountId }, body: { domain: domain.trim() } },
      {
        onSuccess: (added) => {
          toast(texts.added(added.domain))
          void navigate({ to: "/a/$accountId/domains/$domainId", params: { accountId, domainId: added.id } })
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={add}
      title={texts.add}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.add}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["domain"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.domain} error={error?.fields["domain"]}>
        <Input
          value={domain}
          dir="ltr"
          autoCapitalize="off"
          autoComplete="off"
          placeholder="news.example.com"
          onChange={(event) => setDomain(event.target.value)}
        />
      </Field>
    </Dialog>
  )
}

/** The screen. */
export const Domains = () => {
  const { domains: texts, people } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const account = useExtra("GET /accounts/:accountId", { params: { accountId } })
  const [panel, show] = usePanel()
  const [isChanging, setChanging] = useState(false)
  const sender = account?.settings.defaultSender
  const columns: ReadonlyArray<Column<OneDomain>> = [
    { key: "domain", head: texts.domain, width: "minmax(12rem, 2fr)", cell: ({ domain }) => domain },
    {
      key: "records",
      head: texts.records,
      width: "minmax(8rem, 1fr)",
      narrow: "second",
      cell: ({ records }) =>
        texts.found(format.number(records.filter(({ found }) => found).length), format.number(records.length))
    },
    {
      key: "verified",
      head: texts.verified,
      width: "minmax(8rem, 1fr)",
      cell: ({ verifiedAt }) => <RelativeTime at={verifiedAt} />
    },
    {
      key: "state",
      head: texts.state,
      width: "9rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={domainTones[status] ?? "neutral"}>{texts.states[status]}</Badge>
    }
  ]
  const mayWrite = can("domains:write")
  const add = mayWrite && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={texts.title} text={texts.text} actions={add}>
      <div>
        <AreaTabs area="domains" />
        <div className={styles["sender"]}>
          <span>{texts.defaultSender}:</span>
          <strong dir="auto">
            {account === undefined
              ? "…"
              : sender === null || sender === undefined
                ? texts.noDefault
                : sender.name === null
                  ? sender.email
                  : `${sender.name} <${sender.email}>`}
          </strong>
          {can("settings:write") && account !== undefined && (
            <Button isSmall tone="quiet" onClick={() => setChanging(true)}>
              {people.change}
            </Button>
          )}
        </div>
      </div>
      <List
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/a/$accountId/domains/$domainId", params: { accountId, domainId: id } })}
        empty={
          <EmptyState icon="globe" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayWrite && <AddDialog accountId={accountId} onClose={() => show(null)} />}
      {isChanging && (
        <SenderDialog accountId={accountId} sender={sender ?? null} onClose={() => setChanging(false)} />
      )}
    </Page>
  )
}
