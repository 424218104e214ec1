/**
 * API keys as stored: the hash of a key and the parts that may be shown, never the key itself.
 *
 * @module
 */
import type { Permission } from "./Permission.ts"

/** The most active keys of an account (docs/contributing/public-api.md "Limits"). */
export const maxActiveKeys = 10

/** A key of an account. */
export interface ApiKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** SHA-256 of the whole key, hex. */
  readonly hash: string
  /** The first 12 and last 4 characters, joined by `...`. */
  readonly display: string
  readonly permissions: ReadonlyArray<Permission>
  /** Epoch milliseconds; null for never. */
  readonly expiresAt: number | null
  /** Epoch milliseconds, to the minute. */
  readonly lastUsedAt: number | null
  /** Epoch milliseconds. */
  readonly revokedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Whether a key counts as active: neither revoked nor expired. */
export const isActive = (key: ApiKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)
