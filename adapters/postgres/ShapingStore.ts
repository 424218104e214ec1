/**
 * Stores the suspensions of lanes, and the state of lanes that processes share, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { addressLane, type SharedLane } from "../../core/model/Lane.ts"
import { longestSuspension, type Suspension, suspensionKey } from "../../core/model/Suspension.ts"
import { ShapingStore } from "../../core/ports/ShapingStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, first, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const types = {
  id: "uuid",
  lane: "text",
  accountId: "uuid",
  sender: "text",
  cause: "text",
  action: "text",
  rule: "text",
  words: "text",
  remedy: "text",
  minutes: "integer",
  mostMinutes: "integer",
  since: "timestamptz",
  until: "timestamptz",
  resolvedAt: "timestamptz",
  probeUntil: "timestamptz",
  refused: "jsonb",
  slowly: "boolean",
  changedAt: "timestamptz"
} as const

const columns = columnsOf<Suspension>(types)
const rowColumns = columnsOf<Suspension & { readonly key: string }>({ ...types, key: "text" })

const laneColumns = columnsOf<SharedLane>({
  lane: "text",
  width: "integer",
  successes: "integer",
  strikes: "integer",
  suspendedUntil: "timestamptz",
  provenUntil: "timestamptz",
  stated: "jsonb",
  flow: "jsonb",
  slowStart: "jsonb",
  leases: "jsonb",
  pace: "jsonb",
  marks: "jsonb",
  override: "jsonb",
  changedAt: "timestamptz"
})

const siteColumns = columnsOf<Pick<SharedLane, "changedAt" | "lane">>({
  lane: "text",
  changedAt: "timestamptz"
})

/** A pattern for the names of address blocks, which are leased like lanes. */
const blocks = addressLane("%")

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("suspensions", columns, ["since", "id"])
  const rows = yield* tableOf("suspensions", rowColumns)
  const lanes = yield* tableOf("lanes", laneColumns, ["lane"])
  const siteLanes = yield* tableOf("lanes", siteColumns)
  const replacedLane = laneColumns.replaced(laneColumns.order.filter((field) => field !== "lane"))
  const laneRecord = sql.literal(`r(${laneColumns.recordset})`)
  const knownFields = sql.literal(
    laneColumns.order.map((field) => `k."${field}" as "known.${field}"`).join(", ")
  )
  const isAsKnown = sql.literal(
    `(${laneColumns.order.map((field) => `l.${laneColumns.column(field)}`).join(", ")}) is not distinct from (${laneColumns.order
      .map((field) => `g."known.${field}"`)
      .join(", ")})`
  )
  const replaced = rowColumns.names
    .split(", ")
    .filter((name) => name !== "key")
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")

  /** Lanes with these names. A name without a source matches lanes from any source. */
  const isNamed = (names: ReadonlyArray<string>) =>
    sql`(lane = any(${names}::text[]) or split_part(lane, '@', 1) = any(${names}::text[]))`

  /** Lanes of the providers with these keys, from any source and to any site. */
  const isOfProvider = (keys: ReadonlyArray<string>) =>
    sql`split_part(split_part(lane, '@', 1), ':', 1) = any(${keys}::text[])`

  return ShapingStore.of({
    changed: (since, limit) =>
      table.select(sql`
        from suspensions where changed_at >= ${new Date(since)} order by changed_at, id limit ${limit}`),
    lock: (keys) =>
      table
        .select(sql`from suspensions where key = any(${keys}::text[]) order by key for update`)
        .pipe(ifAny(keys)),
    put: (suspensions) =>
      rows.insertMany(
        suspensions.map((suspension) => ({ ...suspension, key: suspensionKey(suspension) })),
        `order by key on conflict (key) do update set ${replaced}`
      ),
    claimProbes: (ids, now, until) =>
      Effect.map(
        orUnavailable(sql<{ readonly id: string }>`
          update suspensions set probe_until = ${new Date(until)}, changed_at = ${new Date(now)}
          where key in (
            select key from suspensions
            where id = any(${ids}::uuid[]) and resolved_at is null
              and (probe_until is null or probe_until <= ${new Date(now)})
            order by key for update
          ) returning id`),
        (found) => found.map(({ id }) => id)
      ).pipe(ifAny(ids)),
    find: (id) => first(table.select(sql`from suspensions where id = ${id}`)),
    page: (
      request,
      { accountId, before = null, concerns = null, lane, ofAll = false, open = null, provider }
    ) =>
      table.page(
        request,
        sql.and([
          open === null
            ? sql`true`
            : open.is
              ? sql`resolved_at is null and (cause = 'Reply' or until > ${new Date(open.at)})`
              : sql`(resolved_at is not null or (cause <> 'Reply' and until <= ${new Date(open.at)}))`,
          before === null ? sql`true` : sql`since < ${new Date(before)}`,
          ofAll ? sql`account_id is null and sender is null` : sql`true`,
          concerns === null ? sql`true` : sql`(account_id is null or account_id = ${concerns}::uuid)`,
          lane == null ? sql`true` : isNamed(lane),
          provider == null ? sql`true` : isOfProvider(provider)
        ]),
        [
          { column: "account_id", type: "uuid", values: accountId },
          {
            column: "split_part(lane, '@', 1)",
            type: "text",
            values: lane == null ? null : [...new Set(lane.map((name) => name.split("@", 1)[0]!))]
          }
        ]
      ),
    settle: (before, now, limit) =>
      countOf(sql`
        with settled as (
          update suspensions set resolved_at = ${new Date(now)}, probe_until = null, refused = '[]',
            changed_at = ${new Date(now)}
          where ctid = any(array(
            select ctid from suspensions where resolved_at is null and until < ${new Date(before)}
            order by until limit ${limit} for update skip locked
          )) returning 1
        )
        select count(*)::int as count from settled`),
    prune: (before, limit) => pruneOldest(sql, "suspensions", "resolved_at", before, limit),
    // If another transaction adds a lane at the same time, this waits for it and reads the row as that transaction left it.
    lockLanes: (given) =>
      lanes
        .returning(
          lanes.insertion(given, "order by lane on conflict (lane) do update set lane = excluded.lane")
        )
        .pipe(ifAny(given)),
    exchangeLanes: (given) =>
      Effect.map(
        orUnavailable(sql<Pick<SharedLane, "lane">>`
          with n as (
            select * from json_to_recordset(${laneColumns.encode(given.map(({ next }) => next))}::json) as ${laneRecord}
          ), k as (
            select * from json_to_recordset(${laneColumns.encode(given.map(({ known }) => known))}::json) as ${laneRecord}
          )
          insert into lanes (${sql.literal(laneColumns.names)}) select ${sql.literal(laneColumns.fields)} from (
            select n.*, ${knownFields} from n join k on k.lane = n.lane order by n.lane
          ) g cross join lateral (
            select 1 from lanes l where l.lane = g.lane and ${isAsKnown} limit 1 for no key update
          ) d
          on conflict (lane) do update set ${sql.literal(replacedLane)} returning lanes.lane`),
        (found) => found.map(({ lane }) => lane)
      ).pipe(ifAny(given)),
    putLanes: (given) =>
      lanes.insertMany(given, `order by lane on conflict (lane) do update set ${replacedLane}`),
    notedLanes: (limit) =>
      lanes.select(sql`
        from lanes where pace is not null or override is not null or marks <> '{}' or stated <> '{}'
        order by lane limit ${limit}`),
    siteLanes: (limit) =>
      siteLanes.select(sql`
        from lanes where lane like '%:%' and lane not like ${blocks} order by changed_at desc, lane limit ${limit}`),
    lanes: (request, { lane, paused = null, source }) =>
      lanes.page(
        request,
        sql.and([
          sql`lane not like ${blocks}`,
          lane == null ? sql`true` : sql`(${isNamed(lane)} or ${isOfProvider(lane)})`,
          source == null ? sql`true` : sql`split_part(lane, '@', 2) = any(${source}::text[])`,
          paused === null
            ? sql`true`
            : sql`(suspended_until > ${new Date(paused.at)} or ${isNamed(paused.lanes)}) = ${paused.is}`
        ])
      ),
    pruneLanes: (before, limit) =>
      pruneOldest(
        sql,
        "lanes",
        "changed_at",
        before,
        limit,
        sql`override is null and coalesce((stated ->> 'encryptedUntil')::float8 < ${before}, true)
          and (slow_start is null or changed_at < ${new Date(before - longestSuspension)})`
      )
  })
}).pipe(Layer.effect(ShapingStore))
