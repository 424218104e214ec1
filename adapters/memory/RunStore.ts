/**
 * Runs in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type Run, runStatuses } from "../../core/model/Run.ts"
import { RunStore } from "../../core/ports/RunStore.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, byTime, firstRows, rowsBetween, SortedIndex, tally } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const newest = byField("startedAt")
  const tablesOf = perAccount(() => {
    const ofFlow = new SortedIndex<Run>((run) => run.flowId, newest)
    const ofStatus = new SortedIndex<Run>((run) => `${run.flowId} ${run.status}`, newest)
    const ofContact = new SortedIndex<Run>((run) => run.contactId, newest)
    const inAll = new SortedIndex<Run>(() => all, newest)
    const ended = new SortedIndex<Run>(
      (run) => (run.endedAt === null ? null : all),
      byTime((run) => run.endedAt!)
    )
    const active = new SortedIndex<Run>((run) => (run.status === "Active" ? run.contactId : null), newest)
    const runs = new Table<Run>(database, {
      key: (run) => run.id,
      indexes: [inAll, ofFlow, ofStatus, ofContact, ended, active]
    })
    return { active, ended, inAll, ofContact, ofFlow, ofStatus, runs }
  })

  return RunStore.of({
    insert: (accountId, runs) =>
      database.write(() => {
        const { active, runs: table } = tablesOf(accountId)
        return runs.flatMap((run) => {
          const isTaken =
            run.status === "Active" && active.rows(run.contactId).some((other) => other.flowId === run.flowId)
          if (isTaken) return []
          table.insert(frozen(run))
          return [run.id]
        })
      }),
    contactsOf: (accountId, ids) =>
      database.read(() =>
        tablesOf(accountId)
          .runs.getMany(ids)
          .map(({ contactId, id }) => ({ id, contactId }))
      ),
    lock: (accountId, ids) => database.read(() => tablesOf(accountId).runs.getMany(ids)),
    lockActive: (accountId, contactIds) =>
      database.read(() =>
        [...new Set(contactIds)].flatMap((contactId) => tablesOf(accountId).active.rows(contactId))
      ),
    save: (accountId, runs) =>
      database.write(() => {
        const { runs: table } = tablesOf(accountId)
        for (const run of runs) if (table.get(run.id) !== undefined) table.replace(frozen(run))
      }),
    appendLog: (accountId, id, entry) =>
      database.write(() => {
        const { runs: table } = tablesOf(accountId)
        const run = table.get(id)
        if (run !== undefined) table.replace(frozen({ ...run, log: [...run.log, entry] }))
      }),
    list: (accountId, flowId, status, page) =>
      database.read(() => {
        const { ofFlow, ofStatus } = tablesOf(accountId)
        return status === null
          ? ofFlow.page(flowId, page, placeBy("startedAt"))
          : ofStatus.page(`${flowId} ${status}`, page, placeBy("startedAt"))
      }),
    countOfFlow: (accountId, flowId) =>
      database.read(() => tally(tablesOf(accountId).ofFlow.rows(flowId), runStatuses, (run) => run.status)),
    countByDay: (accountId, days) =>
      database.read(() => {
        const rows = tablesOf(accountId).inAll.rows(all)
        return days.map((day) =>
          tally(
            rowsBetween(rows, (run) => run.startedAt, day),
            runStatuses,
            (run) => run.status
          )
        )
      }),
    prune: (accountId, before, limit) =>
      database.write(() => {
        const { ended, runs: table } = tablesOf(accountId)
        const gone = firstRows(ended.rows(all), limit, (run) => run.endedAt! < before)
        table.removeMany(gone.map((run) => run.id))
        return gone.length
      }),
    oldest: (accountId) =>
      database.read(() => {
        const { ended, inAll } = tablesOf(accountId)
        return inAll.rows(all).length === 0 ? null : { endedAt: ended.rows(all)[0]?.endedAt ?? null }
      }),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { ofContact, runs: table } = tablesOf(accountId)
        const gone = [...new Set(contactIds)].flatMap((contactId) => ofContact.rows(contactId))
        table.removeMany(gone.map((run) => run.id))
        return gone
      })
  })
}).pipe(Layer.effect(RunStore))
