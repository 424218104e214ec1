/**
 * Installation tokens as stored (`svc_ops_`): they authenticate programs of the operator, with chosen rights.
 *
 * @module
 */

/** The rights that an installation token can have. */
export const installationRights = ["metrics:read"] as const

/** A right of the installation. */
export type InstallationRight = (typeof installationRights)[number]

/** The most active installation tokens. */
export const maxActiveTokens = 50

/** A token. Times are epoch milliseconds. */
export interface InstallationToken {
  readonly id: string
  readonly name: string
  /** SHA-256 of the whole token, hex. */
  readonly hash: string
  /** The first 12 and last 4 characters, joined by `...`. */
  readonly display: string
  readonly rights: ReadonlyArray<InstallationRight>
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
  { expiresAt, revokedAt }: Pick<InstallationToken, "expiresAt" | "revokedAt">,
  now: number
): boolean => revokedAt === null && (expiresAt === null || expiresAt > now)
