/**
 * Sessions of signed-in users. They are read from the database at each call, so that ending a session is effective on all nodes
 * at once, and changes of a user's rights apply from the next call on (docs/contributing/people.md 2).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../kernel/Ids.ts"
import { type Actor, userActor } from "../model/Actor.ts"
import { hasSecondFactor, type Session, type User } from "../model/User.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { type OpenSession, SessionStore } from "../ports/SessionStore.ts"
import { UserStore } from "../ports/UserStore.ts"
import { toBase64Url } from "../shared/Bytes.ts"
import type { Origin } from "../shared/Network.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { Caller } from "./Caller.ts"
import { factorsOf } from "./Factors.ts"

/** Whether every user must have a second factor (`SVC_REQUIRE_TWO_FACTORS`). */
export const RequireTwoFactors = Context.Reference<boolean>("svc/users/RequireTwoFactors", {
  defaultValue: () => false
})

const hourMillis = 3_600_000

/** How long a session may be idle, and how long it lasts in total; shorter for operators. Milliseconds. */
export const sessionLifetimes = {
  user: { idleMillis: 12 * hourMillis, totalMillis: 30 * 24 * hourMillis },
  operator: { idleMillis: 2 * hourMillis, totalMillis: 24 * hourMillis }
} as const

/** How long the former id of a session is accepted, for concurrent calls, milliseconds. */
export const formerMillis = 60_000

/** For how long a given factor confirms calls that require one, milliseconds. */
export const confirmedMillis = 900_000

/** The most sessions of a user. A further one ends the oldest. */
export const maxSessions = 100

const tokenBytes = 32
const touchMillis = 60_000
const maxUserAgent = 200
const tokenPattern = /^[\w-]{43}$/

/** The browser and network from which a session is used. */
export interface Browser {
  readonly origin: Origin
  readonly userAgent: string | null
}

/** A session that is currently valid. */
export interface Authenticated extends OpenSession {
  /** Until when the session counts as confirmed by a factor, epoch milliseconds. */
  readonly confirmedUntil: number
  /** Whether the user must set up a second factor before anything else. */
  readonly needsFactor: boolean
}

/** A session whose id was just created. The id is available only now. */
export interface IssuedSession {
  readonly session: Session
  /** The value of the cookie. */
  readonly token: string
}

/** Whether the user of a session must set up a second factor before anything else. */
const needsFactor = (isRequired: boolean, user: User, { twoFactors }: Pick<Session, "twoFactors">): boolean =>
  isRequired && !twoFactors && !hasSecondFactor(user)

/** Removes from a session that is limited to one company everything that its user has elsewhere. */
const confined = (found: OpenSession): OpenSession => {
  const { companyId } = found.session
  if (companyId === null) return found
  return {
    ...found,
    user: { ...found.user, isOperator: false },
    memberships: found.memberships.filter((membership) => membership.companyId === companyId),
    openedCompanies: []
  }
}

/** The most characters of a browser's name in an audit entry. */
const maxAuditedAgent = 300

/** A user in a browser, for the audit log. */
export const actorIn = (user: User, { origin, userAgent }: Browser): Actor => ({
  ...userActor(user),
  network: origin.network,
  userAgent: userAgent?.slice(0, maxAuditedAgent) ?? null
})

/** The user of a session, for the audit log. */
export const actorOfSession = ({ session, user }: Authenticated): Actor => ({
  ...userActor(user),
  sessionId: session.id,
  network: session.network,
  userAgent: session.userAgent
})

/** A session as a caller of the management API. */
export const callerOfSession = ({
  confirmedUntil,
  memberships,
  openedCompanies,
  session,
  user
}: Authenticated): Caller => ({
  _tag: "Session",
  sessionId: session.id,
  user: {
    userId: user.id,
    name: user.name ?? user.email,
    isOperator: user.isOperator,
    memberships,
    openedCompanies
  },
  confirmedUntil,
  factors: factorsOf(user)
})

/** Why a session gets a new id. */
export interface RenewalReason {
  /** Whether a factor was just given. */
  readonly isConfirmed?: boolean
  /** Whether that factor counts as two. */
  readonly twoFactors?: boolean
}

