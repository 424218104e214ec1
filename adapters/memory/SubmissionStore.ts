/**
 * Submissions and deliveries in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  type DeliveryMove,
  type SubmissionFilter,
  SubmissionStore
} from "../../core/ports/SubmissionStore.ts"
import { canMove } from "../../core/sending/DeliveryStatus.ts"
import {
  type Delivery,
  type Submission,
  type SubmissionContent,
  summaryOf
} from "../../core/sending/Submission.ts"
import { mapPage, offsetOf, type Page, type PageRequest } from "../../core/shared/Page.ts"
import { Database } from "./Database.ts"
import { GroupIndex } from "./GroupIndex.ts"
import { byTime, compareText, lowerBound, OrderIndex } from "./OrderIndex.ts"
import { frozen, perAccount, Table } from "./Table.ts"

/** A submission with the ids of its deliveries, in the order of the recipients. */
interface Row extends SubmissionContent {
  readonly deliveryIds: ReadonlyArray<string>
}

/** An account's submissions are one group. */
const all = "all"

const newest = byTime<Row>((row) => row.createdAt)

const makeOutbox = (database: Database["Service"]) => {
  const order = new OrderIndex<Row>(() => all, newest)
  const submissions = new Table<Row, "submissions_idempotency_key">(database, {
    key: (row) => row.id,
    unique: { submissions_idempotency_key: (row) => row.idempotencyKey },
    indexes: [order]
  })
  const byStatus = new GroupIndex<Delivery>((delivery) => delivery.status, submissionOf)
  const byEmail = new GroupIndex<Delivery>((delivery) => delivery.email, submissionOf)
  const waiting = new OrderIndex<Delivery>(
    (delivery) => (delivery.status === "Queued" ? delivery.reason : null),
    (a, b) => compareText(a.id, b.id)
  )
  const deliveries = new Table<Delivery>(database, {
    key: (delivery) => delivery.id,
    indexes: [byStatus, byEmail, waiting]
  })

  const erase = (email: string): ReadonlyArray<string> => {
    const gone: Array<string> = []
    for (const submission of submissions.getMany([...byEmail.members(email).keys()])) {
      const left = submission.deliveryIds.filter((id) => deliveries.get(id)?.email !== email)
      for (const id of submission.deliveryIds) if (!left.includes(id)) gone.push(id)
      if (left.length === 0) submissions.remove(submission.id)
      else submissions.replace({ ...submission, deliveryIds: left })
    }
    for (const id of gone) deliveries.remove(id)
    return gone
  }

  const whole = ({ deliveryIds, ...content }: Row): Submission => ({
    ...content,
    deliveries: deliveryIds.map((id) => deliveries.get(id)!)
  })

  const insert = (submission: Submission): Submission => {
    const earlier =
      submission.idempotencyKey === null
        ? undefined
        : submissions.by("submissions_idempotency_key", submission.idempotencyKey)
    if (earlier !== undefined) return whole(earlier)
    const { deliveries: added, ...content } = frozen(submission)
    for (const delivery of added) deliveries.insert(delivery)
    return whole(submissions.insert({ ...content, deliveryIds: added.map((delivery) => delivery.id) }))
  }

  const page = ({ status, to }: SubmissionFilter, request: PageRequest): Page<Submission> => {
    if (status === null && to === null) {
      const rows = order.page(all, request)
      return { ...rows, items: rows.items.map(whole) }
    }
    // The recipient's submissions are fewer than a status's, so those are gone through.
    const [smaller, other] =
      to === null
        ? [byStatus.members(status!), null]
        : [byEmail.members(to), status === null ? null : byStatus.members(status)]
    const rows = submissions
      .getMany(smaller.keys())
      .filter((row) => other === null || other.has(row.id))
      .sort((a, b) => newest(b, a))
    const start = offsetOf(request)
    return {
      items: rows.slice(start, start + request.pageSize).map(whole),
      page: request.page,
      pageSize: request.pageSize,
      totalCount: rows.length
    }
  }

  return { submissions, deliveries, waiting, whole, insert, erase, page }
}

const submissionOf = (delivery: Delivery): string => delivery.submissionId

const isPossible = ({ from, to }: DeliveryMove): boolean => from === to || canMove(from, to)

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  SubmissionStore,
  Effect.gen(function* () {
    const database = yield* Database
    const outboxOf = perAccount(() => makeOutbox(database))

    return SubmissionStore.of({
      insert: (accountId, added) =>
        database.write(() => added.map(outboxOf(accountId).insert).map(summaryOf)),
      find: (accountId, ids) =>
        database.read(() => {
          const { submissions, whole } = outboxOf(accountId)
          return submissions.getMany(ids).map(whole).map(summaryOf)
        }),
      list: (accountId, filter, page) =>
        database.read(() => mapPage(outboxOf(accountId).page(filter, page), summaryOf)),
      ofDeliveries: (refs) =>
        database.read(() =>
          [...Map.groupBy(refs, (ref) => ref.accountId)].flatMap(([accountId, group]) => {
            const { deliveries, submissions, whole } = outboxOf(accountId)
            const found = deliveries.getMany(group.map((ref) => ref.id))
            return submissions.getMany(found.map(submissionOf)).map(whole)
          })
        ),
      move: (moves) =>
        database.write(() => {
          const wrong = moves.find((move) => !isPossible(move))
          if (wrong !== undefined) throw new Error(`A delivery cannot go from ${wrong.from} to ${wrong.to}`)
          return moves.flatMap(({ accountId, at, attempts, from, id, reason, to }) => {
            const { deliveries } = outboxOf(accountId)
            const delivery = deliveries.get(id)
            if (delivery?.status !== from) return []
            return [deliveries.replace({ ...delivery, status: to, reason, attempts, updatedAt: at })]
          })
        }),
      erase: (accountId, emails) => database.write(() => emails.flatMap(outboxOf(accountId).erase)),
      waiting: (accountId, reason, after, limit) =>
        database.read(() => {
          const rows = outboxOf(accountId).waiting.rows(reason)
          const found = after === null ? 0 : lowerBound(rows, (row) => (row.id <= after ? -1 : 1))
          return rows.slice(found, found + limit)
        })
    })
  })
)
