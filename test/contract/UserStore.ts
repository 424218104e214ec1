/**
 * The contract of `core/ports/UserStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Company } from "../../core/model/Account.ts"
import type { User } from "../../core/model/User.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { type UserFilter, UserStore } from "../../core/ports/UserStore.ts"
import type { PageRequest } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import {
  atOnce,
  byId,
  draftCompany,
  expectFailure,
  expectOnlyFailures,
  newEmail,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"
import { draftSubmission } from "./drafts.ts"
import { draftMembership, draftUser } from "./userDrafts.ts"

const volumeSince = Math.floor(now / 86_400_000) * 86_400_000
const anyUser: UserFilter = { status: null, q: null, volumeSince }

/** Tests of the port `UserStore`. */
export const userStoreContract = (it: StorageTest): void => {
  describe("UserStore", () => {
    it.effect("finds users by id and by address, as they were added", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const user = draftUser({
          name: oddText,
          language: "de",
          timeZone: "Europe/Berlin",
          passwordHash: "$",
          totpSecret: "s",
          totpConfirmedAt: now + 1,
          totpStep: 5,
          recoveryCodes: ["a", "b"],
          lastSeenAt: now + 2
        })
        const other = draftUser({ status: "Invited" })
        yield* store.insert(user)
        yield* store.insert(other)
        expect(byId(yield* store.find([user.id, other.id, newId(), user.id]))).toEqual(byId([user, other]))
        expect(yield* store.lock([user.id])).toEqual([user])
        expect(yield* store.findByEmail(user.email)).toEqual(user)
        expect(yield* store.findByEmail(newEmail())).toBeNull()
        expect((yield* store.list({ page: 1, pageSize: 1 }, anyUser)).totalCount).toBeGreaterThan(1)
      })
    )

    it.effect(
      "lists users by state, by the beginning of name or address, sorted by time, name and volume",
      () =>
        Effect.gen(function* () {
          const store = yield* UserStore
          const mark = unique("é")
          const named = [
            { name: `${mark} Bo`.toUpperCase(), status: "Active" },
            { name: `${mark} ada`, status: "Disabled" },
            { name: null, email: `${mark.replace("é", "e")}@x.example`, status: "Invited" }
          ] as const
          const users = named.map((values, index) => draftUser({ ...values, createdAt: now + index }))
          const [bo, ada, invited] = users as [User, User, User]
          for (const user of users) yield* store.insert(user)
          const found = (filter: Partial<UserFilter>, by = "time", ascending = false) =>
            Effect.map(
              store.list(
                { page: 1, pageSize: 5, sort: { by, ascending } },
                { ...anyUser, q: foldCase(mark), ...filter }
              ),
              ({ items }) => items.map(({ volume: _volume, ...user }) => user)
            )
          expect(yield* found({})).toEqual([ada, bo])
          expect(yield* found({}, "name", true)).toEqual([ada, bo])
          expect(yield* found({}, "name")).toEqual([bo, ada])
          expect(yield* found({ status: ["Active", "Invited"] })).toEqual([bo])
          expect(yield* found({ q: mark.replace("é", "e") })).toEqual([invited])
          expect(yield* found({ q: bo.email })).toEqual([bo])
          const sort = { by: "name", ascending: true }
          const after = yield* store.list({ page: 1, pageSize: 1, sort }, anyUser)
          const next = yield* store.list({ page: 1, pageSize: 200, after: after.next, sort }, anyUser)
          expect(next.items).not.toContainEqual(after.items[0])

          const companies = [draftCompany({}, now), draftCompany({}, now)]
          yield* (yield* AccountStore).insert(
            companies.map(({ company }) => company),
            companies.flatMap(({ live, sandbox }) => [live, sandbox])
          )
          const [first, second] = companies.map(({ company }) => company) as [Company, Company]
          const submissions = yield* SubmissionStore
          const sent = (account: string, createdAt: number) =>
            submissions.insert(account, [draftSubmission(account, { createdAt })], [])
          yield* sent(first.liveAccountId, volumeSince)
          yield* sent(first.liveAccountId, volumeSince - 1)
          yield* sent(first.sandboxAccountId, now)
          yield* sent(second.liveAccountId, now)
          yield* sent(second.liveAccountId, now)
          for (const [company, user] of [
            [first, bo],
            [second, bo],
            [first, ada]
          ] as const) {
            yield* store.insertMembership(draftMembership(company.id, user.id))
          }
          const volumes = (page: Partial<PageRequest>) =>
            Effect.map(
              store.list(
                { page: 1, pageSize: 5, sort: { by: "volume", ascending: false }, ...page },
                { ...anyUser, q: foldCase(mark) }
              ),
              ({ items, next: place }) => ({ items: items.map(({ id, volume }) => [id, volume]), place })
            )
          expect((yield* volumes({})).items).toEqual([
            [bo.id, 3],
            [ada.id, 1]
          ])
          const { items, place } = yield* volumes({ pageSize: 1, sort: { by: "volume", ascending: true } })
          expect(items).toEqual([[ada.id, 1]])
          const behind = yield* volumes({ after: place, sort: { by: "volume", ascending: true } })
          expect(behind.items).toEqual([[bo.id, 3]])
          expect((yield* store.list({ page: 1, pageSize: 5 }, { ...anyUser, q: bo.email })).items).toEqual([
            { ...bo, volume: 3 }
          ])
        })
    )

    it.effect("keeps one user of an address, also of concurrent ones", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const email = newEmail()
        const exits = yield* atOnce(times(6, () => store.insert(draftUser({ email }))))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        const conflict = yield* expectFailure(store.insert(draftUser({ email })), "WriteConflict")
        expect(conflict.constraint).toBe("users_email")
      })
    )

    it.effect("replaces a user except the address and the last use", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const user = draftUser({ lastSeenAt: now, totpStep: 1, recoveryCodes: ["a"] })
        yield* store.insert(user)
        const changed = draftUser({
          id: user.id,
          name: "Ada",
          status: "Disabled",
          isOperator: true,
          createdAt: now
        })
        yield* store.save(changed)
        expect(yield* store.find([user.id])).toEqual([{ ...changed, email: user.email, lastSeenAt: now }])
      })
    )

    it.effect("keeps memberships, one of a user in a company", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const [user, other] = [draftUser(), draftUser()]
        yield* store.insert(user)
        yield* store.insert(other)
        const companyId = newId()
        const first = draftMembership(companyId, user.id)
        const second = draftMembership(newId(), user.id, {
          invitedName: oddText,
          role: "Viewer",
          liveAccess: false,
          createdAt: now + 1
        })
        const third = draftMembership(companyId, other.id, { role: "Admin", createdAt: now + 2 })
        for (const membership of [first, second, third]) yield* store.insertMembership(membership)
        const conflict = yield* expectFailure(store.insertMembership(first), "WriteConflict")
        expect(conflict.constraint).toBe("memberships_pkey")
        expect(yield* store.memberships([user.id])).toEqual([first, second])
        expect(yield* store.memberships([])).toEqual([])
        expect(yield* store.members(companyId, { page: 1, pageSize: 10 })).toEqual({
          items: [
            { membership: third, user: other },
            { membership: first, user }
          ],
          page: 1,
          pageSize: 10,
          totalCount: 2,
          totalIsExact: true,
          next: null
        })
        yield* store.saveMembership({ ...third, role: "Viewer", liveAccess: false, createdAt: now + 9 })
        expect(yield* store.memberships([other.id])).toEqual([
          { ...third, role: "Viewer", liveAccess: false }
        ])
        yield* store.removeMembership(companyId, user.id)
        expect(yield* store.memberships([user.id])).toEqual([second])
        yield* store.insertMembership(first)
        expect(yield* store.acceptMemberships(user.id, newId(), now + 4)).toEqual([])
        expect(yield* store.acceptMemberships(user.id, second.companyId, now + 5)).toEqual([second.companyId])
        const accepted = { ...second, acceptedAt: now + 5 }
        expect(yield* store.memberships([user.id])).toEqual([first, accepted])
        expect(yield* store.acceptMemberships(user.id, null, now + 6)).toEqual([companyId])
        expect(yield* store.acceptMemberships(user.id, null, now + 7)).toEqual([])
        expect(yield* store.memberships([user.id])).toEqual([{ ...first, acceptedAt: now + 6 }, accepted])
        expect((yield* store.memberships([other.id]))[0]!.acceptedAt).toBeNull()
      })
    )

    it.effect("names active operators and active Owners alone", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const companyId = newId()
        const owner = draftUser({ isOperator: true })
        const invited = draftUser({ status: "Invited", isOperator: true })
        const admin = draftUser()
        for (const user of [owner, invited, admin]) yield* store.insert(user)
        yield* store.insertMembership(draftMembership(companyId, owner.id, { acceptedAt: now }))
        yield* store.insertMembership(draftMembership(companyId, invited.id, { acceptedAt: now }))
        const asked = draftUser()
        yield* store.insert(asked)
        yield* store.insertMembership(draftMembership(companyId, asked.id))
        yield* store.insertMembership(draftMembership(companyId, admin.id, { role: "Admin" }))
        expect(yield* store.owners(companyId)).toEqual([owner.id])
        const operators = yield* store.operators
        expect([owner, invited, admin].map(({ id }) => operators.includes(id))).toEqual([true, false, false])
      })
    )
  })
}
