/**
 * Decides a batch of contact writes as a pure function of the stored state: `(state, commands) -> (results, changes)`. Writes
 * apply in order, each sees the writes before it, and each is accepted or rejected separately.
 *
 * Source: docs/contributing/public-api.md "POST /contacts rules", docs/contributing/decisions.md 3.
 *
 * @module
 */
import { Result } from "effect"
import type { ContactChanges } from "../../ports/ContactStore.ts"
import { Issues, Problem } from "../../shared/Problem.ts"
import { deepEqual } from "../../shared/Json.ts"
import { ConsentBatch, type ConsentState, hasSameConsent } from "./ConsentBatch.ts"
import { type Contact, newContact, writtenFields } from "../../model/Contact.ts"
import type { ContactField } from "../../model/ContactField.ts"
import type { ContactCommand } from "./ContactWrite.ts"
import { FieldBatch } from "./FieldBatch.ts"
import type { Topic } from "../../model/Topic.ts"
import { chooseTopics } from "../topics/TopicRules.ts"

/** The contact fields that a write may change. */
const decidedFields = [...writtenFields, "tags"] as const

/** The state on which a batch of writes is decided. */
export interface ContactState extends ConsentState {
  readonly accountId: string
  /** Every stored contact with an id, external id or email that the batch names. */
  readonly contacts: ReadonlyArray<Contact>
  /** The number of the account's contacts; needed only with a limit. */
  readonly contactCount: number
  readonly contactLimit: number | null
  /** All contact fields of the account; needed only if the batch has attributes. */
  readonly fields: ReadonlyArray<ContactField>
  /** Whether an unknown attribute key creates a contact field. */
  readonly autoCreate: boolean
  /** All topics of the account; needed only if the batch has topics. */
  readonly topics: ReadonlyArray<Topic>
  /** Addresses of erased people that no contact may take. */
  readonly erased: ReadonlySet<string>
  /**
   * Whether the commands are one call. Repeating a call must change nothing, so if a call writes a contact more than once, only
   * the final state counts. For separate calls that are committed together, each write counts.
   */
  readonly isOneCall: boolean
}

/** The result of a write. */
export interface ContactWritten {
  readonly contact: Contact
  readonly created: boolean
}

/** The decision on a batch of writes. */
export interface ContactDecision {
  /** In the order of the commands. */
  readonly results: ReadonlyArray<Result.Result<ContactWritten, Problem>>
  readonly changes: ContactChanges
  /** Contact fields created for unknown attribute keys, to be inserted in the same transaction as the changes. */
  readonly fields: ReadonlyArray<ContactField>
}

/** Decides a batch of writes. The result of an invalid command is its problem. */
export const decideContacts = (
  state: ContactState,
  commands: ReadonlyArray<Result.Result<ContactCommand, Problem>>
): ContactDecision => {
  const batch = new ContactBatch(state)
  const results = commands.map((parsed, index) =>
    Result.isFailure(parsed) ? Result.fail(parsed.failure) : batch.apply(parsed.success, index)
  )
  return { results, changes: batch.changes(), fields: batch.fields.created }
}

/** The attributes and topics that result from a write. */
type Choices = Pick<Contact, "attributes" | "topics">

/** The contacts of a batch while its writes are applied one after the other. */
class ContactBatch {
  readonly state: ContactState
  readonly stored = new Map<string, Contact>()
  readonly current = new Map<string, Contact>()
  readonly byExternalId = new Map<string, string>()
  readonly byEmail = new Map<string, string>()
  readonly consents: ConsentBatch
  readonly fields: FieldBatch
  readonly topics: ReadonlyMap<string, Topic>
  created = 0

  constructor(state: ContactState) {
    this.state = state
    const { accountId, autoCreate, fields, now, source, topics } = state
    const createdFrom = source === "Import" ? "Csv" : source === "Ui" ? "Ui" : "Api"
    this.fields = new FieldBatch(fields, autoCreate ? { accountId, createdFrom, now } : null)
    this.consents = new ConsentBatch(state)
    this.topics = new Map(topics.map((topic) => [topic.key, topic]))
    for (const contact of state.contacts) {
      this.stored.set(contact.id, contact)
      this.put(contact)
    }
  }

