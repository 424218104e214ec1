/**
 * The use cases of the hosted pages to which emails link: confirm, choose topics, unsubscribe. Viewing a page changes nothing, so
 * scanners that follow links cause no harm (docs/contributing/decisions.md 3).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactEvents, subscriptionEvents } from "../timeline/ContactEvents.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { UnsubscribeCounts } from "./UnsubscribeCounts.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { PageRequest } from "../../shared/Page.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { brandFinder, type ShownBrand } from "../../images/Brands.ts"
import type { Account, OwnTexts } from "../../model/Account.ts"
import type { ConsentEntry, ConsentTrigger } from "../../model/Consent.ts"
import { type Contact, writtenFields } from "../../model/Contact.ts"
import { changeConsent, type ConsentCause } from "../contacts/ConsentChange.ts"
import type { PageTexts } from "../pageTexts/PageTexts.ts"
import { pageLanguage, pageTexts } from "./PageLanguages.ts"
import { type ContactLink, ContactLinks, type LinkPurpose, type LinkTarget } from "./ContactLinks.ts"
import { hasTopic, type Topic, type TopicChoices } from "../../model/Topic.ts"

/** The contents of a page. */
export interface PageView {
  /** The sender: the name of the brand, otherwise that of the account. */
  readonly accountName: string
  readonly brand: ShownBrand
  readonly language: string
  /** The texts in the language; the company's own texts replace those of the service. */
  readonly texts: PageTexts
  readonly contact: Contact
  /** The contact's address; null if the link was sent to another address, whose reader must not learn this one. */
  readonly email: string | null
  /** The account's topics that are not archived, with their state for the contact. */
  readonly topics: ReadonlyArray<{ readonly topic: Topic; readonly on: boolean }>
}

const confirmTextVersion = "1"

/** The version that is recorded for a confirmed text of the company's own. */
const ownTextVersion = "own"

/** The language of a contact's pages: the contact's, otherwise the account's. */
const languageOf = (contact: Contact | null, account: Account | undefined, own: OwnTexts): string =>
  pageLanguage(own, contact?.language ?? null, account?.settings.language ?? null)

/** How a person confirmed. */
export interface Confirmation {
  /** The text that the page showed; null if the client does not state it. */
  readonly shownText: string | null
  /** The IP address of the person's connection; null if not known. */
  readonly ipAddress: string | null
}

/**
 * The result of a link's page. `Done`. `Invalid`: no valid link. `Outdated`: a confirmation link that was sent to an address that
 * the contact no longer has. `Reworded`: the text of the page has changed since it was shown, so nothing was changed. `Test`: the
 * link is in a test email.
 */
export type PageResult = "Done" | "Invalid" | "Outdated" | "Reworded" | "Test"

