/**
 * Which role has which right: the one table behind every decision, the documentation and what a session reports
 * (docs/contributing/people.md 1).
 *
 * @module
 */
import type { Mode } from "../model/Account.ts"
import { type CompanyRight, companyRights, type Right } from "../model/Right.ts"
import { type MemberRole, memberRoles } from "../model/User.ts"

const everyRole: ReadonlyArray<MemberRole> = memberRoles
const managers: ReadonlyArray<MemberRole> = ["Owner", "Admin"]
const authors: ReadonlyArray<MemberRole> = [...managers, "Marketer"]
const technical: ReadonlyArray<MemberRole> = [...managers, "Developer"]
const caring: ReadonlyArray<MemberRole> = [...managers, "Support"]
const readers: ReadonlyArray<MemberRole> = [...managers, "Marketer", "Developer", "Support"]
const watchers: ReadonlyArray<MemberRole> = [...managers, "Developer", "Support"]
const correspondents: ReadonlyArray<MemberRole> = [...managers, "Marketer", "Support"]
const builders: ReadonlyArray<MemberRole> = [...managers, "Marketer", "Developer"]

/** The roles that have each right, in the live account and in the company itself. */
export const rolesOf: Readonly<Record<CompanyRight, ReadonlyArray<MemberRole>>> = {
  "company:read": everyRole,
  "stats:read": everyRole,
  "campaigns:read": everyRole,
  "flows:read": everyRole,
  "templates:read": everyRole,
  "segments:read": everyRole,
  "domains:read": everyRole,
  "company:delete": ["Owner"],
  "company:write": managers,
  "brand:write": authors,
  "members:read": readers,
  "members:write": managers,
  "settings:write": technical,
  "stores:write": technical,
  "domains:write": technical,
  "suppressions:write": caring,
  "keys:read": technical,
  "keys:write": managers,
  "webhooks:read": watchers,
  "webhooks:write": managers,
  "relays:read": technical,
  "relays:write": managers,
  "requests:read": watchers,
  "events:read": watchers,
  "contacts:read": readers,
  "emails:read": readers,
  "orders:read": readers,
  "catalog:read": readers,
  "emails:content": correspondents,
  "contacts:write": correspondents,
  "consent:write": correspondents,
  "contacts:import": authors,
  "contacts:export": authors,
  "contacts:erase": caring,
  "segments:write": builders,
  "topics:write": builders,
  "fields:write": builders,
  "templates:write": builders,
  "catalog:write": builders,
  "flows:write": builders,
  "flows:publish": authors,
  "campaigns:write": authors,
  "campaigns:send": authors,
  "emails:send": readers,
  "audit:read": managers,
  "archive:export": managers,
  "tokens:write": managers
}

/** What a right applies to: one of a company's accounts, or the company itself. */
export type Scope = Mode | "Company"

const none: ReadonlySet<CompanyRight> = new Set()

const tableRights = (role: MemberRole): ReadonlyArray<CompanyRight> =>
  companyRights.filter((right) => rolesOf[right].includes(role))

const plainRights: Readonly<Record<MemberRole, ReadonlySet<CompanyRight>>> = {
  Owner: new Set(tableRights("Owner")),
  Admin: new Set(tableRights("Admin")),
  Marketer: new Set(tableRights("Marketer")),
  Developer: new Set(tableRights("Developer")),
  Support: new Set(tableRights("Support")),
  Viewer: new Set(tableRights("Viewer"))
}

/** In the sandbox a Developer also has what an Admin has, except over members. */
const developerInSandbox: ReadonlySet<CompanyRight> = new Set([
  ...plainRights.Developer,
  ...tableRights("Admin").filter((right) => !right.startsWith("members:"))
])

/**
 * The rights of a member. Without `liveAccess` there are none in the live account; in the company itself they are those of
 * the role.
 */
export const rightsOf = (role: MemberRole, scope: Scope, liveAccess: boolean): ReadonlySet<CompanyRight> => {
  if (scope === "Live" && !liveAccess) return none
  return scope === "Sandbox" && role === "Developer" ? developerInSandbox : plainRights[role]
}

/** The rights to personal data, which an operator has in a live account only after opening access to the company. */
export const personalDataRights: ReadonlySet<Right> = new Set<CompanyRight>([
  "contacts:read",
  "contacts:export",
  "emails:read",
  "emails:content",
  "events:read",
  "orders:read",
  "requests:read",
  "archive:export"
])

/**
 * Whether a member with `members:write` may add, change or remove a member of a role, or make one: an Owner is an Owner's
 * matter alone.
 */
export const mayManageRole = (own: MemberRole, other: MemberRole): boolean =>
  rolesOf["members:write"].includes(own) && (other !== "Owner" || own === "Owner")
