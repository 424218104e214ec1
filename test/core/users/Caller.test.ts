/**
 * Tests the decision of every route against the table of rights, for each kind of caller and of target
 * (docs/contributing/people.md 1).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type CompanyRight,
  companyRights,
  installationRights,
  isCompanyRight,
  type Right
} from "../../../core/model/Right.ts"
import { tokenAccounts } from "../../../core/model/Token.ts"
import { type MemberRole, memberRoles } from "../../../core/model/User.ts"
import { actorOf, type Caller, type CallingUser, decide, rightsAt } from "../../../core/users/Caller.ts"
import { mayManageRole, personalDataRights, rightsOf, rolesOf } from "../../../core/users/Rights.ts"

const company = "company"
const other = "other"

const allRights: ReadonlyArray<Right> = [...companyRights, ...installationRights]
const scopes = ["Live", "Sandbox", "Company"] as const
const targetOf = (companyId: string, scope: (typeof scopes)[number]) =>
  scope === "Company" ? { companyId } : { companyId, accountId: `${companyId} ${scope}`, accountKind: scope }

const anyRight = fc.constantFrom(...allRights)
const anyRights = fc.uniqueArray(anyRight)
const anyScope = fc.constantFrom(...scopes)
const anyRole = fc.constantFrom(...memberRoles)

const user = (values: Partial<CallingUser> = {}): CallingUser => ({
  userId: "user",
  name: "Ada",
  isOperator: false,
  memberships: [],
  openedCompanies: [],
  ...values
})
const session = (values?: Partial<CallingUser>): Caller => ({
  _tag: "Session",
  factors: ["Password"],
  sessionId: "session",
  user: user(values),
  confirmedUntil: null
})
const member = (role: MemberRole, liveAccess = true) =>
  session({ memberships: [{ companyId: company, role, liveAccess }] })
const operator = (values: Partial<CallingUser> = {}) => session({ isOperator: true, ...values })

const anyUser: fc.Arbitrary<CallingUser> = fc.record({
  userId: fc.constant("user"),
  name: fc.constant("Ada"),
  isOperator: fc.boolean(),
  memberships: fc.array(
    fc.record({ companyId: fc.constant(company), role: anyRole, liveAccess: fc.boolean() }),
    { maxLength: 1 }
  ),
  openedCompanies: fc.subarray([company, other])
})
const token = { tokenId: "token", name: "script" }
const anyCaller: fc.Arbitrary<Caller> = fc.oneof(
  fc.constant<Caller>({ _tag: "Management" }),
  anyRights.map((rights): Caller => ({ _tag: "InstallationToken", ...token, rights })),
  fc
    .record({ rights: anyRights, accounts: fc.constantFrom(...tokenAccounts) })
    .map((values): Caller => ({ _tag: "CompanyToken", ...token, companyId: company, ...values })),
  fc
    .record({ user: anyUser, rights: fc.option(anyRights) })
    .map((values): Caller => ({ _tag: "PersonalToken", ...token, ...values })),
  anyUser.map((calling) => session(calling))
)

const mayOpen = (caller: Caller): boolean =>
  (caller._tag === "Session" || caller._tag === "PersonalToken") && caller.user.isOperator

describe("rightsOf", () => {
  it("gives a role what the table says, in the live account and in the company", () => {
    for (const right of companyRights) {
      for (const role of memberRoles) {
        const has = rolesOf[right].includes(role)
        expect([right, role, rightsOf(role, "Live", true).has(right)]).toEqual([right, role, has])
        expect([right, role, rightsOf(role, "Company", true).has(right)]).toEqual([right, role, has])
      }
    }
  })

  it("gives a Developer in the sandbox what an Admin has, except over members, and others no more", () => {
    for (const role of memberRoles) {
      const sandbox = rightsOf(role, "Sandbox", false)
      const live = rightsOf(role, "Live", true)
      const more = companyRights.filter((right) => sandbox.has(right) && !live.has(right))
      const admins = [...rightsOf("Admin", "Live", true)].filter((right) => !live.has(right))
      expect([role, more]).toEqual([
        role,
        role === "Developer" ? admins.filter((right) => !right.startsWith("members:")) : []
      ])
      expect(companyRights.filter((right) => live.has(right) && !sandbox.has(right))).toEqual([])
    }
    expect(rightsOf("Developer", "Sandbox", true).has("members:write")).toBe(false)
    expect(rightsOf("Developer", "Sandbox", true).has("keys:write")).toBe(true)
  })

  it("gives no right in the live account without live access", () => {
    for (const role of memberRoles) expect(rightsOf(role, "Live", false).size).toBe(0)
  })

  it("leaves Owners to Owners", () => {
    for (const own of memberRoles) {
      for (const role of memberRoles) {
        expect([own, role, mayManageRole(own, role)]).toEqual([
          own,
          role,
          own === "Owner" || (own === "Admin" && role !== "Owner")
        ])
      }
    }
  })
})

describe("decide", () => {
  it("allows exactly the rights that rightsAt returns, of a company that the caller may see", () => {
    fc.assert(
      fc.property(anyCaller, anyRight, anyScope, (caller, right, scope) => {
        const target = targetOf(company, scope)
        const decision = decide(caller, right, target)
        if (decision._tag === "Allowed") return rightsAt(caller, target).has(right)
        if (decision._tag === "AccessRequired") return personalDataRights.has(right) && mayOpen(caller)
        return decision._tag === "NotFound" || decision.right === right
      })
    )
  })

  it("hides other companies and unknown ids from all but the operator's callers", () => {
    fc.assert(
      fc.property(anyCaller, anyRight, anyScope, (caller, right, scope) => {
        const decision = decide(caller, right, targetOf(other, scope))
        if (caller._tag === "InstallationToken") {
          return (
            decision._tag ===
            (caller.rights.includes(right) && !isCompanyRight(right) ? "Allowed" : "RightMissing")
          )
        }
        expect(decide(caller, right, null)).toEqual({ _tag: "NotFound" })
        return caller._tag === "Management" || mayOpen(caller)
          ? decision._tag !== "NotFound"
          : decision._tag === "NotFound"
      })
    )
  })

  it("gives no right of the installation to members and tokens of companies", () => {
    for (const right of installationRights) {
      for (const role of memberRoles) {
        for (const target of [{}, ...scopes.map((scope) => targetOf(company, scope))]) {
          expect(decide(member(role), right, target)).toEqual({ _tag: "RightMissing", right })
        }
      }
      const script: Caller = {
        _tag: "CompanyToken",
        ...token,
        companyId: company,
        rights: allRights,
        accounts: "Both"
      }
      expect(decide(script, right, {})).toEqual({ _tag: "RightMissing", right })
      expect(decide(script, right, targetOf(company, "Live"))).toEqual({ _tag: "RightMissing", right })
    }
  })

  it("shows an operator personal data of a live account only while access is open", () => {
    for (const right of companyRights) {
      const live = targetOf(company, "Live")
      const closed = personalDataRights.has(right) ? "AccessRequired" : "Allowed"
      expect([right, decide(operator(), right, live)._tag]).toEqual([right, closed])
      expect(decide(operator({ openedCompanies: [other] }), right, live)._tag).toBe(closed)
      expect(decide(operator({ openedCompanies: [company] }), right, live)._tag).toBe("Allowed")
      expect(decide(operator(), right, targetOf(company, "Sandbox"))._tag).toBe("Allowed")
      for (const role of memberRoles) {
        const both = operator({ memberships: [{ companyId: company, role, liveAccess: true }] })
        const has = rightsOf(role, "Live", true).has(right)
        expect([right, role, decide(both, right, live)._tag]).toEqual([right, role, has ? "Allowed" : closed])
      }
    }
  })

  it("limits a company token to its rights and accounts", () => {
    for (const accounts of tokenAccounts) {
      for (const right of companyRights) {
        const caller = (rights: ReadonlyArray<CompanyRight>): Caller => ({
          _tag: "CompanyToken",
          ...token,
          companyId: company,
          rights,
          accounts
        })
        for (const scope of scopes) {
          const target = targetOf(company, scope)
          const reached = scope === "Company" || accounts === "Both" || accounts === scope
          const expected = reached ? { _tag: "Allowed" } : { _tag: "RightMissing", right }
          expect([accounts, scope, decide(caller([right]), right, target)]).toEqual([
            accounts,
            scope,
            expected
          ])
          expect(decide(caller([]), right, target)).toEqual({ _tag: "RightMissing", right })
        }
      }
    }
  })

  it("never gives a personal token more than its user has", () => {
    fc.assert(
      fc.property(anyUser, fc.option(anyRights), anyRight, anyScope, (calling, rights, right, scope) => {
        const target = targetOf(company, scope)
        const asUser = decide(session(calling), right, target)
        const asToken = decide({ _tag: "PersonalToken", ...token, rights, user: calling }, right, target)
        if (rights === null || rights.includes(right)) expect(asToken).toEqual(asUser)
        else expect(asToken._tag).toBe(asUser._tag === "NotFound" ? "NotFound" : "RightMissing")
      })
    )
  })

  it("accepts everyone who is signed in on routes that need no right, except of companies they may not see", () => {
    fc.assert(
      fc.property(anyCaller, anyScope, (caller, scope) => {
        expect(decide(caller, "SignedIn", {})).toEqual({ _tag: "Allowed" })
        const seen = decide(caller, "SignedIn", targetOf(company, scope))._tag
        const isMember =
          caller._tag === "Management" ||
          caller._tag === "CompanyToken" ||
          ((caller._tag === "Session" || caller._tag === "PersonalToken") &&
            (caller.user.isOperator || caller.user.memberships.length > 0))
        expect(seen).toBe(isMember ? "Allowed" : "NotFound")
      })
    )
  })
})

describe("actorOf", () => {
  it("names the user of a session, and a token by its id", () => {
    expect(actorOf({ _tag: "Management" })).toEqual({ kind: "Token", id: null, name: "management" })
    expect(actorOf(member("Owner"))).toEqual({ kind: "User", id: "user", name: "Ada" })
    expect(actorOf({ _tag: "InstallationToken", ...token, rights: [] })).toEqual({
      kind: "Token",
      id: "token",
      name: "script"
    })
  })
})
