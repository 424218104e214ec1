/**
 * The list of people, with filters and bulk actions.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { lazyPart } from "../../app/newVersion.ts"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useTexts } from "../../app/reader.tsx"
import { useSelection } from "../../app/selection.ts"
import { useAccount } from "../../app/session.ts"
import { Button, ButtonLink } from "../../parts/form/Button.tsx"
import { queryOf, type Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { AddContact } from "./AddContact.tsx"
import { BulkBar } from "./BulkBar.tsx"
import { consentTones, nameOf } from "./consent.ts"
import styles from "./Contacts.module.css"

const route = getRouteApi("/shell/a/$accountId/people")

const listRoute = "GET /accounts/:accountId/contacts"

type Contact = ItemOf<typeof listRoute>

const optionsOf = (names: Readonly<Record<string, string>>, left: ReadonlyArray<string> = []) =>
  Object.entries(names)
    .filter(([value]) => !left.includes(value))
    .map(([value, label]) => ({ value, label }))

/** The most topics and segments that the filters offer. */
const offered = { limit: 100 }

const lastOf = ({
  addedAt,
  lastClickAt,
  lastConversionAt,
  lastOpenAt,
  lastOrderAt
}: Contact): string | null =>
  [addedAt, lastClickAt, lastConversionAt, lastOpenAt, lastOrderAt]
    .filter((at) => at !== null)
    .toSorted()
    .at(-1) ?? null

/** The filters whose values are typed. */
const more = {
  keys: [
    "tag",
    "country",
    "language",
    "storeId",
    "since",
    "until",
    "lastEmailedSince",
    "lastOpenSince",
    "lastClickSince"
  ],
  Dialog: lazyPart(() => import("./PeopleFilters.tsx"), "PeopleFilters")
}

/** The screen. */
export const Contacts = () => {
  const { people: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const { columns: chosen, selected: _, shown, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const [, setPanel] = usePanel()
  const [selected, setSelected] = useSelection()
  const params = { accountId }
  const { sort: _sort, ...filter } = queryOf(search)
  const list = useList(listRoute, {
    params,
    query: queryOf(search) as unknown as QueryOf<typeof listRoute>
  })
  const topics = useExtra("GET /accounts/:accountId/topics", { params, query: offered })?.items ?? []
  const segments = useExtra("GET /accounts/:accountId/segments", { params, query: offered })?.items ?? []
  const show = (next: Search) => {
    setSelected(new Set())
    void navigate({ search: next, replace: true })
  }
  const mayWrite = can("contacts:write")

  const columns: ReadonlyArray<Column<Contact>> = [
    {
      key: "person",
      head: texts.person,
      width: "minmax(14rem, 2.4fr)",
      cell: (contact) => {
        const name = nameOf(contact)
        return (
          <span className={styles["person"]}>
            <bdi>{name}</bdi>
            {contact.email !== null && contact.email !== name && <bdi>{contact.email}</bdi>}
          </span>
        )
      }
    },
    {
      key: "consent",
      head: texts.consent,
      width: "minmax(8rem, 1fr)",
      narrow: "end",
      cell: ({ consentStatus }) => (
        <Badge tone={consentTones[consentStatus] ?? "neutral"}>{texts.consents[consentStatus]}</Badge>
      )
    },
    {
      key: "place",
      head: texts.place,
      width: "minmax(7rem, 1fr)",
      cell: ({ city, countryCode }) => (
        <span dir="auto">{[city, countryCode].filter((part) => part !== null).join(", ") || "–"}</span>
      )
    },
    {
      key: "tags",
      head: texts.tags,
      width: "minmax(7rem, 1.2fr)",
      cell: ({ tags }) => <span dir="auto">{tags === null || tags.length === 0 ? "–" : tags.join(", ")}</span>
    },
    {
      key: "activity",
      head: texts.lastActivity,
      width: "minmax(7rem, 0.8fr)",
      narrow: "second",
      sort: "lastActivity",
      cell: (contact) => <RelativeTime at={lastOf(contact)} />
    },
    {
      key: "added",
      head: texts.added,
      width: "minmax(7rem, 0.8fr)",
      sort: "added",
      cell: ({ addedAt }) => <RelativeTime at={addedAt} />
    }
  ]
  const actions = (
    <>
      {can("contacts:import") && (
        <ButtonLink to="/a/$accountId/people/imports" params={params}>
          {texts.addImport}
        </ButtonLink>
      )}
      {mayWrite && (
        <Button tone="primary" icon="plus" onClick={() => setPanel(newPanel)}>
          {texts.add}
        </Button>
      )}
    </>
  )
  return (
    <Page isList title={texts.title} actions={actions}>
      <FilteredList
        head={<AreaTabs area="people" />}
        view="contacts"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={texts.search}
        filters={[
          { key: "consentStatus", label: texts.consent, options: optionsOf(texts.consents) },
          {
            key: "topic",
            label: texts.topic,
            options: topics.flatMap(({ key, name }) => [
              { value: key, label: name },
              { value: `!${key}`, label: texts.topicOff(name) }
            ])
          },
          {
            key: "segment",
            label: texts.segment,
            options: segments.map(({ id, name }) => ({ value: id, label: name }))
          },
          { key: "source", label: texts.source, options: optionsOf(texts.sources, ["Ui"]) },
          {
            key: "suppressed",
            label: texts.suppressed,
            isSingle: true,
            options: optionsOf(texts.suppressedValues)
          }
        ].filter(({ options }) => options.length > 0)}
        more={more}
        bar={
          selected.size > 0 && (
            <BulkBar
              accountId={accountId}
              selected={selected}
              filter={filter}
              // The total of the previous filters could be much higher, so it is not used.
              total={list.isOfOtherFilters === true ? 0 : (list.total?.count ?? 0)}
              onClear={() => setSelected(new Set())}
            />
          )
        }
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/people/contacts/$contactId",
          params: { accountId, contactId: id }
        })}
        {...(can("contacts:write")
          ? {
              selection: {
                keys: selected,
                onChange: setSelected,
                nameOf: (contact: Contact) => nameOf(contact)
              }
            }
          : {})}
        empty={
          <EmptyState icon="people" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {shown === newPanel && mayWrite && <AddContact accountId={accountId} onClose={() => setPanel(null)} />}
    </Page>
  )
}
