/**
 * The list of segments.
 *
 * @module
 */
import { type ItemOf, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState, Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { PeopleTabs } from "./PeopleTabs.tsx"

const listRoute = "GET /accounts/:accountId/segments"

type Segment = ItemOf<typeof listRoute>

/** The screen. */
export const Segments = () => {
  const { people, segments: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
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
            {description ??
              (definition.rules.length === 0
                ? texts.noRules
                : definition.rules.map(({ fieldKey, operator }) => `${fieldKey} ${operator}`).join(", "))}
          </span>
        )
    },
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
  return (
    <Page isList title={people.title}>
      <PeopleTabs />
      <List
        label={people.tabs.segments}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        {...(can("contacts:read")
          ? {
              linkOf: ({ id }: Segment) => ({
                to: "/a/$accountId/people" as const,
                params: { accountId },
                search: { segment: id }
              })
            }
          : {})}
        empty={
          <EmptyState icon="filter" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
