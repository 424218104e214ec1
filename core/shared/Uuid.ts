/**
 * The form of UUIDs, and the order of UUIDv7 in time (RFC 9562).
 *
 * @module
 */

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a string has the form of a UUID, of any version. */
export const isUuid = (text: string): boolean => text.length === 36 && uuidPattern.test(text)

/** Formats 32 hexadecimal digits as a UUID. */
export const formatUuid = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The UUIDv8 (RFC 9562, 5.8) of a SHA-256, lower-case hex: an id that is derived rather than made. */
export const hashUuid = (sha256Hex: string): string => {
  const variant = "89ab"[Number.parseInt(sha256Hex.charAt(16), 16) & 3]!
  return formatUuid(
    `${sha256Hex.slice(0, 12)}8${sha256Hex.slice(13, 16)}${variant}${sha256Hex.slice(17, 32)}`
  )
}

/** The lower bound of ids made at a time (epoch milliseconds) or later; ids made before are smaller. */
export const firstIdAt = (time: number): string => {
  const digits = time.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

/** When the id of a UUIDv7 was made, epoch milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
