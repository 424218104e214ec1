/**
 * What the service keeps between two calls of a sign-in: a challenge of a passkey, a redirect to an identity provider, a
 * device that waits for its user. Each is used once and short-lived.
 *
 * @module
 */

/** What a step is part of. */
export type SignInStepKind =
  | "PasskeySignIn"
  | "PasskeySetup"
  | "Provider"
  | "Device"
  | "DeviceCode"
  | "DeviceApproval"

/** A step of a sign-in. */
export interface SignInStep {
  /** SHA-256 of what the caller brings back, hex. */
  readonly hash: string
  readonly kind: SignInStepKind
  /** The user whom the step concerns; null where that is not known yet. */
  readonly userId: string | null
  /** What the next call needs; secrets are sealed. */
  readonly data: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}
