/**
 * Tests of daily reports by mail servers: to whom they belong, that each counts once, and how many are accepted.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import type { MailReport } from "../../../../core/model/MailReport.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { MailReportReader } from "../../../../core/ports/MailReportReader.ts"
import { MailReportStore } from "../../../../core/ports/MailReportStore.ts"
import { MailReportList } from "../../../../core/sending/aggregates/MailReportList.ts"
import { reportsOfDay } from "../../../../core/sending/aggregates/MailReportRules.ts"
import { MailReports } from "../../../../core/sending/aggregates/MailReports.ts"
import { AccountStore } from "../../../../core/ports/AccountStore.ts"
import { draftDomain } from "../../../contract/drafts.ts"
import { draftCompany } from "../../../contract/fixtures.ts"

const now = Date.UTC(2031, 4, 6, 7)
const day = Date.UTC(2031, 4, 5)

type Dmarc = Extract<MailReport, { readonly _tag: "Dmarc" }>

const record = (from: string, changes: Partial<Dmarc["records"][number]> = {}): Dmarc["records"][number] => ({
  from,
  network: "192.0.2.0/24",
  disposition: "None",
  dkim: "pass",
  dkimAligned: true,
  spf: "fail",
  spfAligned: false,
  count: 3,
  ...changes
})

const dmarc = (records: Dmarc["records"], changes: Partial<Dmarc> = {}): Dmarc => ({
  _tag: "Dmarc",
  reporter: "example",
  reportId: "1",
  begin: day,
  domain: "shop.test",
  records,
  ...changes
})

/** A reader for messages that are the report as JSON. */
const reader = Layer.succeed(MailReportReader, {
  read: (raw) => Effect.sync(() => JSON.parse(new TextDecoder().decode(raw)) as MailReport)
})

const services = Layer.merge(MailReports.layer, MailReportList.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.fresh(memory),
      crypto,
      reader,
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "https://mail.test",
        mailHost: "mail.test",
        takesReports: true
      })
    )
  )
)

const take = (report: MailReport) =>
  Effect.flatMap(MailReports, (reports) =>
    reports.take(report._tag, new TextEncoder().encode(JSON.stringify(report)))
  )

/** A live account with verified domains, and the company's sandbox account with the same domains. */
const begin = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  yield* TestClock.setTime(now)
  const { company, live, sandbox } = draftCompany({})
  yield* (yield* AccountStore).insert([company], [live, sandbox])
  for (const domain of names)
    for (const { id } of [live, sandbox])
      yield* (yield* DomainStore).insert(draftDomain(id, { domain, status: "Verified", verifiedAt: now }))
  const list = yield* MailReportList
  const page = { page: 1, pageSize: 200 }
  return {
    dmarc: Effect.map(list.dmarc(live, {}, page), ({ items }) => items),
    tls: Effect.map(list.tls(live, {}, page), ({ items }) => items),
    ofSandbox: Effect.map(list.dmarc(sandbox, {}, page), ({ items }) => items)
  }
})

describe("reports of mail servers", () => {
  it.effect("are taken at two addresses of the mail host", () =>
    Effect.gen(function* () {
      const { kindOf } = yield* MailReports
      expect(kindOf("DMARC@Mail.test")).toBe("Dmarc")
      expect(kindOf("tls-reports@mail.test")).toBe("Tls")
      for (const address of ["dmarc@bounces.shop.test", "dmarcs@mail.test", "@mail.test", "dmarc", ""])
        expect(kindOf(address)).toBeNull()
    }).pipe(Effect.provide(services))
  )

  it.effect("count for the nearest domain of a live account, and are not shown to a sandbox", () =>
    Effect.gen(function* () {
      const of = yield* begin("shop.test", "news.shop.test")
      yield* take(
        dmarc([
          record("shop.test"),
          record("a.shop.test", { count: 4 }),
          record("b.news.shop.test", { count: 5 }),
          record("other.test"),
          record("test")
        ])
      )
      // The policy of a domain that is neither ours nor above or below one of ours.
      yield* take(dmarc([record("shop.test", { count: 100 })], { domain: "other.test", reportId: "2" }))
      expect(yield* of.dmarc).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ domain: "shop.test", day, count: 7, dkim: "pass", spfAligned: false }),
          expect.objectContaining({ domain: "news.shop.test", day, count: 5 })
        ])
      )
      expect(yield* of.dmarc).toHaveLength(2)
      expect(yield* of.ofSandbox).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("count once, while they are timely", () =>
    Effect.gen(function* () {
      const of = yield* begin("shop.test")
      const report = dmarc([record("shop.test")])
      yield* take(report)
      yield* take(report)
      yield* take({ ...report, reporter: "another" })
      yield* take({ ...report, reportId: "late", begin: now - 31 * 86_400_000 })
      yield* take({ ...report, reportId: "ahead", begin: now + 2 * 86_400_000 })
      expect(yield* of.dmarc).toMatchObject([{ count: 6 }])
    }).pipe(Effect.provide(services))
  )

  it.effect("count up to a number of a reporter's a day", () =>
    Effect.gen(function* () {
      const of = yield* begin("shop.test")
      for (let id = 0; id < reportsOfDay.ofReporter + 5; id++)
        yield* take(dmarc([record("shop.test", { count: 1 })], { reportId: `${id}` }))
      expect(yield* of.dmarc).toMatchObject([{ count: reportsOfDay.ofReporter }])
      yield* take(dmarc([record("shop.test", { count: 1 })], { reporter: "another" }))
      expect(yield* of.dmarc).toMatchObject([{ count: reportsOfDay.ofReporter + 1 }])
    }).pipe(Effect.provide(services))
  )

  it.effect("make a bounded number of rows, the largest counts by themselves", () =>
    Effect.gen(function* () {
      const of = yield* begin("shop.test")
      yield* take(
        dmarc(
          Array.from({ length: 3_000 }, (_, at) =>
            record("shop.test", { network: `10.${at >> 8}.${at & 255}.0/24`, count: at + 1 })
          )
        )
      )
      const rows = yield* (yield* MailReportStore).ofDay("Dmarc", "shop.test", day)
      expect(rows).toHaveLength(1_001)
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe((3_000 * 3_001) / 2)
      expect((yield* of.dmarc).every(({ count }) => count > 0)).toBe(true)
    }).pipe(Effect.provide(services))
  )

  it.effect("of TLS count for the domain whose return path the connections were for", () =>
    Effect.gen(function* () {
      const of = yield* begin("shop.test")
      const counted = { policy: "sts", result: "certificate-expired", host: "mail.test", count: 2 } as const
      yield* take({
        _tag: "Tls",
        reporter: "example",
        reportId: "1",
        begin: day,
        records: [
          { ...counted, domain: "bounces.shop.test" },
          { ...counted, domain: "shop.test" },
          { ...counted, domain: "bounces.other.test" }
        ]
      })
      expect(yield* of.tls).toEqual([{ domain: "shop.test", day, ...counted }])
    }).pipe(Effect.provide(services))
  )
})
