/**
 * The contract of `core/ports/SessionStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Company } from "../../core/model/Account.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import type { Session } from "../../core/model/User.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { UserStore } from "../../core/ports/UserStore.ts"
import type { Page } from "../../core/shared/Page.ts"
import {
  atOnce,
  draftCompany,
  firstPage,
  minute,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"
import { draftMembership, draftSession, draftUser } from "./userDrafts.ts"

const many = 100

const freshUser = Effect.gen(function* () {
  const user = draftUser({ recoveryCodes: ["a"], totpConfirmedAt: now })
  yield* (yield* UserStore).insert(user)
  return user
})

/** Tests of the port `SessionStore`. */
export const sessionStoreContract = (it: StorageTest): void => {
  describe("SessionStore", () => {
    it.effect("finds a session by its hash, with the user and memberships of this moment", () =>
      Effect.gen(function* () {
        const [sessions, users] = [yield* SessionStore, yield* UserStore]
        const user = yield* freshUser
        const session = draftSession(user.id, { userAgent: oddText })
        yield* sessions.insert(session, many)
        expect(yield* sessions.find(session.hash, now)).toEqual({
          session,
          user,
          memberships: [],
          openedCompanies: [],
          requiresTwoFactors: false
        })
        expect(yield* sessions.find(newHash(), now)).toBeNull()
        const memberships = times(2, (index) =>
          draftMembership(newId(), user.id, { acceptedAt: now, createdAt: now + index })
        )
        for (const membership of [...memberships, draftMembership(newId(), user.id)])
          yield* users.insertMembership(membership)
        expect((yield* sessions.find(session.hash, now))!.memberships).toEqual(memberships)
        yield* users.save({ ...user, status: "Disabled" })
        expect(yield* sessions.find(session.hash, now)).toBeNull()
      })
    )

    it.effect("finds whether a company of the user that is not deleted requires a second factor", () =>
      Effect.gen(function* () {
        const [sessions, accounts] = [yield* SessionStore, yield* AccountStore]
        const { id } = yield* freshUser
        const session = draftSession(id)
        yield* sessions.insert(session, many)
        const { company, live, sandbox } = draftCompany()
        const other = draftCompany()
        yield* accounts.insert([company, other.company], [live, sandbox, other.live, other.sandbox])
        const users = yield* UserStore
        yield* users.insertMembership(draftMembership(company.id, id, { acceptedAt: now }))
        yield* users.insertMembership(draftMembership(other.company.id, id))
        const requires = (changes: Partial<Company>, changed = company) =>
          Effect.andThen(
            accounts.saveCompany({ ...changed, ...changes }),
            Effect.map(sessions.find(session.hash, now), (found) => found!.requiresTwoFactors)
          )
        expect(yield* requires({ requireTwoFactors: true }, other.company)).toBe(false)
        expect(yield* requires({ requireTwoFactors: true })).toBe(true)
        expect(yield* requires({ requireTwoFactors: true, deletedAt: now })).toBe(false)
        expect(yield* requires({})).toBe(false)
      })
    )

    it.effect("finds no session that expired or was idle for too long", () =>
      Effect.gen(function* () {
        const sessions = yield* SessionStore
        const { id } = yield* freshUser
        const idle = draftSession(id, { idleMillis: minute })
        const expiring = draftSession(id, { expiresAt: now + 2 * minute, createdAt: now + 1 })
        yield* sessions.insert(idle, many)
        yield* sessions.insert(expiring, many)
        const found = (at: number) =>
          Effect.map(
            Effect.all([
              sessions.find(idle.hash, at),
              sessions.find(expiring.hash, at),
              sessions.list(id, at, firstPage)
            ]),
            ([one, other, listed]) => [one !== null, other !== null, listed.totalCount]
          )
        expect(yield* found(now + minute - 1)).toEqual([true, true, 2])
        expect(yield* found(now + minute)).toEqual([false, true, 1])
        expect(yield* found(now + 2 * minute)).toEqual([false, false, 0])
        yield* sessions.touch({ ...idle, lastUsedAt: now + minute, network: "198.51.100.1", userAgent: "b" })
        const places = ({ items }: Page<Session>) =>
          items.map(({ network, userAgent }) => [network, userAgent])
        const first = yield* sessions.list(id, now + minute, { page: 1, pageSize: 1 })
        expect(places(first)).toEqual([["192.0.2.1", null]])
        const behind = { page: 1, pageSize: 1, after: first.next }
        expect(places(yield* sessions.list(id, now + minute, behind))).toEqual([["198.51.100.1", "b"]])
        expect((yield* (yield* UserStore).find([id]))[0]!.lastSeenAt).toBe(now + minute)
      })
    )

    it.effect("gives a session another hash once, and accepts the former one for a while", () =>
      Effect.gen(function* () {
        const sessions = yield* SessionStore
        const [{ id }, other] = [yield* freshUser, yield* freshUser]
        const session = draftSession(id)
        const others = draftSession(other.id)
        for (const one of [session, others]) yield* sessions.insert(one, many)
        yield* sessions.requireRenewal(id)
        const found = (hash: string, at: number) =>
          Effect.map(sessions.find(hash, at), (open) => open?.session ?? null)
        expect((yield* found(session.hash, now))!.mustRenew).toBe(true)
        expect((yield* found(others.hash, now))!.mustRenew).toBe(false)
        const hashes = times(4, newHash)
        const formerUntil = now + minute
        const rotations = yield* atOnce(
          hashes.map((after) => sessions.rotate(session.id, { before: session.hash, after, formerUntil }))
        )
        const first = successes(rotations).indexOf(true)
        expect(successes(rotations).filter(Boolean)).toHaveLength(1)
        const renewed = { ...session, hash: hashes[first]!, formerHash: session.hash, formerUntil }
        expect(yield* found(renewed.hash, formerUntil)).toEqual(renewed)
        expect(yield* found(session.hash, formerUntil - 1)).toEqual(renewed)
        expect(yield* found(session.hash, formerUntil)).toBeNull()
        yield* sessions.save({ ...renewed, formerHash: null, formerUntil: null })
        expect(yield* found(session.hash, formerUntil - 1)).toBeNull()
      })
    )

    it.effect("keeps the newest sessions of a user", () =>
      Effect.gen(function* () {
        const sessions = yield* SessionStore
        const [{ id }, other] = [yield* freshUser, yield* freshUser]
        yield* sessions.insert(draftSession(other.id), 3)
        for (const session of times(6, (index) => draftSession(id, { createdAt: now + index }))) {
          yield* sessions.insert(session, 3)
        }
        expect(
          (yield* sessions.list(id, now, firstPage)).items.map(({ createdAt }) => createdAt - now)
        ).toEqual([5, 4, 3])
        expect((yield* sessions.list(other.id, now, firstPage)).totalCount).toBe(1)
      })
    )

    it.effect("replaces the hash of a session", () =>
      Effect.gen(function* () {
        const sessions = yield* SessionStore
        const session = draftSession((yield* freshUser).id)
        yield* sessions.insert(session, many)
        const renewed = { ...session, hash: newHash(), confirmedAt: now + 5 }
        yield* sessions.save(renewed)
        expect(yield* sessions.find(session.hash, now)).toBeNull()
        expect((yield* sessions.find(renewed.hash, now))!.session).toEqual(renewed)
      })
    )

    it.effect("ends one session, all but one, or all", () =>
      Effect.gen(function* () {
        const sessions = yield* SessionStore
        const [user, other] = [yield* freshUser, yield* freshUser]
        const [one, two, three] = times(3, () => draftSession(user.id)) as [never, never, never]
        const foreign = draftSession(other.id)
        for (const session of [one, two, three, foreign]) yield* sessions.insert(session, many)
        const first: ReturnType<typeof draftSession> = one
        const second: ReturnType<typeof draftSession> = two
        expect(yield* sessions.remove(other.id, first.id)).toBe(false)
        expect(yield* sessions.remove(user.id, first.id)).toBe(true)
        expect(yield* sessions.remove(user.id, first.id)).toBe(false)
        expect(yield* sessions.removeAll(user.id, second.id)).toBe(1)
        expect((yield* sessions.list(user.id, now, firstPage)).items).toEqual([second])
        expect(yield* sessions.removeAll(user.id, null)).toBe(1)
        expect(yield* sessions.find(foreign.hash, now)).not.toBeNull()
      })
    )

    it.effect("deletes sessions that expired before a time", () =>
      Effect.gen(function* () {
        const sessions = yield* SessionStore
        const { id } = yield* freshUser
        const longAgo = Date.UTC(1990, 0, 1)
        for (const expiresAt of [longAgo, longAgo + 1, longAgo + 2]) {
          yield* sessions.insert(draftSession(id, { expiresAt }), many)
        }
        expect(yield* sessions.prune(longAgo + 2, 1)).toBe(1)
        expect(yield* sessions.prune(longAgo + 2, 9)).toBe(1)
        expect(yield* sessions.removeAll(id, null)).toBe(1)
      })
    )
  })
}