  put(contact: Contact): void {
    const before = this.current.get(contact.id)
    if (before?.externalId != null && before.externalId !== contact.externalId) {
      this.byExternalId.delete(before.externalId)
    }
    if (before?.email != null && before.email !== contact.email) this.byEmail.delete(before.email)
    this.current.set(contact.id, contact)
    if (contact.externalId !== null) this.byExternalId.set(contact.externalId, contact.id)
    if (contact.email !== null) this.byEmail.set(contact.email, contact.id)
  }

  apply(command: ContactCommand, index: number): Result.Result<ContactWritten, Problem> {
    return Result.flatMap(this.resolve(command), (found) => {
      if (found === null) return this.create(command, index)
      const problem =
        storeManagedProblem(found, command) ??
        (command.email === found.email ? undefined : this.erasedProblem(command))
      if (problem !== undefined) return Result.fail(problem)
      return Result.map(this.choose(found, command), (choices) => {
        const contact = this.change(found, { ...choices, command, index, from: found.consentStatus })
        if (contact !== found) this.put(contact)
        return { contact, created: false }
      })
    })
  }

  create(command: ContactCommand, index: number): Result.Result<ContactWritten, Problem> {
    const { contactCount, contactLimit, ids, now } = this.state
    if (command.email === null) return Result.fail(Problem.of("audience.contact_email_required", "email"))
    const problem = this.erasedProblem(command)
    if (problem !== undefined) return Result.fail(problem)
    if (contactLimit !== null && contactCount + this.created >= contactLimit) {
      return Result.fail(Problem.of("audience.contact_limit_reached", null, { max: contactLimit }))
    }
    const blank = newContact(ids[2 * index]!, command.email, now)
    return Result.map(this.choose(blank, command), (choices) => {
      const start = this.consents.suppress(blank, index, null)
      const from = start === blank ? null : start.consentStatus
      const contact = this.change(start, { ...choices, command, index, from })
      this.created++
      this.put(contact)
      return { contact, created: true }
    })
  }

  /** The problem of a write that would give a contact the address of an erased person. */
  erasedProblem({ email }: ContactCommand): Problem | undefined {
    return email !== null && this.state.erased.has(email)
      ? Problem.of("audience.contact_erased", "email")
      : undefined
  }

  /**
   * Finds the contact of a command: by id, otherwise by external id, otherwise by email; null for a new contact. An id that
   * matches no contact, or only an erased one, is ignored (docs/contributing/decisions.md 3).
   */
  resolve(command: ContactCommand): Result.Result<Contact | null, Problem> {
    const named = command.id === null ? undefined : this.current.get(command.id)
    const byId = named?.erasedAt === null ? named : undefined
    const byExternalId = this.lookUp(this.byExternalId, command.externalId)
    const byEmail = this.lookUp(this.byEmail, command.email)
    const found = byId ?? byExternalId ?? byEmail ?? null
    const conflict = (field: string) => Result.fail(Problem.of("audience.contact_identity_conflict", field))
    if (byExternalId !== undefined && byExternalId.id !== found?.id) return conflict("externalId")
    if (byEmail !== undefined && byEmail.id !== found?.id) return conflict("email")
    return Result.succeed(found)
  }

  lookUp(index: ReadonlyMap<string, string>, key: string | null): Contact | undefined {
    const id = key === null ? undefined : index.get(key)
    return id === undefined ? undefined : this.current.get(id)
  }

  /**
   * Applies the command's attributes and topics to those of the contact. No later step rejects a write, so contact fields that
   * this step creates are added to the batch.
   */
  choose(contact: Contact, command: ContactCommand): Result.Result<Choices, Problem> {
    const issues = new Issues()
    const { attributes, created } = this.fields.patch(contact.attributes, command.attributes, issues)
    const topics = chooseTopics(contact.topics, command.topics, this.topics, issues)
    const choices = issues.result({ attributes, topics })
    if (Result.isSuccess(choices)) this.fields.add(created)
    return choices
  }

  /** The contact with the changes of an accepted write; the same object if nothing changes. */
  change(contact: Contact, { attributes, command, from, index, topics }: AcceptedWrite): Contact {
    const email = command.email ?? contact.email
    const patched: Contact = {
      ...contact,
      ...command.profile,
      attributes,
      topics,
      externalId: command.externalId ?? contact.externalId,
      tags: patchTags(contact.tags, command.tags),
      email,
      formerEmails: email === contact.email ? contact.formerEmails : formerEmails(contact, email)
    }
    const suppressed = email === contact.email ? patched : this.consents.suppress(patched, index, from)
    const changed = this.consents.apply(suppressed, command, index, from)
    return isUnchanged(contact, changed) ? contact : changed
  }

