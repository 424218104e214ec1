/**
 * The tables of an account's submissions, deliveries and attachments.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { DayDeliveries, SubmissionFilter, SubmissionRef } from "../../../core/ports/SubmissionStore.ts"
import { deliveryStatuses, isPending } from "../../../core/model/DeliveryStatus.ts"
import {
  type Attachment,
  type Delivery,
  type EmailBodies,
  type EmailContent,
  maxSmallBodies,
  type Submission,
  type SubmissionContent,
  type SubmissionSummary,
  type UnloadedSubmission
} from "../../../core/model/Submission.ts"
import {
  type Among,
  mapPage,
  type Page,
  pageOfAll,
  type PageRequest,
  placeBy
} from "../../../core/shared/Page.ts"
import type { UtcDay } from "../../../core/shared/UtcDays.ts"
import { Database } from "../engine/Database.ts"
import { DistinctIndex } from "../engine/DistinctIndex.ts"
import {
  all,
  byField,
  byTime,
  compareText,
  firstRows,
  rowsBetween,
  SortedIndex,
  tally
} from "../engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "../engine/Table.ts"

/** A submission with the ids of its deliveries, in the order of the recipients. */
interface Row extends SubmissionContent {
  readonly deliveryIds: ReadonlyArray<string>
}

/** A delivery with its submission's time. */
export interface DeliveryRow {
  readonly id: string
  readonly createdAt: number
  readonly delivery: Delivery
}

/** The attachments of a submission that has any. */
interface Files {
  readonly id: string
  readonly attachments: ReadonlyArray<Attachment>
}

const newest = byField("createdAt")

const acceptedAt = ({ createdAt }: DeliveryRow): number => createdAt

const submissionOf = ({ delivery }: DeliveryRow): string => delivery.submissionId

/** Bytes cannot be frozen, so each reader gets a copy. */
const copied = (attachments: ReadonlyArray<Attachment>): ReadonlyArray<Attachment> =>
  attachments.map(({ content, ...attachment }) => ({ ...attachment, content: new Uint8Array(content) }))

/** The content of a submission after its erasure. */
const emptied = { subject: "", html: null, text: null, headers: [], tags: {}, metadata: {} } as const

