/**
 * Reads an account's rows from memory, in the order of their keys.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { ExportStore } from "../../core/ports/ExportStore.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { Database } from "./engine/Database.ts"
import { ExportTables } from "./tables/ExportTables.ts"
import { all, compareText } from "./engine/SortedIndex.ts"

/** The first rows by key after the given key. */
const firstAfter = <Row>(
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => string,
  after: string | null,
  limit: number
): ReadonlyArray<Row> =>
  rows
    .filter((row) => after === null || compareText(keyOf(row), after) > 0)
    .sort((a, b) => compareText(keyOf(a), keyOf(b)))
    .slice(0, limit)

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables
  const { catalogueOf, suppressionsOf } = yield* ExportTables

  return ExportStore.of({
    contacts: (accountId, after, limit) =>
      database.read(() => firstAfter(audienceOf(accountId).listed.rows(all), ({ id }) => id, after, limit)),
    consents: (accountId, contactIds) =>
      database.read(() => contactIds.flatMap((id) => audienceOf(accountId).history.rows(id))),
    suppressions: (accountId, after, limit) =>
      database.read(() =>
        firstAfter(
          suppressionsOf(accountId)
            .rows()
            .filter(({ email }) => email.includes("@")),
          ({ email }) => email,
          after,
          limit
        )
      ),
    items: (accountId, after, limit) =>
      database.read(() => firstAfter(catalogueOf(accountId).rows(), ({ id }) => id, after, limit))
  })
}).pipe(Layer.effect(ExportStore))
