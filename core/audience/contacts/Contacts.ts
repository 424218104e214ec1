/**
 * The audience's use cases: write, read.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result, type Scope } from "effect"
import type { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { ContactEvents } from "../timeline/ContactEvents.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { type ContactKeys, ContactStore } from "../../ports/ContactStore.ts"
import type { Crypto } from "../../ports/Crypto.ts"
import type { SuppressionStore } from "../../ports/SuppressionStore.ts"
import { type TimelineEntry, TimelineStore } from "../../ports/TimelineStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction, type WriteConflict } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import type { ConsentEntry, ConsentSource } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import { type ContactWritten, decideContacts } from "./ContactRules.ts"
import { checkContactWrite, type ContactCommand } from "./ContactWrite.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { suppressionChanges, makeSuppressedAddresses } from "./SuppressedAddresses.ts"
import { isVisible, keysOfReference, parseReference } from "./Reference.ts"
import { consentHappenings } from "../timeline/Timeline.ts"

/** The most writes that are committed together. */
const maxGroup = 500
/** The most characters of their attributes and proofs: a statement carries them all. */
const maxGroupText = 8_000_000

/** Writes and reads contacts. */
export class Contacts extends Context.Service<
  Contacts,
  {
    /**
     * Creates or updates contacts of an account, in order, each seeing the ones before it and each refused by
     * itself. Committed when it answers.
     */
    readonly writeMany: (
      accountId: string,
      writes: ReadonlyArray<ContactWrite | Problem>,
      source: ConsentSource
    ) => Effect.Effect<ReadonlyArray<Result.Result<ContactWritten, Problem>>, Unavailable>
    /** Creates or updates one contact; calls that arrive together are committed together. */
    readonly write: (
      accountId: string,
      write: ContactWrite
    ) => Effect.Effect<ContactWritten, Problem | Unavailable>
    /**
     * The contact of a reference: a service id, `ext:<user id>` or `email:<address>`; the last two find only
     * contacts of the customer's own systems. audience.contact_reference_invalid, audience.contact_not_found
     * (also for one that was erased).
     */
    readonly get: (accountId: string, reference: string) => Effect.Effect<Contact, Problem | Unavailable>
    /** A contact's consent history, newest first; common.not_found for an unknown id or an erased contact. */
    readonly consentHistory: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ConsentEntry>, Problem | Unavailable>
    /** What happened to a contact, newest first; common.not_found for an unknown id or an erased contact. */
    readonly timeline: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TimelineEntry>, Problem | Unavailable>
  }
>()("svc/audience/Contacts") {
  static readonly layer = Layer.effect(
    Contacts,
    Effect.suspend(() => make)
  )
}

const make: Effect.Effect<
  Contacts["Service"],
  never,
  | AccountStore
  | ContactFieldStore
  | ContactStore
  | Crypto
  | ContactEvents
  | Ids
  | InstallationKeys
  | Scope.Scope
  | SuppressionStore
  | TimelineStore
  | TopicStore
  | Transaction
> = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const contacts = yield* ContactStore
  const fieldStore = yield* ContactFieldStore
  const contactEvents = yield* ContactEvents
  const timeline = yield* TimelineStore
  const topicStore = yield* TopicStore
  const transaction = yield* Transaction
  const ids = yield* Ids
  const listedAddresses = yield* makeSuppressedAddresses

  const cycle = (accountId: string, source: ConsentSource, isOneCall: boolean) =>
    Effect.fnUntraced(function* (
      commands: ReadonlyArray<ContactCommand | Problem>
    ): Effect.fn.Return<ReadonlyArray<Result.Result<ContactWritten, Problem>>, WriteConflict | Unavailable> {
      const [stored, [account], fields, topics, newIds, now] = yield* Effect.all(
        [
          contacts.find(accountId, keysOf(commands)),
          accounts.find([accountId]),
          someHas(commands, "attributes") ? fieldStore.list(accountId) : none,
          someHas(commands, "topics") ? topicStore.list(accountId) : none,
          ids.many(commands.length * 2),
          Clock.currentTimeMillis
        ],
        { concurrency: "unbounded" }
      )
      const taken = unknownEmails(commands, stored)
      const decideAndWrite = Effect.gen(function* () {
        // After the contacts, so that what an erasure seen there has left is seen here.
        const listed = yield* listedAddresses.find(accountId, taken)
        const contactLimit = account?.settings.contactLimit ?? null
        const decision = decideContacts(
          {
            accountId,
            contacts: stored,
            contactCount: contactLimit === null ? 0 : yield* contacts.count(accountId),
            contactLimit,
            fields,
            autoCreate: account?.settings.autoCreateAttributes ?? false,
            topics,
            ids: newIds,
            source,
            now,
            suppressed: listed.kinds,
            isOneCall
          },
          commands
        )
        const { changes, fields: made } = decision
        const followed = suppressionChanges(listed, [...changes.inserts, ...changes.updates])
        const happened = consentHappenings(accountId, changes.consents)
        if (made.length + followed.restored.length + followed.put.length + happened.length > 0) {
          yield* transaction.run(
            fieldStore
              .insert(accountId, made)
              .pipe(
                Effect.andThen(contacts.write(accountId, changes)),
                Effect.andThen(listedAddresses.write(accountId, followed)),
                Effect.andThen(contactEvents.record(happened))
              )
          )
        } else if (changes.inserts.length + changes.updates.length + changes.consents.length > 0) {
          yield* contacts.write(accountId, changes)
        }
        return decision.results
      })
      return yield* taken.length === 0 ? decideAndWrite : transaction.run(decideAndWrite)
    })

  /**
   * Where somebody else wrote first, takes the people before it decides again, those too who are not there yet: many at
   * once meet others all the time.
   */
  const settle = <A>(
    accountId: string,
    commands: ReadonlyArray<ContactCommand | Problem>,
    decided: Effect.Effect<A, WriteConflict | Unavailable>
  ): Effect.Effect<A, Unavailable> =>
    Effect.catchTag(decided, "WriteConflict", () =>
      retryConflicts(
        transaction.run(
          contacts
            .holdInserts(accountId)
            .pipe(Effect.andThen(contacts.lock(accountId, keysOf(commands))), Effect.andThen(decided))
        )
      )
    )

  const writeMany: Contacts["Service"]["writeMany"] = Effect.fn("Contacts.writeMany")((
    accountId,
    writes,
    source
  ) => {
    const commands = writes.map((write) => (write instanceof Problem ? write : checkContactWrite(write)))
    return settle(accountId, commands, cycle(accountId, source, true)(commands))
  })

  const submit = yield* makeGroupCommit<ContactCommand, ContactWritten, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroupText,
    weightOf,
    run: (accountId, commands) => settle(accountId, commands, cycle(accountId, "Api", false)(commands))
  })

  return Contacts.of({
    writeMany,
    write: (accountId, write) => {
      const command = checkContactWrite(write)
      return command instanceof Problem ? Effect.fail(command) : submit(accountId, command)
    },
    get: Effect.fn("Contacts.get")(function* (accountId, text) {
      const reference = parseReference(text)
      if (reference instanceof Problem) return yield* reference
      const [contact] = yield* contacts.find(accountId, keysOfReference(reference))
      if (contact === undefined || !isVisible(contact, reference)) {
        return yield* Problem.of("audience.contact_not_found")
      }
      return contact
    }),
    consentHistory: Effect.fn("Contacts.consentHistory")(function* (accountId, contactId, page) {
      const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
      if (contact === undefined || contact.erasedAt !== null) return yield* Problem.of("common.not_found")
      return yield* contacts.consentHistory(accountId, contactId, page)
    }),
    timeline: Effect.fn("Contacts.timeline")(function* (accountId, contactId, page) {
      const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
      if (contact === undefined || contact.erasedAt !== null) return yield* Problem.of("common.not_found")
      return yield* timeline.list(accountId, contactId, page)
    })
  })
})

const none = Effect.succeed([])

/** About how many characters a write has that may be long. */
const weightOf = ({ attributes, proof }: ContactCommand): number =>
  Object.values(attributes).reduce<number>(
    (sum, value) => sum + (typeof value === "string" || Array.isArray(value) ? value.length : 1),
    proof?.text.length ?? 0
  )

/** Whether a batch has attributes, or topics. */
const someHas = (commands: ReadonlyArray<ContactCommand | Problem>, what: "attributes" | "topics"): boolean =>
  commands.some((command) => !(command instanceof Problem) && Object.keys(command[what]).length > 0)

/** The addresses a batch names that no stored contact has. */
const unknownEmails = (
  commands: ReadonlyArray<ContactCommand | Problem>,
  stored: ReadonlyArray<Contact>
): ReadonlyArray<string> => {
  const known = new Set(stored.map((contact) => contact.email))
  return keysOf(commands).emails.filter((email) => !known.has(email))
}

/** Every identity that a batch names. */
const keysOf = (commands: ReadonlyArray<ContactCommand | Problem>): ContactKeys => {
  const ids = new Set<string>()
  const externalIds = new Set<string>()
  const emails = new Set<string>()
  for (const command of commands) {
    if (command instanceof Problem) continue
    if (command.id !== null) ids.add(command.id)
    if (command.externalId !== null) externalIds.add(command.externalId)
    if (command.email !== null) emails.add(command.email)
  }
  return { ids: [...ids], externalIds: [...externalIds], emails: [...emails] }
}
