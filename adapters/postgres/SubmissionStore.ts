/**
 * Submissions and deliveries in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type DeliveryMove,
  type DeliveryRef,
  type SubmissionFilter,
  SubmissionStore
} from "../../core/ports/SubmissionStore.ts"
import { canMove } from "../../core/sending/DeliveryStatus.ts"
import {
  type Delivery,
  type Submission,
  type SubmissionContent,
  type SubmissionSummary,
  summaryOf
} from "../../core/sending/Submission.ts"
import { offsetOf, type PageRequest } from "../../core/shared/Page.ts"
import { columnsOf } from "./columns.ts"
import { available } from "./errors.ts"
import { pageOf, type PageRow } from "./pages.ts"

const summaryTypes = {
  accountId: "uuid",
  id: "uuid",
  idempotencyKey: "text",
  from: "jsonb",
  subject: "text",
  tags: "jsonb",
  metadata: "jsonb",
  trackOpens: "boolean",
  trackClicks: "boolean",
  acceptedStatus: "text",
  acceptedReason: "text",
  createdAt: "timestamptz"
} satisfies Record<keyof Omit<SubmissionSummary, "deliveries">, string>

const summaries = columnsOf(summaryTypes)

const contents = columnsOf({ ...summaryTypes, html: "text", text: "text" } satisfies Record<
  keyof SubmissionContent,
  string
>)

const deliveryTypes = {
  accountId: "uuid",
  id: "uuid",
  submissionId: "uuid",
  email: "text",
  name: "text",
  kind: "text",
  status: "text",
  reason: "text",
  attempts: "integer",
  updatedAt: "timestamptz"
} satisfies Record<keyof Delivery, string>

const deliveries = columnsOf(deliveryTypes)

/** Deliveries as they are added: with their place in the submission, and its time. */
const recipients = columnsOf({ ...deliveryTypes, position: "integer", createdAt: "timestamptz" })

const moves = columnsOf({
  accountId: "uuid",
  id: "uuid",
  from: "text",
  to: "text",
  reason: "text",
  attempts: "integer",
  at: "timestamptz"
} satisfies Record<keyof DeliveryMove, string>)

/** A whole submission: its row, and its deliveries with their times as text. */
interface SubmissionRow {
  readonly deliveries: ReadonlyArray<{ readonly updatedAt: string }>
}

/** Before every id. */
const firstId = "00000000-0000-0000-0000-000000000000"

const toDelivery = (row: object): Delivery => deliveries.decode<Delivery>(row)

const deliveriesOf = (row: SubmissionRow): ReadonlyArray<Delivery> =>
  row.deliveries.map((delivery) => toDelivery({ ...delivery, updatedAt: new Date(delivery.updatedAt) }))

const toSubmission = (row: SubmissionRow): Submission => ({
  ...contents.decode<SubmissionContent>(row),
  deliveries: deliveriesOf(row)
})

const toSummary = (row: SubmissionRow): SubmissionSummary => ({
  ...summaries.decode<Omit<SubmissionSummary, "deliveries">>(row),
  deliveries: deliveriesOf(row)
})

const isPossible = ({ from, to }: DeliveryMove): boolean => from === to || canMove(from, to)

/**
 * The port over a `SqlClient`. The limits of 1 keep look-ups by key what they are, whatever the planner thinks of a
 * table.
 */
