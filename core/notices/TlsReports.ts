/**
 * Sends reports of TLS connections to the domains of mail servers that ask for them (RFC 8460): by email from the
 * installation's sender, or by HTTPS.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { DecodedJob } from "../jobs/defineJob.ts"
import { tlsReportJob, type TlsReportPayload } from "../jobs/definitions/TlsReportJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { PublicEndpoint } from "../kernel/PublicEndpoint.ts"
import { noAccount } from "../model/Account.ts"
import { entityAttachment, tlsOptional } from "../model/Submission.ts"
import { Crypto } from "../ports/Crypto.ts"
import { Dns } from "../ports/Dns.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { MailReportStore } from "../ports/MailReportStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { StsPolicyStore } from "../ports/StsPolicyStore.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { countReport } from "../sending/aggregates/MailReports.ts"
import {
  entityOfReport,
  maxReportedDomains,
  packedReport,
  subjectOf,
  tlsReportOf,
  type TlsReportText
} from "../sending/aggregates/TlsReportRules.ts"
import { addressOf, destinationsOf } from "../sending/domains/TlsDestinations.ts"
import { HostSignature } from "../sending/domains/HostSignature.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { withAllAhead } from "../sending/templates/RendersAhead.ts"
import { gzip } from "../kernel/Gzip.ts"
import { SystemMail } from "../users/SystemMail.ts"

const hourMillis = 3_600_000
/** The pauses before the second and the third attempt, milliseconds. */
const retryMillis = [hourMillis, 6 * hourMillis] as const
/** The maximum number of reports emailed to an address in an hour: anyone's DNS record can name any address. */
export const maxReportsOfAddress = 20

type Decoded = DecodedJob<TlsReportPayload>

/** Processes the jobs that send TLS reports. */
export class TlsReports extends Context.Service<TlsReports>()("svc/notices/TlsReports", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const client = yield* WebhookClient
    const crypto = yield* Crypto
    const dns = yield* Dns
    const emails = yield* Emails
    const hostSignature = yield* HostSignature
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const limits = yield* RateLimits
    const policies = yield* StsPolicyStore
    const store = yield* MailReportStore
    const systemMail = yield* SystemMail
    const { mailHost } = yield* PublicEndpoint

    const end = (job: Job, outcome: string) =>
      Effect.andThen(countReport("tls_sent", outcome), jobs.complete([job]))

    /** Retries a job later, or ends it after the last attempt. */
    const again = Effect.fnUntraced(function* (job: Job, why: string) {
      const pause = retryMillis[job.attempts - 1]
      if (pause === undefined) return yield* end(job, "failed")
      yield* jobs.retry([job], (yield* Clock.currentTimeMillis) + pause, why)
    })

    /** Looks up to which destinations a domain wants its reports sent, and enqueues a job for each. */
    const address = Effect.fnUntraced(function* ({ job, payload }: Decoded) {
      const found = yield* Effect.result(dns.txt(`_smtp._tls.${payload.domain}`))
      if (found._tag === "Failure" && found.failure._tag === "DnsUnavailable")
        return yield* again(job, "dns_unavailable")
      const destinations = found._tag === "Success" ? destinationsOf(found.success) : []
      if (destinations.length > 0) {
        const counted = { accountId: noAccount, subject: "tls-reports", windowStart: payload.day, amount: 1 }
        const [reported = 0] = yield* limits.count([counted])
        if (reported > maxReportedDomains) return yield* end(job, "too_many")
      }
      const runAt = yield* Clock.currentTimeMillis
      const newIds = yield* ids.many(destinations.length)
      yield* atomically(
        Effect.andThen(
          destinations.length === 0
            ? Effect.void
            : jobs.enqueue(
                destinations.map((to, at) =>
                  tlsReportJob.job({
                    id: newIds[at]!,
                    accountId: noAccount,
                    payload: { ...payload, to },
                    runAt
                  })
                )
              ),
          jobs.complete([job])
        )
      )
    })

    const post = Effect.fnUntraced(function* (job: Job, url: string, packed: Uint8Array) {
      const { error, httpStatus } = yield* client.post({
        pool: "tls-reports",
        url,
        headers: { "content-type": packedReport },
        body: packed
      })
      if (error === null && httpStatus !== null && httpStatus >= 200 && httpStatus < 300)
        return yield* end(job, "sent")
      yield* again(job, error ?? String(httpStatus))
    })

    const mail = Effect.fnUntraced(function* (
      job: Job,
      to: string,
      report: TlsReportText,
      packed: Uint8Array
    ) {
      const owner = yield* hostSignature.owner
      const sender =
        owner === null
          ? yield* systemMail.sender
          : { account: owner, from: { email: `tls-reports@${mailHost}`, name: null } }
      if (sender === null) return yield* end(job, "no_sender")
      const now = yield* Clock.currentTimeMillis
      const subject = `tls-report ${crypto.sha256Hex(to)}`
      const windowStart = now - (now % hourMillis)
      const [count = 0] = yield* limits.count([{ accountId: noAccount, subject, windowStart, amount: 1 }])
      if (count > maxReportsOfAddress) return yield* end(job, "too_many")
      const [accepted] = yield* emails.acceptMany(
        sender.account.id,
        [
          {
            from: sender.from,
            recipients: [{ email: to, name: null, kind: "To" }],
            replyTo: null,
            content: { subject: subjectOf(report), html: null, text: null },
            templateId: null,
            templateVersion: null,
            attachments: [entityAttachment(entityOfReport(report, packed))],
            headers: [
              tlsOptional,
              { name: "TLS-Report-Domain", value: report.domain },
              { name: "TLS-Report-Submitter", value: report.submitter },
              { name: "Auto-Submitted", value: "auto-generated" }
            ],
            sendAt: null,
            idempotencyKey: null,
            contentDigest: "",
            tags: {},
            metadata: {},
            trackOpens: false,
            trackClicks: false,
            keepsContent: false,
            language: "en",
            origin: null,
            source: "System",
            keyId: null
          }
        ],
        0
      )
      yield* end(job, accepted === undefined || Result.isFailure(accepted) ? "failed" : "sent")
    })

    const send = Effect.fnUntraced(function* ({ job, payload: { day, domain } }: Decoded, to: string) {
      const rows = yield* store.ofDay("TlsSent", domain, day)
      if (rows.length === 0) return yield* jobs.complete([job])
      const policy = yield* policies.find(domain)
      const report = tlsReportOf(rows, { domain, day, submitter: mailHost, policy })
      const packed = yield* gzip(new TextEncoder().encode(report.json))
      const recipient = addressOf(to)
      yield* recipient === null
        ? post(job, to, packed)
        : withAllAhead(atomically(mail(job, recipient, report, packed)))
    })

    return {
      /**
       * Handles jobs of reports. If the process ends after sending a report and before completing its job, the report is sent
       * again.
       */
      handle: Effect.fn("TlsReports.handle")(function* (given: ReadonlyArray<Job>) {
        for (const decoded of yield* tlsReportJob.decode(jobs, given)) {
          const { to } = decoded.payload
          yield* to === null ? address(decoded) : send(decoded, to)
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(TlsReports, TlsReports.make).pipe(Layer.provide(HostSignature.layer))
}
