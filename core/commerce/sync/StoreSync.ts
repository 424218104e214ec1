/**
 * Takes in what stores tell: loads what a batch is about, decides, and writes it in one transaction with the ids of its
 * events, so that none counts twice.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result, type Scope } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Erasure } from "../../privacy/Erasure.ts"
import { Items } from "../../catalog/Items.ts"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SyncStore } from "../../ports/SyncStore.ts"
import type { ItemStore } from "../../ports/ItemStore.ts"
import { Transaction, type WriteConflict } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { Ids } from "../../kernel/Ids.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import type { StoreEvent } from "../platforms/EventData.ts"
import { storeErasureJob } from "../../jobs/definitions/StoreJobs.ts"
import { makeProductSync } from "./ProductSync.ts"
import type { Store } from "../../model/Store.ts"
import type { Person, StoreChange } from "../platforms/StoreChange.ts"
import { Stores } from "../stores/Stores.ts"
import { makeSyncWrite } from "./SyncWrite.ts"

/** What became of an event. */
export type Taken = "Accepted" | "Duplicate"

/** The most events of one call. */
export const maxEvents = 1000
/** The most events that are committed together. */
const maxGroup = 1000

/** A call's events. */
interface Call {
  readonly store: Store
  readonly events: ReadonlyArray<StoreEvent>
}

/** Takes in what stores tell. */
export class StoreSync extends Context.Service<
  StoreSync,
  {
    /**
     * Takes events of a store, in order, each by itself; those seen before are duplicates. Durable when it answers.
     * Calls that arrive together are committed together. auth.unauthorized where the store was disconnected since the
     * call was let in; what the call told before is kept.
     */
    readonly take: (
      store: Store,
      events: ReadonlyArray<StoreEvent | Problem>
    ) => Effect.Effect<ReadonlyArray<Taken | Problem>, Problem | Unavailable>
  }
>()("svc/commerce/StoreSync") {
  static readonly layer = Layer.effect(
    StoreSync,
    Effect.suspend(() => make)
  )
}

type Step = "Sync" | "Product" | "DataRequest" | "Erasure" | "StoreErasure" | "Uninstalled"

const stepOf = (change: StoreChange): Step => {
  switch (change._tag) {
    case "Product":
    case "ProductRemoved":
      return "Product"
    case "DataRequest":
    case "Erasure":
    case "StoreErasure":
    case "Uninstalled":
      return change._tag
    default:
      return "Sync"
  }
}

/** Events in runs of one kind of step, in order. */
const stepsOf = (
  events: ReadonlyArray<StoreEvent>
): ReadonlyArray<{ readonly step: Step; readonly events: ReadonlyArray<StoreEvent> }> => {
  const steps: Array<{ step: Step; events: Array<StoreEvent> }> = []
  for (const event of events) {
    const step = stepOf(event.change)
    const last = steps.at(-1)
    if (last !== undefined && last.step === step && (step === "Sync" || step === "Product"))
      last.events.push(event)
    else steps.push({ step, events: [event] })
  }
  return steps
}

const make: Effect.Effect<
  StoreSync["Service"],
  never,
  | ConnectedStores
  | ContactStore
  | AuditTrail
  | Erasure
  | Ids
  | JobQueue
  | Items
  | ItemStore
  | Scope.Scope
  | Stores
  | SyncStore
  | Transaction
  | Effect.Services<typeof makeSyncWrite>
