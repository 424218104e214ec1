/**
 * Lists the counts from reports of mail servers about an account's domains.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Account } from "../../model/Account.ts"
import type { DmarcCount, MailReport, MailReportRow, TlsCount } from "../../model/MailReport.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { MailReportStore } from "../../ports/MailReportStore.ts"
import { mapPage, type Page, type PageRequest, type TimeRange } from "../../shared/Page.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { dmarcCountOf, tlsCountOf } from "./MailReportRules.ts"

/** A filter of counts. */
export interface MailReportFilter extends TimeRange {
  readonly domain?: string | null
}

/** A count of a domain on a day. */
export interface CountOfDay {
  readonly domain: string
  /** The start of the day in UTC, epoch milliseconds. */
  readonly day: number
  readonly count: number
}

type List<Counted> = (
  account: Account,
  filter: MailReportFilter,
  page: PageRequest
) => Effect.Effect<Page<CountOfDay & Counted>, Unavailable>

/** Lists counts of the verified domains of a live account, latest day first. A sandbox has none. */
export class MailReportList extends Context.Service<
  MailReportList,
  { readonly dmarc: List<DmarcCount>; readonly tls: List<TlsCount> }
>()("svc/sending/MailReportList", {
  make: Effect.gen(function* () {
    const domains = yield* DomainStore
    const store = yield* MailReportStore

    const namesOf = Effect.fnUntraced(function* ({ id, mode }: Account, wanted: string | null) {
      // A sandbox may have any domain, without proof.
      if (mode !== "Live") return []
      const names = (yield* domains.verified([id])).map(({ domain }) => domain)
      return wanted === null ? names : names.filter((name) => name === wanted.toLowerCase())
    })

    const listing =
      <Counted>(kind: MailReport["_tag"], countedOf: (row: MailReportRow) => Counted): List<Counted> =>
      (account, { domain = null, ...range }, page) =>
        namesOf(account, domain).pipe(
          Effect.flatMap((names) => store.list(kind, names, range, page)),
          Effect.map((found) =>
            mapPage(found, (row) => ({
              domain: row.domain,
              day: row.day,
              count: row.count,
              ...countedOf(row)
            }))
          )
        )

    return { dmarc: listing("Dmarc", dmarcCountOf), tls: listing("Tls", tlsCountOf) }
  })
}) {
  static readonly layer = Layer.effect(MailReportList, MailReportList.make)
}
