/**
 * The live view: events in the account as they happen.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useStream } from "../../api/stream.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { valuesOf } from "../../lib/search.ts"
import { cleared, emptyTail, paused, resumed, type Tail, withChanges } from "../../lib/tail.ts"
import { Button } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Facts, Page } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { useLiveTexts } from "../../texts/live/useLiveTexts.ts"
import { type Line, lineOf, type LiveTopic, topicRights } from "./lines.ts"
import styles from "./Live.module.css"

const route = getRouteApi("/shell/a/$accountId/developers/live")

const tones: Readonly<Record<string, Tone>> = {
  open: "good",
  lost: "warning",
  refused: "bad",
  paused: "warning"
}

const nothingToDo = (): void => undefined

/** An item as returned by the API. The body of a notification is a string of JSON, which is parsed. */
const jsonOf = ({ item, topic }: Line): string => {
  const { body = "" } = item as { readonly body?: string }
  const shown: unknown = topic === "notifications" ? JSON.parse(body) : item
  return JSON.stringify(shown, null, 2)
}

/** The screen. */
export const Live = () => {
  const texts = useTexts()
  const { live } = useLiveTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [tail, setTail] = useState<Tail<Line>>(emptyTail)
  const [isMissed, setMissed] = useState(false)
  const [open, setOpen] = useState<Line | null>(null)
  const topics = (Object.keys(topicRights) as ReadonlyArray<LiveTopic>).filter((topic) =>
    can(topicRights[topic])
  )
  const { error, state } = useStream(accountId, topics, (events) => {
    const at = Date.now()
    if (events.some(({ event }) => event === "reset")) setMissed(true)
    setTail((before) =>
      withChanges(
        before,
        events.flatMap((event) => lineOf(event, at, texts) ?? [])
      )
    )
  })
  const isPaused = tail.held !== null
  const wanted = valuesOf(search.topic)
  const items = wanted.length === 0 ? tail.shown : tail.shown.filter(({ topic }) => wanted.includes(topic))
  const status = isPaused && state === "open" ? "paused" : state
  const columns: ReadonlyArray<Column<Line>> = [
    {
      key: "change",
      head: live.change,
      width: "minmax(12rem, 2fr)",
      cell: (line) => (
        <button type="button" className={styles["open"]} onClick={() => setOpen(line)} dir="auto">
          {line.title}
        </button>
      )
    },
    {
      key: "about",
      head: live.about,
      width: "minmax(10rem, 1.6fr)",
      narrow: "second",
      cell: ({ about }) => <bdi className={styles["about"]}>{about}</bdi>
    },
    {
      key: "state",
      head: live.state,
      width: "8rem",
      narrow: "end",
      cell: ({ state: shown, tone }) => (shown === null ? null : <Badge tone={tone}>{shown}</Badge>)
    },
    { key: "topic", head: live.topic, width: "8rem", cell: ({ topic }) => live.topics[topic] },
    {
      key: "time",
      head: live.time,
      width: "7rem",
      isEnd: true,
      cell: ({ at }) => <time dateTime={new Date(at).toISOString()}>{format.time(new Date(at))}</time>
    }
  ]
  return (
    <Page
      isList
      title={texts.developers.title}
      badge={
        <span role="status">
          <Badge tone={tones[status] ?? "neutral"}>{live.states[status]}</Badge>
        </span>
      }
      actions={
        <>
          <Button onClick={() => setTail(cleared)} disabled={tail.shown.length === 0}>
            {live.clear}
          </Button>
          <Button onClick={() => setTail(isPaused ? resumed : paused)}>
            {!isPaused
              ? live.pause
              : tail.heldCount === 0
                ? live.resume
                : live.held(format.number(tail.heldCount))}
          </Button>
        </>
      }
    >
      <div>
        <AreaTabs area="developers" />
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[
            {
              key: "topic",
              label: live.topic,
              options: topics.map((topic) => ({ value: topic, label: live.topics[topic] ?? topic }))
            }
          ]}
        />
        {/* Until the stream is refused, it reconnects by itself, and the badge shows this. */}
        {error !== null && state === "refused" && <ErrorBanner error={error} />}
        {isMissed && (
          <Banner
            tone="warning"
            action={
              <Button isSmall onClick={() => setMissed(false)}>
                {texts.common.close}
              </Button>
            }
          >
            {live.missed}
          </Banner>
        )}
      </div>
      <List
        label={live.label}
        list={{
          items,
          total: { count: items.length, isExact: true },
          isLoading: false,
          error: null,
          hasMore: false,
          loadMore: nothingToDo,
          reload: nothingToDo
        }}
        columns={columns}
        keyOf={({ key }) => key}
        empty={
          <EmptyState icon="code" title={live.empty}>
            {tail.shown.length === 0 ? live.emptyText : live.nothing}
          </EmptyState>
        }
      />
      {open !== null && (
        <Dialog
          isOpen
          isWide
          title={open.title}
          onClose={() => setOpen(null)}
          actions={<Button onClick={() => setOpen(null)}>{texts.common.close}</Button>}
        >
          <Facts
            facts={[
              [live.topic, live.topics[open.topic]],
              [live.received, format.exact(new Date(open.at))]
            ]}
          />
          <Code label={open.title}>{jsonOf(open)}</Code>
        </Dialog>
      )}
    </Page>
  )
}
