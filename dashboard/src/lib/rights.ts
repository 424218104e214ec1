/**
 * The rights that an installation token can have, in the order of the documentation.
 *
 * @module
 */

/** A right. */
export type Right = (typeof installationRights)[number] | (typeof companyRights)[number]

/** The rights on the installation itself. */
export const installationRights = [
  "installation:read",
  "installation:operate",
  "companies:write",
  "users:operate",
  "metrics:read",
  "emails:release"
] as const

/** The rights within a company. */
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
