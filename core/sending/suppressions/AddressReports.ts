/**
 * Applies bounces and complaints to addresses: to the consent of contacts and to the suppression list.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { type AddressReport, ConsentUpdates } from "../../audience/contacts/ConsentUpdates.ts"
import type { SuppressionSource } from "../../model/Suppression.ts"
import { SuppressionStore } from "../../ports/SuppressionStore.ts"

/** Applies bounces and complaints. */
export class AddressReports extends Context.Service<AddressReports>()("svc/sending/AddressReports", {
  make: Effect.gen(function* () {
    const suppressions = yield* SuppressionStore
    const { applyReports } = yield* ConsentUpdates
    return {
      /**
       * Moves the contacts with the reported addresses to Bounced or Complained and suppresses the addresses, in the caller's
       * transaction. Afterwards, contact and suppression agree: a contact that was Bounced or Complained before stays so, and
       * its suppression has the same kind. An entry of kind Protected is replaced by one of the report's kind.
       *
       * @param now epoch milliseconds
       * @param source the source of the reports
       */
      apply: Effect.fn("AddressReports.apply")(function* (
        reports: ReadonlyArray<AddressReport>,
        now: number,
        source: SuppressionSource = "Report"
      ) {
        if (reports.length === 0) return
        yield* suppressions.lock([...new Set(reports.map(({ accountId }) => accountId))], "Listing")
        const applied = yield* applyReports(reports)
        yield* suppressions.put(applied.map((report) => ({ ...report, source, createdAt: now })))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AddressReports, AddressReports.make)
}
