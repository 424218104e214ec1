/**
 * Holds the tables of an account's submissions, deliveries and attachments.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { isFound } from "../../../core/sending/emails/EmailSearch.ts"
import type { DayDeliveries, SubmissionFilter, SubmissionRef } from "../../../core/ports/SubmissionStore.ts"
import { clickedBy, type DeliveryVisits, noVisits, openedBy } from "../../../core/model/Visit.ts"
import { deliveryStatuses, isPending } from "../../../core/model/DeliveryStatus.ts"
import {
  bodiesOf,
  type BodiesObject,
  type ContentParts,
  maxInlineBodies,
  type ObjectName,
  partsOf,
  piecesOf,
  type StoredAttachment,
  type StoredBodies,
  type StoredContent
} from "../../../core/model/Content.ts"
import {
  type Attachment,
  type Delivery,
  emailSource,
  maxSmallBodies,
  type NewSubmission,
  type SubmissionContent,
  type SubmissionSummary,
  type UnloadedSubmission
} from "../../../core/model/Submission.ts"
import {
  isAmong,
  mapPage,
  type Page,
  pageOfAll,
  type PageRequest,
  placeBy
} from "../../../core/shared/Page.ts"
import type { UtcDay } from "../../../core/shared/UtcDays.ts"
import { WriteConflict } from "../../../core/ports/Transaction.ts"
import { keyOf, VisitTables } from "./VisitTables.ts"
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
import { frozen, type Index, perAccount, Table } from "../engine/Table.ts"
import { CampaignTables } from "./CampaignTables.ts"

/** A submission with the ids of its deliveries, in the order of the recipients. */
interface Row extends SubmissionContent {
  readonly deliveryIds: ReadonlyArray<string>
  /** The content that has the bodies; null if they are in the row. */
  readonly bodies: ({ readonly hash: string } & Omit<BodiesObject, "object">) | null
}

/** Content of an account, identified by its hash. */
export interface ContentRow {
  readonly hash: string
  readonly id: string
  /** Null if the bytes are stored outside. */
  readonly bytes: Uint8Array | null
  /** The number of submissions that use it. */
  readonly uses: number
  /** When it is removed if it is unused then, in epoch milliseconds; null if it is not known to be unused. */
  readonly removeAt: number | null
}

/** A delivery, with the time of its submission. */
export interface DeliveryRow {
  readonly id: string
  readonly createdAt: number
  readonly delivery: Delivery
  /** The campaign that sent it; null for other emails. */
  readonly campaignId: string | null
}

/** The attachments of a submission that has any. */
interface Files {
  readonly id: string
  readonly attachments: ReadonlyArray<
    Omit<Attachment, "content"> & { readonly hash: string; readonly size: number }
  >
}

const newest = byField("createdAt")

const acceptedAt = ({ createdAt }: DeliveryRow): number => createdAt

const submissionOf = ({ delivery }: DeliveryRow): string => delivery.submissionId

const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** The fields of a submission after its content is erased. */
const emptied = {
  subject: "",
  html: null,
  text: null,
  bodies: null,
  headers: [],
  tags: {},
  metadata: {}
} as const

