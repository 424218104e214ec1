/**
 * Erasing a person (public-api, DELETE /contacts/{reference}; decisions 3).
 *
 * What goes: the contact's data, consent history and timeline, the emails to the person, at this address and those
 * before, with their inbox copies, attempts, jobs and webhook notifications, the orders and carts in connected stores, what
 * reports of imports keep of the person's rows. What stays: the contact's id, the time, keyed hashes of the addresses. An
 * entry on the suppression list stays too, under the same kind of hash, since it protects the person: an address that
 * complained gets no mail when its owner turns up again. Of an email that others got too, the person's delivery goes; its
 * content is those others' mail, and stays until retention erases it. The audit log holds no addresses, so it has nothing
 * to erase.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeRecorder } from "../accounts/AuditTrail.ts"
import { AttemptStore } from "../ports/AttemptStore.ts"
import { CartStore } from "../ports/CartStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { deliveryJob } from "../jobs/definitions/DeliveryJobs.ts"
import { advanceRunJob, webhookStepJob } from "../jobs/definitions/RunJobs.ts"
import { cartJob } from "../jobs/definitions/StoreJobs.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { ImportStore } from "../ports/ImportStore.ts"
import { InboxStore } from "../ports/InboxStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { type HashedAddress, SuppressionStore } from "../ports/SuppressionStore.ts"
import { SyncStore } from "../ports/SyncStore.ts"
import { TimelineStore } from "../ports/TimelineStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { makeAddressHash } from "../audience/contacts/AddressHash.ts"
import { type Contact, newContact } from "../model/Contact.ts"
import { isVisible, keysOfReference, parseReference } from "../audience/contacts/Reference.ts"

/** What is left of a contact: nothing that tells who it was without the installation's secret. */
export const anonymous = (contact: Contact, addressHash: string | null, now: number): Contact => ({
  ...newContact(contact.id, "", now),
  email: null,
  erasedAt: now,
  addressHash,
  version: contact.version + 1
})

/** How people are erased. */
export interface ErasureOptions {
  /**
   * False for people who have not asked for it: they leave no hash of an address, and are somebody new to an import or a
   * store.
   */
  readonly isRemembered: boolean
}

