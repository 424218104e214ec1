/**
 * Stores notifications and the log of their attempts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  type NotificationFilter,
  NotificationStore,
  type ResentNotification
} from "../../core/ports/NotificationStore.ts"
import {
  comparePlaces,
  mapPage,
  type Page,
  pageOfAll,
  type PageRequest,
  type Place,
  placeById
} from "../../core/shared/Page.ts"
import { firstIdAt } from "../../core/shared/Uuid.ts"
import {
  maxLoggedAttempts,
  succeeded,
  type AttemptAnswer,
  type ClaimedNotification,
  type DeliveryLogEntry,
  type NewNotification,
  type NotificationDetail,
  type NotificationState,
  type NotificationSummary,
  type WebhookRef
} from "../../core/model/Webhook.ts"
import { Database } from "./engine/Database.ts"
import { DistinctIndex } from "./engine/DistinctIndex.ts"
import { all, byField, compareText, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"

interface Row extends NewNotification {
  readonly state: NotificationState
  readonly attempts: number
  readonly claims: number
  /** The time of the next attempt. */
  readonly runAt: number
  /** When the notification can be claimed: at `runAt`, or at the end of a claim. */
  readonly dueAt: number
}

interface Attempt extends WebhookRef, AttemptAnswer {
  readonly notificationId: string
  readonly attempt: number
  readonly at: number
}

const summaryOf = (row: Row): NotificationSummary => ({
  id: row.id,
  webhookId: row.webhookId,
  type: row.type,
  deliveryId: row.deliveryId,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.createdAt,
  nextAttemptAt: row.state === "Pending" ? row.runAt : null
})

const webhookKey = ({ accountId, webhookId }: WebhookRef): string => `${accountId} ${webhookId}`

const attemptKey = (notificationId: string, attempt: number): string => `${notificationId} ${attempt}`

