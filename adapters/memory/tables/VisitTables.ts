/**
 * Holds the table of deliveries' visits, which lists of emails also read.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { DeliveryVisits } from "../../../core/model/Visit.ts"
import type { DeliveryRef } from "../../../core/ports/SubmissionStore.ts"
import { Database } from "../engine/Database.ts"
import { all, byTime, compareText, SortedIndex } from "../engine/SortedIndex.ts"
import { type Index, Table } from "../engine/Table.ts"
import { CampaignTables } from "./CampaignTables.ts"

export interface VisitRow extends DeliveryVisits {
  readonly id: string
}

export const keyOf = ({ accountId, id }: DeliveryRef): string => `${accountId} ${id}`

/** The time of the oldest visit that is kept, in epoch milliseconds. */
export const oldestOf = ({ visits }: VisitRow): number => Math.min(...visits.map(({ at }) => at))

const byId = (a: VisitRow, b: VisitRow): number => compareText(a.id, b.id)

const makeTables = (database: Database["Service"], campaignsOf: CampaignTables["Service"]["of"]) => {
  const ofCampaigns: Index<VisitRow> = {
    add: (row) => campaignsOf(row.accountId).visitIndex.add(row),
    remove: (row) => campaignsOf(row.accountId).visitIndex.remove(row)
  }
  const ages = new SortedIndex<VisitRow>((row) => (row.visits.length === 0 ? null : all), byTime(oldestOf))
  const ofAccount = new SortedIndex<VisitRow>((row) => row.accountId, byId)
  const ofFlow = new SortedIndex<VisitRow>(
    ({ accountId, flowId }) => (flowId === null ? null : `${accountId} ${flowId}`),
    byId
  )
  const ofContact = new SortedIndex<VisitRow>(
    ({ accountId, contactId }) => (contactId === null ? null : `${accountId} ${contactId}`),
    byId
  )
  const table = new Table<VisitRow>(database, {
    key: (row) => row.id,
    indexes: [ages, ofAccount, ofFlow, ofContact, ofCampaigns]
  })
  return { ages, ofAccount, ofContact, ofFlow, table }
}

/** The visits of all accounts. */
export class VisitTables extends Context.Service<VisitTables, ReturnType<typeof makeTables>>()(
  "svc/adapters/memory/VisitTables"
) {
  static readonly layer = Layer.effect(
    VisitTables,
    Effect.gen(function* () {
      const { of: campaignsOf } = yield* CampaignTables
      return VisitTables.of(makeTables(yield* Database, campaignsOf))
    })
  )
}
