/**
 * The events reported by the customer's systems.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi, Link } from "@tanstack/react-router"
import { Suspense } from "react"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { queryOf, type Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { MissingDialog } from "../../parts/overlay/MissingDialog.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Said } from "../../texts/said/Said.tsx"
import { EventDialog } from "./EventDialog.tsx"
import { useShownEntry } from "./useShownEntry.ts"

const SendEvent = lazyPart(() => import("./SendEvent.tsx"), "SendEvent")

const route = getRouteApi("/shell/a/$accountId/developers/events")

const listRoute = "GET /accounts/:accountId/events"

type Event = ItemOf<typeof listRoute>

const tones: Readonly<Record<string, Tone>> = { Processed: "good", Accepted: "accent", Failed: "bad" }

/** The filters that share a dialog. */
const more = {
  keys: ["contactId", "name", "since", "until"],
  Dialog: lazyPart(() => import("./EventFilters.tsx"), "EventFilters")
}

/** The screen. */
export const Events = () => {
  const { developers, events: texts, sendEvent } = useTexts()
  const { can, id: accountId } = useAccount()
  const { columns: chosen, shown, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(listRoute, {
    params: { accountId },
    query: queryOf(search) as unknown as QueryOf<typeof listRoute>
  })
  const [, setPanel] = usePanel()
  const open = useShownEntry(
    list,
    shown === newPanel ? undefined : shown,
    ({ eventId }) => eventId,
    listRoute,
    accountId
  )
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<Event>> = [
    {
      key: "name",
      head: texts.name,
      width: "minmax(9rem, 1.3fr)",
      cell: ({ name }) => <span dir="auto">{name}</span>
    },
    {
      key: "id",
      head: texts.id,
      width: "minmax(8rem, 1.3fr)",
      cell: ({ eventId }) => <code dir="auto">{eventId}</code>
    },
    {
      key: "state",
      head: texts.state,
      width: "7rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={tones[status] ?? "neutral"}>{texts.states[status]}</Badge>
    },
    {
      key: "failure",
      head: texts.failure,
      width: "minmax(8rem, 1.8fr)",
      cell: ({ failure }) =>
        failure === null ? (
          "–"
        ) : (
          <span title={failure.code}>
            <Said text={failure.message} />
          </span>
        )
    },
    {
      key: "person",
      head: texts.person,
      width: "8rem",
      cell: ({ contactId }) =>
        contactId === null || !can("contacts:read") ? (
          "–"
        ) : (
          <Link to="/a/$accountId/people/contacts/$contactId" params={{ accountId, contactId }}>
            {texts.showPerson}
          </Link>
        )
    },
    {
      key: "time",
      head: texts.happened,
      width: "minmax(7rem, 0.8fr)",
      narrow: "second",
      sort: "time",
      cell: ({ occurredAt }) => <RelativeTime at={occurredAt} />
    },
    {
      key: "details",
      head: texts.details,
      isHeadHidden: true,
      width: "6.5rem",
      cell: ({ eventId }) => (
        <Button isSmall tone="quiet" onClick={() => setPanel(eventId)}>
          {texts.details}
        </Button>
      )
    }
  ]
  // An event may create a contact.
  const mayAdd = can("contacts:write")
  const add = mayAdd && (
    <Button tone="primary" icon="plus" onClick={() => setPanel(newPanel)}>
      {sendEvent.open}
    </Button>
  )
  return (
    <Page isList title={developers.title} actions={add}>
      <FilteredList
        head={<AreaTabs area="developers" />}
        view="events"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={texts.search}
        filters={[
          {
            key: "status",
            label: texts.state,
            options: optionsOf(texts.states)
          }
        ]}
        more={more}
        label={developers.tabs.events}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="inbox" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {open === null && <MissingDialog thing="Event" onClose={() => setPanel(null)} />}
      {open && <EventDialog event={open} onClose={() => setPanel(null)} />}
      {shown === newPanel && mayAdd && (
        <Suspense fallback={null}>
          <SendEvent accountId={accountId} onClose={() => setPanel(null)} />
        </Suspense>
      )}
    </Page>
  )
}
