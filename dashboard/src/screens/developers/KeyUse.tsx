/**
 * How a key was used within the last day, for users who are about to revoke it.
 *
 * @module
 */
import { useState } from "react"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { countsOf } from "../../lib/counts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { LoadingLines } from "../../parts/page/Empty.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const dayMillis = 86_400_000

/** How many calls are read, and how many kinds of calls are shown. */
const looked = { calls: 200, kinds: 6 }

/** The calls, counted by route. */
export const KeyUse = ({ accountId, keyId }: { readonly accountId: string; readonly keyId: string }) => {
  const { keyUse: texts } = useTexts()
  const format = useFormat()
  const [since] = useState(() => new Date(Date.now() - dayMillis).toISOString())
  const { data, error, refetch } = useApi("GET /accounts/:accountId/requests", {
    params: { accountId },
    query: { keyId: [keyId], since, limit: looked.calls }
  })
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <LoadingLines count={2} />
  if (data.items.length === 0) return <p>{texts.nothing}</p>
  const counts = countsOf(data.items, ({ method, route }) => `${method} ${route ?? "–"}`)
  return (
    <Section title={texts.title}>
      <Card isFlush>
        <Rows>
          {counts.slice(0, looked.kinds).map(({ count, first, name }) => (
            <Entry
              key={name}
              text={texts.calls(format.number(count), count)}
              end={<RelativeTime at={first.at} />}
            >
              <code>{name}</code>
            </Entry>
          ))}
        </Rows>
        {data.next !== null && <Nothing>{texts.partly(format.number(looked.calls))}</Nothing>}
      </Card>
    </Section>
  )
}
