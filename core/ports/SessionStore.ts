/**
 * Stores sessions of users.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Membership, Session, User } from "../model/User.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A session that has not ended, with its user. */
export interface OpenSession {
  readonly session: Session
  readonly user: User
  /** The oldest first. */
  readonly memberships: ReadonlyArray<Membership>
  /** The companies whose personal data the user, an operator, may read for now, in no order. */
  readonly openedCompanies: ReadonlyArray<string>
  /** Whether a company that is not deleted, of which the user is a member, requires a second factor. */
  readonly requiresTwoFactors: boolean
}

/** The port of sessions. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Adds a session, and removes the oldest ones of the user beyond `max`. */
    readonly insert: (session: Session, max: number) => Effect.Effect<void, Unavailable>
    /**
     * The session with that hash, or with that former hash while it is accepted, that has neither expired nor been idle for too long at `now`, of an active user, as they
     * are at this moment for every node; null where there is none.
     */
    readonly find: (hash: string, now: number) => Effect.Effect<OpenSession | null, Unavailable>
    /** Records a use of a session, and that its user was seen. */
    readonly touch: (
      session: Pick<Session, "id" | "userId" | "lastUsedAt" | "network" | "userAgent">
    ) => Effect.Effect<void, Unavailable>
    /** Replaces the hash and the former one, the time of confirmation, the factors and the need of renewal of a session that exists. */
    readonly save: (session: Session) => Effect.Effect<void, Unavailable>
    /** Has the sessions of a user get another id at their next calls. */
    readonly requireRenewal: (userId: string) => Effect.Effect<void, Unavailable>
    /** Replaces a session's hash, which is accepted until `formerUntil`; false where another call was first. */
    readonly rotate: (
      id: string,
      hashes: { readonly before: string; readonly after: string; readonly formerUntil: number }
    ) => Effect.Effect<boolean, Unavailable>
    /** The sessions of a user that have not ended at `now`, newest first. */
    readonly list: (
      userId: string,
      now: number,
      page: PageRequest
    ) => Effect.Effect<Page<Session>, Unavailable>
    /** Ends a session of a user, for every node at once; returns whether there was one. */
    readonly remove: (userId: string, id: string) => Effect.Effect<boolean, Unavailable>
    /** Ends all sessions of a user except one, null for none; returns how many. */
    readonly removeAll: (userId: string, except: string | null) => Effect.Effect<number, Unavailable>
    /** Deletes sessions that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SessionStore") {}
