/**
 * The contract of `core/ports/ContactStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { ConsentEntry } from "../../core/model/Consent.ts"
import type { Contact } from "../../core/model/Contact.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { Transaction, type WriteConflict } from "../../core/ports/Transaction.ts"
import type { Unavailable } from "../../core/shared/Problem.ts"
import {
  atOnce,
  byId,
  changed,
  changes,
  draftContact,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  keys,
  newEmail,
  newId,
  now,
  oddText,
  pause,
  readPages,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

/** A contact with every field set. */
const fullContact = (): Contact =>
  draftContact({
    storeId: newId(),
    externalId: oddText,
    email: "zoë+tag@xn--bcher-kva.example",
    firstName: oddText,
    lastName: "",
    phone: "+49 30 12345",
    city: "Москва",
    countryCode: "DE",
    language: "de-AT",
    consentStatus: "Subscribed",
    consentSource: "DoubleOptIn",
    consentUpdatedAt: now - 1,
    consentProof: {
      text: oddText,
      textVersion: "v2",
      locale: "de",
      ipAddress: "2001:db8::1",
      givenAt: now - 2
    },
    storeConsentMode: "OwnConsent",
    marketingDeclared: true,
    isPayingCustomer: true,
    orderCount: 2_147_483_647,
    totalSpent: "12345678901234567890.123456789",
    fromOrders: true,
    tags: ["a", oddText],
    attributes: {
      text: oddText,
      number: -0.1,
      whole: 12,
      yes: true,
      no: false,
      list: ["x", ""],
      [oddText]: "key"
    },
    topics: { [newId()]: true, [newId()]: false },
    addedAt: now - 3,
    sourceCreatedAt: -86_400_000,
    lastSyncedAt: now - 4,
    lastOrderAt: now - 5,
    lastOpenAt: now - 6,
    lastClickAt: now - 7,
    lastEmailedAt: now - 8,
    lastConversionAt: now - 9
  })

/** An erased contact. */
const erased = (contact: Contact): Contact => ({
  ...draftContact({ id: contact.id, email: null, addedAt: contact.addedAt }),
  erasedAt: now + 1,
  addressHash: "hash",
  version: contact.version + 1
})

/** An entry of a contact's consent history. */
export const draftConsent = (contactId: string, values: Partial<ConsentEntry> = {}): ConsentEntry => ({
  id: newId(),
  contactId,
  from: null,
  to: "Subscribed",
  basis: "Subscribed",
  proof: { text: "Yes, send me news.", textVersion: null, locale: null, ipAddress: null, givenAt: null },
  source: "Api",
  at: now,
  ...values
})

