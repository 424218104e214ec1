/**
 * Passkeys of users (docs/contributing/people.md 2).
 *
 * @module
 */

/** A passkey. */
export interface Passkey {
  readonly id: string
  readonly userId: string
  /** The authenticator's id of the passkey, base64url; unique. */
  readonly credentialId: string
  /** The public key: COSE, base64url. */
  readonly publicKey: string
  /** The number of signatures, if the authenticator counts them. */
  readonly counter: number
  /** The transports by which browsers reach the authenticator. */
  readonly transports: ReadonlyArray<string>
  readonly name: string
  /** Epoch milliseconds; null before the first sign-in. */
  readonly lastUsedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The most passkeys of a user. */
export const maxPasskeys = 20
