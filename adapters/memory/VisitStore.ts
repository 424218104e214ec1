/**
 * Stores visits of deliveries in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { clickedBy, type DeliveryVisits, noVisits, openedBy } from "../../core/model/Visit.ts"
import { type VisitedCounts, VisitStore } from "../../core/ports/VisitStore.ts"
import { Database } from "./engine/Database.ts"
import { all, compareText, firstRows } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { keyOf, oldestOf, type VisitRow, VisitTables } from "./tables/VisitTables.ts"

const visitsOf = ({ id: _id, ...visits }: VisitRow): DeliveryVisits => visits

/** How many rows count as opened or clicked. `isIn` tells whether a time counts. */
const countsOf = (rows: ReadonlyArray<VisitRow>, isIn: (at: number) => boolean): VisitedCounts => {
  const count = (timeOf: (row: VisitRow) => number | null) =>
    rows.filter((row) => {
      const at = timeOf(row)
      return at !== null && isIn(at)
    }).length
  return {
    opened: count((row) => (openedBy(row) === "Human" ? row.readerOpenedAt : null)),
    clicked: count((row) => (clickedBy(row) === "Human" ? row.readerClickedAt : null)),
    openedUnknown: count((row) => (openedBy(row) === "Unknown" ? row.readerOpenedAt : null)),
    clickedUnknown: count((row) => (clickedBy(row) === "Unknown" ? row.readerClickedAt : null)),
    openedByMachines: count((row) => (openedBy(row) === "Machine" ? row.firstOpenedAt : null)),
    clickedByMachines: count((row) => (clickedBy(row) === "Machine" ? row.firstClickedAt : null))
  }
}

const latest = (times: ReadonlyArray<number | null>): number | null =>
  times.reduce((last, at) => (last === null || (at !== null && at > last) ? at : last), null)

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: submissionsOf } = yield* SubmissionTables
  const { ages, ofAccount, ofContact, ofFlow, table } = yield* VisitTables
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
    readerClicks: (accountId, contactIds) =>
      database.read(() =>
        [...new Set(contactIds)].flatMap((contactId) =>
          ofContact
            .rows(`${accountId} ${contactId}`)
            .flatMap(({ campaignId, deliveryId, flowId, readerClicks: clicks }) =>
              (flowId === null && campaignId === null) || clicks.length === 0
                ? []
                : [{ deliveryId, flowId, campaignId, contactId, clicks }]
            )
        )
      ),
    readers: (accountId, after, limit) =>
      database.read(() => {
        const ids = ofAccount
          .rows(accountId)
          .flatMap(({ contactId, readerClicks }) =>
            contactId === null || readerClicks.length === 0 ? [] : [contactId]
          )
        return [...new Set(ids)]
          .filter((id) => after === null || id > after)
          .toSorted(compareText)
          .slice(0, limit)
      }),
    latest: (accountId, emails) =>
      database.read(() =>
        [...new Set(emails)].map((email) => {
          const rows = table.getMany(
            submissionsOf(accountId)
              .deliveriesTo(email)
              .map((id) => keyOf({ accountId, id }))
          )
          return {
            email,
            openedAt: latest(rows.map((row) => row.readerOpenedAt)),
            clickedAt: latest(rows.map((row) => row.readerClickedAt))
          }
        })
      ),
    visitsTo: (accountId, email, limit) =>
      database.read(() =>
        table
          .getMany(
            submissionsOf(accountId)
              .deliveriesTo(email)
              .toSorted()
              .slice(-limit)
              .map((id) => keyOf({ accountId, id }))
          )
          .flatMap(({ visits }) => visits)
      ),
    countByDay: (accountId, days) =>
      database.read(() => {
        const rows = ofAccount.rows(accountId)
        return days.map(({ from, to }) => countsOf(rows, (at) => at >= from && at < to))
      }),
    countOfFlow: (accountId, flowId) =>
      database.read(() => countsOf(ofFlow.rows(`${accountId} ${flowId}`), () => true)),
    eraseVisits: (refs) =>
      database.write(() => {
        for (const row of table.getMany(refs.map(keyOf))) put({ ...visitsOf(row), visits: [] })
      }),
    erase: (refs) => database.write(() => void table.removeMany(refs.map(keyOf))),
    prune: (before, limit) =>
      database.write(() => {
        const old = firstRows(ages.rows(all), limit, (row) => oldestOf(row) < before)
        for (const row of old) put({ ...visitsOf(row), visits: row.visits.filter(({ at }) => at >= before) })
        return old.length
      })
  })
}).pipe(Layer.effect(VisitStore))