const reading = (it: StorageTest): void => {
  it.effect("returns contacts as they were added, then as they were changed", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const full = fullContact()
      const plain = draftContact({ tags: [], totalSpent: "129.90" })
      yield* store.write(accountId, changes({ inserts: [full, plain] }))
      const both = keys({ ids: [full.id, plain.id] })
      expect(byId(yield* store.find(accountId, both))).toEqual(byId([full, plain]))
      const updates = [
        changed(full, { ...plain, id: full.id, email: newEmail(), version: 1 }),
        changed(plain, { ...full, id: plain.id, email: newEmail(), version: 1 })
      ].map((contact) => ({ ...contact, version: 2 }))
      yield* store.write(accountId, changes({ updates }))
      expect(byId(yield* store.find(accountId, both))).toEqual(byId(updates))
    })
  )

  it.effect("swaps values among the contacts of one write", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const people = times(6, (index) => draftContact({ externalId: unique(`user${index}`) }))
      yield* store.write(accountId, changes({ inserts: people }))
      // Each contact gets the values of the next one, and a new contact those of the first.
      const updates = people.map((contact, index) => {
        const next = people[index + 1]
        return {
          ...contact,
          email: next?.email ?? newEmail(),
          externalId: next?.externalId ?? null,
          version: 2
        }
      })
      const newcomer = draftContact({ email: people[0]!.email, externalId: people[0]!.externalId })
      const released = people.map((contact) => contact.id)
      yield* store.write(accountId, changes({ updates, inserts: [newcomer], released }))
      const found = yield* store.find(accountId, {
        ids: [...released, newcomer.id],
        externalIds: [],
        emails: []
      })
      expect(byId(found)).toEqual(byId([...updates, newcomer]))
    })
  )

  it.effect.each(["email", "externalId"] as const)(
    "keeps the other identity of a contact that releases its %s",
    (field) =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const giver = draftContact({ externalId: unique("giver") })
        yield* store.write(accountId, changes({ inserts: [giver] }))
        const update = changed(
          giver,
          field === "email" ? { email: newEmail() } : { externalId: unique("new") }
        )
        const taker = draftContact({ [field]: giver[field] })
        yield* store.write(
          accountId,
          changes({ updates: [update], inserts: [taker], released: [giver.id], updatedFields: [field] })
        )
        const found = yield* store.find(accountId, keys({ ids: [giver.id, taker.id] }))
        expect(byId(found)).toEqual(byId([update, taker]))
      })
  )

  it.effect("releases no identity when the write is rejected", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const [one, two] = [draftContact(), draftContact()]
      yield* store.write(accountId, changes({ inserts: [one, two] }))
      const swapped = [
        { ...one, email: two.email, version: 2 },
        { ...two, email: one.email, version: 3 }
      ]
      const write = store.write(accountId, changes({ updates: swapped, released: [one.id, two.id] }))
      yield* expectFailure(write, "WriteConflict")
      const found = yield* store.find(accountId, { ids: [one.id, two.id], externalIds: [], emails: [] })
      expect(found.map((contact) => contact.email).toSorted()).toEqual([one.email, two.email].toSorted())
    })
  )

  it.effect("stores the earlier addresses of erased contacts", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
      yield* store.rememberErased(accountId, ["one", "two"])
      yield* store.rememberErased(accountId, ["two", "three"])
      expect([...(yield* store.erasedHashes(accountId, ["three", "two", "four"]))].toSorted()).toEqual([
        "three",
        "two"
      ])
      expect(yield* store.erasedHashes(other, ["one"])).toEqual([])
    })
  )

  it.effect("leaves all other fields as they are in an update of what a write can set", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact({ orderCount: 7, totalSpent: "12.50", tags: ["vip"], lastOrderAt: now })
      yield* store.write(accountId, changes({ inserts: [contact] }))
      const updated = { ...contact, firstName: "Zoë", attributes: { plan: "pro" }, version: 2 }
      yield* store.write(
        accountId,
        changes({ updates: [updated], updatedFields: ["firstName", "attributes"] })
      )
      const [found] = yield* store.find(accountId, { ids: [contact.id], externalIds: [], emails: [] })
      expect(found).toEqual(updated)
    })
  )

  it.effect("stores each contact's own values, absent and shared ones included", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const proof = { text: oddText, textVersion: null, locale: "de", ipAddress: null, givenAt: now }
      const contacts = times(6, (index) =>
        draftContact({
          externalId: index % 2 === 0 ? unique("user") : null,
          firstName: index % 3 === 0 ? null : `${oddText} ${index}`,
          lastName: "NULL",
          city: index < 3 ? "" : "{}",
          formerEmails: index === 1 ? [`former${index}@example.com`] : [],
          consentStatus: index > 3 ? "Subscribed" : "Unknown",
          consentUpdatedAt: index > 3 ? now + index : null,
          consentProof: index > 3 ? { ...proof, ipAddress: `10.0.0.${index}` } : null,
          attributes: index === 2 ? { plan: 'a "b" \\ c', list: ["x", "{y}"] } : {}
        })
      )
      yield* store.write(accountId, changes({ inserts: contacts }))
      const ids = contacts.map((contact) => contact.id)
      expect(byId(yield* store.find(accountId, keys({ ids })))).toEqual(byId(contacts))

      const updated = contacts.map((contact, index) =>
        changed(contact, {
          firstName: index % 2 === 0 ? null : "Ada",
          attributes: index === 2 ? {} : { plan: `pro ${index}` },
          consentProof: null
        })
      )
      const updatedFields = ["firstName", "attributes", "consentProof"] as const
      yield* store.write(accountId, changes({ updates: updated, updatedFields }))
      expect(byId(yield* store.find(accountId, keys({ ids })))).toEqual(byId(updated))
    })
  )

  it.effect("finds contacts by any identity, each once", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contacts = times(4, () => draftContact({ externalId: unique("user") }))
      const [first, second, third] = contacts as [Contact, Contact, Contact]
      yield* store.write(accountId, changes({ inserts: contacts }))
      const found = yield* store.find(accountId, {
        ids: [first.id, newId(), first.id],
        externalIds: [first.externalId!, second.externalId!, "unknown", second.externalId!],
        emails: [first.email!, second.email!, third.email!, "unknown@example.com"]
      })
      expect(byId(found)).toEqual(byId([first, second, third]))
      expect(yield* store.find(accountId, keys({}))).toEqual([])
      expect(yield* store.find(accountId, keys({ externalIds: ["unknown"] }))).toEqual([])
    })
  )

  it.effect("distinguishes external ids by case, composition and spaces", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const externalIds = [
        "user",
        "User",
        "user ",
        "é",
        "e\u0301",
        "0",
        "00",
        "ext:user",
        "%",
        "_",
        "\\",
        "'"
      ]
      const contacts = externalIds.map((externalId) => draftContact({ externalId }))
      yield* store.write(accountId, changes({ inserts: contacts }))
      for (const contact of contacts) {
        expect(yield* store.find(accountId, keys({ externalIds: [contact.externalId!] }))).toEqual([contact])
      }
    })
  )

  it.effect("returns only contacts of the account", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const contact = draftContact({ externalId: "same" })
      const twin = draftContact({ externalId: "same", email: contact.email })
      yield* store.write(accountId, changes({ inserts: [contact], consents: [draftConsent(contact.id)] }))
      yield* store.write(other, changes({ inserts: [twin] }))
      const any = { ids: [contact.id, twin.id], externalIds: ["same"], emails: [contact.email!] }
      expect(yield* store.find(accountId, any)).toEqual([contact])
      expect(yield* store.find(other, any)).toEqual([twin])
      expect((yield* store.consentHistory(other, contact.id, firstPage)).totalCount).toBe(0)
    })
  )

  it.effect("finds erased contacts by id only, does not count them, and frees their identities", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact({ externalId: "user" })
      yield* store.write(accountId, changes({ inserts: [contact] }))
      const gone = erased(contact)
      yield* store.write(accountId, changes({ updates: [gone] }))
      const identities = keys({ externalIds: ["user"], emails: [contact.email!] })
      expect(yield* store.find(accountId, identities)).toEqual([])
      expect(yield* store.find(accountId, keys({ ids: [contact.id] }))).toEqual([gone])
      expect(yield* store.count(accountId)).toBe(0)
      const next = draftContact({ externalId: "user", email: contact.email })
      yield* store.write(accountId, changes({ inserts: [next] }))
      expect(yield* store.find(accountId, identities)).toEqual([next])
      expect(yield* store.count(accountId)).toBe(1)
    })
  )

  it.effect("lists a consent history newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      const other = draftContact()
      const proof = { text: oddText, textVersion: "1", locale: "fr", ipAddress: "192.0.2.1", givenAt: now }
      const entries = [
        draftConsent(contact.id, {
          at: now + 4,
          from: "Subscribed",
          to: "Complained",
          basis: null,
          proof: null
        }),
        draftConsent(contact.id, { at: now + 3, from: "Unknown", to: "Subscribed", source: "Import", proof }),
        draftConsent(contact.id, { at: now + 2, basis: "Customer", to: "SoftOptIn" }),
        draftConsent(contact.id, { at: now + 1 }),
        draftConsent(contact.id)
      ]
      yield* store.write(
        accountId,
        changes({ inserts: [contact, other], consents: [...entries.slice(3), draftConsent(other.id)] })
      )
      yield* store.write(accountId, changes({ consents: entries.slice(0, 3).toReversed() }))
      const history = yield* readPages((page) => store.consentHistory(accountId, contact.id, page), 2)
      expect(history).toEqual(entries)
      expect((yield* store.consentHistory(accountId, newId(), firstPage)).totalCount).toBe(0)
    })
  )

  it.effect("pages consents with equal times without gap or repetition", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      const consents = times(7, () => draftConsent(contact.id))
      yield* store.write(accountId, changes({ inserts: [contact], consents }))
      const history = yield* readPages((page) => store.consentHistory(accountId, contact.id, page), 3)
      expect(byId(history)).toEqual(byId(consents))
    })
  )
}

