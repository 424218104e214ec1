/**
 * The use cases of contacts: create, update and read contacts, their consent history and their timeline.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { type ContactKeys, ContactStore } from "../../ports/ContactStore.ts"
import { type TimelineEntry, TimelineStore } from "../../ports/TimelineStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { VisitStore } from "../../ports/VisitStore.ts"
import { Transaction, type WriteConflict } from "../../ports/Transaction.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import type { ConsentEntry, ConsentSource } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import { devicesOf, type SeenDevice } from "../../model/SeenDevice.ts"
import { type ContactTopic, topicsOf } from "../../model/Topic.ts"
import { type ContactDecision, type ContactWritten, decideContacts } from "./ContactRules.ts"
import { type ContactCommand, parseContactWrite } from "./ContactWrite.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { type FoundSuppressions, SuppressedAddresses, suppressionChanges } from "./SuppressedAddresses.ts"
import { ErasedAddresses } from "./ErasedAddresses.ts"
import { movedContacts } from "./ZoneChanges.ts"
import { isVisible, keysOfReference, parseReference } from "./Reference.ts"
import { ContactEvents, subscriptionEvents } from "../timeline/ContactEvents.ts"

/** The most writes that are committed together. */
const maxGroup = 500
/** The most characters of the attributes and proofs in these writes, which one statement carries. */
const maxGroupText = 8_000_000

/** The most emails whose visits are read to find a contact's devices. */
const maxVisited = 500

/** Writes and reads contacts. */
export class Contacts extends Context.Service<
  Contacts,
  {
    /**
     * Creates or updates contacts of an account. Writes apply in order, each sees the writes before it, and each is accepted or
     * rejected separately; a failed input is its own result. When this returns, the accepted writes are committed.
     */
    readonly writeMany: (
      accountId: string,
      writes: ReadonlyArray<Result.Result<ContactWrite, Problem>>,
      source: ConsentSource
    ) => Effect.Effect<ReadonlyArray<Result.Result<ContactWritten, Problem>>, Unavailable>
    /** Creates or updates one contact; concurrent calls are committed together. */
    readonly write: (
      accountId: string,
      write: ContactWrite
    ) => Effect.Effect<ContactWritten, Problem | Unavailable>
    /**
     * The contact of a reference: an id, `ext:<external id>` or `email:<address>`. The latter two only find contacts of the
     * customer's own systems. audience.contact_reference_invalid; audience.contact_not_found, also for an erased contact.
     */
    readonly get: (accountId: string, reference: string) => Effect.Effect<Contact, Problem | Unavailable>
    /** A contact's consent history, newest first; common.not_found for an unknown id or an erased contact. */
    readonly consentHistory: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ConsentEntry>, Problem | Unavailable>
    /** A contact's timeline, newest first; common.not_found for an unknown id or an erased contact. */
    readonly timeline: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TimelineEntry>, Problem | Unavailable>
    /**
     * The devices from which a contact opened and clicked the latest {@link maxVisited} emails to its address, as far as their
     * visits are stored; common.not_found for an unknown id or an erased contact.
     */
    readonly devices: (
      accountId: string,
      contactId: string
    ) => Effect.Effect<ReadonlyArray<SeenDevice>, Problem | Unavailable>
    /** The account's topics with their state for a contact; common.not_found for an unknown id or an erased contact. */
    readonly topics: (
      accountId: string,
      contactId: string
    ) => Effect.Effect<ReadonlyArray<ContactTopic>, Problem | Unavailable>
  }
>()("svc/audience/Contacts") {
  static readonly layer = Layer.effect(
    Contacts,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(ErasedAddresses.layer), builtOnce)
}

/** A batch of writes of one account. */
interface WriteBatch {
  readonly accountId: string
  readonly commands: ReadonlyArray<Result.Result<ContactCommand, Problem>>
  readonly source: ConsentSource
  /** Whether the commands are one call; see `ContactState.isOneCall`. */
  readonly isOneCall: boolean
}

