/**
 * Handles the management endpoints of the reports of mail servers.
 *
 * @module
 */
import { Effect } from "effect"
import { MailReportList } from "../../../core/sending/aggregates/MailReportList.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { listed } from "../edge/lists.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const dateOf = (day: number): string => formatDateTime(day).slice(0, 10)

/** The routes of the counts in reports. */
export const mailReportsRoutes = Effect.map(MailReportList, (reports) =>
  bind(ManagementApi.groups.mailReports, {
    dmarc: ({ account, page, query }) =>
      Effect.map(reports.dmarc(account, query, page), (found) =>
        ok(
          listed(page, found, ({ count, day, network, ...counted }) => ({
            ...counted,
            day: dateOf(day),
            network: network === "" ? null : network,
            messages: count
          }))
        )
      ),
    tls: ({ account, page, query }) =>
      Effect.map(reports.tls(account, query, page), (found) =>
        ok(
          listed(page, found, ({ count, day, host, ...counted }) => ({
            ...counted,
            day: dateOf(day),
            host: host === "" ? null : host,
            sessions: count
          }))
        )
      )
  })
)
