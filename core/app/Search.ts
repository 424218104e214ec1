/**
 * Finds anything in an account by what a person has at hand: an id, a Message-ID, an address, a number, a part of a name or
 * the beginning of a subject.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { CompanyRight } from "../model/Right.ts"
import type { SubmissionSummary } from "../model/Submission.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { ItemStore } from "../ports/ItemStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { SegmentStore } from "../ports/SegmentStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { orderStatuses } from "../model/Order.ts"
import type { Contact } from "../model/Contact.ts"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import { Crypto } from "../ports/Crypto.ts"
import { returnPathTokens } from "../sending/delivery/ReturnPath.ts"
import { parseEmail, searchedText } from "../shared/EmailAddress.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { foldCase } from "../shared/Validate.ts"

/** The kinds of things that can be found, in the order of the results, each with the right needed to list it. */
export const searchedKinds = {
  Contact: "contacts:read",
  Email: "emails:read",
  Campaign: "campaigns:read",
  Flow: "flows:read",
  Template: "templates:read",
  Segment: "segments:read",
  Domain: "domains:read",
  Webhook: "webhooks:read",
  ApiKey: "keys:read",
  Order: "orders:read",
  Item: "catalog:read",
  Event: "events:read"
} as const satisfies Readonly<Record<string, CompanyRight>>

/** A kind of thing that can be found. */
export type SearchedKind = keyof typeof searchedKinds

/** The most results of each kind. */
export const maxFound = 5

/** A result. */
export interface Found {
  readonly kind: SearchedKind
  readonly id: string
  readonly title: string
  readonly detail: string | null
  /** Whether the query identifies it exactly, by its id, Message-ID or whole address. */
  readonly isNamed: boolean
}

const firstPage = { page: 1, pageSize: maxFound, total: "Bounded" } as const

/** A page that holds everything of a kind of which an account has few. */
const allOfFew = { page: 1, pageSize: 200 } as const

