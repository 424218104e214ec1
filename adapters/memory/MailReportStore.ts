/**
 * Stores the counts in reports of mail servers in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { cappedSum, type MailReportRow, maxRowsOfDay, mergedRows } from "../../core/model/MailReport.ts"
import { MailReportStore, type ReportReceipt } from "../../core/ports/MailReportStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, compareText, firstRows, lowerBound, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const ofDomain = ({ domain, kind }: Pick<MailReportRow, "domain" | "kind">): string => `${kind} ${domain}`

const uniqueKey = ({ day, domain, kind, values }: MailReportRow): string =>
  JSON.stringify([kind, domain, day, values])

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const byDomain = new SortedIndex<MailReportRow>(ofDomain, byField("day"))
  const byDay = new SortedIndex<MailReportRow>(({ kind }) => kind, byField("day"))
  const rows = new Table<MailReportRow, "mail_report_rows_values">(database, {
    key: ({ id }) => id,
    unique: { mail_report_rows_values: uniqueKey },
    indexes: [byDomain, byDay]
  })
  const inOrder = (one: ReportReceipt, other: ReportReceipt) =>
    one.receivedAt - other.receivedAt || compareText(one.key, other.key)
  const byTime = new SortedIndex<ReportReceipt>(() => all, inOrder)
  const byReporter = new SortedIndex<ReportReceipt>(({ reporter }) => reporter, inOrder)
  const receipts = new Table<ReportReceipt>(database, {
    key: ({ key }) => key,
    indexes: [byTime, byReporter]
  })
  const countSince = (found: ReadonlyArray<ReportReceipt>, since: number): number =>
    found.length - lowerBound(found, ({ receivedAt }) => receivedAt - since)
  const ofDay = (row: Pick<MailReportRow, "day" | "domain" | "kind">): ReadonlyArray<MailReportRow> => {
    const found = byDomain.rows(ofDomain(row))
    return found.slice(
      lowerBound(found, ({ day }) => day - row.day),
      lowerBound(found, ({ day }) => day - row.day - 1)
    )
  }

  return MailReportStore.of({
    receive: (receipt, since) =>
      database.write(() => {
        const isNew = receipts.get(receipt.key) === undefined
        if (isNew) receipts.insert(frozen(receipt))
        return {
          isNew,
          ofReporter: countSince(byReporter.rows(receipt.reporter), since),
          all: countSince(byTime.rows(all), since)
        }
      }),
    add: (added) =>
      database.write(() => {
        for (const row of mergedRows(added, (one) => ofDay(one).length >= maxRowsOfDay)) {
          const known = rows.by("mail_report_rows_values", uniqueKey(row))
          if (known === undefined) rows.insert(frozen(row))
          else rows.replace(frozen({ ...known, count: cappedSum(known.count, row.count) }))
        }
      }),
    ofDay: (kind, domain, day) => database.read(() => ofDay({ kind, domain, day })),
    list: (kind, domains, { since, until }, page) =>
      database.read(() => {
        const found = [...new Set(domains)]
          .flatMap((domain) => byDomain.rows(ofDomain({ kind, domain })))
          .filter(({ day }) => (since == null || day >= since) && (until == null || day < until))
          .toSorted(byField("day"))
        return pageOfAll(found, page, placeBy("day"))
      }),
    prune: (kind, before, limit) =>
      database.write(() => {
        const gone = firstRows(byDay.rows(kind), limit, ({ day }) => day < before)
        rows.removeMany(gone.map(({ id }) => id))
        return gone.length
      }),
    pruneReceipts: (before, limit) =>
      database.write(() => {
        const gone = firstRows(byTime.rows(all), limit, ({ receivedAt }) => receivedAt < before)
        receipts.removeMany(gone.map(({ key }) => key))
        return gone.length
      })
  })
}).pipe(Layer.effect(MailReportStore))
