/**
 * The callers of the management API and their rights: decides for every route whether a caller may use it
 * (docs/contributing/people.md 1).
 *
 * @module
 */
import type { Mode } from "../model/Account.ts"
import { companyRights, installationRights, type Right } from "../model/Right.ts"
import type { TokenAccounts } from "../model/Token.ts"
import type { MemberRole } from "../model/User.ts"
import { personalDataRights, rightsOf, type Scope } from "./Rights.ts"

/** A user's role in a company. */
export interface Membership {
  readonly companyId: string
  readonly role: MemberRole
  /** Whether the member may see the live account's data. */
  readonly liveAccess: boolean
}

/** A user as a caller. */
export interface CallingUser {
  readonly userId: string
  readonly name: string
  readonly isOperator: boolean
  readonly memberships: ReadonlyArray<Membership>
  /** The companies whose personal data the user, if an operator, may currently read. */
  readonly openedCompanies: ReadonlyArray<string>
}

/** A caller of the management API. */
export type Caller =
  /** A program with the management token, which has every right. */
  | { readonly _tag: "Management" }
  /** A program of the operator, with selected rights in the installation. */
  | {
      readonly _tag: "InstallationToken"
      readonly tokenId: string
      readonly name: string
      readonly rights: ReadonlyArray<Right>
    }
  /** A program of a company, with selected rights in one account or both. */
  | {
      readonly _tag: "CompanyToken"
      readonly tokenId: string
      readonly name: string
      readonly companyId: string
      readonly rights: ReadonlyArray<Right>
      readonly accounts: TokenAccounts
    }
  /** A program of a user, with the user's current rights, or those of them that `rights` names. */
  | {
      readonly _tag: "PersonalToken"
      readonly tokenId: string
      readonly name: string
      readonly rights: ReadonlyArray<Right> | null
      readonly user: CallingUser
    }
  /** A signed-in user. */
  | {
      readonly _tag: "Session"
      readonly sessionId: string
      readonly user: CallingUser
      /** Until when the session counts as confirmed by a factor, epoch milliseconds; null for never. */
      readonly confirmedUntil: number | null
      /** The kinds of factors that the user has. */
      readonly factors: ReadonlyArray<string>
    }

/** The target of a route: the installation, a company itself, or one of its accounts. */
export interface Target {
  readonly companyId?: string
  readonly accountId?: string
  /** Given with `accountId`. */
  readonly accountKind?: Mode
}

/** The requirement of a route: a right, or only an authenticated caller. */
export type Requirement = Right | "SignedIn"

/** Whether a caller may use a route. */
export type Decision =
  | { readonly _tag: "Allowed" }
  /** The caller must not learn whether the target exists: common.not_found. */
  | { readonly _tag: "NotFound" }
  /** users.right_missing. */
  | { readonly _tag: "RightMissing"; readonly right: Right }
  /** The caller is an operator who must first open access to the company: users.access_required. */
  | { readonly _tag: "AccessRequired" }

const allowed: Decision = { _tag: "Allowed" }
const notFound: Decision = { _tag: "NotFound" }

const everyCompanyRight: ReadonlySet<Right> = new Set(companyRights)
const everyInstallationRight: ReadonlySet<Right> = new Set(installationRights)
const everyRight: ReadonlySet<Right> = new Set([...companyRights, ...installationRights])
const impersonalRights: ReadonlySet<Right> = new Set(
  [...everyRight].filter((right) => !personalDataRights.has(right))
)
const noRight: ReadonlySet<Right> = new Set()

const both = (some: Iterable<Right>, others: ReadonlySet<Right>): ReadonlySet<Right> =>
  new Set([...some].filter((right) => others.has(right)))

/** The scope of a target, by which rights in a company are determined. */
const scopeOf = ({ accountKind }: Target): Scope => accountKind ?? "Company"

/** Whether a company's token covers a scope. */
const reaches = (accounts: TokenAccounts, scope: Scope): boolean =>
  scope === "Company" || accounts === "Both" || accounts === scope

const userRights = (user: CallingUser, target: Target): ReadonlySet<Right> => {
  const { companyId } = target
  if (companyId === undefined) return user.isOperator ? everyInstallationRight : noRight
  const scope = scopeOf(target)
  const member = user.memberships.find((membership) => membership.companyId === companyId)
  const asMember: ReadonlySet<Right> =
    member === undefined ? noRight : rightsOf(member.role, scope, member.liveAccess)
  if (!user.isOperator) return asMember
  if (scope === "Sandbox" || user.openedCompanies.includes(companyId)) return everyRight
  return new Set([...impersonalRights, ...asMember])
}

