/**
 * The members of companies: inviting, changing and removing them. From its first Owner on, a company always keeps an active Owner
 * (docs/contributing/people.md 1).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Actor } from "../model/Actor.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { refuseOn } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import { noAccount } from "../model/Account.ts"
import { type Member, type MemberRole, memberRoles, type Membership, type User } from "../model/User.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import { UserStore } from "../ports/UserStore.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { timeOfId } from "../shared/Uuid.ts"
import { oneOf } from "../shared/Validate.ts"
import { Sessions } from "./Sessions.ts"
import { SetupLinks } from "./SetupLinks.ts"
import { mailedLinkLimits, SystemMail } from "./SystemMail.ts"
import { checkName, newUser, undatedId } from "./UserRules.ts"

/** The caller who changes members. */
export interface MemberChanger {
  /** The actor for the audit log. */
  readonly actor: Actor
  /** Whether the caller may change Owners, which an Admin may not. */
  readonly mayChangeOwners: boolean
  /** Whether the caller may see the live account's data, and may therefore give this access to others. */
  readonly hasLiveAccess: boolean
}

/** A person to add to a company. */
export interface NewMember {
  readonly email: string
  readonly name: string | null
  readonly role: string
  readonly liveAccess: boolean
}

/** A change of a member. Absent values stay unchanged. */
export interface MemberChanges {
  readonly role?: string | undefined
  readonly liveAccess?: boolean | undefined
}

