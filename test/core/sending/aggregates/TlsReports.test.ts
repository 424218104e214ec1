/**
 * Tests of reports about TLS connections to the mail servers of domains: all nodes count, and one report is sent per destination.
 *
 * @module
 */
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import type { TlsSession } from "../../../../core/model/TlsTerms.ts"
import { TlsReports } from "../../../../core/notices/TlsReports.ts"
import { Dns, DnsMissing } from "../../../../core/ports/Dns.ts"
import { AccountStore } from "../../../../core/ports/AccountStore.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { noAccount } from "../../../../core/model/Account.ts"
import { RateLimits } from "../../../../core/ports/RateLimits.ts"
import { MailReportStore } from "../../../../core/ports/MailReportStore.ts"
import { WebhookClient, type WebhookRequest } from "../../../../core/ports/WebhookClient.ts"
import { destinationsOf } from "../../../../core/sending/domains/TlsDestinations.ts"
import { TlsCounts } from "../../../../core/sending/aggregates/TlsCounts.ts"
import {
  entityOfReport,
  maxReportedDomains,
  sendAtOf,
  tlsReportOf
} from "../../../../core/sending/aggregates/TlsReportRules.ts"
import { type Accepted, Emails } from "../../../../core/sending/emails/Emails.ts"
import { SystemMail } from "../../../../core/users/SystemMail.ts"
import { readMailReport } from "../../../../adapters/mail/reports/ReportTasks.ts"
import { draftDomain } from "../../../contract/drafts.ts"
import { draftCompany } from "../../../contract/fixtures.ts"

const day = Date.UTC(2031, 4, 6)
const hour = 3_600_000

const session: TlsSession = {
  domain: "wants.test",
  host: "mx.wants.test",
  source: "192.0.2.25",
  policy: "no-policy-found",
  result: "success"
}

type Email = Parameters<Emails["Service"]["acceptMany"]>[1][number]

/** The storage that two nodes share, and the reports they send. */
const world = () => {
  const posted: Array<WebhookRequest> = []
  const mailed: Array<Email> = []
  const reply = { httpStatus: 200 }
  const { live } = draftCompany({})
  const ports = Layer.mergeAll(
    Layer.fresh(memory),
    crypto,
    Layer.succeed(PublicEndpoint, {
      baseUrl: () => "https://mail.test",
      mailHost: "mail.test",
      takesReports: true
    }),
    Layer.mock(Dns, {
      txt: (name) =>
        name === "_smtp._tls.wants.test"
          ? Effect.succeed(["v=TLSRPTv1; rua=mailto:tls@wants.test,https://wants.test/tls"])
          : Effect.fail(new DnsMissing({ name }))
    }),
    Layer.mock(WebhookClient, {
      accepts: () => true,
      post: (request) =>
        Effect.sync(() => {
          posted.push(request)
          return { httpStatus: reply.httpStatus, error: null, answer: null, durationMs: 1 }
        })
    }),
    Layer.mock(SystemMail, {
      sender: Effect.succeed({ from: { email: "post@mail.test", name: null }, account: live })
    }),
    Layer.mock(Emails, {
      acceptMany: (_account, emails) =>
        Effect.sync(() => {
          mailed.push(...emails)
          return emails.map(() => Result.succeed({} as Accepted))
        })
    })
  )
  const services = Layer.mergeAll(TlsCounts.layer, TlsReports.layer).pipe(
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(ports)
  )
  return { posted, mailed, reply, services }
}

/** Handles the jobs due at a time. Returns how many there were. */
const work = Effect.fnUntraced(function* (at: number) {
  yield* TestClock.setTime(at)
  const { claim } = yield* JobQueue
  const jobs = yield* claim({ queue: "mail", limit: 10, lease: 30_000, now: at })
  yield* (yield* TlsReports).handle(jobs)
  return jobs.length
})

