/**
 * Holds the tables of an account's audience that several storage ports use: contacts, their consent history and timeline, and
 * topics.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { ConsentEntry } from "../../../core/model/Consent.ts"
import type { Contact } from "../../../core/model/Contact.ts"
import type { Topic } from "../../../core/model/Topic.ts"
import type { TimelineEntry } from "../../../core/ports/TimelineStore.ts"
import { Database } from "../engine/Database.ts"
import { DistinctIndex } from "../engine/DistinctIndex.ts"
import { all, byField, SortedIndex } from "../engine/SortedIndex.ts"
import { ChangeCount, type Index, perAccount, Table } from "../engine/Table.ts"

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
  const changes = new ChangeCount()
  const count = new LiveCount()
  const listed = new SortedIndex<Contact>(
    (contact) => (contact.erasedAt === null ? all : null),
    byField("addedAt")
  )
  const history = new SortedIndex<ConsentEntry>((entry) => entry.contactId, byField("at"))
  const happened = new SortedIndex<TimelineEntry>((entry) => entry.contactId, byField("occurredAt"))
  const erased = new DistinctIndex<Contact>(
    (contact) => contact.addressHash,
    (contact) => contact.id
  )
  const shownTopics = new SortedIndex<Topic>(() => all, byField("createdAt"))
  return {
    contacts: new Table<Contact, "contacts_email" | "contacts_external_id">(database, {
      key: (contact) => contact.id,
      unique: {
        contacts_email: (contact) => (contact.erasedAt === null ? contact.email : null),
        contacts_external_id: (contact) => (contact.erasedAt === null ? contact.externalId : null)
      },
      indexes: [changes, count, listed, erased]
    }),
    /** Counts the changes of contacts and timelines. */
    changes,
    /** The address hashes of erased contacts, each with the ids of the contacts. */
    erased,
    /** The hashes of addresses that erased contacts had before their last one. */
    erasedAddresses: new Table<{ readonly hash: string }>(database, { key: ({ hash }) => hash }),
    count,
    /** The contacts that are not erased, sorted by the time when they were added, in the group {@link all}. */
    listed,
    consents: new Table<ConsentEntry>(database, { key: (entry) => entry.id, indexes: [history] }),
    history,
    topics: new Table<Topic, "topics_key">(database, {
      key: (topic) => topic.id,
      unique: { topics_key: (topic) => topic.key },
      indexes: [shownTopics]
    }),
    /** The topics, sorted by their creation time, in the group {@link all}. */
    shownTopics,
    timeline: new Table<TimelineEntry>(database, { key: (entry) => entry.id, indexes: [changes, happened] }),
    /** Timeline entries by contact. */
    happened
  }
}

/** The tables of one account. */
export type Audience = ReturnType<typeof makeAudience>

/** The audience's tables, by account. */
export class AudienceTables extends Context.Service<
  AudienceTables,
  { readonly of: (accountId: string) => Audience }
>()("svc/adapters/memory/AudienceTables") {
  static readonly layer = Layer.effect(
    AudienceTables,
    Effect.map(Database, (database) => AudienceTables.of({ of: perAccount(() => makeAudience(database)) }))
  )
}
