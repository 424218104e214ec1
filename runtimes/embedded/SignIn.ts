/**
 * Signs in users of the embedded service, without set-up links and passwords.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { SessionCookies } from "../../adapters/http/edge/cookies.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import type { MemberRole, User } from "../../core/model/User.ts"
import { UserStore } from "../../core/ports/UserStore.ts"
import { Sessions } from "../../core/users/Sessions.ts"
import { newUser } from "../../core/users/UserRules.ts"

/** The user to sign in: by default the operator; with a role, a new member of the first company. */
export interface SignInOptions {
  readonly role?: MemberRole
  /** Whether the member may see the live account's data; by default true. */
  readonly liveAccess?: boolean
}

/** The address of the embedded service's operator. */
export const operatorEmail = "operator@example.com"

const browser = {
  origin: { address: "127.0.0.1", network: "127.0.0.1", trust: "None" },
  userAgent: "embedded"
} as const

/** Signs in a user, and returns the `Cookie` header of the session. */
export const signInEmbedded = Effect.fnUntraced(function* (
  companyId: string,
  { liveAccess = true, role }: SignInOptions
) {
  const store = yield* UserStore
  const cookies = yield* SessionCookies
  const known = role === undefined ? yield* store.findByEmail(operatorEmail) : null
  const user = known ?? (yield* addUser(companyId, role ?? "Owner", liveAccess, role === undefined))
  const { token } = yield* (yield* Sessions).open(user, browser, { twoFactors: false, companyId: null })
  return { cookie: cookies.setSession(token).split(";")[0]! }
})

/** Adds an active user as a member. The operator becomes an Owner of the first company, as after a first start. */
const addUser = Effect.fnUntraced(function* (
  companyId: string,
  role: MemberRole,
  liveAccess: boolean,
  isOperator: boolean
) {
  const store = yield* UserStore
  const id = yield* (yield* Ids).next
  const createdAt = yield* Clock.currentTimeMillis
  const user: User = newUser({
    id,
    email: isOperator ? operatorEmail : `${role.toLowerCase()}-${id}@example.com`,
    name: isOperator ? "Operator" : role,
    status: "Active",
    isOperator,
    createdAt
  })
  yield* store.insert(user)
  yield* store.insertMembership({
    companyId,
    userId: id,
    role,
    liveAccess,
    invitedName: null,
    acceptedAt: createdAt,
    createdAt
  })
  return user
})