describe("reports of TLS connections", () => {
  it.effect("go to each destination of a domain that wants them, with the counts of all nodes", () => {
    const { mailed, posted, services } = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(day + hour)
      const other = yield* TlsCounts.make
      for (const { flush, note } of [yield* TlsCounts, other]) {
        note(session)
        note({ ...session, result: "certificate-expired", policy: "sts" })
        note({ ...session, domain: "silent.test" })
        yield* flush
        note(session)
        yield* flush
      }
      expect(yield* (yield* MailReportStore).ofDay("TlsSent", "silent.test", day)).toEqual([])
      expect(yield* work(day + 23 * hour)).toBe(0)
      expect(yield* work(day + 29 * hour)).toBe(1)
      expect(yield* work(day + 29 * hour)).toBe(2)
      expect(yield* work(day + 40 * hour)).toBe(0)
      expect(posted).toMatchObject([
        { url: "https://wants.test/tls", headers: { "content-type": "application/tlsrpt+gzip" } }
      ])
      const details = [
        {
          "result-type": "certificate-expired",
          "sending-mta-ip": "192.0.2.25",
          "receiving-mx-hostname": "mx.wants.test",
          "failed-session-count": 2
        }
      ]
      expect(JSON.parse(gunzipSync(posted[0]!.body as Uint8Array).toString())).toMatchObject({
        policies: expect.arrayContaining([expect.objectContaining({ "failure-details": details })]) as unknown
      })
      const [email] = mailed
      expect(mailed).toHaveLength(1)
      expect(email!.recipients).toEqual([{ email: "tls@wants.test", name: null, kind: "To" }])
      expect(email!.headers).toContainEqual({ name: "TLS-Report-Domain", value: "wants.test" })
      const raw = Uint8Array.from(email!.attachments[0]!.content)
      expect(readMailReport({ raw, kind: "Tls" })).toMatchObject({
        _tag: "Tls",
        reporter: "mail.test postmaster@mail.test",
        begin: day,
        records: expect.arrayContaining([
          { domain: "wants.test", policy: "no-policy-found", result: "success", host: "", count: 4 },
          {
            domain: "wants.test",
            policy: "sts",
            result: "certificate-expired",
            host: "mx.wants.test",
            count: 2
          }
        ]) as unknown
      })
    }).pipe(Effect.provide(services))
  })

  it.effect("come from the mail host where that is a verified domain", () => {
    const { mailed, services } = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(day)
      const { company, live, sandbox } = draftCompany({})
      yield* (yield* AccountStore).insert([company], [live, sandbox])
      const host = { domain: "mail.test", status: "Verified", verifiedAt: day } as const
      for (const { id } of [sandbox, live]) yield* (yield* DomainStore).insert(draftDomain(id, host))
      const { flush, note } = yield* TlsCounts
      note(session)
      yield* flush
      yield* work(day + 29 * hour)
      yield* work(day + 29 * hour)
      expect(mailed.map(({ from }) => from)).toEqual([{ email: "tls-reports@mail.test", name: null }])
    }).pipe(Effect.provide(services))
  })

  it.effect("go to a number of domains a day, of all nodes together", () => {
    const { mailed, services } = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(day)
      const { count } = yield* RateLimits
      const before = { accountId: noAccount, subject: "tls-reports", windowStart: day }
      yield* count([{ ...before, amount: maxReportedDomains - 1 }])
      for (const at of [day, day + 24 * hour]) {
        yield* TestClock.setTime(at)
        const { flush, note } = yield* TlsCounts.make
        note(session)
        yield* flush
        yield* count([{ ...before, windowStart: at, amount: at === day ? 0 : maxReportedDomains }])
        yield* work(at + 29 * hour)
        yield* work(at + 29 * hour)
      }
      expect(mailed).toHaveLength(1)
    }).pipe(Effect.provide(services))
  })

  it.effect("by https are tried three times", () => {
    const { mailed, posted, reply, services } = world()
    reply.httpStatus = 503
    return Effect.gen(function* () {
      yield* TestClock.setTime(day)
      const { flush, note } = yield* TlsCounts
      note(session)
      yield* flush
      yield* work(day + 29 * hour)
      for (const at of [29, 29.5, 30, 31, 36, 37, 50, 80]) yield* work(day + at * hour)
      expect(posted).toHaveLength(3)
      expect(mailed).toHaveLength(1)
    }).pipe(Effect.provide(services))
  })
})

describe("the rules of reports of TLS connections", () => {
  it("read the destinations of one valid record alone", () => {
    const of = (...texts: ReadonlyArray<string>) => destinationsOf(texts)
    expect(of("v=spf1", "v=TLSRPTv1;rua=mailto:a@b.test , https://c.test/?x=1 ,ftp://d.test;")).toEqual([
      "mailto:a@b.test",
      "https://c.test/?x=1"
    ])
    expect(of("v=TLSRPTv1; rua=mailto:a@b.test", "v=TLSRPTv1; rua=mailto:c@d.test")).toEqual([])
    for (const text of ["", "v=TLSRPTv1", "v=TLSRPTv2; rua=mailto:a@b.test", "v=TLSRPTv1; rua=mailto:none"])
      expect(of(text)).toEqual([])
    for (const hostile of [
      "https://\0.test",
      "https://a.test/ b",
      "https://ü.test",
      `https://${"a".repeat(3_000)}.test`
    ])
      expect(of(`v=TLSRPTv1; rua=${hostile},mailto:a@b.test,mailto:a@b.test`)).toEqual(["mailto:a@b.test"])
    const many = Array.from({ length: 50 }, (_, at) => `mailto:a${at}@b.test`).join(",")
    expect(of(`v=TLSRPTv1; rua=${many}`)).toHaveLength(5)
  })

  it("send in the first hours of the next day", () => {
    expect(sendAtOf(day, 0)).toBe(day + 24 * hour + 600_000)
    expect(sendAtOf(day, 0.999_999)).toBeLessThanOrEqual(day + 28 * hour)
  })

  it("give the text of the policy that was followed, and lines that mail can carry", () => {
    const policy = {
      domain: "wants.test",
      policyId: "1",
      mode: "enforce" as const,
      mx: ["*.wants.test"],
      maxAge: 604_800,
      fetchedAt: day,
      expiresAt: day
    }
    const row = { id: "", kind: "TlsSent" as const, domain: "wants.test", day, count: 3 }
    const report = tlsReportOf([{ ...row, values: ["sts", "success", ""] }], {
      domain: "wants.test",
      day,
      submitter: "mail.test",
      policy
    })
    expect(JSON.parse(report.json)).toMatchObject({
      "report-id": "2031-05-06.wants.test@mail.test",
      policies: [
        {
          policy: {
            "policy-type": "sts",
            "policy-string": ["version: STSv1", "mode: enforce", "mx: *.wants.test", "max_age: 604800"],
            "policy-domain": "wants.test"
          },
          summary: { "total-successful-session-count": 3, "total-failure-session-count": 0 }
        }
      ]
    })
    const lines = new TextDecoder().decode(entityOfReport(report, new Uint8Array(3_000))).split("\r\n")
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200)
  })
})
