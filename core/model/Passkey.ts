/**
 * Passkeys of users (docs/contributing/people.md 2).
 *
 * @module
 */

/** A passkey. */
export interface Passkey {
  readonly id: string
  readonly userId: string
  /** The authenticator's id of it, base64url: of no other passkey. */
  readonly credentialId: string
  /** COSE, base64url. */
  readonly publicKey: string
  /** How often the authenticator has signed, as far as it counts that. */
  readonly counter: number
  /** How browsers reach the authenticator. */
  readonly transports: ReadonlyArray<string>
  readonly name: string
  /** Epoch milliseconds; null before the first sign-in. */
  readonly lastUsedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The most passkeys of a user. */
export const maxPasskeys = 20
