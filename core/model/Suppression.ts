/**
 * Suppressed addresses, to which an account sends no email.
 *
 * @module
 */

/** Why an address is suppressed: it bounced, its owner complained, or it is on the protective list. */
export const suppressionKinds = ["Bounced", "Complained", "Protected"] as const

/** Why an address is suppressed. */
export type SuppressionKind = (typeof suppressionKinds)[number]

/** What suppressed an address: reports of mail servers and recipients, a person who uses the management API, or an import. */
export const suppressionSources = ["Report", "Ui", "Import"] as const

/** What suppressed an address. */
export type SuppressionSource = (typeof suppressionSources)[number]

/** An entry of the suppression list. */
export interface Suppression {
  readonly accountId: string
  /** Normalized. */
  readonly email: string
  readonly kind: SuppressionKind
  /** What suppressed it; null if that was before this was stored. */
  readonly source: SuppressionSource | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The reason of a delivery to a suppressed address, by kind (docs/contributing/decisions.md 5). */
export const suppressionReason = {
  Bounced: "sending.gate_bounced",
  Complained: "sending.gate_complained",
  Protected: "sending.gate_protected"
} as const