const placeOfEntry = ({ at, attempt, notificationId }: DeliveryLogEntry): Place => [
  at,
  notificationId,
  attempt
]

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: submissionsOf } = yield* SubmissionTables
  const pending = new SortedIndex<Row>(
    (row) => (row.state === "Pending" ? webhookKey(row) : null),
    byField("dueAt")
  )
  const unattempted = new SortedIndex<Row>(
    (row) => (row.attempts === 0 && row.body !== "" ? webhookKey(row) : null),
    byField("createdAt")
  )
  const ages = new SortedIndex<Row>((row) => (row.body === "" ? null : all), byField("createdAt"))
  const newest = new SortedIndex<Row>(
    (row) => (row.body === "" ? null : row.accountId),
    (a, b) => compareText(a.id, b.id)
  )
  const byDelivery = new DistinctIndex<Row>(
    (row) => (row.deliveryId === null ? null : `${row.accountId} ${row.deliveryId}`),
    (row) => row.id
  )
  const rows = new Table<Row, "notifications_event">(database, {
    key: (row) => row.id,
    unique: {
      notifications_event: (row) =>
        row.deliveryId === null ? null : `${webhookKey(row)} ${row.deliveryId} ${row.type}`
    },
    indexes: [pending, unattempted, ages, newest, byDelivery]
  })
  const attemptOrder = new SortedIndex<Attempt>(
    webhookKey,
    (a, b) => a.at - b.at || compareText(a.notificationId, b.notificationId) || a.attempt - b.attempt
  )
  const attempts = new Table<Attempt>(database, {
    key: (row) => attemptKey(row.notificationId, row.attempt),
    indexes: [attemptOrder]
  })

  /** The row of a claim, if the claim is still valid. */
  const claimed = ({ claims, id }: ClaimedNotification): Row | undefined => {
    const row = rows.get(id)
    return row?.claims === claims ? row : undefined
  }

  const removeLog = ({ attempts: made, id }: Row): void => {
    for (let attempt = 1; attempt <= made; attempt++) attempts.remove(attemptKey(id, attempt))
  }

  const remove = (row: Row): void => {
    removeLog(row)
    rows.remove(row.id)
  }

  const empty = (row: Row): void => {
    removeLog(row)
    const state = row.state === "Pending" ? "Cancelled" : row.state
    rows.replace({ ...row, body: "", claims: row.claims + 1, state })
  }

  const insert = (notification: NewNotification): ReadonlyArray<string> => {
    const { accountId, deliveryId, type, createdAt } = notification
    const event = `${webhookKey(notification)} ${deliveryId} ${type}`
    if (deliveryId !== null && rows.by("notifications_event", event) !== undefined) return []
    const times = { runAt: createdAt, dueAt: createdAt }
    const { body, id, webhookId } = notification
    const given = { id, accountId, webhookId, type, deliveryId, body, createdAt }
    rows.insert({ ...frozen(given), state: "Pending", attempts: 0, claims: 0, ...times })
    return [id]
  }

  const logEntry = (attempt: Attempt): DeliveryLogEntry => {
    const row = rows.get(attempt.notificationId)!
    const isLast = row.attempts === attempt.attempt
    return {
      notificationId: row.id,
      type: row.type,
      attempt: attempt.attempt,
      at: attempt.at,
      httpStatus: attempt.httpStatus,
      error: attempt.error,
      durationMs: attempt.durationMs,
      nextAttemptAt: isLast && row.state === "Pending" ? row.runAt : null,
      state: isLast ? row.state : succeeded(attempt) ? "Succeeded" : "Failed"
    }
  }

  const waitingEntry = (row: Row): DeliveryLogEntry => ({
    notificationId: row.id,
    type: row.type,
    attempt: 0,
    at: row.createdAt,
    httpStatus: null,
    error: null,
    durationMs: null,
    nextAttemptAt: row.state === "Pending" ? row.runAt : null,
    state: row.state
  })

  const log = (ref: WebhookRef, page: PageRequest): Page<DeliveryLogEntry> => {
    const made = attemptOrder.rows(webhookKey(ref))
    const none = unattempted.rows(webhookKey(ref))
    const entries = [...made.map(logEntry), ...none.map(waitingEntry)].sort((a, b) =>
      comparePlaces(placeOfEntry(a), placeOfEntry(b))
    )
    return pageOfAll(entries, page, placeOfEntry)
  }

  const list = (
    accountId: string,
    { q = null, since = null, state = null, type = null, until = null, webhookId = null }: NotificationFilter,
    page: PageRequest
  ): Page<NotificationSummary> => {
    const lowest = since === null ? null : firstIdAt(Math.max(0, since))
    const highest = until === null ? null : firstIdAt(Math.max(0, until))
    const about = q === null ? null : new Set([q.toLowerCase(), ...submissionsOf(accountId).deliveriesTo(q)])
    const found = newest
      .rows(accountId)
      .filter(
        (row) =>
          (webhookId === null || webhookId.includes(row.webhookId)) &&
          (type === null || type.includes(row.type)) &&
          (state === null || state.includes(row.state)) &&
          (lowest === null || row.id >= lowest) &&
          (highest === null || row.id < highest) &&
          (about === null || (row.deliveryId !== null && about.has(row.deliveryId)))
      )
    return mapPage(pageOfAll(found, page, placeById), summaryOf)
  }

  const detailOf = (row: Row): NotificationDetail => ({
    ...summaryOf(row),
    body: row.body,
    log: Array.from({ length: row.attempts }, (_, index) => {
      const { answer, at, attempt, durationMs, error, httpStatus } = attempts.get(
        attemptKey(row.id, index + 1)
      )!
      return { attempt, at, httpStatus, error, durationMs, answer }
    })
  })

  const resend = (row: Row, now: number): ResentNotification => {
    const isClaimed = row.state === "Pending" && row.dueAt !== row.runAt && row.dueAt > now
    const isDue = isClaimed || row.attempts < maxLoggedAttempts
    if (isDue && !isClaimed) rows.replace({ ...row, state: "Pending", runAt: now, dueAt: now })
    return { id: row.id, isDue }
  }

  return NotificationStore.of({
    insert: (added) => database.write(() => added.flatMap(insert)),
    claim: (requests, lease, now) =>
      database.write(() =>
        requests.flatMap((request) => {
          const waiting = pending.rows(webhookKey(request))
          const due = firstRows(waiting, request.limit, (row) => row.dueAt <= now)
          const claimedUntil = now + lease
          return due.map((row): ClaimedNotification => {
            const {
              dueAt: _dueAt,
              runAt: _runAt,
              state: _state,
              ...notification
            } = rows.replace({
              ...row,
              claims: row.claims + 1,
              dueAt: claimedUntil
            })
            return { ...notification, claimedUntil }
          })
        })
      ),
    due: (refs, now, before) =>
      database.read(() =>
        refs.flatMap((ref) => {
          for (const { dueAt, runAt } of pending.rows(webhookKey(ref))) {
            if (dueAt > before) break
            if (dueAt <= now || dueAt !== runAt) return [{ ...ref, at: dueAt }]
          }
          return []
        })
      ),
    complete: (settled) =>
      database.write(() =>
        settled.flatMap(({ answer, at, nextAttemptAt, notification, state }) => {
          const row = claimed(notification)
          if (row === undefined) return []
          const attempt = row.attempts + 1
          const runAt = nextAttemptAt ?? row.runAt
          rows.replace({
            ...row,
            attempts: attempt,
            claims: row.claims + 1,
            state: row.state === "Pending" ? state : row.state,
            runAt,
            dueAt: runAt
          })
          const { accountId, id, webhookId } = row
          attempts.insert(frozen({ accountId, webhookId, notificationId: id, attempt, at, ...answer }))
          return [id]
        })
      ),
    release: (given, now) =>
      database.write(() => {
        for (const notification of given) {
          const row = claimed(notification)
          if (row !== undefined) rows.replace({ ...row, claims: row.claims + 1, dueAt: now })
        }
      }),
    cancel: (refs) =>
      database.write(() => {
        for (const ref of refs) {
          for (const row of pending.rows(webhookKey(ref)).slice())
            rows.replace({ ...row, state: "Cancelled" })
        }
      }),
    resend: (ref, ids, now) =>
      database.write(() =>
        rows
          .getMany([...new Set(ids)])
          .filter((row) => webhookKey(row) === webhookKey(ref) && row.body !== "")
          .map((row) => resend(row, now))
      ),
    erase: (accountId, deliveryIds) =>
      database.write(() => {
        for (const deliveryId of deliveryIds) {
          const ids = Array.from(byDelivery.members(`${accountId} ${deliveryId}`).keys())
          for (const row of rows.getMany(ids)) remove(row)
        }
      }),
    log: (ref, page) => database.read(() => log(ref, page)),
    get: (accountId, id) =>
      database.read(() => {
        const row = rows.get(id)
        return row === undefined || row.accountId !== accountId || row.body === "" ? null : detailOf(row)
      }),
    list: (accountId, filter, page) => database.read(() => list(accountId, filter, page)),
    prune: (before, limit) =>
      database.write(() => {
        const old = firstRows(ages.rows(all), limit, (row) => row.createdAt < before)
        for (const row of old) (row.type === "email.complained" ? empty : remove)(row)
        return old.length
      })
  })
}).pipe(Layer.effect(NotificationStore))