export const layer = Layer.effect(
  SubmissionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const contentNames = sql.literal(contents.names)
    const contentFields = sql.literal(contents.fields)
    const contentRecord = sql.literal(contents.recordset)
    const recipientNames = sql.literal(recipients.names)
    const recipientFields = sql.literal(recipients.fields)
    const recipientRecord = sql.literal(recipients.recordset)
    const deliveryColumns = sql.literal(deliveries.selected("d"))
    const moveRecord = sql.literal(`r(${moves.recordset})`)
    const withDeliveries = (columns: string) =>
      sql.literal(`${columns}, (
        select json_agg(recipient) from (
          select ${deliveries.selected("d")} from deliveries d
          where d.account_id = s.account_id and d.submission_id = s.id order by d.position
        ) recipient
      ) as deliveries`)
    /** Of a submission `s`. */
    const whole = withDeliveries(contents.selected("s"))
    const brief = withDeliveries(summaries.selected("s"))

    /**
     * The ids of those added. Keys are taken in one order, so that two batches that overlap wait for each other only
     * one way; of one key, the first given is taken. `is true` keeps the look-up of ids from becoming a join, which
     * can be a slow one.
     */
    const add = (submissions: ReadonlyArray<Submission>) => {
      const addressed = submissions.flatMap(({ createdAt, deliveries: given }) =>
        given.map((delivery, position) => ({ ...delivery, position, createdAt }))
      )
      return available(sql<{ id: string }>`
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
        )
        select id from added`)
    }

    const ofKeys = (accountId: string, keys: ReadonlyArray<string>) =>
      Effect.map(
        available(sql<SubmissionRow>`
          select ${brief} from (select distinct unnest(${keys}::text[]) as key) k cross join lateral (
            select * from submissions where account_id = ${accountId} and idempotency_key = k.key limit 1
          ) s`),
        (rows) => rows.map(toSummary)
      )

    const insert: SubmissionStore["Service"]["insert"] = Effect.fnUntraced(
      function* (accountId, submissions) {
        const added = new Set((yield* add(submissions)).map((row) => row.id))
        if (added.size === submissions.length) return submissions.map(summaryOf)
        const repeated = submissions.flatMap(({ id, idempotencyKey }) =>
          added.has(id) || idempotencyKey === null ? [] : [idempotencyKey]
        )
        // Whoever had a key has committed, since adding waited for that.
        const earlier = new Map(
          (yield* ofKeys(accountId, repeated)).map((submission) => [submission.idempotencyKey, submission])
        )
        const answers = submissions.map((submission) =>
          added.has(submission.id) ? summaryOf(submission) : earlier.get(submission.idempotencyKey)
        )
        // One whose recipient was erased meanwhile gave its key free.
        const missing = submissions.filter((_, index) => answers[index] === undefined)
        if (missing.length === 0) return answers as ReadonlyArray<SubmissionSummary>
        const again = (yield* insert(accountId, missing)).values()
        return answers.map((answer) => answer ?? again.next().value!)
      }
    )

    /**
     * Submissions are locked before their deliveries go, so that of two recipients erased at once the later sees that
     * the earlier is gone; and deliveries before they go, so that none moves away from its place (`ctid`), by which
     * rows are found since no statistics can make that slow. The order keeps each address a look-up by its index.
     */
    const erase = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
      if (emails.length === 0) return []
      const theirs = sql`
        (select distinct unnest(${emails}::text[]) as address) a cross join lateral (
          select ctid as place, submission_id from deliveries where account_id = ${accountId} and email = address
          order by created_at desc, submission_id desc
        ) d`
      yield* available(sql`
        select from (select distinct d.submission_id from ${theirs} order by d.submission_id) k cross join lateral (
          select from submissions where account_id = ${accountId} and id = k.submission_id limit 1 for update
        ) s`)
      yield* available(sql`
        select from (select distinct unnest(${emails}::text[]) as address) a cross join lateral (
          select from deliveries where account_id = ${accountId} and email = address
          order by created_at desc, submission_id desc for update
        ) d`)
      const rows = yield* available(sql<{ readonly id: string }>`
        with gone as (
          delete from deliveries where ctid = any(array(select d.place from ${theirs})) returning id, submission_id
        ), emptied as (
          delete from submissions where ctid = any(array(
            select s.place from (select distinct submission_id from gone) k cross join lateral (
              select ctid as place from submissions
              where account_id = ${accountId} and id = k.submission_id limit 1
            ) s
            where not exists (
              select from deliveries d
              where d.account_id = ${accountId} and d.submission_id = k.submission_id
                and d.email <> all(${emails}::text[])
            )
          ))
        )
        select id from gone`)
      return rows.map((row) => row.id)
    })

    /** Which submissions a list shows, as rows of created_at and id; each filter is read from an index of its own. */
    const filtered = (accountId: string, { status, to }: SubmissionFilter) => {
      if (status === null && to === null) {
        return sql`select created_at, id from submissions where account_id = ${accountId}`
      }
      const where =
        to === null
          ? sql`status = ${status}`
          : status === null
            ? sql`email = ${to}`
            : sql`email = ${to} and status = ${status}`
      return sql`
        select created_at, submission_id as id from deliveries where account_id = ${accountId} and ${where}
        group by created_at, submission_id`
    }

    const list = (accountId: string, filter: SubmissionFilter, page: PageRequest) =>
      available(sql<PageRow & SubmissionRow>`
        select c.total, p.* from (select count(*)::int as total from (${filtered(accountId, filter)}) f) c
        left join lateral (
          select ${brief} from (
            select id from (${filtered(accountId, filter)}) f
            order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
          ) shown cross join lateral (
            select * from submissions where account_id = ${accountId} and id = shown.id limit 1
          ) s
        ) p on true order by p."createdAt" desc, p.id desc`)

    const ofDeliveries = (refs: ReadonlyArray<DeliveryRef>) =>
      available(sql<SubmissionRow>`
        select ${whole} from (
          select distinct d.account_id, d.submission_id from rows from (
            unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.id)}::uuid[])
          ) as r(account, delivery) cross join lateral (
            select account_id, submission_id from deliveries where account_id = account and id = delivery limit 1
          ) d
        ) wanted cross join lateral (
          select * from submissions where account_id = wanted.account_id and id = submission_id limit 1
        ) s`)

    /**
     * An upsert of rows that were found and locked: it takes them by their key and in one order, as an update that
     * joins need not.
     */
    const move = (decided: ReadonlyArray<DeliveryMove>) =>
      available(sql`
        insert into deliveries as d (account_id, id, submission_id, position, email, name, kind, created_at, status,
          reason, attempts, updated_at)
        select d.account_id, d.id, d.submission_id, d.position, d.email, d.name, d.kind, d.created_at, r."to",
          r.reason, r.attempts, r.at
        from (
          select * from json_to_recordset(${moves.encode(decided)}::json) as ${moveRecord} order by "accountId", id
        ) r cross join lateral (
          select * from deliveries
          where account_id = r."accountId" and id = r.id and status = r."from" limit 1 for no key update
        ) d
        on conflict (account_id, id) do update set status = excluded.status, reason = excluded.reason,
          attempts = excluded.attempts, updated_at = excluded.updated_at
        returning ${deliveryColumns}`)

    return SubmissionStore.of({
      insert: (accountId, submissions) =>
        submissions.length === 0 ? Effect.succeed([]) : insert(accountId, submissions),
      find: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              available(sql<SubmissionRow>`
                select ${brief} from (select distinct unnest(${ids}::uuid[]) as id) k cross join lateral (
                  select * from submissions where account_id = ${accountId} and id = k.id limit 1
                ) s`),
              (rows) => rows.map(toSummary)
            ),
      list: (accountId, filter, page) =>
        Effect.map(list(accountId, filter, page), (rows) => pageOf(rows, page, toSummary)),
      ofDeliveries: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : Effect.map(ofDeliveries(refs), (rows) => rows.map(toSubmission)),
      move: (decided) => {
        const wrong = decided.find((one) => !isPossible(one))
        if (wrong !== undefined) {
          return Effect.die(new Error(`A delivery cannot go from ${wrong.from} to ${wrong.to}`))
        }
        return decided.length === 0
          ? Effect.succeed([])
          : Effect.map(move(decided), (rows) => rows.map(toDelivery))
      },
      erase,
      waiting: (accountId, reason, after, limit) =>
        Effect.map(
          available(sql`
            select ${deliveryColumns} from deliveries d
            where d.account_id = ${accountId} and d.status = 'Queued' and d.reason = ${reason}
              and d.id > ${after ?? firstId}::uuid
            order by d.id limit ${limit}`),
          (rows) => rows.map(toDelivery)
        )
    })
  })
)