/** The tables of one account, with the operations over several of them. */
const makeSubmissionTables = (database: Database["Service"]) => {
  const order = new SortedIndex<Row>(() => all, newest)
  const withContent = new SortedIndex<Row>((row) => (row.contentErasedAt === null ? all : null), newest)
  const ofRun = new SortedIndex<Row>((row) => row.runId, newest)
  const submissions = new Table<Row, "submissions_idempotency_key">(database, {
    key: (row) => row.id,
    unique: { submissions_idempotency_key: (row) => row.idempotencyKey },
    indexes: [order, withContent, ofRun]
  })
  const files = new Table<Files>(database, { key: (row) => row.id })
  const byStatus = new DistinctIndex<DeliveryRow>(({ delivery }) => delivery.status, submissionOf)
  const byEmail = new DistinctIndex<DeliveryRow>(({ delivery }) => delivery.email, submissionOf)
  const waiting = new SortedIndex<DeliveryRow>(
    ({ delivery }) => (delivery.status === "Queued" ? delivery.reason : null),
    (a, b) => compareText(a.id, b.id)
  )
  /** Ids of the Queued deliveries. */
  const queued = new Set<string>()
  const withRecipient = new SortedIndex<DeliveryRow>(
    ({ delivery }) => (delivery.email === "" ? null : all),
    byField("createdAt")
  )
  const accepted = new SortedIndex<DeliveryRow>(() => all, byTime(acceptedAt))
  const deliveries = new Table<DeliveryRow>(database, {
    key: (row) => row.id,
    indexes: [
      {
        add: ({ delivery, id }) => {
          if (delivery.status === "Queued") queued.add(id)
        },
        remove: ({ id }) => {
          queued.delete(id)
        }
      },
      byStatus,
      byEmail,
      waiting,
      withRecipient,
      accepted
    ]
  })

  const deliveryOf = (id: string): Delivery => deliveries.get(id)!.delivery

  /** The bodies of a submission, if it exists. */
  const bodies = (submissionId: string): ReadonlyArray<SubmissionRef & EmailBodies> =>
    submissions
      .getMany([submissionId])
      .map(({ accountId, html, id, text }) => ({ accountId, id, html, text }))

  const contents = (submissionId: string): ReadonlyArray<SubmissionRef & EmailContent> =>
    bodies(submissionId).map((found) => ({
      ...found,
      attachments: copied(files.get(submissionId)?.attachments ?? [])
    }))

  const unloaded = (row: Row): UnloadedSubmission => {
    const { html, id, text } = row
    const bodyBytes = (html?.length ?? 0) + (text?.length ?? 0)
    return {
      ...brief(row),
      bodies: bodyBytes > maxSmallBodies ? null : { html, text },
      bodyBytes,
      attachedBytes: (files.get(id)?.attachments ?? []).reduce(
        (sum, { content }) => sum + Math.max(content.length, 1),
        0
      )
    }
  }

  const brief = ({ deliveryIds, html: _html, text: _text, ...summary }: Row): SubmissionSummary => ({
    ...summary,
    deliveries: deliveryIds.map(deliveryOf)
  })

  const insert = (submission: Submission): SubmissionSummary => {
    const earlier =
      submission.idempotencyKey === null
        ? undefined
        : submissions.by("submissions_idempotency_key", submission.idempotencyKey)
    if (earlier !== undefined) return brief(earlier)
    const { attachments, ...rest } = submission
    const { deliveries: added, ...content } = frozen(rest)
    for (const delivery of added) {
      deliveries.insert({ id: delivery.id, createdAt: content.createdAt, delivery })
    }
    if (attachments.length > 0) files.insert({ id: content.id, attachments: copied(attachments) })
    return brief(submissions.insert({ ...content, deliveryIds: added.map((delivery) => delivery.id) }))
  }

  const erase = (email: string): ReadonlyArray<string> => {
    const gone: Array<string> = []
    for (const submission of submissions.getMany([...byEmail.members(email).keys()])) {
      const left = submission.deliveryIds.filter((id) => deliveryOf(id).email !== email)
      for (const id of submission.deliveryIds) if (!left.includes(id)) gone.push(id)
      if (left.length === 0) {
        submissions.remove(submission.id)
        files.remove(submission.id)
      } else submissions.replace({ ...submission, deliveryIds: left })
    }
    deliveries.removeMany(gone)
    return gone
  }

  const eraseContent = (before: number, limit: number, now: number): ReadonlyArray<Delivery> => {
    const erased = firstRows(
      withContent.rows(all),
      limit,
      (row) => row.createdAt < before,
      (row) => !row.deliveryIds.some((id) => isPending(deliveryOf(id).status))
    )
    for (const row of erased) {
      submissions.replace({ ...row, ...emptied, contentErasedAt: now })
      files.remove(row.id)
    }
    return erased.flatMap((row) => row.deliveryIds.map(deliveryOf))
  }

  /** The oldest deliveries made before a time that have a recipient and are not pending. */
  const recipientsBefore = (before: number, limit: number): ReadonlyArray<Delivery> =>
    firstRows(
      withRecipient.rows(all),
      limit,
      (row) => row.createdAt < before,
      ({ delivery }) => !isPending(delivery.status)
    ).map(({ delivery }) => delivery)

  const oldest = () => ({
    content: withContent.rows(all)[0]?.createdAt ?? null,
    recipients: withRecipient.rows(all)[0]?.createdAt ?? null
  })

  const countByDay = (days: ReadonlyArray<UtcDay>): ReadonlyArray<DayDeliveries> =>
    days.map((day) => {
      const ofDay = rowsBetween(accepted.rows(all), acceptedAt, day)
      return {
        statuses: tally(ofDay, deliveryStatuses, ({ delivery }) => delivery.status),
        softBounced: ofDay.filter(({ delivery }) => delivery.reason === "sending.mailbox_full").length
      }
    })

  /** The submissions of a filter, oldest first. */
  const filtered = (filter: SubmissionFilter): ReadonlyArray<Row> => {
    const { domain = null, flowId = null, from = null, reason = null, since = null, status = null } = filter
    const { templateId = null, to = null, until = null } = filter
    const isAmong = <A>(values: Among<A>, value: A) => values === null || values.includes(value)
    const isOfDelivery = [domain, reason, status, to].some((values) => values !== null)
    const sources =
      to !== null
        ? to.map((email) => byEmail.members(email))
        : status !== null
          ? status.map((one) => byStatus.members(one))
          : null
    const rows =
      sources === null
        ? order.rows(all)
        : submissions.getMany(new Set(sources.flatMap((ids) => [...ids.keys()]))).sort(newest)
    return rows.filter(
      (row) =>
        (since === null || row.createdAt >= since) &&
        (until === null || row.createdAt < until) &&
        (flowId === null || (row.flowId !== null && flowId.includes(row.flowId))) &&
        (templateId === null || (row.templateId !== null && templateId.includes(row.templateId))) &&
        (from === null || (row.from !== null && from.includes(row.from.email.toLowerCase()))) &&
        (!isOfDelivery ||
          row.deliveryIds
            .map(deliveryOf)
            .some(
              (delivery) =>
                isAmong(to, delivery.email) &&
                isAmong(status, delivery.status) &&
                (reason === null || (delivery.reason !== null && reason.includes(delivery.reason))) &&
                isAmong(domain, delivery.email.slice(delivery.email.lastIndexOf("@") + 1))
            ))
    )
  }

  const page = (filter: SubmissionFilter, request: PageRequest): Page<SubmissionSummary> =>
    mapPage(pageOfAll(filtered(filter), request, placeBy("createdAt")), brief)

  /** The deliveries of runs' emails that may not have been transmitted yet. */
  const unsent = (runIds: ReadonlyArray<string>): ReadonlyArray<Delivery> =>
    runIds
      .flatMap((runId) => ofRun.rows(runId).flatMap((row) => row.deliveryIds.map(deliveryOf)))
      .filter(({ committedAt, status }) => isPending(status) && committedAt === null)

  /** The ids of the deliveries to an address. */
  const deliveriesTo = (email: string): ReadonlyArray<string> =>
    submissions
      .getMany(byEmail.members(email).keys())
      .flatMap((row) => row.deliveryIds.filter((id) => deliveryOf(id).email === email))

  return {
    submissions,
    deliveriesTo,
    unsent,
    deliveries,
    queued,
    waiting,
    unloaded,
    bodies,
    contents,
    brief,
    insert,
    erase,
    eraseContent,
    recipientsBefore,
    oldest,
    countByDay,
    page
  }
}

/** The tables of submissions, by account. */
export class SubmissionTables extends Context.Service<
  SubmissionTables,
  { readonly of: (accountId: string) => ReturnType<typeof makeSubmissionTables> }
>()("svc/adapters/memory/SubmissionTables") {
  static readonly layer = Layer.effect(
    SubmissionTables,
    Effect.map(Database, (database) =>
      SubmissionTables.of({ of: perAccount(() => makeSubmissionTables(database)) })
    )
  )
}
