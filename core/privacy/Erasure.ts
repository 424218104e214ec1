/**
 * Erases people (docs/contributing/public-api.md "DELETE /contacts/{reference}", docs/contributing/decisions.md 3).
 *
 * An erasure covers the contact's data, consent history and timeline; the emails to the person's current and former addresses
 * with their inbox copies, attempts, jobs and webhook notifications; orders and carts of connected stores; the person's rows
 * in the error reports of imports, in exported files and in reports of jobs; the person as a recipient of campaigns; events of
 * stores about the person that were not accepted; all bodies in the account's request log; all previews of templates in the
 * account; and whatever the account's streams may still show.
 *
 * The contact's id, the time and keyed hashes of the addresses remain. Entries of the suppression list remain under such
 * hashes, since they protect the person: an address that complained gets no email when its owner becomes a contact again. If
 * an email has several recipients, only the person's delivery is erased, and the content remains until retention erases it.
 * The audit log has no addresses, and of its entries about the contact only the id remains.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import { contentDigest, digestsWith } from "../accounts/AuditDigests.ts"
import { AuditTrail, contactErased } from "../accounts/AuditTrail.ts"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { Crypto } from "../ports/Crypto.ts"
import { removedStepCounts } from "../model/StepCount.ts"
import { AttemptStore } from "../ports/AttemptStore.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { RequestLog } from "../ports/RequestLog.ts"
import { CartStore } from "../ports/CartStore.ts"
import { ConversionStore } from "../ports/ConversionStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { ContentStore } from "../ports/ContentStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { contentRemovalJob } from "../jobs/definitions/ContentJobs.ts"
import { deliveryJob } from "../jobs/definitions/DeliveryJobs.ts"
import { advanceRunJob, webhookStepJob } from "../jobs/definitions/RunJobs.ts"
import { cartJob } from "../jobs/definitions/StoreJobs.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { ImportStore } from "../ports/ImportStore.ts"
import { InboxStore } from "../ports/InboxStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { LiveEntries } from "../ports/LiveEntries.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { ObjectStorage } from "../ports/ObjectStorage.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SegmentStore } from "../ports/SegmentStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { type HashedAddress, SuppressionStore } from "../ports/SuppressionStore.ts"
import { SyncStore } from "../ports/SyncStore.ts"
import { VisitStore } from "../ports/VisitStore.ts"
import { TimelineStore } from "../ports/TimelineStore.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { AddressHash } from "../audience/contacts/AddressHash.ts"
import { type Contact, newContact } from "../model/Contact.ts"
import { isVisible, keysOfReference, parseReference } from "../audience/contacts/Reference.ts"

/** The remains of an erased contact. Without the installation's secret they do not identify the person. */
export const erasedContact = (contact: Contact, addressHash: string | null, now: number): Contact => ({
  ...newContact(contact.id, "", now),
  email: null,
  erasedAt: now,
  addressHash,
  version: contact.version + 1
})

/**
 * The maximum number of contents that the erasure's transaction removes, and of audit entries that one statement redacts. A
 * job removes further content.
 */
const maxRemoved = 1_000

/** Options of an erasure. */
export interface ErasureOptions {
  /**
   * Whether hashes of the person's addresses are kept, so that no import or store adds the person again. False for
   * people who did not ask to be erased.
   */
  readonly isRemembered: boolean
}

