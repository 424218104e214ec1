/**
 * Conditions on rows of `delivery_visits` for who opened and clicked deliveries. Each condition has an index.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { VisitedBy } from "../../../core/model/Visit.ts"

/** No visit is known to be by a person. Deliveries from before visits were classified have counts of 0. */
const unknown = {
  opened: `reader_opened_at is not null and opens ->> 'Human' = '0'
    and (opens ->> 'Unknown' <> '0' or clicks ->> 'Unknown' <> '0')`,
  clicked: `reader_clicked_at is not null and clicks ->> 'Human' = '0' and clicks ->> 'Unknown' <> '0'`
}

/** The counts of deliveries: the condition and the time of each. */
export const counted = {
  openedByReaders: ["reader_opened_at is not null", "reader_opened_at"],
  clickedByReaders: ["reader_clicked_at is not null", "reader_clicked_at"],
  openedUnknown: [unknown.opened, "reader_opened_at"],
  clickedUnknown: [unknown.clicked, "reader_clicked_at"],
  openedByMachines: ["reader_opened_at is null and first_opened_at is not null", "first_opened_at"],
  clickedByMachines: ["reader_clicked_at is null and first_clicked_at is not null", "first_clicked_at"]
} as const satisfies Record<string, readonly [string, string]>

/** The conditions of each kind of visit, except `None`, which has no row. */
export const visitConditions = {
  opened: {
    Human: `reader_opened_at is not null and not (opens ->> 'Human' = '0'
      and (opens ->> 'Unknown' <> '0' or clicks ->> 'Unknown' <> '0'))`,
    Unknown: unknown.opened,
    Machine: counted.openedByMachines[0]
  },
  clicked: {
    Human: `reader_clicked_at is not null and not (clicks ->> 'Human' = '0' and clicks ->> 'Unknown' <> '0')`,
    Unknown: unknown.clicked,
    Machine: counted.clickedByMachines[0]
  }
} as const satisfies Record<string, Record<Exclude<VisitedBy, "None">, string>>

export type VisitFilter = keyof typeof visitConditions

/** Who opened or clicked the delivery of a row of `delivery_visits`: a `VisitedBy`; null if no condition holds. */
export const visitorOf = (kind: VisitFilter): string => {
  const cases = Object.entries(visitConditions[kind]).map(([by, test]) => `when ${test} then '${by}'`)
  return `(case ${cases.join(" ")} end)`
}

/** Who opened or clicked the delivery with an alias: a `VisitedBy`. */
export const visitedByOf = (kind: VisitFilter, alias = "d"): string =>
  `coalesce((select ${visitorOf(kind)} from delivery_visits
    where account_id = ${alias}.account_id and delivery_id = ${alias}.id limit 1), 'None')`

/** Selects the ids of an account's deliveries that one of `by` opened or clicked; null if no index finds all of them. */
export const visitedIds = (
  sql: SqlClient,
  kind: VisitFilter,
  accountId: string,
  by: ReadonlyArray<VisitedBy>
): Fragment | null => {
  const named = by.filter((one) => one !== "None")
  if (named.length === 0 || named.length < by.length) return null
  const selects = named.map(
    (one) =>
      sql`select delivery_id as id from delivery_visits where account_id = ${accountId}
      and ${sql.literal(visitConditions[kind][one])}`
  )
  return selects.reduce((all, one) => sql`${all} union all ${one}`)
}
