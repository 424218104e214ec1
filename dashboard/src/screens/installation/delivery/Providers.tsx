/**
 * The known providers: the limits of their lanes, what holds them, and an operator's own limits.
 *
 * @module
 */
import { getRouteApi, Link } from "@tanstack/react-router"
import type { QueryOf } from "../../../api/call.ts"
import { isAllRead, type ItemOf, useList } from "../../../api/queries.ts"
import { usePanel } from "../../../app/panel.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { narrow, useMedia } from "../../../lib/media.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { FilterBar } from "../../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { MissingDialog } from "../../../parts/overlay/MissingDialog.tsx"
import { EmptyState } from "../../../parts/page/Empty.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { InstallationPage } from "../InstallationPage.tsx"
import { providersRoute } from "./lanes.ts"
import { LimitsDialog } from "./LimitsDialog.tsx"

const route = getRouteApi("/shell/installation/providers")

type Provider = ItemOf<typeof providersRoute>

/** How often the list is refreshed, in milliseconds. */
const renewMillis = 15_000

/** The screen. */
export const Providers = () => {
  const { installation, people } = useTexts()
  const { limits, providers: texts } = useSourceTexts()
  const format = useFormat()
  const { shown: panel, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(
    providersRoute,
    { params: {}, query: search as unknown as QueryOf<typeof providersRoute> },
    { refetchInterval: renewMillis }
  )
  const isNarrow = useMedia(narrow)
  const [, setPanel] = usePanel()
  const open = list.items.find(({ key }) => key === panel)
  /** The value of a rule, marked if an operator or a file has set it. */
  const ruleOf =
    (name: "maxWidth" | "messagesPerConnection") =>
    ({ rules }: Provider) => {
      const rule = rules[name]
      if (rule === undefined) return "–"
      const shown = format.number(rule.value as number)
      if (rule.from === "Table") return shown
      return (
        <Badge tone="accent">
          <span title={limits.origins[rule.from]}>{shown}</span>
        </Badge>
      )
    }
  const columns: ReadonlyArray<Column<Provider>> = [
    {
      key: "name",
      head: texts.provider,
      width: "minmax(9rem, 1.6fr)",
      cell: ({ key, name }) => (
        <>
          <bdi>{name}</bdi> <code>{key}</code>
        </>
      )
    },
    {
      key: "limit",
      head: texts.limit,
      width: "6.5rem",
      isEnd: true,
      cell: ruleOf("maxWidth")
    },
    {
      key: "perConnection",
      head: texts.perConnection,
      width: "6.5rem",
      isEnd: true,
      cell: ruleOf("messagesPerConnection")
    },
    {
      key: "lanes",
      head: texts.lanes,
      width: "6.5rem",
      isEnd: true,
      cell: ({ key, lanes }) =>
        lanes === 0 ? (
          "0"
        ) : (
          <Link to="/installation/lanes" search={{ provider: key }} title={texts.seeLanes}>
            {format.number(lanes)}
          </Link>
        )
    },
    {
      key: "sent",
      head: texts.sent,
      width: "6.5rem",
      isEnd: true,
      cell: ({ deliveredPerMinute }) => format.number(deliveredPerMinute)
    },
    {
      key: "held",
      head: texts.held,
      width: "6.5rem",
      isEnd: true,
      narrow: "second",
      cell: ({ held }) => (isNarrow ? `${texts.held}: ${format.number(held)}` : format.number(held))
    },
    {
      key: "state",
      head: texts.state,
      width: "6.5rem",
      narrow: "end",
      cell: ({ paused }) => (
        <Badge tone={paused ? "warning" : "good"}>{texts.states[paused ? "paused" : "open"]}</Badge>
      )
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "5.5rem",
      isEnd: true,
      cell: ({ key }) => (
        <Button isSmall onClick={() => setPanel(key)}>
          {texts.rules}
        </Button>
      )
    }
  ]
  return (
    <InstallationPage
      bar={
        <FilterBar
          search={search}
          placeholder={texts.search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[]}
        />
      }
    >
      <List
        label={installation.tabs.providers}
        list={list}
        columns={columns}
        keyOf={({ key }) => key}
        isFiltered={search.q !== undefined}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={<EmptyState icon="server" title={texts.empty} />}
      />
      {panel !== undefined && open === undefined && isAllRead(list) && (
        <MissingDialog thing={texts.provider} onClose={() => setPanel(null)} />
      )}
      {open !== undefined && (
        <LimitsDialog
          name={open.name}
          rules={open.rules}
          // The entry for all other servers has no lane of its own.
          target={open.key === "default" ? null : open.key}
          onClose={() => setPanel(null)}
        />
      )}
    </InstallationPage>
  )
}
