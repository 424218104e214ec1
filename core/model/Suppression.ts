/**
 * Addresses that get no email from an account.
 *
 * @module
 */

/** Why an address is suppressed: it bounced, its owner complained, or it is on the protective list. */
export const suppressionKinds = ["Bounced", "Complained", "Protected"] as const

/** Why an address is suppressed. */
export type SuppressionKind = (typeof suppressionKinds)[number]

/** Who suppressed an address: what mail servers and recipients report, a person who uses the management API, or an import. */
export const suppressionSources = ["Report", "Ui", "Import"] as const

/** Who suppressed an address. */
export type SuppressionSource = (typeof suppressionSources)[number]

/** An entry of the suppression list. */
export interface Suppression {
  readonly accountId: string
  /** Normalized. */
  readonly email: string
  readonly kind: SuppressionKind
  /** Null for an entry of before this was kept. */
  readonly source: SuppressionSource | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The reason of a delivery to a suppressed address (docs/contributing/decisions.md 5). */
export const suppressionReason = {
  Bounced: "sending.gate_bounced",
  Complained: "sending.gate_complained",
  Protected: "sending.gate_protected"
} as const
