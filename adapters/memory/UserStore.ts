/**
 * Stores users and memberships in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { User } from "../../core/model/User.ts"
import { everyUser, type ListedUser, UserStore } from "../../core/ports/UserStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { comparePlaces, mapPage, pageByText, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { Database } from "./engine/Database.ts"
import { all } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { membershipKey, UserTables } from "./tables/UserTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { companies } = yield* SharedTables
  const { of: submissionsOf } = yield* SubmissionTables
  const { memberships, ofCompany, ofUser, order, users } = yield* UserTables
  const find = (ids: ReadonlyArray<string>) => database.read(() => users.getMany(ids))

  return UserStore.of({
    insert: (user) => database.writeOrConflict(() => void users.insert(frozen(user))),
    find,
    // Transactions run one after the other.
    lock: find,
    findByEmail: (email) => database.read(() => users.by("users_email", email) ?? null),
    save: (user) =>
      database.write(() => {
        const stored = users.get(user.id)
        if (stored === undefined) return
        users.replace(frozen({ ...user, email: stored.email, lastSeenAt: stored.lastSeenAt }))
      }),
    list: (page, { q, status, volumeSince } = everyUser) =>
      database.read(() => {
        const nameOf = ({ email, name }: User) => foldCase(name ?? email)
        const found = order
          .rows(all)
          .filter(
            (user) =>
              (status === null || status.includes(user.status)) &&
              (q === null || user.email.startsWith(q) || nameOf(user).startsWith(q))
          )
          .map((user): ListedUser => {
            const volumes = ofUser.rows(user.id).map(({ companyId }) => {
              const company = companies.get(companyId)
              return company === undefined || volumeSince === null
                ? 0
                : submissionsOf(company.liveAccountId).volume(volumeSince)
            })
            return { ...user, volume: volumes.reduce((sum, volume) => sum + volume, 0) }
          })
        switch (page.sort?.by) {
          case "name":
            return pageByText(found, page, nameOf)
          case "volume":
            return pageOfAll(
              found.toSorted((a, b) => comparePlaces(placeBy("volume")(a), placeBy("volume")(b))),
              page,
              placeBy("volume")
            )
          default:
            return pageOfAll(found, page, placeBy("createdAt"))
        }
      }),
    operators: database.read(() =>
      order
        .rows(all)
        .filter(({ isOperator, status }) => isOperator && status === "Active")
        .map(({ id }) => id)
    ),
    memberships: (userIds) =>
      database.read(() => [...new Set(userIds)].flatMap((userId) => ofUser.rows(userId))),
    members: (companyId, page) =>
      database.read(() =>
        mapPage(
          ofCompany.page(companyId, page, ({ createdAt, userId }) => [createdAt, userId]),
          (membership) => ({
            membership,
            user: users.get(membership.userId)!
          })
        )
      ),
    owners: (companyId) =>
      database.read(() =>
        ofCompany
          .rows(companyId)
          .filter(
            ({ acceptedAt, role, userId }) =>
              role === "Owner" && acceptedAt !== null && users.get(userId)?.status === "Active"
          )
          .map(({ userId }) => userId)
      ),
    insertMembership: (membership) =>
      database.writeOrConflict(() => {
        if (memberships.get(membershipKey(membership.companyId, membership.userId)) !== undefined) {
          throw new WriteConflict({ constraint: "memberships_pkey" })
        }
        memberships.insert(frozen(membership))
      }),
    acceptMemberships: (userId, companyId, now) =>
      database.write(() => {
        const accepted = Array.from(ofUser.rows(userId)).filter(
          (one) => one.acceptedAt === null && (companyId === null || one.companyId === companyId)
        )
        for (const membership of accepted) memberships.replace({ ...membership, acceptedAt: now })
        return accepted.map((one) => one.companyId)
      }),
    saveMembership: ({ companyId, liveAccess, role, userId }) =>
      database.write(() => {
        const stored = memberships.get(membershipKey(companyId, userId))
        if (stored !== undefined) memberships.replace({ ...stored, liveAccess, role })
      }),
    removeMembership: (companyId, userId) =>
      database.write(() => void memberships.remove(membershipKey(companyId, userId)))
  })
}).pipe(Layer.effect(UserStore))