/** The use cases of the hosted pages. */
export class ContactPages extends Context.Service<ContactPages>()("svc/audience/ContactPages", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const campaigns = yield* CampaignStore
    const contacts = yield* ContactStore
    const topicStore = yield* TopicStore
    const submissions = yield* SubmissionStore
    const counts = yield* UnsubscribeCounts
    const links = yield* ContactLinks
    const contactEvents = yield* ContactEvents
    const findBrand = yield* brandFinder
    const transaction = yield* Transaction
    const ids = yield* Ids

    const contactOf = Effect.fnUntraced(function* ({ accountId, contactId }: LinkTarget) {
      const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
      return contact === undefined || contact.erasedAt !== null ? null : contact
    })

    /** Whether a link is in a test of a campaign; it then has the campaign's id in place of a contact's. */
    const isOfTest = ({ accountId, contactId }: LinkTarget) =>
      Effect.map(campaigns.find(accountId, [contactId]), (found) => found.length > 0)

    const shownTopics = (accountId: string) =>
      Effect.map(topicStore.list(accountId), (topics) => topics.filter((topic) => !topic.isArchived))

    /**
     * Marks the email that contains the link as unsubscribed. If the link names no email, it marks the latest marketing email to
     * the contact, which the person was most likely reading. It is among the contact's latest emails, of which some may have no
     * such link. Returns the deliveries that were marked for the first time.
     */
    const markUnsubscribed = Effect.fnUntraced(function* (
      accountId: string,
      { email, id }: Contact,
      deliveryId: string | null,
      at: number
    ) {
      if (deliveryId !== null) {
        return yield* submissions.engage("unsubscribed", [{ accountId, id: deliveryId }], at)
      }
      if (email === null) return []
      const latest = yield* submissions.list(accountId, { to: [email] }, latestEmails)
      const refs = latest.items
        .filter(({ marketing }) => marketing?.contactId === id)
        .flatMap(({ deliveries }) => deliveries.filter((delivery) => delivery.email === email))
        .slice(0, 1)
      return refs.length === 0 ? [] : yield* submissions.engage("unsubscribed", refs, at)
    })

    /**
     * Loads the contact, decides and writes, and repeats this after a conflict. Only changes that record events or end a
     * subscription need a transaction: most changes are one statement.
     */
    const change = Effect.fnUntraced(function* (
      { deliveryId, target }: Pick<ContactLink, "deliveryId" | "target">,
      decide: (contact: Contact) => Effect.Effect<Decided | "Outdated", Unavailable>
    ) {
      const contact = yield* contactOf(target)
      if (contact === null) return (yield* isOfTest(target)) ? "Test" : "Invalid"
      const decided = yield* decide(contact)
      if (decided === "Outdated") return decided
      const { consents, isTopicOff, updated } = decided
      if (updated === contact) return "Done"
      const write = contacts.write(target.accountId, {
        inserts: [],
        updates: [{ ...updated, version: contact.version + 1 }],
        released: [],
        updatedFields: writtenFields,
        consents,
        contactLimit: null
      })
      const events = subscriptionEvents(target.accountId, consents)
      const ended = consents.find(({ to }) => to === "Unsubscribed")
      const turnedOff = isTopicOff === true && deliveryId !== null ? deliveryId : null
      yield* events.length === 0 && ended === undefined && turnedOff === null
        ? write
        : transaction.run(
            Effect.gen(function* () {
              yield* write
              if (events.length > 0) yield* contactEvents.record(events, new Set([contact.id]))
              const unsubscribed =
                ended === undefined
                  ? []
                  : yield* markUnsubscribed(target.accountId, contact, deliveryId, ended.at)
              if (turnedOff !== null) {
                const at = yield* Clock.currentTimeMillis
                yield* submissions.engage("topicOff", [{ accountId: target.accountId, id: turnedOff }], at)
              }
              yield* counts.count(unsubscribed)
            })
          )
      return "Done"
    }, retryConflicts)

    const applyTrigger = (
      link: Pick<ContactLink, "deliveryId" | "target">,
      request: Pick<ConsentCause, "source" | "trigger">,
      isFor: ContactLink["isFor"] = () => true
    ) =>
      change(
        link,
        Effect.fnUntraced(function* (contact) {
          if (!isFor(contact.email)) return "Outdated"
          const at = yield* Clock.currentTimeMillis
          const changed = changeConsent(contact, { ...request, id: yield* ids.next, at })
          return { updated: changed?.contact ?? contact, consents: changed === null ? [] : [changed.entry] }
        })
      )

    const withLink = (
      purpose: LinkPurpose,
      token: string,
      act: (link: ContactLink) => Effect.Effect<PageResult, Unavailable>
    ): Effect.Effect<PageResult, Unavailable> =>
      Effect.flatMap(links.read(purpose, token), (link) =>
        link === null ? Effect.succeed("Invalid" as const) : act(link)
      )

    return {
      /**
       * The page of a token; null if the token is invalid or the contact was erased. `Outdated` for a confirmation link that was
       * sent to an address that the contact no longer has, `Test` for a link in a test of a campaign.
       */
      view: Effect.fn("ContactPages.view")(function* (purpose: LinkPurpose, token: string) {
        const link = yield* links.read(purpose, token)
        if (link === null) return null
        const { isFor, target } = link
        const [contact, [account], topics] = yield* Effect.all(
          [contactOf(target), accounts.find([target.accountId]), shownTopics(target.accountId)],
          { concurrency: "unbounded" }
        )
        if (account === undefined) return null
        if (contact === null) return (yield* isOfTest(target)) ? "Test" : null
        const isOwn = isFor(contact.email)
        if (purpose === "confirm" && !isOwn) return "Outdated"
        const brand = yield* findBrand(account)
        const language = languageOf(contact, account, brand.pageTexts)
        return {
          accountName: brand.name ?? account.name,
          brand,
          language,
          texts: pageTexts(language, brand.pageTexts),
          contact,
          email: isOwn ? contact.email : null,
          topics: topics.map((topic) => ({ topic, on: hasTopic(topic, contact.topics) }))
        } satisfies PageView
      }),
      /**
       * Confirms the sign-up of the address to which the link was sent: PendingConfirmation becomes Subscribed. The page's text
       * with its version and locale, the time and the person's IP address are the proof. Any other status stays.
       */
      confirm: (token: string, { ipAddress, shownText }: Confirmation) =>
        withLink(
          "confirm",
          token,
          Effect.fnUntraced(function* (link) {
            const { isFor, target } = link
            const [[account], contact] = yield* Effect.all(
              [accounts.find([target.accountId]), contactOf(target)],
              { concurrency: "unbounded" }
            )
            const givenAt = yield* Clock.currentTimeMillis
            const brand = account === undefined ? null : yield* findBrand(account)
            const own = brand?.pageTexts ?? {}
            const locale = languageOf(contact, account, own)
            const text = pageTexts(locale, own).confirm.text(brand?.name ?? account?.name ?? "")
            const isOwn = own[locale]?.["confirm.text"] !== undefined
            if (shownText !== null && shownText !== text) return "Reworded"
            const textVersion = isOwn ? ownTextVersion : confirmTextVersion
            const proof = { text, textVersion, locale, ipAddress, givenAt }
            const trigger: ConsentTrigger = { _tag: "Confirmed", proof }
            return yield* applyTrigger(link, { trigger, source: "DoubleOptIn" }, isFor)
          })
        ),
      /** Unsubscribes the contact of a token with the purpose, whatever address the contact has now. */
      unsubscribe: (purpose: "unsubscribe" | "preferences", token: string) =>
        withLink(purpose, token, (link) =>
          applyTrigger(link, { trigger: { _tag: "Unsubscribed" }, source: "UnsubscribeLink" })
        ),
      /** Turns topics on or off by id; ids of unknown or archived topics are ignored. */
      choose: (token: string, choices: TopicChoices) =>
        withLink("preferences", token, (link) =>
          change(link, (contact) =>
            Effect.map(shownTopics(link.target.accountId), (topics) => ({
              updated: withTopics(contact, topics, choices),
              consents: [],
              isTopicOff: topics.some(
                (topic) => choices[topic.id] === false && hasTopic(topic, contact.topics)
              )
            }))
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(ContactPages, ContactPages.make)
}

/** The latest emails, one of which may have led to an unsubscription. */
const latestEmails: PageRequest = { page: 1, pageSize: 20, total: "Bounded" }

/** A decided change. `updated` is the same object as the contact if nothing changes. */
interface Decided {
  readonly updated: Contact
  readonly consents: ReadonlyArray<ConsentEntry>
  /** Whether a topic is turned off. */
  readonly isTopicOff?: boolean
}

/** Records only changed topics as choices; the others still follow their topic's default. */
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
