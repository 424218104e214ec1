/**
 * The contacts of a batch of changes, which are applied in order. Finds the contact of each person whom the store reports, and
 * applies the report to it.
 *
 * A store manages the contacts that it added: their email, profile and consent follow the store. For a contact of the
 * customer's own systems, the store only fills unknown fields, and changes consent by the same rules. Two contacts are never
 * merged. A store cannot add an erased person again.
 *
 * @module
 */
import type { ContactChanges } from "../../ports/ContactStore.ts"
import type { SyncedRecord } from "../../ports/SyncStore.ts"
import { basisOf, type ConsentEntry, nextConsent, verdictConsent } from "../../model/Consent.ts"
import { type Contact, newContact } from "../../model/Contact.ts"
import type { Store } from "../../model/Store.ts"
import type { SuppressionKind } from "../../model/Suppression.ts"
import type { Person } from "../platforms/StoreChange.ts"
import { type Occasion, storeConsent } from "./StoreConsent.ts"

/** The stored state on which the contacts of a batch are decided. */
export interface CustomerState {
  readonly store: Store
  /** Every stored contact that a change can affect. */
  readonly contacts: ReadonlyArray<Contact>
  /** The stored records of the customers in the batch. */
  readonly customers: ReadonlyArray<SyncedRecord>
  /** The addresses in the batch that belonged to an erased person. */
  readonly erased: ReadonlySet<string>
  /** The suppressed addresses in the batch. */
  readonly suppressed: ReadonlyMap<string, SuppressionKind>
  /** Epoch milliseconds. */
  readonly now: number
  /** Returns a new id. */
  readonly newId: () => string
}

/** A consent that became Subscribed, for the timeline. */
export interface Subscription {
  readonly contactId: string
  readonly occasion: Occasion
  readonly at: number
}

/** The contacts of one batch. */
export class CustomerBatch {
  readonly #state: CustomerState
  readonly #stored = new Map<string, Contact>()
  readonly #current = new Map<string, Contact>()
  readonly #byEmail = new Map<string, string>()
  readonly #customers = new Map<string, SyncedRecord>()
  readonly #touched = new Set<string>()
  readonly #named = new Set<string>()
  readonly #consents: Array<ConsentEntry> = []
  /** In the order in which they occurred. */
  readonly subscriptions: Array<Subscription> = []

  constructor(state: CustomerState) {
    this.#state = state
    for (const contact of state.contacts) {
      if (contact.erasedAt !== null) continue
      this.#stored.set(contact.id, contact)
      this.#put(contact)
    }
    for (const record of state.customers) this.#customers.set(record.externalId, record)
  }

  get(id: string | null): Contact | undefined {
    return id === null ? undefined : this.#current.get(id)
  }

