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
import { makeRecorder } from "../accounts/Audit.ts"
import { AttemptStore } from "../ports/AttemptStore.ts"
import { CartStore } from "../ports/CartStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { callKey } from "../automation/RunJobs.ts"
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
import { retryConflicts } from "../shared/Conflicts.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { makeAddressHash } from "./AddressHash.ts"
import { type Contact, newContact } from "./Contact.ts"
import { isVisible, keysOfReference, parseReference } from "./Reference.ts"

/** What is left of a contact: nothing that tells who it was without the installation's secret. */
export const anonymous = (contact: Contact, addressHash: string | null, now: number): Contact => ({
  ...newContact(contact.id, "", now),
  email: null,
  erasedAt: now,
  addressHash,
  version: contact.version + 1
})

/** Erases people. */
export class Erasure extends Context.Service<
  Erasure,
  {
    /**
     * Erases the contact of a reference, in one transaction with its audit entry; answers its id.
     * audience.contact_reference_invalid, audience.contact_not_found (also for one erased before). A person who is not
     * remembered, having not asked for it, leaves no hash of an address, and is somebody new to an import or a store.
     */
    readonly erase: (
      accountId: string,
      reference: string,
      actor: string,
      options?: { readonly isRemembered: boolean }
    ) => Effect.Effect<string, Problem | Unavailable>
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
        yield* jobs.erase(accountId, "deliveries", deliveries)
        yield* notifications.erase(accountId, deliveries)
        yield* suppressions.erase(accountId, addresses)
      })

      /** Runs go with their turns and requests, which carry what is known of the person. */
      const eraseRuns = Effect.fnUntraced(function* (accountId: string, contactId: string) {
        const gone = yield* runs.erase(accountId, contactId)
        const requests = gone.flatMap((run) => run.log.map(({ stepId }) => callKey(run.id, stepId)))
        yield* jobs.erase(
          accountId,
          "runs",
          gone.map((run) => run.id)
        )
        yield* jobs.erase(accountId, "calls", [...new Set(requests)])
        yield* flows.eraseCalls(accountId, contactId)
      })

      /** Those of the addresses that are nobody else's by now. */
      const ownerless = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
        if (emails.length === 0) return []
        const living = yield* contacts.find(accountId, { ids: [], externalIds: [], emails })
        const taken = new Set(living.map((contact) => contact.email))
        return emails.filter((email) => !taken.has(email))
      })

      const erase = Effect.fn("Erasure.erase")(function* (
        accountId: string,
        text: string,
        actor: string,
        { isRemembered } = { isRemembered: true }
      ) {
        const reference = parseReference(text)
        if (reference instanceof Problem) return yield* reference
        const hashOf = yield* addressHash
        const once = Effect.gen(function* () {
          yield* suppressions.lock([accountId], "Listing")
          const [contact] = yield* contacts.find(accountId, keysOfReference(reference))
          if (contact === undefined || !isVisible(contact, reference)) {
            return yield* Problem.of("audience.contact_not_found")
          }
          const { email, externalId, formerEmails, id } = contact
          const hash = email === null ? null : hashOf(accountId, email)
          const former = (yield* ownerless(accountId, formerEmails)).map((address) => ({
            email: address,
            hash: hashOf(accountId, address)
          }))
          const erased = anonymous(contact, isRemembered ? hash : null, yield* Clock.currentTimeMillis)
          // Before all that hangs on it, since it takes the row: whoever writes to the contact meanwhile waits, and
          // then finds it erased.
          yield* contacts.write(accountId, {
            inserts: [],
            updates: [erased],
            released: [],
            updatedFields: "Any",
            consents: [],
            contactLimit: null
          })
          yield* contacts.eraseConsents(accountId, id)
          const emails = [...(email === null ? [] : [email]), ...former.map((address) => address.email)]
          yield* events.erase(accountId, { contactId: id, externalId, emails })
          yield* timeline.erase(accountId, id)
          yield* orders.erase(accountId, id)
          yield* jobs.erase(accountId, "carts", yield* carts.erase(accountId, id))
          yield* sync.erase(accountId, id)
          yield* eraseRuns(accountId, id)
          // After the contact, since batches of imports take their rows in that order.
          yield* imports.forget(accountId, [
            { email, externalId },
            ...former.map((address) => ({ email: address.email, externalId: null }))
          ])
          yield* eraseAddresses(accountId, [
            ...(email === null || hash === null ? [] : [{ email, hash }]),
            ...former
          ])
          if (isRemembered && former.length > 0) {
            yield* contacts.rememberErased(
              accountId,
              former.map((address) => address.hash)
            )
          }
          yield* record(actor, {
            accountId,
            action: "contact.erased",
            target: id,
            before: null,
            after: null
          })
          return id
        })
        return yield* retryConflicts(transaction.run(once))
      })

      return Erasure.of({ erase })
    })
  )
}
