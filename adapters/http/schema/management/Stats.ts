/**
 * Defines the management endpoint of daily counts.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { defaultStatsDays, maxStatsDays } from "../../../../core/accounts/Stats.ts"
import { runStatuses } from "../../../../core/model/Run.ts"
import { deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { envelope, IsExpensive } from "../Envelope.ts"
import { requiring } from "../Requirements.ts"
import { accountPath } from "./Path.ts"

/** A status as the name of a member: `PendingReview` is `pendingReview`. */
export type StatusName<Status extends string> = Uncapitalize<Status>

/** See {@link StatusName}. */
export const statusName = <Status extends string>(status: Status) =>
  (status.charAt(0).toLowerCase() + status.slice(1)) as StatusName<Status>

/** A count for each status. */
const countsBy = <Status extends string>(statuses: ReadonlyArray<Status>) =>
  Schema.Struct(
    Object.fromEntries(statuses.map((status) => [statusName(status), Schema.Int])) as Record<
      StatusName<Status>,
      typeof Schema.Int
    >
  )

const DayStatsShape = Schema.Struct({
  date: Schema.String,
  emails: countsBy(deliveryStatuses),
  softBounces: Schema.Int.annotate({ description: "Of the failed, those whose mailbox was full" }),
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

/** The route of daily counts. */
export class StatsGroup extends HttpApiGroup.make("stats")
  .add(
    HttpApiEndpoint.get("daily", "/accounts/:accountId/stats", {
      params: accountPath,
      query: {
        days: Schema.optionalKey(
          Schema.Int.annotate({ minimum: 1, maximum: maxStatsDays, default: defaultStatsDays })
        )
      },
      success: envelope(Schema.Struct({ days: Schema.Int, items: Schema.Array(DayStatsShape) }))
    }).annotate(OpenApi.Summary, "Count emails, opens, clicks, events, contacts and runs by day")
  )
  .annotateEndpoints(IsExpensive, true)
  .pipe(
    requiring({
      daily: "stats:read"
    })
  ) {}