> = Effect.gen(function* () {
  const sync = yield* SyncStore
  const contacts = yield* ContactStore
  const erasure = yield* Erasure
  const ids = yield* Ids
  const jobs = yield* JobQueue
  const { record: audit } = yield* AuditTrail
  const stores = yield* Stores
  const connected = yield* ConnectedStores
  const transaction = yield* Transaction
  const writeSync = yield* makeSyncWrite
  const writeProducts = yield* makeProductSync

  /** Whom a store means: its customer, else whoever has the address. */
  const contactOf = Effect.fnUntraced(function* ({ accountId, id }: Store, { customerId, email }: Person) {
    const [customer] = customerId === null ? [] : yield* sync.find(accountId, id, "Customer", [customerId])
    const found = yield* contacts.find(accountId, {
      ids: customer?.contactId == null ? [] : [customer.contactId],
      externalIds: [],
      emails: email === null ? [] : [email]
    })
    return found.filter((contact) => contact.erasedAt === null)
  })

  const actorOf = (store: Store): string => `store:${store.id}`

  const erase = Effect.fnUntraced(function* (store: Store, { change, id }: StoreEvent) {
    if (change._tag !== "Erasure") return
    for (const contact of yield* contactOf(store, change.person)) {
      // Somebody else may have been faster.
      yield* Effect.catchTag(
        erasure.erase(store.accountId, contact.id, actorOf(store)),
        "Problem",
        () => Effect.void
      )
    }
    yield* remember(store, id)
  })

  /** A store that is disconnected already stays as it is. */
  const disconnect = (store: Store) =>
    Effect.catchTag(
      stores.disconnect(store.accountId, store.id, actorOf(store)),
      "Problem",
      () => Effect.void
    )

  const uninstall = Effect.fnUntraced(function* (store: Store, { id }: StoreEvent) {
    yield* disconnect(store)
    yield* remember(store, id)
  })

  /** Nothing more is taken in, and what was is erased in the background. */
  const eraseStore = Effect.fnUntraced(function* (store: Store, { id }: StoreEvent) {
    yield* disconnect(store)
    const now = yield* Clock.currentTimeMillis
    const job = storeErasureJob.job({
      id: yield* ids.next,
      accountId: store.accountId,
      payload: store.id,
      runAt: now
    })
    yield* transaction.run(
      Effect.andThen(connected.startErasure(store.accountId, store.id, now), jobs.enqueue([job]))
    )
    yield* remember(store, id)
  })

  /** The audit log shows the operator who asks for what, without saying anything of it itself. */
  const noteRequest = Effect.fnUntraced(function* (store: Store, { change, id }: StoreEvent) {
    if (change._tag !== "DataRequest") return
    const found = yield* contactOf(store, change.person)
    const targets = found.length === 0 ? [null] : found.map((contact) => contact.id)
    yield* audit(
      actorOf(store),
      ...targets.map((contactId) => ({
        accountId: store.accountId,
        action: "contact.data_requested",
        target: contactId ?? store.id,
        before: null,
        after: { storeId: store.id, request: change.request, isKnown: contactId !== null }
      }))
    )
    yield* remember(store, id)
  })

  const remember = Effect.fnUntraced(function* (store: Store, id: string) {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.catchTag(
      sync.remember(store.accountId, store.id, [id], now),
      "WriteConflict",
      () => Effect.void
    )
  })

  /** Those not seen before, the first of each id. */
  const freshOf = Effect.fnUntraced(function* (store: Store, events: ReadonlyArray<StoreEvent>) {
    const byId = new Map<string, StoreEvent>()
    for (const event of events) if (!byId.has(event.id)) byId.set(event.id, event)
    const seen = new Set(yield* sync.seen(store.accountId, store.id, [...byId.keys()]))
    return [...byId.values()].filter((event) => !seen.has(event.id))
  })

  const cycle = Effect.fnUntraced(function* (
    store: Store,
    step: Step,
    events: ReadonlyArray<StoreEvent>
  ): Effect.fn.Return<ReadonlySet<StoreEvent>, Problem | WriteConflict | Unavailable> {
    const fresh = yield* freshOf(store, events)
    if (fresh.length > 0) {
      if (step === "Sync") yield* writeSync(store, fresh)
      else if (step === "Product") yield* writeProducts(store, fresh)
      else if (step === "Erasure") yield* erase(store, fresh[0]!)
      else if (step === "DataRequest") yield* noteRequest(store, fresh[0]!)
      else if (step === "StoreErasure") yield* eraseStore(store, fresh[0]!)
      else yield* uninstall(store, fresh[0]!)
    }
    return new Set(fresh)
  })

  const run = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const { store } = calls.at(-1)!
    const accepted = new Set<StoreEvent>()
    const refused = new Map<StoreEvent, Problem>()
    for (const { events, step } of stepsOf(calls.flatMap((call) => call.events))) {
      const taken = yield* Effect.result(retryConflicts(cycle(store, step, events)))
      if (Result.isSuccess(taken)) for (const event of taken.success) accepted.add(event)
      else if (taken.failure instanceof Problem) for (const event of events) refused.set(event, taken.failure)
      else return yield* taken.failure
    }
    return calls.map((call): Result.Result<ReadonlyArray<Taken>, Problem> => {
      const refusal = call.events.find((event) => refused.has(event))
      return refusal === undefined
        ? Result.succeed(call.events.map((event) => (accepted.has(event) ? "Accepted" : "Duplicate")))
        : Result.fail(refused.get(refusal)!)
    })
  })

  const submit = yield* makeGroupCommit<Call, ReadonlyArray<Taken>, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroup,
    weightOf: (call) => call.events.length,
    run: (_lane, calls) => run(calls)
  })

  return StoreSync.of({
    take: Effect.fn("StoreSync.take")(function* (store, given) {
      const events = given.flatMap((event) => (event instanceof Problem ? [] : [event]))
      if (events.length === 0) return given as ReadonlyArray<Problem>
      const taken = (yield* submit(store.id, { store, events })).values()
      return given.map((event) => (event instanceof Problem ? event : taken.next().value!))
    })
  })
})
