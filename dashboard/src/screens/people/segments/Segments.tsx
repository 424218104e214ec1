/**
 * The list of segments.
 *
 * @module
 */
import { type ItemOf, useExtra, useList } from "../../../api/queries.ts"
import { AreaTabs } from "../../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { sentenceOf } from "../../../lib/segment.ts"
import { useNow } from "../../../lib/now.ts"
import { trendOf } from "../../../lib/trend.ts"
import { ButtonLink } from "../../../parts/form/Button.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { EmptyState } from "../../../parts/page/Empty.tsx"
import { Page } from "../../../parts/page/Page.tsx"
import { Sparkline } from "../../../parts/show/Chart.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { useWords } from "./useWords.ts"

const listRoute = "GET /accounts/:accountId/segments"

type Segment = ItemOf<typeof listRoute>

/** The screen. */
export const Segments = () => {
  const { people, segments: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const { segment: editor } = useEditorTexts()
  const words = useWords()
  const now = useNow()
  const list = useList(listRoute, { params: { accountId } })
  const parts = useExtra("GET /accounts/:accountId/segments/fields", { params: { accountId } })
  const sizes = useExtra("GET /accounts/:accountId/segments/sizes", { params: { accountId } })
  const trend = (segment: Segment) => {
    const days = trendOf(sizes?.items ?? [], { ...segment, segmentId: segment.id }, now.getTime())
    const [first, second] = days
    return second === undefined ? null : (
      <Sparkline
        label={editor.trendOf(format.number(first!.count), format.number(segment.count))}
        values={days.map(({ count }) => count)}
      />
    )
  }
  const columns: ReadonlyArray<Column<Segment>> = [
    {
      key: "name",
      head: texts.name,
      width: "minmax(12rem, 2fr)",
      cell: ({ name }) => <span dir="auto">{name}</span>
    },
    {
      key: "rules",
      head: texts.rules,
      width: "minmax(10rem, 2fr)",
      narrow: "second",
      cell: ({ builtInKey, definition, description }) =>
        builtInKey !== null ? (
          <Badge>{texts.builtIn}</Badge>
        ) : (
          <span dir="auto">
            {description ?? (parts === undefined ? "" : sentenceOf(definition, parts, words))}
          </span>
        )
    },
    { key: "trend", head: editor.trend, width: "8rem", cell: trend },
    {
      key: "sendable",
      head: texts.sendable,
      width: "8rem",
      isEnd: true,
      cell: ({ sendableCount }) => format.number(sendableCount)
    },
    {
      key: "count",
      head: texts.people,
      width: "7rem",
      narrow: "end",
      isEnd: true,
      cell: ({ count }) => format.number(count)
    }
  ]
  const add = can("segments:write") && (
    <ButtonLink tone="primary" icon="plus" to="/a/$accountId/people/segments/new" params={{ accountId }}>
      {editor.add}
    </ButtonLink>
  )
  return (
    <Page isList title={people.title} actions={add}>
      <AreaTabs area="people" />
      <List
        label={people.tabs.segments}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/people/segments/$segmentId" as const,
          params: { accountId, segmentId: id }
        })}
        empty={
          <EmptyState icon="filter" title={editor.empty}>
            {editor.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
