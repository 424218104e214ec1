/**
 * Inserts submissions.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Queue } from "../../../core/ports/JobQueue.ts"
import type { SubmissionJob, SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { type ContentParts, maxInlineBodies, partsOf, piecesOf } from "../../../core/model/Content.ts"
import { type NewSubmission, type SubmissionSummary, summaryOf } from "../../../core/model/Submission.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { makeEnqueueSql } from "../sql/enqueueSql.ts"
import { orUnavailable, orRetry } from "../sql/errors.ts"
import { Statistics } from "../engine/Statistics.ts"
import { afterCommit } from "../Transaction.ts"
import {
  type AttachmentRow,
  attachments,
  bytesOfHash,
  contents,
  countedRecipients,
  type InsertedSubmission,
  recipients
} from "./rows.ts"

const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A submission with its content in parts. */
interface Divided {
  readonly submission: NewSubmission
  readonly parts: ContentParts
}

const toInserted = ({
  parts: { bodies, inline },
  submission: { marketing, ...submission }
}: Divided): InsertedSubmission => ({
  ...submission,
  contactId: marketing?.contactId ?? null,
  topicId: marketing?.topicId ?? null,
  campaignId: marketing?.campaign?.id ?? null,
  campaignVersion: marketing?.campaign?.version ?? null,
  variant: marketing?.campaign?.variant ?? null,
  ...inline,
  bodiesHash: bodies === null ? null : bytesOfHash(bodies.hash),
  htmlBytes: bodies?.htmlBytes ?? null,
  textBytes: bodies?.textBytes ?? null
})

/** The ids of objects outside the database, by hash; undefined if the database keeps the content. */
type Objects = ReadonlyMap<string, string> | undefined

/** A row that the statement returns: a submission that it added, or a queue to which it added jobs. */
type AddedRow = { readonly id: string; readonly queue: null } | { readonly id: null; readonly queue: Queue }

