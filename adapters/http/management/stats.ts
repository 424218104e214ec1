/**
 * Handles the management endpoint of daily counts.
 *
 * @module
 */
import { Effect } from "effect"
import { type DayStats, defaultStatsDays, Stats } from "../../../core/accounts/Stats.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { statusName, type StatusName } from "../schema/management/Stats.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

const encodeCounts = <Status extends string>(counts: Readonly<Record<Status, number>>) =>
  Object.fromEntries(Object.entries(counts).map(([status, count]) => [statusName(status), count])) as Record<
    StatusName<Status>,
    number
  >

/** The counts of a day. */
export const encodeDay = ({ date, emails, runs, ...counts }: DayStats) => ({
  date,
  emails: encodeCounts(emails),
  ...counts,
  runs: encodeCounts(runs)
})

/** Daily counts. */
export const statsRoutes = Effect.gen(function* () {
  const stats = yield* Stats
  return bind(ManagementApi.groups.stats, {
    daily: Effect.fnUntraced(function* ({ account, query }) {
      const { by, days: given, since, unit, until } = query
      if (by !== null) {
        if (given !== null) {
          return yield* Problem.of("validation.format", "days", null, {
            expected: "absent where by is given"
          })
        }
        const counts = yield* stats.by(account.id, { by, unit: unit ?? "Day", since, until })
        return ok({
          items: counts.map(({ at, emails, ...rest }) => ({
            at: formatDateTime(at),
            emails: encodeCounts(emails),
            ...rest
          }))
        })
      }
      if (since !== null || until !== null || unit !== null)
        return yield* Problem.of("validation.required", "by")
      const days = given ?? defaultStatsDays
      const items = yield* stats.daily(account.id, days)
      return ok({
        days,
        items: items.map(encodeDay)
      })
    })
  })
})
