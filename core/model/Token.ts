/**
 * Tokens as stored: they authenticate programs to the management API (docs/contributing/people.md 3).
 *
 * @module
 */
import type { Right } from "./Right.ts"

/** The accounts of a company that a company token reaches. */
export const tokenAccounts = ["Live", "Sandbox", "Both"] as const

/** The accounts that a company token reaches. */
export type TokenAccounts = (typeof tokenAccounts)[number]

/** Whose a token is: the installation's (`svc_ops_`), a company's (`svc_team_`) or a user's (`svc_user_`). */
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
  /** Null for a personal token with whatever rights its user has. */
  readonly rights: ReadonlyArray<Right> | null
  /** Null unless it is a company's. */
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
