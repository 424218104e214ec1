/**
 * Receives the events of connected stores, stores those that are not accepted with the reason, lists events, and replays them.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { type KeptEvent, type ReceivedEvent } from "../../model/ReceivedEvent.ts"
import type { Store } from "../../model/Store.ts"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { Crypto } from "../../ports/Crypto.ts"
import {
  type FailedRange,
  type ReceivedFilter,
  type StoreActivity,
  SyncStore
} from "../../ports/SyncStore.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { type Code, Problem, type Unavailable } from "../../shared/Problem.ts"
import type { GivenEvent, StoreEvent } from "../platforms/EventData.ts"
import type { StoreChange } from "../platforms/StoreChange.ts"
import { failedEvent, identityOf, readGiven } from "./FailedEvents.ts"
import { StoreSync, type Taken } from "./StoreSync.ts"

/** Requests that a platform may make after the store was disconnected. */
const staysOpen: ReadonlySet<StoreChange["_tag"]> = new Set(["DataRequest", "Erasure", "StoreErasure"])

/** A webhook of a platform, with a valid signature. */
export interface SignedWebhook {
  /** The digest of the topic and the bytes, so that the same webhook has the same event id. */
  readonly id: string
  readonly topic: string
  /** Undefined if the bytes are not valid JSON. */
  readonly payload: unknown
}

/** The result of a replay. */
export interface Replayed {
  /** For each event, the code for which it was not accepted; null if it was accepted. */
  readonly outcomes: ReadonlyArray<readonly [eventId: string, failure: Code | null]>
  /** The position of the last event; null if none follows. */
  readonly next: readonly [number, string] | null
}

/** Receives and replays the events of connected stores. */
export class StoreEvents extends Context.Service<
  StoreEvents,
  {
    /** As `StoreSync.take`, for events as submitted. Events that are not accepted are stored. */
    readonly receive: (
      store: Store,
      elements: ReadonlyArray<Result.Result<unknown, Problem>>
    ) => Effect.Effect<ReadonlyArray<Result.Result<Taken, Problem>>, Problem | Unavailable>
    /**
     * Accepts a webhook, or stores it if it cannot be used. A webhook of a disconnected store is ignored, except for requests
     * for erasure and for data.
     */
    readonly receiveWebhook: (store: Store, webhook: SignedWebhook) => Effect.Effect<void, Unavailable>
    /** Lists a store's events of the last 30 days, newest first. Fails with common.not_found. */
    readonly list: (
      accountId: string,
      storeId: string,
      filter: ReceivedFilter,
      page: PageRequest
    ) => Effect.Effect<Page<ReceivedEvent>, Problem | Unavailable>
    /** Returns statistics of the events of stores. */
    readonly activity: (
      accountId: string,
      storeIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoreActivity>, Unavailable>
    /**
     * Takes the next `limit` events of a range that were not accepted, in the order in which they were received. Each keeps
     * the time at which it was first received. Repeating a replay takes no event twice.
     */
    readonly replay: (
      accountId: string,
      storeId: string,
      range: FailedRange,
      after: readonly [number, string] | null,
      limit: number
    ) => Effect.Effect<Replayed, Unavailable>
  }
>()("svc/commerce/StoreEvents") {
  static readonly layer = Layer.effect(
    StoreEvents,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sync = yield* SyncStore
  const stores = yield* ConnectedStores
  const crypto = yield* Crypto
  const { take } = yield* StoreSync

  /** Parses a stored event; null if its content is not stored. */
  const reread = (store: Store, { eventId, given, receivedAt }: KeptEvent) =>
    given === null ? null : readGiven(JSON.parse(given) as GivenEvent, eventId, store, receivedAt)

  return StoreEvents.of({
    receive: Effect.fn("StoreEvents.receive")(function* (store, elements) {
      const now = yield* Clock.currentTimeMillis
      const parsed = elements.map((element) =>
        Result.flatMap(element, (event) => readGiven({ event }, "", store, now))
      )
      const results = yield* take(store, parsed)
      const failed = parsed.flatMap((event, index) => {
        const element = elements[index]!
        if (Result.isSuccess(event) || Result.isFailure(element)) return []
        const identity = identityOf(element.success, crypto.sha256Hex)
        return [failedEvent({ ...identity, given: { event: element.success } }, event.failure, now)]
      })
      yield* sync.fail(store.accountId, store.id, failed, "Failed")
      return results
    }),
    receiveWebhook: Effect.fn("StoreEvents.receiveWebhook")(function* (store, { id, payload, topic }) {
      const now = yield* Clock.currentTimeMillis
      const given = { topic, payload }
      const read: Result.Result<StoreEvent, Problem> =
        payload === undefined
          ? Result.fail(Problem.of("commerce.event_unusable"))
          : readGiven(given, id, store, now)
      const isConnected = store.disconnectedAt === null
      if (Result.isFailure(read)) {
        if (!isConnected) return
        const failed = failedEvent({ id, name: topic, given }, read.failure, now)
        const kept = payload === undefined ? { ...failed, given: null } : failed
        return yield* sync.fail(store.accountId, store.id, [kept], "Failed")
      }
      // If the store was disconnected meanwhile, the event is ignored like any event of a disconnected store.
      if (isConnected || staysOpen.has(read.success.change._tag)) {
        yield* Effect.catchTag(take(store, [read]), "Problem", () => Effect.void)
      }
    }),
    list: Effect.fn("StoreEvents.list")(function* (accountId, storeId, filter, page) {
      if ((yield* stores.get(accountId, storeId)) === null) return yield* Problem.of("common.not_found")
      return yield* sync.events(accountId, storeId, filter, page)
    }),
    activity: sync.activity,
    replay: Effect.fn("StoreEvents.replay")(function* (accountId, storeId, range, after, limit) {
      const store = yield* stores.get(accountId, storeId)
      const found = yield* sync.failed(accountId, storeId, range, after, limit)
      const last = found.at(-1)
      const next =
        found.length < limit || last === undefined ? null : ([last.receivedAt, last.eventId] as const)
      const readable = found.flatMap((kept) => {
        const read = store === null ? null : reread(store, kept)
        return read === null ? [] : [{ kept, read }]
      })
      const codes = new Map<string, Code | null>()
      if (store !== null && readable.length > 0) {
        const results = yield* Effect.catchTag(
          take(
            store,
            readable.map(({ read }) => read)
          ),
          "Problem",
          (problem) => Effect.succeed(readable.map(() => Result.fail(problem)))
        )
        for (const [index, { kept }] of readable.entries()) {
          const result = results[index]!
          codes.set(kept.eventId, Result.isSuccess(result) ? null : result.failure.issues[0].code)
        }
      }
      const notKept: Code = "commerce.event_not_kept"
      const outcomes = found.map(
        ({ eventId }) => [eventId, codes.has(eventId) ? codes.get(eventId)! : notKept] as const
      )
      return { outcomes, next }
    })
  })
})
