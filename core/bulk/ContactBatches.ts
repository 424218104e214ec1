/**
 * Processes the next contacts of a bulk job.
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import { Contacts } from "../audience/contacts/Contacts.ts"
import { Segments } from "../audience/segments/Segments.ts"
import type { BulkJob, BulkJobRow } from "../model/BulkJob.ts"
import type { Contact } from "../model/Contact.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { Erasure } from "../privacy/Erasure.ts"
import type { Place } from "../shared/Page.ts"
import type { Problem, Unavailable } from "../shared/Problem.ts"
import {
  type BulkAction,
  type BulkBatch,
  type BulkOutcome,
  type BulkTarget,
  type ContactWork,
  exportLine,
  writeOf
} from "./BulkActions.ts"

/** The most contacts in one transaction. */
const batchSize = 200
/** The most contacts erased in one transaction, for which other writers of the account wait. */
const erasedAtOnce = 100

/** The next contacts of a job. */
interface Batch {
  /** The contacts that exist. */
  readonly contacts: ReadonlyArray<Contact>
  /** The ids of those that do not exist. */
  readonly missing: ReadonlyArray<string>
  /** The place at which the batch ends; null for the last batch. */
  readonly next: Place | null
}

/** Processes contacts. */
export class ContactBatches extends Context.Service<ContactBatches>()("svc/bulk/ContactBatches", {
  make: Effect.gen(function* () {
    const store = yield* BulkJobStore
    const contacts = yield* Contacts
    const contactStore = yield* ContactStore
    const erasure = yield* Erasure
    const segments = yield* Segments
    const topics = yield* TopicStore

    const existing = (accountId: string, wanted: ReadonlyArray<string>) =>
      Effect.map(contactStore.find(accountId, { ids: wanted, externalIds: [], emails: [] }), (found) =>
        found.filter(({ erasedAt }) => erasedAt === null)
      )

    /** The next contacts after a place, in a fixed order. */
    const batchOf = Effect.fnUntraced(function* (
      accountId: string,
      target: BulkTarget,
      position: Place | null,
      size: number
    ): Effect.fn.Return<Batch, Problem | Unavailable> {
      if ("ids" in target) {
        const from = Number(position?.[0] ?? 0)
        const wanted = target.ids.slice(from, from + size)
        const found = yield* existing(accountId, wanted)
        const known = new Set(found.map(({ id }) => id))
        return {
          contacts: found,
          missing: wanted.filter((id) => !known.has(id)),
          next: from + size < target.ids.length ? [from + size] : null
        }
      }
      const request = { page: 1, pageSize: size, after: position, total: "Bounded" as const }
      const { items, next } = yield* segments.find(accountId, target.filter, request)
      return { contacts: items, missing: [], next }
    })

    /** Applies an action to contacts by writing them. */
    const write = Effect.fnUntraced(function* (
      { accountId }: BulkJob,
      action: BulkAction,
      found: ReadonlyArray<Contact>
    ) {
      const writes = found.flatMap((contact) => writeOf(action, contact) ?? [])
      const results = yield* contacts.writeMany(
        accountId,
        writes.map((one) => Result.succeed(one)),
        "Ui"
      )
      return results.map((result, index): BulkOutcome => [
        found[index]!.id,
        Result.isSuccess(result) ? null : result.failure.issues[0].code
      ])
    })

    /** Adds contacts to the exported file. They are locked before they are read, so that none is erased meanwhile. */
    const exportRows = Effect.fnUntraced(function* (
      { accountId, id, rows }: BulkJob,
      action: Extract<BulkAction, { readonly kind: "Export" }>,
      found: ReadonlyArray<Contact>
    ) {
      const keys = { ids: found.map((contact) => contact.id), externalIds: [], emails: [] }
      yield* contactStore.lock(accountId, keys)
      const locked = new Map((yield* existing(accountId, keys.ids)).map((contact) => [contact.id, contact]))
      const exported = found.flatMap((contact) => locked.get(contact.id) ?? [])
      const known = yield* topics.list(accountId)
      yield* store.addRows(
        accountId,
        id,
        exported.map((contact, index): BulkJobRow => ({
          place: rows + index + 1,
          contactId: contact.id,
          content: exportLine(contact, action, known)
        }))
      )
      return found.map((contact): BulkOutcome => [
        contact.id,
        locked.has(contact.id) ? null : "common.not_found"
      ])
    })

    /** Carries out an action on contacts, in the caller's transaction. */
    const act = Effect.fnUntraced(function* (
      job: BulkJob,
      action: BulkAction,
      found: ReadonlyArray<Contact>
    ) {
      if (found.length === 0) return []
      if (action.kind === "Export") return yield* exportRows(job, action, found)
      if (action.kind !== "Erase") return yield* write(job, action, found)
      const wanted = found.map(({ id }) => id)
      const erased = new Set(yield* erasure.eraseMany(job.accountId, wanted, job.createdBy))
      return wanted.map((id): BulkOutcome => [id, erased.has(id) ? null : "common.not_found"])
    })

    return {
      /** The current number of contacts in a target. */
      count: (accountId: string, { target }: ContactWork) =>
        "ids" in target
          ? Effect.succeed(target.ids.length)
          : Effect.map(
              segments.find(accountId, target.filter, { page: 1, pageSize: 1, total: "Exact" }),
              ({ totalCount }) => totalCount
            ),
      /** Processes the next contacts, in the caller's transaction. */
      process: Effect.fn("ContactBatches.process")(function* (
        job: BulkJob,
        { action, target }: ContactWork
      ): Effect.fn.Return<BulkBatch, Problem | Unavailable> {
        const size = action.kind === "Erase" ? erasedAtOnce : batchSize
        const batch = yield* batchOf(job.accountId, target, job.position, size)
        const outcomes = [
          ...(yield* act(job, action, batch.contacts)),
          ...batch.missing.map((contactId): BulkOutcome => [contactId, "common.not_found"])
        ]
        return { outcomes, next: batch.next }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ContactBatches, ContactBatches.make)
}
