/**
 * The sources as a process knows them while it sends: read every few seconds, and what they may send while they are warmed up
 * taken for a minute, so that a message costs no statement.
 *
 * @module
 */
import { Clock, Context, Effect, Latch, Layer, Semaphore } from "effect"
import { Atomically } from "../../kernel/atomically.ts"
import { ProcessInfo } from "../../kernel/ProcessInfo.ts"
import { returnPathDomain } from "../../model/Domain.ts"
import type { MailSource, SourceCounts } from "../../model/Source.ts"
import { Dns } from "../../ports/Dns.ts"
import { SourceStore, type StoredSources } from "../../ports/SourceStore.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { unlistedIn } from "../domains/Spf.ts"
import { type ChoiceRequest, chooseSource, sourcesNeedingSpf, type SourceChoice } from "./SourceRules.ts"
import { afterRequest } from "./WarmUpRules.ts"
import { WarmUpShares } from "./WarmUpShares.ts"

/** How often sources are read, milliseconds. */
const readEvery = 10_000
/** How often what was counted is written, and how soon shares are asked for again, milliseconds. */
const reportEvery = 5_000
const askEvery = 500
/** The most days of sources in a statement. */
const perStatement = 500
/** How long it counts whether an SPF record lets a source pass, and until what could not be looked up is tried again, milliseconds. */
const listedFor = 300_000
const unansweredFor = 30_000
/** Of how many sending domains and sources that is known. */
const maxListed = 20_000

/** Whether an SPF record lets a source pass, and until when that counts, epoch milliseconds. */
interface Listed {
  readonly isListed: boolean
  readonly until: number
}

const listedKey = (sender: string, { address }: Pick<MailSource, "address">): string => `${sender} ${address}`

