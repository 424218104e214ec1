/**
 * Stores contacts and consent history in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Contact } from "../../core/model/Contact.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { Database } from "./engine/Database.ts"
import { all, rowsBetween } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables

  return ContactStore.of({
    find: (accountId, keys) =>
      database.read(() => {
        const { contacts } = audienceOf(accountId)
        const found = new Set(contacts.getMany(keys.ids))
        const add = (contact: Contact | undefined) => contact !== undefined && found.add(contact)
        for (const externalId of keys.externalIds) add(contacts.by("contacts_external_id", externalId))
        for (const email of keys.emails) add(contacts.by("contacts_email", email))
        return [...found]
      }),
    // Transactions run one after the other.
    lock: () => Effect.void,
    holdInserts: () => Effect.void,
    count: (accountId) => database.read(() => audienceOf(accountId).count.value),
    countByDay: (accountId, days) =>
      database.read(() => {
        const rows = audienceOf(accountId).listed.rows(all)
        return days.map((day) => rowsBetween(rows, (contact) => contact.addedAt, day).length)
      }),
    write: (accountId, { consents: entries, contactLimit, inserts, released, updates }) =>
      database.writeOrConflict(() => {
        const { consents, contacts, count } = audienceOf(accountId)
        for (const id of released) {
          const contact = contacts.get(id)
          if (contact !== undefined) contacts.replace({ ...contact, email: null, externalId: null })
        }
        for (const contact of updates) {
          if (contacts.get(contact.id)?.version !== contact.version - 1) {
            throw new WriteConflict({ constraint: "contacts_version" })
          }
          contacts.replace(frozen(contact))
        }
        for (const contact of inserts) contacts.insert(frozen(contact))
        if (inserts.length > 0 && contactLimit !== null && count.value > contactLimit) {
          throw new WriteConflict({ constraint: "contacts_limit" })
        }
        for (const entry of entries) consents.insert(frozen(entry))
      }),
    touch: (accountId, touches) =>
      database.write(() => {
        const { contacts } = audienceOf(accountId)
        for (const [email, group] of Map.groupBy(touches, (touch) => touch.email)) {
          const contact = contacts.by("contacts_email", email)
          const later = group.filter(({ at, field }) => at > (contact?.[field] ?? -Infinity))
          if (contact === undefined || later.length === 0) continue
          const times = later.toSorted((a, b) => a.at - b.at).map(({ at, field }) => [field, at])
          contacts.replace({ ...contact, ...Object.fromEntries(times), version: contact.version + 1 })
        }
      }),
    untouch: (accountId, untouches) =>
      database.write(() => {
        const { contacts } = audienceOf(accountId)
        for (const { email, field, from, to } of untouches) {
          const contact = contacts.by("contacts_email", email)
          if (contact?.[field] !== from) continue
          contacts.replace({ ...contact, [field]: to, version: contact.version + 1 })
        }
      }),
    eraseConsents: (accountId, contactIds) =>
      database.write(() => {
        const { consents, history } = audienceOf(accountId)
        consents.removeMany(contactIds.flatMap((contactId) => history.rows(contactId)).map(({ id }) => id))
      }),
    ofStore: (accountId, storeId, limit) =>
      database.read(() =>
        audienceOf(accountId)
          .listed.rows(all)
          .filter((contact) => contact.storeId === storeId)
          .slice(0, limit)
          .map((contact) => contact.id)
      ),
    erasedHashes: (accountId, hashes) =>
      database.read(() => {
        const { erased, erasedAddresses } = audienceOf(accountId)
        const isErased = (hash: string) =>
          erased.members(hash).size > 0 || erasedAddresses.get(hash) !== undefined
        return [...new Set(hashes)].filter(isErased)
      }),
    rememberErased: (accountId, hashes) =>
      database.write(() => {
        const { erasedAddresses } = audienceOf(accountId)
        for (const hash of hashes) {
          if (erasedAddresses.get(hash) === undefined) erasedAddresses.insert({ hash })
        }
      }),
    consentHistory: (accountId, contactId, page) =>
      database.read(() => audienceOf(accountId).history.page(contactId, page, placeBy("at")))
  })
}).pipe(Layer.effect(ContactStore))
