/**
 * Accepts events of connected stores, each once: a transaction writes a batch together with the ids of its events.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { type Actor, storeActor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Erasure } from "../../privacy/Erasure.ts"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SyncStore } from "../../ports/SyncStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { Ids } from "../../kernel/Ids.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import type { StoreEvent } from "../platforms/EventData.ts"
import { storeErasureJob } from "../../jobs/definitions/StoreJobs.ts"
import { ProductSync } from "./ProductSync.ts"
import type { Store } from "../../model/Store.ts"
import type { Person, StoreChange } from "../platforms/StoreChange.ts"
import { Stores } from "../stores/Stores.ts"
import { SyncWrite } from "./SyncWrite.ts"

/** The result of an accepted event. */
export type Taken = "Accepted" | "Duplicate"

/** The maximum number of events in a call. */
export const maxEvents = 1000
/** The maximum number of events committed together. */
const maxGroup = 1000

/** The events of one call. */
interface Call {
  readonly store: Store
  readonly events: ReadonlyArray<StoreEvent>
}

/** Accepts events of connected stores. */
export class StoreSync extends Context.Service<
  StoreSync,
  {
    /**
     * Accepts events of a store in order, and returns their results in the same order. An invalid event keeps its problem; an
     * event whose id was accepted before is a duplicate. Returns after the commit. Concurrent calls are committed together.
     * Fails with auth.unauthorized if the store was disconnected since the call was authenticated; events committed before
     * that stay.
     */
    readonly take: (
      store: Store,
      events: ReadonlyArray<Result.Result<StoreEvent, Problem>>
    ) => Effect.Effect<ReadonlyArray<Result.Result<Taken, Problem>>, Problem | Unavailable>
  }
>()("svc/commerce/StoreSync") {
  static readonly layer = Layer.effect(
    StoreSync,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([ProductSync.layer, SyncWrite.layer]))
}

type Step = "Sync" | "Product" | "Single"

const stepOf = (change: StoreChange): Step => {
  switch (change._tag) {
    case "Product":
    case "ProductRemoved":
      return "Product"
    case "DataRequest":
    case "Erasure":
    case "StoreErasure":
    case "Uninstalled":
      return "Single"
    default:
      return "Sync"
  }
}

/** Splits events into steps, in order. Consecutive events of a kind that is written in batches share a step. */
const stepsOf = (
  events: ReadonlyArray<StoreEvent>
): ReadonlyArray<{ readonly step: Step; readonly events: ReadonlyArray<StoreEvent> }> => {
  const steps: Array<{ step: Step; events: Array<StoreEvent> }> = []
  for (const event of events) {
    const step = stepOf(event.change)
    const last = steps.at(-1)
    if (last?.step === step && step !== "Single") last.events.push(event)
    else steps.push({ step, events: [event] })
  }
  return steps
}

const actorOf = (store: Store): Actor => storeActor(store.id)

