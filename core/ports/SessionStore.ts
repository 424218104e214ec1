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
  /** The memberships that the user has accepted, the oldest first. */
  readonly memberships: ReadonlyArray<Membership>
  /** The companies whose personal data the user, if an operator, may currently read, in no order. */
  readonly openedCompanies: ReadonlyArray<string>
  /** Whether a company of these memberships that is not deleted requires a second factor. */
  readonly requiresTwoFactors: boolean
}

/** The port of sessions. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Adds a session, and removes the user's oldest sessions above `max`. */
    readonly insert: (session: Session, max: number) => Effect.Effect<void, Unavailable>
    /**
     * The session with the hash, or with the former hash while that is accepted. At `now` it must not have expired or been idle
     * for too long, and its user must be active. Session and user are current on every node. Null if there is none.
     */
    readonly find: (hash: string, now: number) => Effect.Effect<OpenSession | null, Unavailable>
    /** Records a use of a session, and that its user was active. */
    readonly touch: (
      session: Pick<Session, "id" | "userId" | "lastUsedAt" | "network" | "userAgent">
    ) => Effect.Effect<void, Unavailable>
    /** Replaces an existing session's hash, former hash, time of confirmation, factors and need of renewal. */
    readonly save: (session: Session) => Effect.Effect<void, Unavailable>
    /** Makes the sessions of a user get a new id at their next call. */
    readonly requireRenewal: (userId: string) => Effect.Effect<void, Unavailable>
    /** Replaces a session's hash; the old one is accepted until `formerUntil`. Returns false if another call was first. */
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
    /** Ends a session of a user, effective on every node at once; returns whether there was one. */
    readonly remove: (userId: string, id: string) => Effect.Effect<boolean, Unavailable>
    /** Ends all sessions of a user, except the given one (null for none); returns how many. */
    readonly removeAll: (userId: string, except: string | null) => Effect.Effect<number, Unavailable>
    /** Deletes sessions that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SessionStore") {}
