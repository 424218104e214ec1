/**
 * Holds the attempts of each account, which campaigns also read.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Attempt } from "../../../core/model/Message.ts"
import { Database } from "../engine/Database.ts"
import { SortedIndex } from "../engine/SortedIndex.ts"
import { perAccount, Table } from "../engine/Table.ts"

export const keyOf = ({ claim, deliveryId }: Pick<Attempt, "claim" | "deliveryId">): string =>
  `${deliveryId} ${claim}`

const makeAttempts = (database: Database["Service"]) => {
  const ofDelivery = new SortedIndex<Attempt>(
    (attempt) => attempt.deliveryId,
    (a, b) => a.claim - b.claim
  )
  const attempts = new Table<Attempt>(database, { key: keyOf, indexes: [ofDelivery] })
  return { attempts, ofDelivery }
}

/** The attempts of each account. */
export class AttemptTables extends Context.Service<
  AttemptTables,
  { readonly of: (accountId: string) => ReturnType<typeof makeAttempts> }
>()("svc/adapters/memory/AttemptTables") {
  static readonly layer = Layer.effect(
    AttemptTables,
    Effect.map(Database, (database) => AttemptTables.of({ of: perAccount(() => makeAttempts(database)) }))
  )
}
