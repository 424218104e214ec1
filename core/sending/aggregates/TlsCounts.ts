/**
 * Counts connections to the mail servers of domains that want reports about them, by day. The counts are kept in memory and
 * written to the database every half minute, which adds up the counts of all nodes.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Exit, Layer } from "effect"
import { tlsReportJob } from "../../jobs/definitions/TlsReportJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { TlsObserver } from "../../kernel/TransportSecurity.ts"
import { noAccount } from "../../model/Account.ts"
import type { TlsSession } from "../../model/TlsTerms.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { Dns } from "../../ports/Dns.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { MailReportStore } from "../../ports/MailReportStore.ts"
import { describeDefect } from "../../shared/Defect.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { destinationsOf } from "../domains/TlsDestinations.ts"
import { dayOf, tlsSentRow } from "./MailReportRules.ts"
import { maxReportedDomains, sendAtOf } from "./TlsReportRules.ts"

/** The maximum number of counts that wait in a process. */
const maxPending = 20_000
/** How long it is remembered whether a domain wants reports. */
const rememberedFor = "1 hour"

interface Pending {
  readonly session: TlsSession
  readonly day: number
  readonly count: number
}

/** Counts connections. */
export class TlsCounts extends Context.Service<
  TlsCounts,
  {
    /** Counts a connection. Returns immediately. */
    readonly note: (session: TlsSession) => void
    /** Writes the counts, and schedules the reports of their domains for after the end of the day. */
    readonly flush: Effect.Effect<void, Unavailable>
    /** Writes the counts every half minute until interrupted, and then a last time. */
    readonly run: Effect.Effect<never>
  }
>()("svc/sending/TlsCounts", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const crypto = yield* Crypto
    const dns = yield* Dns
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const store = yield* MailReportStore
    const clock = yield* Clock.Clock
    let pending = new Map<string, Pending>()
    /** The domains for which a report of the day is scheduled. */
    let due = { day: 0, domains: new Set<string>() }

    const count = (session: TlsSession, day: number, by: number): void => {
      const { domain, host, policy, result, source } = session
      const key = JSON.stringify([day, domain, policy, result, host, source])
      const known = pending.get(key)
      if (known === undefined && pending.size >= maxPending) return
      pending.set(key, { session, day, count: by + (known?.count ?? 0) })
    }

    const wanting = yield* Cache.makeWith(
      (domain: string) =>
        dns.txt(`_smtp._tls.${domain}`).pipe(
          Effect.map((texts) => destinationsOf(texts).length > 0),
          Effect.catchTag("DnsMissing", () => Effect.succeed(false))
        ),
      { capacity: maxPending, timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : "1 minute") }
    )

    const wants = (domain: string): Effect.Effect<boolean> =>
      Effect.catch(Cache.get(wanting, domain), () => Effect.succeed(false))

    /** The domains for which no report of the day is scheduled yet, within the maximum number of domains. */
    const newlyDue = (day: number, domains: ReadonlySet<string>): ReadonlyArray<string> => {
      if (due.day < day) due = { day, domains: new Set() }
      return due.day === day
        ? [...domains]
            .filter((domain) => !due.domains.has(domain))
            .slice(0, maxReportedDomains - due.domains.size)
        : [...domains]
    }

    /** All nodes compute the same time for the report of a domain. */
    const spreadOf = (domain: string): number =>
      Number.parseInt(crypto.sha256Hex(domain).slice(0, 8), 16) / 0x1_0000_0000

    const write = Effect.fnUntraced(function* (counted: ReadonlyArray<Pending>, now: number) {
      const days = Map.groupBy(counted, ({ day }) => day)
      for (const [day, found] of days) {
        const added = newlyDue(day, new Set(found.map(({ session }) => session.domain)))
        const newIds = yield* ids.many(found.length + added.length)
        const rows = found.map(({ count: by, session: { domain, ...of } }, at) => ({
          ...tlsSentRow(domain, day, of, by),
          id: newIds[at]!
        }))
        const reports = added.map((domain, at) =>
          tlsReportJob.job({
            id: newIds[found.length + at]!,
            accountId: noAccount,
            payload: { kind: "TlsReport", domain, day, to: null },
            runAt: Math.max(now, sendAtOf(day, spreadOf(domain)))
          })
        )
        yield* atomically(
          Effect.andThen(store.add(rows), reports.length === 0 ? Effect.void : jobs.enqueue(reports))
        )
        if (due.day === day) for (const domain of added) due.domains.add(domain)
      }
    })

    const flush = Effect.gen(function* () {
      if (pending.size === 0) return
      const taken = [...pending.values()]
      pending = new Map()
      const domains = [...new Set(taken.map(({ session }) => session.domain))]
      const wanted = new Set(yield* Effect.filter(domains, wants, { concurrency: 10 }))
      const counted = taken.filter(({ session }) => wanted.has(session.domain))
      yield* write(counted, clock.currentTimeMillisUnsafe()).pipe(
        Effect.tapError(() =>
          Effect.sync(() => {
            for (const one of counted) count(one.session, one.day, one.count)
          })
        )
      )
    })

    const round = Effect.catchCause(flush, (cause) =>
      Effect.annotateLogs(
        Effect.logWarning("counts of TLS connections were not written"),
        describeDefect(cause)
      )
    )

    return {
      note: (session) => count(session, dayOf(clock.currentTimeMillisUnsafe()), 1),
      flush,
      run: Effect.ensuring(Effect.forever(Effect.andThen(Effect.sleep("30 seconds"), round)), round)
    }
  })
}) {
  static readonly layer = Layer.effect(TlsCounts, TlsCounts.make).pipe(Layer.provide(Ids.layer))

  /** Observes and counts connections. */
  static readonly observer = Layer.effect(
    TlsObserver,
    Effect.map(TlsCounts, ({ note }) => note)
  )
}