const writing = (it: StorageTest): void => {
  it.effect("writes 1,000 new contacts, and 1,000 changed ones with their history", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const inserts = times(1000, (index) => draftContact({ externalId: `user-${index}` }))
      yield* store.write(accountId, changes({ inserts }))
      expect(yield* store.count(accountId)).toBe(1000)
      const updates = inserts.map((contact, index) => changed(contact, { firstName: `Name ${index}` }))
      const consents = inserts.map((contact) => draftConsent(contact.id))
      yield* store.write(accountId, changes({ updates, consents }))
      expect(yield* store.count(accountId)).toBe(1000)
      const found = yield* store.find(accountId, {
        ids: inserts.map(({ id }) => id),
        externalIds: inserts.map(({ externalId }) => externalId!),
        emails: inserts.map(({ email }) => email!)
      })
      expect(byId(found)).toEqual(byId(updates))
      expect((yield* store.consentHistory(accountId, inserts[999]!.id, firstPage)).items).toEqual([
        consents[999]
      ])
    })
  )

  it.effect("changes nothing in an empty batch", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      yield* store.write(accountId, changes({}))
      yield* store.write(accountId, changes({ contactLimit: 0 }))
      expect(yield* store.count(accountId)).toBe(0)
    })
  )

  it.effect("adds and changes in one batch", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      yield* store.write(accountId, changes({ inserts: [contact] }))
      const update = changed(contact, { city: "Oslo" })
      const added = draftContact()
      yield* store.write(accountId, changes({ inserts: [added], updates: [update] }))
      const found = yield* store.find(accountId, keys({ ids: [contact.id, added.id] }))
      expect(byId(found)).toEqual(byId([update, added]))
    })
  )

  it.effect("copies what it is given", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const tags = ["a"]
      const contact = draftContact({ tags })
      yield* store.write(accountId, changes({ inserts: [contact] }))
      tags.push("b")
      const [stored] = yield* store.find(accountId, keys({ ids: [contact.id] }))
      expect(stored!.tags).toEqual(["a"])
    })
  )

  for (const identity of ["email", "externalId"] as const) {
    it.effect(`rejects a new contact whose ${identity} is taken, and writes nothing of its batch`, () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const contact = draftContact({ externalId: "user" })
        yield* store.write(accountId, changes({ inserts: [contact] }))
        const inserts = times(1000, (index) =>
          draftContact(index === 700 ? { [identity]: contact[identity] } : {})
        )
        const conflict = store.write(
          accountId,
          changes({
            inserts,
            updates: [changed(contact, { city: "Oslo" })],
            consents: [draftConsent(contact.id)]
          })
        )
        yield* expectFailure(conflict, "WriteConflict")
        expect(yield* store.count(accountId)).toBe(1)
        const ids = [contact.id, ...inserts.map(({ id }) => id)]
        expect(yield* store.find(accountId, keys({ ids }))).toEqual([contact])
        expect((yield* store.consentHistory(accountId, contact.id, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect(`rejects a change to another contact's ${identity}`, () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const contact = draftContact({ externalId: "user" })
        const other = draftContact({ externalId: "other" })
        yield* store.write(accountId, changes({ inserts: [contact, other] }))
        const update = changed(other, { [identity]: contact[identity] })
        yield* expectFailure(store.write(accountId, changes({ updates: [update] })), "WriteConflict")
        expect(yield* store.find(accountId, keys({ ids: [other.id] }))).toEqual([other])
      })
    )

    it.effect(`rejects two contacts with the same ${identity} in a batch`, () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const contact = draftContact({ externalId: "user" })
        const twin = draftContact({ [identity]: contact[identity] })
        yield* expectFailure(store.write(accountId, changes({ inserts: [contact, twin] })), "WriteConflict")
        expect(yield* store.count(accountId)).toBe(0)
      })
    )

    it.effect(`accepts one of concurrent contacts with the same ${identity}`, () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const first = draftContact({ externalId: "user" })
        const contacts = times(20, () => draftContact({ [identity]: first[identity] }))
        const exits = yield* atOnce(
          contacts.map((contact) =>
            Effect.as(store.write(accountId, changes({ inserts: [contact] })), contact)
          )
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        const found = yield* store.find(accountId, keys({ ids: contacts.map(({ id }) => id) }))
        expect(found).toEqual(successes(exits))
        expect(yield* store.count(accountId)).toBe(1)
      })
    )
  }

  it.effect("releases an identity and assigns it in later batches", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact({ externalId: "user" })
      yield* store.write(accountId, changes({ inserts: [contact] }))
      yield* store.write(
        accountId,
        changes({ updates: [changed(contact, { email: newEmail(), externalId: null })] })
      )
      const next = draftContact({ email: contact.email, externalId: "user" })
      yield* store.write(accountId, changes({ inserts: [next] }))
      const found = yield* store.find(accountId, keys({ emails: [contact.email!], externalIds: ["user"] }))
      expect(found).toEqual([next])
    })
  )

  it.effect("writes or rejects as a whole a batch that moves an identity", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contacts = [draftContact(), draftContact()] as const
      yield* store.write(accountId, changes({ inserts: contacts }))
      const updates = [
        changed(contacts[0], { email: contacts[1].email }),
        changed(contacts[1], { email: contacts[0].email })
      ]
      const exits = yield* atOnce([store.write(accountId, changes({ updates }))])
      expectOnlyFailures(exits, "WriteConflict")
      const found = yield* store.find(accountId, keys({ ids: contacts.map(({ id }) => id) }))
      expect(byId(found)).toEqual(byId(successes(exits).length === 1 ? updates : contacts))
    })
  )
}

