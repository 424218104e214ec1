/**
 * The outcomes for a campaign's audience: a bar with its parts, and a funnel from the audience to a click.
 *
 * @module
 */
import { useFormat } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { countedVisits, outcomeKeys, outcomesOf, shareOf } from "../../lib/campaigns/outcomes.ts"
import { Funnel, type FunnelStep } from "../../parts/show/Funnel.tsx"
import { Table } from "../../parts/show/Table.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import styles from "./Outcomes.module.css"
import type { Campaign } from "./states.ts"

type Stats = Campaign["stats"]

/** The outcomes whose count is not 0. */
const useOutcomes = (stats: Stats) => {
  const texts = useCampaignTexts()
  const counts = outcomesOf(stats)
  return outcomeKeys.flatMap((key) =>
    counts[key] === 0 ? [] : [{ key, count: counts[key], name: texts.outcomes[key] ?? key }]
  )
}

/** The bar, as an image whose alternative text has the numbers. */
export const OutcomeBar = ({ stats }: { readonly stats: Stats }) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const parts = useOutcomes(stats)
  if (stats.audience === 0) return <span className={styles["none"]}>–</span>
  const label = parts.map(({ count, name }) => `${name}: ${format.number(count)}`).join(", ")
  return (
    <span className={styles["bar"]} role="img" aria-label={`${texts.outcome}: ${label}`} title={label}>
      {parts.map(({ count, key }) => (
        <span key={key} className={classes(styles["part"], styles[key])} style={{ flexGrow: count }} />
      ))}
    </span>
  )
}

/** The bar with its table. */
export const Outcomes = ({ stats }: { readonly stats: Stats }) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const parts = useOutcomes(stats)
  if (stats.audience === 0) return <p className={styles["none"]}>{texts.noAudience}</p>
  return (
    <div className={styles["outcomes"]}>
      <OutcomeBar stats={stats} />
      <Table
        label={texts.outcome}
        rows={parts}
        keyOf={({ key }) => key}
        columns={[
          {
            key: "outcome",
            head: texts.outcome,
            cell: ({ key, name }) => (
              <span className={styles["legend"]}>
                <span className={classes(styles["dot"], styles[key])} aria-hidden="true" />
                {name}
              </span>
            )
          },
          { key: "count", head: texts.count, isEnd: true, cell: ({ count }) => format.number(count) },
          {
            key: "share",
            head: texts.share,
            isEnd: true,
            cell: ({ count }) => format.percent(shareOf(count, stats.audience))
          }
        ]}
      />
    </div>
  )
}

/** The funnel from the audience to a click. */
export const CampaignFunnel = ({ stats }: { readonly stats: Stats }) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const visits = { opened: countedVisits(stats.opened), clicked: countedVisits(stats.clicked) }
  const noteOf = (machines: number) => (machines > 0 ? texts.machines(format.number(machines)) : null)
  const steps: ReadonlyArray<Omit<FunnelStep, "name">> = [
    { key: "audience", count: stats.audience },
    { key: "submitted", count: stats.submitted },
    { key: "reached", count: outcomesOf(stats).reached },
    { key: "opened", count: visits.opened.people, note: noteOf(visits.opened.machines) },
    { key: "clicked", count: visits.clicked.people, note: noteOf(visits.clicked.machines) }
  ]
  return <Funnel steps={steps.map((step) => ({ ...step, name: texts.funnelSteps[step.key] }))} />
}
