/**
 * What a batch of contact writes does, decided purely: `(state, commands, now) -> (results, changes)`.
 *
 * Source: public-api "POST /contacts rules", decisions 3. Writes apply in order, each seeing the ones before it, and
 * each is refused by itself.
 *
 * @module
 */
import { Result } from "effect"
import type { ContactChanges } from "../../ports/ContactStore.ts"
import { type Issue, Problem } from "../../shared/Problem.ts"
import { ConsentBatch, type ConsentState, hasSameConsent } from "./ConsentBatch.ts"
import { type Contact, newContact, writtenFields } from "../../model/Contact.ts"
import type { ContactField } from "../../model/ContactField.ts"
import type { ContactCommand } from "./ContactWrite.ts"
import { FieldBatch } from "./FieldBatch.ts"
import type { Topic } from "../../model/Topic.ts"
import { chooseTopics } from "../topics/TopicRules.ts"

/** The fields in which a write may change a contact. */
const decidedFields = [...writtenFields, "tags"] as const

/** What a batch of writes is decided on. */
export interface ContactState extends ConsentState {
  readonly accountId: string
  /** Every stored contact that has an identity named in the batch. */
  readonly contacts: ReadonlyArray<Contact>
  /** How many contacts the account has; needed only with a limit. */
  readonly contactCount: number
  readonly contactLimit: number | null
  /** All fields of the account; needed only where the batch has attributes. */
  readonly fields: ReadonlyArray<ContactField>
  /** Whether an unknown attribute key makes a field. */
  readonly autoCreate: boolean
  /** All topics of the account; needed only where the batch has topics. */
  readonly topics: ReadonlyArray<Topic>
  /**
   * Whether the commands are one call. To send the same call again adds nothing, so that of a contact it writes more
   * than once only what it comes to counts. Calls that merely arrive together each count.
   */
  readonly isOneCall: boolean
}

/** What became of a write. */
export interface ContactWritten {
  readonly contact: Contact
  readonly created: boolean
}

/** What a batch of writes comes to. */
export interface ContactDecision {
  /** In the order of the commands. */
  readonly results: ReadonlyArray<Result.Result<ContactWritten, Problem>>
  readonly changes: ContactChanges
  /** The fields that unknown attribute keys made, to be added with the changes or not at all. */
  readonly fields: ReadonlyArray<ContactField>
}

/** Decides a batch of writes. Commands that are already refused pass through as they are. */
export const decideContacts = (
  state: ContactState,
  commands: ReadonlyArray<ContactCommand | Problem>
): ContactDecision => {
  const draft = new Draft(state)
  const results = commands.map((command, index) =>
    command instanceof Problem ? Result.fail(command) : draft.apply(command, index)
  )
  return { results, changes: draft.changes(), fields: draft.fields.made }
}

/** What a write chooses besides the profile, once it is known to be allowed. */
type Choices = Pick<Contact, "attributes" | "topics">

