/**
 * The reports of providers about the mail that they relay.
 *
 * @module
 */

/** The providers whose reports are read. A relay of kind `Smtp` reports only by mail (RFC 3464, RFC 5965), or not at all. */
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

/** The kinds of reports. `Suppressed` means that the provider's own suppression list stopped the message. */
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

/** Why a delivery finally failed although its address is valid. `Deferred` is a temporary rejection that never ended. */
export type RelayFailure = "MailboxFull" | "Refused" | "Deferred"

/** The delivery to which a report belongs, as the provider identifies it. Nothing here is proven. */
export interface ReportedDelivery {
  /** Possible signed references of this installation: the tag or variable of the message, and its Message-ID. */
  readonly references: ReadonlyArray<string>
  /** The provider's own ids of the message; its reply to the message stated one of them. */
  readonly providerIds: ReadonlyArray<string>
  /** The address, folded for comparison; null if it is not stated. */
  readonly recipient: string | null
}

/** The visit that opened a message or clicked a link. */
export interface ReportedVisit {
  /** The link; null for an opened message. */
  readonly url: string | null
  readonly userAgent: string | null
  /** The visitor's IP address. */
  readonly address: string | null
  /** Whether the provider states that the visitor is a machine; null if it states nothing. */
  readonly isMachine: boolean | null
}

/** One report about one delivery. */
export interface RelayReport {
  readonly delivery: ReportedDelivery
  readonly kind: RelayReportKind
  /** Only for `Failed`. */
  readonly failure: RelayFailure | null
  /** The enhanced status code (RFC 3463), or the reply code; null if neither is stated. */
  readonly code: string | null
  /** The text of the recipient's server or of the provider, on one line, at most 300 characters. */
  readonly words: string | null
  /** When it happened, epoch milliseconds; never later than the report. */
  readonly at: number
  /** Only for `Opened` and `Clicked`. */
  readonly visit: ReportedVisit | null
}

/** The name of the tag, variable or metadata field in which a provider returns the reference of a delivery. */
export const referenceName = "svc-delivery"
