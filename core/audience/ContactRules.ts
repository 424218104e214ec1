/**
 * What a batch of contact writes does, decided purely: `(state, commands, now) -> (results, changes)`.
 *
 * Source: public-api "POST /contacts rules", decisions 3. Writes apply in order, each seeing the ones before it, and
 * each is refused by itself.
 *
 * @module
 */
import { Result } from "effect"
import type { ContactChanges } from "../ports/ContactStore.ts"
import { Problem } from "../shared/Problem.ts"
import { basisOf, type ConsentEntry, type ConsentProof, type ConsentSource, nextConsent } from "./Consent.ts"
import { type Contact, newContact } from "./Contact.ts"
import type { ContactCommand } from "./ContactWrite.ts"

/** What a batch of writes is decided on. */
export interface ContactState {
  /** Every stored contact that has an identity named in the batch. */
  readonly contacts: ReadonlyArray<Contact>
  /** How many contacts the account has; needed only with a limit. */
  readonly contactCount: number
  readonly contactLimit: number | null
  /** Two new ids for each command, in growing order. */
  readonly ids: ReadonlyArray<string>
  readonly source: ConsentSource
  /** Epoch milliseconds. */
  readonly now: number
}

/** What became of a write. */
export interface ContactWritten {
  readonly contact: Contact
  readonly created: boolean
}

export interface ContactDecision {
  /** In the order of the commands. */
  readonly results: ReadonlyArray<Result.Result<ContactWritten, Problem>>
  readonly changes: ContactChanges
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
  return { results, changes: draft.changes() }
}

/** The contacts of a batch while its writes are applied one after the other. */
class Draft {
  readonly state: ContactState
  readonly stored = new Map<string, Contact>()
  readonly current = new Map<string, Contact>()
  readonly byExternalId = new Map<string, string>()
  readonly byEmail = new Map<string, string>()
  readonly consents: Array<ConsentEntry> = []
  created = 0

  constructor(state: ContactState) {
    this.state = state
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
    const contact = this.change(found, command, index, found.consentStatus)
    if (contact !== found) this.put(contact)
    return Result.succeed({ contact, created: false })
  }

  create(command: ContactCommand, index: number): Result.Result<ContactWritten, Problem> {
    const { contactCount, contactLimit, ids, now } = this.state
    if (command.email === null) return Result.fail(Problem.of("audience.contact_email_required", "email"))
    if (contactLimit !== null && contactCount + this.created >= contactLimit) {
      return Result.fail(Problem.of("audience.contact_limit_reached", null, { max: contactLimit }))
    }
    const contact = this.change(newContact(ids[2 * index]!, command.email, now), command, index, null)
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

  /** The contact with the command's fields; the very same object when nothing changes. */
  change(
    contact: Contact,
    command: ContactCommand,
    index: number,
    from: Contact["consentStatus"] | null
  ): Contact {
    const patched: Contact = {
      ...contact,
      ...command.profile,
      externalId: command.externalId ?? contact.externalId,
      email: command.email ?? contact.email
    }
    const consented = this.consent(patched, command, index, from)
    return isSame(contact, consented) ? contact : consented
  }

  consent(
    contact: Contact,
    command: ContactCommand,
    index: number,
    from: Contact["consentStatus"] | null
  ): Contact {
    const trigger = command.consent
    if (trigger === null) return contact
    const to = nextConsent(contact.consentStatus, trigger)
    const newProof =
      trigger._tag === "Subscribed" &&
      to === "Subscribed" &&
      !isSameProof(contact.consentProof, trigger.proof)
    if (from !== null && to === contact.consentStatus && !newProof) return contact
    const { ids, now, source } = this.state
    this.consents.push({
      id: ids[2 * index + 1]!,
      contactId: contact.id,
      from,
      to,
      basis: basisOf(trigger),
      proof: command.proof,
      source,
      at: now
    })
    return {
      ...contact,
      consentStatus: to,
      consentSource: source,
      consentUpdatedAt: now,
      consentProof: command.proof ?? contact.consentProof
    }
  }

  changes(): ContactChanges {
    const inserts: Array<Contact> = []
    const updates: Array<Contact> = []
    for (const contact of this.current.values()) {
      const before = this.stored.get(contact.id)
      if (before === undefined) inserts.push(contact)
      else if (before !== contact) updates.push({ ...contact, version: before.version + 1 })
    }
    return { inserts, updates, consents: this.consents, contactLimit: this.state.contactLimit }
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

const isSame = (a: Contact, b: Contact): boolean =>
  (Object.keys(a) as Array<keyof Contact>).every((key) => a[key] === b[key])

/** Whether two proofs say the same, so that a repeated call leaves what the first call left. */
const isSameProof = (a: ConsentProof | null, b: ConsentProof): boolean =>
  a !== null &&
  a.text === b.text &&
  a.textVersion === b.textVersion &&
  a.locale === b.locale &&
  a.ipAddress === b.ipAddress &&
  a.givenAt === b.givenAt
