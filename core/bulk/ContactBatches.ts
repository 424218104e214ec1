/**
 * Works on the next contacts of a job.
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

/** The most contacts that are committed together. */
const batchSize = 200
/** The most that are erased together: other writers of the account wait for it. */
const erasedAtOnce = 100

/** The next contacts of a job. */
interface Batch {
  /** Those that exist. */
  readonly contacts: ReadonlyArray<Contact>
  /** Ids of those that do not. */
  readonly missing: ReadonlyArray<string>
  /** Where the batch ends; null where it is the last. */
  readonly next: Place | null
}

/** Works on contacts. */
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

    /** The next contacts behind a place, in one fixed order. */
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

    /** Writes an action to contacts. */
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

    /** Adds contacts to the exported file. Locked before they are read, so that none is erased meanwhile. */
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

    /** Does an action with contacts, in the caller's transaction. */
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
      /** How many contacts a target has now. */
      count: (accountId: string, { target }: ContactWork) =>
        "ids" in target
          ? Effect.succeed(target.ids.length)
          : Effect.map(
              segments.find(accountId, target.filter, { page: 1, pageSize: 1, total: "Exact" }),
              ({ totalCount }) => totalCount
            ),
      /** Works on the next contacts, in the caller's transaction. */
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