/** The rights that a caller has for a target; none in a company that the caller may not see. */
export const rightsAt = (caller: Caller, target: Target): ReadonlySet<Right> => {
  switch (caller._tag) {
    case "Management":
      return everyRight
    case "InstallationToken":
      return both(caller.rights, everyInstallationRight)
    case "CompanyToken":
      return target.companyId === caller.companyId && reaches(caller.accounts, scopeOf(target))
        ? both(caller.rights, everyCompanyRight)
        : noRight
    case "PersonalToken": {
      const rights = userRights(caller.user, target)
      return caller.rights === null ? rights : both(caller.rights, rights)
    }
    case "Session":
      return userRights(caller.user, target)
  }
}

/** Like `rightsAt`, without the rights that an operator has only while access to a company is open. */
export const lastingRightsAt = (caller: Caller, target: Target): ReadonlySet<Right> =>
  caller._tag === "Session" || caller._tag === "PersonalToken"
    ? rightsAt({ ...caller, user: { ...caller.user, openedCompanies: [] } }, target)
    : rightsAt(caller, target)

/** Whether a caller may see that a company exists: the company of its token or of a membership; any company for an operator. */
export const maySee = (caller: Caller, companyId: string): boolean => {
  switch (caller._tag) {
    case "Management":
      return true
    case "InstallationToken":
      return false
    case "CompanyToken":
      return caller.companyId === companyId
    case "PersonalToken":
    case "Session":
      return (
        caller.user.isOperator ||
        caller.user.memberships.some((membership) => membership.companyId === companyId)
      )
  }
}

/** The ids of the companies that a caller may see; null for all. */
export const visibleCompanies = (caller: Caller): ReadonlyArray<string> | null => {
  switch (caller._tag) {
    case "Management":
      return null
    case "InstallationToken":
      return caller.rights.includes("installation:read") || caller.rights.includes("companies:write")
        ? null
        : []
    case "CompanyToken":
      return [caller.companyId]
    case "PersonalToken":
    case "Session":
      return caller.user.isOperator ? null : caller.user.memberships.map(({ companyId }) => companyId)
  }
}

/** Whether a user lacks only a right to personal data, which opening access would grant. */
const opensWithAccess = (caller: Caller, right: Right): boolean => {
  if (caller._tag !== "Session" && caller._tag !== "PersonalToken") return false
  if (!caller.user.isOperator || !personalDataRights.has(right)) return false
  return caller._tag === "Session" || caller.rights === null || caller.rights.includes(right)
}

/**
 * Decides whether a caller may do what a route requires with a target. `target` is null if the id in the path belongs to no
 * company or account. Rights in a company are never rights in the installation. A token of the installation has no rights in a
 * company, so it lacks the right whether the company exists or not.
 */
export const decide = (caller: Caller, requirement: Requirement, target: Target | null): Decision => {
  if (requirement !== "SignedIn" && caller._tag === "InstallationToken") {
    return caller.rights.includes(requirement) && everyInstallationRight.has(requirement)
      ? target === null
        ? notFound
        : allowed
      : { _tag: "RightMissing", right: requirement }
  }
  if (target === null) return notFound
  if (target.companyId !== undefined && !maySee(caller, target.companyId)) return notFound
  if (requirement === "SignedIn" || rightsAt(caller, target).has(requirement)) return allowed
  return target.companyId !== undefined && opensWithAccess(caller, requirement)
    ? { _tag: "AccessRequired" }
    : { _tag: "RightMissing", right: requirement }
}

/** The caller as an actor in the audit log: a user, or a token by its id. */
export const actorOf = (
  caller: Caller
): { readonly kind: "User" | "Token"; readonly id: string | null; readonly name: string } => {
  switch (caller._tag) {
    case "Management":
      return { kind: "Token", id: null, name: "management" }
    case "InstallationToken":
    case "CompanyToken":
    case "PersonalToken":
      return { kind: "Token", id: caller.tokenId, name: caller.name }
    case "Session":
      return { kind: "User", id: caller.user.userId, name: caller.user.name }
  }
}
