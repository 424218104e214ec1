/**
 * The addresses that receive no mail from the account.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { queryOf, type Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const route = getRouteApi("/shell/a/$accountId/suppressions")

const listRoute = "GET /accounts/:accountId/suppressions"

type Suppression = ItemOf<typeof listRoute>

const tones: Readonly<Record<string, Tone>> = { Bounced: "warning", Complained: "bad" }

const AddDialog = ({ accountId, onClose }: { readonly accountId: string; readonly onClose: () => void }) => {
  const { common, suppressions: texts } = useTexts()
  const [email, setEmail] = useState("")
  const [kind, setKind] = useState<Suppression["kind"]>("Protected")
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/suppressions", {
    renews: [listRoute]
  })
  const add = () =>
    mutate(
      { params: { accountId }, body: { email: email.trim(), kind } },
      {
        onSuccess: () => {
          toast(texts.added(email.trim()))
          onClose()
        }
      }
    )
  const wrong = error?.fields["email"]
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
      {error !== null && wrong === undefined && <ErrorBanner error={error} />}
      <Field label={texts.address} error={wrong}>
        <Input
          type="email"
          value={email}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={texts.kind}>
        <Select
          value={kind}
          onChange={(event) => setKind(event.target.value as Suppression["kind"])}
          options={optionsOf(texts.kinds)}
        />
      </Field>
    </Dialog>
  )
}

/** The filters that share a dialog. */
const more = {
  keys: ["since", "until"],
  Dialog: lazyPart(() => import("../../parts/list/TimeFilters.tsx"), "TimeFilters")
}

/** The screen. */
export const Suppressions = () => {
  const { suppressions: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const { columns: chosen, shown, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const [, setPanel] = usePanel()
  const mayWrite = can("suppressions:write")
  const list = useList(listRoute, {
    params: { accountId },
    query: queryOf(search) as unknown as QueryOf<typeof listRoute>
  })
  const { run } = useAction([listRoute])

  const lift = ({ email, kind }: Suppression) =>
    run(
      () => call("DELETE /accounts/:accountId/suppressions/:email", { params: { accountId, email } }),
      texts.lifted(email),
      () => call("POST /accounts/:accountId/suppressions", { params: { accountId }, body: { email, kind } }),
      (one: Suppression) => (one.email === email ? null : one)
    )

  const show = (next: Search) => void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<Suppression>> = [
    { key: "email", head: texts.address, width: "minmax(12rem, 2fr)", cell: ({ email }) => email },
    {
      key: "kind",
      head: texts.kind,
      width: "minmax(7rem, 1fr)",
      narrow: "end",
      cell: ({ kind }) => <Badge tone={tones[kind] ?? "neutral"}>{texts.kinds[kind]}</Badge>
    },
    {
      key: "source",
      head: texts.source,
      width: "minmax(8rem, 1fr)",
      cell: ({ source }) => (source === null ? "–" : texts.sources[source])
    },
    {
      key: "time",
      head: texts.since,
      width: "minmax(8rem, 1fr)",
      narrow: "second",
      sort: "time",
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />
    },
    ...(mayWrite
      ? [
          {
            key: "lift",
            head: texts.lift,
            isHeadHidden: true,
            width: "5rem",
            isEnd: true,
            cell: (item: Suppression) => (
              <Button isSmall tone="quiet" onClick={() => void lift(item)}>
                {texts.lift}
              </Button>
            )
          }
        ]
      : [])
  ]
  const add = mayWrite && (
    <Button tone="primary" icon="plus" onClick={() => setPanel(newPanel)}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={texts.title} text={texts.text} actions={add}>
      <FilteredList
        view="suppressions"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={texts.search}
        filters={[
          {
            key: "kind",
            label: texts.kind,
            options: optionsOf(texts.kinds)
          },
          {
            key: "source",
            label: texts.source,
            options: optionsOf(texts.sources)
          }
        ]}
        more={more}
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ email }) => email}
        empty={
          <EmptyState icon="block" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {shown === newPanel && mayWrite && <AddDialog accountId={accountId} onClose={() => setPanel(null)} />}
    </Page>
  )
}