  /**
   * Finds the contact of a person and applies the report to it. If there is none, adds a contact if the person has an address.
   * Null for an erased person, and for a person with neither contact nor address. Only a customer record can be outdated;
   * orders and carts do not change the record's time.
   */
  resolveContact(person: Person, at: number, occasion: Occasion): Contact | null {
    const record = person.customerId === null ? undefined : this.#customers.get(person.customerId)
    const isStale = occasion === "Customer" && at < (record?.sourceUpdatedAt ?? 0)
    const found = this.#findContact(person, record, occasion === "Customer" && !isStale)
    if (found === null && (person.email === null || this.#state.erased.has(person.email))) return null
    const contact = found ?? this.#make(person, occasion)
    if (person.customerId !== null && !isStale) {
      const sourceUpdatedAt = occasion === "Customer" ? at : (record?.sourceUpdatedAt ?? 0)
      const kind = "Customer" as const
      this.#customers.set(person.customerId, {
        kind,
        externalId: person.customerId,
        contactId: contact.id,
        sourceUpdatedAt
      })
      this.#named.add(person.customerId)
    }
    if (isStale) return this.touch(contact)
    const filled = this.#fillUnknown(contact, person, occasion)
    return this.touch(this.#applyConsent(filled, person, occasion, at))
  }

  /** Marks a contact as written by this batch, so that a concurrent erasure conflicts with it. */
  touch(contact: Contact): Contact {
    const { now, store } = this.#state
    const isManaged = contact.storeId === store.id
    const touched: Contact = {
      ...contact,
      lastSyncedAt: now,
      storeConsentMode: isManaged ? store.consentMode : contact.storeConsentMode
    }
    this.#touched.add(contact.id)
    this.#put(touched)
    return touched
  }

  /** The changes to write. `totals` are order totals by contact id, for contacts whose totals changed. */
  changes(totals: ReadonlyMap<string, Partial<Contact>>): ContactChanges {
    const inserts: Array<Contact> = []
    const updates: Array<Contact> = []
    const released: Array<string> = []
    for (const id of this.#touched) {
      const contact = { ...this.#current.get(id)!, ...totals.get(id) }
      const before = this.#stored.get(id)
      if (before === undefined) inserts.push(contact)
      else {
        updates.push({ ...contact, version: before.version + 1 })
        const holder = before.email === null ? undefined : this.#byEmail.get(before.email)
        if (holder !== undefined && holder !== id) released.push(id)
      }
    }
    return {
      inserts,
      updates,
      released,
      updatedFields: "Any",
      consents: this.#consents,
      contactLimit: null
    }
  }

  /** The customer records that changed. */
  records(): ReadonlyArray<SyncedRecord> {
    return [...this.#named].map((id) => this.#customers.get(id)!)
  }

  #put(contact: Contact): void {
    const before = this.#current.get(contact.id)
    if (before?.email != null && before.email !== contact.email) this.#byEmail.delete(before.email)
    this.#current.set(contact.id, contact)
    if (contact.email !== null) this.#byEmail.set(contact.email, contact.id)
  }

  /**
   * Finds a contact by the store's customer id, or by address. If the address differs and `mayMove`, the contact that has the
   * address wins. If no contact has it, a managed contact moves to the new address, except to that of an erased person. Null
   * if the contact found by id is not managed and so cannot move.
   */
  #findContact(person: Person, record: SyncedRecord | undefined, mayMove: boolean): Contact | null {
    const byId = this.get(record?.contactId ?? null)
    const byEmail = person.email === null ? undefined : this.get(this.#byEmail.get(person.email) ?? null)
    if (byId === undefined) return byEmail ?? null
    if (person.email === null || byId.email === person.email || !mayMove) return byId
    if (byEmail !== undefined) return byEmail
    if (this.#state.erased.has(person.email)) return byId
    if (byId.storeId !== this.#state.store.id) return null
    const moved = this.#suppress({
      ...byId,
      email: person.email,
      formerEmails: [...new Set([...byId.formerEmails, ...(byId.email === null ? [] : [byId.email])])].filter(
        (former) => former !== person.email
      )
    })
    this.#put(moved)
    return moved
  }

  #make(person: Person, occasion: Occasion): Contact {
    const { newId, now, store } = this.#state
    return this.#suppress({
      ...newContact(newId(), person.email ?? "", now),
      storeId: store.id,
      storeConsentMode: store.consentMode,
      fromOrders: occasion === "PaidOrder" || occasion === "Order"
    })
  }

  /** Applies the suppression of an address that the contact has just acquired, as in the customer's own writes. */
  #suppress(contact: Contact): Contact {
    const { newId, now, suppressed } = this.#state
    const kind = contact.email === null ? undefined : suppressed.get(contact.email)
    if (kind === undefined || kind === "Protected") return contact
    const { source, trigger } = verdictConsent[kind]
    const to = nextConsent(contact.consentStatus, trigger)
    if (to === contact.consentStatus) return contact
    const from = this.#current.has(contact.id) ? contact.consentStatus : null
    this.#consents.push({
      id: newId(),
      contactId: contact.id,
      from,
      to,
      basis: null,
      proof: null,
      source,
      at: now
    })
    return { ...contact, consentStatus: to, consentSource: source, consentUpdatedAt: now }
  }

  /** A managed contact takes all values of a customer record. Otherwise, the report only fills unknown fields. */
  #fillUnknown(contact: Contact, { createdAt, profile, tags }: Person, occasion: Occasion): Contact {
    const follows = occasion === "Customer" && contact.storeId === this.#state.store.id
    const merged = <A>(before: A | null, reported: A | null): A | null =>
      follows ? (reported ?? before) : (before ?? reported)
    return {
      ...contact,
      firstName: merged(contact.firstName, profile.firstName),
      lastName: merged(contact.lastName, profile.lastName),
      phone: merged(contact.phone, profile.phone),
      city: merged(contact.city, profile.city),
      countryCode: merged(contact.countryCode, profile.countryCode),
      language: merged(contact.language, profile.language),
      tags: merged(contact.tags, tags),
      sourceCreatedAt: contact.sourceCreatedAt ?? createdAt
    }
  }

  #applyConsent(contact: Contact, { marketing }: Person, occasion: Occasion, at: number): Contact {
    const { newId, now, store } = this.#state
    const declared = marketing === null ? contact.marketingDeclared : marketing.state === "Subscribed"
    const trigger = storeConsent(store, contact, occasion, marketing, at)
    const from = contact.consentStatus
    const to = trigger === null ? from : nextConsent(from, trigger)
    if (trigger === null || to === from) return { ...contact, marketingDeclared: declared }
    const proof = "proof" in trigger ? trigger.proof : null
    this.#consents.push({
      id: newId(),
      contactId: contact.id,
      from: this.#stored.has(contact.id) || this.#current.has(contact.id) ? from : null,
      to,
      basis: basisOf(trigger),
      proof,
      source: "Store",
      at: now
    })
    if (to === "Subscribed") this.subscriptions.push({ contactId: contact.id, occasion, at: now })
    return {
      ...contact,
      marketingDeclared: declared,
      consentStatus: to,
      consentSource: "Store",
      consentUpdatedAt: now,
      consentProof: proof ?? contact.consentProof
    }
  }
}
