/**
 * Home: the first steps of a new account, its numbers, what needs attention, and the latest changes.
 *
 * @module
 */
import { useState } from "react"
import { useApi, useExtra } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import {
  byTime,
  daysOf,
  figureNames,
  figuresOf,
  responsesOf,
  totalOf,
  withResponses
} from "../../lib/figures.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { LoadingLines, Skeleton } from "../../parts/page/Empty.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { Chart, Sparkline } from "../../parts/show/Chart.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useActorName } from "../../app/useActorName.ts"
import { targetName } from "../../lib/audit.ts"
import { useActionName } from "../../texts/audit/useActionName.ts"
import { Attention } from "./Attention.tsx"
import { Checklist } from "./Checklist.tsx"
import styles from "./Home.module.css"

const days = 30

/** The start of the period shown. Its days are in UTC, like the counts. */
const firstDay = (): string =>
  `${new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`

const Numbers = () => {
  const { homeScreen: texts } = useTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const { data, error, refetch } = useApi("GET /accounts/:accountId/stats", {
    params: { accountId },
    query: { days }
  })
  const [since] = useState(firstDay)
  const responses = useExtra("GET /accounts/:accountId/stats", {
    params: { accountId },
    query: { since, unit: "Day", by: "Source" }
  })
  const shown = withResponses(byTime(daysOf(data)), responsesOf(responses))
  const total = totalOf(shown)
  const today = totalOf(shown.slice(-1))
  const labels = shown.map(({ date }) => format.date(date))
  return (
    <>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      <Section title={texts.last30}>
        <ul className={styles["figures"]}>
          {figureNames.map((name) => (
            <li key={name}>
              <span className={styles["name"]}>{texts.figures[name]}</span>
              <strong className={styles["number"]}>
                {data !== undefined ? (
                  format.number(total[name])
                ) : error === null ? (
                  <Skeleton width="3rem" />
                ) : (
                  "–"
                )}
              </strong>
              <span className={styles["today"]}>
                {data !== undefined && texts.todayCount(format.number(today[name]))}
              </span>
              <span className={styles["spark"]}>
                {total[name] > 0 && (
                  <Sparkline values={shown.map((day) => figuresOf(day)[name])} label={texts.figures[name]} />
                )}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      {data === undefined ? (
        <div className={styles["chart"]} />
      ) : (
        <Card>
          <Chart
            title={texts.chart}
            head={texts.byDay}
            labels={labels}
            series={[
              { name: texts.figures.sent, values: shown.map((day) => figuresOf(day).sent) },
              {
                name: texts.figures.delivered,
                tone: "good",
                values: shown.map((day) => figuresOf(day).delivered)
              },
              { name: texts.figures.bounced, tone: "bad", values: shown.map((day) => figuresOf(day).bounced) }
            ]}
          />
        </Card>
      )}
    </>
  )
}

const changesShown = 8

const Changes = () => {
  const { homeScreen: texts } = useTexts()
  const nameOf = useActionName()
  const nameOfActor = useActorName()
  const { id: accountId } = useAccount()
  const { data, error, refetch } = useApi("GET /accounts/:accountId/audit-log", {
    params: { accountId },
    query: { limit: changesShown, outcome: ["Done"] }
  })
  return (
    <Section title={texts.changes}>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingLines count={3} />}
      {data?.items.length === 0 && <p className={styles["soft"]}>{texts.noChanges}</p>}
      <ul className={styles["changes"]}>
        {data?.items.map((entry) => (
          <li key={entry.id}>
            <div>
              <strong title={entry.action}>{nameOf(entry.action)}</strong> <bdi>{targetName(entry)}</bdi>
              <p className={styles["soft"]}>{texts.by(nameOfActor(entry.actor))}</p>
            </div>
            <RelativeTime at={entry.at} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** The screen. */
export const Home = () => {
  const { homeScreen: texts } = useTexts()
  const { can, id } = useAccount()
  return (
    <Page title={texts.title}>
      {/* Each account needs its own state: which steps are done, and the key that was shown. */}
      <Checklist key={id} />
      {can("stats:read") && <Numbers />}
      <div className={styles["columns"]}>
        <Attention />
        {can("audit:read") && <Changes />}
      </div>
    </Page>
  )
}
