/**
 * Holds the conversions of each account, which the counts of emails also read.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Conversion } from "../../../core/model/Conversion.ts"
import { Database } from "../engine/Database.ts"
import { byField, SortedIndex } from "../engine/SortedIndex.ts"
import { perAccount, Table } from "../engine/Table.ts"

export const keyOf = ({ contactId, orderId }: Conversion): string => `${contactId} ${orderId}`

const makeTables = (database: Database["Service"]) => {
  const ofContact = new SortedIndex<Conversion>((row) => row.contactId, byField("orderedAt"))
  const ofFlow = new SortedIndex<Conversion>((row) => row.flowId, byField("orderedAt"))
  const ofCampaign = new SortedIndex<Conversion>((row) => row.campaignId, byField("orderedAt"))
  const ofDelivery = new SortedIndex<Conversion>((row) => row.deliveryId, byField("orderedAt"))
  const conversions = new Table<Conversion>(database, {
    key: keyOf,
    indexes: [ofContact, ofFlow, ofCampaign, ofDelivery]
  })
  return { conversions, ofContact, ofFlow, ofCampaign, ofDelivery }
}

/** The conversions of each account. */
export class ConversionTables extends Context.Service<
  ConversionTables,
  { readonly of: (accountId: string) => ReturnType<typeof makeTables> }
>()("svc/adapters/memory/ConversionTables") {
  static readonly layer = Layer.effect(
    ConversionTables,
    Effect.map(Database, (database) => ConversionTables.of({ of: perAccount(() => makeTables(database)) }))
  )
}
