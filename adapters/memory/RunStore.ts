/**
 * Stores runs in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type Run, runStatuses } from "../../core/model/Run.ts"
import type { StepCount } from "../../core/model/StepCount.ts"
import { type ActiveRun, RunStore } from "../../core/ports/RunStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import {
  all,
  byField,
  byTime,
  compareText,
  firstRows,
  rowsBetween,
  SortedIndex,
  tally
} from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

const keyOf = ({ flowId, outcome, stepId }: StepCount): string => JSON.stringify([flowId, stepId, outcome])

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
    const counted = new SortedIndex<StepCount & { readonly id: string }>(
      (row) => row.flowId,
      (one, other) => compareText(one.id, other.id)
    )
    const counts = new Table<StepCount & { readonly id: string }>(database, {
      key: keyOf,
      indexes: [counted]
    })
    return { active, counted, counts, ended, inAll, ofContact, ofFlow, ofStatus, runs }
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
    active: (accountId, after, limit) =>
      database.read(() => {
        const order = (a: ActiveRun, b: ActiveRun) =>
          compareText(a.contactId, b.contactId) || compareText(a.flowId, b.flowId)
        return [...tablesOf(accountId).runs.rows()]
          .filter((run) => run.status === "Active" && (after === null || order(run, after) > 0))
          .toSorted(order)
          .slice(0, limit)
          .map(({ contactId, dueAt, flowId, id }) => ({ id, contactId, flowId, dueAt }))
      }),
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
    list: (accountId, flowId, filter, page) =>
      database.read(() => {
        const {
          contactId = null,
          id = null,
          since = null,
          status = null,
          step = null,
          until = null,
          version = null
        } = filter
        const passes = (run: Run) =>
          (id === null || id.includes(run.id)) &&
          (contactId === null || contactId.includes(run.contactId)) &&
          (status === null || status.includes(run.status)) &&
          (step === null || (run.stepId !== null && step.includes(run.stepId))) &&
          (version === null || version.includes(run.version)) &&
          (since === null || run.startedAt >= since) &&
          (until === null || run.startedAt < until)
        const found = tablesOf(accountId).ofFlow.rows(flowId).filter(passes)
        return pageOfAll(found, page, placeBy("startedAt"))
      }),
    ofContact: (accountId, contactId, page) =>
      database.read(() =>
        pageOfAll(tablesOf(accountId).ofContact.rows(contactId), page, placeBy("startedAt"))
      ),
    countOfFlow: (accountId, flowId) =>
      database.read(() => tally(tablesOf(accountId).ofFlow.rows(flowId), runStatuses, (run) => run.status)),
    activeByVersion: (accountId, flowId) =>
      database.read(() => {
        const active = tablesOf(accountId).ofStatus.rows(`${flowId} Active`)
        return [...Map.groupBy(active, (run) => run.version)].map(([version, runs]) => ({
          version,
          active: runs.length
        }))
      }),
    countSteps: (accountId, changes) =>
      database.write(() => {
        const { counts } = tablesOf(accountId)
        for (const change of changes) {
          const id = keyOf(change)
          const before = counts.get(id)
          if (before === undefined) counts.insert(frozen({ ...change, id }))
          else counts.replace(frozen({ ...before, count: before.count + change.count }))
        }
      }),
    stepCounts: (accountId, flowId) =>
      database.read(() =>
        tablesOf(accountId)
          .counted.rows(flowId)
          .filter(({ count }) => count > 0)
          .map(({ id: _id, ...count }) => count)
      ),
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
