/**
 * Stores the counts in reports of mail servers in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type MailReportRow, maxRowsOfDay, mergedRows } from "../../core/model/MailReport.ts"
import { MailReportStore, type ReceivedReports } from "../../core/ports/MailReportStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<MailReportRow>({
  id: "uuid",
  kind: "text",
  domain: "text",
  day: "timestamptz",
  values: "jsonb",
  count: "bigint"
})

/** Reports of a day are counted up to this number. */
const maxCounted = 20_000

const dayKey = ({ day, domain, kind }: Pick<MailReportRow, "day" | "domain" | "kind">): string =>
  JSON.stringify([kind, domain, day])

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("mail_report_rows", columns, ["day", "id"])

  /** The days of domains that have reached the maximum number of rows. */
  const fullDays = Effect.fnUntraced(function* (rows: ReadonlyArray<MailReportRow>) {
    const days = [...new Map(rows.map((row) => [dayKey(row), row])).values()]
    const full = yield* orUnavailable(sql<{ readonly at: number }>`
      select d.at::int as at from rows from (
        unnest(${days.map(({ kind }) => kind)}::text[]),
        unnest(${days.map(({ domain }) => domain)}::text[]),
        unnest(${days.map(({ day }) => new Date(day).toISOString())}::timestamptz[])
      ) with ordinality as d(kind, domain, day, at)
      where (
        select count(*) from (
          select from mail_report_rows r where r.kind = d.kind and r.domain = d.domain and r.day = d.day
          limit ${maxRowsOfDay}
        ) c
      ) >= ${maxRowsOfDay}`)
    return new Set(full.map(({ at }) => dayKey(days[at - 1]!)))
  })

  return MailReportStore.of({
    receive: ({ key, receivedAt, reporter }, since) =>
      orUnavailable(sql<ReceivedReports>`
        with added as (
          insert into mail_report_receipts (key, reporter, received_at)
          values (${key}, ${reporter}, ${new Date(receivedAt)}) on conflict (key) do nothing returning 1
        ), counted as (select count(*)::int as new from added)
        select new = 1 as "isNew",
          new + (select count(*)::int from (
            select from mail_report_receipts
            where reporter = ${reporter} and received_at >= ${new Date(since)} limit ${maxCounted}
          ) r) as "ofReporter",
          new + (select count(*)::int from (
            select from mail_report_receipts where received_at >= ${new Date(since)} limit ${maxCounted}
          ) a) as "all"
        from counted`).pipe(Effect.map(([found]) => found!)),
    add: (added) =>
      Effect.gen(function* () {
        const full = yield* fullDays(added)
        yield* execute(
          table.insertion(
            mergedRows(added, (row) => full.has(dayKey(row))),
            `on conflict (kind, domain, day, "values") do update set
              count = least(mail_report_rows.count + excluded.count, ${Number.MAX_SAFE_INTEGER})`
          )
        )
      }).pipe(ifAny(added)),
    ofDay: (kind, domain, day) =>
      table.select(sql`
        from mail_report_rows where kind = ${kind} and domain = ${domain} and day = ${new Date(day)}`),
    list: (kind, domains, range, page) =>
      table.page(
        page,
        sql`kind = ${kind}`,
        [{ column: "domain", type: "text", values: [...new Set(domains)] }],
        range
      ),
    prune: (kind, before, limit) =>
      pruneOldest(sql, "mail_report_rows", "day", before, limit, sql`kind = ${kind}`),
    pruneReceipts: (before, limit) => pruneOldest(sql, "mail_report_receipts", "received_at", before, limit)
  })
}).pipe(Layer.effect(MailReportStore))
