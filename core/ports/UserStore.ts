/**
 * Stores users and their memberships of companies. They belong to no account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Member, Membership, User, UserStatus } from "../model/User.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** Which users a list shows. A null field does not filter. */
export interface UserFilter {
  readonly status: Among<UserStatus>
  /** A prefix of the name (case-insensitive) or of the address, in the form of `foldCase`. */
  readonly q: string | null
  /** Like `CompanyFilter.volumeSince`. With null, volumes are not counted and are 0. */
  readonly volumeSince: number | null
}

/** The filter of all users, without their volumes. */
export const everyUser: UserFilter = { status: null, q: null, volumeSince: null }

/** A user with the total volume of the companies of which the user is a member (`ListedCompany`). */
export interface ListedUser extends User {
  readonly volume: number
}

/** The port of users and memberships. */
export class UserStore extends Context.Service<
  UserStore,
  {
    /** Adds a user. `WriteConflict("users_email")` if another user has the address. */
    readonly insert: (user: User) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The users with those ids that exist, in no order. */
    readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<User>, Unavailable>
    /** Like `find`; also locks each user against `lock` of other transactions until this one ends. */
    readonly lock: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<User>, Unavailable>
    /** The user with a normalized address; null if there is none. */
    readonly findByEmail: (email: string) => Effect.Effect<User | null, Unavailable>
    /** Replaces a user, except the address and the time of the last use. */
    readonly save: (user: User) => Effect.Effect<void, Unavailable>
    /** Users sorted by creation time, by name (or address, for users without one) or by volume; newest first by default. */
    readonly list: (page: PageRequest, filter?: UserFilter) => Effect.Effect<Page<ListedUser>, Unavailable>
    /** The ids of the active operators. */
    readonly operators: Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The memberships of users, oldest first. */
    readonly memberships: (
      userIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Membership>, Unavailable>
    /** A company's members, newest first. */
    readonly members: (companyId: string, page: PageRequest) => Effect.Effect<Page<Member>, Unavailable>
    /** The ids of a company's active Owners who have accepted their membership. */
    readonly owners: (companyId: string) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Adds a membership. `WriteConflict("memberships_pkey")` if the user is already a member of the company. */
    readonly insertMembership: (membership: Membership) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Accepts, at `now`, the memberships of a user that are not accepted yet: all of them or, with `companyId`, only that of one
     * company. Returns the ids of their companies.
     */
    readonly acceptMemberships: (
      userId: string,
      companyId: string | null,
      now: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Replaces the role and access of an existing membership. */
    readonly saveMembership: (membership: Membership) => Effect.Effect<void, Unavailable>
    /** Removes an existing membership. */
    readonly removeMembership: (companyId: string, userId: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/UserStore") {}