/** Makes `insert`. `ofKeys` finds submissions by their idempotency keys. */
export const makeInsertion = Effect.fnUntraced(function* (
  ofKeys: (
    accountId: string,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<SubmissionSummary>, Unavailable>
) {
  const sql = yield* SqlClient
  const { insertion, notification, wake } = yield* makeEnqueueSql
  const { noteCommit } = yield* Statistics
  const notified = notification("enqueued")
  const contentNames = sql.literal(contents.names)
  const contentFields = sql.literal(contents.fields)
  const contentRecord = sql.literal(contents.recordset)
  const recipientNames = sql.literal(recipients.names)
  const recipientFields = sql.literal(recipients.fields)
  const recipientRecord = sql.literal(countedRecipients.recordset)
  const attachmentNames = sql.literal(attachments.names)
  const attachmentFields = sql.literal(attachments.fields)
  const attachmentRecord = sql.literal(attachments.recordset)

  /** The part of a statement that inserts attachments; empty if no email has any, as is usual. */
  const attached = (divided: ReadonlyArray<Divided>) => {
    const files = divided.flatMap(({ parts, submission: { accountId, attachments: given, id } }) =>
      given.map(({ content, contentId, contentType, filename }, position): AttachmentRow => ({
        accountId,
        submissionId: id,
        position,
        filename,
        contentType,
        contentId,
        hash: bytesOfHash(parts.attachments[position]!.hash),
        size: content.length
      }))
    )
    if (files.length === 0) return sql``
    return sql`, attached as (
      insert into attachments (${attachmentNames})
      select ${attachmentFields} from json_to_recordset(${attachments.encode(files)}::json) as r(${attachmentRecord})
      where ("submissionId" in (select id from added)) is true
    )`
  }

  /**
   * The part that stores content and its uses; empty if there are only small bodies. Content that no added submission uses is
   * not stored. Hashes are sorted, like keys. If content is removed at the same time, the foreign key rejects its use.
   */
  const used = (accountId: string, divided: ReadonlyArray<Divided>, objects: Objects) => {
    const pieces = [...piecesOf(divided.map(({ parts }) => parts))]
    if (pieces.length === 0) return sql``
    const uses = divided.flatMap(({ parts, submission }) =>
      [...piecesOf([parts]).keys()].map((hash) => [hash, submission.id] as const)
    )
    const firstUse = new Map(uses.toReversed())
    const added = objects === undefined ? pieces : pieces.filter(([hash]) => objects.has(hash))
    const idOf = ([hash]: (typeof added)[number]) => objects?.get(hash) ?? firstUse.get(hash)!
    const hashes = sql`unnest(${added.map(([hash]) => bytesOfHash(hash))}::bytea[])`
    const ids = sql`unnest(${added.map(idOf)}::uuid[])`
    const rows =
      objects === undefined
        ? sql`rows from (${hashes}, ${ids}, unnest(${added.map(([, bytes]) => bytes)}::bytea[])) as r(hash, id, content)`
        : sql`(select hash, id, null::bytea as content from rows from (${hashes}, ${ids}) as o(hash, id)) as r`
    const kept =
      added.length === 0
        ? sql``
        : sql`, kept as (
          insert into contents (account_id, hash, id, content)
          select ${accountId}, hash, id, content from ${rows} where (hash in (select hash from used)) is true
          order by hash on conflict (account_id, hash) do nothing
        )`
    return sql`, used as materialized (
      select hash, submission from rows from (
        unnest(${uses.map(([hash]) => bytesOfHash(hash))}::bytea[]), unnest(${uses.map(([, id]) => id)}::uuid[])
      ) as r(hash, submission) where (submission in (select id from added)) is true
    )${kept}, named as (
      insert into contents_uses (account_id, hash, submission_id)
      select ${accountId}, hash, submission from used order by hash, submission
    )`
  }

  /**
   * The part that adds jobs, and the rows that the statement returns. All added rows are counted, which ensures that the rows
   * of jobs are locked after those of all submissions.
   */
  const enqueued = (jobs: ReadonlyArray<SubmissionJob>) =>
    jobs.length === 0
      ? sql` select id, null as queue from added`
      : sql`, enqueued as (${insertion(
          jobs,
          sql`case when "submissionId" is null then (select count(*) from added) > 0
            else "submissionId" in (select id from added) end`
        )})
        select id, null as queue from added
        union all select null, queue from (${notified}) as n`

  /**
   * A single statement, which commits on its own outside a transaction. Keys are sorted, so that two overlapping batches
   * cannot deadlock. Of several submissions with the same key, the first is added. `is true` prevents the look-up of ids
   * from becoming a join, which can be slow.
   */
  const add = (
    accountId: string,
    submissions: ReadonlyArray<NewSubmission>,
    jobs: ReadonlyArray<SubmissionJob>,
    objects: Objects
  ) => {
    const divided = submissions.map((submission) => ({
      submission,
      parts: partsOf(submission, sha256Hex, objects === undefined ? maxInlineBodies : 0)
    }))
    const addressed = submissions.flatMap(({ createdAt, deliveries: given, language, marketing }) => {
      const campaign = marketing?.campaign ?? null
      const ofCampaign = {
        campaignId: campaign?.id ?? null,
        part: campaign && `${campaign.variant ?? ""}|${campaign.version}|${language ?? ""}|`,
        contactId: campaign && marketing!.contactId
      }
      return given.map((delivery, position) => ({ ...delivery, position, createdAt, ...ofCampaign }))
    })
    return sql<AddedRow>`
      with added as (
        insert into submissions (${contentNames})
        select ${contentFields} from rows from (
          json_to_recordset(${contents.encode(divided.map(toInserted))}::json) as (${contentRecord})
        ) with ordinality as r(${contentFields}, n)
        order by "idempotencyKey" collate "C", n
        on conflict (account_id, idempotency_key) where idempotency_key is not null do nothing
        returning id
      ), addressed as (
        insert into deliveries (${recipientNames}, campaign_part)
        select ${recipientFields}, part || coalesce((
          select country_code from contacts where account_id = "accountId" and id = "contactId" limit 1
        ), '')
        from json_to_recordset(${countedRecipients.encode(addressed)}::json) as r(${recipientRecord})
        where ("submissionId" in (select id from added)) is true
      )${attached(divided)}${used(accountId, divided, objects)}${enqueued(jobs)}`
  }

  /** The results of submissions. `rows` are those that were added. */
  const resultsOf = Effect.fnUntraced(function* (
    accountId: string,
    submissions: ReadonlyArray<NewSubmission>,
    jobs: ReadonlyArray<SubmissionJob>,
    objects: Objects,
    rows: ReadonlyArray<AddedRow>
  ): Effect.fn.Return<ReadonlyArray<SubmissionSummary>, Unavailable> {
    yield* wake(rows.flatMap(({ queue }) => (queue === null ? [] : [queue])))
    yield* afterCommit(noteCommit)
    const added = new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])))
    if (added.size === submissions.length) return submissions.map(summaryOf)
    const repeated = submissions.flatMap(({ id, idempotencyKey }) =>
      added.has(id) || idempotencyKey === null ? [] : [idempotencyKey]
    )
    // The statement that used a key before has committed, because the insertion waited for it.
    const earlier = new Map(
      (yield* ofKeys(accountId, repeated)).map((submission) => [submission.idempotencyKey, submission])
    )
    const results = submissions.map((submission) =>
      added.has(submission.id) ? summaryOf(submission) : earlier.get(submission.idempotencyKey)
    )
    // If the recipient of a submission was erased in the meantime, its key was released.
    const missing = submissions.filter((_, index) => results[index] === undefined)
    if (missing.length === 0) return results as ReadonlyArray<SubmissionSummary>
    // From here on nothing fails with a conflict, because the submissions already added must not be added again.
    const again = (yield* resultsOf(
      accountId,
      missing,
      jobs,
      objects,
      yield* orUnavailable(add(accountId, missing, jobs, objects))
    )).values()
    return results.map((result) => result ?? again.next().value!)
  })

  const insert: SubmissionStore["Service"]["insert"] = (accountId, submissions, jobs, objects) =>
    Effect.flatMap(orRetry(add(accountId, submissions, jobs, objects)), (rows) =>
      resultsOf(accountId, submissions, jobs, objects, rows)
    )

  return insert
})
