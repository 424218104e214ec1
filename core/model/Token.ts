/**
 * Tokens as stored. They authenticate programs to the management API (docs/contributing/people.md 3).
 *
 * @module
 */
import type { Right } from "./Right.ts"

/** Which accounts of a company a company token can access. */
export const tokenAccounts = ["Live", "Sandbox", "Both"] as const

/** Which accounts a company token can access. */
export type TokenAccounts = (typeof tokenAccounts)[number]

/** The owner of a token: the installation (`svc_ops_`), a company (`svc_team_`) or a user (`svc_user_`). */
export interface TokenOwner {
  readonly companyId: string | null
  readonly userId: string | null
}

/** The owner of installation tokens. */
export const installationOwner: TokenOwner = { companyId: null, userId: null }

/** The most active tokens of an owner. */
export const maxActiveTokens = ({ userId }: TokenOwner): number => (userId === null ? 50 : 20)

/** A token. Times are epoch milliseconds. */
export interface Token extends TokenOwner {
  readonly id: string
  readonly name: string
  /** SHA-256 of the whole token, hex. */
  readonly hash: string
  /** The first 12 and last 4 characters, joined by `...`. */
  readonly display: string
  /** Null for a personal token with all rights of its user. */
  readonly rights: ReadonlyArray<Right> | null
  /** Null unless it is a company token. */
  readonly accounts: TokenAccounts | null
  /** Null for never. */
  readonly expiresAt: number | null
  /** To the minute; null before the first use. */
  readonly lastUsedAt: number | null
  /** The network of the last use. */
  readonly lastUsedNetwork: string | null
  readonly revokedAt: number | null
  readonly createdAt: number
}

/** Whether a token is active: neither revoked nor expired. */
export const isActiveToken = (
  { expiresAt, revokedAt }: Pick<Token, "expiresAt" | "revokedAt">,
  now: number
): boolean => revokedAt === null && (expiresAt === null || expiresAt > now)