/** Sessions of users. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * The session of a cookie's value; null if it is unknown or has ended. Records its use, at most once a minute, except when a
     * call in progress is authenticated again.
     */
    readonly authenticate: (
      token: string,
      browser: Browser,
      isRepeated?: boolean
    ) => Effect.Effect<Authenticated | null, Unavailable>
    /**
     * Whether the user of a session must set up a second factor before anything else, because the installation or one of the
     * user's companies requires one.
     */
    readonly needsFactor: (
      user: User,
      session: Pick<Session, "twoFactors">
    ) => Effect.Effect<boolean, Unavailable>
    /** Opens a session for a user who has just given one or two factors. */
    readonly open: (
      user: User,
      browser: Browser,
      opening: Pick<Session, "twoFactors" | "companyId">
    ) => Effect.Effect<IssuedSession, Unavailable>
    /** Gives a session a new id when rights or factors change. */
    readonly renew: (session: Session, given: RenewalReason) => Effect.Effect<IssuedSession, Unavailable>
    /** Makes the sessions of a user get a new id at their next call, in the caller's transaction. */
    readonly requireRenewal: (userId: string) => Effect.Effect<void, Unavailable>
    /**
     * Gives a session a new id if someone else has changed the user's rights since its last call. Returns the new value of the
     * cookie, or null if it does not change or another call was first.
     */
    readonly renewIfRequired: (session: Session) => Effect.Effect<string | null, Unavailable>
    /** The sessions of a user, newest first. */
    readonly list: (userId: string, page: PageRequest) => Effect.Effect<Page<Session>, Unavailable>
    /** Ends a session of a user, effective on all nodes at once; false if there is none. */
    readonly end: (userId: string, id: string) => Effect.Effect<boolean, Unavailable>
    /** Ends all sessions of a user except one, effective on all nodes at once. */
    readonly endAll: (userId: string, except?: string) => Effect.Effect<number, Unavailable>
  }
>()("svc/users/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const crypto = yield* Crypto
      const ids = yield* Ids
      const store = yield* SessionStore
      const users = yield* UserStore
      const isRequired = yield* RequireTwoFactors

      const newToken = (): string => toBase64Url(crypto.randomBytes(tokenBytes))
      const describe = ({ origin, userAgent }: Browser) => ({
        network: origin.network,
        userAgent:
          userAgent === null ? null : userAgent.slice(0, maxUserAgent).toWellFormed().replaceAll("\0", "")
      })

      return Sessions.of({
        authenticate: Effect.fn("Sessions.authenticate")(function* (token, browser, isRepeated = false) {
          if (!tokenPattern.test(token)) return null
          const now = yield* Clock.currentTimeMillis
          const found = yield* store.find(crypto.sha256Hex(token), now)
          if (found === null) return null
          const { session, user } = found
          const lastUsedAt = now - (now % touchMillis)
          if (session.lastUsedAt < lastUsedAt && !isRepeated) {
            yield* store.touch({ id: session.id, userId: user.id, lastUsedAt, ...describe(browser) })
          }
          return {
            ...confined(found),
            session: { ...session, ...describe(browser) },
            confirmedUntil: session.confirmedAt + confirmedMillis,
            needsFactor: needsFactor(isRequired || found.requiresTwoFactors, user, session)
          }
        }),
        needsFactor: Effect.fn("Sessions.needsFactor")(function* (user, session) {
          if (isRequired || !needsFactor(true, user, session)) return needsFactor(isRequired, user, session)
          const memberships = yield* users.memberships([user.id])
          const accepted = memberships.filter(({ acceptedAt }) => acceptedAt !== null)
          const companies = yield* accounts.findCompanies(accepted.map(({ companyId }) => companyId))
          return companies.some(({ deletedAt, requireTwoFactors }) => requireTwoFactors && deletedAt === null)
        }),
        open: Effect.fn("Sessions.open")(function* (user, browser, opening) {
          const now = yield* Clock.currentTimeMillis
          const token = newToken()
          const { idleMillis, totalMillis } = sessionLifetimes[user.isOperator ? "operator" : "user"]
          const session: Session = {
            id: yield* ids.next,
            userId: user.id,
            hash: crypto.sha256Hex(token),
            formerHash: null,
            formerUntil: null,
            mustRenew: false,
            ...opening,
            idleMillis,
            expiresAt: now + totalMillis,
            confirmedAt: now,
            lastUsedAt: now,
            ...describe(browser),
            createdAt: now
          }
          yield* store.insert(session, maxSessions)
          return { session, token }
        }),
        renew: Effect.fn("Sessions.renew")(function* (session, { isConfirmed = false, twoFactors = false }) {
          const token = newToken()
          const now = yield* Clock.currentTimeMillis
          const renewed: Session = {
            ...session,
            hash: crypto.sha256Hex(token),
            // After a factor was given or changed, no former id is accepted.
            formerHash: null,
            formerUntil: null,
            mustRenew: false,
            twoFactors: session.twoFactors || twoFactors,
            confirmedAt: isConfirmed ? now : session.confirmedAt
          }
          yield* store.save(renewed)
          return { session: renewed, token }
        }),
        list: (userId, page) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => store.list(userId, now, page)),
        requireRenewal: store.requireRenewal,
        renewIfRequired: Effect.fnUntraced(function* ({ hash: before, id, mustRenew }) {
          if (!mustRenew) return null
          const token = newToken()
          const formerUntil = (yield* Clock.currentTimeMillis) + formerMillis
          const isFirst = yield* store.rotate(id, { before, after: crypto.sha256Hex(token), formerUntil })
          return isFirst ? token : null
        }),
        end: store.remove,
        endAll: (userId, except) => store.removeAll(userId, except ?? null)
      })
    })
  )
}