/** The members of companies. */
export class Members extends Context.Service<
  Members,
  {
    /** A company's members, newest first; common.not_found. */
    readonly list: (
      companyId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Member>, Problem | Unavailable>
    /**
     * Adds a member and creates a link that invites them: a new person sets a password or a passkey with it, an existing user
     * signs in. Only this link accepts the membership, because another company may have received a link for the same address and
     * completed it in the person's name. `link` is null if the installation sends it by mail. validation.*, users.already_member,
     * users.right_missing, common.not_found.
     */
    readonly add: (
      companyId: string,
      member: NewMember,
      changer: MemberChanger
    ) => Effect.Effect<Member & { readonly link: string | null }, Problem | Unavailable>
    /** Changes a member; users.last_owner, users.right_missing, common.not_found. */
    readonly change: (
      companyId: string,
      userId: string,
      changes: MemberChanges,
      changer: MemberChanger
    ) => Effect.Effect<Member, Problem | Unavailable>
    /** Removes a member; users.last_owner, users.right_missing, common.not_found. */
    readonly remove: (
      companyId: string,
      userId: string,
      changer: MemberChanger
    ) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/users/Members") {
  static readonly layer = Layer.effect(
    Members,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const atomically = yield* Atomically
      const crypto = yield* Crypto
      const ids = yield* Ids
      const installation = yield* InstallationStore
      const links = yield* SetupLinks
      const sessions = yield* Sessions
      const store = yield* UserStore
      const systemMail = yield* SystemMail
      const tokens = yield* TokenStore
      const { record } = yield* AuditTrail

      const requireCompany = Effect.fnUntraced(function* (companyId: string) {
        const [company] = yield* accounts.findCompanies([companyId])
        if (company === undefined) return yield* Problem.of("common.not_found")
      })

      const audit = (actor: Actor, action: string, before: Membership | null, after: Membership | null) =>
        record(actor, {
          accountId: noAccount,
          companyId: (before ?? after)!.companyId,
          action,
          target: (before ?? after)!.userId,
          before: before === null ? null : summaryOf(before),
          after: after === null ? null : summaryOf(after)
        })

      /** Finds a member of a company, and locks out other changes of members. */
      const lockMember = Effect.fnUntraced(function* (companyId: string, userId: string) {
        yield* installation.lock
        const [user] = yield* store.find([userId])
        const membership = (yield* store.memberships([userId])).find((one) => one.companyId === companyId)
        if (user === undefined || membership === undefined) return yield* Problem.of("common.not_found")
        return { membership, user } satisfies Member
      })

      /** An id for a new user, whose time lies between the first start of the installation and now. */
      const newUserId = Effect.gen(function* () {
        const id = yield* ids.next
        const first = yield* installation.get
        const since = timeOfId(first?.sandboxAccountId ?? id)
        const [random = 0] = new Uint32Array(Uint8Array.from(crypto.randomBytes(4)).buffer)
        return undatedId(id, since, random / 2 ** 32)
      })

      /** users.last_owner if the company would lose its last active Owner. */
      const keepOwner = Effect.fnUntraced(function* ({ membership: { companyId, userId } }: Member) {
        const owners = yield* store.owners(companyId)
        if (owners.length === 1 && owners[0] === userId) return yield* Problem.of("users.last_owner")
      })

      return Members.of({
        list: (companyId, page) => Effect.andThen(requireCompany(companyId), store.members(companyId, page)),
        add: Effect.fn("Members.add")(function* (
          companyId,
          given,
          { actor, hasLiveAccess, mayChangeOwners }
        ) {
          const { email, liveAccess, name, role } = yield* Effect.fromResult(parseMember(given))
          if ((role === "Owner" && !mayChangeOwners) || (liveAccess && !hasLiveAccess)) return yield* mayNot()
          return yield* atomically(
            Effect.gen(function* () {
              yield* requireCompany(companyId)
              const createdAt = yield* Clock.currentTimeMillis
              const found = yield* store.findByEmail(email)
              const user: User = found ?? newUser({ id: yield* newUserId, email, name, createdAt })
              if (found === null) yield* store.insert(user)
              const membership: Membership = {
                companyId,
                userId: user.id,
                role,
                liveAccess,
                invitedName: name,
                acceptedAt: null,
                createdAt
              }
              const isMember = () => Problem.of("users.already_member", "email")
              yield* refuseOn("memberships_pkey", isMember)(store.insertMembership(membership))
              yield* audit(actor, "member.added", null, membership)
              // Both kinds of people get an invitation, so that the caller does not learn who already is a user.
              const invitation = { kind: "Invitation", userId: user.id, companyId } as const
              const source = { name: `of ${companyId}`, most: mailedLinkLimits.perCompany }
              const isMailed = yield* systemMail.sendLink(invitation, { to: email, source })
              const link = isMailed ? null : yield* links.make({ ...invitation, email: null })
              return { membership, user, link }
            })
          )
        }),
        change: Effect.fn("Members.change")(function* (
          companyId,
          userId,
          changes,
          { actor, hasLiveAccess, mayChangeOwners }
        ) {
          const { role } = changes
          if (role !== undefined && !isRole(role)) return yield* invalidRole()
          return yield* atomically(
            Effect.gen(function* () {
              const member = yield* lockMember(companyId, userId)
              const { membership, user } = member
              const changed: Membership = {
                ...membership,
                role: role ?? membership.role,
                liveAccess: changes.liveAccess ?? membership.liveAccess
              }
              const concernsOwner = membership.role === "Owner" || changed.role === "Owner"
              if (concernsOwner && !mayChangeOwners) return yield* mayNot()
              if (changed.liveAccess && !membership.liveAccess && !hasLiveAccess) return yield* mayNot()
              if (changed.role !== "Owner") yield* keepOwner(member)
              yield* store.saveMembership(changed)
              yield* sessions.requireRenewal(userId)
              yield* audit(actor, "member.changed", membership, changed)
              return { membership: changed, user }
            })
          )
        }),
        remove: Effect.fn("Members.remove")(function* (companyId, userId, { actor, mayChangeOwners }) {
          yield* atomically(
            Effect.gen(function* () {
              const member = yield* lockMember(companyId, userId)
              if (member.membership.role === "Owner" && !mayChangeOwners) return yield* mayNot()
              yield* keepOwner(member)
              yield* store.removeMembership(companyId, userId)
              yield* sessions.requireRenewal(userId)
              // Otherwise, tokens of someone who is no longer a member anywhere would work again after the next invitation.
              if (!member.user.isOperator && (yield* store.memberships([userId])).length === 0) {
                yield* tokens.revokeAll({ companyId: null, userId }, yield* Clock.currentTimeMillis)
              }
              yield* audit(actor, "member.removed", member.membership, null)
            })
          )
        })
      })
    })
  )
}

const isRole = (text: string): text is MemberRole => (memberRoles as ReadonlyArray<string>).includes(text)

const invalidRole = (): Problem =>
  Problem.of("validation.format", "role", null, { expected: oneOf(memberRoles) })

/** The caller may change members, but not this one, or not in this way. */
const mayNot = (): Problem => Problem.of("users.right_missing", null, null, { right: "members:write" })

/** The summary of a membership for the audit log. */
const summaryOf = ({ companyId, liveAccess, role }: Membership) => ({ companyId, role, liveAccess })

const parseMember = (given: NewMember): Result.Result<NewMember & { readonly role: MemberRole }, Problem> => {
  const issues = new Issues()
  const email = parseEmail(given.email)
  if (email === null) issues.add("validation.email", "email")
  const name = given.name === null ? null : checkName(given.name, "name", issues)
  if (!isRole(given.role)) issues.add("validation.format", "role", null, { expected: oneOf(memberRoles) })
  return issues.result({
    email: email ?? "",
    name,
    role: given.role as MemberRole,
    liveAccess: given.liveAccess
  })
}
