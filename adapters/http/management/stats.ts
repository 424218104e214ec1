/**
 * The operator's handler of daily counts.
 *
 * @module
 */
import { Effect } from "effect"
import { defaultStatsDays, maxStatsDays, Stats } from "../../../core/accounts/Stats.ts"
import { type Issue, Problem } from "../../../core/shared/Problem.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { statusName, type StatusName } from "../schema/management/Stats.ts"
import { intOf, type Query } from "../edge/Query.ts"
import { bind, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

/** `days` from 1 to 366 (default 30). validation.type, validation.range. */
const daysOf = (query: Query): number | Problem => {
  const issues: Array<Issue> = []
  const days = intOf(query, "days", 1, maxStatsDays, defaultStatsDays, issues)
  return Problem.from(issues) ?? days
}

const encodeCounts = <Status extends string>(counts: Readonly<Record<Status, number>>) =>
  Object.fromEntries(Object.entries(counts).map(([status, count]) => [statusName(status), count])) as Record<
    StatusName<Status>,
    number
  >

/** Daily counts. */
export const statsRoutes = Effect.gen(function* () {
  const stats = yield* Stats
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.stats, {
    daily: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const days = yield* asEffect(daysOf(query))
      const items = yield* stats.daily(id, days)
      return ok({
        days,
        items: items.map(({ date, emails, runs, ...counts }) => ({
          date,
          emails: encodeCounts(emails),
          ...counts,
          runs: encodeCounts(runs)
        }))
      })
    })
  })
})
