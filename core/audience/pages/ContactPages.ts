/**
 * What a person can see and do on the hosted pages behind the links of an email: confirm, choose topics, unsubscribe.
 * Seeing changes nothing, so that scanners which follow links do no harm (decisions 3).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactEvents } from "../timeline/ContactEvents.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import {
  basisOf,
  type ConsentEntry,
  type ConsentSource,
  type ConsentTrigger,
  nextConsent
} from "../../model/Consent.ts"
import { type Contact, writtenFields } from "../../model/Contact.ts"
import { ContactLinks, type LinkPurpose, type LinkTarget } from "./ContactLinks.ts"
import { consentHappenings } from "../timeline/Timeline.ts"
import { hasTopic, type Topic, type TopicChoices } from "../../model/Topic.ts"

/** What a page shows. */
export interface PageView {
  /** Who sends. */
  readonly accountName: string
  readonly contact: Contact
  /** The account's topics that are not archived, each with whether the person has it. */
  readonly topics: ReadonlyArray<{ readonly topic: Topic; readonly on: boolean }>
}

/** The words a person agrees to on the confirm page, and which version of them. */
export const confirmWords = (accountName: string): string =>
  `Yes, I want to receive emails from ${accountName}. I can unsubscribe at any time.`

const confirmVersion = "1"

/** A change of a contact's consent, if the trigger makes one. */
interface ConsentMove {
  readonly trigger: ConsentTrigger
  readonly source: ConsentSource
}

/** What the hosted pages show and do. */
export class ContactPages extends Context.Service<
  ContactPages,
  {
    /** What the page of a token shows; null for a token that is not valid, or whose contact was erased. */
    readonly view: (purpose: LinkPurpose, token: string) => Effect.Effect<PageView | null, Unavailable>
    /**
     * Confirms a sign-up: PendingConfirmation becomes Subscribed, with the words of the page as proof; every other state
     * stays. Answers whether the token was valid.
     */
    readonly confirm: (token: string) => Effect.Effect<boolean, Unavailable>
    /** Unsubscribes the person of a token for that purpose. Answers whether the token was valid. */
    readonly unsubscribe: (
      purpose: "unsubscribe" | "preferences",
      token: string
    ) => Effect.Effect<boolean, Unavailable>
    /**
     * Turns topics on or off by id; ids that are no topics of the account that a page shows are ignored. Answers whether
     * the token was valid.
     */
    readonly choose: (token: string, choices: TopicChoices) => Effect.Effect<boolean, Unavailable>
  }
>()("svc/audience/ContactPages") {
  static readonly layer = Layer.effect(
    ContactPages,
    Effect.gen(function* () {
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

      /** Loads the contact, decides and writes, again where somebody else wrote first. */
      const change = (
        target: LinkTarget,
        decide: (contact: Contact) => Effect.Effect<Decided, Unavailable>
      ) =>
        retryConflicts(
          Effect.gen(function* () {
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
            const happened = consentHappenings(target.accountId, consents)
            yield* happened.length === 0
              ? write
              : transaction.run(Effect.andThen(write, contactEvents.record(happened)))
            return true
          })
        )

      const applyReports = (target: LinkTarget, move: ConsentMove) =>
        change(
          target,
          Effect.fnUntraced(function* (contact) {
            return moved(contact, move, yield* ids.next, yield* Clock.currentTimeMillis)
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

      return ContactPages.of({
        view: Effect.fn("ContactPages.view")(function* (purpose, token) {
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
          }
        }),
        confirm: (token) =>
          withTarget(
            "confirm",
            token,
            Effect.fnUntraced(function* (target) {
              const [account] = yield* accounts.find([target.accountId])
              const givenAt = yield* Clock.currentTimeMillis
              const proof = {
                text: confirmWords(account?.name ?? ""),
                textVersion: confirmVersion,
                locale: "en",
                ipAddress: null,
                givenAt
              }
              const trigger: ConsentTrigger = { _tag: "Confirmed", proof }
              return yield* applyReports(target, { trigger, source: "DoubleOptIn" })
            })
          ),
        unsubscribe: (purpose, token) =>
          withTarget(purpose, token, (target) =>
            applyReports(target, { trigger: { _tag: "Unsubscribed" }, source: "UnsubscribeLink" })
          ),
        choose: (token, choices) =>
          withTarget("preferences", token, (target) =>
            change(target, (contact) =>
              Effect.map(shownTopics(target.accountId), (topics) => ({
                updated: chosen(contact, topics, choices),
                consents: []
              }))
            )
          )
      })
    })
  )
}

/** A contact after a decision, the very same object when nothing changes. */
interface Decided {
  readonly updated: Contact
  readonly consents: ReadonlyArray<ConsentEntry>
}

const moved = (contact: Contact, { source, trigger }: ConsentMove, id: string, at: number): Decided => {
  const from = contact.consentStatus
  const to = nextConsent(from, trigger)
  if (to === from) return { updated: contact, consents: [] }
  const proof = "proof" in trigger ? trigger.proof : null
  return {
    updated: {
      ...contact,
      consentStatus: to,
      consentSource: source,
      consentUpdatedAt: at,
      consentProof: proof ?? contact.consentProof
    },
    consents: [{ id, contactId: contact.id, from, to, basis: basisOf(trigger), proof, source, at }]
  }
}

/** What the person left as it was stays unchosen, so that it follows the topic's default. */
const chosen = (contact: Contact, topics: ReadonlyArray<Topic>, choices: TopicChoices): Contact => {
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