/** The tables of one account, and the operations over several of them. */
const makeSubmissionTables = (
  database: Database["Service"],
  visitsOf: (deliveryId: string) => DeliveryVisits,
  emailIndexes: ReadonlyArray<Index<DeliveryRow>>
) => {
  const order = new SortedIndex<Row>(() => all, newest)
  const withContent = new SortedIndex<Row>((row) => (row.contentErasedAt === null ? all : null), newest)
  const ofRun = new SortedIndex<Row>((row) => row.runId, newest)
  const marketingOf = new SortedIndex<Row>((row) => row.marketing?.contactId ?? null, newest)
  const ofTemplate = new SortedIndex<Row>((row) => row.templateId, newest)
  const submissions = new Table<Row, "submissions_idempotency_key">(database, {
    key: (row) => row.id,
    unique: { submissions_idempotency_key: (row) => row.idempotencyKey },
    indexes: [order, withContent, ofRun, marketingOf, ofTemplate]
  })
  const files = new Table<Files>(database, { key: (row) => row.id })
  /** The hashes of content that may be unused. */
  const unused = new Set<string>()
  const stored = new Table<ContentRow>(database, {
    key: (row) => row.hash,
    indexes: [
      {
        add: ({ hash, removeAt }) => {
          if (removeAt !== null) unused.add(hash)
        },
        remove: ({ hash }) => {
          unused.delete(hash)
        }
      }
    ]
  })
  const byStatus = new DistinctIndex<DeliveryRow>(({ delivery }) => delivery.status, submissionOf)
  const byEmail = new DistinctIndex<DeliveryRow>(({ delivery }) => delivery.email, submissionOf)
  const waiting = new SortedIndex<DeliveryRow>(
    ({ delivery }) => (delivery.status === "Queued" ? delivery.reason : null),
    (a, b) => compareText(a.id, b.id)
  )
  /** The ids of deliveries that are Queued. */
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
      accepted,
      ...emailIndexes
    ]
  })

  const deliveryOf = (id: string): Delivery => deliveries.get(id)!.delivery

  /** The bytes of content, copied because bytes cannot be frozen; or its name if they are stored outside. */
  const read = (accountId: string, hash: string): Uint8Array | ObjectName => {
    const { bytes, id } = stored.get(hash)!
    return bytes === null ? { accountId, hash, id } : new Uint8Array(bytes)
  }

  const bodiesOfRow = ({ accountId, bodies: apart, html, text }: Row): StoredBodies => {
    if (apart === null) return { html, text }
    const { hash, ...sizes } = apart
    const content = read(accountId, hash)
    return content instanceof Uint8Array
      ? bodiesOf(content, sizes)
      : { html: null, text: null, outside: { object: content, ...sizes } }
  }

  /** The bodies of a submission, if it exists. */
  const bodies = (submissionId: string): ReadonlyArray<SubmissionRef & StoredBodies> =>
    submissions
      .getMany([submissionId])
      .map((row) => ({ accountId: row.accountId, id: row.id, ...bodiesOfRow(row) }))

  const contents = (submissionId: string): ReadonlyArray<SubmissionRef & StoredContent> =>
    bodies(submissionId).map((found) => ({
      ...found,
      attachments: (files.get(submissionId)?.attachments ?? []).map(
        ({ hash, size: _size, ...attachment }): StoredAttachment => ({
          ...attachment,
          content: read(found.accountId, hash)
        })
      )
    }))

  /** The hashes of the content that a submission uses. */
  const usedBy = ({ bodies: apart, id }: Row): ReadonlySet<string> =>
    new Set([
      ...(apart === null ? [] : [apart.hash]),
      ...(files.get(id)?.attachments ?? []).map(({ hash }) => hash)
    ])

  /** Adds the content of a new submission, and its use. */
  const addContent = (parts: ContentParts, newId: string, objects?: ReadonlyMap<string, string>): void => {
    for (const [hash, bytes] of piecesOf([parts])) {
      const row = stored.get(hash)
      const id = objects === undefined ? newId : objects.get(hash)
      if (row !== undefined) stored.replace({ ...row, uses: row.uses + 1 })
      else if (id === undefined) throw new WriteConflict({ constraint: "foreign_key" })
      else {
        const kept = objects === undefined ? new Uint8Array(bytes) : null
        stored.insert({ hash, id, bytes: kept, uses: 1, removeAt: null })
      }
    }
  }

  /** Ends a submission's use of its content. */
  const release = (submission: Row): void => {
    for (const hash of usedBy(submission)) {
      const row = stored.get(hash)!
      stored.replace({ ...row, uses: row.uses - 1, removeAt: 0 })
    }
    files.remove(submission.id)
  }

  const removeUnused = (limit: number, now: number) => {
    const due = stored
      .getMany(unused)
      .filter(({ removeAt }) => removeAt !== null && removeAt <= now)
      .slice(0, limit)
    const gone = due.filter(({ uses }) => uses === 0)
    for (const row of due) if (row.uses > 0) stored.replace({ ...row, removeAt: null })
    stored.removeMany(gone.map(({ hash }) => hash))
    return { seen: due.length, outside: gone.filter(({ bytes }) => bytes === null) }
  }

  const unloaded = (row: Row): UnloadedSubmission => {
    const { bodies: apart, html, id, text } = row
    const bodyBytes =
      apart === null
        ? (html?.length ?? 0) + (text?.length ?? 0)
        : (apart.htmlBytes ?? 0) + (apart.textBytes ?? 0)
    const isLoaded = bodyBytes <= maxSmallBodies && (apart === null || stored.get(apart.hash)!.bytes !== null)
    return {
      ...brief(row),
      bodies: isLoaded ? bodiesOfRow(row) : null,
      bodyBytes,
      attachedBytes: (files.get(id)?.attachments ?? []).reduce((sum, { size }) => sum + Math.max(size, 1), 0)
    }
  }

  const brief = ({
    bodies: _bodies,
    deliveryIds,
    html: _html,
    text: _text,
    ...summary
  }: Row): SubmissionSummary => ({
    ...summary,
    deliveries: deliveryIds.map(deliveryOf)
  })

  const insert = (submission: NewSubmission, objects?: ReadonlyMap<string, string>): SubmissionSummary => {
    const earlier =
      submission.idempotencyKey === null
        ? undefined
        : submissions.by("submissions_idempotency_key", submission.idempotencyKey)
    if (earlier !== undefined) return brief(earlier)
    // Stored separately, because bytes cannot be frozen.
    const { attachments, html: _html, text: _text, ...rest } = submission
    const { deliveries: added, ...content } = frozen(rest)
    for (const delivery of added) {
      deliveries.insert({
        id: delivery.id,
        createdAt: content.createdAt,
        delivery,
        campaignId: content.marketing?.campaign?.id ?? null
      })
    }
    const parts = partsOf(submission, sha256Hex, objects === undefined ? maxInlineBodies : 0)
    addContent(parts, content.id, objects)
    if (attachments.length > 0) {
      const kept = attachments.map(({ content: bytes, ...attachment }, index) => ({
        ...attachment,
        hash: parts.attachments[index]!.hash,
        size: bytes.length
      }))
      files.insert({ id: content.id, attachments: kept })
    }
    const { bodies: apart, inline } = parts
    return brief(
      submissions.insert({
        ...content,
        ...inline,
        bodies: apart && { hash: apart.hash, htmlBytes: apart.htmlBytes, textBytes: apart.textBytes },
        deliveryIds: added.map((delivery) => delivery.id)
      })
    )
  }

  const erase = (email: string): ReadonlyArray<string> => {
    const gone: Array<string> = []
    for (const submission of submissions.getMany([...byEmail.members(email).keys()])) {
      const left = submission.deliveryIds.filter((id) => deliveryOf(id).email !== email)
      for (const id of submission.deliveryIds) if (!left.includes(id)) gone.push(id)
      if (left.length === 0) {
        release(submission)
        submissions.remove(submission.id)
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
      release(row)
      submissions.replace({ ...row, ...emptied, contentErasedAt: now })
    }
    return erased.flatMap((row) => row.deliveryIds.map(deliveryOf))
  }

  /** The oldest deliveries that were created before a time, have a recipient and are not pending. */
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

  /** The number of emails accepted since a time, one for each recipient. */
  const volume = (since: number): number =>
    rowsBetween(accepted.rows(all), acceptedAt, { from: since, to: Infinity }).length

  /** The submissions that match a filter, oldest first. */
  const filtered = (filter: SubmissionFilter): ReadonlyArray<Row> => {
    const {
      campaignId = null,
      domain = null,
      flowId = null,
      from = null,
      reason = null,
      since = null,
      status = null
    } = filter
    const { keyId = null, source = null } = filter
    const {
      clicked = null,
      opened = null,
      provider = null,
      q = null,
      tag = null,
      templateId = null,
      to = null,
      until = null
    } = filter
    const isOfDelivery = [clicked, domain, opened, provider, reason, status, to].some(
      (values) => values !== null
    )
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
        (campaignId === null || campaignId.includes(row.marketing?.campaign?.id ?? "")) &&
        (keyId === null || (row.keyId !== null && keyId.includes(row.keyId))) &&
        isAmong(source, emailSource(row)) &&
        (templateId === null || (row.templateId !== null && templateId.includes(row.templateId))) &&
        (from === null || (row.from !== null && from.includes(row.from.email.toLowerCase()))) &&
        (tag === null || tag.some(({ name, value }) => row.tags[name] === value)) &&
        (q === null || isFound({ ...row, deliveries: row.deliveryIds.map(deliveryOf) }, q)) &&
        (!isOfDelivery ||
          row.deliveryIds
            .map(deliveryOf)
            .some(
              (delivery) =>
                isAmong(to, delivery.email) &&
                isAmong(status, delivery.status) &&
                (provider === null || (delivery.provider !== null && provider.includes(delivery.provider))) &&
                (opened === null || opened.includes(openedBy(visitsOf(delivery.id)))) &&
                (clicked === null || clicked.includes(clickedBy(visitsOf(delivery.id)))) &&
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

  /** When marketing email was submitted to a contact after a time, the latest first. */
  const marketingTimes = (contactId: string, after: number, most: number): ReadonlyArray<number> =>
    marketingOf
      .rows(contactId)
      .filter(
        ({ createdAt, deliveryIds }) =>
          createdAt > after &&
          deliveryIds
            .map(deliveryOf)
            .some(
              ({ reason, status }) =>
                status !== "Suppressed" && !(status === "Failed" && reason === "sending.cancelled")
            )
      )
      .map(({ createdAt }) => createdAt)
      .toReversed()
      .slice(0, most)

  /** When the latest submission with a template was created; undefined if there is none. */
  const lastUse = (templateId: string): number | undefined => ofTemplate.rows(templateId).at(-1)?.createdAt

  /** The ids of the deliveries to an address. */
  const deliveriesTo = (email: string): ReadonlyArray<string> =>
    submissions
      .getMany(byEmail.members(email).keys())
      .flatMap((row) => row.deliveryIds.filter((id) => deliveryOf(id).email === email))

  return {
    submissions,
    stored,
    removeUnused,
    deliveriesTo,
    marketingTimes,
    lastUse,
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
    volume,
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
    Effect.gen(function* () {
      const database = yield* Database
      const { table } = yield* VisitTables
      const { of: campaignsOf } = yield* CampaignTables
      return SubmissionTables.of({
        of: perAccount((accountId) =>
          makeSubmissionTables(
            database,
            (id) => table.get(keyOf({ accountId, id })) ?? noVisits(accountId, id),
            campaignsOf(accountId).emailIndexes
          )
        )
      })
    })
  )
}
