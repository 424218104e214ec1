/**
 * Stores segments in the database, and finds the contacts that a definition selects.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { lastActivityOf } from "../../core/audience/segments/ContactFilters.ts"
import type { Contact } from "../../core/model/Contact.ts"
import type { Segment, SegmentSize } from "../../core/model/Segment.ts"
import {
  type ReachGroup,
  type SegmentCount,
  type SegmentCounts,
  SegmentStore,
  type ZoneGroup,
  type ZoneKey
} from "../../core/ports/SegmentStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { pageOf, placeBy } from "../../core/shared/Page.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { contacts as contactColumns } from "./contacts/columns.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { type PageRow, type PlanRow, toPage } from "./sql/pages.ts"
import { execute, first, idsOf, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"
import { expectStatement, fewestStatement, findStatement } from "./segments/lists.ts"
import {
  addMembersStatement,
  addRecipientsStatement,
  cappedStatement,
  type ContactPageRow,
  type CountRow,
  type Statement,
  countStatement,
  listStatement,
  marksOf,
  type MemberChangeRow,
  memberChangesStatement,
  pageStatement,
  partEndStatement,
  partZonesStatement,
  type ReachRow,
  reachStatement,
  shownStatement,
  valuesStatement,
  zonesStatement
} from "./segments/statements.ts"

type StoredSegment = Omit<Segment, "builtInKey">

const columns = columnsOf<StoredSegment>({
  id: "uuid",
  accountId: "uuid",
  name: "text",
  description: "text",
  definition: "jsonb",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  updatedBy: "jsonb"
})

const sizeColumns = columnsOf<SegmentSize>({
  accountId: "uuid",
  segmentId: "uuid",
  day: "timestamptz",
  count: "integer",
  sendableCount: "integer"
})

const toSegments = Effect.map((rows: ReadonlyArray<StoredSegment>) =>
  // Earlier versions did not store when a segment was changed.
  rows.map((row): Segment => ({ ...row, builtInKey: null, updatedAt: row.updatedAt ?? row.createdAt }))
)

/** Groups of rows. Suppressed contacts are subtracted from the group with the same consent and topic. */
const groupsOf = (rows: ReadonlyArray<ReachRow>): ReadonlyArray<ReachGroup> =>
  rows
    .map(({ count, hasAddress, hasTopic, kind, status }) => {
      const suppressed = rows.filter(
        (row) =>
          kind === null &&
          hasAddress &&
          row.kind !== null &&
          row.status === status &&
          row.hasTopic === hasTopic
      )
      const others = suppressed.reduce((sum, row) => sum + row.count, 0)
      return { consentStatus: status, hasAddress, suppression: kind, hasTopic, count: count - others }
    })
    .filter(({ count }) => count > 0)

/** The contacts of rows. An empty page has one row without a contact. */
const contactsOf = (rows: ReadonlyArray<ContactPageRow>): ReadonlyArray<Contact> =>
  rows.filter((row) => "id" in row && row.id !== null).map(contactColumns.decode)

