/**
 * Inserts submissions.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Queue } from "../../../core/ports/JobQueue.ts"
import type { SubmissionJob, SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { type Submission, type SubmissionSummary, summaryOf } from "../../../core/model/Submission.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { makeEnqueueSql } from "../sql/enqueueSql.ts"
import { orUnavailable, orRetry } from "../sql/errors.ts"
import { Statistics } from "../engine/Statistics.ts"
import { afterCommit } from "../Transaction.ts"
import { type AttachmentRow, attachments, contents, recipients } from "./rows.ts"

/** A row of the statement: a submission it added, or a queue it added jobs to. */
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
  const recipientRecord = sql.literal(recipients.recordset)
  const attachmentNames = sql.literal(attachments.names)
  const attachmentFields = sql.literal(attachments.fields)
  const attachmentRecord = sql.literal(attachments.recordset)

  /** The part of a statement that inserts attachments; empty for emails without any, as most are. */
  const attached = (submissions: ReadonlyArray<Submission>) => {
    const files = submissions.flatMap(({ accountId, attachments: given, id }) =>
      given.map((file, position) => ({ ...file, accountId, submissionId: id, position }))
    )
    if (files.length === 0) return sql``
    const rows: ReadonlyArray<AttachmentRow> = files
    return sql`, attached as (
      insert into attachments (${attachmentNames}, content)
      select ${attachmentFields}, content from rows from (
        json_to_recordset(${attachments.encode(rows)}::json) as (${attachmentRecord}),
        unnest(${files.map((file) => file.content)}::bytea[])
      ) as r(${attachmentFields}, content)
      where ("submissionId" in (select id from added)) is true
    )`
  }

  /**
   * The part that adds jobs, and the rows that the statement returns. All that is added is counted, so that the jobs'
   * rows are locked after those of all submissions.
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
   * One statement, which commits by itself outside a transaction. Keys are sorted, so that two overlapping batches
   * wait for each other only one way; of one key, the first submission is added. `is true` keeps the look-up of ids
   * from becoming a join, which can be slow.
   */
  const add = (submissions: ReadonlyArray<Submission>, jobs: ReadonlyArray<SubmissionJob>) => {
    const addressed = submissions.flatMap(({ createdAt, deliveries: given }) =>
      given.map((delivery, position) => ({ ...delivery, position, createdAt }))
    )
    return sql<AddedRow>`
      with added as (
        insert into submissions (${contentNames})
        select ${contentFields} from rows from (
          json_to_recordset(${contents.encode(submissions)}::json) as (${contentRecord})
        ) with ordinality as r(${contentFields}, n)
        order by "idempotencyKey" collate "C", n
        on conflict (account_id, idempotency_key) where idempotency_key is not null do nothing
        returning id
      ), addressed as (
        insert into deliveries (${recipientNames})
        select ${recipientFields}
        from json_to_recordset(${recipients.encode(addressed)}::json) as r(${recipientRecord})
        where ("submissionId" in (select id from added)) is true
      )${attached(submissions)}${enqueued(jobs)}`
  }

  /** The results of submissions of which `rows` are those that were added. */
  const resultsOf = Effect.fnUntraced(function* (
    accountId: string,
    submissions: ReadonlyArray<Submission>,
    jobs: ReadonlyArray<SubmissionJob>,
    rows: ReadonlyArray<AddedRow>
  ): Effect.fn.Return<ReadonlyArray<SubmissionSummary>, Unavailable> {
    yield* wake(rows.flatMap(({ queue }) => (queue === null ? [] : [queue])))
    yield* afterCommit(noteCommit)
    const added = new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])))
    if (added.size === submissions.length) return submissions.map(summaryOf)
    const repeated = submissions.flatMap(({ id, idempotencyKey }) =>
      added.has(id) || idempotencyKey === null ? [] : [idempotencyKey]
    )
    // The statement that had a key has committed, since the insertion waited for it.
    const earlier = new Map(
      (yield* ofKeys(accountId, repeated)).map((submission) => [submission.idempotencyKey, submission])
    )
    const results = submissions.map((submission) =>
      added.has(submission.id) ? summaryOf(submission) : earlier.get(submission.idempotencyKey)
    )
    // A submission whose recipient was erased meanwhile has released its key.
    const missing = submissions.filter((_, index) => results[index] === undefined)
    if (missing.length === 0) return results as ReadonlyArray<SubmissionSummary>
    // From here on nothing fails with a conflict: what was added before must not be added again.
    const again = (yield* resultsOf(
      accountId,
      missing,
      jobs,
      yield* orUnavailable(add(missing, jobs))
    )).values()
    return results.map((result) => result ?? again.next().value!)
  })

  const insert: SubmissionStore["Service"]["insert"] = (accountId, submissions, jobs) =>
    Effect.flatMap(orRetry(add(submissions, jobs)), (rows) => resultsOf(accountId, submissions, jobs, rows))

  return insert
})
