/**
 * The operators' use cases for users of the installation: list, invite, disable, sign out and reset them, and the link of the
 * first operator.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import { volumeBegin } from "../accounts/Accounts.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { noAccount } from "../model/Account.ts"
import type { User } from "../model/User.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import { everyUser, type ListedUser, type UserFilter, UserStore } from "../ports/UserStore.ts"
import { parseEmail, searchedText } from "../shared/EmailAddress.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { Sessions } from "./Sessions.ts"
import { SetupLinks } from "./SetupLinks.ts"
import { newUser } from "./UserRules.ts"

/** The users of the installation. */
export class Users extends Context.Service<
  Users,
  {
    /** Users with their companies' volume in the last `volumeDays`, sorted like `UserStore.list`; `q` is case-insensitive. */
    readonly list: (
      page: PageRequest,
      filter?: Omit<UserFilter, "volumeSince">
    ) => Effect.Effect<Page<ListedUser>, Unavailable>
    /** The user with an address; common.not_found. */
    readonly byEmail: (email: string) => Effect.Effect<User, Problem | Unavailable>
    /**
     * Disables a user, so that their sessions and tokens end on all nodes at once, or allows them to sign in again.
     * users.last_operator, users.last_owner, common.not_found.
     */
    readonly setDisabled: (
      userId: string,
      isDisabled: boolean,
      actor: Actor
    ) => Effect.Effect<User, Problem | Unavailable>
    /** Ends all sessions of a user; common.not_found. */
    readonly signOut: (userId: string, actor: Actor) => Effect.Effect<number, Problem | Unavailable>
    /** A link with which a user who can sign in sets a new password; common.not_found. */
    readonly resetLink: (userId: string, actor: Actor) => Effect.Effect<string, Problem | Unavailable>
    /**
     * A link that invites an operator, or that makes an existing user with a password an operator. If the first company has no
     * members, the operator becomes its Owner. validation.email.
     */
    readonly inviteOperator: (
      email: string,
      actor: Actor
    ) => Effect.Effect<{ readonly user: User; readonly link: string | null }, Problem | Unavailable>
    /** The link of the first operator, who also becomes Owner of a company; null for an address that the person enters. */
    readonly firstLink: (companyId: string, email: string | null) => Effect.Effect<string, Unavailable>
  }
>()("svc/users/Users") {
  static readonly layer = Layer.effect(
    Users,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const atomically = yield* Atomically
      const ids = yield* Ids
      const installation = yield* InstallationStore
      const links = yield* SetupLinks
      const sessions = yield* Sessions
      const store = yield* UserStore
      const tokens = yield* TokenStore
      const { record } = yield* AuditTrail

      const audit = (actor: Actor, action: string, target: string) =>
        record(actor, { accountId: noAccount, action, target, before: null, after: null })

      const lockUser = Effect.fnUntraced(function* (userId: string) {
        const [user] = yield* store.lock([userId])
        return user ?? (yield* Problem.of("common.not_found"))
      })

      /** users.last_operator or users.last_owner if the user is the last active one. */
      const keepOthers = Effect.fnUntraced(function* ({ id }: User) {
        const isOnly = (ofAll: ReadonlyArray<string>) => ofAll.length === 1 && ofAll[0] === id
        if (isOnly(yield* store.operators)) return yield* Problem.of("users.last_operator")
        for (const { companyId, role } of yield* store.memberships([id])) {
          if (role === "Owner" && isOnly(yield* store.owners(companyId))) {
            return yield* Problem.of("users.last_owner")
          }
        }
      })

      /** Makes a user Owner of the first company, if it has no members. */
      const ownFirstCompany = Effect.fnUntraced(function* ({ id: userId, status }: User, createdAt: number) {
        const first = yield* installation.get
        const [sandbox] = yield* accounts.find(first === null ? [] : [first.sandboxAccountId])
        if (sandbox === undefined) return
        const { companyId } = sandbox
        const { totalCount } = yield* store.members(companyId, { page: 1, pageSize: 1 })
        if (totalCount > 0) return
        yield* store.insertMembership({
          companyId,
          userId,
          role: "Owner",
          liveAccess: true,
          invitedName: null,
          acceptedAt: status === "Active" ? createdAt : null,
          createdAt
        })
      })

      return Users.of({
        list: Effect.fn("Users.list")(function* (page, { q, status } = everyUser) {
          const volumeSince = volumeBegin(yield* Clock.currentTimeMillis)
          return yield* store.list(page, { status, q: q === null ? null : searchedText(q), volumeSince })
        }),
        byEmail: Effect.fn("Users.byEmail")(function* (email) {
          const user = yield* store.findByEmail(parseEmail(email) ?? "")
          return user ?? (yield* Problem.of("common.not_found"))
        }),
        setDisabled: Effect.fn("Users.setDisabled")(function* (userId, isDisabled, actor) {
          return yield* atomically(
            Effect.gen(function* () {
              // Locked before the user, in the order in which changes of members lock.
              yield* installation.lock
              const user = yield* lockUser(userId)
              if ((user.status === "Disabled") === isDisabled) return user
              if (isDisabled) yield* keepOthers(user)
              const enabled = user.passwordHash === null && user.passkeys === 0 ? "Invited" : "Active"
              const changed: User = { ...user, status: isDisabled ? "Disabled" : enabled }
              yield* store.save(changed)
              if (isDisabled) {
                yield* sessions.endAll(userId)
                yield* tokens.revokeAll({ companyId: null, userId }, yield* Clock.currentTimeMillis)
              }
              yield* audit(actor, isDisabled ? "user.disabled" : "user.enabled", userId)
              return changed
            })
          )
        }),
        signOut: Effect.fn("Users.signOut")(function* (userId, actor) {
          return yield* atomically(
            Effect.gen(function* () {
              yield* lockUser(userId)
              const ended = yield* sessions.endAll(userId)
              yield* audit(actor, "user.signed_out", userId)
              return ended
            })
          )
        }),
        resetLink: Effect.fn("Users.resetLink")(function* (userId, actor) {
          return yield* atomically(
            Effect.gen(function* () {
              const user = yield* lockUser(userId)
              if (user.status === "Disabled") return yield* Problem.of("common.not_found")
              const kind = user.status === "Invited" ? "Invitation" : "Reset"
              yield* audit(actor, "user.reset", userId)
              return yield* links.make({ kind, userId, email: null, companyId: null })
            })
          )
        }),
        inviteOperator: Effect.fn("Users.inviteOperator")(function* (given, actor) {
          const email = parseEmail(given)
          if (email === null) return yield* Problem.of("validation.email", "email")
          return yield* atomically(
            Effect.gen(function* () {
              yield* installation.lock
              const createdAt = yield* Clock.currentTimeMillis
              const found = yield* store.findByEmail(email)
              const user: User = {
                ...(found ?? newUser({ id: yield* ids.next, email, createdAt })),
                isOperator: true
              }
              yield* found === null ? store.insert(user) : store.save(user)
              yield* ownFirstCompany(user, createdAt)
              yield* audit(actor, "operator.invited", user.id)
              // Earlier sessions would last longer than an operator's.
              if (found?.isOperator === false) yield* sessions.endAll(user.id)
              const link =
                user.status === "Invited"
                  ? yield* links.make({ kind: "Invitation", userId: user.id, email: null, companyId: null })
                  : null
              return { user, link }
            })
          )
        }),
        firstLink: (companyId, email) => links.make({ kind: "FirstStart", userId: null, email, companyId })
      })
    })
  )
}
