/**
 * Erases all data that came from a store. A platform requests it after the store uninstalled the app (shopify.dev, Privacy law
 * compliance, shop/redact: 48 hours later, to be completed within 30 days).
 *
 * The erasure covers the contacts that the store manages (as by `Erasure`), its orders, carts and items, its events on other
 * contacts' timelines, and its sync records. Contacts of the customer's own systems stay, with their totals computed again,
 * and so does the disconnected store itself. The people are not blocked: any source can add them again. The store cannot be
 * connected again until the erasure is complete, so that no new data is erased.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { storeActor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Erasure } from "../../privacy/Erasure.ts"
import { CartStore } from "../../ports/CartStore.ts"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { ItemStore } from "../../ports/ItemStore.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { conversionJob } from "../../jobs/definitions/ConversionJobs.ts"
import { cartJob, storeErasureJob } from "../../jobs/definitions/StoreJobs.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { SyncStore } from "../../ports/SyncStore.ts"
import { TimelineStore } from "../../ports/TimelineStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { totalsOf } from "../../model/Order.ts"

/** The maximum number of records of a kind that are erased in one transaction. */
const pageSize = 200
/**
 * The maximum number of contacts that are erased in one transaction with all their data. Other writers of the account wait for
 * it: half a second with two hundred emails to each contact.
 */
const contactPage = 50
/** How long a job works on a store at a time, milliseconds. */
const timeSlice = 5_000

/** Erases the data of stores. */
export class StoreErasure extends Context.Service<StoreErasure>()("svc/commerce/StoreErasure", {
  make: Effect.gen(function* () {
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
    const atomically = yield* Atomically

    const eraseContacts = Effect.fnUntraced(function* (accountId: string, storeId: string) {
      const managed = yield* contacts.ofStore(accountId, storeId, contactPage)
      yield* erasure.eraseMany(accountId, managed, storeActor(storeId), { isRemembered: false })
      return managed.length
    })

    /**
     * Erases orders of contacts that stay, and of no contact, with their timeline entries, and updates the contacts' totals.
     */
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
      if (owners.length > 0) {
        const [id, runAt] = [yield* ids.next, yield* Clock.currentTimeMillis]
        yield* jobs.enqueue([conversionJob.job({ id, accountId, payload: { contactIds: owners }, runAt })])
      }
      return found.length
    })

    const eraseCarts = Effect.fnUntraced(function* (accountId: string, storeId: string) {
      const erased = yield* carts.eraseStore(accountId, storeId, pageSize)
      yield* cartJob.erase(
        jobs,
        accountId,
        erased.map((cart) => cart.id)
      )
      const owners = [...new Set(erased.flatMap(({ contactId }) => contactId ?? []))]
      yield* timeline.eraseStore(accountId, owners, storeId)
      return erased.length
    })

    /** Erases a page of each kind. Returns the number of deleted rows. */
    const erasePage = Effect.fnUntraced(function* (accountId: string, storeId: string) {
      const counts = [
        yield* eraseContacts(accountId, storeId),
        yield* atomically(eraseOrders(accountId, storeId)),
        yield* atomically(eraseCarts(accountId, storeId)),
        yield* items.removeStore(accountId, storeId, pageSize),
        yield* sync.eraseStore(accountId, storeId, pageSize)
      ]
      return counts.reduce((sum, count) => sum + count, 0)
    })

    /** Erases pages until nothing is left. Returns false if the time slice ended first. */
    const eraseStore = Effect.fnUntraced(function* ({ job, payload: storeId }: DecodedJob<string>) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      while (true) {
        const erased = yield* erasePage(job.accountId, storeId)
        if (erased === 0) return true
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
        return yield* record(storeActor(storeId), change)
      }
      const now = yield* Clock.currentTimeMillis
      yield* jobs.enqueue([
        storeErasureJob.job({ id: yield* ids.next, accountId, payload: storeId, runAt: now })
      ])
    })

    return {
      /** Erases the stores of jobs, page by page, until no data is left or the time slice ends. Idempotent. */
      run: Effect.fn("StoreErasure.run")(function* (given: ReadonlyArray<Job>) {
        for (const decoded of yield* storeErasureJob.decode(jobs, given)) {
          const { job, payload: storeId } = decoded
          // The erasure was requested twice and is complete, and the store may have been connected again.
          if (!(yield* connected.isErasing(job.accountId, storeId))) {
            yield* jobs.complete([job])
            continue
          }
          const isDone = yield* eraseStore(decoded)
          yield* atomically(finish(decoded, isDone))
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(StoreErasure, StoreErasure.make)
}
