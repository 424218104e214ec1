/**
 * Stores users and memberships in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Membership, User } from "../../core/model/User.ts"
import { everyUser, type ListedUser, UserStore } from "../../core/ports/UserStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first, idsOf } from "./sql/results.ts"
import { beginsWith, folded, searchedBy, sortedList } from "./sql/sortedLists.ts"
import type { SortColumn } from "./sql/pages.ts"
import { tableOf } from "./sql/tables.ts"
import { volumeOf } from "./sql/volumes.ts"

/** The columns of `users`. */
export const userColumns = columnsOf<User>({
  id: "uuid",
  email: "text",
  name: "text",
  language: "text",
  timeZone: "text",
  status: "text",
  isOperator: "boolean",
  passwordHash: "text",
  totpSecret: "text",
  totpConfirmedAt: "timestamptz",
  totpStep: "int",
  recoveryCodes: "jsonb",
  passkeys: "int",
  lastSeenAt: "timestamptz",
  createdAt: "timestamptz"
})

/** The columns of `memberships`. */
export const membershipColumns = columnsOf<Membership>({
  userId: "uuid",
  companyId: "uuid",
  role: "text",
  liveAccess: "boolean",
  invitedName: "text",
  acceptedAt: "timestamptz",
  createdAt: "timestamptz"
})

const saved = userColumns.order.filter((field) => !["id", "email", "lastSeenAt"].includes(field))

/** The volume of every user, computed from the volumes of the user's companies. */
const volumes = (since: number): string => `left join (
    select m.user_id, sum(c.volume) as emails from memberships m join (
      select id, ${volumeOf("companies.live_account_id", since)} as volume from companies
      where exists (select from memberships where company_id = companies.id) offset 0
    ) c on c.id = m.company_id group by m.user_id
  ) o on o.user_id = i.id cross join lateral (select coalesce(o.emails, 0) as volume) v`

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const users = yield* tableOf("users", userColumns)
  const memberships = yield* tableOf("memberships", membershipColumns, ["createdAt", "userId"])

  return UserStore.of({
    insert: (user) => users.insertOrConflict([user]),
    find: (ids) => users.select(sql`from users where id = any(${ids}::uuid[])`),
    // Sorted, so that two transactions cannot deadlock.
    lock: (ids) => users.select(sql`from users where id = any(${ids}::uuid[]) order by id for update`),
    findByEmail: (email) => first(users.select(sql`from users where email = ${email}`)),
    save: (user) => Effect.asVoid(users.update(user, saved, ["id"])),
    list: Effect.fnUntraced(function* (page, { q, status, volumeSince } = everyUser) {
      const name = folded("coalesce(i.name, i.email)")
      const isOfStatus = sql`i.status = any(${status}::text[])`
      const volume =
        volumeSince === null
          ? "0::float8"
          : `coalesce((
              select sum(${volumeOf("c.live_account_id", volumeSince)}) from memberships m
              cross join lateral (select live_account_id from companies where id = m.company_id) c where m.user_id = i.id
            ), 0)`
      const byVolume = page.sort?.by === "volume"
      const columns: Readonly<Record<string, SortColumn>> = {
        name: { column: name, kind: "Text" },
        volume: { column: "volume", kind: "Count" }
      }
      const begins = [beginsWith(sql, name, q ?? ""), beginsWith(sql, `(i.email collate "C")`, q ?? "")]
      return yield* sortedList(sql, page, {
        table: "users",
        passing: sql.and([...(status === null ? [] : [isOfStatus]), ...(q === null ? [] : [sql.or(begins)])]),
        searched: yield* searchedBy(sql, "users", [
          ...(status === null ? [] : [[isOfStatus]]),
          ...(q === null ? [] : [begins])
        ]),
        by: columns[page.sort?.by ?? ""] ?? { column: "i.created_at", kind: "Time" },
        computed: byVolume
          ? {
              name: "volume",
              value: volume,
              ...(volumeSince === null ? {} : { joined: volumes(volumeSince) })
            }
          : null,
        columns: sql.literal(`${userColumns.selected("i")}, ${byVolume ? "volume" : `${volume} as volume`}`),
        decode: (row) => ({ ...userColumns.decode(row), volume: (row as ListedUser).volume })
      })
    }),
    operators: idsOf(sql`select id from users where is_operator and status = 'Active'`),
    memberships: (userIds) =>
      memberships.select(
        sql`from memberships where user_id = any(${userIds}::uuid[]) order by created_at, company_id`
      ),
    members: Effect.fnUntraced(function* (companyId, page) {
      const found = yield* memberships.page(page, sql`company_id = ${companyId}`)
      const ids = found.items.map(({ userId }) => userId)
      const people = new Map(
        (yield* users.select(sql`from users where id = any(${ids}::uuid[])`)).map((user) => [user.id, user])
      )
      return {
        ...found,
        items: found.items.map((membership) => ({ membership, user: people.get(membership.userId)! }))
      }
    }),
    owners: (companyId) =>
      idsOf(sql`
        select u.id from memberships m join users u on u.id = m.user_id
        where m.company_id = ${companyId} and m.role = 'Owner' and m.accepted_at is not null and u.status = 'Active'`),
    insertMembership: (membership) => memberships.insertOrConflict([membership]),
    acceptMemberships: (userId, companyId, now) =>
      idsOf(sql`
        update memberships set accepted_at = ${new Date(now)}
        where user_id = ${userId} and accepted_at is null and (${companyId}::uuid is null or company_id = ${companyId})
        returning company_id as id`),
    saveMembership: (membership) =>
      Effect.asVoid(memberships.update(membership, ["role", "liveAccess"], ["companyId", "userId"])),
    removeMembership: (companyId, userId) =>
      execute(sql`delete from memberships where company_id = ${companyId} and user_id = ${userId}`)
  })
}).pipe(Layer.effect(UserStore))