/** The contacts of a batch while its writes are applied one after the other. */
class Draft {
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
    const createdFrom = source === "Import" ? "Csv" : "Api"
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
    const found = this.resolve(command)
    if (found instanceof Problem) return Result.fail(found)
    if (found === null) return this.create(command, index)
    const refusal = refuseStoreManaged(found, command)
    if (refusal !== undefined) return Result.fail(refusal)
    const choices = this.choose(found, command)
    if (choices instanceof Problem) return Result.fail(choices)
    const contact = this.change(found, choices, command, index, found.consentStatus)
    if (contact !== found) this.put(contact)
    return Result.succeed({ contact, created: false })
  }

  create(command: ContactCommand, index: number): Result.Result<ContactWritten, Problem> {
    const { contactCount, contactLimit, ids, now } = this.state
    if (command.email === null) return Result.fail(Problem.of("audience.contact_email_required", "email"))
    if (contactLimit !== null && contactCount + this.created >= contactLimit) {
      return Result.fail(Problem.of("audience.contact_limit_reached", null, { max: contactLimit }))
    }
    const blank = newContact(ids[2 * index]!, command.email, now)
    const choices = this.choose(blank, command)
    if (choices instanceof Problem) return Result.fail(choices)
    const start = this.consents.suppress(blank, index, null)
    const contact = this.change(start, choices, command, index, start === blank ? null : start.consentStatus)
    this.created++
    this.put(contact)
    return Result.succeed({ contact, created: true })
  }

  /** The contact a command means: by id, else by external id, else by email; null for a new one. */
  resolve(command: ContactCommand): Contact | Problem | null {
    const byId = command.id === null ? undefined : this.current.get(command.id)
    if (command.id !== null && (byId === undefined || byId.erasedAt !== null)) {
      return Problem.of("audience.contact_not_found", "id")
    }
    const byExternalId = this.lookUp(this.byExternalId, command.externalId)
    const byEmail = this.lookUp(this.byEmail, command.email)
    const found = byId ?? byExternalId ?? byEmail ?? null
    if (found === null) return null
    if (byExternalId !== undefined && byExternalId.id !== found.id) {
      return Problem.of("audience.contact_identity_conflict", "externalId")
    }
    if (byEmail !== undefined && byEmail.id !== found.id) {
      return Problem.of("audience.contact_identity_conflict", "email")
    }
    return found
  }

  lookUp(index: ReadonlyMap<string, string>, key: string | null): Contact | undefined {
    const id = key === null ? undefined : index.get(key)
    return id === undefined ? undefined : this.current.get(id)
  }

  /**
   * The contact's attributes and topics as the command leaves them, or why it is refused. The last thing that can
   * refuse a write: the fields it makes are kept.
   */
  choose(contact: Contact, command: ContactCommand): Choices | Problem {
    const issues: Array<Issue> = []
    const { attributes, made } = this.fields.patch(contact.attributes, command.attributes, issues)
    const topics = chooseTopics(contact.topics, command.topics, this.topics, issues)
    const problem = Problem.from(issues)
    if (problem !== undefined) return problem
    this.fields.keep(made)
    return { attributes, topics }
  }

  /** The contact with the command's fields; the very same object when nothing changes. */
  change(
    contact: Contact,
    choices: Choices,
    command: ContactCommand,
    index: number,
    from: Contact["consentStatus"] | null
  ): Contact {
    const email = command.email ?? contact.email
    const patched: Contact = {
      ...contact,
      ...command.profile,
      ...choices,
      externalId: command.externalId ?? contact.externalId,
      tags: patchTags(contact.tags, command.tags),
      email,
      formerEmails: email === contact.email ? contact.formerEmails : formerEmails(contact, email)
    }
    const settled = email === contact.email ? patched : this.consents.suppress(patched, index, from)
    const consented = this.consents.apply(settled, command, index, from)
    return isSame(contact, consented) ? contact : consented
  }

  /** Whether what a contact had is another's now. */
  isTaken(index: ReadonlyMap<string, string>, key: string | null, before: Contact): boolean {
    const holder = key === null ? undefined : index.get(key)
    return holder !== undefined && holder !== before.id
  }

  changes(): ContactChanges {
    const inserts: Array<Contact> = []
    const updates: Array<Contact> = []
    const released: Array<string> = []
    let unchanged: ReadonlyArray<keyof Contact> = decidedFields
    const unmoved = new Set<string>()
    for (const decided of this.current.values()) {
      const before = this.stored.get(decided.id)
      const contact = before === undefined || !this.state.isOneCall ? decided : settle(before, decided)
      if (before !== undefined && this.state.isOneCall && hasSameConsent(before, decided)) {
        unmoved.add(before.id)
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
    const consents = this.consents.entries.filter((entry) => !unmoved.has(entry.contactId))
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

/**
 * A contact of a connected store keeps the email, id and consent the store syncs; only an unsubscribe is honoured
 * (public-api, POST /contacts rule 3).
 */
const refuseStoreManaged = (contact: Contact, command: ContactCommand): Problem | undefined => {
  if (contact.storeId === null) return undefined
  const refuse = (field: string) => Problem.of("audience.contact_store_managed", field)
  if (command.email !== null && command.email !== contact.email) return refuse("email")
  if (command.externalId !== null && command.externalId !== contact.externalId) return refuse("externalId")
  return command.consent !== null && command.consent._tag !== "Unsubscribed" ? refuse("consent") : undefined
}

/** The tags after a patch; the very same list when nothing changes. */
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

/** The addresses a contact had before `email`, so that erasing the person finds what was sent to them. */
const formerEmails = (contact: Contact, email: string | null): ReadonlyArray<string> => {
  const all = contact.email === null ? contact.formerEmails : [...contact.formerEmails, contact.email]
  return [...new Set(all)].filter((former) => former !== email)
}

/**
 * A stored contact after all writes of a call. Consent that is back where it was, by the same evidence, did not move;
 * the very same object when the call comes to nothing.
 */
const settle = (before: Contact, after: Contact): Contact => {
  if (before === after) return before
  const { consentSource, consentUpdatedAt } = before
  const isBack = after.consentUpdatedAt !== consentUpdatedAt && hasSameConsent(before, after)
  const settled = isBack ? { ...after, consentSource, consentUpdatedAt } : after
  return decidedFields.every((field) => isEqual(before[field], settled[field])) ? before : settled
}

/** Whether two values are equal as JSON. */
const isEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  const [ofA, ofB] = [Object.entries(a), new Map(Object.entries(b))]
  return ofA.length === ofB.size && ofA.every(([key, value]) => ofB.has(key) && isEqual(value, ofB.get(key)))
}

const isSame = (a: Contact, b: Contact): boolean =>
  (Object.keys(a) as Array<keyof Contact>).every((key) => a[key] === b[key])
