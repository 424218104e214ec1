/**
 * Handles the management endpoints of users, and of the members of companies.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import type { Member, User } from "../../../core/model/User.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, oneOf } from "../../../core/shared/Validate.ts"
import { factorsOf } from "../../../core/users/Factors.ts"
import { type MemberChanger, Members } from "../../../core/users/Members.ts"
import { Users } from "../../../core/users/Users.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

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

/** The management token may change everyone. */
const changer: MemberChanger = { actor: managementActor, mayChangeOwners: true }

/** Members of companies. */
export const membersRoutes = Effect.map(Members, (members) =>
  bind(ManagementApi.groups.members, {
    list: ({ page, params }) =>
      Effect.map(members.list(params.companyId, page), (found) => ok(mapPage(found, encodeMember))),
    add: ({ params, payload: { email, liveAccess = true, name = null, role } }) =>
      Effect.map(
        members.add(params.companyId, { email, name, role, liveAccess }, changer),
        ({ link, ...member }) => created({ ...encodeMember(member), link })
      ),
    change: ({ params, payload }) =>
      Effect.map(members.change(params.companyId, params.userId, payload, changer), (member) =>
        ok(encodeMember(member))
      ),
    remove: ({ params }) => Effect.as(members.remove(params.companyId, params.userId, changer), ok(null))
  })
)

const statuses = ["Active", "Disabled"]

/** Users of the installation. */
export const usersRoutes = Effect.map(Users, (users) =>
  bind(ManagementApi.groups.users, {
    list: ({ page }) => Effect.map(users.list(page), (found) => ok(mapPage(found, encodeUser))),
    change: ({ params, payload: { status } }) =>
      statuses.includes(status)
        ? Effect.map(users.setDisabled(params.id, status === "Disabled", managementActor), (user) =>
            ok(encodeUser(user))
          )
        : Effect.fail(Problem.of("validation.format", "status", null, { expected: oneOf(statuses) })),
    signOut: ({ params }) => Effect.map(users.signOut(params.id, managementActor), (ended) => ok({ ended }))
  })
)
