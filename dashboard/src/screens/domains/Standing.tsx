/**
 * The standing of the account: its state with the reasons, and its rates by provider and domain with their thresholds.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { useNow } from "../../lib/now.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Bar } from "../../parts/show/Bar.tsx"
import { Sparkline } from "../../parts/show/Chart.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Table, type TableColumn } from "../../parts/show/Table.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"
import styles from "./Domains.module.css"
import { ObserveDialog } from "./ObserveDialog.tsx"
import { Notices } from "./Notices.tsx"
import { UsedPools } from "./UsedPools.tsx"
import { providerIn, type Standing as Read, useReasons } from "./StandingState.tsx"

const route = getRouteApi("/shell/a/$accountId/domains/standing")

type Rate = Read["rates"][number]

/** Counts and rates, with the history if there is one. */
type Counts = Omit<Read["sources"][number], "source"> & Partial<Pick<Rate, "history">>

const historyDays = 30
const dayMillis = 86_400_000

const periods = ["1", "7", "30"] as const

/** A rate, coloured if it has reached a threshold. */
const Share = ({
  rate,
  threshold,
  value
}: {
  /** Null if the rate is not assessed. */
  readonly rate: string | null
  readonly value: number | null
  readonly threshold: Read["thresholds"]
}) => {
  const format = useFormat()
  if (value === null) return "–"
  const limit = threshold.find((one) => one.rate === rate)
  const shown = format.percent(value)
  if (limit === undefined || value < limit.notice) return shown
  return <Badge tone={value >= limit.held ? "bad" : "warning"}>{shown}</Badge>
}

/** The history of a rate over 30 days, with its thresholds. */
const Course = ({
  history,
  label,
  part,
  threshold,
  whole
}: {
  readonly history: Rate["history"]
  readonly label: string
  readonly part: "bounced" | "complained" | "policy"
  readonly whole: "delivered" | "handed"
  readonly threshold: Read["thresholds"][number] | undefined
}) => {
  const now = useNow().getTime()
  const byDay = new Map(history.map((one) => [one.day, one]))
  const values = Array.from({ length: historyDays }, (_, at) => {
    const time = now - (historyDays - 1 - at) * dayMillis
    const counts = byDay.get(new Date(time).toISOString().slice(0, 10))
    return counts === undefined || counts[whole] === 0 ? 0 : counts[part] / counts[whole]
  })
  return <Sparkline label={label} values={values} thresholds={threshold ?? null} />
}

const useRateColumns = (thresholds: Read["thresholds"]) => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  const count = (key: "delivered" | "handed"): TableColumn<Counts> => ({
    key,
    head: texts[key],
    isEnd: true,
    cell: (row) => format.number(row[key])
  })
  const share = (
    key: "bounced" | "clicked" | "complained" | "opened" | "policy" | "unsubscribed",
    rate: "bounceRate" | "clickRate" | "complaintRate" | "openRate" | "policyRate" | "unsubscribeRate",
    judged: "bounces" | "complaints" | "policy" | null = null
  ): TableColumn<Counts> => ({
    key,
    head: texts[key],
    isEnd: true,
    cell: (row) => (
      <div className={styles["rate"]}>
        <Share rate={judged} value={row[rate]} threshold={thresholds} />
        {row.history !== undefined && (key === "bounced" || key === "policy" || key === "complained") && (
          <Course
            history={row.history}
            label={texts.course(texts[key])}
            part={key}
            whole={key === "complained" ? "delivered" : "handed"}
            threshold={thresholds.find((one) => one.rate === judged)}
          />
        )}
      </div>
    )
  })
  return [
    count("handed"),
    count("delivered"),
    share("bounced", "bounceRate", "bounces"),
    share("policy", "policyRate", "policy"),
    share("complained", "complaintRate", "complaints"),
    share("unsubscribed", "unsubscribeRate"),
    share("opened", "openRate"),
    share("clicked", "clickRate")
  ]
}

const Rates = ({ providers, rates, thresholds }: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const most = Math.max(0, ...rates.map(({ handed }) => handed))
  const columns: ReadonlyArray<TableColumn<Rate>> = [
    {
      key: "provider",
      head: `${texts.provider}, ${texts.domain}`,
      cell: ({ delivered, domain, handed, provider, stream }) => (
        <>
          {providerIn({ providers })(provider)}
          <p className={styles["of"]}>
            <bdi>{domain}</bdi>
          </p>
          <p className={styles["of"]}>{texts.streams[stream]}</p>
          <Bar most={most} parts={{ good: delivered, bad: Math.max(handed - delivered, 0) }} />
        </>
      )
    },
    ...useRateColumns(thresholds)
  ]
  if (rates.length === 0)
    return (
      <Card isFlush>
        <Nothing>{texts.noRates}</Nothing>
      </Card>
    )
  return (
    <Table
      label={texts.rates}
      columns={columns}
      rows={rates}
      keyOf={({ domain, provider, stream }) => `${provider} ${domain} ${stream}`}
    />
  )
}