  /** Whether another contact of the batch now has an external id or email that the contact had before. */
  isTaken(index: ReadonlyMap<string, string>, key: string | null, before: Contact): boolean {
    const holder = key === null ? undefined : index.get(key)
    return holder !== undefined && holder !== before.id
  }

  /** The changes to write. */
  changes(): ContactChanges {
    const inserts: Array<Contact> = []
    const updates: Array<Contact> = []
    const released: Array<string> = []
    let unchanged: ReadonlyArray<keyof Contact> = decidedFields
    const unchangedConsent = new Set<string>()
    for (const decided of this.current.values()) {
      const before = this.stored.get(decided.id)
      const contact = before === undefined || !this.state.isOneCall ? decided : finalOf(before, decided)
      if (before !== undefined && this.state.isOneCall && hasSameConsent(before, decided)) {
        unchangedConsent.add(before.id)
      }
      if (before === undefined) inserts.push(contact)
      else if (before !== contact) {
        updates.push({ ...contact, version: before.version + 1 })
        if (!unchanged.every((field) => before[field] === contact[field])) {
          unchanged = unchanged.filter((field) => before[field] === contact[field])
        }
        if (
          this.isTaken(this.byEmail, before.email, before) ||
          this.isTaken(this.byExternalId, before.externalId, before)
        ) {
          released.push(before.id)
        }
      }
    }
    const consents = this.consents.entries.filter((entry) => !unchangedConsent.has(entry.contactId))
    return {
      inserts,
      updates,
      released,
      updatedFields: decidedFields.filter((field) => !unchanged.includes(field)),
      consents,
      contactLimit: this.state.contactLimit
    }
  }
}

/** A write with a known contact and valid attributes and topics. */
interface AcceptedWrite extends Choices {
  readonly command: ContactCommand
  /** The position of the command in the batch. */
  readonly index: number
  /** The consent status before the write; null for a new contact. */
  readonly from: Contact["consentStatus"] | null
}

/**
 * The problem of a write that changes fields that a connected store syncs: email, external id and consent. Only unsubscribing is
 * accepted (docs/contributing/public-api.md "POST /contacts rules" 3).
 */
const storeManagedProblem = (contact: Contact, command: ContactCommand): Problem | undefined => {
  if (contact.storeId === null) return undefined
  const problem = (field: string) => Problem.of("audience.contact_store_managed", field)
  if (command.email !== null && command.email !== contact.email) return problem("email")
  if (command.externalId !== null && command.externalId !== contact.externalId) return problem("externalId")
  return command.consent !== null && command.consent._tag !== "Unsubscribed" ? problem("consent") : undefined
}

/** The tags after a patch; the same list if nothing changes. */
const patchTags = (
  tags: ReadonlyArray<string> | null,
  patch: ContactCommand["tags"]
): ReadonlyArray<string> | null => {
  if (patch === undefined) return tags
  const before = tags ?? []
  const removed = new Set(patch.remove)
  const after = [...new Set([...before, ...patch.add])].filter((tag) => !removed.has(tag))
  return after.length === before.length && after.every((tag, index) => tag === before[index]) ? tags : after
}

/** The addresses that the contact had before `email`, by which an erasure finds all emails to the person. */
const formerEmails = (contact: Contact, email: string | null): ReadonlyArray<string> => {
  const all = contact.email === null ? contact.formerEmails : [...contact.formerEmails, contact.email]
  return [...new Set(all)].filter((former) => former !== email)
}

/**
 * A stored contact after all writes of a call; the same object if the call changes nothing. Consent that has the same status and
 * proof at the end counts as unchanged.
 */
const finalOf = (before: Contact, after: Contact): Contact => {
  if (before === after) return before
  const { consentSource, consentUpdatedAt } = before
  const isConsentUnchanged = after.consentUpdatedAt !== consentUpdatedAt && hasSameConsent(before, after)
  const final = isConsentUnchanged ? { ...after, consentSource, consentUpdatedAt } : after
  return decidedFields.every(
    (field) => before[field] === final[field] || deepEqual(before[field], final[field])
  )
    ? before
    : final
}

const isUnchanged = (a: Contact, b: Contact): boolean =>
  (Object.keys(a) as Array<keyof Contact>).every((key) => a[key] === b[key])
