/**
 * The size of a segment on each of the last days.
 *
 * @module
 */
import type { ValueOf } from "../../../api/call.ts"
import { useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { useNow } from "../../../lib/now.ts"
import { trendOf } from "../../../lib/trend.ts"
import { Card } from "../../../parts/page/Page.tsx"
import { Chart } from "../../../parts/show/Chart.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"

/** How many days are shown. */
const shownDays = 90

/** The chart; on the first day, a sentence instead. */
export const Trend = ({
  segment: { count, id: segmentId, sendableCount }
}: {
  readonly segment: ValueOf<"GET /accounts/:accountId/segments/:id">
}) => {
  const { segments } = useTexts()
  const { segment: texts } = useEditorTexts()
  const format = useFormat()
  const now = useNow()
  const { id: accountId } = useAccount()
  const sizes = useExtra("GET /accounts/:accountId/segments/sizes", {
    params: { accountId },
    query: { days: shownDays, segment: segmentId }
  })
  if (sizes === undefined) return null
  const days = trendOf(sizes.items, { segmentId, count, sendableCount }, now.getTime())
  return (
    <Card>
      <Chart
        title={texts.trend}
        head={texts.day}
        labels={days.map(({ date }) => format.date(date))}
        series={[
          { name: segments.people, values: days.map((day) => day.count) },
          { name: segments.sendable, tone: "good", values: days.map((day) => day.sendableCount) }
        ]}
      />
    </Card>
  )
}
