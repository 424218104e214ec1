/**
 * Runs transactions in memory, one after the other.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Transaction } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  Transaction,
  Effect.map(Database, ({ transaction }) => Transaction.of({ areSerial: true, run: transaction }))
)
