/**
 * Visits of deliveries, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type DeliveryVisits, noVisits } from "../../core/model/Visit.ts"
import type { DeliveryRef } from "../../core/ports/SubmissionStore.ts"
import { type VisitedCounts, VisitStore } from "../../core/ports/VisitStore.ts"
import { Database } from "./engine/Database.ts"
import { all, byTime, compareText, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"

interface Row extends DeliveryVisits {
  readonly id: string
}

const keyOf = ({ accountId, id }: DeliveryRef): string => `${accountId} ${id}`
const oldestOf = ({ visits }: Row): number => Math.min(...visits.map(({ at }) => at))
const visitsOf = ({ id: _id, ...visits }: Row): DeliveryVisits => visits

const byId = (a: Row, b: Row): number => compareText(a.id, b.id)

/** How many rows are counted as opened or clicked; `isIn` says whether a time is counted. */
const countsOf = (rows: ReadonlyArray<Row>, isIn: (at: number) => boolean): VisitedCounts => {
  const count = (timeOf: (row: Row) => number | null) =>
    rows.filter((row) => {
      const at = timeOf(row)
      return at !== null && isIn(at)
    }).length
  // The counts of a delivery of before visits were classified are 0.
  const isOpenUnknown = ({ clicks, opens }: Row): boolean =>
    opens.Human === 0 && opens.Unknown + clicks.Unknown > 0
  const isClickUnknown = ({ clicks }: Row): boolean => clicks.Human === 0 && clicks.Unknown > 0
  return {
    opened: count((row) => (isOpenUnknown(row) ? null : row.readerOpenedAt)),
    clicked: count((row) => (isClickUnknown(row) ? null : row.readerClickedAt)),
    openedUnknown: count((row) => (isOpenUnknown(row) ? row.readerOpenedAt : null)),
    clickedUnknown: count((row) => (isClickUnknown(row) ? row.readerClickedAt : null)),
    openedByMachines: count((row) => (row.readerOpenedAt === null ? row.firstOpenedAt : null)),
    clickedByMachines: count((row) => (row.readerClickedAt === null ? row.firstClickedAt : null))
  }
}

const latest = (times: ReadonlyArray<number | null>): number | null =>
  times.reduce((last, at) => (last === null || (at !== null && at > last) ? at : last), null)

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: submissionsOf } = yield* SubmissionTables
  const ages = new SortedIndex<Row>((row) => (row.visits.length === 0 ? null : all), byTime(oldestOf))
  const ofAccount = new SortedIndex<Row>((row) => row.accountId, byId)
  const ofFlow = new SortedIndex<Row>(
    ({ accountId, flowId }) => (flowId === null ? null : `${accountId} ${flowId}`),
    byId
  )
  const ofContact = new SortedIndex<Row>(
    ({ accountId, contactId }) => (contactId === null ? null : `${accountId} ${contactId}`),
    byId
  )
  const table = new Table<Row>(database, {
    key: (row) => row.id,
    indexes: [ages, ofAccount, ofFlow, ofContact]
  })
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
            .flatMap(({ deliveryId, flowId, readerClicks: clicks }) =>
              flowId === null || clicks.length === 0 ? [] : [{ deliveryId, flowId, contactId, clicks }]
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