/** The results of a batch, in the order of its commands. */
type WriteResults = ReadonlyArray<Result.Result<ContactWritten, Problem>>

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const campaigns = yield* CampaignStore
  const contacts = yield* ContactStore
  const fieldStore = yield* ContactFieldStore
  const contactEvents = yield* ContactEvents
  const timeline = yield* TimelineStore
  const topicStore = yield* TopicStore
  const transaction = yield* Transaction
  const atomically = yield* Atomically
  const ids = yield* Ids
  const suppressedAddresses = yield* SuppressedAddresses
  const visits = yield* VisitStore
  const erasedAddresses = yield* ErasedAddresses

  /** Loads everything on which a batch is decided, except the suppressed addresses and the number of contacts. */
  const load = ({ accountId, commands }: WriteBatch) =>
    Effect.all(
      {
        stored: contacts.find(accountId, keysOf(commands)),
        accounts: accounts.find([accountId]),
        fields: someHas(commands, "attributes") ? fieldStore.list(accountId) : none,
        topics: someHas(commands, "topics") ? topicStore.list(accountId) : none,
        newIds: ids.many(commands.length * 2),
        now: Clock.currentTimeMillis
      },
      { concurrency: "unbounded" }
    )

  /** Writes a decision, in a transaction if it changes more than contacts and their consent history. */
  const write = Effect.fnUntraced(function* (
    accountId: string,
    { changes, fields }: ContactDecision,
    found: FoundSuppressions,
    moved: ReadonlyArray<string>,
    now: number
  ) {
    const suppressions = suppressionChanges(found, [...changes.inserts, ...changes.updates])
    const events = subscriptionEvents(accountId, changes.consents)
    // A change of consent always writes its contact.
    const subscribed = new Set(events.map(({ contactId }) => contactId))
    const others = fields.length + suppressions.restored.length + suppressions.put.length
    if (others + events.length + moved.length > 0) {
      yield* transaction.run(
        fieldStore
          .insert(accountId, fields)
          .pipe(
            Effect.andThen(contacts.write(accountId, changes)),
            Effect.andThen(suppressedAddresses.write(accountId, suppressions)),
            Effect.andThen(contactEvents.record(events, subscribed)),
            Effect.andThen(campaigns.reconsider(accountId, moved, now))
          )
      )
    } else if (changes.inserts.length + changes.updates.length + changes.consents.length > 0) {
      yield* contacts.write(accountId, changes)
    }
  })

  /**
   * Loads, decides and writes a batch once; `WriteConflict` if another writer changed the loaded state. Not `atomically`, because
   * `writeBatch` repeats it with locks.
   */
  const decideAndWrite = Effect.fnUntraced(function* (
    batch: WriteBatch
  ): Effect.fn.Return<WriteResults, WriteConflict | Unavailable> {
    const { accountId, commands, isOneCall, source } = batch
    const { accounts: loaded, fields, newIds, now, stored, topics } = yield* load(batch)
    const settings = loaded[0]?.settings
    const contactLimit = settings?.contactLimit ?? null
    const unknown = takenEmails(commands, stored)
    const decided = Effect.gen(function* () {
      // Read after the contacts, so that it includes every erasure that the contacts show.
      const found = yield* suppressedAddresses.find(accountId, unknown)
      const keepsErased = settings?.keepErased === true || source === "Import"
      const erased = keepsErased ? yield* erasedAddresses.among(accountId, unknown) : noAddresses
      const decision = decideContacts(
        {
          accountId,
          contacts: stored,
          contactCount: contactLimit === null ? 0 : yield* contacts.count(accountId),
          contactLimit,
          fields,
          autoCreate: settings?.autoCreateAttributes ?? false,
          topics,
          erased,
          ids: newIds,
          source,
          now,
          suppressed: found.kinds,
          isOneCall
        },
        commands
      )
      const zone = settings?.timeZoneAttribute ?? null
      const moved = movedContacts(stored, decision.changes.updates, zone)
      yield* write(accountId, decision, found, moved, now)
      return decision.results
    })
    return yield* unknown.length === 0 ? decided : transaction.run(decided)
  })

  /**
   * Decides and writes a batch without locks. After a conflict, it repeats this with locks on the batch's contacts and on
   * inserts: otherwise, concurrent batches of the same contacts would conflict again and again.
   */
  const writeBatch = (batch: WriteBatch): Effect.Effect<WriteResults, Unavailable> =>
    Effect.catchTag(decideAndWrite(batch), "WriteConflict", () =>
      atomically(
        contacts
          .holdInserts(batch.accountId)
          .pipe(
            Effect.andThen(contacts.lock(batch.accountId, keysOf(batch.commands))),
            Effect.andThen(decideAndWrite(batch))
          )
      )
    )

  const submit = yield* makeGroupCommit<ContactCommand, ContactWritten, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroupText,
    weightOf,
    run: (accountId, commands) =>
      writeBatch({
        accountId,
        commands: commands.map((command) => Result.succeed(command)),
        source: "Api",
        isOneCall: false
      })
  })

  /** The contact of an id; common.not_found where there is none or it was erased. */
  const findById = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [contact] = yield* contacts.find(accountId, { ids: [id], externalIds: [], emails: [] })
    return contact === undefined || contact.erasedAt !== null
      ? yield* Problem.of("common.not_found")
      : contact
  })

  return Contacts.of({
    writeMany: Effect.fn("Contacts.writeMany")(function* (accountId, writes, source) {
      const now = yield* Clock.currentTimeMillis
      const commands = writes.map((submitted) =>
        Result.flatMap(submitted, (given) => parseContactWrite(given, now))
      )
      return yield* writeBatch({ accountId, commands, source, isOneCall: true })
    }),
    write: (accountId, submitted) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(Effect.fromResult(parseContactWrite(submitted, now)), (command) =>
          submit(accountId, command)
        )
      ),
    get: Effect.fn("Contacts.get")(function* (accountId, given) {
      const reference = yield* Effect.fromResult(parseReference(given))
      const [contact] = yield* contacts.find(accountId, keysOfReference(reference))
      return contact === undefined || !isVisible(contact, reference)
        ? yield* Problem.of("audience.contact_not_found")
        : contact
    }),
    consentHistory: Effect.fn("Contacts.consentHistory")(function* (accountId, contactId, page) {
      yield* findById(accountId, contactId)
      return yield* contacts.consentHistory(accountId, contactId, page)
    }),
    timeline: Effect.fn("Contacts.timeline")(function* (accountId, contactId, page) {
      yield* findById(accountId, contactId)
      return yield* timeline.list(accountId, contactId, page)
    }),
    devices: Effect.fn("Contacts.devices")(function* (accountId, contactId) {
      const { email } = yield* findById(accountId, contactId)
      return email === null ? [] : devicesOf(yield* visits.visitsTo(accountId, email, maxVisited))
    }),
    topics: Effect.fn("Contacts.topics")(function* (accountId, contactId) {
      const { topics } = yield* findById(accountId, contactId)
      return topicsOf(yield* topicStore.list(accountId), topics)
    })
  })
})

