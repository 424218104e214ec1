/**
 * The format of UUIDs, and the time in UUIDv7 (RFC 9562).
 *
 * @module
 */

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a string has the format of a UUID of any version. */
export const isUuid = (text: string): boolean => text.length === 36 && uuidPattern.test(text)

/** Formats 32 hexadecimal digits as a UUID. */
export const formatUuid = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** A UUIDv8 (RFC 9562, 5.8) derived from a SHA-256 in lower-case hex. */
export const hashUuid = (sha256Hex: string): string => {
  const variant = "89ab"[Number.parseInt(sha256Hex.charAt(16), 16) & 3]!
  return formatUuid(
    `${sha256Hex.slice(0, 12)}8${sha256Hex.slice(13, 16)}${variant}${sha256Hex.slice(17, 32)}`
  )
}

/** The lower bound of ids created at a time (epoch milliseconds) or later; earlier ids are smaller. */
export const firstIdAt = (time: number): string => {
  const digits = time.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

/** When a UUIDv7 was created, epoch milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