const placeByActivity = (contact: Contact) => [lastActivityOf(contact), contact.id]

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { run } = yield* Transaction
  const segments = yield* tableOf("segments", columns)
  const sizes = yield* tableOf("segment_sizes", sizeColumns)

  /**
   * Runs a statement that is planned anew each time. Many definitions have the same text, and a plan made while the tables
   * were small would be kept after they have grown. For the same reason the plan may read a whole table, which is fastest
   * if most contacts belong to one account. It uses one process of the server, because parallel workers would take more
   * than its share.
   */
  const ask = <Row extends object>({ parameters, text }: Statement) =>
    run(
      Effect.andThen(
        orUnavailable(
          sql`select set_config('enable_seqscan', 'on', true), set_config('max_parallel_workers_per_gather', '0', true)`
        ),
        orUnavailable(sql.unsafe<Row>(text, parameters).unprepared)
      )
    ).pipe(Effect.catchTag("WriteConflict", (cause) => Effect.fail(new Unavailable({ cause }))))

  return SegmentStore.of({
    insert: (segment) => segments.insertMany([segment]),
    list: (accountId) =>
      toSegments(segments.select(sql`from segments where account_id = ${accountId} order by created_at, id`)),
    save: (segment) =>
      Effect.asVoid(
        segments.update(
          segment,
          ["name", "description", "definition", "updatedAt", "updatedBy"],
          ["accountId", "id"]
        )
      ),
    remove: (accountId, id) =>
      toSegments(
        segments.returning(sql`
          with gone as (delete from segment_sizes where account_id = ${accountId} and segment_id = ${id})
          delete from segments where account_id = ${accountId} and id = ${id}`)
      ).pipe(first),
    saveSizes: (given) =>
      sizes.insertMany(
        given,
        'order by "accountId", day, "segmentId" ' +
          "on conflict (account_id, day, segment_id) do update set count = excluded.count, sendable_count = excluded.sendable_count"
      ),
    sizes: (accountId, segmentId, since) =>
      sizes.select(sql`
        from segment_sizes where account_id = ${accountId} and day >= ${new Date(since)}
          and (${segmentId}::uuid is null or segment_id = ${segmentId}::uuid)
        order by day, segment_id`),
    unsized: (day, after, limit) =>
      idsOf(sql<{ readonly id: string }>`
        select a.account_id as id from accounts a
        where a.deleted_at is null and (${after}::uuid is null or a.account_id > ${after}::uuid)
          and exists (select from contacts c where c.account_id = a.account_id and c.erased_at is null)
          and not exists (select from segment_sizes s where s.account_id = a.account_id and s.day = ${new Date(day)})
        order by a.account_id limit ${limit}`),
    pruneSizes: (before, limit) => pruneOldest(sql, "segment_sizes", "day", before, limit),
    marks: (accountId) =>
      Effect.map(
        orUnavailable(
          sql.unsafe<{ readonly marks: string }>(`select ${marksOf("$1::uuid")} as marks`, [accountId])
        ),
        ([row]) => row!.marks
      ),
    setMembers: Effect.fnUntraced(function* (accountId, flowId, definition, now) {
      yield* execute(sql`delete from flow_members where account_id = ${accountId} and flow_id = ${flowId}`)
      if (definition !== null) yield* ask(addMembersStatement(accountId, flowId, definition, now))
    }),
    memberChanges: (accountId, flowId, definition, limit, now) =>
      Effect.map(
        ask<MemberChangeRow>(memberChangesStatement(accountId, flowId, definition, limit, now)),
        (rows) => {
          const { entered = [], left = [] } = Object.groupBy(rows, (row) =>
            row.entered ? "entered" : "left"
          )
          return { entered: entered.map(({ id }) => id), left: left.map(({ id }) => id) }
        }
      ),
    moveMembers: Effect.fnUntraced(function* (accountId, flowId, changes) {
      const entered = yield* idsOf(
        sql<{ readonly id: string }>`
          insert into flow_members (account_id, flow_id, contact_id)
          select ${accountId}::uuid, ${flowId}::uuid, id from unnest(${changes.entered}::uuid[]) as k(id) order by id
          on conflict do nothing returning contact_id as id`
      ).pipe(ifAny(changes.entered))
      const left = yield* idsOf(
        sql<{ readonly id: string }>`
          delete from flow_members
          where account_id = ${accountId} and flow_id = ${flowId} and contact_id = any(${changes.left}::uuid[])
          returning contact_id as id`
      ).pipe(ifAny(changes.left))
      return { entered, left }
    }),
    eraseMembers: (accountId, contactIds) =>
      execute(sql`
        delete from flow_members
        where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(ifAny(contactIds)),
    count: (accountId, definitions, now) =>
      Effect.map(ask<CountRow>(countStatement(accountId, definitions, now)), ([row]): SegmentCounts => ({
        marks: row!.marks,
        counts: definitions.map((_, index): SegmentCount => ({
          count: Number(row![`count${index}`]),
          sendableCount: Number(row![`sendable${index}`])
        }))
      })),
    reach: (accountId, chosen, topic, now) =>
      Effect.map(ask<ReachRow>(reachStatement(accountId, chosen, topic, now)), groupsOf),
    zones: (accountId, chosen, attribute, now) =>
      ask<ZoneGroup>(zonesStatement(accountId, chosen, attribute, now)),
    capped: (accountId, chosen, caps, now) =>
      caps.length === 0
        ? Effect.succeed(0)
        : Effect.map(
            ask<{ readonly count: number }>(cappedStatement(accountId, chosen, caps, now)),
            ([row]) => row!.count
          ),
    addRecipients: Effect.fnUntraced(function* (accountId, part) {
      const [end] = yield* ask<{ readonly id: string }>(partEndStatement(accountId, part))
      const last = end?.id ?? null
      const { dueAt } = part.plan
      const times =
        typeof dueAt === "number"
          ? null
          : (yield* ask<ZoneKey>(partZonesStatement(accountId, part, last, dueAt.attribute))).map((zone) => ({
              ...zone,
              at: dueAt.of(zone)
            }))
      yield* ask(addRecipientsStatement(accountId, part, last, times))
      return last
    }),
    values: (accountId, field) =>
      Effect.map(ask<{ readonly value: string }>(valuesStatement(accountId, field)), (rows) =>
        rows.map(({ value }) => value)
      ),
    find: Effect.fnUntraced(function* (accountId, filter, page, now) {
      const read = <Row extends object>({ parameters, text }: Statement) =>
        sql.unsafe<Row>(text, parameters).unprepared
      const probe = fewestStatement(accountId, filter, now)
      const fewest = probe === null ? [] : yield* orUnavailable(read<{ readonly place: number }>(probe))
      const place = fewest[0]?.place ?? 0
      const rows = yield* orUnavailable(read<PageRow>(findStatement(accountId, filter, page, now, place)))
      return yield* toPage(rows, page, {
        decode: contactColumns.decode,
        placeOf: page.sort?.by === "lastActivity" ? placeByActivity : placeBy("addedAt"),
        explained: read<PlanRow>(expectStatement(accountId, filter, now, place))
      })
    }),
    contacts: (accountId, definition, page, now) =>
      ask<ContactPageRow>(
        definition === null ? listStatement(accountId, page) : pageStatement(accountId, definition, page, now)
      ).pipe(
        Effect.map((rows) => ({
          ...pageOf(page, contactsOf(rows), placeBy("addedAt"), {
            totalCount: rows[0]?.total ?? 0,
            totalIsExact: true
          }),
          marks: rows[0]!.marks
        }))
      ),
    shown: (accountId, ids) => {
      const { parameters, text } = shownStatement(accountId, ids)
      return Effect.map(orUnavailable(sql.unsafe<ContactPageRow>(text, parameters)), (rows) => ({
        marks: rows[0]!.marks,
        contacts: contactsOf(rows)
      }))
    }
  })
}).pipe(Layer.effect(SegmentStore))