/** The counts by sending IP address, if there are several. */
const Sources = ({ sources, thresholds }: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const columns: ReadonlyArray<TableColumn<Read["sources"][number]>> = [
    { key: "source", head: texts.source, cell: ({ source }) => <bdi>{source ?? texts.anySource}</bdi> },
    ...useRateColumns(thresholds)
  ]
  if (sources.length < 2) return null
  return (
    <Section title={texts.sources}>
      <Table label={texts.sources} columns={columns} rows={sources} keyOf={({ source }) => source ?? ""} />
    </Section>
  )
}

const Thresholds = ({ thresholds }: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  return (
    <Section title={texts.thresholds}>
      <Table
        label={texts.thresholds}
        rows={thresholds}
        keyOf={({ rate }) => rate}
        columns={[
          { key: "rate", head: texts.rateHead, cell: ({ rate }) => texts.rateNames[rate] },
          { key: "notice", head: texts.notice, isEnd: true, cell: ({ notice }) => format.percent(notice) },
          { key: "held", head: texts.held, isEnd: true, cell: ({ held }) => format.percent(held) }
        ]}
      />
    </Section>
  )
}

const Summary = (standing: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  const reasonsOf = useReasons()
  const { heldUntil, rampLimit, state } = standing
  return (
    <Banner tone={state === "Good" ? "good" : state === "Held" ? "bad" : "warning"}>
      <strong>{texts.states[state]}</strong>
      <p>{texts.stateTexts[state]}</p>
      {reasonsOf(standing).map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {state === "Held" &&
        (heldUntil === null ? (
          <p>{texts.operator}</p>
        ) : (
          <p>
            {texts.heldUntil} <RelativeTime at={heldUntil} />.
          </p>
        ))}
      {rampLimit !== null && <p>{texts.ramp(format.number(rampLimit))}</p>}
    </Banner>
  )
}

/** The screen. */
export const Standing = () => {
  const { domains } = useTexts()
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isEntering, setEntering] = useState(false)
  const days = periods.find((one) => one === search.days) ?? "7"
  const query = useApi("GET /accounts/:accountId/standing", {
    params: { accountId },
    query: { days: Number(days) }
  })
  return (
    <Page isList title={domains.title} text={texts.text}>
      <AreaTabs area="domains" />
      {/* Scrollable content must be focusable for the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["scrolled"]} tabIndex={0} role="group" aria-label={texts.title}>
        <div className={styles["content"]}>
          <Loaded query={query}>
            {(standing) => (
              <>
                <Summary {...standing} />
                <Section title={texts.rates}>
                  <Tabs
                    label={texts.days}
                    value={days}
                    onChange={(next) => void navigate({ search: { ...search, days: next }, replace: true })}
                    tabs={periods.map((value) => ({ value, label: texts.periods[value] ?? value }))}
                  />
                  <Rates {...standing} />
                </Section>
                <Sources {...standing} />
                {can("domains:read") && (
                  <Notices
                    accountId={accountId}
                    providers={standing.providers}
                    state={search.state}
                    onState={(state) => void navigate({ search: { ...search, state }, replace: true })}
                  />
                )}
                <Thresholds {...standing} />
                <UsedPools accountId={accountId} />
                <Section
                  title={texts.observations}
                  text={texts.observationsText}
                  actions={
                    can("domains:write") && (
                      <Button isSmall onClick={() => setEntering(true)}>
                        {texts.enter}
                      </Button>
                    )
                  }
                >
                  <Card isFlush>
                    {standing.observations.length === 0 && <Nothing>{texts.noObservations}</Nothing>}
                    <Rows>
                      {standing.observations.map(({ day, domain, provider, spamRate }) => (
                        <Entry
                          key={`${provider} ${domain} ${day}`}
                          text={`${providerIn(standing)(provider)} · ${format.date(day)}`}
                          end={<Share rate="observed" value={spamRate} threshold={standing.thresholds} />}
                        >
                          <bdi>{domain}</bdi>
                        </Entry>
                      ))}
                    </Rows>
                  </Card>
                </Section>
              </>
            )}
          </Loaded>
        </div>
      </div>
      {isEntering && <ObserveDialog accountId={accountId} onClose={() => setEntering(false)} />}
    </Page>
  )
}
