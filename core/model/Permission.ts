/**
 * The permissions of API keys (docs/contributing/public-api.md "Authentication 6").
 *
 * @module
 */

/** The permissions, in the order of the documentation. */
export const permissions = [
  "contacts:read",
  "contacts:write",
  "contacts:erase",
  "events:write",
  "emails:send",
  "emails:read",
  "items:read",
  "items:write",
  "orders:read"
] as const

/** A permission of an API key. */
export type Permission = (typeof permissions)[number]

/** Whether a string names a permission. */
export const isPermission = (value: string): value is Permission =>
  (permissions as ReadonlyArray<string>).includes(value)
