/**
 * Stores sessions in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Session } from "../../core/model/User.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"
import { membershipColumns, userColumns } from "./UserStore.ts"

const columns = columnsOf<Session>({
  id: "uuid",
  userId: "uuid",
  hash: "text",
  formerHash: "text",
  formerUntil: "timestamptz",
  mustRenew: "boolean",
  twoFactors: "boolean",
  companyId: "uuid",
  idleMillis: "int",
  expiresAt: "timestamptz",
  confirmedAt: "timestamptz",
  lastUsedAt: "timestamptz",
  network: "text",
  userAgent: "text",
  createdAt: "timestamptz"
})

/** A session with its user and memberships as JSON. */
interface OpenRow {
  readonly user: object
  readonly memberships: ReadonlyArray<object>
  readonly openedCompanies: ReadonlyArray<string>
  readonly requiresTwoFactors: boolean
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("sessions", columns)
  const ofUser = sql.literal(userColumns.selected("u"))
  const ofMembership = sql.literal(membershipColumns.selected("m"))
  const isOpen = (now: number) =>
    sql`expires_at > ${new Date(now)} and last_used_at + idle_millis * interval '1 millisecond' > ${new Date(now)}`

  return SessionStore.of({
    insert: (session, max) =>
      Effect.andThen(
        table.insertMany([session]),
        execute(sql`
          delete from sessions where user_id = ${session.userId} and id in (
            select id from sessions where user_id = ${session.userId}
            order by created_at desc, id desc offset ${max}
          )`)
      ),
    find: (hash, now) =>
      orUnavailable(sql<OpenRow>`
        select ${table.columns},
          (select row_to_json(j) from (select ${ofUser}) j) as "user",
          (select coalesce(json_agg(j order by j."createdAt", j."companyId"), '[]') from (
            select ${ofMembership} from memberships m
            where m.user_id = sessions.user_id and m.accepted_at is not null
          ) j) as memberships,
          array(
            select company_id from operator_access o
            where o.user_id = sessions.user_id and o.until > ${new Date(now)}
          ) as "openedCompanies",
          exists (
            select from memberships m join companies c on c.id = m.company_id
            where m.user_id = sessions.user_id and m.accepted_at is not null
              and c.require_two_factors and c.deleted_at is null
          ) as "requiresTwoFactors"
        from sessions join users u on u.id = sessions.user_id
        where (hash = ${hash} or (former_hash = ${hash} and former_until > ${new Date(now)})) and u.status = 'Active' and ${isOpen(now)}`).pipe(
        Effect.map(([row]) =>
          row === undefined
            ? null
            : {
                session: columns.decode(row),
                user: userColumns.decode(row.user),
                memberships: row.memberships.map(membershipColumns.decode),
                openedCompanies: row.openedCompanies,
                requiresTwoFactors: row.requiresTwoFactors
              }
        )
      ),
    // If another call is updating the session, this one leaves it unchanged.
    touch: ({ id, lastUsedAt, network, userAgent, userId }) =>
      execute(sql`
        with touched as (
          update sessions set last_used_at = ${new Date(lastUsedAt)}, network = ${network}, user_agent = ${userAgent}
          where id = (select id from sessions where id = ${id} for update skip locked)
        )
        update users set last_seen_at = ${new Date(lastUsedAt)}
        where id = (select id from users where id = ${userId} for update skip locked)`),
    save: (session) =>
      Effect.asVoid(
        table.update(
          session,
          ["hash", "formerHash", "formerUntil", "confirmedAt", "twoFactors", "mustRenew"],
          ["id"]
        )
      ),
    requireRenewal: (userId) => execute(sql`update sessions set must_renew = true where user_id = ${userId}`),
    rotate: (id, { after, before, formerUntil }) =>
      Effect.map(
        orUnavailable(sql`
          update sessions set hash = ${after}, former_hash = hash, former_until = ${new Date(formerUntil)},
            must_renew = false
          where id = ${id} and hash = ${before} returning 1`),
        (rows) => rows.length > 0
      ),
    list: (userId, now, page) => table.page(page, sql`user_id = ${userId} and ${isOpen(now)}`),
    remove: (userId, id) =>
      Effect.map(
        orUnavailable(sql`delete from sessions where user_id = ${userId} and id = ${id} returning 1`),
        (rows) => rows.length > 0
      ),
    removeAll: (userId, except) =>
      countOf(sql`
        with gone as (
          delete from sessions where user_id = ${userId} and id is distinct from ${except}::uuid returning 1
        )
        select count(*)::int as count from gone`),
    prune: (before, limit) => pruneOldest(sql, "sessions", "expires_at", before, limit)
  })
}).pipe(Layer.effect(SessionStore))