const make = Effect.gen(function* () {
  const sync = yield* SyncStore
  const contacts = yield* ContactStore
  const erasure = yield* Erasure
  const ids = yield* Ids
  const jobs = yield* JobQueue
  const { record: audit } = yield* AuditTrail
  const stores = yield* Stores
  const connected = yield* ConnectedStores
  const atomically = yield* Atomically
  const syncWrite = yield* SyncWrite
  const productSync = yield* ProductSync

  /** The contacts of a person: by the customer id and by the address. */
  const contactsOf = Effect.fnUntraced(function* ({ accountId, id }: Store, { customerId, email }: Person) {
    const [customer] = customerId === null ? [] : yield* sync.find(accountId, id, "Customer", [customerId])
    const found = yield* contacts.find(accountId, {
      ids: customer?.contactId == null ? [] : [customer.contactId],
      externalIds: [],
      emails: email === null ? [] : [email]
    })
    return found.filter((contact) => contact.erasedAt === null)
  })

  const erase = Effect.fnUntraced(function* (store: Store, person: Person) {
    for (const contact of yield* contactsOf(store, person)) {
      // The contact may be erased already.
      yield* Effect.catchTag(
        erasure.erase(store.accountId, contact.id, actorOf(store)),
        "Problem",
        () => Effect.void
      )
    }
  })

  /** Disconnects a store unless it is disconnected already. */
  const disconnect = (store: Store) =>
    Effect.catchTag(
      stores.disconnect(store.accountId, store.id, actorOf(store)),
      "Problem",
      () => Effect.void
    )

  /** Enqueues the erasure of a store's data. */
  const eraseStore = Effect.fnUntraced(function* (store: Store) {
    const now = yield* Clock.currentTimeMillis
    const job = storeErasureJob.job({
      id: yield* ids.next,
      accountId: store.accountId,
      payload: store.id,
      runAt: now
    })
    yield* atomically(
      Effect.andThen(connected.startErasure(store.accountId, store.id, now), jobs.enqueue([job]))
    )
  })

  /** Records a data request in the audit log for the operator, without personal data. */
  const recordRequest = Effect.fnUntraced(function* (store: Store, person: Person, request: string) {
    const found = yield* contactsOf(store, person)
    const targets = found.length === 0 ? [null] : found.map((contact) => contact.id)
    yield* audit(
      actorOf(store),
      ...targets.map((contactId) => ({
        accountId: store.accountId,
        action: "contact.data_requested",
        target: contactId ?? store.id,
        before: null,
        after: { storeId: store.id, request, isKnown: contactId !== null }
      }))
    )
  })

  /** Applies an event that is not written in batches, then stores its id, which another writer may have stored already. */
  const takeSingle = Effect.fnUntraced(function* (store: Store, event: StoreEvent) {
    const { change } = event
    if (change._tag === "Erasure") yield* erase(store, change.person)
    else if (change._tag === "DataRequest") yield* recordRequest(store, change.person, change.request)
    else yield* disconnect(store)
    if (change._tag === "StoreErasure") yield* eraseStore(store)
    const now = yield* Clock.currentTimeMillis
    yield* Effect.catchTag(
      sync.remember(store.accountId, store.id, [event], now),
      "WriteConflict",
      () => Effect.void
    )
  })

  /** The events with new ids; of several with the same id, the first. */
  const newEvents = Effect.fnUntraced(function* (store: Store, events: ReadonlyArray<StoreEvent>) {
    const byId = new Map<string, StoreEvent>()
    for (const event of events) if (!byId.has(event.id)) byId.set(event.id, event)
    const seen = new Set(yield* sync.seen(store.accountId, store.id, [...byId.keys()]))
    return [...byId.values()].filter((event) => !seen.has(event.id))
  })

  /** Writes the new events of a step and returns them. */
  const attempt = Effect.fnUntraced(function* (store: Store, step: Step, events: ReadonlyArray<StoreEvent>) {
    const fresh = yield* newEvents(store, events)
    if (fresh.length > 0) {
      if (step === "Sync") yield* syncWrite.write(store, fresh)
      else if (step === "Product") yield* productSync.write(store, fresh)
      else yield* takeSingle(store, fresh[0]!)
    }
    return new Set(fresh)
  })

  const run = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const { store } = calls.at(-1)!
    const accepted = new Set<StoreEvent>()
    const rejected = new Map<StoreEvent, Problem>()
    for (const { events, step } of stepsOf(calls.flatMap((call) => call.events))) {
      const taken = yield* Effect.result(retryConflicts(attempt(store, step, events)))
      if (Result.isSuccess(taken)) for (const event of taken.success) accepted.add(event)
      else if (taken.failure instanceof Problem)
        for (const event of events) rejected.set(event, taken.failure)
      else return yield* taken.failure
    }
    return calls.map((call): Result.Result<ReadonlyArray<Taken>, Problem> => {
      const first = call.events.find((event) => rejected.has(event))
      return first === undefined
        ? Result.succeed(call.events.map((event) => (accepted.has(event) ? "Accepted" : "Duplicate")))
        : Result.fail(rejected.get(first)!)
    })
  })

  const submit = yield* makeGroupCommit<Call, ReadonlyArray<Taken>, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroup,
    weightOf: (call) => call.events.length,
    run: (_lane, calls) => run(calls)
  })

  return StoreSync.of({
    take: Effect.fn("StoreSync.take")(function* (store, parsed) {
      const events = parsed.flatMap((event) => (Result.isSuccess(event) ? [event.success] : []))
      const taken = (events.length === 0 ? [] : yield* submit(store.id, { store, events })).values()
      return parsed.map((event) => Result.map(event, () => taken.next().value!))
    })
  })
})