/** The use case of searching an account. */
export class Search extends Context.Service<Search>()("svc/app/Search", {
  make: Effect.gen(function* () {
    const campaigns = yield* CampaignStore
    const contacts = yield* ContactStore
    const crypto = yield* Crypto
    const domains = yield* DomainStore
    const events = yield* EventStore
    const flows = yield* FlowStore
    const installationKeys = yield* InstallationKeys
    const items = yield* ItemStore
    const keys = yield* ApiKeyStore
    const orders = yield* OrderStore
    const segments = yield* SegmentStore
    const submissions = yield* SubmissionStore
    const templates = yield* TemplateStore
    const webhooks = yield* WebhookStore

    /** The submission with a Message-ID that this installation generated for the account. */
    const ofMessageId = Effect.fnUntraced(function* (accountId: string, q: string) {
      const { reports } = yield* installationKeys.get
      const messageId = q.startsWith("<") && q.endsWith(">") ? q.slice(1, -1) : q
      const ref = returnPathTokens(crypto, reports).ofMessageId(messageId)
      if (ref === null || ref.accountId !== accountId) return []
      const found = yield* submissions.unloaded([ref])
      return yield* submissions.find(
        accountId,
        found.map(({ id }) => id)
      )
    })

    const findersOf = (accountId: string, q: string) => {
      const folded = searchedText(q.replaceAll("\n", " "))
      const id = isUuid(q) ? q.toLowerCase() : null
      const email = parseEmail(q)
      const hasText = (...texts: ReadonlyArray<string | null>) =>
        texts.some((text) => text !== null && foldCase(text).includes(folded))
      /** The records, of a kind with few, that the query matches by id or text. */
      const among = <A extends { readonly id: string }>(
        records: ReadonlyArray<A>,
        textsOf: (record: A) => ReadonlyArray<string | null>
      ) => records.filter((record) => record.id === id || hasText(...textsOf(record))).slice(0, maxFound)
      const contact = ({
        email: address,
        externalId,
        firstName,
        id: contactId,
        lastName
      }: Contact): Omit<Found, "kind"> => {
        const name = [firstName, lastName].filter((part) => part !== null && part !== "").join(" ")
        const title = address ?? externalId ?? contactId
        return {
          id: contactId,
          title,
          detail: name === "" ? null : name,
          isNamed: contactId === id || (address !== null && address === email)
        }
      }
      const submission = ({ deliveries, id: emailId, subject }: SubmissionSummary, isNamed: boolean) => ({
        id: emailId,
        title: subject,
        detail: deliveries[0]?.email || null,
        isNamed
      })
      const named = (
        record: { readonly id: string; readonly name: string },
        detail: string | null = null
      ) => ({
        id: record.id,
        title: record.name,
        detail,
        isNamed: record.id === id
      })
      return {
        Contact: Effect.gen(function* () {
          if (id !== null) {
            const found = yield* contacts.find(accountId, { ids: [id], externalIds: [], emails: [] })
            return found.map(contact)
          }
          const now = yield* Clock.currentTimeMillis
          const page = yield* segments.find(accountId, { q: folded }, firstPage, now)
          return page.items.map(contact)
        }),
        Email: Effect.gen(function* () {
          const exact =
            id === null ? yield* ofMessageId(accountId, q) : yield* submissions.find(accountId, [id])
          if (exact.length > 0) return exact.map((one) => submission(one, true))
          // A whole address finds the emails sent to it; any other query may begin a subject or an address.
          const filter = email === null ? { q } : { to: [email] }
          const { items: sent } = yield* submissions.list(accountId, filter, firstPage)
          return sent.map((one) => submission(one, false))
        }),
        Campaign: Effect.map(
          id === null
            ? Effect.map(campaigns.list(accountId, { q }, firstPage), ({ items: some }) => some)
            : campaigns.find(accountId, [id]),
          (some) => some.map((campaign) => named(campaign, campaign.status))
        ),
        Flow: Effect.map(flows.search(accountId, id, q, maxFound), (found) =>
          found.map((flow) => named(flow, flow.status))
        ),
        Template: Effect.map(templates.search(accountId, id, q, maxFound), (found) =>
          found.map((template) => named(template, template.subject))
        ),
        Segment: Effect.map(segments.list(accountId), (all) =>
          among(all, ({ name }) => [name]).map((segment) => named(segment, segment.description))
        ),
        Domain: Effect.map(domains.list(accountId, allOfFew), (all) =>
          among(all.items, ({ domain }) => [domain]).map((one) => ({
            id: one.id,
            title: one.domain,
            detail: one.status,
            isNamed: one.id === id || one.domain === folded
          }))
        ),
        Webhook: Effect.map(webhooks.list(accountId, allOfFew), (all) =>
          among(all.items, ({ description, url }) => [url, description]).map((one) => ({
            id: one.id,
            title: one.url,
            detail: one.description,
            isNamed: one.id === id
          }))
        ),
        ApiKey: Effect.map(keys.list(accountId), (all) =>
          among(all, ({ display, name }) => [name, display]).map((key) => named(key, key.display))
        ),
        Order: Effect.map(
          orders.list(
            accountId,
            { storeId: null, statuses: orderStatuses, since: null, search: folded },
            firstPage
          ),
          (page) =>
            page.items.map((order) => ({
              id: order.id,
              title: order.number ?? order.externalId,
              detail: order.customerName ?? order.email,
              isNamed: false
            }))
        ),
        Item: Effect.map(items.find(accountId, null, [q]), (found) =>
          found.map(({ externalId, id: itemId, name }) => ({
            id: itemId,
            title: name,
            detail: externalId,
            isNamed: true
          }))
        ),
        Event: Effect.map(events.list(accountId, { q }, firstPage), (page) =>
          page.items.map((event) => ({
            id: event.id,
            title: event.name,
            detail: event.eventId,
            isNamed: event.id === id || event.eventId === q
          }))
        )
      } satisfies Readonly<
        Record<SearchedKind, Effect.Effect<ReadonlyArray<Omit<Found, "kind">>, Unavailable>>
      >
    }

    return {
      /**
       * The first {@link maxFound} results of each of the given kinds; exact matches come first. Each kind takes one look-up in
       * an index, and four run at the same time.
       *
       * @param q not empty
       */
      find: Effect.fn("Search.find")(function* (
        accountId: string,
        kinds: ReadonlyArray<SearchedKind>,
        q: string
      ) {
        const finders = findersOf(accountId, q)
        const found = yield* Effect.forEach(
          kinds,
          (kind) => Effect.map(finders[kind], (some) => some.map((one): Found => ({ ...one, kind }))),
          { concurrency: 4 }
        )
        const all = found.flat()
        return [...all.filter(({ isNamed }) => isNamed), ...all.filter(({ isNamed }) => !isNamed)]
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Search, Search.make)
}
