/**
 * Handles the management endpoints of users, and of the members of companies.
 *
 * @module
 */
import { Effect } from "effect"
import type { Company } from "../../../core/model/Account.ts"
import type { Member, User } from "../../../core/model/User.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, oneOf } from "../../../core/shared/Validate.ts"
import { factorsOf } from "../../../core/users/Factors.ts"
import type { Caller as Manager } from "../../../core/users/Caller.ts"
import { type MemberChanger, Members } from "../../../core/users/Members.ts"
import { Users } from "../../../core/users/Users.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { managerOf } from "../edge/permit.ts"
import { bind, type Call } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** A member as the company sees it. For a user who has not accepted the invitation, it has only the company's own data. */
const encodeMember = ({ membership, user }: Member) => {
  const isAccepted = membership.acceptedAt !== null
  return {
    userId: user.id,
    email: user.email,
    name: isAccepted ? user.name : membership.invitedName,
    role: membership.role,
    liveAccess: membership.liveAccess,
    status: isAccepted ? user.status : ("Invited" as const),
    factors: isAccepted ? factorsOf(user) : [],
    lastSeenAt: isAccepted ? dateTimeOrNull(user.lastSeenAt) : null
  }
}

const encodeUser = (user: User) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  operator: user.isOperator,
  status: user.status,
  factors: factorsOf(user),
  lastSeenAt: dateTimeOrNull(user.lastSeenAt),
  createdAt: formatDateTime(user.createdAt)
})

/** Whether a caller may see a company's live accounts. */
const hasLiveAccess = (manager: Manager, id: string): boolean => {
  switch (manager._tag) {
    case "Management":
      return true
    case "InstallationToken":
      return false
    case "CompanyToken":
      return manager.accounts !== "Sandbox"
    case "PersonalToken":
    case "Session":
      return (
        manager.user.isOperator ||
        manager.user.memberships.some(({ companyId, liveAccess }) => companyId === id && liveAccess)
      )
  }
}

/**
 * The caller who changes members. The management token, operators and the company's Owners may change everyone; other
 * callers may change everyone except Owners.
 */
const changerOf = Effect.fnUntraced(function* ({
  actor,
  caller,
  company: { id }
}: Pick<Call, "actor" | "caller"> & { readonly company: Company }) {
  const manager = yield* managerOf(caller)
  const isOwner =
    manager._tag === "Session" &&
    (manager.user.isOperator ||
      manager.user.memberships.some(({ companyId, role }) => companyId === id && role === "Owner"))
  return {
    actor,
    mayChangeOwners: manager._tag === "Management" || isOwner,
    hasLiveAccess: hasLiveAccess(manager, id)
  } satisfies MemberChanger
})

/** Members of companies. */
export const membersRoutes = Effect.map(Members, (members) =>
  bind(ManagementApi.groups.members, {
    list: ({ company, page }) =>
      Effect.map(members.list(company.id, page), (found) => ok(listed(page, found, encodeMember))),
    // A token cannot add members, who would outlive it.
    add: Effect.fnUntraced(function* (call) {
      const { _tag } = yield* managerOf(call.caller)
      if (_tag === "CompanyToken" || _tag === "PersonalToken") {
        return yield* Problem.of("users.right_missing", null, null, { right: "members:write" })
      }
      const { email, liveAccess = true, name = null, role } = call.payload
      const wanted = { email, name, role, liveAccess }
      const { link, ...member } = yield* members.add(call.company.id, wanted, yield* changerOf(call))
      return created({ ...encodeMember(member), link })
    }),
    change: Effect.fnUntraced(function* (call) {
      const { company, params, payload } = call
      return ok(
        encodeMember(yield* members.change(company.id, params.userId, payload, yield* changerOf(call)))
      )
    }),
    remove: Effect.fnUntraced(function* (call) {
      yield* members.remove(call.company.id, call.params.userId, yield* changerOf(call))
      return ok(null)
    })
  })
)

const statuses = ["Active", "Disabled"]

/** Users of the installation. */
export const usersRoutes = Effect.map(Users, (users) =>
  bind(ManagementApi.groups.users, {
    list: ({ page, query: { q, state } }) =>
      Effect.map(users.list(page, { q, status: state }), (found) =>
        ok(listed(page, found, (user) => ({ ...encodeUser(user), volume: user.volume })))
      ),
    change: ({ actor, params, payload: { status } }) =>
      statuses.includes(status)
        ? Effect.map(users.setDisabled(params.id, status === "Disabled", actor), (user) =>
            ok(encodeUser(user))
          )
        : Effect.fail(Problem.of("validation.format", "status", null, { expected: oneOf(statuses) })),
    signOut: ({ actor, params }) => Effect.map(users.signOut(params.id, actor), (ended) => ok({ ended }))
  })
)
