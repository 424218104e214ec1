/**
 * The lanes used within the last day: their connection limits, their connections on each node, and what holds them.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { QueryOf } from "../../../api/call.ts"
import { isAllRead, type ItemOf, useExtra, useList } from "../../../api/queries.ts"
import { usePanel } from "../../../app/panel.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { FilterBar } from "../../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { MissingDialog } from "../../../parts/overlay/MissingDialog.tsx"
import { EmptyState } from "../../../parts/page/Empty.tsx"
import { Facts } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { Table } from "../../../parts/show/Table.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { InstallationPage } from "../InstallationPage.tsx"
import { lanesRoute, providersRoute, useProviderName } from "./lanes.ts"
import { LimitsDialog } from "./LimitsDialog.tsx"

const route = getRouteApi("/shell/installation/lanes")

type Lane = ItemOf<typeof lanesRoute>

/** How often the list is refreshed, in milliseconds. */
const renewMillis = 15_000

/** The destination of a lane, without its source address. */
const placeOf = ({ id, provider, site }: Lane): string => provider ?? site ?? id

const stateOf = ({ pausedUntil, strikes }: Lane): "paused" | "failing" | "open" =>
  pausedUntil !== null ? "paused" : strikes > 0 ? "failing" : "open"

const tones = { paused: "warning", failing: "bad", open: "good" } as const

const LaneDialog = ({
  lane,
  onClose,
  onLimits
}: {
  readonly lane: Lane
  readonly onClose: () => void
  readonly onLimits: () => void
}) => {
  const { common } = useTexts()
  const { lanes: texts } = useSourceTexts()
  const laneName = useProviderName()
  const format = useFormat()
  const nodes = useExtra("GET /nodes", { query: { limit: 200 } })?.items ?? []
  /** The host name of a process, and enough of its id to distinguish processes on the same host. */
  const nodeName = (id: string): string => {
    const host = nodes.find((node) => node.id === id)?.host
    return host === undefined ? id : `${host} (${id.slice(0, 8)})`
  }
  const { held, inUse, learnedAt, leases, oldest, override, pausedUntil, rate, source, strikes, width } = lane
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={laneName(placeOf(lane))}
      actions={
        <>
          {lane.provider !== null || lane.site !== null ? (
            <Button onClick={onLimits}>{texts.limits}</Button>
          ) : null}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <Facts
        facts={[
          [texts.from, source ?? texts.system],
          [texts.connections, texts.inUse(format.number(inUse), format.number(width))],
          [texts.rate, rate === null ? texts.noDelay : texts.perMinute(format.number(rate))],
          [texts.held, format.number(held)],
          oldest === null ? null : [texts.oldest, <RelativeTime key="oldest" at={oldest} />],
          pausedUntil === null ? null : [texts.pausedUntil, <RelativeTime key="until" at={pausedUntil} />],
          strikes === 0 ? null : [texts.state, texts.strikes(format.number(strikes), strikes)],
          override === null ? null : [texts.overridden, override.reason],
          [texts.learned, <RelativeTime key="learned" at={learnedAt} />]
        ]}
      />
      {leases.length === 0 ? (
        <p>{texts.noLeases}</p>
      ) : (
        <Table
          label={texts.leases}
          rows={leases}
          keyOf={({ node }) => node}
          columns={[
            { key: "node", head: texts.node, cell: ({ node }) => <bdi>{nodeName(node)}</bdi> },
            { key: "places", head: texts.places, isEnd: true, cell: ({ places }) => format.number(places) },
            {
              key: "expires",
              head: texts.expires,
              isEnd: true,
              cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />
            }
          ]}
        />
      )}
    </Dialog>
  )
}

/** The screen. */
export const Lanes = () => {
  const { installation, people } = useTexts()
  const { lanes: texts, providers } = useSourceTexts()
  const format = useFormat()
  const laneName = useProviderName()
  const { shown: panel, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(
    lanesRoute,
    { params: {}, query: search as unknown as QueryOf<typeof lanesRoute> },
    { refetchInterval: renewMillis }
  )
  const known = useExtra(providersRoute, { query: { limit: 200 } })
  const [, setPanel] = usePanel()
  const [isLimiting, setLimiting] = useState(false)
  const close = () => {
    setLimiting(false)
    setPanel(null)
  }
  const shown = list.items.find(({ id }) => id === panel)
  const columns: ReadonlyArray<Column<Lane>> = [
    {
      key: "lane",
      head: texts.lane,
      width: "minmax(10rem, 2fr)",
      cell: (lane) => <bdi>{laneName(placeOf(lane))}</bdi>
    },
    {
      key: "from",
      head: texts.from,
      width: "minmax(8rem, 1.2fr)",
      narrow: "second",
      cell: ({ source }) => source ?? texts.system
    },
    {
      key: "connections",
      head: texts.connections,
      width: "7rem",
      isEnd: true,
      cell: ({ inUse, width }) => texts.inUse(format.number(inUse), format.number(width))
    },
    {
      key: "rate",
      head: texts.rate,
      width: "minmax(7rem, 0.8fr)",
      isEnd: true,
      cell: ({ rate }) => (rate === null ? texts.noDelay : texts.perMinute(format.number(rate)))
    },
    { key: "held", head: texts.held, width: "7rem", isEnd: true, cell: ({ held }) => format.number(held) },
    {
      key: "state",
      head: texts.state,
      width: "7.5rem",
      narrow: "end",
      cell: (lane) => <Badge tone={tones[stateOf(lane)]}>{texts.states[stateOf(lane)]}</Badge>
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "6rem",
      isEnd: true,
      cell: ({ id }) => (
        <Button isSmall onClick={() => setPanel(id)}>
          {texts.show}
        </Button>
      )
    }
  ]
  return (
    <InstallationPage
      bar={
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[
            {
              key: "provider",
              label: providers.provider,
              options: (known?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))
            },
            {
              key: "paused",
              label: texts.only,
              isSingle: true,
              options: [{ value: "true", label: texts.onlyPaused }]
            }
          ]}
        />
      }
    >
      <List
        label={installation.tabs.lanes}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={Object.keys(search).length > 0}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="server" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel !== undefined && shown === undefined && isAllRead(list) && (
        <MissingDialog thing={texts.lane} onClose={close} />
      )}
      {shown !== undefined && !isLimiting && (
        <LaneDialog lane={shown} onClose={close} onLimits={() => setLimiting(true)} />
      )}
      {shown !== undefined && isLimiting && (
        <LimitsDialog
          name={laneName(placeOf(shown))}
          rules={null}
          target={shown.provider ?? shown.site}
          onClose={close}
        />
      )}
    </InstallationPage>
  )
}
