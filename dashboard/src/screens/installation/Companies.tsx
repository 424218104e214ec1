/**
 * The companies of the installation, their volumes, and an operator's access to their contacts.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { optionsOf } from "../../lib/options.ts"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useExtra, useChange, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { byTime, daysOf, totalOf } from "../../lib/figures.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { Field, Input, Select, TextArea } from "../../parts/form/Field.tsx"
import { hasFilters, type Search } from "../../lib/search.ts"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState, Skeleton } from "../../parts/page/Empty.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Sparkline } from "../../parts/show/Chart.tsx"
import { InstallationPage } from "./InstallationPage.tsx"

const route = getRouteApi("/shell/installation/companies")

const listRoute = "GET /companies"

type Company = ItemOf<typeof listRoute>

/** What a company has sent lately. Read only for visible rows. */
const useVolume = ({ live: { accountId } }: Company) =>
  useExtra("GET /accounts/:accountId/stats", { params: { accountId }, query: { days: 30 } })

const Volume = ({ company }: { readonly company: Company }) => {
  const { homeScreen, installation: texts } = useTexts()
  const format = useFormat()
  const data = useVolume(company)
  if (data === undefined) return <Skeleton width="40%" />
  const { bounced, sent } = totalOf(daysOf(data))
  return (
    <span title={`${homeScreen.figures.bounced}: ${format.number(bounced)}`}>
      {texts.sent(format.number(sent), sent)}
    </span>
  )
}

const Course = ({ company }: { readonly company: Company }) => {
  const { installation: texts } = useTexts()
  const data = useVolume(company)
  if (data === undefined) return null
  return <Sparkline label={texts.course} values={byTime(daysOf(data)).map((day) => totalOf([day]).sent)} />
}

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common, installation: texts } = useTexts()
  const [name, setName] = useState("")
  const { error, isPending, mutate } = useChange("POST /companies", { renews: [listRoute] })
  const create = () =>
    mutate(
      { body: { name: name.trim() } },
      {
        onSuccess: (company) => {
          toast(texts.companyCreated(company.name))
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={create}
      title={texts.addCompany}
      text={texts.addCompanyText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.create}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.name} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  )
}

/** The durations of an access, in hours. */
const hours = ["1", "2", "4", "8"]

const AccessDialog = ({ company, onClose }: { readonly company: Company; readonly onClose: () => void }) => {
  const { common, installation: texts } = useTexts()
  const format = useFormat()
  const [reason, setReason] = useState("")
  const [length, setLength] = useState("1")
  const [now] = useState(() => new Date())
  const { error, isPending, mutate } = useChange("POST /companies/:companyId/access")
  const open = () =>
    mutate(
      { params: { companyId: company.id }, body: { reason: reason.trim(), hours: Number(length) } },
      {
        onSuccess: ({ until }) => {
          toast(texts.accessOpened(company.name, format.moment(new Date(until), now)))
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={open}
      title={texts.accessTitle(company.name)}
      text={texts.accessText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.openAccess}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["reason"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.reason} hint={texts.reasonHint} error={error?.fields["reason"]}>
        <TextArea value={reason} rows={3} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <Field label={texts.accessHours}>
        <Select
          value={length}
          onChange={(event) => setLength(event.target.value)}
          options={hours.map((value) => ({ value, label: texts.hours(Number(value)) }))}
        />
      </Field>
    </Dialog>
  )
}

/** The screen. */
export const Companies = () => {
  const { installation: texts, people } = useTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const list = useList(listRoute, { params: {}, query: search as unknown as QueryOf<typeof listRoute> })
  const [open, setOpen] = useState<Company | "new" | null>(null)
  const { run } = useAction()
  const close = ({ id, name }: Company) =>
    run(
      () => call("DELETE /companies/:companyId/access", { params: { companyId: id } }),
      texts.accessClosed(name)
    )
  const columns: ReadonlyArray<Column<Company>> = [
    {
      key: "name",
      head: texts.company,
      width: "minmax(10rem, 2fr)",
      sort: "name",
      cell: ({ deletedAt, name }) => (
        <>
          <bdi>{name}</bdi> {deletedAt !== null && <Badge>{texts.companyStates["Deleted"]}</Badge>}
        </>
      )
    },
    {
      key: "volume",
      head: texts.volume,
      width: "minmax(7rem, 1fr)",
      narrow: "second",
      sort: "volume",
      cell: (company) => <Volume company={company} />
    },
    { key: "course", head: texts.course, width: "8rem", cell: (company) => <Course company={company} /> },
    {
      key: "id",
      head: texts.account,
      width: "16.5rem",
      cell: ({ live }) => <code>{live.accountId}</code>
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "2.5rem",
      isEnd: true,
      cell: (company) => (
        <Menu
          align="end"
          trigger={<IconButton isSmall icon="more" label={`${people.actions}: ${company.name}`} />}
        >
          <MenuItem icon="lock" onSelect={() => setOpen(company)}>
            {texts.openAccess}
          </MenuItem>
          <MenuItem icon="close" onSelect={() => void close(company)}>
            {texts.closeAccess}
          </MenuItem>
        </Menu>
      )
    }
  ]
  const add = (
    <Button tone="primary" icon="plus" onClick={() => setOpen("new")}>
      {texts.addCompany}
    </Button>
  )
  return (
    <InstallationPage
      actions={add}
      bar={
        <FilterBar
          search={search}
          onChange={show}
          placeholder={texts.searchCompanies}
          filters={[{ key: "state", label: texts.state, options: optionsOf(texts.companyStates) }]}
        />
      }
    >
      <List
        label={texts.tabs.companies}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        sort={search.sort}
        onSort={(sort) => show({ ...search, sort })}
        isFiltered={hasFilters(search)}
        onReset={() => show({})}
        linkOf={({ live: { accountId } }) => ({ to: "/a/$accountId", params: { accountId } })}
        empty={
          <EmptyState icon="store" title={texts.noCompanies}>
            {texts.addCompanyText}
          </EmptyState>
        }
      />
      {open === "new" && <CreateDialog onClose={() => setOpen(null)} />}
      {open !== null && open !== "new" && <AccessDialog company={open} onClose={() => setOpen(null)} />}
    </InstallationPage>
  )
}
