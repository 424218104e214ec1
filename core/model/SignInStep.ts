/**
 * The state that the service stores between two calls of a sign-in: a passkey challenge, a redirect to an identity provider, or a
 * device that waits for its user. Each is short-lived and used once.
 *
 * @module
 */

/** The kind of sign-in to which a step belongs. */
export type SignInStepKind =
  | "PasskeySignIn"
  | "PasskeySetup"
  | "Provider"
  | "Device"
  | "DeviceCode"
  | "DeviceApproval"

/** A step of a sign-in. */
export interface SignInStep {
  /** SHA-256 of the value that the caller returns, hex. */
  readonly hash: string
  readonly kind: SignInStepKind
  /** The user whom the step concerns; null if not known yet. */
  readonly userId: string | null
  /** The data for the next call; secrets are sealed. */
  readonly data: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}