/** Erases people. */
export class Erasure extends Context.Service<
  Erasure,
  {
    /**
     * Erases the contact of a reference, in one transaction with its audit entry; answers its id.
     * audience.contact_reference_invalid, audience.contact_not_found (also for one erased before).
     */
    readonly erase: (
      accountId: string,
      reference: string,
      actor: string,
      options?: ErasureOptions
    ) => Effect.Effect<string, Problem | Unavailable>
    /**
     * Erases contacts by their ids, in one transaction with an audit entry each and in as many statements for many as for
     * one; answers the ids of those erased. Ids of nobody and of contacts erased before are passed over. Until it ends,
     * the account's other writers of people and addresses wait: so many at once that this is short.
     */
    readonly eraseMany: (
      accountId: string,
      ids: ReadonlyArray<string>,
      actor: string,
      options?: ErasureOptions
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("svc/audience/Erasure") {
  static readonly layer = Layer.effect(
    Erasure,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const events = yield* EventStore
      const flows = yield* FlowStore
      const runs = yield* RunStore
      const imports = yield* ImportStore
      const timeline = yield* TimelineStore
      const orders = yield* OrderStore
      const carts = yield* CartStore
      const sync = yield* SyncStore
      const submissions = yield* SubmissionStore
      const attempts = yield* AttemptStore
      const inbox = yield* InboxStore
      const suppressions = yield* SuppressionStore
      const jobs = yield* JobQueue
      const notifications = yield* NotificationStore
      const transaction = yield* Transaction
      const record = yield* makeRecorder
      const addressHash = yield* makeAddressHash

      const eraseAddresses = Effect.fnUntraced(function* (
        accountId: string,
        addresses: ReadonlyArray<HashedAddress>
      ) {
        if (addresses.length === 0) return
        const deliveries = yield* submissions.erase(
          accountId,
          addresses.map(({ email }) => email)
        )
        const refs = deliveries.map((id) => ({ accountId, id }))
        yield* inbox.erase(refs)
        yield* attempts.erase(refs)
        yield* deliveryJob.erase(
          jobs,
          accountId,
          deliveries.map((deliveryId) => ({ deliveryId }))
        )
        yield* notifications.erase(accountId, deliveries)
        yield* suppressions.erase(accountId, addresses)
      })

      /** Runs go with their turns and requests, which carry what is known of the people. */
      const eraseRuns = Effect.fnUntraced(function* (accountId: string, contactIds: ReadonlyArray<string>) {
        const gone = yield* runs.erase(accountId, contactIds)
        yield* advanceRunJob.erase(
          jobs,
          accountId,
          gone.map((run) => ({ runId: run.id }))
        )
        yield* webhookStepJob.erase(
          jobs,
          accountId,
          gone.flatMap((run) => run.log.map(({ stepId }) => ({ runId: run.id, stepId })))
        )
        yield* flows.eraseCalls(accountId, contactIds)
      })

      /** Those of the addresses that are nobody else's by now, each once. */
      const ownerless = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
        if (emails.length === 0) return []
        const living = yield* contacts.find(accountId, { ids: [], externalIds: [], emails })
        const taken = new Set(living.map((contact) => contact.email))
        return [...new Set(emails)].filter((email) => !taken.has(email))
      })

      /** Erases what `wanted` finds, none of it erased before; answers the ids. */
      const eraseFound = Effect.fnUntraced(function* <E>(
        accountId: string,
        wanted: Effect.Effect<ReadonlyArray<Contact>, E>,
        actor: string,
        { isRemembered }: ErasureOptions
      ) {
        const hashOf = yield* addressHash
        const hashed = (email: string): HashedAddress => ({ email, hash: hashOf(accountId, email) })
        const once = Effect.gen(function* () {
          yield* suppressions.lock([accountId], "Listing")
          const found = yield* wanted
          if (found.length === 0) return []
          const now = yield* Clock.currentTimeMillis
          const ids = found.map((contact) => contact.id)
          const present = found.flatMap(({ email }) => (email === null ? [] : [hashed(email)]))
          const former = (yield* ownerless(
            accountId,
            found.flatMap((contact) => contact.formerEmails)
          )).map(hashed)
          const addresses = [...present, ...former]
          // Before all that hangs on them, since it takes the rows: whoever writes to the contacts meanwhile waits, and
          // then finds them erased.
          yield* contacts.write(accountId, {
            inserts: [],
            updates: found.map((contact) => {
              const { email } = contact
              return anonymous(contact, isRemembered && email !== null ? hashOf(accountId, email) : null, now)
            }),
            released: [],
            updatedFields: "Any",
            consents: [],
            contactLimit: null
          })
          yield* contacts.eraseConsents(accountId, ids)
          yield* events.erase(accountId, {
            contactIds: ids,
            externalIds: found.flatMap(({ externalId }) => externalId ?? []),
            emails: addresses.map(({ email }) => email)
          })
          yield* timeline.erase(accountId, ids)
          yield* orders.erase(accountId, ids)
          yield* cartJob.erase(jobs, accountId, yield* carts.erase(accountId, ids))
          yield* sync.erase(accountId, ids)
          yield* eraseRuns(accountId, ids)
          // After the contacts, since batches of imports take their rows in that order.
          yield* imports.eraseRows(accountId, [
            ...found.map(({ email, externalId }) => ({ email, externalId })),
            ...former.map(({ email }) => ({ email, externalId: null }))
          ])
          yield* eraseAddresses(accountId, addresses)
          if (isRemembered && former.length > 0) {
            yield* contacts.rememberErased(
              accountId,
              former.map((address) => address.hash)
            )
          }
          yield* record(
            actor,
            ...ids.map((id) => ({
              accountId,
              action: "contact.erased",
              target: id,
              before: null,
              after: null
            }))
          )
          return ids
        })
        return yield* retryConflicts(transaction.run(once))
      })

      const erase = Effect.fn("Erasure.erase")(function* (
        accountId: string,
        text: string,
        actor: string,
        options: ErasureOptions = { isRemembered: true }
      ) {
        const reference = parseReference(text)
        if (reference instanceof Problem) return yield* reference
        const wanted = Effect.gen(function* () {
          const [contact] = yield* contacts.find(accountId, keysOfReference(reference))
          if (contact === undefined || !isVisible(contact, reference)) {
            return yield* Problem.of("audience.contact_not_found")
          }
          return [contact]
        })
        const [id] = yield* eraseFound(accountId, wanted, actor, options)
        return id!
      })

      const eraseMany = Effect.fn("Erasure.eraseMany")(function* (
        accountId: string,
        ids: ReadonlyArray<string>,
        actor: string,
        options: ErasureOptions = { isRemembered: true }
      ) {
        if (ids.length === 0) return []
        const wanted = Effect.map(contacts.find(accountId, { ids, externalIds: [], emails: [] }), (found) =>
          found.filter((contact) => contact.erasedAt === null)
        )
        return yield* eraseFound(accountId, wanted, actor, options)
      })

      return Erasure.of({ erase, eraseMany })
    })
  )
}
