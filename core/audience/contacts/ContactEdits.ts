/**
 * The use cases of people who edit single contacts with the management API: create, change, and get the proof of consent
 * (docs/contributing/management-api.md).
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { ConsentEntry } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { maxPageSize, type Page, type PageRequest, type Place } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import type { ContactWritten } from "./ContactRules.ts"
import { Contacts } from "./Contacts.ts"

/** A contact with its complete consent history. */
export interface ConsentRecord {
  readonly contact: Contact
  /** Oldest first. */
  readonly entries: ReadonlyArray<ConsentEntry>
}

/** Edits contacts for people, and writes an audit entry for each change. */
export class ContactEdits extends Context.Service<
  ContactEdits,
  {
    /** Creates or updates a contact as POST /contacts does, with the source `Ui`. */
    readonly write: (
      accountId: string,
      write: ContactWrite,
      actor: Actor
    ) => Effect.Effect<ContactWritten, Problem | Unavailable>
    /** Changes a contact by its id, as POST /contacts does; common.not_found, also for an erased contact. */
    readonly change: (
      accountId: string,
      id: string,
      write: ContactWrite,
      actor: Actor
    ) => Effect.Effect<Contact, Problem | Unavailable>
    /** A contact by its id; common.not_found, also for an erased contact. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Contact, Problem | Unavailable>
    /** A contact's consent history as a document. The access is recorded in the audit log. common.not_found. */
    readonly consentRecord: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<ConsentRecord, Problem | Unavailable>
  }
>()("svc/audience/ContactEdits") {
  static readonly layer = Layer.effect(
    ContactEdits,
    Effect.gen(function* () {
      const contacts = yield* Contacts
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail

      const get = (accountId: string, id: string) =>
        Effect.catchTag(contacts.get(accountId, id), "Problem", () =>
          Effect.fail(Problem.of("common.not_found"))
        )

      const write = Effect.fnUntraced(function* (accountId: string, given: ContactWrite, actor: Actor) {
        const [result] = yield* contacts.writeMany(accountId, [Result.succeed(given)], "Ui")
        const written = yield* Effect.fromResult(result!)
        // Only the names of the written fields: personal data does not belong in the audit log.
        const fields = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
        yield* record(actor, {
          accountId,
          action: written.created ? "contact.created" : "contact.changed",
          target: written.contact.id,
          before: null,
          after: { fields }
        })
        return written
      })

      return ContactEdits.of({
        get,
        write: Effect.fn("ContactEdits.write")(write, atomically),
        change: Effect.fn("ContactEdits.change")(function* (accountId, id, given, actor) {
          yield* get(accountId, id)
          return (yield* write(accountId, { ...given, id }, actor)).contact
        }, atomically),
        consentRecord: Effect.fn("ContactEdits.consentRecord")(function* (accountId, id, actor) {
          const contact = yield* get(accountId, id)
          const entries: Array<ConsentEntry> = []
          let after: Place | null = null
          do {
            const request: PageRequest = { page: 1, pageSize: maxPageSize, after, total: "Bounded" }
            const page: Page<ConsentEntry> = yield* contacts.consentHistory(accountId, id, request)
            entries.push(...page.items)
            after = page.next
          } while (after !== null)
          yield* record(actor, {
            accountId,
            action: "contact.consent_exported",
            target: id,
            before: null,
            after: { entries: entries.length }
          })
          return { contact, entries: entries.toReversed() }
        })
      })
    })
  )
}
