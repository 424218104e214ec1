/**
 * Holds the tables of users, their memberships and sessions, which several storage ports use.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Membership, Session, User } from "../../../core/model/User.ts"
import { Database } from "../engine/Database.ts"
import { all, byField, SortedIndex } from "../engine/SortedIndex.ts"
import { Table } from "../engine/Table.ts"

/** The primary key of a membership. */
export const membershipKey = (companyId: string, userId: string): string => `${companyId} ${userId}`

const makeUsers = (database: Database["Service"]) => {
  const byAge = (one: Membership, other: Membership) =>
    one.createdAt - other.createdAt ||
    (membershipKey(one.userId, one.companyId) < membershipKey(other.userId, other.companyId) ? -1 : 1)
  const order = new SortedIndex<User>(() => all, byField("createdAt"))
  const ofCompany = new SortedIndex<Membership>(({ companyId }) => companyId, same(byAge))
  const ofUser = new SortedIndex<Membership>(({ userId }) => userId, same(byAge))
  const opened = new SortedIndex<Session>(({ userId }) => userId, byField("createdAt"))
  const formerly = new SortedIndex<Session>(({ formerHash }) => formerHash, byField("createdAt"))
  return {
    users: new Table<User, "users_email">(database, {
      key: ({ id }) => id,
      unique: { users_email: ({ email }) => email },
      indexes: [order]
    }),
    memberships: new Table<Membership>(database, {
      key: ({ companyId, userId }) => membershipKey(companyId, userId),
      indexes: [ofCompany, ofUser]
    }),
    sessions: new Table<Session, "sessions_hash">(database, {
      key: ({ id }) => id,
      unique: { sessions_hash: ({ hash }) => hash },
      indexes: [opened, formerly]
    }),
    order,
    ofCompany,
    ofUser,
    opened,
    formerly
  }
}

/** An order in which a membership equals other versions of itself. */
const same =
  (compare: (one: Membership, other: Membership) => number) =>
  (one: Membership, other: Membership): number =>
    one.companyId === other.companyId && one.userId === other.userId ? 0 : compare(one, other)

/** Tables that more than one memory store uses. */
export class UserTables extends Context.Service<UserTables, ReturnType<typeof makeUsers>>()(
  "svc/adapters/memory/UserTables"
) {
  static readonly layer = Layer.effect(UserTables, Effect.map(Database, makeUsers))
}