/** What sources a process may send from. */
export class SendingSources extends Context.Service<SendingSources>()("svc/sending/SendingSources", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const dns = yield* Dns
    const store = yield* SourceStore
    const { node } = yield* ProcessInfo
    const shares = new WarmUpShares()
    const counted = Latch.makeUnsafe(false)
    const renewing = yield* Semaphore.make(1)
    let known: StoredSources = { sources: [], pools: [] }
    let readAt: number | null = null
    let reportedAt = -Infinity
    const listed = new Map<string, Listed>()

    const sourceAt = (address: string): MailSource | undefined =>
      known.sources.find((source) => source.address === address)

    const renew = renewing.withPermits(1)(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (Math.abs(now - reportedAt) < (shares.isAsking(now) ? askEvery : reportEvery)) return
        reportedAt = now
        const reports = shares.reports(now)
        for (let from = 0; from < reports.length; from += perStatement) {
          const some = reports.slice(from, from + perStatement)
          const grants = yield* atomically(
            Effect.gen(function* () {
              const rows = yield* store.lockDays(some.map(({ key }) => key))
              const byKey = new Map(rows.map((row) => [`${row.sourceId} ${row.day} ${row.bucket}`, row]))
              const found = some.map(({ key, request }) => {
                const row = byKey.get(`${key.sourceId} ${key.day} ${key.bucket}`)!
                return { key, request, grant: afterRequest(row, request, now) }
              })
              yield* store.putDays(found.map(({ grant }) => grant.row))
              return found
            })
          ).pipe(
            Effect.onError(() =>
              Effect.sync(() => {
                for (const report of reports.slice(from)) shares.undo(report)
              })
            )
          )
          for (const { grant, ...report } of grants) shares.settle(report, grant, now)
        }
      })
    )

    /** Looks up whether the SPF record of a sending domain lets a source pass; what was known before holds while no server replies. */
    const lookUpListed = Effect.fnUntraced(function* (sender: string, source: MailSource) {
      const key = listedKey(sender, source)
      const found = yield* Effect.result(unlistedIn(dns, returnPathDomain(sender), [source.address]))
      const now = yield* Clock.currentTimeMillis
      const entry: Listed =
        found._tag === "Success"
          ? { isListed: found.success.length === 0, until: now + listedFor }
          : { isListed: listed.get(key)?.isListed === true, until: now + unansweredFor }
      listed.delete(key)
      listed.set(key, entry)
      if (listed.size > maxListed) listed.delete(listed.keys().next().value!)
    })

    // What is counted last is written although nothing more is sent.
    const reportLater = Effect.gen(function* () {
      yield* counted.await
      yield* Effect.sleep(reportEvery)
      counted.closeUnsafe()
      yield* Effect.catchCause(renew, (cause) => {
        counted.openUnsafe()
        return Effect.annotateLogs(
          Effect.logWarning("counts of sources were not written"),
          describeDefect(cause)
        )
      })
    })
    yield* Effect.addFinalizer(() => {
      reportedAt = -Infinity
      return Effect.ignore(Effect.timeout(renew, "1 second"))
    })
    yield* Effect.forkScoped(Effect.forever(reportLater))

    return {
      /** Reads what changed, unless that was done within ten seconds. */
      refresh: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (readAt !== null && Math.abs(now - readAt) < readEvery) return
        known = yield* store.all
        readAt = now
      }),
      /** Takes what messages asked for of the shares of sources, and writes what was counted. */
      renew,
      /**
       * Looks up which IPv6 sources the SPF record of a sending domain lets pass that its mail of a pool may leave from, unless that
       * was done within five minutes. Without such sources nothing is looked up.
       */
      checkListed: (pool: string, sender: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          const sources = sourcesNeedingSpf(pool, known)
          return sources.length === 0
            ? Effect.void
            : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                Effect.forEach(
                  sources.filter((source) => (listed.get(listedKey(sender, source))?.until ?? 0) <= now),
                  (source) => lookUpListed(sender, source),
                  { concurrency: "unbounded", discard: true }
                )
              )
        }),
      /**
       * Which source a message leaves from. Before `isChecked`, which `checkListed` precedes, IPv6 sources may be chosen of which it
       * is not known, or not any more, whether they are listed.
       *
       * @param lane the lane that it takes, without its source; null for not known
       */
      choose: (
        message: string,
        lane: string | null,
        {
          isChecked,
          sender,
          ...request
        }: Omit<ChoiceRequest, "isListed" | "own" | "share"> & {
          /** The sending domain. */
          readonly sender: string
          readonly isChecked: boolean
        },
        now: number
      ): SourceChoice =>
        known.sources.length === 0 && known.pools.length === 0
          ? { _tag: "System" }
          : chooseSource(known, {
              ...request,
              own: node.addresses,
              isListed: (source) => {
                const entry = listed.get(listedKey(sender, source))
                return isChecked
                  ? entry?.isListed === true
                  : entry === undefined || entry.until <= now || entry.isListed
              },
              share: (source) => (lane === null ? "Free" : shares.state(message, source, lane, now))
            }),
      /** Takes the share of a message that is to be sent from a source. */
      take: (message: string, source: MailSource, lane: string, now: number): void =>
        shares.take(message, source, lane, now),
      /** Asks for a share of a source. */
      ask: (source: MailSource, lane: string, now: number): void => shares.ask(source, lane, now),
      /** When a message is tried again that found the share of a source used up until a time. */
      waitUntil: (source: MailSource, lane: string, until: number): number =>
        shares.waitUntil(source, lane, until),
      /** Gives back what a message took that is not sent. */
      giveBack: (message: string): void => shares.giveBack(message),
      /** Counts a message that was sent from an address. */
      sent: (
        message: string,
        address: string,
        lane: string,
        counts: Partial<SourceCounts>,
        now: number
      ): void => {
        const source = sourceAt(address)
        if (source === undefined) return
        shares.sent(message, source.id, lane, counts, now)
        counted.openUnsafe()
      },
      /** The sources that are known. */
      sources: (): ReadonlyArray<MailSource> => known.sources
    }
  })
}) {
  static readonly layer = Layer.effect(SendingSources, SendingSources.make)
}
