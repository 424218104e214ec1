/**
 * Contacts and consent history in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { ConsentEntry } from "../../core/audience/Consent.ts"
import type { Contact } from "../../core/audience/Contact.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./Database.ts"
import { byTime, OrderIndex } from "./OrderIndex.ts"
import { frozen, type Index, perAccount, Table } from "./Table.ts"

/** Counts the contacts that are not erased. */
class LiveCount implements Index<Contact> {
  value = 0

  add(contact: Contact): void {
    if (contact.erasedAt === null) this.value++
  }

  remove(contact: Contact): void {
    if (contact.erasedAt === null) this.value--
  }
}

const makeAudience = (database: Database["Service"]) => {
  const count = new LiveCount()
  const history = new OrderIndex<ConsentEntry>(
    (entry) => entry.contactId,
    byTime((entry) => entry.at)
  )
  const contacts = new Table<Contact, "contacts_email" | "contacts_external_id">(database, {
    key: (contact) => contact.id,
    unique: {
      contacts_email: (contact) => (contact.erasedAt === null ? contact.email : null),
      contacts_external_id: (contact) => (contact.erasedAt === null ? contact.externalId : null)
    },
    indexes: [count]
  })
  const consents = new Table<ConsentEntry>(database, { key: (entry) => entry.id, indexes: [history] })
  return { contacts, consents, count, history }
}

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const database = yield* Database
    const audienceOf = perAccount(() => makeAudience(database))

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
      count: (accountId) => database.read(() => audienceOf(accountId).count.value),
      write: (accountId, { consents: entries, contactLimit, inserts, updates }) =>
        database.writeUnlessRefused(() => {
          const { consents, contacts, count } = audienceOf(accountId)
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
      consentHistory: (accountId, contactId, page) =>
        database.read(() => audienceOf(accountId).history.page(contactId, page))
    })
  })
)