const none = Effect.succeed([])

const noAddresses: ReadonlySet<string> = new Set()

/** The approximate number of characters of a write's attributes and proof. */
const weightOf = ({ attributes, proof }: ContactCommand): number =>
  Object.values(attributes).reduce<number>(
    (sum, value) => sum + (typeof value === "string" || Array.isArray(value) ? value.length : 1),
    proof?.text.length ?? 0
  )

/** Whether any write of a batch has attributes, or topics. */
const someHas = (commands: WriteBatch["commands"], what: "attributes" | "topics"): boolean =>
  commands.some((parsed) => Result.isSuccess(parsed) && Object.keys(parsed.success[what]).length > 0)

/**
 * The addresses that a batch may give to a contact: those that no stored contact has, and those of stored contacts to which the
 * batch may first give another address.
 */
const takenEmails = (
  commands: WriteBatch["commands"],
  stored: ReadonlyArray<Contact>
): ReadonlyArray<string> => {
  /** The addresses of each id and external id, stored or in the batch: usually one, otherwise several. */
  const named = new Map<string, string | Set<string>>()
  const several = new Set<Set<string>>()
  const add = (name: string | null, email: string | null): void => {
    if (name === null || email === null) return
    const known = named.get(name)
    if (known === undefined) named.set(name, email)
    else if (typeof known !== "string") known.add(email)
    else if (known !== email) {
      const both = new Set([known, email])
      named.set(name, both)
      several.add(both)
    }
  }
  for (const { email, externalId, id } of stored) {
    add(id, email)
    add(externalId, email)
  }
  for (const parsed of commands) {
    if (Result.isFailure(parsed)) continue
    const { email, externalId, id } = parsed.success
    add(id, email)
    add(externalId, email)
    // The contact may get an external id here, by which a later write names it.
    const ofId = id === null ? undefined : named.get(id)
    if (ofId === undefined) continue
    for (const one of typeof ofId === "string" ? [ofId] : [...ofId]) add(externalId, one)
  }
  const changing = new Set([...several].flatMap((emails) => [...emails]))
  const held = new Set(stored.map((contact) => contact.email))
  return keysOf(commands).emails.filter((email) => !held.has(email) || changing.has(email))
}

/** Every id, external id and email that a batch names. */
const keysOf = (commands: WriteBatch["commands"]): ContactKeys => {
  const ids = new Set<string>()
  const externalIds = new Set<string>()
  const emails = new Set<string>()
  for (const parsed of commands) {
    if (Result.isFailure(parsed)) continue
    const { email, externalId, id } = parsed.success
    if (id !== null) ids.add(id)
    if (externalId !== null) externalIds.add(externalId)
    if (email !== null) emails.add(email)
  }
  return { ids: [...ids], externalIds: [...externalIds], emails: [...emails] }
}
