/**
 * Changes deliveries.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type {
  DeliveryClaim,
  DeliveryMove,
  DeliveryRef,
  GatedClaim,
  HeldCount,
  ListedDelivery
} from "../../../core/ports/SubmissionStore.ts"
import { leavingStatuses } from "../../../core/model/Campaign.ts"
import { mailableStatuses } from "../../../core/model/Consent.ts"
import {
  canMove,
  type DeliveryReason,
  type DeliveryStatus,
  heldReasons,
  notDueReasons
} from "../../../core/model/DeliveryStatus.ts"
import { columnsOf } from "../sql/columns.ts"
import { orUnavailable } from "../sql/errors.ts"
import { ifAny } from "../sql/results.ts"
import { refRows, tableOf } from "../sql/tables.ts"
import { deliveries } from "./rows.ts"

/** A move of a delivery, as a row. */
type MoveRow = Omit<DeliveryMove, "held"> & {
  readonly isUncommitted: boolean
  readonly lane: string | null
  readonly line: string | null
  readonly provider: string | null
}

const moves = columnsOf<MoveRow>({
  accountId: "uuid",
  id: "uuid",
  from: "text",
  to: "text",
  reason: "text",
  attempts: "integer",
  claim: "integer",
  isUncommitted: "boolean",
  lane: "text",
  line: "text",
  provider: "text",
  at: "timestamptz"
})

/** A claim with its gate, as a row. */
interface GatedClaimRow extends DeliveryClaim {
  readonly email: string
  readonly addressHash: string
  readonly contact: string | null
  readonly topic: string | null
  readonly campaign: string | null
  readonly contentHash: string | null
}

const gatedClaims = columnsOf<GatedClaimRow>({
  accountId: "uuid",
  id: "uuid",
  claim: "integer",
  email: "text",
  addressHash: "text",
  contact: "uuid",
  topic: "uuid",
  campaign: "uuid",
  contentHash: "uuid"
})

/** The columns of a delivery that are never null. */
const needed = [
  "account_id",
  "id",
  "submission_id",
  "position",
  "email",
  "kind",
  "status",
  "attempts",
  "claims",
  "created_at",
  "updated_at"
]

/** The id that precedes all others. */
const firstId = "00000000-0000-0000-0000-000000000000"

const isPossible = ({ from, to }: DeliveryMove): boolean => from === to || canMove(from, to)

