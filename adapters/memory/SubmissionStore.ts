/**
 * Submissions and deliveries in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { canMove } from "../../core/model/DeliveryStatus.ts"
import type { Delivery } from "../../core/model/Submission.ts"
import { Database } from "./engine/Database.ts"
import { lowerBound } from "./engine/SortedIndex.ts"
import { makeSubmissionTables, type DeliveryRow } from "./tables/SubmissionTables.ts"
import { perAccount } from "./engine/Table.ts"

const isPossible = ({ from, to }: DeliveryMove): boolean => from === to || canMove(from, to)

const refOf = ({ accountId, id }: Delivery): DeliveryRef => ({ accountId, id })

const submissionOf = ({ delivery }: DeliveryRow): string => delivery.submissionId

/** The port over a shared {@link Database}, whose `JobQueue` takes the jobs of submissions. */
export const layer = Layer.effect(
  SubmissionStore,
  Effect.gen(function* () {
    const database = yield* Database
    const queue = yield* JobQueue
    const outboxOf = perAccount(() => makeSubmissionTables(database))

    /** Changes the deliveries that exist and for which `change` answers something; answers them as they are now. */
    const changeEach = <Ref extends DeliveryRef>(
      refs: ReadonlyArray<Ref>,
      change: (delivery: Delivery, ref: Ref) => Partial<Delivery> | null
    ): ReadonlyArray<Delivery> =>
      refs.flatMap((ref) => {
        const { parcels } = outboxOf(ref.accountId)
        const parcel = parcels.get(ref.id)
        const changed = parcel === undefined ? null : change(parcel.delivery, ref)
        if (parcel === undefined || changed === null) return []
        const delivery = Object.freeze({ ...parcel.delivery, ...changed })
        parcels.replace({ ...parcel, delivery })
        return [delivery]
      })

    const rowsOf = (accountId: string, refs: ReadonlyArray<DeliveryRef>) => {
      const { parcels, submissions } = outboxOf(accountId)
      return submissions.getMany(parcels.getMany(refs.map((ref) => ref.id)).map(submissionOf))
    }

    return SubmissionStore.of({
      insert: (accountId, submissions, jobs) =>
        database.transaction(
          Effect.gen(function* () {
            const stored = yield* database.write(() => submissions.map(outboxOf(accountId).insert))
            const given = new Set(submissions.map(({ id }) => id))
            const added = new Set(stored.flatMap(({ id }) => (given.has(id) ? [id] : [])))
            const due = jobs.filter(({ submissionId }) =>
              submissionId === null ? added.size > 0 : added.has(submissionId)
            )
            yield* queue.enqueue(due.map(({ job }) => job))
            return stored
          })
        ),
      find: (accountId, ids) =>
        database.read(() => {
          const { brief, submissions } = outboxOf(accountId)
          return submissions.getMany(ids).map(brief)
        }),
      ofKeys: (accountId, keys) =>
        database.read(() => {
          const { brief, submissions } = outboxOf(accountId)
          return [...new Set(keys)].flatMap((key) => {
            const row = submissions.by("submissions_idempotency_key", key)
            return row === undefined ? [] : [brief(row)]
          })
        }),
      flowsOf: (accountId, ids) =>
        database.read(() =>
          outboxOf(accountId)
            .submissions.getMany(new Set(ids))
            .flatMap(({ flowId, id }) => (flowId === null ? [] : [{ id, flowId }]))
        ),
      list: (accountId, filter, page) => database.read(() => outboxOf(accountId).page(filter, page)),
      countByDay: (accountId, days) => database.read(() => outboxOf(accountId).countByDay(days)),
      unloaded: (refs) =>
        database.read(() =>
          [...Map.groupBy(refs, (ref) => ref.accountId)].flatMap(([accountId, group]) =>
            rowsOf(accountId, group).map(outboxOf(accountId).unloaded)
          )
        ),
      ofDeliveries: (refs) =>
        database.read(() =>
          [...Map.groupBy(refs, (ref) => ref.accountId)].flatMap(([accountId, group]) =>
            rowsOf(accountId, group).map(outboxOf(accountId).whole)
          )
        ),
      move: (moves) =>
        database.write(() => {
          const wrong = moves.find((move) => !isPossible(move))
          if (wrong !== undefined) throw new Error(`A delivery cannot go from ${wrong.from} to ${wrong.to}`)
          return changeEach(moves, (delivery, { at, attempts, claim, from, reason, to }) =>
            delivery.status !== from || (claim !== null && delivery.claims !== claim)
              ? null
              : {
                  status: to,
                  reason,
                  attempts,
                  claims: delivery.claims + (to === "HandingOff" ? 1 : 0),
                  committedAt: null,
                  updatedAt: at
                }
          )
        }),
      commit: (claims, at) =>
        database.write(() =>
          changeEach(claims, (delivery, { claim }) =>
            delivery.status === "HandingOff" && delivery.claims === claim ? { committedAt: at } : null
          ).map(refOf)
        ),
      deliveries: (refs) =>
        database.read(() =>
          [...Map.groupBy(refs, (ref) => ref.accountId)].flatMap(([accountId, group]) =>
            outboxOf(accountId)
              .parcels.getMany(group.map((ref) => ref.id))
              .map(({ delivery }) => delivery)
          )
        ),
      lockUnsent: (accountId, runIds) =>
        database.read(() => outboxOf(accountId).unsent([...new Set(runIds)])),
      engage: (kind, refs, at) =>
        database.write(() => {
          const field = kind === "opened" ? "openedAt" : "clickedAt"
          return changeEach(refs, (delivery) => (delivery[field] === null ? { [field]: at } : null))
        }),
      eraseContent: (accountId, before, limit, now) =>
        database.write(() => outboxOf(accountId).eraseContent(before, limit, now).map(refOf)),
      eraseRecipients: (accountId, before, limit) =>
        database.write(() =>
          changeEach(outboxOf(accountId).recipientsBefore(before, limit).map(refOf), () => ({
            email: "",
            name: null
          })).map(refOf)
        ),
      oldest: (accountId) => database.read(() => outboxOf(accountId).oldest()),
      erase: (accountId, emails) => database.write(() => emails.flatMap(outboxOf(accountId).erase)),
      waiting: (accountId, reason, after, limit) =>
        database.read(() => {
          const rows = outboxOf(accountId).waiting.rows(reason)
          const found = after === null ? 0 : lowerBound(rows, (row) => (row.id <= after ? -1 : 1))
          return rows.slice(found, found + limit).map(({ delivery }) => delivery)
        })
    })
  })
)