const racing = (it: StorageTest): void => {
  it.effect("rejects a change decided on an older version, and writes nothing of its batch", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contacts = times(3, () => draftContact())
      yield* store.write(accountId, changes({ inserts: contacts }))
      const newer = changed(contacts[1]!, { city: "Oslo" })
      yield* store.write(accountId, changes({ updates: [newer] }))
      const stale = contacts.map((contact) => changed(contact, { city: "Bergen" }))
      yield* expectFailure(
        store.write(accountId, changes({ inserts: [draftContact()], updates: stale })),
        "WriteConflict"
      )
      const found = yield* store.find(accountId, keys({ ids: contacts.map(({ id }) => id) }))
      expect(byId(found)).toEqual(byId([contacts[0]!, newer, contacts[2]!]))
      expect(yield* store.count(accountId)).toBe(3)
    })
  )

  it.effect("rejects a change of a contact that the account does not have", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      yield* store.write(yield* freshAccountId, changes({ inserts: [contact] }))
      yield* expectFailure(
        store.write(accountId, changes({ updates: [changed(contact, { city: "Oslo" })] })),
        "WriteConflict"
      )
    })
  )

  it.effect("accepts one of concurrent changes decided on the same version", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      yield* store.write(accountId, changes({ inserts: [contact] }))
      const updates = times(20, (index) => changed(contact, { city: `City ${index}` }))
      const exits = yield* atOnce(
        updates.map((update) => Effect.as(store.write(accountId, changes({ updates: [update] })), update))
      )
      expectOnlyFailures(exits, "WriteConflict")
      expect(successes(exits)).toHaveLength(1)
      expect(yield* store.find(accountId, keys({ ids: [contact.id] }))).toEqual(successes(exits))
    })
  )

  it.effect("writes or rejects as a whole each of the batches that overlap in different orders", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contacts = times(100, () => draftContact())
      yield* store.write(accountId, changes({ inserts: contacts }))
      const exits = yield* atOnce(
        times(8, (writer) => {
          const updates = contacts.map((contact) => changed(contact, { city: `City ${writer}` }))
          const ordered = writer % 2 === 0 ? updates : updates.toReversed()
          return Effect.as(store.write(accountId, changes({ updates: ordered })), `City ${writer}`)
        })
      )
      expectOnlyFailures(exits, "WriteConflict")
      expect(successes(exits).length).toBeLessThanOrEqual(1)
      const found = yield* store.find(accountId, keys({ ids: contacts.map(({ id }) => id) }))
      expect(new Set(found.map(({ city }) => city))).toEqual(new Set([successes(exits)[0] ?? null]))
    })
  )

  it.effect("never writes half of batches of new contacts that overlap in different orders", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const emails = times(50, () => newEmail())
      const exits = yield* atOnce(
        times(8, (writer) => {
          const inserts = (writer % 2 === 0 ? emails : emails.toReversed()).map((email) =>
            draftContact({ email })
          )
          return store.write(accountId, changes({ inserts }))
        })
      )
      expectOnlyFailures(exits, "WriteConflict")
      expect(successes(exits).length).toBeLessThanOrEqual(1)
      expect(yield* store.count(accountId)).toBe(successes(exits).length * 50)
    })
  )

  /**
   * Calls `write` for a contact while a transaction that adds a contact with the same address is open, and then ends that
   * transaction with `end`.
   */
  const whileAnotherWrites = <E, E2>(
    end: Effect.Effect<void, E>,
    write: (add: Effect.Effect<void, WriteConflict | Unavailable>) => Effect.Effect<unknown, E2>
  ) =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const contact = draftContact()
      const twin = draftContact({ email: contact.email })
      const started = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        run(
          Effect.gen(function* () {
            yield* store.write(accountId, changes({ inserts: [contact] }))
            yield* Deferred.succeed(started, undefined)
            yield* pause(30)
            yield* end
          })
        )
      )
      yield* Deferred.await(started)
      yield* write(store.write(accountId, changes({ inserts: [twin] })))
      yield* Effect.exit(Fiber.join(writer))
      expect(yield* store.count(accountId)).toBe(1)
      const [found] = yield* store.find(accountId, keys({ emails: [contact.email!] }))
      return { contact, found, twin }
    })

  it.effect("rejects a waiting writer when the other transaction commits", () =>
    Effect.gen(function* () {
      const { contact, found } = yield* whileAnotherWrites(Effect.void, (add) =>
        expectFailure(add, "WriteConflict")
      )
      expect(found).toEqual(contact)
    })
  )

  it.effect("lets a waiting writer succeed when the other transaction rolls back", () =>
    Effect.gen(function* () {
      const { found, twin } = yield* whileAnotherWrites(Effect.fail("rejected" as const), (add) => add)
      expect(found).toEqual(twin)
    })
  )
}

