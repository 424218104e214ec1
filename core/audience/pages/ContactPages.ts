/**
 * The use cases of the hosted pages that an email links to: confirm, choose topics, unsubscribe. Viewing a page changes
 * nothing, so scanners that follow links do no harm (docs/contributing/decisions.md 3).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactEvents, subscriptionEvents } from "../timeline/ContactEvents.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import type { ConsentEntry, ConsentTrigger } from "../../model/Consent.ts"
import { type Contact, writtenFields } from "../../model/Contact.ts"
import { changeConsent, type ConsentCause } from "../contacts/ConsentChange.ts"
import { ContactLinks, type LinkPurpose, type LinkTarget } from "./ContactLinks.ts"
import { hasTopic, type Topic, type TopicChoices } from "../../model/Topic.ts"

/** The contents of a page. */
export interface PageView {
  /** The sender. */
  readonly accountName: string
  readonly contact: Contact
  /** The account's topics that are not archived, each with whether the contact has it. */
  readonly topics: ReadonlyArray<{ readonly topic: Topic; readonly on: boolean }>
}

/** The text that a person agrees to on the confirm page. */
export const confirmText = (accountName: string): string =>
  `Yes, I want to receive emails from ${accountName}. I can unsubscribe at any time.`

const confirmTextVersion = "1"

/** The use cases of the hosted pages. */
export class ContactPages extends Context.Service<ContactPages>()("svc/audience/ContactPages", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const contacts = yield* ContactStore
    const topicStore = yield* TopicStore
    const links = yield* ContactLinks
    const contactEvents = yield* ContactEvents
    const transaction = yield* Transaction
    const ids = yield* Ids

    const contactOf = Effect.fnUntraced(function* ({ accountId, contactId }: LinkTarget) {
      const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
      return contact === undefined || contact.erasedAt !== null ? null : contact
    })

    const shownTopics = (accountId: string) =>
      Effect.map(topicStore.list(accountId), (topics) => topics.filter((topic) => !topic.isArchived))

    /**
     * Loads the contact, decides and writes, again after a conflict. Only a change that records events needs a
     * transaction: most changes are one statement.
     */
    const change = Effect.fnUntraced(function* (
      target: LinkTarget,
      decide: (contact: Contact) => Effect.Effect<Decided, Unavailable>
    ) {
      const contact = yield* contactOf(target)
      if (contact === null) return false
      const { consents, updated } = yield* decide(contact)
      if (updated === contact) return true
      const write = contacts.write(target.accountId, {
        inserts: [],
        updates: [{ ...updated, version: contact.version + 1 }],
        released: [],
        updatedFields: writtenFields,
        consents,
        contactLimit: null
      })
      const events = subscriptionEvents(target.accountId, consents)
      yield* events.length === 0
        ? write
        : transaction.run(Effect.andThen(write, contactEvents.record(events)))
      return true
    }, retryConflicts)

    const applyTrigger = (target: LinkTarget, request: Pick<ConsentCause, "source" | "trigger">) =>
      change(
        target,
        Effect.fnUntraced(function* (contact) {
          const at = yield* Clock.currentTimeMillis
          const changed = changeConsent(contact, { ...request, id: yield* ids.next, at })
          return { updated: changed?.contact ?? contact, consents: changed === null ? [] : [changed.entry] }
        })
      )

    const withTarget = (
      purpose: LinkPurpose,
      token: string,
      act: (target: LinkTarget) => Effect.Effect<boolean, Unavailable>
    ) =>
      Effect.flatMap(links.read(purpose, token), (target) =>
        target === null ? Effect.succeed(false) : act(target)
      )

    return {
      /** The page of a token; null for an invalid token or an erased contact. */
      view: Effect.fn("ContactPages.view")(function* (purpose: LinkPurpose, token: string) {
        const target = yield* links.read(purpose, token)
        if (target === null) return null
        const [contact, [account], topics] = yield* Effect.all(
          [contactOf(target), accounts.find([target.accountId]), shownTopics(target.accountId)],
          { concurrency: "unbounded" }
        )
        if (contact === null || account === undefined) return null
        return {
          accountName: account.name,
          contact,
          topics: topics.map((topic) => ({ topic, on: hasTopic(topic, contact.topics) }))
        } satisfies PageView
      }),
      /**
       * Confirms a sign-up: PendingConfirmation becomes Subscribed, with the text of the page as proof; every other status
       * stays. Returns whether the token was valid.
       */
      confirm: (token: string) =>
        withTarget(
          "confirm",
          token,
          Effect.fnUntraced(function* (target) {
            const [account] = yield* accounts.find([target.accountId])
            const givenAt = yield* Clock.currentTimeMillis
            const proof = {
              text: confirmText(account?.name ?? ""),
              textVersion: confirmTextVersion,
              locale: "en",
              ipAddress: null,
              givenAt
            }
            const trigger: ConsentTrigger = { _tag: "Confirmed", proof }
            return yield* applyTrigger(target, { trigger, source: "DoubleOptIn" })
          })
        ),
      /** Unsubscribes the contact of a token of that purpose. Returns whether the token was valid. */
      unsubscribe: (purpose: "unsubscribe" | "preferences", token: string) =>
        withTarget(purpose, token, (target) =>
          applyTrigger(target, { trigger: { _tag: "Unsubscribed" }, source: "UnsubscribeLink" })
        ),
      /**
       * Turns topics on or off by id; ids of unknown or archived topics are ignored. Returns whether the token was
       * valid.
       */
      choose: (token: string, choices: TopicChoices) =>
        withTarget("preferences", token, (target) =>
          change(target, (contact) =>
            Effect.map(shownTopics(target.accountId), (topics) => ({
              updated: withTopics(contact, topics, choices),
              consents: []
            }))
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(ContactPages, ContactPages.make)
}

/** A decided change. `updated` is the same object as the contact when nothing changes. */
interface Decided {
  readonly updated: Contact
  readonly consents: ReadonlyArray<ConsentEntry>
}

/** Records only changed topics as choices: the others still follow their topic's default. */
const withTopics = (contact: Contact, topics: ReadonlyArray<Topic>, choices: TopicChoices): Contact => {
  const changes = topics.flatMap((topic) => {
    const choice = choices[topic.id]
    return choice === undefined || choice === hasTopic(topic, contact.topics)
      ? []
      : [[topic.id, choice] as const]
  })
  return changes.length === 0
    ? contact
    : { ...contact, topics: { ...contact.topics, ...Object.fromEntries(changes) } }
}
