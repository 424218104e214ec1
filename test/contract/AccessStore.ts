/**
 * The contract of `core/ports/AccessStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { AccessStore, type OpenedAccess } from "../../core/ports/AccessStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { UserStore } from "../../core/ports/UserStore.ts"
import { minute, newId, now, oddText, type StorageTest } from "./fixtures.ts"
import { draftSession, draftUser } from "./userDrafts.ts"

const draft = (userId: string, values: Partial<OpenedAccess> = {}): OpenedAccess => ({
  companyId: newId(),
  userId,
  reason: oddText,
  openedAt: now,
  until: now + minute,
  ...values
})

/** Tests of the port `AccessStore`. */
export const accessStoreContract = (it: StorageTest): void => {
  describe("AccessStore", () => {
    it.effect("finds what an operator has access to until it ends, and so does a session", () =>
      Effect.gen(function* () {
        const [store, sessions] = [yield* AccessStore, yield* SessionStore]
        const user = draftUser()
        const session = draftSession(user.id)
        yield* (yield* UserStore).insert(user)
        yield* sessions.insert(session, 10)
        const access = draft(user.id)
        yield* store.open(access)
        yield* store.open(draft(newId()))
        const seen = (at: number) =>
          Effect.all([
            store.find(user.id, at),
            Effect.map(sessions.find(session.hash, at), (found) => found!.openedCompanies)
          ])
        expect(yield* seen(now + minute - 1)).toEqual([[access], [access.companyId]])
        expect(yield* seen(now + minute)).toEqual([[], []])
        const longer = { ...access, reason: "again", until: now + 2 * minute }
        yield* store.open(longer)
        expect(yield* seen(now + minute)).toEqual([[longer], [access.companyId]])
        expect(yield* store.close(access.companyId, newId())).toBe(false)
        expect(yield* store.close(access.companyId, user.id)).toBe(true)
        expect(yield* store.close(access.companyId, user.id)).toBe(false)
        expect(yield* seen(now)).toEqual([[], []])
      })
    )

    it.effect("deletes what has ended", () =>
      Effect.gen(function* () {
        const store = yield* AccessStore
        const userId = newId()
        const kept = draft(userId, { until: 2 })
        yield* store.open(draft(userId, { until: 1 }))
        yield* store.open(kept)
        expect(yield* store.prune(2, 10)).toBe(1)
        expect(yield* store.find(userId, 0)).toEqual([kept])
        expect(yield* store.prune(3, 10)).toBe(1)
      })
    )
  })
}