/** `move`, `commit`, `lockSendable`, `deliveries`, `engage`, `countQueued`, `inStatus`, `waiting`, `held`, `countHeld` and `heldLanes`. */
export const makeDeliveryChanges = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("deliveries", deliveries)
  const claimRecord = sql.literal(`c(${gatedClaims.recordset})`)
  const moveRecord = sql.literal(`r(${moves.recordset})`)

  /**
   * The parts of an upsert that sets columns of the deliveries `d`, which were found and locked. An upsert changes rows by
   * their key and in one order, which an update with a join need not do.
   *
   * @param changes the new value of each changed column
   */
  const upsert = (changes: Readonly<Record<string, string>>) => {
    const columns = [...new Set([...needed, ...Object.keys(changes)])]
    return {
      into: sql.literal(
        `insert into deliveries (${columns.join(", ")}) select ${columns
          .map((column) => changes[column] ?? `d.${column}`)
          .join(", ")}`
      ),
      set: sql.literal(
        `on conflict (account_id, id) do update set ${Object.keys(changes)
          .map((column) => `${column} = excluded.${column}`)
          .join(", ")}`
      )
    }
  }

  const moved = upsert({
    status: `r."to"`,
    reason: "r.reason",
    attempts: "r.attempts",
    claims: `d.claims + (r."to" = 'HandingOff')::int`,
    committed_at: "null::timestamptz",
    lane: "coalesce(r.lane, d.lane)",
    line: "coalesce(r.line, d.line)",
    provider: "coalesce(r.provider, d.provider)",
    held_since: "case when r.lane is null then d.held_since else coalesce(d.held_since, r.at) end",
    not_due: `case when d.reason in (${notDueReasons.map((reason) => `'${reason}'`).join(", ")})
      then d.not_due + greatest(0, round(extract(epoch from r.at - d.updated_at) * 1000))::bigint else d.not_due end`,
    updated_at: "r.at"
  })
  const move = (decided: ReadonlyArray<DeliveryMove>) => {
    const wrong = decided.find((one) => !isPossible(one))
    if (wrong !== undefined) {
      return Effect.die(new Error(`A delivery cannot go from ${wrong.from} to ${wrong.to}`))
    }
    return table
      .returning(sql`
        ${moved.into} from (
          select * from json_to_recordset(${moves.encode(decided.map(({ held = null, isUncommitted = false, provider = null, ...one }) => ({ ...one, isUncommitted, lane: held?.lane ?? null, line: held?.line ?? null, provider })))}::json) as ${moveRecord}
          order by "accountId", id
        ) r cross join lateral (
          select * from deliveries
          where account_id = r."accountId" and id = r.id and status = r."from"
            and (r.claim is null or claims = r.claim) and (not r."isUncommitted" or committed_at is null)
          limit 1 for no key update
        ) d
        ${moved.set}`)
      .pipe(ifAny(decided))
  }

  const committed = upsert({
    committed_at: "r.at",
    content_hash: `coalesce(r."contentHash", d.content_hash)`
  })
  /**
   * The deliveries `d` of claims `r` that may be sent, locked: `gateRefusal` in SQL. The contact is locked too, so that its
   * consent is current and no withdrawal is confirmed before this transaction ends. A contact that is being changed is
   * skipped, because waiting would delay the other messages. A campaign is locked for share: a pause or a cancel waits for
   * this transaction, and the next transaction sees it. The limits make each a look-up by key.
   */
  const sendable = (claims: ReadonlyArray<GatedClaim>, at: number) => sql`
    (
      select *, ${new Date(at)}::timestamptz as at from json_to_recordset(${gatedClaims.encode(
        claims.map(({ contentHash = null, marketing, ...claim }) => ({
          ...claim,
          contentHash,
          contact: marketing?.contactId ?? null,
          topic: marketing?.topicId ?? null,
          campaign: marketing?.campaign?.id ?? null
        }))
      )}::json) as ${claimRecord} order by "accountId", id
    ) r cross join lateral (
      select * from deliveries
      where account_id = r."accountId" and id = r.id and status = 'HandingOff' and claims = r.claim
      limit 1 for no key update
    ) d left join lateral (
      select true as found from suppressions
      where account_id = r."accountId" and email in (r.email, r."addressHash") limit 1
    ) s on true left join lateral (
      select topics as choices from contacts
      where account_id = r."accountId" and id = r.contact and email = r.email and consent_status in ${sql.in(mailableStatuses)}
      limit 1 for share skip locked
    ) p on true left join lateral (
      select default_on from topics
      where account_id = r."accountId" and id = r.topic and not is_archived limit 1
    ) t on true left join lateral (
      select true as leaves from campaigns
      where account_id = r."accountId" and id = r.campaign and status in ${sql.in(leavingStatuses)}
      limit 1 for share
    ) g on true
    where s.found is null and (r.contact is null or p.choices is not null)
      and (r.topic is null or coalesce((p.choices ->> r.topic::text)::boolean, t.default_on) and t.default_on is not null)
      and (r.campaign is null or g.leaves is not null)
      and not exists (select from accounts a where a.account_id = r."accountId" and a.deleted_at is not null)`
  const commit = (claims: ReadonlyArray<GatedClaim>, at: number) =>
    orUnavailable(sql<DeliveryRef>`
      ${committed.into} from ${sendable(claims, at)}
      ${committed.set} returning deliveries.account_id as "accountId", deliveries.id`).pipe(ifAny(claims))
  const lockSendable = (claims: ReadonlyArray<GatedClaim>) =>
    orUnavailable(sql<DeliveryRef>`
      select d.account_id as "accountId", d.id from ${sendable(claims, 0)}`).pipe(ifAny(claims))

  const engagement = (column: string) => ({ ...upsert({ [column]: "r.at" }), column: sql.literal(column) })
  const engagements = {
    opened: engagement("opened_at"),
    clicked: engagement("clicked_at"),
    complained: engagement("complained_at"),
    unsubscribed: engagement("unsubscribed_at"),
    topicOff: engagement("topic_off_at")
  }
  const engage = (kind: keyof typeof engagements, refs: ReadonlyArray<DeliveryRef>, at: number) => {
    const { column, into, set } = engagements[kind]
    return table
      .returning(sql`
        ${into} from (
          select distinct account, key, ${new Date(at)}::timestamptz as at from ${refRows(sql, refs)}
          order by account, key
        ) r cross join lateral (
          select * from deliveries
          where account_id = r.account and id = r.key and ${column} is null limit 1 for no key update
        ) d
        ${set}`)
      .pipe(ifAny(refs))
  }

  // Reads the index of statuses only as far as it counts.
  const countQueued = (accountId: string, most: number) =>
    Effect.map(
      orUnavailable(sql<{ readonly count: number }>`
        select count(*)::float8 as count from (
          select 1 from deliveries where account_id = ${accountId} and status = 'Queued' limit ${most}
        ) queued`),
      ([row]) => row?.count ?? 0
    )

  const inStatus = (accountId: string, status: DeliveryStatus, after: ListedDelivery | null, limit: number) =>
    Effect.map(
      orUnavailable(sql<
        Omit<ListedDelivery, "createdAt" | "updatedAt"> & {
          readonly createdAt: Date
          readonly updatedAt: Date
        }
      >`
        select id, submission_id as "submissionId", reason, created_at as "createdAt", updated_at as "updatedAt"
        from deliveries
        where account_id = ${accountId} and status = ${status} and ${
          after === null
            ? sql`true`
            : sql`(created_at, submission_id) < (${new Date(after.createdAt)}, ${after.submissionId}::uuid)`
        }
        order by created_at desc, submission_id desc fetch first ${limit} rows with ties`),
      (rows) =>
        rows.map((row) => ({
          ...row,
          createdAt: row.createdAt.getTime(),
          updatedAt: row.updatedAt.getTime()
        }))
    )

  const waiting = (accountId: string, reason: DeliveryReason, after: string | null, limit: number) =>
    table.select(sql`
      from deliveries
      where account_id = ${accountId} and status = 'Queued' and reason = ${reason} and id > ${after ?? firstId}::uuid
      order by deliveries.id limit ${limit}`)

  const isHeld = sql.literal(`status = 'Queued' and reason in ('${heldReasons.join("', '")}')`)
  const isHeldBefore = (before: number | null) =>
    before === null ? sql`${isHeld}` : sql`${isHeld} and held_since < ${new Date(before)}`
  // Reads the requested number from each queue (a destination and its sender) by the index of held mail, and no more.
  const held = (
    lane: string,
    accountId: string,
    lines: ReadonlyArray<string>,
    limit: number,
    before: number | null = null
  ) =>
    table
      .select(sql`
        from unnest(${lines}::text[]) with ordinality as l(wanted, place) cross join lateral (
          select * from deliveries
          where lane = ${lane} and account_id = ${accountId} and line = l.wanted and ${isHeldBefore(before)}
          order by id limit ${limit}
        ) deliveries
        order by l.place, deliveries.id limit ${limit}`)
      .pipe(ifAny(lines))
  const countHeld = (lanes: ReadonlyArray<string>, before: number | null = null) =>
    Effect.map(
      orUnavailable(sql<Omit<HeldCount, "since"> & { readonly since: Date | null }>`
        select lane, account_id as "accountId", line, reason, count(*)::float8 as count, min(held_since) as since
        from deliveries
        where lane = any(${lanes}::text[]) and ${isHeldBefore(before)}
        group by lane, account_id, line, reason`),
      (found) => found.map((one): HeldCount => ({ ...one, since: one.since?.getTime() ?? null }))
    ).pipe(ifAny(lanes))

  // Finds one lane after another with the index of held mail, and reads no more rows of each than are counted.
  const heldLanes = (most: number) =>
    Effect.map(
      orUnavailable(sql<{ readonly lane: string; readonly count: number; readonly since: Date | null }>`
        with recursive found as (
          (select lane from deliveries where lane is not null and ${isHeld} order by lane limit 1)
          union all
          select (select d.lane from deliveries d where d.lane > found.lane and ${isHeld} order by d.lane limit 1)
          from found where found.lane is not null
        )
        select found.lane, n.count, n.since from found cross join lateral (
          select count(*)::float8 as count, min(held_since) as since from (
            select held_since from deliveries where lane = found.lane and ${isHeld} limit ${most}
          ) counted
        ) n
        where found.lane is not null`),
      (rows) => rows.map((one) => ({ ...one, since: one.since?.getTime() ?? null }))
    )

  // Waits for a sender that is claiming or committing one of them, and sees its result.
  const lockUnsent = (accountId: string, runIds: ReadonlyArray<string>) =>
    table
      .select(sql`
        from (
          select d.id from (select distinct unnest(${runIds}::uuid[]) as run) k
          cross join lateral (
            select id from submissions where account_id = ${accountId} and run_id = k.run offset 0
          ) s cross join lateral (
            select id from deliveries where account_id = ${accountId} and submission_id = s.id offset 0
          ) d order by d.id
        ) k cross join lateral (
          select * from deliveries
          where account_id = ${accountId} and id = k.id
            and (status in ('Queued', 'PendingReview') or (status = 'HandingOff' and committed_at is null))
          limit 1 for no key update
        ) deliveries`)
      .pipe(ifAny(runIds))

  return {
    move,
    commit,
    lockSendable,
    engage,
    deliveries: (refs: ReadonlyArray<DeliveryRef>) => table.lookUp(refs),
    countQueued,
    inStatus,
    waiting,
    held,
    countHeld,
    heldLanes,
    lockUnsent
  }
})
