/**
 * Erasing all that came from a store, which a platform asks for once the store has uninstalled the app (shopify.dev,
 * Privacy law compliance, shop/redact: 48 hours afterwards, to be done within 30 days).
 *
 * What goes: the contacts the store manages, as `Erasure` erases them, its orders, carts and items, what it told of other
 * contacts' timelines, and what was taken in of it. What stays: contacts of the customer's own systems, whose totals are
 * counted again, and that there was a store of that platform and domain. Nobody asked to be forgotten for good here: who
 * comes back, by the same store or another way, is taken in as anybody new. Until it is done the store cannot be
 * connected again, so that nothing new is erased with what was.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Erasure } from "../../privacy/Erasure.ts"
import { CartStore } from "../../ports/CartStore.ts"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { ItemStore } from "../../ports/ItemStore.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { cartJob, storeErasureJob } from "../../jobs/definitions/StoreJobs.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { SyncStore } from "../../ports/SyncStore.ts"
import { TimelineStore } from "../../ports/TimelineStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { totalsOf } from "../../model/Order.ts"

/** How many of a kind are erased at once. */
const pageSize = 200
/**
 * How many contacts are erased at once. What hangs on them goes in the same transaction, for which the account's other
 * writers wait: with two hundred emails to each it takes half a second.
 */
const contactPage = 50
/** How long a store is worked on before others have their turn, milliseconds. */
const turn = 5_000

/** A function that handles jobs of stores to erase, in pages until nothing is left. Repeating it is harmless. */
export const makeStoreErasure = Effect.gen(function* () {
  const carts = yield* CartStore
  const connected = yield* ConnectedStores
  const contacts = yield* ContactStore
  const erasure = yield* Erasure
  const ids = yield* Ids
  const items = yield* ItemStore
  const jobs = yield* JobQueue
  const orders = yield* OrderStore
  const { record } = yield* AuditTrail
  const sync = yield* SyncStore
  const timeline = yield* TimelineStore
  const transaction = yield* Transaction

  const eraseContacts = Effect.fnUntraced(function* (accountId: string, storeId: string) {
    const managed = yield* contacts.ofStore(accountId, storeId, contactPage)
    yield* erasure.eraseMany(accountId, managed, `store:${storeId}`, { isRemembered: false })
    return managed.length
  })

  /** Orders of contacts that stay, or of nobody, with what they left on timelines and in totals. */
  const eraseOrders = Effect.fnUntraced(function* (accountId: string, storeId: string) {
    const found = yield* orders.ofStore(accountId, storeId, pageSize)
    if (found.length === 0) return 0
    const owners = [...new Set(found.flatMap(({ contactId }) => contactId ?? []))]
    const people = yield* contacts.find(accountId, { ids: owners, externalIds: [], emails: [] })
    yield* orders.write(
      accountId,
      found.map((before) => ({ before, after: null }))
    )
    const totals = new Map(
      (yield* orders.totals(accountId, owners)).map((counted) => [counted.contactId, counted])
    )
    yield* contacts.write(accountId, {
      inserts: [],
      updates: people
        .filter((contact) => contact.erasedAt === null)
        .map((contact) => ({
          ...contact,
          ...totalsOf(totals.get(contact.id)),
          version: contact.version + 1
        })),
      released: [],
      updatedFields: "Any",
      consents: [],
      contactLimit: null
    })
    yield* timeline.eraseStore(accountId, owners, storeId)
    return found.length
  })

  const eraseCarts = Effect.fnUntraced(function* (accountId: string, storeId: string) {
    const gone = yield* carts.eraseStore(accountId, storeId, pageSize)
    yield* cartJob.erase(
      jobs,
      accountId,
      gone.map((cart) => cart.id)
    )
    const owners = [...new Set(gone.flatMap(({ contactId }) => contactId ?? []))]
    yield* timeline.eraseStore(accountId, owners, storeId)
    return gone.length
  })

  /** Erases a page of each kind; answers how many rows went. */
  const erasePage = Effect.fnUntraced(function* (accountId: string, storeId: string) {
    const once = <A, E, R>(work: Effect.Effect<A, E, R>) => retryConflicts(transaction.run(work))
    const counts = [
      yield* eraseContacts(accountId, storeId),
      yield* once(eraseOrders(accountId, storeId)),
      yield* once(eraseCarts(accountId, storeId)),
      yield* items.removeStore(accountId, storeId, pageSize),
      yield* sync.eraseStore(accountId, storeId, pageSize)
    ]
    return counts.reduce((sum, count) => sum + count, 0)
  })

  const eraseStore = Effect.fnUntraced(function* ({
    job,
    payload: storeId
  }: DecodedJob<string>): Effect.fn.Return<boolean, Unavailable> {
    const until = (yield* Clock.currentTimeMillis) + turn
    while (true) {
      const gone = yield* erasePage(job.accountId, storeId)
      if (gone === 0) return true
      if ((yield* Clock.currentTimeMillis) >= until) return false
    }
  })

  const finish = Effect.fnUntraced(function* (
    { job, payload: storeId }: DecodedJob<string>,
    isDone: boolean
  ) {
    const { accountId } = job
    yield* jobs.complete([job])
    if (isDone) {
      yield* connected.endErasure(accountId, storeId)
      const change = { accountId, action: "store.erased", target: storeId, before: null, after: null }
      return yield* record(`store:${storeId}`, change)
    }
    const now = yield* Clock.currentTimeMillis
    yield* jobs.enqueue([
      storeErasureJob.job({ id: yield* ids.next, accountId, payload: storeId, runAt: now })
    ])
  })

  return Effect.fn("StoreErasure.run")(function* (given: ReadonlyArray<Job>) {
    for (const decoded of yield* storeErasureJob.decode(jobs, given)) {
      const { job, payload: storeId } = decoded
      // Asked for twice, it may be done already, and the store connected again.
      if (!(yield* connected.isErasing(job.accountId, storeId))) {
        yield* retryConflicts(jobs.complete([job]))
        continue
      }
      const isDone = yield* eraseStore(decoded)
      yield* retryConflicts(transaction.run(finish(decoded, isDone)))
    }
  })
})
