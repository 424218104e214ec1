/**
 * Streams the changes of an account as they happen (docs/management-api.md "Stream"). A stream reads an item only when its
 * client takes it, so that a slow client keeps nothing in memory and delays no other.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Queue, Stream } from "effect"
import { type DayStats, Stats } from "../accounts/Stats.ts"
import { Campaigns, type ShownCampaign } from "../campaigns/Campaigns.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { ReadShare } from "../kernel/ReadShare.ts"
import type { BulkJob } from "../model/BulkJob.ts"
import type { EventSummary } from "../model/Event.ts"
import {
  type LiveChange,
  type LiveEntry,
  liveKeptMillis,
  liveTopics,
  maxStreams
} from "../model/LiveEntry.ts"
import type { RequestEntry } from "../model/RequestEntry.ts"
import type { SubmissionSummary } from "../model/Submission.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { LiveEntries, type LiveLease, type LiveStreamRef } from "../ports/LiveEntries.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import type { PageRequest } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { coalesced, isBroken } from "./LiveRules.ts"
import { LiveWriter } from "./LiveWriter.ts"

/** The topics of a stream: changes of one kind, today's counts, or campaigns with what they have sent. */
export const streamTopics = [...liveTopics, "counts", "campaigns"] as const

/** A topic of a stream. */
export type StreamTopic = (typeof streamTopics)[number]

/** A changed item. */
export type LiveItem =
  | { readonly topic: "emails"; readonly value: SubmissionSummary }
  | { readonly topic: "events"; readonly value: EventSummary }
  | { readonly topic: "requests"; readonly value: RequestEntry }
  | { readonly topic: "jobs"; readonly value: BulkJob }
  /** The body of the request that a webhook for all events would get. */
  | { readonly topic: "notifications"; readonly value: string }
  | { readonly topic: "counts"; readonly value: DayStats }
  | { readonly topic: "campaigns"; readonly value: ShownCampaign }

/** An event of a stream. `number` is the position from which a client resumes after it. */
export type LiveEvent =
  | { readonly _tag: "Started"; readonly number: number }
  /** Changes were missed that are no longer stored, so the client has to read its lists again. */
  | { readonly _tag: "Reset"; readonly number: number }
  | {
      readonly _tag: "Changed"
      readonly number: number
      readonly change: LiveChange
      readonly item: LiveItem
    }
  | { readonly _tag: "Heartbeat"; readonly number: number }

/** The parameters of a new stream. */
export interface StreamRequest {
  readonly topics: ReadonlySet<StreamTopic>
  /** The number after which the client resumes; null to begin with new changes. */
  readonly after: number | null
  /**
   * Whether the caller may still read the topics. It is checked at most every second while changes are sent, otherwise every 5
   * seconds.
   */
  readonly isPermitted: Effect.Effect<boolean>
}

/** The interval between heartbeats, milliseconds. */
export const heartbeatMillis = 15_000
/** The intervals between checks of the caller's rights while nothing changes and while changes are sent, milliseconds. */
const checkMillis = 5_000
const busyCheckMillis = 1_000
/** The minimum interval between counts, milliseconds. */
const countsMillis = 2_000
/** The interval between checks of the campaigns, milliseconds. */
const campaignsMillis = 1_000
/** The campaigns that changed last are checked, and all that are being sent. */
const latestCampaigns: PageRequest = { page: 1, pageSize: 50, sort: { by: "updated", ascending: false } }
/** How long a stream counts against the limit after its node is gone, milliseconds. */
const leaseMillis = 60_000
/** How long a stream counts against the limit if its client left before anything was sent, milliseconds. */
const openingMillis = 5_000
/** The number of entries read at once. */
const batchSize = 200
/** The number of events that wait for the client to take them. */
const bufferSize = 16
/** How long changes wait for further changes, so that a busy account is read only a few times a second. */
const pause = "100 millis"
/** The largest share of a stream's time that counting may take. */
const countsShare = 0.1

const leaseAt = (now: number, millis = leaseMillis): LiveLease => ({
  now,
  streamUntil: now + millis,
  accountUntil: now + leaseMillis + liveKeptMillis
})

/** The state of a stream. Times are epoch milliseconds. */
interface Progress {
  /** The number of the last entry read. */
  position: number
  checkedAt: number
  beatAt: number
  /** When the next counts may be sent. */
  countsDue: number
  /** Whether anything counted has changed since the last counts. */
  mayDiffer: boolean
  /** The last counts sent. */
  shown: string
  /** When the campaigns are checked next. */
  campaignsDue: number
  /** The last known state of each campaign. */
  campaigns: ReadonlyMap<string, string>
}

