/**
 * The sources as a process knows them while it sends. Sources are read every few seconds, and shares of sources in warm-up are
 * taken for a minute at a time, so that a message costs no statement.
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

/** The interval between reads of the sources, milliseconds. */
const readEvery = 10_000
/** The interval between writes of the counts, and between requests for shares, milliseconds. */
const reportEvery = 5_000
const askEvery = 500
/** The maximum number of daily rows of sources in a statement. */
const perStatement = 500
/**
 * How long the result of an SPF check of a source is used, and the pause before a failed lookup is tried again, milliseconds.
 */
const listedFor = 300_000
const unansweredFor = 30_000
/** The maximum number of pairs of sending domain and source whose result is kept. */
const maxListed = 20_000

/** Whether an SPF record permits a source, and until when the result is used, epoch milliseconds. */
interface Listed {
  readonly isListed: boolean
  readonly until: number
}

const listedKey = (sender: string, { address }: Pick<MailSource, "address">): string => `${sender} ${address}`

/** Provides the sources from which a process may send. */
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

    /**
     * Looks up whether the SPF record of a sending domain permits a source. While no server replies, the previous result is
     * kept.
     */
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

    // The last counts are written even if nothing more is sent.
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
      /** Reads the sources, at most every ten seconds. */
      refresh: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (readAt !== null && Math.abs(now - readAt) < readEvery) return
        known = yield* store.all
        readAt = now
      }),
      /** Requests the shares that messages asked for, and writes the counts. */
      renew,
      /**
       * Looks up which IPv6 sources the SPF record of a sending domain permits, among those from which its mail of a pool may
       * be sent; at most every five minutes. Looks up nothing if there are none.
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
       * Chooses the source of a message. With `isChecked`, which requires a call of `checkListed` before, only permitted IPv6
       * sources are chosen. Without it, IPv6 sources with an unknown or outdated result may be chosen too.
       *
       * @param lane the lane that the message will use, without its source; null if it is not known
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
      /** Takes a share of a source for a message that is to be sent. */
      take: (message: string, source: MailSource, lane: string, now: number): void =>
        shares.take(message, source, lane, now),
      /** Asks for a share of a source. */
      ask: (source: MailSource, lane: string, now: number): void => shares.ask(source, lane, now),
      /** When to try a message again that found the share of a source used up until `until`. */
      waitUntil: (source: MailSource, lane: string, until: number): number =>
        shares.waitUntil(source, lane, until),
      /** Gives back the share that a message took but did not use. */
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
      /** The known sources. */
      sources: (): ReadonlyArray<MailSource> => known.sources
    }
  })
}) {
  static readonly layer = Layer.effect(SendingSources, SendingSources.make)
}
