/**
 * A funnel: bars with their numbers, each as a share of the first.
 *
 * @module
 */
import type { ReactNode } from "react"
import { useFormat } from "../../app/reader.tsx"
import styles from "./Funnel.module.css"

/** A step of the funnel. */
export interface FunnelStep {
  readonly key: string
  readonly name: ReactNode
  readonly count: number
  /** A note beside the number. */
  readonly note?: string | null
}

/** The funnel. */
export const Funnel = ({ steps }: { readonly steps: ReadonlyArray<FunnelStep> }) => {
  const format = useFormat()
  const all = steps[0]?.count ?? 0
  return (
    <dl className={styles["funnel"]}>
      {steps.map(({ count, key, name, note = null }, index) => {
        const share = all === 0 ? 0 : Math.min(1, count / all)
        return (
          <div key={key}>
            <dt>{name}</dt>
            <dd>
              <span className={styles["track"]} aria-hidden="true">
                <span className={styles["fill"]} style={{ inlineSize: `${100 * share}%` }} />
              </span>
              <span className={styles["figure"]}>
                {format.number(count)}
                {index > 0 && <span className={styles["share"]}>{format.percent(share)}</span>}
                {note !== null && <span className={styles["share"]}>{note}</span>}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