/** Streams the changes of accounts. */
export class LiveStreams extends Context.Service<
  LiveStreams,
  {
    /**
     * Opens a stream. It lasts until the caller may no longer read it, the database is unavailable, or the client falls behind
     * the stored entries. Fails with common.too_many_streams if the account has 20 streams.
     */
    readonly open: (
      accountId: string,
      request: StreamRequest
    ) => Effect.Effect<Stream.Stream<LiveEvent>, Problem | Unavailable>
  }
>()("svc/live/LiveStreams") {
  static readonly layer = Layer.effect(
    LiveStreams,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([LiveWriter.layer, Stats.layer, Campaigns.layer]))
}

const make = Effect.gen(function* () {
  const store = yield* LiveEntries
  const submissions = yield* SubmissionStore
  const events = yield* EventStore
  const jobs = yield* BulkJobStore
  const stats = yield* Stats
  const campaigns = yield* Campaigns
  const ids = yield* Ids
  const reads = yield* ReadShare
  const atomically = yield* Atomically
  const writer = yield* LiveWriter

  /** Returns a function that gives the current item of an entry; null if the item no longer exists. */
  const itemsOf = Effect.fnUntraced(function* (accountId: string, entries: ReadonlyArray<LiveEntry>) {
    const found = <A extends { readonly id: string }>(
      topic: LiveEntry["topic"],
      find: (wanted: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, Unavailable>
    ) => {
      const wanted = entries.filter((entry) => entry.topic === topic).map(({ itemId }) => itemId)
      return wanted.length === 0
        ? Effect.succeed(new Map<string, A>())
        : Effect.map(find(wanted), (all) => new Map(all.map((one) => [one.id, one])))
    }
    const items = yield* Effect.all(
      {
        emails: found("emails", (wanted) => submissions.find(accountId, wanted)),
        events: found("events", (wanted) => events.find(accountId, wanted)),
        jobs: found("jobs", (wanted) =>
          Effect.map(
            Effect.forEach(wanted, (id) => jobs.get(accountId, id)),
            (all) => all.flatMap((job) => job ?? [])
          )
        )
      },
      { concurrency: "unbounded" }
    )
    return ({ body, itemId, topic }: LiveEntry): LiveItem | null => {
      if (body !== null) {
        return topic === "requests"
          ? { topic, value: JSON.parse(body) as RequestEntry }
          : { topic: "notifications", value: body }
      }
      if (topic === "notifications" || topic === "requests") return null
      const value = items[topic].get(itemId)
      return value === undefined ? null : ({ topic, value } as LiveItem)
    }
  })

  /** The state of the campaigns that may change, as their lists show them, by id. */
  const seenCampaigns = Effect.fnUntraced(function* (accountId: string) {
    const lists = yield* Effect.forEach([null, ["Sending" as const]], (status) =>
      campaigns.list(accountId, { status }, latestCampaigns)
    )
    const all = lists.flatMap(({ items }) => items)
    return new Map(
      all.map(({ campaign, counts, earnings }) => [
        campaign.id,
        JSON.stringify([campaign.status, campaign.updatedAt, counts, earnings])
      ])
    )
  })

  const read = Effect.fnUntraced(function* (accountId: string, after: number) {
    const since = (yield* Clock.currentTimeMillis) - liveKeptMillis
    return yield* store.read(accountId, after, since, batchSize)
  })

  /** Sends changes until the stream must end. */
  const run = Effect.fnUntraced(function* (
    stream: LiveStreamRef,
    { after, isPermitted, topics }: StreamRequest,
    wakeup: Effect.Effect<void>,
    send: (event: LiveEvent) => Effect.Effect<unknown>
  ) {
    const { accountId } = stream
    const opened = yield* read(accountId, after ?? Number.MAX_SAFE_INTEGER)
    const isReset = after !== null && isBroken(after, opened)
    const started = yield* Clock.currentTimeMillis
    yield* store.renew(stream, leaseAt(started))
    const progress: Progress = {
      position: after === null || isReset ? opened.last : after,
      checkedAt: started,
      beatAt: started,
      countsDue: topics.has("counts") ? started : Infinity,
      mayDiffer: true,
      shown: "",
      campaignsDue: topics.has("campaigns") ? started + campaignsMillis : Infinity,
      campaigns: topics.has("campaigns")
        ? yield* reads.run(accountId, seenCampaigns(accountId))
        : new Map<string, string>()
    }
    yield* send({ _tag: isReset ? "Reset" : "Started", number: progress.position })

    /** Whether the caller may continue to read. It is checked at most once a second. */
    const mayGoOn = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - progress.checkedAt < busyCheckMillis) return true
      progress.checkedAt = now
      return yield* isPermitted
    })

    /** Sends the next changes. Returns whether there may be more, or the stream must end. */
    const sendChanges = Effect.gen(function* () {
      if (!(yield* mayGoOn)) return "End"
      const batch = yield* read(accountId, progress.position)
      if (isBroken(progress.position, batch)) {
        // Entries were removed. The client was too slow, and starts again on its own.
        if (progress.position >= batch.floor) return "End"
        progress.position = batch.last
        yield* send({ _tag: "Reset", number: batch.last })
        return "Done"
      }
      const wanted = coalesced(batch.entries.filter(({ topic }) => topics.has(topic)))
      const itemOf = yield* itemsOf(accountId, wanted)
      for (const entry of wanted) {
        const item = itemOf(entry)
        if (item !== null) {
          yield* send({ _tag: "Changed", number: entry.number, change: entry.change, item })
        }
      }
      progress.mayDiffer ||= batch.entries.some(({ topic }) => topic === "emails" || topic === "events")
      progress.position = batch.entries.at(-1)?.number ?? progress.position
      return batch.entries.length === batchSize ? "More" : "Done"
    })

    const sendCounts = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (!progress.mayDiffer || now < progress.countsDue) return
      const [today] = yield* reads.run(accountId, stats.daily(accountId, 1))
      const ended = yield* Clock.currentTimeMillis
      progress.countsDue = ended + Math.max(countsMillis, (ended - now) / countsShare)
      progress.mayDiffer = false
      const shown = JSON.stringify(today)
      if (shown === progress.shown) return
      progress.shown = shown
      const item: LiveItem = { topic: "counts", value: today! }
      yield* send({ _tag: "Changed", number: progress.position, change: "Updated", item })
    })

    const sendCampaigns = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now < progress.campaignsDue) return
      const before = progress.campaigns
      const seen = yield* reads.run(accountId, seenCampaigns(accountId))
      progress.campaigns = seen
      const changed = [...seen].filter(([id, one]) => before.get(id) !== one)
      for (const [id] of changed) {
        const value = yield* Effect.catchTag(campaigns.get(accountId, id), "Problem", () =>
          Effect.succeed(null)
        )
        if (value === null) continue
        const change = before.has(id) ? "Updated" : "Created"
        yield* send({
          _tag: "Changed",
          number: progress.position,
          change,
          item: { topic: "campaigns", value }
        })
      }
      const ended = yield* Clock.currentTimeMillis
      progress.campaignsDue = ended + Math.max(campaignsMillis, (ended - now) / countsShare)
    })

    const beat = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - progress.beatAt < heartbeatMillis) return
      progress.beatAt = now
      // Contacts and flow runs are counted too, but have no entries.
      progress.mayDiffer = true
      // If this were interrupted, it could add the stream again after its removal.
      yield* Effect.uninterruptible(store.renew(stream, leaseAt(now)))
      yield* send({ _tag: "Heartbeat", number: progress.position })
    })

    const wait = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const counts = progress.mayDiffer ? progress.countsDue : Infinity
      const due = Math.min(
        progress.checkedAt + checkMillis,
        progress.beatAt + heartbeatMillis,
        progress.campaignsDue,
        counts
      )
      yield* Effect.raceFirst(wakeup, Effect.sleep(Math.max(0, due - now)))
      yield* Effect.sleep(pause)
    })

    while (true) {
      let result = yield* sendChanges
      while (result === "More") result = yield* sendChanges
      if (result === "End") return
      yield* sendCounts
      yield* sendCampaigns
      yield* beat
      yield* wait
    }
  })

  return LiveStreams.of({
    open: Effect.fn("LiveStreams.open")(function* (accountId, request) {
      const stream = { accountId, id: yield* ids.next }
      const lease = leaseAt(yield* Clock.currentTimeMillis, openingMillis)
      if (!(yield* atomically(store.open(stream, lease, maxStreams)))) {
        return yield* Problem.of("common.too_many_streams")
      }
      yield* writer.refresh
      return Stream.callback<LiveEvent>(
        (queue) =>
          Effect.gen(function* () {
            const wakeup = yield* store.wakeups(accountId)
            yield* Effect.ignore(run(stream, request, wakeup, (event) => Queue.offer(queue, event)))
            yield* Queue.end(queue)
          }).pipe(Effect.ensuring(Effect.ignore(store.close(stream)))),
        { bufferSize, strategy: "suspend" }
      )
    })
  })
})
