/**
 * Stores sessions in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Session } from "../../core/model/User.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { frozen } from "./engine/Table.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { UserTables } from "./tables/UserTables.ts"

const isOpen = ({ expiresAt, idleMillis, lastUsedAt }: Session, now: number): boolean =>
  expiresAt > now && lastUsedAt + idleMillis > now

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { access, companies } = yield* SharedTables
  const { formerly, ofUser, opened, sessions, users } = yield* UserTables

  const byFormer = (hash: string, now: number): Session | undefined =>
    formerly.rows(hash).find(({ formerUntil }) => formerUntil !== null && formerUntil > now)

  return SessionStore.of({
    insert: (session, max) =>
      database.write(() => {
        sessions.insert(frozen(session))
        const held = opened.rows(session.userId)
        sessions.removeMany(held.slice(0, Math.max(0, held.length - max)).map(({ id }) => id))
      }),
    find: (hash, now) =>
      database.read(() => {
        const session = sessions.by("sessions_hash", hash) ?? byFormer(hash, now)
        const user = session === undefined ? undefined : users.get(session.userId)
        if (session === undefined || !isOpen(session, now) || user?.status !== "Active") return null
        const memberships = ofUser.rows(user.id).filter(({ acceptedAt }) => acceptedAt !== null)
        return {
          session,
          user,
          memberships,
          openedCompanies: [...access.rows()]
            .filter(({ until, userId }) => userId === user.id && until > now)
            .map(({ companyId }) => companyId),
          requiresTwoFactors: companies
            .getMany(memberships.map(({ companyId }) => companyId))
            .some(({ deletedAt, requireTwoFactors }) => requireTwoFactors && deletedAt === null)
        }
      }),
    touch: ({ id, lastUsedAt, network, userAgent, userId }) =>
      database.write(() => {
        const session = sessions.get(id)
        if (session !== undefined) sessions.replace({ ...session, lastUsedAt, network, userAgent })
        const user = users.get(userId)
        if (user !== undefined) users.replace({ ...user, lastSeenAt: lastUsedAt })
      }),
    save: ({ confirmedAt, formerHash, formerUntil, hash, id, mustRenew, twoFactors }) =>
      database.write(() => {
        const session = sessions.get(id)
        if (session !== undefined) {
          sessions.replace({
            ...session,
            confirmedAt,
            formerHash,
            formerUntil,
            hash,
            mustRenew,
            twoFactors
          })
        }
      }),
    requireRenewal: (userId) =>
      database.write(() => {
        for (const session of opened.rows(userId).slice()) sessions.replace({ ...session, mustRenew: true })
      }),
    rotate: (id, { after, before, formerUntil }) =>
      database.write(() => {
        const session = sessions.get(id)
        if (session?.hash !== before) return false
        sessions.replace({ ...session, hash: after, formerHash: before, formerUntil, mustRenew: false })
        return true
      }),
    list: (userId, now, page) =>
      database.read(() =>
        pageOfAll(
          opened.rows(userId).filter((session) => isOpen(session, now)),
          page,
          placeBy("createdAt")
        )
      ),
    remove: (userId, id) =>
      database.write(() => sessions.get(id)?.userId === userId && sessions.remove(id) !== undefined),
    removeAll: (userId, except) =>
      database.write(() => {
        const ended = opened.rows(userId).filter(({ id }) => id !== except)
        sessions.removeMany(ended.map(({ id }) => id))
        return ended.length
      }),
    prune: (before, limit) =>
      database.write(() => {
        const gone: Array<string> = []
        for (const { expiresAt, id } of sessions.rows()) {
          if (gone.length === limit) break
          if (expiresAt < before) gone.push(id)
        }
        sessions.removeMany(gone)
        return gone.length
      })
  })
}).pipe(Layer.effect(SessionStore))