/** Erases people. */
export class Erasure extends Context.Service<
  Erasure,
  {
    /**
     * Erases the contact of a reference, in one transaction with its audit entry, and returns its id. Fails with
     * audience.contact_reference_invalid, and with audience.contact_not_found, also for an erased contact.
     */
    readonly erase: (
      accountId: string,
      reference: string,
      actor: Actor,
      options?: ErasureOptions
    ) => Effect.Effect<string, Problem | Unavailable>
    /**
     * Erases contacts by their ids, in one transaction with an audit entry for each, and returns the ids of those erased.
     * Unknown ids and erased contacts are ignored. The number of statements does not depend on the number of contacts.
     * The account's other writers of contacts and addresses wait until it ends, so the caller limits the number of ids.
     */
    readonly eraseMany: (
      accountId: string,
      ids: ReadonlyArray<string>,
      actor: Actor,
      options?: ErasureOptions
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("svc/audience/Erasure") {
  static readonly layer = Layer.effect(
    Erasure,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const contents = yield* ContentStore
      const storage = yield* ObjectStorage
      const events = yield* EventStore
      const flows = yield* FlowStore
      const runs = yield* RunStore
      const segments = yield* SegmentStore
      const imports = yield* ImportStore
      const timeline = yield* TimelineStore
      const orders = yield* OrderStore
      const bulkJobs = yield* BulkJobStore
      const campaigns = yield* CampaignStore
      const requestLog = yield* RequestLog
      const previews = yield* PreviewStore
      const carts = yield* CartStore
      const conversions = yield* ConversionStore
      const sync = yield* SyncStore
      const submissions = yield* SubmissionStore
      const attempts = yield* AttemptStore
      const visits = yield* VisitStore
      const inbox = yield* InboxStore
      const suppressions = yield* SuppressionStore
      const jobs = yield* JobQueue
      const live = yield* LiveEntries
      const notifications = yield* NotificationStore
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail
      const auditLog = yield* AuditLog
      const crypto = yield* Crypto
      const keys = yield* InstallationKeys
      const addressHash = yield* AddressHash
      const newIds = yield* Ids

      /**
       * Removes the content that no email uses any more. Content in the database is removed in this transaction. A job removes
       * content that is stored elsewhere or is locked now.
       */
      const removeContent = Effect.fnUntraced(function* (accountId: string) {
        const now = yield* Clock.currentTimeMillis
        if (storage.place === "Database") yield* contents.removeUnused(accountId, maxRemoved, now)
        const id = yield* newIds.next
        yield* jobs.enqueue([contentRemovalJob.job({ id, accountId, payload: {}, runAt: now })])
      })

      /** Erases the emails to addresses and all that belongs to them, and hashes their suppression entries. */
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
        yield* visits.erase(refs)
        yield* deliveryJob.erase(
          jobs,
          accountId,
          deliveries.map((deliveryId) => ({ deliveryId }))
        )
        if (deliveries.length > 0) yield* removeContent(accountId)
        yield* notifications.erase(accountId, deliveries)
        yield* suppressions.erase(accountId, addresses)
      })

      /** Erases runs with their jobs and webhook requests, which contain data of the contacts. */
      const eraseRuns = Effect.fnUntraced(function* (accountId: string, contactIds: ReadonlyArray<string>) {
        const erased = yield* runs.erase(accountId, contactIds)
        yield* runs.countSteps(accountId, removedStepCounts(erased))
        yield* advanceRunJob.erase(
          jobs,
          accountId,
          erased.map((run) => ({ runId: run.id }))
        )
        yield* webhookStepJob.erase(
          jobs,
          accountId,
          erased.flatMap((run) => run.log.map(({ stepId }) => ({ runId: run.id, stepId })))
        )
        yield* flows.eraseCalls(accountId, contactIds)
        yield* segments.eraseMembers(accountId, contactIds)
      })

      /** The addresses that belong to no contact now, without duplicates. */
      const withoutContact = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
        if (emails.length === 0) return []
        const found = yield* contacts.find(accountId, { ids: [], externalIds: [], emails })
        const used = new Set(found.map((contact) => contact.email))
        return [...new Set(emails)].filter((email) => !used.has(email))
      })

      /** Erases contacts and what belongs to their ids, and the events of their external ids and of `emails`. */
      const eraseContacts = Effect.fnUntraced(function* (
        accountId: string,
        found: ReadonlyArray<Contact>,
        emails: ReadonlyArray<string>,
        erasedOf: (contact: Contact) => Contact
      ) {
        const ids = found.map((contact) => contact.id)
        // Before the contacts, since batches of campaigns lock recipients before their contacts. Before the emails, so that a
        // batch that submits an email at the same time has either ended or finds that the recipient is gone.
        yield* campaigns.erase(accountId, ids)
        // Before the rest, since this locks the rows: concurrent writers of the contacts wait, and then find them erased.
        yield* contacts.write(accountId, {
          inserts: [],
          updates: found.map(erasedOf),
          released: [],
          updatedFields: "Any",
          consents: [],
          contactLimit: null
        })
        yield* contacts.eraseConsents(accountId, ids)
        const externalIds = found.flatMap(({ externalId }) => externalId ?? [])
        yield* events.erase(accountId, { contactIds: ids, externalIds, emails })
        yield* timeline.erase(accountId, ids)
        yield* orders.erase(accountId, ids)
        yield* conversions.erase(accountId, ids)
        yield* bulkJobs.eraseRows(accountId, ids)
        yield* requestLog.removeBodies(accountId)
        yield* previews.clear(accountId)
        yield* live.clear(accountId)
        yield* cartJob.erase(jobs, accountId, yield* carts.erase(accountId, ids))
        yield* sync.erase(accountId, ids, emails)
        yield* eraseRuns(accountId, ids)
      })

      /** Removes everything about contacts from the audit log except their ids. */
      const eraseAudit = Effect.fnUntraced(function* (accountId: string, ids: ReadonlyArray<string>) {
        const hash = digestsWith(crypto, (yield* keys.get).audit)
        while (true) {
          const entries = yield* auditLog.about(accountId, ids, maxRemoved)
          yield* auditLog.redact(
            accountId,
            entries.map((entry) => ({ id: entry.id, contentDigest: contentDigest(hash, entry) }))
          )
          if (entries.length < maxRemoved) return
        }
      })

      /** Erases the contacts that `wanted` finds, none of which is erased yet, and returns their ids. */
      const eraseFound = Effect.fnUntraced(function* <E>(
        accountId: string,
        wanted: Effect.Effect<ReadonlyArray<Contact>, E>,
        actor: Actor,
        { isRemembered }: ErasureOptions
      ) {
        const hashOf = yield* addressHash.get
        const hashed = (email: string): HashedAddress => ({ email, hash: hashOf(accountId, email) })
        return yield* atomically(
          Effect.gen(function* () {
            yield* suppressions.lock([accountId], "Listing")
            const found = yield* wanted
            if (found.length === 0) return []
            const now = yield* Clock.currentTimeMillis
            const current = found.flatMap(({ email }) => (email === null ? [] : [hashed(email)]))
            const formerEmails = found.flatMap((contact) => contact.formerEmails)
            const former = (yield* withoutContact(accountId, formerEmails)).map(hashed)
            const addresses = [...current, ...former]
            const emails = addresses.map(({ email }) => email)
            yield* eraseContacts(accountId, found, emails, (contact) => {
              const hash = isRemembered && contact.email !== null ? hashOf(accountId, contact.email) : null
              return erasedContact(contact, hash, now)
            })
            // After the contacts, since batches of imports lock in the same order.
            yield* imports.eraseRows(accountId, [
              ...found.map(({ email, externalId }) => ({ email, externalId })),
              ...former.map(({ email }) => ({ email, externalId: null }))
            ])
            yield* eraseAddresses(accountId, addresses)
            if (isRemembered && former.length > 0) {
              const hashes = former.map(({ hash }) => hash)
              yield* contacts.rememberErased(accountId, hashes)
            }
            const ids = found.map((contact) => contact.id)
            yield* eraseAudit(accountId, ids)
            yield* record(
              actor,
              ...ids.map((target) => ({
                accountId,
                action: contactErased,
                target,
                before: null,
                after: null
              }))
            )
            return ids
          })
        )
      })

      return Erasure.of({
        erase: Effect.fn("Erasure.erase")(function* (
          accountId,
          given,
          actor,
          options = { isRemembered: true }
        ) {
          const reference = yield* Effect.fromResult(parseReference(given))
          const wanted = Effect.gen(function* () {
            const [contact] = yield* contacts.find(accountId, keysOfReference(reference))
            if (contact === undefined || !isVisible(contact, reference)) {
              return yield* Problem.of("audience.contact_not_found")
            }
            return [contact]
          })
          const [id] = yield* eraseFound(accountId, wanted, actor, options)
          return id!
        }),
        eraseMany: Effect.fn("Erasure.eraseMany")(function* (
          accountId,
          ids,
          actor,
          options = { isRemembered: true }
        ) {
          if (ids.length === 0) return []
          const wanted = Effect.map(contacts.find(accountId, { ids, externalIds: [], emails: [] }), (found) =>
            found.filter((contact) => contact.erasedAt === null)
          )
          return yield* eraseFound(accountId, wanted, actor, options)
        })
      })
    })
  )
}
