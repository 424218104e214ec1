/**
 * The contacts of a batch of changes while they are applied one after the other: who a store's person is, and what the
 * store's word changes about the contact.
 *
 * A contact that a store made is managed by it: email, profile and consent follow the store. One that was the customer's
 * own before stays so: the store fills what is unknown of it, and its consent moves by the same rules. Two contacts are
 * never merged. Who was erased is not brought back by what a store tells.
 *
 * @module
 */
import type { ContactChanges } from "../../ports/ContactStore.ts"
import type { SyncedRecord } from "../../ports/SyncStore.ts"
import { basisOf, type ConsentEntry, nextConsent } from "../../model/Consent.ts"
import { type Contact, newContact } from "../../model/Contact.ts"
import type { Store } from "../../model/Store.ts"
import type { Person } from "../platforms/StoreChange.ts"
import { type Occasion, storeConsent } from "./StoreConsent.ts"

/** What the contacts of a batch are decided on. */
export interface CustomerState {
  readonly store: Store
  /** Every stored contact a change can be about. */
  readonly contacts: ReadonlyArray<Contact>
  /** What is known of the customers named. */
  readonly customers: ReadonlyArray<SyncedRecord>
  /** Those of the addresses named that an erased person had. */
  readonly erased: ReadonlySet<string>
  /** Epoch milliseconds. */
  readonly now: number
  /** Takes a new id. */
  readonly newId: () => string
}

/** A consent that became Subscribed, for the timeline. */
export interface Subscription {
  readonly contactId: string
  readonly occasion: Occasion
  readonly at: number
}

export class CustomerBatch {
  readonly #state: CustomerState
  readonly #stored = new Map<string, Contact>()
  readonly #current = new Map<string, Contact>()
  readonly #byEmail = new Map<string, string>()
  readonly #customers = new Map<string, SyncedRecord>()
  readonly #touched = new Set<string>()
  readonly #named = new Set<string>()
  readonly #consents: Array<ConsentEntry> = []
  /** In the order they happened. */
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
   * The contact a person is, made where there is none and an address is told; null for one who was erased, or who cannot
   * be known. The store's own record of a customer counts as newer than what orders and carts say in passing.
   */
  meet(person: Person, at: number, occasion: Occasion): Contact | null {
    const record = person.customerId === null ? undefined : this.#customers.get(person.customerId)
    const found = this.#find(person, record, occasion === "Customer" && at >= (record?.sourceUpdatedAt ?? 0))
    if (found === null && (person.email === null || this.#state.erased.has(person.email))) return null
    const isStale = occasion === "Customer" && at < (record?.sourceUpdatedAt ?? 0)
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
    const known = isStale ? contact : this.#learn(contact, person, occasion)
    const consented = isStale ? known : this.#consent(known, person, occasion, at)
    return this.touch(consented)
  }

  /** Marks a contact as written with this batch, so that whoever erases it meanwhile waits or is waited for. */
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

  /** Whom an erasure is about: found as `meet` finds, nobody made. */
  whom(person: Person): Contact | null {
    const record = person.customerId === null ? undefined : this.#customers.get(person.customerId)
    return this.#find(person, record, false)
  }

  /** What is written, with totals by contact id where they were counted again. */
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

  /** What is known of customers now, of those that changed. */
  records(): ReadonlyArray<SyncedRecord> {
    return [...this.#named].map((id) => this.#customers.get(id)!)
  }

  #put(contact: Contact): void {
    const before = this.#current.get(contact.id)
    if (before?.email != null && before.email !== contact.email) this.#byEmail.delete(before.email)
    this.#current.set(contact.id, contact)
    if (contact.email !== null) this.#byEmail.set(contact.email, contact.id)
  }

  /** By the store's id unless the address says somebody else; a managed contact takes a new address nobody has. */
  #find(person: Person, record: SyncedRecord | undefined, mayMove: boolean): Contact | null {
    const byId = this.get(record?.contactId ?? null)
    const byEmail = person.email === null ? undefined : this.get(this.#byEmail.get(person.email) ?? null)
    if (byId === undefined) return byEmail ?? null
    if (person.email === null || byId.email === person.email || !mayMove) return byId
    if (byEmail !== undefined) return byEmail
    if (byId.storeId !== this.#state.store.id) return null
    const moved: Contact = {
      ...byId,
      email: person.email,
      formerEmails: [...new Set([...byId.formerEmails, ...(byId.email === null ? [] : [byId.email])])].filter(
        (former) => former !== person.email
      )
    }
    this.#put(moved)
    return moved
  }

  #make(person: Person, occasion: Occasion): Contact {
    const { newId, now, store } = this.#state
    return {
      ...newContact(newId(), person.email ?? "", now),
      storeId: store.id,
      storeConsentMode: store.consentMode,
      fromOrders: occasion === "PaidOrder" || occasion === "Order"
    }
  }

  /** A managed contact follows the customer's record; otherwise only what is unknown is filled. */
  #learn(contact: Contact, { createdAt, profile, tags }: Person, occasion: Occasion): Contact {
    const follows = occasion === "Customer" && contact.storeId === this.#state.store.id
    const known = <A>(before: A | null, told: A | null): A | null =>
      follows ? (told ?? before) : (before ?? told)
    return {
      ...contact,
      firstName: known(contact.firstName, profile.firstName),
      lastName: known(contact.lastName, profile.lastName),
      phone: known(contact.phone, profile.phone),
      city: known(contact.city, profile.city),
      countryCode: known(contact.countryCode, profile.countryCode),
      language: known(contact.language, profile.language),
      tags: known(contact.tags, tags),
      sourceCreatedAt: contact.sourceCreatedAt ?? createdAt
    }
  }

  #consent(contact: Contact, { marketing }: Person, occasion: Occasion, at: number): Contact {
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