const limiting = (it: StorageTest): void => {
  it.effect("accepts contacts up to the limit, and none of a batch that exceeds it", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const add = (count: number, contactLimit: number | null) =>
        store.write(accountId, changes({ inserts: times(count, () => draftContact()), contactLimit }))
      yield* add(3, 3)
      yield* expectFailure(add(1, 3), "WriteConflict")
      yield* expectFailure(add(3, 5), "WriteConflict")
      expect(yield* store.count(accountId)).toBe(3)
      yield* add(2, 5)
      yield* add(2, null)
      expect(yield* store.count(accountId)).toBe(7)
      yield* expectFailure(add(1, 0), "WriteConflict")
    })
  )

  it.effect("allows changes of contacts when the limit is reached or was lowered", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contacts = times(3, () => draftContact())
      yield* store.write(accountId, changes({ inserts: contacts, contactLimit: 3 }))
      const updates = contacts.map((contact) => changed(contact, { city: "Oslo" }))
      yield* store.write(accountId, changes({ updates, contactLimit: 1 }))
      expect(byId(yield* store.find(accountId, keys({ ids: contacts.map(({ id }) => id) })))).toEqual(
        byId(updates)
      )
    })
  )

  it.effect("does not count erased contacts against the limit", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      yield* store.write(accountId, changes({ inserts: [contact, draftContact()], contactLimit: 2 }))
      yield* store.write(accountId, changes({ updates: [erased(contact)], contactLimit: 2 }))
      yield* store.write(accountId, changes({ inserts: [draftContact()], contactLimit: 2 }))
      yield* expectFailure(
        store.write(accountId, changes({ inserts: [draftContact()], contactLimit: 2 })),
        "WriteConflict"
      )
    })
  )

  it.effect("counts the erasures of a batch that also adds contacts", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      yield* store.write(accountId, changes({ inserts: [contact, draftContact()], contactLimit: 2 }))
      yield* store.write(
        accountId,
        changes({ inserts: [draftContact()], updates: [erased(contact)], contactLimit: 2 })
      )
      expect(yield* store.count(accountId)).toBe(2)
    })
  )

  it.effect("keeps the limit when contacts are added concurrently", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const accountId = yield* freshAccountId
      const add = Effect.suspend(() =>
        store.write(accountId, changes({ inserts: [draftContact()], contactLimit: 5 }))
      )
      const exits = yield* atOnce(times(20, () => add))
      expectOnlyFailures(exits, "WriteConflict")
      const count = yield* store.count(accountId)
      expect(count).toBe(successes(exits).length)
      expect(count).toBeLessThanOrEqual(5)
      yield* Effect.all(times(5 - count, () => add))
      yield* expectFailure(add, "WriteConflict")
      expect(yield* store.count(accountId)).toBe(5)
    })
  )

  it.effect("restores the count when a transaction rolls back", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const contact = draftContact()
      yield* store.write(accountId, changes({ inserts: [contact] }))
      yield* Effect.exit(
        run(
          Effect.gen(function* () {
            yield* store.write(accountId, changes({ inserts: times(4, () => draftContact()) }))
            yield* store.write(accountId, changes({ updates: [erased(contact)] }))
            expect(yield* store.count(accountId)).toBe(4)
            return yield* Effect.fail("rejected" as const)
          })
        )
      )
      expect(yield* store.count(accountId)).toBe(1)
    })
  )
}

/** Tests of the port `ContactStore`. */
export const contactStoreContract = (it: StorageTest): void => {
  describe("ContactStore", () => {
    reading(it)
    writing(it)
    racing(it)
    limiting(it)
  })
}
