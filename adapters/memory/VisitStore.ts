/**
 * Visits of deliveries, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type DeliveryVisits, noVisits } from "../../core/model/Visit.ts"
import type { DeliveryRef } from "../../core/ports/SubmissionStore.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { Database } from "./engine/Database.ts"
import { all, byTime, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

interface Row extends DeliveryVisits {
  readonly id: string
}

const keyOf = ({ accountId, id }: DeliveryRef): string => `${accountId} ${id}`
const oldestOf = ({ visits }: Row): number => Math.min(...visits.map(({ at }) => at))
const visitsOf = ({ id: _id, ...visits }: Row): DeliveryVisits => visits

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const ages = new SortedIndex<Row>((row) => (row.visits.length === 0 ? null : all), byTime(oldestOf))
  const table = new Table<Row>(database, { key: (row) => row.id, indexes: [ages] })
  const put = (visits: DeliveryVisits): void => {
    const row = frozen({ ...visits, id: keyOf({ accountId: visits.accountId, id: visits.deliveryId }) })
    if (table.get(row.id) === undefined) table.insert(row)
    else table.replace(row)
  }
  return VisitStore.of({
    lock: (refs) =>
      database.read(() =>
        [...new Map(refs.map((ref) => [keyOf(ref), ref]))].map(([key, { accountId, id }]) => {
          const row = table.get(key)
          return row === undefined ? noVisits(accountId, id) : visitsOf(row)
        })
      ),
    put: (given) => database.write(() => given.forEach(put)),
    of: (refs) => database.read(() => table.getMany(refs.map(keyOf)).map(visitsOf)),
    erase: (refs) => database.write(() => void table.removeMany(refs.map(keyOf))),
    prune: (before, limit) =>
      database.write(() => {
        const old = firstRows(ages.rows(all), limit, (row) => oldestOf(row) < before)
        for (const row of old) put({ ...visitsOf(row), visits: row.visits.filter(({ at }) => at >= before) })
        return old.length
      })
  })
}).pipe(Layer.effect(VisitStore))
