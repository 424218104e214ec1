/**
 * The rights of each role, in one table on which every decision, the documentation and the rights in a session are based
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

/** The scope of a right: one of a company's accounts, or the company itself. */
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

/** In the sandbox, a Developer also has the rights of an Admin, except those over members. */
const developerInSandbox: ReadonlySet<CompanyRight> = new Set([
  ...plainRights.Developer,
  ...tableRights("Admin").filter((right) => !right.startsWith("members:"))
])

/**
 * The rights of a member in a scope. Without `liveAccess` there are none in the live account; in the company itself they are
 * those of the role.
 */
export const rightsOf = (role: MemberRole, scope: Scope, liveAccess: boolean): ReadonlySet<CompanyRight> => {
  if (scope === "Live" && !liveAccess) return none
  return scope === "Sandbox" && role === "Developer" ? developerInSandbox : plainRights[role]
}

/** The rights to personal data. In a live account, an operator has them only after opening access to the company. */
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
 * Whether a member with `members:write` may add, change or remove a member with a role, or assign that role. Only an Owner may do
 * so for Owners.
 */
export const mayManageRole = (own: MemberRole, other: MemberRole): boolean =>
  rolesOf["members:write"].includes(own) && (other !== "Owner" || own === "Owner")
