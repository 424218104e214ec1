/**
 * Handles the management endpoints of users, and of the members of companies.
 *
 * @module
 */
import { Effect } from "effect"
import type { Actor } from "../../../core/model/Actor.ts"
import type { Member, User } from "../../../core/model/User.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, oneOf } from "../../../core/shared/Validate.ts"
import { factorsOf } from "../../../core/users/Factors.ts"
import { type MemberChanger, Members } from "../../../core/users/Members.ts"
import { Users } from "../../../core/users/Users.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import type { Caller } from "../edge/guard.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** A call that changes members. */
interface Changing {
  readonly actor: Actor
  readonly caller: Caller
  readonly params: { readonly companyId: string }
}

const encodeMember = ({ membership, user }: Member) => ({
  userId: user.id,
  email: user.email,
  name: user.name,
  role: membership.role,
  liveAccess: membership.liveAccess,
  status: user.status,
  factors: factorsOf(user),
  lastSeenAt: dateTimeOrNull(user.lastSeenAt)
})

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

/** Operators and Owners may change Owners; others who may change members may not. */
const changerOf = ({ actor, caller: { manager }, params }: Changing): MemberChanger => ({
  actor,
  mayChangeOwners:
    manager?._tag === "Management" ||
    (manager?._tag === "Session" &&
      (manager.user.isOperator ||
        manager.user.memberships.some(
          ({ companyId, role }) => companyId === params.companyId && role === "Owner"
        )))
})

/** Members of companies. */
export const membersRoutes = Effect.map(Members, (members) =>
  bind(ManagementApi.groups.members, {
    list: ({ page, params }) =>
      Effect.map(members.list(params.companyId, page), (found) => ok(mapPage(found, encodeMember))),
    add: (call) => {
      const { email, liveAccess = true, name = null, role } = call.payload
      return Effect.map(
        members.add(call.params.companyId, { email, name, role, liveAccess }, changerOf(call)),
        ({ link, ...member }) => created({ ...encodeMember(member), link })
      )
    },
    change: (call) => {
      const { companyId, userId } = call.params
      return Effect.map(members.change(companyId, userId, call.payload, changerOf(call)), (member) =>
        ok(encodeMember(member))
      )
    },
    remove: (call) => {
      const { companyId, userId } = call.params
      return Effect.as(members.remove(companyId, userId, changerOf(call)), ok(null))
    }
  })
)

const statuses = ["Active", "Disabled"]

/** Users of the installation. */
export const usersRoutes = Effect.map(Users, (users) =>
  bind(ManagementApi.groups.users, {
    list: ({ page }) => Effect.map(users.list(page), (found) => ok(mapPage(found, encodeUser))),
    change: ({ actor, params, payload: { status } }) =>
      statuses.includes(status)
        ? Effect.map(users.setDisabled(params.id, status === "Disabled", actor), (user) =>
            ok(encodeUser(user))
          )
        : Effect.fail(Problem.of("validation.format", "status", null, { expected: oneOf(statuses) })),
    signOut: ({ actor, params }) => Effect.map(users.signOut(params.id, actor), (ended) => ok({ ended }))
  })
)
