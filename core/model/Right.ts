/**
 * The rights that the routes of the management API require (docs/contributing/people.md 1). `core/users/Rights.ts` defines who
 * has which.
 *
 * @module
 */

/** The rights in a company and its accounts, in the order of the documentation. */
export const companyRights = [
  "company:read",
  "stats:read",
  "campaigns:read",
  "flows:read",
  "templates:read",
  "segments:read",
  "domains:read",
  "company:delete",
  "company:write",
  "brand:write",
  "members:read",
  "members:write",
  "settings:write",
  "stores:write",
  "domains:write",
  "suppressions:write",
  "keys:read",
  "keys:write",
  "webhooks:read",
  "webhooks:write",
  "relays:read",
  "relays:write",
  "requests:read",
  "events:read",
  "contacts:read",
  "emails:read",
  "orders:read",
  "catalog:read",
  "emails:content",
  "contacts:write",
  "consent:write",
  "contacts:import",
  "contacts:export",
  "contacts:erase",
  "segments:write",
  "topics:write",
  "fields:write",
  "templates:write",
  "catalog:write",
  "flows:write",
  "flows:publish",
  "campaigns:write",
  "campaigns:send",
  "emails:send",
  "audit:read",
  "archive:export",
  "tokens:write"
] as const

/** A right in a company. */
export type CompanyRight = (typeof companyRights)[number]

/** The rights in the installation, which only operators and their tokens have. */
export const installationRights = [
  "installation:read",
  "installation:operate",
  "companies:write",
  "users:operate",
  "metrics:read",
  "emails:release"
] as const

/** A right in the installation. */
export type InstallationRight = (typeof installationRights)[number]

/** Every right. */
export type Right = CompanyRight | InstallationRight

const namesOfCompany: ReadonlySet<string> = new Set(companyRights)

/** Whether a string names a right in a company. */
export const isCompanyRight = (value: string): value is CompanyRight => namesOfCompany.has(value)
