/**
 * Defines the management endpoint of daily counts.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  defaultStatsDays,
  maxStatsDays,
  maxStatsUnits,
  statsDimensions
} from "../../../../core/accounts/Stats.ts"
import { countUnits, maxCountKeys, otherKey } from "../../../../core/model/EmailCount.ts"
import { runStatuses } from "../../../../core/model/Run.ts"
import { deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { envelope, IsExpensive } from "../Envelope.ts"
import { timeRange } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath } from "./Path.ts"

/** A status as a property name: `PendingReview` becomes `pendingReview`. */
export type StatusName<Status extends string> = Uncapitalize<Status>

/** See {@link StatusName}. */
export const statusName = <Status extends string>(status: Status) =>
  (status.charAt(0).toLowerCase() + status.slice(1)) as StatusName<Status>

/** A count for each status. */
export const countsBy = <Status extends string>(statuses: ReadonlyArray<Status>) =>
  Schema.Struct(
    Object.fromEntries(statuses.map((status) => [statusName(status), Schema.Int])) as Record<
      StatusName<Status>,
      typeof Schema.Int
    >
  )

const DayStatsShape = Schema.Struct({
  date: Schema.String,
  emails: countsBy(deliveryStatuses),
  softBounces: Schema.Int.annotate({ description: "Failed deliveries whose mailbox was full" }),
  opens: Schema.Int,
  clicks: Schema.Int,
  opensUnknown: Schema.Int,
  clicksUnknown: Schema.Int,
  opensByMachines: Schema.Int,
  clicksByMachines: Schema.Int,
  events: Schema.Int,
  contacts: Schema.Int,
  runs: countsBy(runStatuses)
}).annotate({ identifier: "DayStats" })

/** People who opened or clicked, by kind of visitor. */
export const VisitorsShape = Schema.Struct({
  human: Schema.Int,
  unknown: Schema.Int,
  machine: Schema.Int
}).annotate({ identifier: "Visitors" })

const KeyStatsShape = Schema.Struct({
  at: Schema.String.annotateKey({ description: "The beginning of the hour or day, UTC" }),
  key: Schema.String.annotateKey({
    description: `At most ${maxCountKeys} different ones; the others are \`${otherKey}\``
  }),
  emails: countsBy(deliveryStatuses),
  softBounces: Schema.Int,
  delivered: Schema.Int,
  opened: VisitorsShape,
  clicked: VisitorsShape,
  complained: Schema.Int,
  unsubscribed: Schema.Int,
  conversions: Schema.Int
}).annotate({ identifier: "KeyStats" })

/** The route of daily counts. */
export class StatsGroup extends HttpApiGroup.make("stats")
  .add(
    HttpApiEndpoint.get("daily", "/accounts/:accountId/stats", {
      params: accountPath,
      query: {
        days: Schema.optionalKey(
          Schema.Int.annotate({
            minimum: 1,
            maximum: maxStatsDays,
            description: `${defaultStatsDays} by default; not together with the others`
          })
        ),
        ...timeRange,
        unit: Schema.optionalKey(
          Schema.Literals(countUnits).annotate({
            description: `Day by default; at most ${maxStatsUnits.Day} days or ${maxStatsUnits.Hour} hours`
          })
        ),
        by: Schema.optionalKey(
          Schema.Literals(statsDimensions).annotate({
            description: "Counts emails by this, not by day alone; required with `since`, `until` and `unit`"
          })
        )
      },
      success: envelope(
        Schema.Union([
          Schema.Struct({ days: Schema.Int, items: Schema.Array(DayStatsShape) }),
          Schema.Struct({ items: Schema.Array(KeyStatsShape) })
        ])
      )
    }).annotate(
      OpenApi.Summary,
      "Count by day, or count emails by hour or day and what sent or received them"
    )
  )
  .annotateEndpoints(IsExpensive, true)
  .pipe(
    requiring({
      daily: "stats:read"
    })
  ) {}
