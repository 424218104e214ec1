/**
 * Holds the tables of an account's campaigns, and the counts of their recipients and emails.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type {
  Campaign,
  CampaignProgress,
  CampaignRecipient,
  CampaignVersion
} from "../../../core/model/Campaign.ts"
import type { Delivery } from "../../../core/model/Submission.ts"
import type { DeliveryVisits } from "../../../core/model/Visit.ts"
import { namesOfEmail, namesOfRecipient, namesOfVisits } from "../../../core/campaigns/CampaignRules.ts"
import { Database } from "../engine/Database.ts"
import { all, byField, compareText, SortedIndex } from "../engine/SortedIndex.ts"
import { type Index, perAccount, Table } from "../engine/Table.ts"

/** A recipient with its part, the hash of the address to which the email was submitted, and the country at that time. */
export interface RecipientRow extends CampaignRecipient {
  /** See `core/campaigns/CampaignRules.ts: partOfRecipient`. */
  readonly part: number
  readonly addressHash: string | null
  readonly country: string | null
}

/** An email of a campaign. */
export interface CampaignEmail {
  readonly campaignId: string | null
  readonly delivery: Delivery
}

/** The key of a recipient. */
export const recipientKey = (campaignId: string, contactId: string): string => `${campaignId} ${contactId}`

/** The key of a part of a campaign's recipients. */
export const partKey = (campaignId: string, part: number): string => `${campaignId} ${part}`

/** Adds up rows under their names, by campaign. Undoing a change counts as a change too. */
class CountsIndex<Row extends object> implements Index<Row> {
  readonly #namesOf: (row: Row) => readonly [campaignId: string | null, names: ReadonlyArray<string>]
  readonly #counts: Map<string, Map<string, number>>

  constructor(
    counts: Map<string, Map<string, number>>,
    namesOf: (row: Row) => readonly [campaignId: string | null, names: ReadonlyArray<string>]
  ) {
    this.#counts = counts
    this.#namesOf = namesOf
  }

  add(row: Row): void {
    this.#change(row, 1)
  }

  remove(row: Row): void {
    this.#change(row, -1)
  }

  #change(row: Row, by: number): void {
    const [campaignId, names] = this.#namesOf(row)
    if (campaignId === null) return
    const ofCampaign = this.#counts.get(campaignId) ?? new Map<string, number>()
    this.#counts.set(campaignId, ofCampaign)
    for (const name of names) {
      const count = (ofCampaign.get(name) ?? 0) + by
      if (count === 0) ofCampaign.delete(name)
      else ofCampaign.set(name, count)
    }
  }
}

const makeCampaignTables = (database: Database["Service"]) => {
  const counts = new Map<string, Map<string, number>>()
  const order = new SortedIndex<Campaign>(() => all, byField("createdAt"))
  const byId = (a: CampaignRecipient, b: CampaignRecipient) => compareText(a.contactId, b.contactId)
  const ofCampaign = new SortedIndex<RecipientRow>(({ campaignId }) => campaignId, byId)
  const pending = new SortedIndex<RecipientRow>(
    ({ campaignId, state }) => (state === "Pending" ? campaignId : null),
    (a, b) => a.dueAt - b.dueAt || byId(a, b)
  )
  const pendingOfPart = new SortedIndex<RecipientRow>(
    ({ campaignId, part, state }) => (state === "Pending" ? partKey(campaignId, part) : null),
    (a, b) => a.dueAt - b.dueAt || byId(a, b)
  )
  const ofContact = new SortedIndex<RecipientRow>(
    ({ contactId }) => contactId,
    (a, b) => compareText(a.campaignId, b.campaignId)
  )
  const inStatus = (status: Delivery["status"]) =>
    new SortedIndex<CampaignEmail & { readonly id: string }>(
      ({ campaignId, delivery }) => (delivery.status === status ? campaignId : null),
      (a, b) => a.delivery.attempts - b.delivery.attempts || compareText(a.id, b.id)
    )
  const queued = inStatus("Queued")
  const inReview = inStatus("PendingReview")
  return {
    campaigns: new Table<Campaign>(database, { key: ({ id }) => id, indexes: [order] }),
    versions: new Table<CampaignVersion>(database, {
      key: ({ campaignId, version }) => `${campaignId} ${version}`
    }),
    progress: new Table<CampaignProgress>(database, { key: ({ campaignId }) => campaignId }),
    recipients: new Table<RecipientRow, "campaign_recipients_address">(database, {
      key: ({ campaignId, contactId }) => recipientKey(campaignId, contactId),
      unique: {
        campaign_recipients_address: ({ addressHash, campaignId }) =>
          addressHash === null ? null : `${campaignId} ${addressHash}`
      },
      indexes: [
        ofCampaign,
        pending,
        pendingOfPart,
        ofContact,
        new CountsIndex<RecipientRow>(counts, ({ campaignId, reason, state }) => [
          campaignId,
          namesOfRecipient(state, reason)
        ])
      ]
    }),
    order,
    ofCampaign,
    pending,
    pendingOfPart,
    ofContact,
    queued,
    inReview,
    counts,
    /** The index of the table of visits by campaign. */
    visitIndex: new CountsIndex<DeliveryVisits>(counts, (visits) => [
      visits.campaignId,
      namesOfVisits(visits)
    ]),
    /** The indexes of the table of deliveries by campaign. */
    emailIndexes: [
      queued,
      inReview,
      new CountsIndex<CampaignEmail>(counts, ({ campaignId, delivery }) => [
        campaignId,
        campaignId === null ? [] : namesOfEmail(delivery)
      ])
    ] as const
  }
}

/** The tables of campaigns, by account. */
export class CampaignTables extends Context.Service<
  CampaignTables,
  {
    readonly of: (accountId: string) => ReturnType<typeof makeCampaignTables>
    /** The accounts that have tables. */
    readonly accountIds: ReadonlySet<string>
  }
>()("svc/adapters/memory/CampaignTables") {
  static readonly layer = Layer.effect(
    CampaignTables,
    Effect.map(Database, (database) => {
      const accountIds = new Set<string>()
      const of = perAccount((accountId) => {
        accountIds.add(accountId)
        return makeCampaignTables(database)
      })
      return CampaignTables.of({ of, accountIds })
    })
  )
}
