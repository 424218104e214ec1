/**
 * What a provider that relays mail reports about it.
 *
 * @module
 */

/** The providers whose reports are read. A relay of kind `Smtp` reports by mail alone (RFC 3464, RFC 5965), or not at all. */
export const relayProviders = [
  "AmazonSes",
  "Postmark",
  "Mailgun",
  "SendGrid",
  "Brevo",
  "Mailjet",
  "SparkPost",
  "Resend"
] as const
export type RelayProvider = (typeof relayProviders)[number]

/** What a provider reports: `Suppressed` is a message that its own suppression list held back. */
export const relayReportKinds = [
  "Delivered",
  "Deferred",
  "Bounced",
  "Failed",
  "Complained",
  "Opened",
  "Clicked",
  "Unsubscribed",
  "Suppressed"
] as const
export type RelayReportKind = (typeof relayReportKinds)[number]

/** Why a delivery failed for good without its address being at fault. `Deferred` is a temporary rejection that never ended. */
export type RelayFailure = "MailboxFull" | "Refused" | "Deferred"

/** The delivery of a report, as the provider names it. Nothing here is proven. */
export interface ReportedDelivery {
  /** What may be a signed reference of this installation: the tag or variable of the message, and its Message-ID. */
  readonly references: ReadonlyArray<string>
  /** The provider's own ids of the message, one of which its reply to the message states. */
  readonly providerIds: ReadonlyArray<string>
  /** Folded for comparison; null where it is not stated. */
  readonly recipient: string | null
}

/** The visit of an opened message or a clicked link. */
export interface ReportedVisit {
  /** The link; null for an opened message. */
  readonly url: string | null
  readonly userAgent: string | null
  /** The visitor's IP address. */
  readonly address: string | null
  /** What the provider says about the visitor; null where it says nothing. */
  readonly isMachine: boolean | null
}

/** One report about one delivery. */
export interface RelayReport {
  readonly delivery: ReportedDelivery
  readonly kind: RelayReportKind
  /** For `Failed` alone. */
  readonly failure: RelayFailure | null
  /** The enhanced status code (RFC 3463), or the code of the reply; null where neither is stated. */
  readonly code: string | null
  /** The recipient's server's or the provider's own text, on one line, at most 300 characters. */
  readonly words: string | null
  /** When it happened, epoch milliseconds; never later than the report. */
  readonly at: number
  /** For `Opened` and `Clicked` alone. */
  readonly visit: ReportedVisit | null
}

/** The name of the tag, variable or metadata field in which a provider gives back the reference of a delivery. */
export const referenceName = "svc-delivery"
