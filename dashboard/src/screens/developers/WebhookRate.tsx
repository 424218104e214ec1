/**
 * The share of a webhook's notifications that were delivered lately.
 *
 * @module
 */
import { useState } from "react"
import { useExtra } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"

/** The period that is counted, in milliseconds. */
const countedMillis = 7 * 86_400_000

/** The share, with the numbers. */
export const WebhookRate = ({
  accountId,
  webhookId
}: {
  readonly accountId: string
  readonly webhookId: string
}) => {
  const { webhookRate: texts } = useTexts()
  const format = useFormat()
  const [since] = useState(() => new Date(Date.now() - countedMillis).toISOString())
  const counted = (...state: ReadonlyArray<"Succeeded" | "Failed" | "Cancelled">) => ({
    params: { accountId },
    query: { webhookId: [webhookId], state, since, limit: 1 }
  })
  const listRoute = "GET /accounts/:accountId/notifications"
  const succeeded = useExtra(listRoute, counted("Succeeded"))?.totalCount
  const failed = useExtra(listRoute, counted("Failed", "Cancelled"))?.totalCount
  if (succeeded === undefined || failed === undefined) return <span>–</span>
  const all = succeeded + failed
  if (all === 0) return <span>{texts.none}</span>
  return (
    <span>
      {format.percent(succeeded / all)} · {texts.of(format.number(succeeded), format.number(all))}
    </span>
  )
}
