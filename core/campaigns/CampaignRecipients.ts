/**
 * Lists the recipients of campaigns, each with the status of their email and what they did with it.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Campaign, CampaignRecipient } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import type { Delivery } from "../model/Submission.ts"
import type { VisitedBy } from "../model/Visit.ts"
import { CampaignStore, type RecipientFilter } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { comparableAddress } from "../shared/EmailAddress.ts"
import { clickedNumbers, linkTools, numberedLinks } from "./LinkRules.ts"

/** The filter by which a caller selects recipients. */
export interface RecipientQuery extends Omit<RecipientFilter, "links"> {
  /** Selects people who clicked at least one of the links with these numbers. */
  readonly link?: Among<number>
}

/** A recipient with their contact, email and activity. */
export interface ShownRecipient {
  readonly recipient: CampaignRecipient
  /** The contact; null if it has been erased since. */
  readonly contact: Contact | null
  /** The email of a recipient who is Submitted; null for all others, and if the email was erased. */
  readonly delivery: Delivery | null
  readonly openedBy: VisitedBy
  readonly clickedBy: VisitedBy
  /** The numbers of the clicked links, in ascending order. */
  readonly links: ReadonlyArray<number>
  /** The number of orders that followed a click in the email. */
  readonly conversions: number
}

type Failure = Problem | Unavailable

/** Reads the recipients of campaigns. */
export class CampaignRecipients extends Context.Service<
  CampaignRecipients,
  {
    /** Converts a query to a filter, with the link numbers replaced by links. Fails with common.not_found. */
    readonly filterOf: (
      accountId: string,
      id: string,
      query: RecipientQuery
    ) => Effect.Effect<RecipientFilter, Failure>
    /** Lists the recipients of a campaign that match a query, ordered by contact id. Fails with common.not_found. */
    readonly list: (
      accountId: string,
      id: string,
      query: RecipientQuery,
      page: PageRequest
    ) => Effect.Effect<Page<ShownRecipient>, Failure>
    /** Returns one recipient. Fails with common.not_found. */
    readonly get: (accountId: string, id: string, contactId: string) => Effect.Effect<ShownRecipient, Failure>
    /**
     * Adds contact, email and activity to recipients of a campaign, and keeps their order. Needs a fixed number of
     * reads.
     */
    readonly describe: (
      campaign: Campaign,
      recipients: ReadonlyArray<CampaignRecipient>
    ) => Effect.Effect<ReadonlyArray<ShownRecipient>, Unavailable>
  }
>()("svc/campaigns/CampaignRecipients") {
  static readonly layer = Layer.effect(
    CampaignRecipients,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const store = yield* CampaignStore
      const submissions = yield* SubmissionStore
      const tools = yield* linkTools

      const find = Effect.fnUntraced(function* (accountId: string, id: string) {
        const [campaign] = isUuid(id) ? yield* store.find(accountId, [id.toLowerCase()]) : []
        return campaign ?? (yield* Problem.of("common.not_found"))
      })

      const linksOf = Effect.fnUntraced(function* ({ accountId, id, version }: Campaign) {
        const found = yield* store.versions(
          Array.from({ length: version }, (_, index) => ({ accountId, campaignId: id, version: index + 1 }))
        )
        return numberedLinks(
          found.toSorted((a, b) => a.version - b.version),
          tools
        )
      })

      const resolve = Effect.fnUntraced(function* (
        campaign: Campaign,
        { link = null, q = null, ...query }: RecipientQuery
      ) {
        const links =
          link === null ? null : (yield* linksOf(campaign)).filter(({ number }) => link.includes(number))
        return {
          ...query,
          ...(q !== null && { q: comparableAddress(q) }),
          ...(links !== null && {
            links: links.map(({ link: name, variant, version }) => ({ version, variant, link: name }))
          })
        }
      })

      const describe = Effect.fn("CampaignRecipients.describe")(function* (
        campaign: Campaign,
        recipients: ReadonlyArray<CampaignRecipient>
      ) {
        const { accountId } = campaign
        const emails = recipients.flatMap(({ deliveryId }) => (deliveryId === null ? [] : [deliveryId]))
        const people = yield* contacts.find(accountId, {
          ids: recipients.map(({ contactId }) => contactId),
          externalIds: [],
          emails: []
        })
        const found = yield* submissions.deliveries(emails.map((id) => ({ accountId, id })))
        const results = yield* store.results(accountId, emails)
        const numbered = results.some(({ links }) => links.length > 0) ? yield* linksOf(campaign) : []
        const byContact = new Map(people.map((contact) => [contact.id, contact]))
        const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
        const byEmail = new Map(results.map((result) => [result.deliveryId, result]))
        return recipients.map((recipient): ShownRecipient => {
          const contact = byContact.get(recipient.contactId)
          const result = byEmail.get(recipient.deliveryId ?? "")
          return {
            recipient,
            contact: contact === undefined || contact.erasedAt !== null ? null : contact,
            delivery: byId.get(recipient.deliveryId ?? "") ?? null,
            openedBy: result?.openedBy ?? "None",
            clickedBy: result?.clickedBy ?? "None",
            links: clickedNumbers(numbered, recipient, result?.links ?? []),
            conversions: result?.conversions ?? 0
          }
        })
      })

      return CampaignRecipients.of({
        filterOf: Effect.fn("CampaignRecipients.filterOf")(function* (accountId, id, query) {
          return yield* resolve(yield* find(accountId, id), query)
        }),
        list: Effect.fn("CampaignRecipients.list")(function* (accountId, id, query, request) {
          const campaign = yield* find(accountId, id)
          const filter = yield* resolve(campaign, query)
          const page = yield* store.recipients(accountId, campaign.id, filter, request)
          return { ...page, items: yield* describe(campaign, page.items) }
        }),
        get: Effect.fn("CampaignRecipients.get")(function* (accountId, id, contactId) {
          const campaign = yield* find(accountId, id)
          const found = isUuid(contactId)
            ? yield* store.recipient(accountId, campaign.id, contactId.toLowerCase())
            : null
          if (found === null) return yield* Problem.of("common.not_found")
          return (yield* describe(campaign, [found]))[0]!
        }),
        describe
      })
    })
  )
}
