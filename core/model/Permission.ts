/**
 * What a key may do (public-api, Authentication 6).
 *
 * @module
 */

/** Every permission, in the order the documents list them. */
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

/** What a key may do. */
export type Permission = (typeof permissions)[number]

/** Whether a string names a permission. */
export const isPermission = (value: string): value is Permission =>
  (permissions as ReadonlyArray<string>).includes(value)
