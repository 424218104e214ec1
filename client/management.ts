/**
 * The management API's types and operations, those that exchange files excepted, generated from its definitions by `npm run client`.
 *
 * @module
 */
import type { CallOptions, ConditionalCallOptions, Operations } from "./Operation.ts"

export interface Account {
  readonly id: string
  readonly companyId: string
  readonly mode: "Live" | "Sandbox"
  readonly name: string
  readonly settings: Settings
  readonly updatedAt: string
  /** Null where an earlier version of the service kept no name */
  readonly updatedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
}

export interface AccountNotice {
  readonly id: string
  /** The key of a provider, the addresses of a site, `relay`, or `domain:` with a recipient's domain */
  readonly lane: string
  readonly provider: string | null
  readonly site: string | null
  readonly scope: "server" | "site" | "source" | "sender" | "lane" | "connection" | "encryption" | "message" | "mailbox" | "recipient" | "greylist" | "unknown"
  /** The sending domain; null where all mail is held */
  readonly domain: string | null
  readonly action: "Retry" | "SlowDown" | "PauseSource" | "PauseSender" | "PauseSite" | "FailMessage" | "Mailbox" | "Bounce" | "Probe"
  /** Reply of the server; null if it does not concern the account */
  readonly words: string | null
  readonly remedy: string | null
  /** The provider's page for senders */
  readonly help: string | null
  readonly since: string
  readonly until: string
  readonly resolvedAt: string | null
  /** Number of recipients of the account whose emails it holds */
  readonly held: number
  readonly state: "Open" | "Resolved"
}

export interface AddedMember {
  readonly userId: string
  readonly email: string
  readonly name: string | null
  readonly role: "Owner" | "Admin" | "Marketer" | "Developer" | "Support" | "Viewer"
  readonly liveAccess: boolean
  readonly status: "Invited" | "Active" | "Disabled"
  readonly factors: ReadonlyArray<string>
  readonly lastSeenAt: string | null
  /** The set-up link to give to the person, null where it is mailed; who is a user already signs in with it */
  readonly link: string | null
}

export interface Alert {
  readonly name: string
  readonly severity: "Warning" | "Critical"
  readonly state: "Firing" | "Ok" | "Unknown"
  readonly summary: string
  readonly runbook: string
}

export interface AlignmentCheck {
  readonly check: "Dkim" | "Spf" | "Dmarc" | "Unsubscribe" | "Mx" | "Ptr" | "Tls" | "Relay"
  readonly outcome: "Pass" | "Warn" | "Fail"
  /** Value found in the DNS; null if nothing was looked up */
  readonly seen: string | null
  readonly expected: string
  /** What to do; null if the check passed */
  readonly fix: string | null
}

export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly display: string
  readonly permissions: ReadonlyArray<string>
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

export interface AuditEntry {
  readonly id: string
  readonly at: string
  readonly actor: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  }
  readonly sessionId: string | null
  readonly network: string | null
  readonly userAgent: string | null
  readonly companyId: string | null
  readonly accountId: string | null
  readonly action: string
  readonly target: {
    readonly kind: string
    readonly id: string
    readonly name: string | null
  }
  readonly before: unknown
  readonly after: unknown
  readonly outcome: "Done" | "Refused"
}

export interface Backups {
  /** Whether SVC_BACKUP_FILE names a file */
  readonly isWatched: boolean
  readonly lastAt: string | null
  /** How a backup is verified */
  readonly verify: string
}

export interface Brand {
  readonly name: string | null
  readonly logo: string | null
  readonly colors: {
    readonly accent: string | null
    readonly background: string | null
    readonly text: string | null
  }
  readonly postalAddress: string | null
  readonly footer: string | null
}

export interface Campaign {
  readonly id: string
  readonly name: string
  readonly status: "Draft" | "Scheduled" | "Sending" | "Paused" | "Sent" | "Cancelled"
  readonly statusReason: "campaigns.paused_by_operator" | "campaigns.check_failed" | "campaigns.complaints" | "campaigns.bounces" | "campaigns.render_failures" | "campaigns.sender_failing" | "campaigns.standing" | null
  readonly statusAt: string
  /** What a campaign that is Sending does; in lists only Deciding, otherwise null */
  readonly phase: "Preparing" | "Testing" | "Deciding" | "Delivering" | "Waiting" | null
  /** Null in lists */
  readonly progress: CampaignProgress | null
  readonly version: number
  readonly content: unknown | null
  readonly test: unknown | null
  readonly winner: "a" | "b" | "c" | "d" | "e" | null
  readonly utm: unknown | null
  readonly pace: unknown | null
  readonly window: unknown | null
  readonly quietHours: "Respect" | "Ignore"
  readonly whenCapped: unknown
  readonly from: {
    readonly email: string
    readonly name: string | null
  } | null
  readonly replyTo: {
    readonly email: string
    readonly name: string | null
  } | null
  readonly topic: string | null
  readonly audience: {
    /** Ids of segments: people in any of them */
    readonly segments: ReadonlyArray<string>
    /** Ids of segments: people in none of them */
    readonly exclude: ReadonlyArray<string>
  }
  readonly schedule: unknown | null
  readonly tracking: {
    readonly opens: boolean
    readonly clicks: boolean
  } | null
  readonly holdoutPercent: number
  readonly archive: {
    readonly public: boolean
    readonly slug: string | null
    readonly title: string | null
    readonly summary: string | null
  }
  readonly isArchived: boolean
  readonly tags: ReadonlyArray<string>
  readonly startAt: string | null
  readonly launchedAt: string | null
  /** Whether 2 % or more of at least 1,000 people to whom it was delivered unsubscribed by it, as was reported */
  readonly isUnsubscribingReported: boolean
  /** Voided by a change. NotNeeded unless campaignApproval requires one */
  readonly approval: {
    readonly state: "NotNeeded" | "Missing" | "Requested" | "Approved" | "Rejected"
    readonly by: {
      readonly kind: string
      readonly id: string | null
      readonly name: string | null
    } | null
    readonly at: string | null
    readonly comment: string | null
  }
  readonly stats: CampaignStats
  readonly createdAt: string
  readonly createdBy: {
    readonly kind: string
    readonly id: string | null
    readonly name: string | null
  }
  readonly updatedAt: string
  /** Null where an earlier version of the service kept no name */
  readonly updatedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
}

export interface CampaignCounts {
  /** pending + submitted + skipped + heldOut + cancelled */
  readonly audience: number
  readonly pending: number
  readonly submitted: number
  readonly skipped: number
  readonly heldOut: number
  readonly cancelled: number
  /** Those who were skipped, by reason: campaigns.no_address, campaigns.duplicate_address, campaigns.local_time_passed, campaigns.render_failed, sending.gate_bounced, sending.gate_complained, sending.gate_protected, sending.gate_consent, sending.gate_topic, sending.held_out, sending.gate_frequency, sending.quiet_hours, campaigns.window, campaigns.test, campaigns.pace, sending.daily_cap, sending.provider_held, sending.warming_up, sending.held_too_long, sending.cancelled */
  readonly skippedBy: {
    readonly [key: string]: number
  }
  /** Emails by status */
  readonly emails: {
    readonly queued: number
    readonly sent: number
    readonly failed: number
    readonly suppressed: number
    readonly delivered: number
    readonly bounced: number
    readonly handingOff: number
    readonly accepted: number
    readonly unknown: number
    readonly pendingReview: number
  }
  /** Queued emails that wait for another attempt */
  readonly retrying: number
  readonly softBounced: number
  /** People by whether a person opened it, each once */
  readonly opened: Visitors
  /** The same of its links */
  readonly clicked: Visitors
  readonly complained: number
  /** Number of people who unsubscribed with a link of the campaign */
  readonly unsubscribed: number
  /** People who turned a topic off by a link of it */
  readonly topicOff: number
}

export interface CampaignLink {
  /** In the order of the content; null for all links that are not written in it */
  readonly number: number | null
  readonly variantId: "a" | "b" | "c" | "d" | "e" | null
  /** The URL as written, with its Liquid */
  readonly url: string | null
  /** Its text as it is written, on one line */
  readonly text: string | null
  /** Number of people who clicked it */
  readonly people: {
    readonly human: number
    readonly unknown: number
    readonly machine: number
  }
  /** All clicks, those of machines too */
  readonly clicks: number
  readonly firstAt: string | null
  readonly lastAt: string | null
}

export interface CampaignPreview {
  readonly subject: string | null
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
  /** The links that are tracked, as they are written */
  readonly links: ReadonlyArray<{
    readonly number: number | null
    readonly url: string | null
  }>
  /** Size of html and text in UTF-8 */
  readonly bytes: number
  readonly problems: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    readonly message: string
    readonly line: number | string | null
    readonly column: number | string | null
  }>
}

export interface CampaignProgress {
  readonly phase: "Preparing" | "Testing" | "Deciding" | "Delivering" | "Waiting" | null
  /** Number of people in the audience who were decided on */
  readonly done: number
  /** The audience, as far as it is read */
  readonly of: number
  /** Number of people who were decided on in the last minute */
  readonly perMinute: number
  /** When the last one is decided at this rate; null while that is not known */
  readonly etaAt: string | null
  /** When the next of those who are pending is due; null where none is */
  readonly nextAt: string | null
  /** What people who have not got the email wait for, most frequent first */
  readonly waiting: ReadonlyArray<{
    /** Reason of a recipient or an email; null for the time given by the schedule */
    readonly reason: string | null
    readonly count: number
    /** When the first of them go on; null where that is not known */
    readonly until: string | null
  }>
}

export interface CampaignRecipient {
  readonly contactId: string
  readonly email: string | null
  readonly name: string | null
  readonly state: "Pending" | "Submitted" | "Skipped" | "HeldOut" | "Cancelled"
  readonly reason: "campaigns.no_address" | "campaigns.duplicate_address" | "campaigns.local_time_passed" | "campaigns.render_failed" | "sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.gate_topic" | "sending.held_out" | "sending.gate_frequency" | "sending.quiet_hours" | "campaigns.window" | "campaigns.test" | "campaigns.pace" | "sending.daily_cap" | "sending.provider_held" | "sending.warming_up" | "sending.held_too_long" | "sending.cancelled" | null
  readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview" | null
  readonly statusReason: "sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.no_verified_sender" | "sending.scheduled" | "sending.daily_cap" | "sending.retrying" | "sending.tls_required" | "sending.provider_held" | "sending.sender_held" | "sending.relay_unavailable" | "sending.warming_up" | "sending.refused" | "sending.mailbox_full" | "sending.retries_exhausted" | "sending.held_too_long" | "sending.given_up" | "sending.outcome_unknown" | "sending.campaign_paused" | "sending.relay_suppressed" | "sending.cancelled" | "sending.in_review" | "sending.review_refused" | "sending.standing_held" | null
  readonly variantId: "a" | "b" | "c" | "d" | "e" | null
  readonly version: number | null
  readonly dueAt: string
  readonly decidedAt: string | null
  readonly submittedAt: string | null
  readonly messageId: string | null
  readonly openedAt: string | null
  /** None also of who got no email */
  readonly openedBy: "Human" | "Unknown" | "Machine" | "None"
  readonly clickedAt: string | null
  readonly clickedBy: "Human" | "Unknown" | "Machine" | "None"
  /** The numbers of the links that were clicked, as `links` of the campaign has them */
  readonly links: ReadonlyArray<number>
  /** Orders that followed a click in the email */
  readonly conversions: number
  /** When the person unsubscribed with a link of the email */
  readonly unsubscribedAt: string | null
  /** Why the content did not render for one who was skipped for that */
  readonly renderError: {
    readonly code: string
    readonly line: number | null
    readonly column: number | null
  } | null
}

export interface CampaignStats {
  /** pending + submitted + skipped + heldOut + cancelled */
  readonly audience: number
  readonly pending: number
  readonly submitted: number
  readonly skipped: number
  readonly heldOut: number
  readonly cancelled: number
  /** Those who were skipped, by reason: campaigns.no_address, campaigns.duplicate_address, campaigns.local_time_passed, campaigns.render_failed, sending.gate_bounced, sending.gate_complained, sending.gate_protected, sending.gate_consent, sending.gate_topic, sending.held_out, sending.gate_frequency, sending.quiet_hours, campaigns.window, campaigns.test, campaigns.pace, sending.daily_cap, sending.provider_held, sending.warming_up, sending.held_too_long, sending.cancelled */
  readonly skippedBy: {
    readonly [key: string]: number
  }
  /** Emails by status */
  readonly emails: {
    readonly queued: number
    readonly sent: number
    readonly failed: number
    readonly suppressed: number
    readonly delivered: number
    readonly bounced: number
    readonly handingOff: number
    readonly accepted: number
    readonly unknown: number
    readonly pendingReview: number
  }
  /** Queued emails that wait for another attempt */
  readonly retrying: number
  readonly softBounced: number
  /** People by whether a person opened it, each once */
  readonly opened: Visitors
  /** The same of its links */
  readonly clicked: Visitors
  readonly complained: number
  /** Number of people who unsubscribed with a link of the campaign */
  readonly unsubscribed: number
  /** People who turned a topic off by a link of it */
  readonly topicOff: number
  /** Orders that followed a click in one of its emails */
  readonly conversions: number
  /** Current value of these orders, by currency */
  readonly revenue: ReadonlyArray<{
    readonly currency: string
    readonly amount: string
  }>
  /** Value of the orders that were cancelled, refunded or failed, which revenue does not include */
  readonly refunded: ReadonlyArray<{
    readonly currency: string
    readonly amount: string
  }>
  /** People left out for comparison; null in lists */
  readonly holdout: {
    readonly people: number
    /** Orders of those left out within the conversion window after that */
    readonly conversions: number
    readonly revenue: ReadonlyArray<{
      readonly currency: string
      readonly amount: string
    }>
    /** How many more orders a person placed who got it, as a share, and its interval at 95 %; null below 100 orders of both */
    readonly lift: {
      readonly value: number
      readonly from: number
      readonly to: number
    } | null
  } | null
  readonly countedAt: string
}

export interface CampaignVersion {
  readonly version: number
  readonly name: string
  readonly subject: string
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
  /** The content of each variant and language */
  readonly parts: ReadonlyArray<unknown>
  readonly from: {
    readonly email: string
    readonly name: string | null
  }
  readonly replyTo: {
    readonly email: string
    readonly name: string | null
  } | null
  readonly tracking: {
    readonly opens: boolean
    readonly clicks: boolean
  }
  readonly utm: unknown | null
  readonly createdAt: string
  readonly createdBy: {
    readonly kind: string
    readonly id: string | null
    readonly name: string | null
  }
  /** Number of people who got it */
  readonly received: number
}

export interface Certificate {
  readonly usedFor: "Smtp"
  readonly names: ReadonlyArray<string>
  readonly issuer: string
  readonly validFrom: string
  readonly validTo: string
  readonly isSelfSigned: boolean
}

export interface Classification {
  readonly action: "Accept" | "Retry" | "SlowDown" | "PauseSource" | "PauseSender" | "PauseSite" | "FailMessage" | "Mailbox" | "Bounce" | "Probe"
  readonly scope: "server" | "site" | "source" | "sender" | "lane" | "connection" | "encryption" | "message" | "mailbox" | "recipient" | "greylist" | "unknown" | null
  /** The id of the rule, or the code that decided */
  readonly rule: string
  readonly reason: "sending.retrying" | "sending.provider_held" | "sending.sender_held" | "sending.refused" | "sending.mailbox_full" | "sending.outcome_unknown" | null
  readonly remedy: string | null
  /** Source in which replies of this kind are documented or were seen */
  readonly source: string | null
}

export interface Company {
  readonly id: string
  readonly name: string
  readonly live: {
    readonly accountId: string
  }
  readonly sandbox: {
    readonly accountId: string
  }
}

export interface CompanyDetails {
  readonly id: string
  readonly name: string
  readonly live: {
    readonly accountId: string
  }
  readonly sandbox: {
    readonly accountId: string
  }
  readonly requireTwoFactors: boolean
  readonly auditRetentionDays: number
  readonly brand: Brand
  /** When it was deleted; it can be restored for 30 days and is erased then */
  readonly deletedAt: string | null
}

export interface ConfiguredValue {
  readonly name: string
  /** `set` for a secret that is set */
  readonly value: string | null
  readonly source: "Environment" | "Default"
  readonly isSecret: boolean
}

export interface ConsentEntry {
  readonly from: "Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation" | null
  readonly to: "Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation"
  readonly basis: "Customer" | "Subscribed" | "Unsubscribed" | null
  readonly proof: {
    readonly text: string
    readonly textVersion: string | null
    readonly locale: string | null
    readonly ipAddress: string | null
    readonly givenAt: string | null
  } | null
  readonly source: string
  readonly at: string
}

export interface Contact {
  readonly id: string
  /** Set for a connected store's customer */
  readonly storeId: string | null
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly phone: string | null
  readonly city: string | null
  readonly countryCode: string | null
  readonly language: string | null
  readonly consentStatus: "Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation"
  readonly isPayingCustomer: boolean
  readonly orderCount: number
  readonly totalSpent: number
  readonly lastOrderAt: string | null
  readonly sourceCreatedAt: string | null
  readonly lastSyncedAt: string | null
  readonly consentUpdatedAt: string | null
  readonly lastOpenAt: string | null
  readonly lastClickAt: string | null
  readonly lastEmailedAt: string | null
  readonly addedAt: string | null
  readonly lastConversionAt: string | null
  readonly fromOrders: boolean
  readonly consentSource: string | null
  readonly storeConsentMode: "Explicit" | "Notice" | "OwnConsent" | "None" | null
  readonly marketingDeclared: boolean
  readonly tags: ReadonlyArray<string> | null
  readonly attributes: {
    readonly [key: string]: string | number | boolean | ReadonlyArray<string>
  }
}

export interface ContactField {
  readonly key: string
  readonly label: string
  readonly type: "Text" | "Number" | "Boolean" | "Date" | "DateTime" | "TextList"
  readonly description: string | null
  readonly createdFrom: "Ui" | "Api" | "Csv"
  readonly createdAt: string
  readonly archivedAt: string | null
}

export interface ContactLinks {
  readonly confirm: string
  readonly preferences: string
  readonly unsubscribe: string
}

export interface ContactPatch {
  /** Your own user id */
  readonly externalId?: string | null | undefined
  /** Required for a new contact */
  readonly email?: string | null | undefined
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
  /** Stored unchanged */
  readonly phone?: string | null | undefined
  readonly city?: string | null | undefined
  /** ISO 3166-1 alpha-2 */
  readonly countryCode?: string | null | undefined
  /** BCP 47 */
  readonly language?: string | null | undefined
  /** Values by the contact field's key: a key sent is set, one sent as null removed, others untouched */
  readonly attributes?: {
    readonly [key: string]: unknown
  } | null | undefined
  readonly consent?: {
    readonly basis: string
    readonly proof?: {
      /** The exact words agreed to; required for Subscribed */
      readonly text?: string | null | undefined
      readonly textVersion?: string | null | undefined
      readonly locale?: string | null | undefined
      readonly ipAddress?: string | null | undefined
      readonly givenAt?: string | null | undefined
    } | null | undefined
  } | null | undefined
  /** Topics turned on or off, by the topic's key */
  readonly topics?: {
    readonly [key: string]: boolean
  } | null | undefined
}

export interface ContactTopic {
  readonly key: string
  readonly name: string
  readonly on: boolean
  /** Whether the contact chose; otherwise it is the topic's default */
  readonly chosen: boolean
}

export interface ContactWrite {
  /** The service's contact id */
  readonly id?: string | null | undefined
  /** Your own user id */
  readonly externalId?: string | null | undefined
  /** Required for a new contact */
  readonly email?: string | null | undefined
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
  /** Stored unchanged */
  readonly phone?: string | null | undefined
  readonly city?: string | null | undefined
  /** ISO 3166-1 alpha-2 */
  readonly countryCode?: string | null | undefined
  /** BCP 47 */
  readonly language?: string | null | undefined
  /** Values by the contact field's key: a key sent is set, one sent as null removed, others untouched */
  readonly attributes?: {
    readonly [key: string]: unknown
  } | null | undefined
  readonly consent?: {
    readonly basis: string
    readonly proof?: {
      /** The exact words agreed to; required for Subscribed */
      readonly text?: string | null | undefined
      readonly textVersion?: string | null | undefined
      readonly locale?: string | null | undefined
      readonly ipAddress?: string | null | undefined
      readonly givenAt?: string | null | undefined
    } | null | undefined
  } | null | undefined
  /** Topics turned on or off, by the topic's key */
  readonly topics?: {
    readonly [key: string]: boolean
  } | null | undefined
}

export interface Database {
  readonly engine: "Memory" | "PGlite" | "PostgreSQL"
  readonly version: string | null
  readonly sizeBytes: number | null
  readonly pingMs: number
  readonly migrations: {
    readonly applied: number
    readonly known: number
  } | null
  readonly tables: ReadonlyArray<{
    readonly name: string
    readonly rows: number | null
    readonly bytes: number
  }>
  readonly partitions: ReadonlyArray<{
    readonly table: string
    readonly name: string
    readonly rows: number | null
    readonly bytes: number
  }>
  /** Null where the extension pg_stat_statements does not count them */
  readonly slowStatements: ReadonlyArray<{
    readonly statement: string
    readonly calls: number
    readonly totalMs: number
    readonly meanMs: number
  }> | null
}

export interface DayStats {
  readonly date: string
  readonly emails: {
    readonly queued: number
    readonly sent: number
    readonly failed: number
    readonly suppressed: number
    readonly delivered: number
    readonly bounced: number
    readonly handingOff: number
    readonly accepted: number
    readonly unknown: number
    readonly pendingReview: number
  }
  readonly softBounces: number
  readonly opens: number
  readonly clicks: number
  readonly opensUnknown: number
  readonly clicksUnknown: number
  readonly opensByMachines: number
  readonly clicksByMachines: number
  readonly events: number
  readonly contacts: number
  readonly runs: {
    readonly active: number
    readonly completed: number
    readonly stopped: number
    readonly failed: number
  }
}

export interface DeliveryAttempt {
  readonly startedAt: string
  readonly finishedAt: string
  readonly outcome: string
  readonly source: string | null
  readonly host: string | null
  readonly tls: string | null
  readonly replies: ReadonlyArray<string>
  readonly error: string | null
}

export interface DeliveryVisits {
  readonly readerOpenedAt: string | null
  readonly readerClickedAt: string | null
  readonly opens: VisitCounts
  readonly clicks: VisitCounts
  readonly recent: ReadonlyArray<Visit>
}

export interface DmarcCount {
  /** The day in UTC, `YYYY-MM-DD` */
  readonly day: string
  readonly domain: string
  /** The /24 or /48 that the messages came from; null for the rest of a day with more than 2,000 entries */
  readonly network: string | null
  readonly disposition: "None" | "Quarantine" | "Reject" | "Pass"
  readonly dkim: "none" | "pass" | "fail" | "softfail" | "policy" | "neutral" | "temperror" | "permerror"
  readonly dkimAligned: boolean
  readonly spf: "none" | "pass" | "fail" | "softfail" | "policy" | "neutral" | "temperror" | "permerror"
  readonly spfAligned: boolean
  readonly messages: number
}

export interface Domain {
  readonly id: string
  readonly domain: string
  readonly status: "Pending" | "Verified" | "Failing"
  readonly records: ReadonlyArray<{
    readonly type: "TXT" | "MX" | "CNAME"
    readonly name: string
    readonly value: string
    readonly purpose: "DKIM" | "ReturnPath" | "SPF" | "DMARC" | "TLS"
    readonly found: boolean
    /** The values that the last look-up found at the name */
    readonly seen: ReadonlyArray<string>
  }>
  readonly verifiedAt: string | null
}

export interface EmailContent {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Whether this is what was sent: false where the person's data, or the catalogue, has changed since the email of a campaign; null where that is not known, and before it is sent */
  readonly isAsSent: boolean | null
  readonly headers: ReadonlyArray<{
    readonly name: string
    readonly value: string
  }>
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    readonly contentId: string | null
    readonly bytes: number
  }>
  /** The path of the email as a document for a sandboxed frame; `?images=true` loads remote images */
  readonly frameUrl: string
}

export interface EmailDetail {
  readonly id: string
  readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview" | "Mixed"
  readonly reason: string | null
  readonly recipients: ReadonlyArray<{
    readonly id: string
    readonly email: string
    readonly name: string | null
    readonly kind: "To" | "Cc" | "Bcc"
    readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"
    readonly reason: string | null
    readonly updatedAt: string
    readonly openedAt: string | null
    readonly clickedAt: string | null
    /** The address that it last left from; null where the system chose it */
    readonly source: string | null
    /** The key of the provider whose servers were last tried; null for none of the table */
    readonly provider: string | null
    /** Since when the email is held, while it is; null otherwise */
    readonly heldSince: string | null
    /** When the email is tried next, at the latest; null if it is not queued */
    readonly nextAttemptAt: string | null
    /** What the server replied last; of a held email that was not tried, what it replied to another */
    readonly words: string | null
    readonly visits: DeliveryVisits
    readonly attempts: ReadonlyArray<DeliveryAttempt>
  }>
  readonly sendAt: string | null
  readonly templateId: string | null
  readonly metadata: {
    readonly [key: string]: string
  }
  readonly tags: {
    readonly [key: string]: string
  }
  readonly createdAt: string
  readonly from: {
    readonly email: string
    readonly name: string | null
  } | null
  readonly subject: string
  readonly source: "Api" | "Smtp" | "Flow" | "Campaign" | "System"
  /** The API key that sent it */
  readonly keyId: string | null
  readonly idempotencyKey: string | null
  /** The version of the template; null without one, and for an email of before versions were kept */
  readonly templateVersion: number | null
  /** The flow that sent it */
  readonly flowId: string | null
  /** The run of the flow */
  readonly runId: string | null
  /** The campaign that sent it */
  readonly campaignId: string | null
  readonly contentErasedAt: string | null
}

export interface EmailSubmission {
  readonly id: string
  readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview" | "Mixed"
  readonly reason: string | null
  readonly recipients: ReadonlyArray<{
    readonly id: string
    readonly email: string
    readonly name: string | null
    readonly kind: "To" | "Cc" | "Bcc"
    readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"
    readonly reason: string | null
  }>
  readonly sendAt: string | null
  readonly templateId: string | null
  readonly metadata: {
    readonly [key: string]: string
  }
  readonly tags: {
    readonly [key: string]: string
  }
}

export interface Event {
  readonly id: string
  readonly eventId: string
  readonly name: string
  readonly occurredAt: string
  readonly status: "Accepted" | "Processed" | "Failed"
  readonly source: "Api" | "Ui"
  readonly failure: {
    readonly code: string
    readonly message: string
  } | null
  readonly contactId: string | null
}

export interface EventWrite {
  /** Your own id, unique in the account; required */
  readonly id?: string | null | undefined
  /** Required */
  readonly name?: string | null | undefined
  readonly occurredAt?: string | null | undefined
  readonly contact?: ContactWrite | null | undefined
  readonly properties?: unknown | undefined
}

export interface EventsReport {
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: ReadonlyArray<RejectedEvent>
}

export interface ExplainedCampaignRecipient {
  readonly contactId: string
  readonly email: string | null
  readonly name: string | null
  readonly state: "Pending" | "Submitted" | "Skipped" | "HeldOut" | "Cancelled"
  readonly reason: "campaigns.no_address" | "campaigns.duplicate_address" | "campaigns.local_time_passed" | "campaigns.render_failed" | "sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.gate_topic" | "sending.held_out" | "sending.gate_frequency" | "sending.quiet_hours" | "campaigns.window" | "campaigns.test" | "campaigns.pace" | "sending.daily_cap" | "sending.provider_held" | "sending.warming_up" | "sending.held_too_long" | "sending.cancelled" | null
  readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview" | null
  readonly statusReason: "sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.no_verified_sender" | "sending.scheduled" | "sending.daily_cap" | "sending.retrying" | "sending.tls_required" | "sending.provider_held" | "sending.sender_held" | "sending.relay_unavailable" | "sending.warming_up" | "sending.refused" | "sending.mailbox_full" | "sending.retries_exhausted" | "sending.held_too_long" | "sending.given_up" | "sending.outcome_unknown" | "sending.campaign_paused" | "sending.relay_suppressed" | "sending.cancelled" | "sending.in_review" | "sending.review_refused" | "sending.standing_held" | null
  readonly variantId: "a" | "b" | "c" | "d" | "e" | null
  readonly version: number | null
  readonly dueAt: string
  readonly decidedAt: string | null
  readonly submittedAt: string | null
  readonly messageId: string | null
  readonly openedAt: string | null
  /** None also of who got no email */
  readonly openedBy: "Human" | "Unknown" | "Machine" | "None"
  readonly clickedAt: string | null
  readonly clickedBy: "Human" | "Unknown" | "Machine" | "None"
  /** The numbers of the links that were clicked, as `links` of the campaign has them */
  readonly links: ReadonlyArray<number>
  /** Orders that followed a click in the email */
  readonly conversions: number
  /** When the person unsubscribed with a link of the email */
  readonly unsubscribedAt: string | null
  /** Why the content did not render for one who was skipped for that */
  readonly renderError: {
    readonly code: string
    readonly line: number | null
    readonly column: number | null
  } | null
  readonly explanation: Explanation
}

export interface Explanation {
  readonly verdict: "Received" | "OnItsWay" | "NotSent" | "NotReceived" | "Unknown"
  /** Never empty; the deciding reason first */
  readonly because: ReadonlyArray<{
    /** Stable; branch on it */
    readonly code: string
    readonly sentence: string
    readonly at: string | null
    /** Evidence for the reason; null if it is no longer stored */
    readonly evidence: {
      readonly kind: "Email" | "Run" | "Flow" | "Campaign" | "Event" | "Contact" | "Suppression"
      readonly id: string
    } | null
  }>
  /** What to do; `action` is a call of the management API */
  readonly next: ReadonlyArray<{
    readonly sentence: string
    readonly action?: {
      readonly method: "DELETE" | "POST"
      readonly path: string
      readonly body?: unknown | undefined
    } | undefined
  }>
}

export interface Flow {
  readonly id: string
  readonly name: string
  readonly status: "Draft" | "Published" | "Paused" | "Archived"
  readonly version: number
  readonly trigger: unknown
  readonly stopEvents: ReadonlyArray<unknown>
  readonly steps: ReadonlyArray<unknown>
  readonly hasTriggerToken: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** Null where an earlier version of the service kept no name */
  readonly updatedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
}

export interface FlowRun {
  readonly id: string
  readonly flowId: string
  readonly contactId: string
  readonly version: number
  readonly status: "Active" | "Completed" | "Stopped" | "Failed"
  readonly stepId: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly reason: string | null
  readonly nextAt: string | null
  readonly log: ReadonlyArray<{
    readonly stepId: string
    readonly at: string
    readonly outcome: string
  }>
}

export interface FlowSimulation {
  readonly started: boolean
  readonly status: "Active" | "Completed" | "Stopped" | "Failed" | null
  readonly reason: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly path: ReadonlyArray<{
    readonly stepId: string
    readonly at: string
    readonly outcome: string
  }>
  readonly emails: ReadonlyArray<{
    readonly stepId: string
    readonly at: string
    readonly subject: string | null
    readonly html: string | null
    readonly text: string | null
    readonly failure: string | null
  }>
}

export interface FlowStats {
  readonly started: number
  readonly active: number
  readonly completed: number
  readonly stopped: number
  readonly failed: number
  readonly opened: number
  readonly clicked: number
  readonly openedUnknown: number
  readonly clickedUnknown: number
  readonly openedByMachines: number
  readonly clickedByMachines: number
  readonly conversions: number
  /** Current value of the conversions' orders, without cancelled and refunded orders */
  readonly revenue: ReadonlyArray<{
    readonly currency: string
    readonly amount: string
  }>
  readonly steps: ReadonlyArray<{
    readonly stepId: string
    readonly waiting: number
    readonly passed: number
    readonly skippedBy: {
      readonly [key: string]: number
    }
    readonly failed: number
  }>
  /** The versions that have active runs, the newest first */
  readonly versions: ReadonlyArray<{
    readonly version: number
    readonly active: number
  }>
}

export interface FlowVersion {
  readonly version: number
  readonly publishedAt: string | null
  readonly trigger: unknown
  readonly stopEvents: ReadonlyArray<unknown>
  readonly steps: ReadonlyArray<unknown>
}

export interface FlowWrite {
  readonly name: string
  readonly trigger: unknown
  readonly stopEvents?: ReadonlyArray<unknown> | null | undefined
  readonly steps?: ReadonlyArray<unknown> | null | undefined
}

export interface IdentityProvider {
  readonly id: string
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly emailDomains: ReadonlyArray<string>
  readonly defaultRole: "Owner" | "Admin" | "Marketer" | "Developer" | "Support" | "Viewer" | null
  readonly required: boolean
  /** To register at the provider */
  readonly redirectUri: string
  readonly createdAt: string
}

export interface Image {
  readonly id: string
  /** Public URL of the image */
  readonly url: string
  readonly name: string | null
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly createdAt: string
}

export interface Import {
  readonly id: string
  readonly name: string | null
  readonly status: "Uploading" | "Queued" | "Running" | "Completed" | "Failed" | "Cancelled"
  readonly mapping: {
    readonly [key: string]: string
  }
  readonly delimiter: "," | ";" | "\t" | "|"
  readonly size: number
  readonly processed: number
  readonly rows: {
    readonly read: number
    readonly created: number
    readonly updated: number
    readonly failed: number
  }
  /** Whether the rows are only tried, and nothing is written */
  readonly dryRun: boolean
  readonly failure: {
    readonly code: string
    readonly message: string
    readonly line: number | null
  } | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

export interface InboxMessage {
  readonly id: string
  readonly submissionId: string
  readonly to: string
  readonly from: {
    readonly email: string
    readonly name: string | null
  }
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Whether this is what was sent: false where the person's data, or the catalogue, has changed since the email of a campaign; null where that is not known, and before it is sent */
  readonly isAsSent: boolean | null
  readonly receivedAt: string
}

export interface IssuedApiKey {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly permissions: ReadonlyArray<string>
  readonly expiresAt: string | null
}

export interface IssuedPersonalToken {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly display: string
  /** Null for the rights that the user has at the time of a call */
  readonly rights: ReadonlyArray<string> | null
  readonly accounts: null
  readonly expiresAt: string | null
}

export interface IssuedStore {
  readonly id: string
  readonly platform: "Custom" | "Shopify" | "WooCommerce"
  readonly name: string
  readonly domain: string
  readonly consentMode: "Explicit" | "Notice" | "OwnConsent" | "None"
  readonly currency: string | null
  readonly display: string
  readonly status: "Connected" | "Disconnected"
  readonly connectedAt: string
  readonly disconnectedAt: string | null
  readonly token: string
  readonly webhookSecret: string
}

export interface IssuedToken {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly display: string
  readonly rights: ReadonlyArray<string>
  readonly accounts: "Live" | "Sandbox" | "Both" | null
  readonly expiresAt: string | null
}

export interface IssuedWebhook {
  readonly id: string
  readonly url: string
  readonly events: ReadonlyArray<"email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "campaign.paused" | "campaign.sent" | "webhook.test">
  readonly fields: ReadonlyArray<"visitor">
  readonly description: string | null
  readonly status: "Active" | "Stopped"
  readonly stoppedReason: string | null
  readonly failuresInARow: number
  readonly secret: string
}

export interface Item {
  readonly id: string
  readonly source: string
  readonly storeId: string | null
  readonly externalId: string
  readonly kind: "product" | "plan" | "service" | "other"
  readonly name: string
  readonly description: string | null
  readonly url: string | null
  readonly imageUrl: string | null
  readonly price: number | null
  readonly comparePrice: number | null
  readonly currency: string | null
  readonly inStock: boolean
  readonly stockQuantity: number | null
  readonly categories: ReadonlyArray<string>
  readonly attributes: {
    readonly [key: string]: string | number | boolean | ReadonlyArray<string>
  }
  readonly active: boolean
  readonly createdAt: string
  readonly updatedAt: string | null
}

export interface ItemBatchResult {
  readonly index: number
  readonly status: "created" | "updated" | "failed"
  readonly id: string | null
  readonly errors: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    readonly params: {
      readonly [key: string]: number
    } | null
  }> | null
}

export interface ItemUsage {
  readonly templates: ReadonlyArray<{
    readonly id: string
    readonly name: string
    /** `Id`: it names the item; `Category`: it recommends items of a category of the item, or of all */
    readonly by: "Id" | "Category"
  }>
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly status: "Draft" | "Published" | "Paused" | "Archived"
    /** Whether the published version uses it; else only the draft does */
    readonly isPublished: boolean
  }>
  /** Campaigns that use it and have not ended */
  readonly campaigns: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly status: "Draft" | "Scheduled" | "Sending" | "Paused" | "Sent" | "Cancelled"
  }>
}

export interface ItemWrite {
  /** Your own id; required */
  readonly id?: string | null | undefined
  readonly kind?: string | null | undefined
  /** Required for a new item */
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  /** http or https */
  readonly url?: string | null | undefined
  /** http or https */
  readonly imageUrl?: string | null | undefined
  /** Exact to 15 digits before and after the point */
  readonly price?: number | null | undefined
  /** Exact to 15 digits before and after the point */
  readonly comparePrice?: number | null | undefined
  /** ISO 4217; required with a price */
  readonly currency?: string | null | undefined
  readonly inStock?: boolean | null | undefined
  readonly stockQuantity?: number | null | undefined
  readonly categories?: ReadonlyArray<string> | null | undefined
  /** Values by name: a string, number, boolean or list of strings */
  readonly attributes?: {
    readonly [key: string]: unknown
  } | null | undefined
  readonly active?: boolean | null | undefined
}

export interface Job {
  readonly id: string
  readonly kind: "Unsubscribe" | "SetTopic" | "AddTag" | "RemoveTag" | "Export" | "Erase" | "ResendNotifications" | "ReplayStoreEvents" | "ExportRecipients"
  readonly state: "Queued" | "Running" | "Done" | "Failed" | "Cancelled"
  readonly done: number
  /** Null until the items are counted */
  readonly total: number | null
  readonly failed: number
  /** The path of the exported file, or of one row for each failure; for 7 days */
  readonly reportUrl: string | null
  readonly createdBy: {
    readonly kind: string
    readonly id: string | null
    readonly name: string | null
  }
  readonly createdAt: string
  readonly finishedAt: string | null
}

export interface KeyStats {
  /** The beginning of the hour or day, UTC */
  readonly at: string
  /** At most 50 different ones; the others are `other` */
  readonly key: string
  readonly emails: {
    readonly queued: number
    readonly sent: number
    readonly failed: number
    readonly suppressed: number
    readonly delivered: number
    readonly bounced: number
    readonly handingOff: number
    readonly accepted: number
    readonly unknown: number
    readonly pendingReview: number
  }
  readonly softBounces: number
  readonly delivered: number
  readonly opened: Visitors
  readonly clicked: Visitors
  readonly complained: number
  readonly unsubscribed: number
  readonly conversions: number
}

export interface Lane {
  /** The key of a provider, the addresses of a site, or `relay` */
  readonly id: string
  readonly provider: string | null
  readonly site: string | null
  /** The address that mail leaves from; null where the system chooses it */
  readonly source: string | null
  /** The concurrency limit, of all processes together */
  readonly width: number
  /** Number of connections that processes have leased */
  readonly inUse: number
  readonly leases: ReadonlyArray<{
    readonly node: string
    readonly places: number
    readonly expiresAt: string
  }>
  /** Emails a minute; null for without delay */
  readonly rate: number | null
  readonly pausedUntil: string | null
  /** Number of failed connections since it last accepted an email */
  readonly strikes: number
  readonly learnedAt: string
  readonly held: number
  /** Since when the first of them is held */
  readonly oldest: string | null
  readonly override: ShapingOverride | null
}

export interface ListedCompany {
  readonly id: string
  readonly name: string
  readonly live: {
    readonly accountId: string
  }
  readonly sandbox: {
    readonly accountId: string
  }
  /** Emails that its live account accepted in the last 30 days, one for each recipient; null for callers who may not see them */
  readonly volume: number | null
  /** When it was deleted; it can be restored for 30 days and is erased then */
  readonly deletedAt: string | null
}

export interface ListedEmail {
  readonly id: string
  readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview" | "Mixed"
  readonly reason: string | null
  readonly recipients: ReadonlyArray<{
    readonly id: string
    readonly email: string
    readonly name: string | null
    readonly kind: "To" | "Cc" | "Bcc"
    readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"
    readonly reason: string | null
  }>
  readonly sendAt: string | null
  readonly templateId: string | null
  readonly metadata: {
    readonly [key: string]: string
  }
  readonly tags: {
    readonly [key: string]: string
  }
  readonly createdAt: string
  readonly from: {
    readonly email: string
    readonly name: string | null
  } | null
  readonly subject: string
  readonly source: "Api" | "Smtp" | "Flow" | "Campaign" | "System"
  /** The API key that sent it */
  readonly keyId: string | null
}

export interface ListedTemplate {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly subject: string
  readonly format: "Html" | "Mjml" | "Blocks"
  /** The MJML of the format Mjml, the document of the format Blocks as JSON; null for Html */
  readonly source: string | null
  readonly preheader: string | null
  /** For the formats Mjml and Blocks: the HTML compiled from `source` */
  readonly html: string | null
  readonly text: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Null where an earlier version of the service kept no name */
  readonly updatedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
  /** When the latest email that is kept was made from it; null for none */
  readonly lastUsedAt: string | null
}

export interface ListedUser {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly operator: boolean
  readonly status: "Invited" | "Active" | "Disabled"
  readonly factors: ReadonlyArray<string>
  readonly lastSeenAt: string | null
  readonly createdAt: string
  /** Emails that the live accounts of the companies of which the user is a member accepted in the last 30 days, one for each recipient */
  readonly volume: number
}

export interface LogLine {
  readonly at: string
  readonly level: "Trace" | "Debug" | "Info" | "Warn" | "Error" | "Fatal"
  readonly message: string
  readonly fields: {
    readonly [key: string]: string
  }
}

export interface LoggedRequest {
  readonly id: string
  readonly requestId: string
  readonly at: string
  readonly keyId: string
  readonly method: string
  /** The template; null where there is no such route */
  readonly route: string | null
  readonly status: number
  /** The code of the first error */
  readonly code: string | null
  readonly durationMillis: number
  readonly warnings: ReadonlyArray<string>
  /** Its beginning, without secrets; null in a live account */
  readonly requestBody: string | null
  readonly responseBody: string | null
}

export interface ManagedSegment {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly definition: {
    readonly join: string
    readonly rules: ReadonlyArray<{
      readonly fieldKey: string
      readonly operator: string
      readonly value: unknown
    }>
  }
  readonly builtInKey: "all" | "subscribed" | "customers" | "repeat_customers" | "engaged_90_days" | "inactive_180_days" | "new_30_days" | null
  readonly count: number
  readonly sendableCount: number
  readonly updatedAt: string
  /** Null where an earlier version of the service kept no name */
  readonly updatedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
}

export interface ManagedTopic {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly isArchived: boolean
  readonly defaultOn: boolean
}

export interface Member {
  readonly userId: string
  readonly email: string
  readonly name: string | null
  readonly role: "Owner" | "Admin" | "Marketer" | "Developer" | "Support" | "Viewer"
  readonly liveAccess: boolean
  readonly status: "Invited" | "Active" | "Disabled"
  readonly factors: ReadonlyArray<string>
  readonly lastSeenAt: string | null
}

export interface Node {
  readonly id: string
  readonly host: string
  readonly state: "Up" | "Gone"
  readonly version: string
  readonly runtime: string
  readonly roles: ReadonlyArray<string>
  readonly startedAt: string
  readonly seenAt: string
  readonly eventLoopDelayMs: number
  readonly memoryBytes: number
  readonly heapUsedBytes: number
  readonly heapLimitBytes: number
}

export interface Notice {
  readonly id: string
  /** The key of a provider, the addresses of a site, `relay`, or `domain:` with a recipient's domain */
  readonly lane: string
  /** The key of a provider; null for none of the table */
  readonly provider: string | null
  /** The addresses of the servers of no provider */
  readonly site: string | null
  /** The address that the mail leaves from; null for all */
  readonly source: string | null
  readonly accountId: string | null
  /** The sending domain; null where all mail is held */
  readonly domain: string | null
  /** Whether a reply, an operator or servers that could not be reached several times in a row began it */
  readonly cause: "Reply" | "Operator" | "Unreachable"
  /** What the reply concerns; `unknown` until another email has shown it */
  readonly scope: "server" | "site" | "source" | "sender" | "lane" | "connection" | "encryption" | "message" | "mailbox" | "recipient" | "greylist" | "unknown"
  /** The code of the server's reply */
  readonly code: number | null
  readonly action: "Retry" | "SlowDown" | "PauseSource" | "PauseSender" | "PauseSite" | "FailMessage" | "Mailbox" | "Bounce" | "Probe"
  readonly rule: string
  /** Reply of the server, or the reason given by the operator */
  readonly words: string
  readonly remedy: string
  /** The provider's page for senders */
  readonly help: string | null
  readonly since: string
  /** From then on one email at a time is sent to find out whether it can end */
  readonly until: string
  readonly resolvedAt: string | null
  /** Number of recipients whose emails it holds, as far as they were tried */
  readonly held: number
  readonly state: "Open" | "Resolved"
}

export interface Notification {
  readonly id: string
  readonly webhookId: string
  readonly type: "email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "campaign.paused" | "campaign.sent" | "webhook.test"
  readonly messageId: string | null
  readonly state: "Pending" | "Succeeded" | "Failed" | "Cancelled"
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt: string | null
}

export interface NotificationDetail {
  readonly id: string
  readonly webhookId: string
  readonly type: "email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "campaign.paused" | "campaign.sent" | "webhook.test"
  readonly messageId: string | null
  readonly state: "Pending" | "Succeeded" | "Failed" | "Cancelled"
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  /** Null where the webhook was deleted */
  readonly url: string | null
  /** The body of the request */
  readonly body: string
  /** The attempts, oldest first */
  readonly log: ReadonlyArray<{
    readonly attempt: number
    readonly at: string
    readonly httpStatus: number | null
    readonly error: string | null
    readonly durationMs: number
    /** The beginning of the response's body, up to 1 KB */
    readonly response: string | null
  }>
}

export interface OpenSession {
  readonly id: string
  readonly current: boolean
  readonly network: string
  readonly userAgent: string | null
  readonly createdAt: string
  readonly lastUsedAt: string
  readonly expiresAt: string
}

export interface Order {
  readonly id: string
  readonly storeId: string
  readonly number: string | null
  readonly status: "Pending" | "Paid" | "Completed" | "Cancelled" | "Refunded" | "Failed" | "Draft"
  readonly currency: string
  readonly total: number
  readonly email: string | null
  readonly customerName: string | null
  readonly placedAt: string
  readonly paidAt: string | null
  readonly lineCount: number
}

export interface OrderLine {
  readonly productId: string | null
  readonly name: string
  readonly quantity: number
  /** Price of one unit */
  readonly price: number | null
}

export interface OwnUser {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly language: string | null
  readonly timeZone: string | null
  readonly factors: ReadonlyArray<string>
}

export interface PageTexts {
  readonly language: string
  /** Whether the service has texts in the language; else those that the company lacks are English */
  readonly isBuiltIn: boolean
  readonly texts: ReadonlyArray<{
    readonly key: string
    /** The service's */
    readonly text: string
    /** Placeholder for the sender's name or address */
    readonly placeholder: string | null
    readonly own: string | null
  }>
}

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export interface PasskeyResponse {
  readonly id: string
  readonly rawId: string
  readonly type: string
  readonly response: {
    readonly [key: string]: unknown
  }
  readonly clientExtensionResults?: {
    readonly [key: string]: unknown
  } | null | undefined
  readonly authenticatorAttachment?: string | null | undefined
}

export interface PasskeySetup {
  /** For a call without `passkey`: what the browser needs to make one */
  readonly options: {
    readonly [key: string]: unknown
  } | null
  readonly passkey: Passkey | null
}

export interface PersonalToken {
  readonly id: string
  readonly name: string
  readonly display: string
  /** Null for the rights that the user has at the time of a call */
  readonly rights: ReadonlyArray<string> | null
  readonly accounts: null
  readonly expiresAt: string | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedNetwork: string | null
  readonly revokedAt: string | null
}

export interface Pool {
  readonly key: string
  readonly name: string
  /** The pool that takes mail for which no source of this one may be used */
  readonly overflow: string | null
  readonly sources: number
}

export interface QueuedJob {
  readonly id: string
  readonly accountId: string
  readonly queue: "events" | "runs" | "calls" | "deliveries" | "campaignEmails" | "notifications" | "carts" | "conversions" | "retention" | "domains" | "imports" | "campaigns" | "mail"
  readonly state: "Pending" | "Running" | "Buried"
  readonly attempts: number
  /** When it falls due; of a running job, when its lease ends; of a buried one, when it was buried */
  readonly at: string
  readonly reason: string | null
}

export interface Queues {
  readonly queues: ReadonlyArray<{
    readonly queue: "events" | "runs" | "calls" | "deliveries" | "campaignEmails" | "notifications" | "carts" | "conversions" | "retention" | "domains" | "imports" | "campaigns" | "mail"
    readonly pending: number
    readonly buried: number
    readonly nextRunAt: string | null
  }>
  /** The accounts whose due work has waited longest, ten of each queue */
  readonly waiting: ReadonlyArray<{
    readonly queue: "events" | "runs" | "calls" | "deliveries" | "campaignEmails" | "notifications" | "carts" | "conversions" | "retention" | "domains" | "imports" | "campaigns" | "mail"
    readonly accountId: string
    readonly dueAt: string
  }>
}

export interface ReceivedStoreEvent {
  /** The store's id of the event; a digest where it has none */
  readonly id: string
  /** The name of the event or the topic of the webhook; null for one that an earlier version received */
  readonly name: string | null
  readonly status: "Accepted" | "Failed"
  readonly receivedAt: string
  readonly failure: {
    readonly code: string
    readonly field: string | null
    readonly message: string
  } | null
  readonly isReplayable: boolean
}

export interface RejectedEvent {
  readonly index: number
  readonly reasons: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    /** On the last reason, where further ones are not listed: their number */
    readonly params?: {
      readonly more: number
    } | undefined
  }>
}

export interface Relay {
  readonly id: string
  readonly name: string
  readonly kind: "Smtp" | "AmazonSes" | "Postmark" | "Mailgun" | "SendGrid" | "Brevo" | "Mailjet" | "SparkPost" | "Resend"
  /** With `***` in place of its password */
  readonly url: string
  readonly streams: ReadonlyArray<"Transactional" | "Marketing">
  readonly maxPerSecond: number | null
  readonly dailyLimit: number | null
  /** Whether companies may use it; false for a company's own */
  readonly shared: boolean
  readonly feedback: {
    readonly topicArn?: string | null | undefined
    readonly configurationSet?: string | null | undefined
    readonly publicKey?: string | null | undefined
    /** Whether it is set */
    readonly signingKey?: boolean | undefined
    /** Whether it is set */
    readonly secret?: boolean | undefined
    readonly username?: string | null | undefined
    /** Whether it is set */
    readonly password?: boolean | undefined
  }
  readonly state: "Active" | "Failing"
  readonly stateReason: "relays.unreachable" | "relays.tls_failed" | "relays.login_failed" | "relays.account_refused" | null
  /** Reply of the relay when it failed */
  readonly words: string | null
  /** When it last refused the whole account, as for its quota or a suspension, and what it replied */
  readonly lastRefusal: {
    readonly at: string
    readonly words: string | null
  } | null
  /** URL to which the provider sends its reports; null for the kind Smtp, which has none */
  readonly feedbackUrl: string | null
  readonly lastReportAt: string | null
  /** How much of the latest 200 messages that it accepted more than 24 hours ago it never reported on; null for the kind Smtp, and where there are none of a week */
  readonly unreported: {
    /** From 0 to 1 */
    readonly share: number
    /** Number of messages that were examined */
    readonly messages: number
    /** Whether it is so much that reports are likely not set up as they have to be */
    readonly isHigh: boolean
  } | null
  readonly createdAt: string
}

export interface RelayCheck {
  readonly ok: boolean
  readonly steps: ReadonlyArray<{
    readonly step: "Connect" | "Tls" | "Authenticate"
    readonly ok: boolean
    /** Reply of the relay, or why there was none */
    readonly words: string
    readonly ms: number
  }>
}

export interface SavedView {
  readonly id: string
  readonly name: string
  readonly list: "contacts" | "emails" | "events" | "notifications" | "runs" | "requests" | "orders" | "items" | "suppressions" | "imports" | "jobs" | "campaigns" | "flows" | "templates" | "segments"
  readonly query: {
    readonly filters: {
      readonly [key: string]: unknown
    }
    readonly q: string | null
    readonly sort: string | null
  }
  /** Null for the columns of the list */
  readonly columns: ReadonlyArray<string> | null
  readonly shared: boolean
  readonly createdBy: {
    readonly kind: string
    readonly id: string | null
    readonly name: string | null
  }
  readonly createdAt: string
}

export interface SecretRotation {
  /** Until when links signed before the rotation are accepted */
  readonly linksAcceptedUntil: string
  /** Number of secrets that were encrypted with the previous secret key */
  readonly resealed: number
  /** Number of secrets that neither secret key can decrypt */
  readonly unreadable: number
}

export interface SeenDevice {
  readonly kind: "Phone" | "Tablet" | "Computer" | null
  /** A browser or mail program */
  readonly program: string | null
  /** The family of the operating system */
  readonly system: string | null
  readonly opens: number
  readonly clicks: number
  readonly lastSeenAt: string
}

export interface SegmentDefinition {
  readonly join: string
  readonly rules: ReadonlyArray<{
    readonly fieldKey: string
    readonly operator: string
    readonly value?: unknown | undefined
  }>
}

export interface SegmentDefinition_1 {
  readonly join: string
  readonly rules: ReadonlyArray<{
    readonly fieldKey: string
    readonly operator: string
    readonly value?: unknown | undefined
  }>
}

export interface SegmentFields {
  readonly fields: ReadonlyArray<{
    readonly key: string
    readonly label: string | null
    readonly kind: string
  }>
  readonly operators: {
    readonly [key: string]: ReadonlyArray<{
      readonly operator: string
      readonly takes: string
    }>
  }
}

export interface SegmentReach {
  readonly count: number
  readonly reached: number
  readonly rest: ReadonlyArray<{
    readonly reason: string
    readonly cause: string
    readonly consentStatus: string | null
    readonly count: number
  }>
}

export interface SegmentSize {
  readonly segmentId: string
  /** UTC */
  readonly date: string
  readonly count: number
  readonly sendableCount: number
}

export interface SegmentUsage {
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly status: "Draft" | "Published" | "Paused" | "Archived"
    /** Whether the published version uses it; else only the draft does */
    readonly isPublished: boolean
  }>
  /** Campaigns that use it and have not ended */
  readonly campaigns: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly status: "Draft" | "Scheduled" | "Sending" | "Paused" | "Sent" | "Cancelled"
  }>
}

export interface Session {
  readonly user: OwnUser
  readonly operator: boolean
  readonly memberships: ReadonlyArray<{
    readonly company: {
      readonly id: string
      readonly name: string
    }
    readonly role: string
    readonly liveAccess: boolean
    readonly rights: {
      readonly live: ReadonlyArray<string>
      readonly sandbox: ReadonlyArray<string>
    }
  }>
  readonly needs: "Factor" | null
  readonly confirmedUntil: string
}

export interface Settings {
  readonly autoCreateAttributes: boolean
  readonly tracking: {
    readonly opens: boolean
    readonly clicks: boolean
  }
  readonly flowTracking: {
    readonly opens: boolean
    readonly clicks: boolean
  }
  readonly contactLimit: number | null
  readonly dailySendLimit: number | null
  readonly retentionDays: number
  readonly recipientRetentionDays: number
  readonly defaultSender: {
    readonly email: string
    readonly name: string | null
  } | null
  readonly conversionWindowDays: number
  readonly preserveSigned: boolean
  readonly rateLimitPerMinute: number
  readonly reviewFirst: number
  readonly trapLink: boolean
  readonly standingHolds: boolean
  /** The keys of the pools whose addresses mail leaves from */
  readonly pools: {
    readonly transactional: string
    readonly marketing: string
  }
  readonly requireTls: boolean
  readonly requestLogDays: number
  readonly language: string
  readonly keepErased: boolean
  readonly delivery: {
    readonly transactional: ReadonlyArray<string> | null
    readonly marketing: ReadonlyArray<string> | null
  } | null
  readonly timeZone: string
  readonly timeZoneAttribute: string | null
  readonly quietHours: {
    readonly from: string
    readonly to: string
  } | null
  readonly marketingCaps: ReadonlyArray<{
    readonly emails: number
    readonly days: number
  }>
  readonly holdoutPercent: number
  readonly transactionalReservePercent: number
  readonly campaignTracking: {
    readonly opens: boolean
    readonly clicks: boolean
  }
  readonly campaignLimits: {
    readonly complaintPercent: number | null
    readonly bouncePercent: number | null
    readonly renderFailurePercent: number | null
  }
  readonly campaignApproval: {
    readonly required: boolean
    /** Campaigns for at most this many people need none */
    readonly above: number
  }
  readonly testAddresses: ReadonlyArray<string>
  readonly archive: {
    readonly enabled: boolean
    readonly title: string | null
    readonly description: string | null
    /** URL with which its pages begin */
    readonly url: string
  }
}

export interface SettingsPatch {
  readonly autoCreateAttributes?: boolean | undefined
  readonly tracking?: {
    readonly opens: boolean
    readonly clicks: boolean
  } | undefined
  readonly flowTracking?: {
    readonly opens: boolean
    readonly clicks: boolean
  } | undefined
  readonly contactLimit?: number | null | undefined
  readonly dailySendLimit?: number | null | undefined
  readonly retentionDays?: number | undefined
  readonly recipientRetentionDays?: number | undefined
  readonly defaultSender?: {
    readonly email: string
    readonly name?: string | null | undefined
  } | null | undefined
  readonly conversionWindowDays?: number | undefined
  readonly preserveSigned?: boolean | undefined
  readonly rateLimitPerMinute?: number | undefined
  readonly reviewFirst?: number | undefined
  readonly trapLink?: boolean | undefined
  readonly standingHolds?: boolean | undefined
  /** The keys of the pools whose addresses mail leaves from */
  readonly pools?: {
    readonly transactional: string
    readonly marketing: string
  } | undefined
  readonly requireTls?: boolean | undefined
  readonly requestLogDays?: number | undefined
  readonly language?: string | undefined
  readonly keepErased?: boolean | undefined
  readonly delivery?: {
    readonly transactional?: ReadonlyArray<string> | null | undefined
    readonly marketing?: ReadonlyArray<string> | null | undefined
  } | null | undefined
  readonly timeZone?: string | undefined
  readonly timeZoneAttribute?: string | null | undefined
  readonly quietHours?: {
    readonly from: string
    readonly to: string
  } | null | undefined
  readonly marketingCaps?: ReadonlyArray<{
    readonly emails: number
    readonly days: number
  }> | undefined
  readonly holdoutPercent?: number | undefined
  readonly transactionalReservePercent?: number | undefined
  readonly campaignTracking?: {
    readonly opens: boolean
    readonly clicks: boolean
  } | undefined
  readonly campaignLimits?: {
    readonly complaintPercent: number | null
    readonly bouncePercent: number | null
    readonly renderFailurePercent: number | null
  } | undefined
  readonly campaignApproval?: {
    readonly required: boolean
    /** Campaigns for at most this many people need none */
    readonly above: number
  } | undefined
  readonly testAddresses?: ReadonlyArray<string> | undefined
  readonly archive?: {
    readonly enabled: boolean
    readonly title?: string | null | undefined
    readonly description?: string | null | undefined
    /** Ignored, so that the settings can be sent as they were returned */
    readonly url?: string | undefined
  } | undefined
}

export interface ShapingOverride {
  readonly startWidth?: number | undefined
  readonly maxWidth?: number | undefined
  readonly messagesPerConnection?: number | undefined
  readonly messagesPerSecond?: number | undefined
  readonly connectionsPerMinute?: number | undefined
  readonly idleSeconds?: number | undefined
  readonly tls?: "offered" | "required" | "verified" | undefined
  readonly timeouts?: ShapingTimeouts | undefined
  readonly until?: string | null | undefined
  readonly reason: string
}

export interface ShapingProvider {
  readonly key: string
  readonly name: string
  readonly help: string | null
  /** The rules by name, and where each is from */
  readonly rules: {
    readonly [key: string]: {
      readonly value: number | string | ShapingTimeouts
      readonly from: "Table" | "File" | "Override" | "Learned"
    }
  }
  readonly lanes: number
  readonly held: number
  /** Rejected for the time being, in the last minute */
  readonly deferredPerMinute: number
  /** Accepted, in the last minute */
  readonly deliveredPerMinute: number
  readonly paused: boolean
}

/** Timeouts for servers, in milliseconds */
export interface ShapingTimeouts {
  /** For connecting and the greeting together, and for EHLO and encryption together */
  readonly openMs?: number | undefined
  /** For MAIL, RCPT and DATA together */
  readonly commandMs?: number | undefined
  /** For the reply to the message */
  readonly answerMs?: number | undefined
}

export interface SharedRelay {
  readonly id: string
  readonly name: string
  readonly kind: "Smtp" | "AmazonSes" | "Postmark" | "Mailgun" | "SendGrid" | "Brevo" | "Mailjet" | "SparkPost" | "Resend"
  readonly streams: ReadonlyArray<"Transactional" | "Marketing">
  readonly state: "Active" | "Failing"
}

export interface ShownBrand {
  readonly name: string | null
  readonly logo: string | null
  readonly colors: {
    readonly accent: string | null
    readonly background: string | null
    readonly text: string | null
  }
  readonly postalAddress: string | null
  readonly footer: string | null
  /** URL at which the logo is served; null if there is none */
  readonly logoUrl: string | null
}

export interface SignedIn {
  readonly user: OwnUser | null
  readonly needs: "Code" | "Factor" | null
}

export interface Source {
  readonly id: string
  readonly address: string
  /** Host name in EHLO; null for the mail host name of the installation */
  readonly name: string | null
  readonly pool: string
  readonly state: "Unready" | "Warming" | "Active" | "Paused" | "Retired"
  /** Why it is `Unready` */
  readonly reason: "shaping.source_without_ptr" | "shaping.source_without_node" | null
  /** Whether it sends without a confirmed PTR record */
  readonly force: boolean
  /** The machines that have its address */
  readonly hosts: ReadonlyArray<string>
  readonly ptr: {
    /** The name that the PTR record must have */
    readonly wanted: string
    readonly names: ReadonlyArray<string>
    /** Whether the wanted name is one of them, and leads back to the address */
    readonly confirmed: boolean
    readonly checkedAt: string
  } | null
  /** The sending domains whose SPF record does not let it pass, of accounts whose mail may leave from it; null in lists, and where it was not looked up. At most 500 domains are looked up */
  readonly spfMissing: ReadonlyArray<string> | null
  readonly warmUp: {
    /** The day of the plan */
    readonly day: number
    /** Number of days in the plan */
    readonly days: number
    readonly startedAt: string
    /** When a block, or a month without mail, last moved the plan back */
    readonly movedBackAt: string | null
  } | null
  /** The messages that left since midnight, UTC */
  readonly sentToday: number
  /** The most of them while it is warmed up; transactional mail may exceed it */
  readonly capToday: number | null
  readonly today: ReadonlyArray<{
    /** A group of providers */
    readonly group: string
    readonly cap: number | null
    readonly sent: number
    /** Deferred because of the rate */
    readonly deferred: number
    /** Refused by policy */
    readonly policy: number
    readonly bounced: number
    readonly complained: number
  }>
  readonly createdAt: string
}

export interface Standing {
  readonly state: "Good" | "Notice" | "Held"
  readonly reasons: ReadonlyArray<{
    readonly rate: "complaints" | "observed" | "bounces" | "policy"
    readonly state: "Notice" | "Held"
    readonly provider: string | null
    readonly days: number
    readonly value: number
    readonly threshold: number
  }>
  readonly heldAt: string | null
  /** When the hold ends by itself; null where an operator must lift it */
  readonly heldUntil: string | null
  /** The most marketing emails of this day after a hold; null for no limit */
  readonly rampLimit: number | null
  readonly days: number
  /** The names of the providers that `reasons`, `rates` and `observations` name by their keys */
  readonly providers: ReadonlyArray<{
    readonly key: string
    readonly name: string
  }>
  readonly thresholds: ReadonlyArray<{
    readonly rate: "complaints" | "observed" | "bounces" | "policy"
    readonly notice: number
    readonly held: number
  }>
  readonly rates: ReadonlyArray<{
    readonly provider: string
    readonly domain: string
    readonly stream: "Transactional" | "Marketing"
    readonly handed: number
    readonly delivered: number
    readonly policy: number
    readonly bounced: number
    readonly complained: number
    readonly deferred: number
    readonly mailboxFull: number
    readonly unsubscribed: number
    /** Emails that a person opened, as far as is known */
    readonly openedHuman: number
    /** Emails that machines alone opened */
    readonly openedMachine: number
    readonly clickedHuman: number
    readonly clickedMachine: number
    readonly bounceRate: number | null
    readonly policyRate: number | null
    /** Null where no complaint was reported */
    readonly complaintRate: number | null
    readonly unsubscribeRate: number | null
    /** Share of delivered emails that a person opened */
    readonly openRate: number | null
    readonly clickRate: number | null
    /** The days of the last 30 that have counts, the oldest first; also where `days` is less */
    readonly history: ReadonlyArray<{
      readonly day: string
      readonly handed: number
      readonly delivered: number
      readonly policy: number
      readonly bounced: number
      readonly complained: number
    }>
  }>
  /** The counts of all providers and domains by the address emails left from */
  readonly sources: ReadonlyArray<{
    /** The address that emails left from; null where the system chose it, and for those through a relay */
    readonly source: string | null
    readonly handed: number
    readonly delivered: number
    readonly policy: number
    readonly bounced: number
    readonly complained: number
    readonly deferred: number
    readonly mailboxFull: number
    readonly unsubscribed: number
    /** Emails that a person opened, as far as is known */
    readonly openedHuman: number
    /** Emails that machines alone opened */
    readonly openedMachine: number
    readonly clickedHuman: number
    readonly clickedMachine: number
    readonly bounceRate: number | null
    readonly policyRate: number | null
    /** Null where no complaint was reported */
    readonly complaintRate: number | null
    readonly unsubscribeRate: number | null
    /** Share of delivered emails that a person opened */
    readonly openRate: number | null
    readonly clickRate: number | null
  }>
  readonly observations: ReadonlyArray<{
    readonly provider: string
    readonly domain: string
    readonly day: string
    readonly spamRate: number
  }>
}

export interface Store {
  readonly id: string
  readonly platform: "Custom" | "Shopify" | "WooCommerce"
  readonly name: string
  readonly domain: string
  readonly consentMode: "Explicit" | "Notice" | "OwnConsent" | "None"
  readonly currency: string | null
  readonly display: string
  readonly status: "Connected" | "Disconnected"
  readonly connectedAt: string
  readonly disconnectedAt: string | null
  /** When its newest event was accepted, of those of the last 30 days */
  readonly lastEventAt: string | null
  /** Number of stored events of the store that were not accepted */
  readonly failedEvents: number
}

export interface StoredOrder {
  readonly id: string
  readonly storeId: string
  readonly number: string | null
  readonly status: "Pending" | "Paid" | "Completed" | "Cancelled" | "Refunded" | "Failed" | "Draft"
  readonly currency: string
  readonly total: number
  readonly email: string | null
  readonly customerName: string | null
  readonly placedAt: string
  readonly paidAt: string | null
  readonly lineCount: number
  /** The platform's id of the order */
  readonly externalId: string
  readonly contactId: string | null
  /** Its first 50 lines; none of an order that an earlier version stored */
  readonly lines: ReadonlyArray<OrderLine>
  /** Events of the order on the timeline of its contact */
  readonly reached: ReadonlyArray<string>
}

export interface Suppression {
  readonly email: string
  readonly kind: "Bounced" | "Complained" | "Protected"
  /** Who suppressed the address; null for older entries, for which this was not stored */
  readonly source: "Report" | "Ui" | "Import" | null
  readonly createdAt: string
}

export interface Template {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly subject: string
  readonly format: "Html" | "Mjml" | "Blocks"
  /** The MJML of the format Mjml, the document of the format Blocks as JSON; null for Html */
  readonly source: string | null
  readonly preheader: string | null
  /** For the formats Mjml and Blocks: the HTML compiled from `source` */
  readonly html: string | null
  readonly text: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Null where an earlier version of the service kept no name */
  readonly updatedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
}

export interface TemplatePreview {
  readonly subject: string | null
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
  /** For a draft of the format Blocks: the MJML generated from it */
  readonly mjml: string | null
  readonly problems: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    readonly message: string
    readonly params: {
      readonly [key: string]: number
    } | null
  }>
  /** Problems that a spam filter would report, with the names of SpamAssassin's rules, and problems for readers */
  readonly findings: ReadonlyArray<{
    readonly rule: string
    readonly field: "subject" | "html" | "text"
    readonly message: string
  }>
  /** Shows the html in a frame to the same session or token, for 10 minutes */
  readonly frameUrl: string | null
}

export interface TemplateStarter {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly subject: string
  readonly preheader: string | null
  readonly format: "Html" | "Mjml" | "Blocks"
  readonly source: string | null
  readonly text: string | null
  /** Variables with which it shows what it is for */
  readonly sample: {
    readonly [key: string]: unknown
  }
}

export interface TemplateUsage {
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly status: "Draft" | "Published" | "Paused" | "Archived"
    /** Whether the published version uses it; else only the draft does */
    readonly isPublished: boolean
  }>
  /** Campaigns that use it and have not ended */
  readonly campaigns: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly status: "Draft" | "Scheduled" | "Sending" | "Paused" | "Sent" | "Cancelled"
  }>
  readonly lastUsedAt: string | null
}

export interface TemplateVersion {
  readonly version: number
  readonly name: string
  readonly subject: string
  readonly format: "Html" | "Mjml" | "Blocks"
  /** The MJML of the format Mjml, the document of the format Blocks as JSON; null for Html */
  readonly source: string | null
  readonly preheader: string | null
  /** For the formats Mjml and Blocks: the HTML compiled from `source` */
  readonly html: string | null
  readonly text: string | null
  readonly savedAt: string
  readonly savedBy: {
    readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
    readonly id: string | null
    readonly name: string | null
  } | null
}

export interface TimelineEntry {
  readonly name: string
  readonly occurredAt: string
  readonly properties: {
    readonly [key: string]: unknown
  }
  readonly source: string
}

export interface TlsCount {
  /** The day in UTC, `YYYY-MM-DD` */
  readonly day: string
  readonly domain: string
  readonly policy: "tlsa" | "sts" | "no-policy-found"
  readonly result: "success" | "starttls-not-supported" | "certificate-host-mismatch" | "certificate-expired" | "certificate-not-trusted" | "validation-failure" | "tlsa-invalid" | "dnssec-invalid" | "sts-policy-fetch-error" | "sts-policy-invalid" | "sts-webpki-invalid" | "dane-required"
  /** The mail server; null where it is not known */
  readonly host: string | null
  readonly sessions: number
}

export interface Token {
  readonly id: string
  readonly name: string
  readonly display: string
  readonly rights: ReadonlyArray<string>
  readonly accounts: "Live" | "Sandbox" | "Both" | null
  readonly expiresAt: string | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedNetwork: string | null
  readonly revokedAt: string | null
}

export interface TotpSetup {
  readonly secret: string | null
  readonly url: string | null
  /** The URL as a QR code, SVG */
  readonly qr: string | null
  readonly recoveryCodes: ReadonlyArray<string> | null
}

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly operator: boolean
  readonly status: "Invited" | "Active" | "Disabled"
  readonly factors: ReadonlyArray<string>
  readonly lastSeenAt: string | null
  readonly createdAt: string
}

export interface Visit {
  readonly at: string
  readonly kind: "Open" | "Click"
  readonly link: string | null
  readonly method: string
  readonly network: string | null
  readonly agent: "None" | "Machine" | "AppleProxy" | "GoogleProxy" | "YahooProxy" | "Browser" | "OldBrowser" | "Other"
  readonly verdict: "Human" | "Machine" | "Unknown"
  readonly rule: string
}

export interface VisitCounts {
  readonly Human: number
  readonly Machine: number
  readonly Unknown: number
}

export interface Visitors {
  readonly human: number
  readonly unknown: number
  readonly machine: number
}

export interface WaitingDevice {
  readonly deviceCode: string
  /** For the user to type at `verificationUrl` */
  readonly userCode: string
  readonly verificationUrl: string
  /** Seconds */
  readonly expiresIn: number
  /** Seconds between two calls of `/device/token` */
  readonly interval: number
}

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: ReadonlyArray<"email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "campaign.paused" | "campaign.sent" | "webhook.test">
  readonly fields: ReadonlyArray<"visitor">
  readonly description: string | null
  readonly status: "Active" | "Stopped"
  readonly stoppedReason: string | null
  readonly failuresInARow: number
}

export interface WebhookDelivery {
  readonly notificationId: string
  readonly type: "email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "campaign.paused" | "campaign.sent" | "webhook.test"
  readonly attempt: number
  readonly at: string
  readonly httpStatus: number | null
  readonly error: string | null
  readonly durationMs: number | null
  readonly nextAttemptAt: string | null
  readonly state: "Pending" | "Succeeded" | "Failed" | "Cancelled"
}

export interface Welcome {
  readonly kind: "Invitation" | "FirstStart" | "Reset"
  readonly email: string | null
  readonly name: string | null
  readonly company: {
    readonly id: string
    readonly name: string
  } | null
}

/** The calls of the API, by resource. */
export interface ManagementClient {
  readonly companies: {
    /** Call (POST /manage/v1/companies) */
    readonly create: (body: {
      readonly name: string
    }, options?: CallOptions) => Promise<Company>
    /** Call (GET /manage/v1/companies) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | "name" | "-name" | "volume" | "-volume" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Active" | "Deleted"> | undefined
      /** The beginning of the name */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ListedCompany>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/companies/:companyId) */
    readonly get: (companyId: string, options?: CallOptions) => Promise<CompanyDetails>
    /** Call (PATCH /manage/v1/companies/:companyId) */
    readonly change: (companyId: string, body: {
      readonly name?: string | undefined
      readonly requireTwoFactors?: boolean | undefined
      readonly auditRetentionDays?: number | undefined
    }, options?: CallOptions) => Promise<CompanyDetails>
    /** Call (DELETE /manage/v1/companies/:companyId) */
    readonly remove: (companyId: string, options?: CallOptions) => Promise<CompanyDetails>
    /** Call (POST /manage/v1/companies/:companyId/restore) */
    readonly restore: (companyId: string, options?: CallOptions) => Promise<CompanyDetails>
    /** Call (GET /manage/v1/companies/:companyId/brand) */
    readonly brand: (companyId: string, options?: CallOptions) => Promise<ShownBrand>
    /** Call (PUT /manage/v1/companies/:companyId/brand) */
    readonly setBrand: (companyId: string, body: {
      readonly name?: string | null | undefined
      readonly logo?: string | null | undefined
      readonly colors?: {
        readonly accent?: string | null | undefined
        readonly background?: string | null | undefined
        readonly text?: string | null | undefined
      } | null | undefined
      readonly postalAddress?: string | null | undefined
      readonly footer?: string | null | undefined
    }, options?: CallOptions) => Promise<ShownBrand>
    /** The texts of hosted pages and of confirmation emails, by language (GET /manage/v1/companies/:companyId/page-texts) */
    readonly pageTexts: (companyId: string, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<PageTexts>
    }>
    /** Replace the company's own texts of a language; {} restores the service's (PUT /manage/v1/companies/:companyId/page-texts/:language) */
    readonly setPageTexts: (companyId: string, language: string, body: {
      readonly texts: {
        readonly [key: string]: string | null
      }
    }, options?: CallOptions) => Promise<PageTexts>
    /** Call (POST /manage/v1/companies/:companyId/access) */
    readonly openAccess: (companyId: string, body: {
      readonly reason: string
      readonly hours: number
    }, options?: CallOptions) => Promise<{
      readonly until: string
    }>
    /** Call (DELETE /manage/v1/companies/:companyId/access) */
    readonly closeAccess: (companyId: string, options?: CallOptions) => Promise<null>
  }
  readonly accounts: {
    /** Call (GET /manage/v1/accounts/:accountId) */
    readonly get: (accountId: string, options?: CallOptions) => Promise<Account>
    /** Call (PATCH /manage/v1/accounts/:accountId/settings) */
    readonly changeSettings: (accountId: string, body: SettingsPatch, options?: ConditionalCallOptions) => Promise<Settings>
  }
  /** Audit log */
  readonly audit: {
    /** Call (GET /manage/v1/accounts/:accountId/audit-log) */
    readonly account: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Kind of the actor; several values are separated by commas */
      readonly actorKind?: ReadonlyArray<"User" | "Token" | "ApiKey" | "Cli" | "System"> | undefined
      /** Id of the actor: a user, a token or a key; several values are separated by commas */
      readonly actor?: ReadonlyArray<string> | undefined
      /** An action such as `api_key.revoked`, or its first part; several values are separated by commas */
      readonly action?: ReadonlyArray<string> | undefined
      /** Id of what was changed; several values are separated by commas */
      readonly target?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly outcome?: ReadonlyArray<"Done" | "Refused"> | undefined
      /** IPv4 address or IPv6 /64 of the caller; several values are separated by commas */
      readonly network?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<AuditEntry>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/companies/:companyId/audit-log) */
    readonly company: (companyId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Kind of the actor; several values are separated by commas */
      readonly actorKind?: ReadonlyArray<"User" | "Token" | "ApiKey" | "Cli" | "System"> | undefined
      /** Id of the actor: a user, a token or a key; several values are separated by commas */
      readonly actor?: ReadonlyArray<string> | undefined
      /** An action such as `api_key.revoked`, or its first part; several values are separated by commas */
      readonly action?: ReadonlyArray<string> | undefined
      /** Id of what was changed; several values are separated by commas */
      readonly target?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly outcome?: ReadonlyArray<"Done" | "Refused"> | undefined
      /** IPv4 address or IPv6 /64 of the caller; several values are separated by commas */
      readonly network?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<AuditEntry>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/audit-log) */
    readonly installation: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Kind of the actor; several values are separated by commas */
      readonly actorKind?: ReadonlyArray<"User" | "Token" | "ApiKey" | "Cli" | "System"> | undefined
      /** Id of the actor: a user, a token or a key; several values are separated by commas */
      readonly actor?: ReadonlyArray<string> | undefined
      /** An action such as `api_key.revoked`, or its first part; several values are separated by commas */
      readonly action?: ReadonlyArray<string> | undefined
      /** Id of what was changed; several values are separated by commas */
      readonly target?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly outcome?: ReadonlyArray<"Done" | "Refused"> | undefined
      /** IPv4 address or IPv6 /64 of the caller; several values are separated by commas */
      readonly network?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<AuditEntry>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
  }
  readonly stats: {
    /** Count by day, or count emails by hour or day and what sent or received them (GET /manage/v1/accounts/:accountId/stats) */
    readonly daily: (accountId: string, query?: {
      readonly days?: number | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Day by default; at most 366 days or 168 hours */
      readonly unit?: "Hour" | "Day" | undefined
      /** Counts emails by this, not by day alone; required with `since`, `until` and `unit` */
      readonly by?: "Source" | "Domain" | "Provider" | "Flow" | "Campaign" | "Template" | "Tag" | undefined
    }, options?: CallOptions) => Promise<{
      readonly days: number
      readonly items: ReadonlyArray<DayStats>
    } | {
      readonly items: ReadonlyArray<KeyStats>
    }>
  }
  /** Requests and usage */
  readonly requests: {
    /** List the calls of the public API (GET /manage/v1/accounts/:accountId/requests) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly keyId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly method?: ReadonlyArray<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"> | undefined
      /** The template, such as `/api/v1/contacts/:reference`; several values are separated by commas */
      readonly route?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<number> | undefined
      /** Several values are separated by commas */
      readonly code?: ReadonlyArray<string> | undefined
      /** A whole request id */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<LoggedRequest>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Show what the account uses of its limits (GET /manage/v1/accounts/:accountId/usage) */
    readonly usage: (accountId: string, options?: CallOptions) => Promise<{
      readonly contacts: number
      readonly emailsToday: number
      readonly limits: {
        readonly contactLimit: number | null
        readonly dailySendLimit: number | null
        readonly rateLimitPerMinute: number
      }
    }>
  }
  readonly search: {
    /** Find anything that the caller may list, the first five of each kind (GET /manage/v1/accounts/:accountId/search) */
    readonly find: (accountId: string, query: {
      /** An id, a Message-ID, an address, an order's number, or a part of a name */
      readonly q: string
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<{
        readonly kind: "Contact" | "Email" | "Campaign" | "Flow" | "Template" | "Segment" | "Domain" | "Webhook" | "ApiKey" | "Order" | "Item" | "Event"
        readonly id: string
        readonly title: string
        readonly detail: string | null
      }>
    }>
  }
  /** API keys */
  readonly apiKeys: {
    /** Call (POST /manage/v1/accounts/:accountId/api-keys) */
    readonly create: (accountId: string, body: {
      readonly name: string
      readonly permissions: ReadonlyArray<string>
      readonly expiresInDays: number | null
    }, options?: CallOptions) => Promise<IssuedApiKey>
    /** Call (GET /manage/v1/accounts/:accountId/api-keys) */
    readonly list: (accountId: string, options?: CallOptions) => Promise<ReadonlyArray<ApiKey>>
    /** Call (DELETE /manage/v1/accounts/:accountId/api-keys/:id) */
    readonly revoke: (accountId: string, id: string, options?: CallOptions) => Promise<null>
  }
  readonly domains: {
    /** Call (POST /manage/v1/accounts/:accountId/domains) */
    readonly add: (accountId: string, body: {
      readonly domain: string
    }, options?: CallOptions) => Promise<Domain>
    /** Call (GET /manage/v1/accounts/:accountId/domains) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Domain>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (POST /manage/v1/accounts/:accountId/domains/:id/verify) */
    readonly verify: (accountId: string, id: string, options?: CallOptions) => Promise<Domain>
    /** Create new DKIM keys; they sign once their records are found (POST /manage/v1/accounts/:accountId/domains/:id/rotate-dkim) */
    readonly rotateDkim: (accountId: string, id: string, options?: CallOptions) => Promise<Domain>
    /** Check a sending domain as large providers do (GET /manage/v1/accounts/:accountId/alignment) */
    readonly alignment: (accountId: string, query: {
      /** A sending domain of the account */
      readonly domain: string
    }, options?: CallOptions) => Promise<ReadonlyArray<AlignmentCheck>>
    /** Call (DELETE /manage/v1/accounts/:accountId/domains/:id) */
    readonly remove: (accountId: string, id: string, options?: CallOptions) => Promise<null>
  }
  readonly mailReports: {
    /** What DMARC reports count for the account's domains, by day and network (GET /manage/v1/accounts/:accountId/reports/dmarc) */
    readonly dmarc: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Only for this domain */
      readonly domain?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<DmarcCount>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** What TLS reports count for the return paths of the account's domains, by day (GET /manage/v1/accounts/:accountId/reports/tls) */
    readonly tls: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Only for this domain */
      readonly domain?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<TlsCount>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
  }
  readonly suppressions: {
    /** Call (POST /manage/v1/accounts/:accountId/suppressions) */
    readonly add: (accountId: string, body: {
      readonly email: string
      readonly kind: "Bounced" | "Complained" | "Protected"
    }, options?: CallOptions) => Promise<Suppression>
    /** Call (GET /manage/v1/accounts/:accountId/suppressions) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly kind?: ReadonlyArray<"Bounced" | "Complained" | "Protected"> | undefined
      /** Who suppressed it; several values are separated by commas */
      readonly source?: ReadonlyArray<"Report" | "Ui" | "Import"> | undefined
      /** An address, or the beginning of one */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Suppression>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/accounts/:accountId/suppressions/:email) */
    readonly remove: (accountId: string, email: string, options?: CallOptions) => Promise<null>
  }
  readonly emails: {
    /** Call (GET /manage/v1/accounts/:accountId/emails) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Status of a recipient; several values are separated by commas */
      readonly status?: ReadonlyArray<"Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"> | undefined
      /** Reason of a recipient's status; several values are separated by commas */
      readonly reason?: ReadonlyArray<"sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.no_verified_sender" | "sending.scheduled" | "sending.daily_cap" | "sending.retrying" | "sending.tls_required" | "sending.provider_held" | "sending.sender_held" | "sending.relay_unavailable" | "sending.warming_up" | "sending.refused" | "sending.mailbox_full" | "sending.retries_exhausted" | "sending.held_too_long" | "sending.given_up" | "sending.outcome_unknown" | "sending.campaign_paused" | "sending.relay_suppressed" | "sending.cancelled" | "sending.in_review" | "sending.review_refused" | "sending.standing_held"> | undefined
      /** Address of a recipient; several values are separated by commas */
      readonly to?: ReadonlyArray<string> | undefined
      /** Domain of a recipient's address; several values are separated by commas */
      readonly domain?: ReadonlyArray<string> | undefined
      /** Key of the provider whose servers were last tried; several values are separated by commas */
      readonly provider?: ReadonlyArray<string> | undefined
      /** Address of the sender, where the email named one; several values are separated by commas */
      readonly from?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly flowId?: ReadonlyArray<string> | undefined
      /** A campaign; several values are separated by commas */
      readonly campaignId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly templateId?: ReadonlyArray<string> | undefined
      /** The API key that sent it; several values are separated by commas */
      readonly keyId?: ReadonlyArray<string> | undefined
      /** What sent it; several values are separated by commas */
      readonly source?: ReadonlyArray<"Api" | "Smtp" | "Flow" | "Campaign" | "System"> | undefined
      /** Who opened it; None where none did; several values are separated by commas */
      readonly opened?: ReadonlyArray<"Human" | "Unknown" | "Machine" | "None"> | undefined
      /** Who clicked a link; None where none did; several values are separated by commas */
      readonly clicked?: ReadonlyArray<"Human" | "Unknown" | "Machine" | "None"> | undefined
      /** A contact of one of the recipients' addresses, also of one it had before; several values are separated by commas */
      readonly contactId?: ReadonlyArray<string> | undefined
      /** A tag with its value, `name=value`; several values are separated by commas */
      readonly tag?: ReadonlyArray<string> | undefined
      /** The beginning of the subject, of a recipient's address or of the idempotency key; or the id of the email or of the message to a recipient */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ListedEmail>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Read an email with its delivery attempts (GET /manage/v1/accounts/:accountId/emails/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<EmailDetail>
    /** Cancel what is still queued of an email (POST /manage/v1/accounts/:accountId/emails/:id/cancel) */
    readonly cancel: (accountId: string, id: string, options?: CallOptions) => Promise<EmailSubmission>
    /** Send what is held of an email for review (POST /manage/v1/accounts/:accountId/emails/:id/release) */
    readonly release: (accountId: string, id: string, options?: CallOptions) => Promise<EmailSubmission>
    /** Refuse what is held of an email for review (POST /manage/v1/accounts/:accountId/emails/:id/refuse) */
    readonly refuse: (accountId: string, id: string, options?: CallOptions) => Promise<EmailSubmission>
    /** Call (GET /manage/v1/accounts/:accountId/inbox) */
    readonly inbox: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<InboxMessage>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/inbox/:id) */
    readonly inboxMessage: (accountId: string, id: string, options?: CallOptions) => Promise<InboxMessage>
  }
  readonly emailContent: {
    /** Read the content of an email, until retention erases it (GET /manage/v1/accounts/:accountId/emails/:id/content) */
    readonly content: (accountId: string, id: string, options?: CallOptions) => Promise<EmailContent>
    /** Send an email again to its recipients, as a new email (POST /manage/v1/accounts/:accountId/emails/:id/resend) */
    readonly resend: (accountId: string, id: string, options?: CallOptions) => Promise<EmailSubmission>
    /** Simulate what happens to a message of the sandbox inbox (POST /manage/v1/accounts/:accountId/inbox/:id/simulate) */
    readonly simulate: (accountId: string, id: string, body: {
      readonly kind: string
    }, options?: CallOptions) => Promise<EmailSubmission>
  }
  readonly standing: {
    /** Read how receiving servers and people take an account's mail (GET /manage/v1/accounts/:accountId/standing) */
    readonly get: (accountId: string, query?: {
      readonly days?: number | undefined
    }, options?: CallOptions) => Promise<Standing>
    /** List what holds an account's mail at its recipients' providers (GET /manage/v1/accounts/:accountId/notices) */
    readonly notices: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Open" | "Resolved"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<AccountNotice>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Let the marketing of an account go that is held (POST /manage/v1/accounts/:accountId/standing/lift) */
    readonly lift: (accountId: string, body: {
      readonly reason: string
    }, options?: CallOptions) => Promise<Standing>
    /** Enter rates of complaints that a provider shows to the owner of a domain (POST /manage/v1/accounts/:accountId/standing/observations) */
    readonly observe: (accountId: string, body: ReadonlyArray<{
      readonly provider: string
      readonly domain: string
      readonly day: string
      readonly spamRate: number
      /** Whether it replaces another rate of that day */
      readonly replace?: boolean | undefined
    }>, options?: CallOptions) => Promise<ReadonlyArray<{
      readonly provider: string
      readonly domain: string
      readonly day: string
      readonly spamRate: number
    }>>
  }
  readonly people: {
    /** List contacts (GET /manage/v1/accounts/:accountId/contacts) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -added by default */
      readonly sort?: "added" | "-added" | "lastActivity" | "-lastActivity" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** In this segment; at most 8; several values are separated by commas */
      readonly segment?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly consentStatus?: ReadonlyArray<"Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation"> | undefined
      /** Has the topic of this key, or has it not, with `!` before the key; several values are separated by commas */
      readonly topic?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly tag?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly storeId?: ReadonlyArray<string> | undefined
      /** Origin of the consent; several values are separated by commas */
      readonly source?: ReadonlyArray<"Api" | "FlowTrigger" | "Import" | "Store" | "UnsubscribeLink" | "DoubleOptIn" | "Bounce" | "Complaint" | "Ui" | "Relay"> | undefined
      /** Several values are separated by commas */
      readonly country?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly language?: ReadonlyArray<string> | undefined
      /** Was sent an email at this time or later */
      readonly lastEmailedSince?: string | undefined
      /** Opened an email at this time or later */
      readonly lastOpenSince?: string | undefined
      /** Clicked a link at this time or later */
      readonly lastClickSince?: string | undefined
      /** Whether the address is suppressed; several values are separated by commas */
      readonly suppressed?: ReadonlyArray<"true" | "false"> | undefined
      /** In address, name, external id and phone: the beginning of a word, from 3 characters on any part of it */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Contact>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/contacts/:id/consent-history) */
    readonly consentHistory: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ConsentEntry>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/contacts/:id/timeline) */
    readonly timeline: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<TimelineEntry>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the devices from which a contact opened and clicked (GET /manage/v1/accounts/:accountId/contacts/:id/devices) */
    readonly devices: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<SeenDevice>
    }>
    /** List the topics, and whether a contact has them on or off (GET /manage/v1/accounts/:accountId/contacts/:id/topics) */
    readonly topics: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ContactTopic>
    }>
    /** Start double opt-in; returns the path of the confirmation page (POST /manage/v1/accounts/:accountId/contacts/:id/double-opt-in) */
    readonly askToConfirm: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly consentStatus: "Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation"
      readonly confirm: string
    }>
    /** Start double opt-in and send the person an email that asks to confirm, in their language and the company's brand (POST /manage/v1/accounts/:accountId/contacts/:id/double-opt-in/email) */
    readonly sendConfirmation: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly consentStatus: "Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation"
      /** Null where the consent waits for no confirmation, and no email was sent */
      readonly emailId: string | null
    }>
    /** Create links to a contact's hosted pages, as paths from the base URL (POST /manage/v1/accounts/:accountId/contacts/:id/links) */
    readonly links: (accountId: string, id: string, options?: CallOptions) => Promise<ContactLinks>
    /** Erase up to 1,000 contacts by their ids; those unknown or erased are skipped (POST /manage/v1/accounts/:accountId/erasures) */
    readonly erase: (accountId: string, body: {
      readonly contactIds: ReadonlyArray<string>
    }, options?: CallOptions) => Promise<{
      readonly erased: number
    }>
  }
  readonly managedContacts: {
    /** Create or update a contact; `consent` and `topics` need the right consent:write (POST /manage/v1/accounts/:accountId/contacts) */
    readonly write: (accountId: string, body: ContactWrite, options?: CallOptions) => Promise<{
      readonly contact: Contact
      readonly created: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/contacts/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Contact>
    /** Change a contact; `consent` and `topics` need the right consent:write (PATCH /manage/v1/accounts/:accountId/contacts/:id) */
    readonly change: (accountId: string, id: string, body: ContactPatch, options?: CallOptions) => Promise<Contact>
    /** Erase a contact (DELETE /manage/v1/accounts/:accountId/contacts/:id) */
    readonly erase: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly id: string
    }>
    /** Create a contact field (POST /manage/v1/accounts/:accountId/contact-attributes) */
    readonly createField: (accountId: string, body: {
      readonly key: string
      readonly label?: string | null | undefined
      readonly type?: string | null | undefined
      readonly description?: string | null | undefined
    }, options?: CallOptions) => Promise<ContactField>
    /** List contact fields (GET /manage/v1/accounts/:accountId/contact-attributes) */
    readonly listFields: (accountId: string, options?: CallOptions) => Promise<ReadonlyArray<ContactField>>
    /** Change a contact field (PATCH /manage/v1/accounts/:accountId/contact-attributes/:key) */
    readonly updateField: (accountId: string, key: string, body: {
      readonly label?: string | null | undefined
      readonly description?: string | null | undefined
      readonly archived?: boolean | null | undefined
    }, options?: CallOptions) => Promise<ContactField>
  }
  readonly explain: {
    /** Explain why a person did or did not get an email, those of a flow, or a campaign; exactly one is given (GET /manage/v1/accounts/:accountId/explain) */
    readonly get: (accountId: string, query: {
      /** The contact's id, `ext:<your user id>` or `email:<address>` */
      readonly contact: string
      readonly email?: string | undefined
      readonly flow?: string | undefined
      readonly campaign?: string | undefined
    }, options?: CallOptions) => Promise<Explanation>
  }
  readonly jobs: {
    /** Start a job on many contacts; consent, exports and erasure need their rights as well (POST /manage/v1/accounts/:accountId/contacts/bulk) */
    readonly start: (accountId: string, body: {
      readonly ids?: ReadonlyArray<string> | undefined
      /** Filters of the list of contacts by their names; `{}` for all contacts */
      readonly filter?: {
        readonly [key: string]: unknown
      } | undefined
      readonly action: {
        readonly kind: string
        /** SetTopic: the topic's key */
        readonly topic?: string | undefined
        readonly on?: boolean | undefined
        /** AddTag, RemoveTag */
        readonly tag?: string | undefined
        /** Export */
        readonly format?: string | undefined
      }
    }, options?: CallOptions) => Promise<Job>
    /** List the jobs that people started (GET /manage/v1/accounts/:accountId/jobs) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Queued" | "Running" | "Done" | "Failed" | "Cancelled"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Job>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the jobs that export (GET /manage/v1/accounts/:accountId/exports) */
    readonly exports: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Queued" | "Running" | "Done" | "Failed" | "Cancelled"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Job>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/jobs/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Job>
    /** Cancel a job; what it did remains (DELETE /manage/v1/accounts/:accountId/jobs/:id) */
    readonly cancel: (accountId: string, id: string, options?: CallOptions) => Promise<Job>
  }
  readonly views: {
    /** List one's own views and the shared ones (GET /manage/v1/accounts/:accountId/views) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** Several values are separated by commas */
      readonly list?: ReadonlyArray<"contacts" | "emails" | "events" | "notifications" | "runs" | "requests" | "orders" | "items" | "suppressions" | "imports" | "jobs" | "campaigns" | "flows" | "templates" | "segments"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<SavedView>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Save a view of a list (POST /manage/v1/accounts/:accountId/views) */
    readonly create: (accountId: string, body: {
      readonly name: string
      readonly list: string
      readonly query?: {
        readonly filters?: {
          readonly [key: string]: unknown
        } | null | undefined
        readonly q?: string | null | undefined
        readonly sort?: string | null | undefined
      } | undefined
      readonly columns?: ReadonlyArray<string> | null | undefined
      readonly shared?: boolean | undefined
    }, options?: CallOptions) => Promise<SavedView>
    /** Change a view; one that another shares needs the right company:write (PATCH /manage/v1/accounts/:accountId/views/:id) */
    readonly change: (accountId: string, id: string, body: {
      readonly name?: string | undefined
      readonly query?: {
        readonly filters?: {
          readonly [key: string]: unknown
        } | null | undefined
        readonly q?: string | null | undefined
        readonly sort?: string | null | undefined
      } | undefined
      readonly columns?: ReadonlyArray<string> | null | undefined
      readonly shared?: boolean | undefined
    }, options?: CallOptions) => Promise<SavedView>
    /** Delete a view; one that another shares needs the right company:write (DELETE /manage/v1/accounts/:accountId/views/:id) */
    readonly remove: (accountId: string, id: string, options?: CallOptions) => Promise<null>
  }
  /** Imports */
  readonly imports: {
    /** Call (GET /manage/v1/accounts/:accountId/imports) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Uploading" | "Queued" | "Running" | "Completed" | "Failed" | "Cancelled"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Import>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/imports/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Import>
    /** Cancel an import; rows written stay (DELETE /manage/v1/accounts/:accountId/imports/:id) */
    readonly cancel: (accountId: string, id: string, options?: CallOptions) => Promise<Import>
  }
  /** Events */
  readonly managedEvents: {
    /** Call (GET /manage/v1/accounts/:accountId/events) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly name?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Accepted" | "Processed" | "Failed"> | undefined
      /** Who reported it; several values are separated by commas */
      readonly source?: ReadonlyArray<"Api" | "Ui"> | undefined
      /** On the timeline of this contact; several values are separated by commas */
      readonly contactId?: ReadonlyArray<string> | undefined
      /** The id of an event, the customer's or the service's, or the code of a failure */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Event>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Report an event (POST /manage/v1/accounts/:accountId/events) */
    readonly accept: (accountId: string, body: EventWrite, options?: CallOptions) => Promise<EventsReport>
  }
  /** Segments */
  readonly managedSegments: {
    /** Call (POST /manage/v1/accounts/:accountId/segments) */
    readonly create: (accountId: string, body: {
      readonly name: string
      readonly description?: string | null | undefined
      readonly definition: SegmentDefinition
    }, options?: CallOptions) => Promise<ManagedSegment>
    /** Call (POST /manage/v1/accounts/:accountId/segments/preview) */
    readonly preview: (accountId: string, body: {
      readonly definition: SegmentDefinition
    }, options?: CallOptions) => Promise<{
      readonly count: number
      readonly sendableCount: number
      readonly sample: ReadonlyArray<Contact>
    }>
    /** Who of a segment's people would get a marketing email, and why not the others (POST /manage/v1/accounts/:accountId/segments/reach) */
    readonly reach: (accountId: string, body: {
      readonly definition: SegmentDefinition
      readonly topic?: string | null | undefined
    }, options?: CallOptions) => Promise<SegmentReach>
    /** The fields that rules can name, and the operators of each kind of field (GET /manage/v1/accounts/:accountId/segments/fields) */
    readonly fields: (accountId: string, options?: CallOptions) => Promise<SegmentFields>
    /** Values that a field has, the most frequent first (GET /manage/v1/accounts/:accountId/segments/values) */
    readonly values: (accountId: string, query: {
      /** The key of a field, or `events` for the names of events */
      readonly field: string
      /** A part of the value, in any case */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<ReadonlyArray<string>>
    /** Say how many contacts segments had on each day, oldest first (GET /manage/v1/accounts/:accountId/segments/sizes) */
    readonly sizes: (accountId: string, query?: {
      readonly days?: number | undefined
      /** The id of one; all by default */
      readonly segment?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly days: number
      readonly items: ReadonlyArray<SegmentSize>
    }>
    /** Call (GET /manage/v1/accounts/:accountId/segments) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ManagedSegment>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/segments/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<ManagedSegment>
    /** Say where a segment is used (GET /manage/v1/accounts/:accountId/segments/:id/usage) */
    readonly usage: (accountId: string, id: string, options?: CallOptions) => Promise<SegmentUsage>
    /** Call (PATCH /manage/v1/accounts/:accountId/segments/:id) */
    readonly update: (accountId: string, id: string, body: {
      readonly name?: string | undefined
      readonly description?: string | null | undefined
      readonly definition?: SegmentDefinition_1 | undefined
    }, options?: ConditionalCallOptions) => Promise<ManagedSegment>
    /** Call (DELETE /manage/v1/accounts/:accountId/segments/:id) */
    readonly remove: (accountId: string, id: string, options?: ConditionalCallOptions) => Promise<null>
  }
  /** Topics */
  readonly managedTopics: {
    /** Call (POST /manage/v1/accounts/:accountId/topics) */
    readonly create: (accountId: string, body: {
      readonly key: string
      readonly name: string
      readonly description?: string | null | undefined
      readonly defaultOn?: boolean | null | undefined
    }, options?: CallOptions) => Promise<ManagedTopic>
    /** Call (GET /manage/v1/accounts/:accountId/topics) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ManagedTopic>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (PATCH /manage/v1/accounts/:accountId/topics/:id) */
    readonly update: (accountId: string, id: string, body: {
      readonly name?: string | null | undefined
      readonly description?: string | null | undefined
      readonly isArchived?: boolean | null | undefined
    }, options?: CallOptions) => Promise<ManagedTopic>
  }
  /** Stores */
  readonly managedStores: {
    /** Call (POST /manage/v1/accounts/:accountId/stores) */
    readonly connect: (accountId: string, body: {
      readonly platform: string
      readonly name: string
      readonly domain: string
      readonly consentMode: string
      readonly currency?: string | null | undefined
      readonly webhookSecret?: string | null | undefined
    }, options?: CallOptions) => Promise<IssuedStore>
    /** Call (GET /manage/v1/accounts/:accountId/stores) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | "name" | "-name" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly storeId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Connected" | "Disconnected"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Store>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the events that a store sent in the last 30 days (GET /manage/v1/accounts/:accountId/stores/:id/events) */
    readonly events: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Accepted" | "Failed"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ReceivedStoreEvent>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Replay events of a store that were not accepted, by a job (POST /manage/v1/accounts/:accountId/stores/:id/events/replay) */
    readonly replay: (accountId: string, id: string, body: {
      /** All events that were not accepted without it */
      readonly ids?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<Job>
    /** Call (DELETE /manage/v1/accounts/:accountId/stores/:id) */
    readonly disconnect: (accountId: string, id: string, options?: CallOptions) => Promise<null>
    /** List the orders of connected stores (GET /manage/v1/accounts/:accountId/orders) */
    readonly orders: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | "name" | "-name" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly storeId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Pending" | "Paid" | "Completed" | "Cancelled" | "Refunded" | "Failed" | "Draft"> | undefined
      /** Which orders, by their state; several values are separated by commas */
      readonly view?: ReadonlyArray<"All" | "Paid" | "Pending" | "Abandoned" | "Refunded"> | undefined
      readonly days?: number | undefined
      /** A part of the number, the email or the customer's name; found newest first alone */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Order>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the items of the catalogue, those of stores included (GET /manage/v1/accounts/:accountId/items) */
    readonly items: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | "name" | "-name" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly storeId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly kind?: ReadonlyArray<"product" | "plan" | "service" | "other"> | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Active" | "Inactive"> | undefined
      /** The beginning of the name or of the external id */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Item>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Create or update up to 1,000 items, each by itself (POST /manage/v1/accounts/:accountId/items/batch) */
    readonly importItems: (accountId: string, body: {
      readonly items: ReadonlyArray<ItemWrite>
    }, options?: CallOptions) => Promise<{
      readonly created: number
      readonly updated: number
      readonly failed: number
      readonly results: ReadonlyArray<ItemBatchResult>
    }>
    /** Say which templates, flows and campaigns show an item (GET /manage/v1/accounts/:accountId/items/:id/usage) */
    readonly itemUsage: (accountId: string, id: string, options?: CallOptions) => Promise<ItemUsage>
    /** Get an order of a connected store (GET /manage/v1/accounts/:accountId/orders/:id) */
    readonly order: (accountId: string, id: string, options?: CallOptions) => Promise<StoredOrder>
  }
  readonly templates: {
    /** Add a template: Liquid in subject, html (or MJML) and text (POST /manage/v1/accounts/:accountId/templates) */
    readonly create: (accountId: string, body: {
      readonly name: string
      readonly subject: string
      readonly format?: "Html" | "Mjml" | "Blocks" | null | undefined
      readonly source?: string | null | undefined
      readonly preheader?: string | null | undefined
      readonly html?: string | null | undefined
      readonly text?: string | null | undefined
    }, options?: CallOptions) => Promise<Template>
    /** Call (GET /manage/v1/accounts/:accountId/templates) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ListedTemplate>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/templates/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Template>
    /** Call (PATCH /manage/v1/accounts/:accountId/templates/:id) */
    readonly update: (accountId: string, id: string, body: {
      readonly name?: string | undefined
      readonly subject?: string | undefined
      readonly format?: "Html" | "Mjml" | "Blocks" | null | undefined
      readonly source?: string | null | undefined
      readonly preheader?: string | null | undefined
      readonly html?: string | null | undefined
      readonly text?: string | null | undefined
    }, options?: ConditionalCallOptions) => Promise<Template>
    /** Call (DELETE /manage/v1/accounts/:accountId/templates/:id) */
    readonly remove: (accountId: string, id: string, options?: ConditionalCallOptions) => Promise<null>
    /** Render a template (POST /manage/v1/accounts/:accountId/templates/:id/render) */
    readonly render: (accountId: string, id: string, body: {
      readonly variables?: {
        readonly [key: string]: unknown
      } | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly subject: string
      readonly html: string | null
      readonly text: string | null
    }>
    /** List the versions of a template, the newest 50 (GET /manage/v1/accounts/:accountId/templates/:id/versions) */
    readonly versions: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<{
        readonly version: number
        readonly name: string
        readonly subject: string
        readonly savedAt: string
        readonly savedBy: {
          readonly kind: "User" | "Token" | "ApiKey" | "Cli" | "System"
          readonly id: string | null
          readonly name: string | null
        } | null
      }>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Get a version of a template with its content (GET /manage/v1/accounts/:accountId/templates/:id/versions/:version) */
    readonly version: (accountId: string, id: string, version: string, options?: CallOptions) => Promise<TemplateVersion>
    /** Save the content of a version again, as the next version (POST /manage/v1/accounts/:accountId/templates/:id/restore) */
    readonly restore: (accountId: string, id: string, body: {
      readonly version: number
    }, options?: CallOptions) => Promise<Template>
    /** Say where a template is used (GET /manage/v1/accounts/:accountId/templates/:id/usage) */
    readonly usage: (accountId: string, id: string, options?: CallOptions) => Promise<TemplateUsage>
    /** Send an email from a template to one address, to try it (POST /manage/v1/accounts/:accountId/templates/:id/test) */
    readonly test: (accountId: string, id: string, body: {
      readonly to: string
      readonly contactId?: string | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly emailId: string
    }>
    /** Render an unsaved draft; what is wrong with it is returned in problems (POST /manage/v1/accounts/:accountId/templates/preview) */
    readonly preview: (accountId: string, body: {
      readonly name?: string | undefined
      readonly subject: string
      readonly format?: "Html" | "Mjml" | "Blocks" | null | undefined
      readonly source?: string | null | undefined
      readonly preheader?: string | null | undefined
      readonly html?: string | null | undefined
      readonly text?: string | null | undefined
      readonly variables?: {
        readonly [key: string]: unknown
      } | null | undefined
      readonly contactId?: string | null | undefined
    }, options?: CallOptions) => Promise<TemplatePreview>
    /** List ready-made templates (GET /manage/v1/accounts/:accountId/template-starters) */
    readonly starters: (accountId: string, options?: CallOptions) => Promise<ReadonlyArray<TemplateStarter>>
  }
  /** Images */
  readonly images: {
    /** List images, newest first (GET /manage/v1/accounts/:accountId/images) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Image>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Get an image (GET /manage/v1/accounts/:accountId/images/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Image>
    /** Delete an image; emails that show it no longer do (DELETE /manage/v1/accounts/:accountId/images/:id) */
    readonly remove: (accountId: string, id: string, options?: CallOptions) => Promise<null>
  }
  readonly flows: {
    /** Add a flow as a draft (POST /manage/v1/accounts/:accountId/flows) */
    readonly create: (accountId: string, body: FlowWrite, options?: CallOptions) => Promise<Flow>
    /** Call (GET /manage/v1/accounts/:accountId/flows) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Flow>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/accounts/:accountId/flows/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Flow>
    /** Edit a flow; runs follow it once it is published again (PUT /manage/v1/accounts/:accountId/flows/:id) */
    readonly replace: (accountId: string, id: string, body: FlowWrite, options?: ConditionalCallOptions) => Promise<Flow>
    /** Call (POST /manage/v1/accounts/:accountId/flows/:id/publish) */
    readonly publish: (accountId: string, id: string, options?: CallOptions) => Promise<Flow>
    /** Call (POST /manage/v1/accounts/:accountId/flows/:id/pause) */
    readonly pause: (accountId: string, id: string, options?: CallOptions) => Promise<Flow>
    /** Call (POST /manage/v1/accounts/:accountId/flows/:id/archive) */
    readonly archive: (accountId: string, id: string, options?: CallOptions) => Promise<Flow>
    /** Create a trigger token; the previous one stops working at once (POST /manage/v1/accounts/:accountId/flows/:id/trigger-token) */
    readonly issueToken: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly triggerUrl: string
      readonly token: string
    }>
    /** The secret that signs the requests of Webhook steps (GET /manage/v1/accounts/:accountId/flows/:id/webhook-secret) */
    readonly webhookSecret: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly secret: string
    }>
    /** Call (GET /manage/v1/accounts/:accountId/flows/:id/runs) */
    readonly runs: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -started by default */
      readonly sort?: "started" | "-started" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Active" | "Completed" | "Stopped" | "Failed"> | undefined
      /** Id of the step that comes next or waits; several values are separated by commas */
      readonly step?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly version?: ReadonlyArray<number> | undefined
      /** Several values are separated by commas */
      readonly contactId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly runId?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<FlowRun>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List a contact's runs of all flows (GET /manage/v1/accounts/:accountId/contacts/:id/runs) */
    readonly runsOfContact: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<FlowRun>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Count a flow's runs, opens, clicks and conversions (GET /manage/v1/accounts/:accountId/flows/:id/stats) */
    readonly stats: (accountId: string, id: string, options?: CallOptions) => Promise<FlowStats>
    /** List a flow's published versions, the newest first (GET /manage/v1/accounts/:accountId/flows/:id/versions) */
    readonly versions: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<{
        readonly version: number
        readonly publishedAt: string | null
      }>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Get a published version with its definition (GET /manage/v1/accounts/:accountId/flows/:id/versions/:version) */
    readonly version: (accountId: string, id: string, version: string, options?: CallOptions) => Promise<FlowVersion>
    /** Start a run of a published flow for a contact (POST /manage/v1/accounts/:accountId/flows/:id/start) */
    readonly start: (accountId: string, id: string, body: {
      readonly contactId: string
      readonly properties?: {
        readonly [key: string]: unknown
      } | null | undefined
    }, options?: CallOptions) => Promise<FlowRun>
    /** Stop an active run; its emails that have not been sent are cancelled (POST /manage/v1/accounts/:accountId/flows/:id/runs/:runId/stop) */
    readonly stopRun: (accountId: string, id: string, runId: string, options?: CallOptions) => Promise<FlowRun>
    /** Simulate a scenario through a flow in virtual time; nothing is sent or stored (POST /manage/v1/accounts/:accountId/flows/:id/simulate) */
    readonly simulate: (accountId: string, id: string, body: {
      readonly contact?: ContactWrite | null | undefined
      readonly event?: {
        readonly name?: string | null | undefined
        readonly occurredAt?: string | null | undefined
        readonly after?: string | null | undefined
        readonly properties?: {
          readonly [key: string]: unknown
        } | null | undefined
      } | null | undefined
      readonly events?: ReadonlyArray<{
        readonly name?: string | null | undefined
        readonly occurredAt?: string | null | undefined
        readonly after?: string | null | undefined
        readonly properties?: {
          readonly [key: string]: unknown
        } | null | undefined
      }> | null | undefined
    }, options?: CallOptions) => Promise<FlowSimulation>
    /** Call (GET /manage/v1/accounts/:accountId/flow-blueprints) */
    readonly blueprints: (accountId: string, options?: CallOptions) => Promise<ReadonlyArray<{
      readonly key: string
      readonly name: string
      readonly description: string
      readonly trigger: unknown
      readonly steps: ReadonlyArray<unknown>
    }>>
    /** Add a blueprint as a draft (POST /manage/v1/accounts/:accountId/flow-blueprints/:key/install) */
    readonly install: (accountId: string, key: string, options?: CallOptions) => Promise<Flow>
  }
  /** Campaigns */
  readonly campaigns: {
    /** Call (POST /manage/v1/accounts/:accountId/campaigns) */
    readonly create: (accountId: string, body: {
      readonly name: string
      /** A template, the newest version unless one is named, or a subject with html or text */
      readonly content?: {
        readonly templateId?: string | null | undefined
        readonly templateVersion?: number | null | undefined
        readonly subject?: string | null | undefined
        readonly preheader?: string | null | undefined
        readonly html?: string | null | undefined
        readonly text?: string | null | undefined
        readonly languages?: {
          readonly [key: string]: {
            readonly templateId?: string | null | undefined
            readonly templateVersion?: number | null | undefined
            readonly subject?: string | null | undefined
            readonly preheader?: string | null | undefined
            readonly html?: string | null | undefined
            readonly text?: string | null | undefined
          }
        } | null | undefined
      } | null | undefined
      /** Variants in place of content, compared by a part of the audience */
      readonly test?: {
        readonly variants: ReadonlyArray<{
          readonly id: string
          readonly name?: string | null | undefined
          readonly content: {
            readonly templateId?: string | null | undefined
            readonly templateVersion?: number | null | undefined
            readonly subject?: string | null | undefined
            readonly preheader?: string | null | undefined
            readonly html?: string | null | undefined
            readonly text?: string | null | undefined
            readonly languages?: {
              readonly [key: string]: {
                readonly templateId?: string | null | undefined
                readonly templateVersion?: number | null | undefined
                readonly subject?: string | null | undefined
                readonly preheader?: string | null | undefined
                readonly html?: string | null | undefined
                readonly text?: string | null | undefined
              }
            } | null | undefined
          }
          readonly from?: string | {
            readonly email: string
            readonly name?: string | null | undefined
          } | null | undefined
        }>
        readonly share: number
        readonly metric?: string | null | undefined
        readonly after?: string | null | undefined
        readonly decide?: string | null | undefined
        readonly confidence?: number | null | undefined
        readonly undecided?: string | null | undefined
      } | null | undefined
      /** Parameters that each link gets that does not have them */
      readonly utm?: {
        readonly source: string
        readonly medium: string
        readonly campaign: string
        readonly term?: string | null | undefined
        readonly content?: string | null | undefined
      } | null | undefined
      /** The most emails in a unit of time, spread evenly over it */
      readonly pace?: {
        readonly emails: number
        /** The unit of time */
        readonly per: string
      } | null | undefined
      /** Hours of the day, HH:MM, in each person's time zone, on days from 1 (Monday) to 7 */
      readonly window?: {
        readonly from: string
        readonly to: string
        readonly days?: ReadonlyArray<number> | null | undefined
      } | null | undefined
      /** Whether the account's quiet hours hold it */
      readonly quietHours?: string | undefined
      readonly whenCapped?: {
        /** What follows over a frequency cap */
        readonly action: string
        readonly hours?: number | null | undefined
      } | undefined
      /** Null for the account's default sender at launch */
      readonly from?: string | {
        readonly email: string
        readonly name?: string | null | undefined
      } | null | undefined
      readonly replyTo?: string | {
        readonly email: string
        readonly name?: string | null | undefined
      } | null | undefined
      /** The key of a topic; null where consent alone decides */
      readonly topic?: string | null | undefined
      readonly audience?: {
        /** Ids of segments: people in any of them */
        readonly segments?: ReadonlyArray<string> | undefined
        /** Ids of segments: people in none of them */
        readonly exclude?: ReadonlyArray<string> | undefined
      } | undefined
      /** Null for at launch */
      readonly schedule?: {
        readonly at?: string | null | undefined
        readonly localTime?: string | null | undefined
        readonly late?: string | null | undefined
      } | null | undefined
      /** Null for the account's campaignTracking */
      readonly tracking?: {
        readonly opens: boolean
        readonly clicks: boolean
      } | null | undefined
      readonly holdoutPercent?: number | undefined
      /** Whether lists leave it out unless they are asked for it */
      readonly isArchived?: boolean | undefined
      /** Whether and how the account's archive shows it once it is sent */
      readonly archive?: {
        readonly public?: boolean | undefined
        readonly slug?: string | null | undefined
        readonly title?: string | null | undefined
        readonly summary?: string | null | undefined
      } | undefined
      readonly tags?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<Campaign>
    /** Count the people of an audience; the sample with contacts:read (POST /manage/v1/accounts/:accountId/campaigns/audience) */
    readonly audience: (accountId: string, body: {
      readonly audience: {
        /** Ids of segments: people in any of them */
        readonly segments?: ReadonlyArray<string> | undefined
        /** Ids of segments: people in none of them */
        readonly exclude?: ReadonlyArray<string> | undefined
      }
      /** The key of a topic; null where consent alone decides */
      readonly topic?: string | null | undefined
      readonly whenCapped?: {
        /** What follows over a frequency cap */
        readonly action: string
        readonly hours?: number | null | undefined
      } | undefined
      readonly holdoutPercent?: number | undefined
      /** Null for at launch */
      readonly schedule?: {
        readonly at?: string | null | undefined
        readonly localTime?: string | null | undefined
        readonly late?: string | null | undefined
      } | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly count: number
      readonly reachable: number
      /** The others by the reason they would have as recipients */
      readonly by: {
        readonly [key: string]: number
      }
      /** All of them by time zone, with when a local time is there */
      readonly zones: ReadonlyArray<{
        readonly zone: string
        readonly count: number
        readonly at: string | null
      }>
      readonly sample: ReadonlyArray<Contact>
    }>
    /** Call (GET /manage/v1/accounts/:accountId/campaigns) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | "updated" | "-updated" | "started" | "-started" | "name" | "-name" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly status?: ReadonlyArray<"Draft" | "Scheduled" | "Sending" | "Paused" | "Sent" | "Cancelled"> | undefined
      /** true for those that are archived alone, which are left out else; several values are separated by commas */
      readonly isArchived?: ReadonlyArray<"true" | "false"> | undefined
      /** Drafts and paused campaigns that wait for an approval */
      readonly approval?: "Requested" | undefined
      /** Those that are being sent, paused or waiting for an approval, and those sent at this time or later */
      readonly currentSince?: string | undefined
      /** Several values are separated by commas */
      readonly tag?: ReadonlyArray<string> | undefined
      /** The key of a topic; several values are separated by commas */
      readonly topic?: ReadonlyArray<string> | undefined
      /** Id of a segment that it includes; several values are separated by commas */
      readonly segment?: ReadonlyArray<string> | undefined
      /** A part of the name, or of a subject of its own */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Campaign>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Show campaigns' numbers side by side (GET /manage/v1/accounts/:accountId/campaigns/compare) */
    readonly compare: (accountId: string, query: {
      /** Ids of 2 to 10 campaigns, with commas between */
      readonly ids: string
    }, options?: CallOptions) => Promise<ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly status: "Draft" | "Scheduled" | "Sending" | "Paused" | "Sent" | "Cancelled"
      readonly stats: CampaignStats
    }>>
    /** Call (GET /manage/v1/accounts/:accountId/campaigns/:id) */
    readonly get: (accountId: string, id: string, options?: CallOptions) => Promise<Campaign>
    /** Call (PATCH /manage/v1/accounts/:accountId/campaigns/:id) */
    readonly update: (accountId: string, id: string, body: {
      readonly name?: string | undefined
      /** A template, the newest version unless one is named, or a subject with html or text */
      readonly content?: {
        readonly templateId?: string | null | undefined
        readonly templateVersion?: number | null | undefined
        readonly subject?: string | null | undefined
        readonly preheader?: string | null | undefined
        readonly html?: string | null | undefined
        readonly text?: string | null | undefined
        readonly languages?: {
          readonly [key: string]: {
            readonly templateId?: string | null | undefined
            readonly templateVersion?: number | null | undefined
            readonly subject?: string | null | undefined
            readonly preheader?: string | null | undefined
            readonly html?: string | null | undefined
            readonly text?: string | null | undefined
          }
        } | null | undefined
      } | null | undefined
      /** Variants in place of content, compared by a part of the audience */
      readonly test?: {
        readonly variants: ReadonlyArray<{
          readonly id: string
          readonly name?: string | null | undefined
          readonly content: {
            readonly templateId?: string | null | undefined
            readonly templateVersion?: number | null | undefined
            readonly subject?: string | null | undefined
            readonly preheader?: string | null | undefined
            readonly html?: string | null | undefined
            readonly text?: string | null | undefined
            readonly languages?: {
              readonly [key: string]: {
                readonly templateId?: string | null | undefined
                readonly templateVersion?: number | null | undefined
                readonly subject?: string | null | undefined
                readonly preheader?: string | null | undefined
                readonly html?: string | null | undefined
                readonly text?: string | null | undefined
              }
            } | null | undefined
          }
          readonly from?: string | {
            readonly email: string
            readonly name?: string | null | undefined
          } | null | undefined
        }>
        readonly share: number
        readonly metric?: string | null | undefined
        readonly after?: string | null | undefined
        readonly decide?: string | null | undefined
        readonly confidence?: number | null | undefined
        readonly undecided?: string | null | undefined
      } | null | undefined
      /** Parameters that each link gets that does not have them */
      readonly utm?: {
        readonly source: string
        readonly medium: string
        readonly campaign: string
        readonly term?: string | null | undefined
        readonly content?: string | null | undefined
      } | null | undefined
      /** The most emails in a unit of time, spread evenly over it */
      readonly pace?: {
        readonly emails: number
        /** The unit of time */
        readonly per: string
      } | null | undefined
      /** Hours of the day, HH:MM, in each person's time zone, on days from 1 (Monday) to 7 */
      readonly window?: {
        readonly from: string
        readonly to: string
        readonly days?: ReadonlyArray<number> | null | undefined
      } | null | undefined
      /** Whether the account's quiet hours hold it */
      readonly quietHours?: string | undefined
      readonly whenCapped?: {
        /** What follows over a frequency cap */
        readonly action: string
        readonly hours?: number | null | undefined
      } | undefined
      /** Null for the account's default sender at launch */
      readonly from?: string | {
        readonly email: string
        readonly name?: string | null | undefined
      } | null | undefined
      readonly replyTo?: string | {
        readonly email: string
        readonly name?: string | null | undefined
      } | null | undefined
      /** The key of a topic; null where consent alone decides */
      readonly topic?: string | null | undefined
      readonly audience?: {
        /** Ids of segments: people in any of them */
        readonly segments?: ReadonlyArray<string> | undefined
        /** Ids of segments: people in none of them */
        readonly exclude?: ReadonlyArray<string> | undefined
      } | undefined
      /** Null for at launch */
      readonly schedule?: {
        readonly at?: string | null | undefined
        readonly localTime?: string | null | undefined
        readonly late?: string | null | undefined
      } | null | undefined
      /** Null for the account's campaignTracking */
      readonly tracking?: {
        readonly opens: boolean
        readonly clicks: boolean
      } | null | undefined
      readonly holdoutPercent?: number | undefined
      /** Whether lists leave it out unless they are asked for it */
      readonly isArchived?: boolean | undefined
      /** Whether and how the account's archive shows it once it is sent */
      readonly archive?: {
        readonly public?: boolean | undefined
        readonly slug?: string | null | undefined
        readonly title?: string | null | undefined
        readonly summary?: string | null | undefined
      } | undefined
      readonly tags?: ReadonlyArray<string> | undefined
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Delete a draft, or a cancelled campaign that was sent to no one (DELETE /manage/v1/accounts/:accountId/campaigns/:id) */
    readonly remove: (accountId: string, id: string, options?: ConditionalCallOptions) => Promise<null>
    /** Copy a campaign, for the same people or those it did not reach (POST /manage/v1/accounts/:accountId/campaigns/:id/copy) */
    readonly copy: (accountId: string, id: string, body: {
      readonly name?: string | undefined
      /** Whom it is for, by what became of the campaign */
      readonly to?: string | undefined
    }, options?: CallOptions) => Promise<Campaign>
    /** Find what prevents a launch (POST /manage/v1/accounts/:accountId/campaigns/:id/check) */
    readonly check: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly canLaunch: boolean
      readonly recipients: number
      readonly findings: ReadonlyArray<{
        readonly code: string
        readonly severity: "Error" | "Warning"
        readonly field: string | null
        readonly message: string
        readonly count: number | null
      }>
      /** How many people it would reach now, and how long that takes at its pace and the daily limit */
      readonly estimate: {
        readonly recipients: number
        readonly seconds: number
        readonly days: number
      }
    }>
    /** Render a campaign for a contact; its links do not work (POST /manage/v1/accounts/:accountId/campaigns/:id/preview) */
    readonly preview: (accountId: string, id: string, body: {
      readonly contactId?: string | null | undefined
      readonly variantId?: string | null | undefined
    }, options?: CallOptions) => Promise<CampaignPreview>
    /** Render content that is not saved for a contact; its links do not work (POST /manage/v1/accounts/:accountId/campaigns/preview) */
    readonly previewUnsaved: (accountId: string, body: {
      readonly contactId?: string | null | undefined
      readonly variantId?: string | null | undefined
      /** A template, the newest version unless one is named, or a subject with html or text */
      readonly content?: {
        readonly templateId?: string | null | undefined
        readonly templateVersion?: number | null | undefined
        readonly subject?: string | null | undefined
        readonly preheader?: string | null | undefined
        readonly html?: string | null | undefined
        readonly text?: string | null | undefined
        readonly languages?: {
          readonly [key: string]: {
            readonly templateId?: string | null | undefined
            readonly templateVersion?: number | null | undefined
            readonly subject?: string | null | undefined
            readonly preheader?: string | null | undefined
            readonly html?: string | null | undefined
            readonly text?: string | null | undefined
          }
        } | null | undefined
      } | null | undefined
      /** Variants in place of content, compared by a part of the audience */
      readonly test?: {
        readonly variants: ReadonlyArray<{
          readonly id: string
          readonly name?: string | null | undefined
          readonly content: {
            readonly templateId?: string | null | undefined
            readonly templateVersion?: number | null | undefined
            readonly subject?: string | null | undefined
            readonly preheader?: string | null | undefined
            readonly html?: string | null | undefined
            readonly text?: string | null | undefined
            readonly languages?: {
              readonly [key: string]: {
                readonly templateId?: string | null | undefined
                readonly templateVersion?: number | null | undefined
                readonly subject?: string | null | undefined
                readonly preheader?: string | null | undefined
                readonly html?: string | null | undefined
                readonly text?: string | null | undefined
              }
            } | null | undefined
          }
          readonly from?: string | {
            readonly email: string
            readonly name?: string | null | undefined
          } | null | undefined
        }>
        readonly share: number
        readonly metric?: string | null | undefined
        readonly after?: string | null | undefined
        readonly decide?: string | null | undefined
        readonly confidence?: number | null | undefined
        readonly undecided?: string | null | undefined
      } | null | undefined
      /** Parameters that each link gets that does not have them */
      readonly utm?: {
        readonly source: string
        readonly medium: string
        readonly campaign: string
        readonly term?: string | null | undefined
        readonly content?: string | null | undefined
      } | null | undefined
    }, options?: CallOptions) => Promise<CampaignPreview>
    /** Send a test to addresses of members, or of testAddresses (POST /manage/v1/accounts/:accountId/campaigns/:id/test) */
    readonly test: (accountId: string, id: string, body: {
      readonly to: ReadonlyArray<string>
      readonly contactId?: string | null | undefined
      readonly variantId?: string | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly sent: ReadonlyArray<string>
      readonly refused: ReadonlyArray<{
        readonly email: string
        readonly reason: string
      }>
    }>
    /** Request, give or refuse the approval of a campaign (POST /manage/v1/accounts/:accountId/campaigns/:id/approval) */
    readonly approval: (accountId: string, id: string, body: {
      /** Request with campaigns:write, the others with campaigns:send */
      readonly action: string
      readonly comment?: string | null | undefined
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Pick the variant that the rest of the audience gets (POST /manage/v1/accounts/:accountId/campaigns/:id/winner) */
    readonly winner: (accountId: string, id: string, body: {
      readonly variantId: string
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Count a campaign's emails by what tells them apart (GET /manage/v1/accounts/:accountId/campaigns/:id/stats) */
    readonly stats: (accountId: string, id: string, query?: {
      readonly by?: "Variant" | "Version" | "Language" | "Provider" | "Domain" | "Country" | "Hour" | "Day" | undefined
    }, options?: CallOptions) => Promise<{
      readonly total: CampaignStats
      readonly items: ReadonlyArray<{
        readonly key: string | null
        readonly submitted: number
        readonly delivered: number
        readonly retrying: number
        readonly bounced: number
        readonly failed: number
        readonly complained: number
        readonly unsubscribed: number
        readonly openedHuman: number
        readonly openedUnknown: number
        readonly openedMachine: number
        readonly clickedHuman: number
        readonly clickedUnknown: number
        readonly clickedMachine: number
      }>
    }>
    /** Count the clicks of a campaign's links (GET /manage/v1/accounts/:accountId/campaigns/:id/links) */
    readonly links: (accountId: string, id: string, query?: {
      readonly variant?: "a" | "b" | "c" | "d" | "e" | undefined
    }, options?: CallOptions) => Promise<ReadonlyArray<CampaignLink>>
    /** Call (GET /manage/v1/accounts/:accountId/campaigns/:id/versions) */
    readonly versions: (accountId: string, id: string, options?: CallOptions) => Promise<ReadonlyArray<CampaignVersion>>
    /** Call (GET /manage/v1/accounts/:accountId/campaigns/:id/versions/:version) */
    readonly version: (accountId: string, id: string, version: string, options?: CallOptions) => Promise<CampaignVersion>
    /** List a campaign's transitions, newest first (GET /manage/v1/accounts/:accountId/campaigns/:id/history) */
    readonly history: (accountId: string, id: string, options?: CallOptions) => Promise<ReadonlyArray<{
      readonly at: string
      readonly from: string | null
      readonly to: string
      readonly reason: string | null
      readonly actor: {
        readonly kind: string
        readonly id: string | null
        readonly name: string | null
      }
    }>>
    /** Call (POST /manage/v1/accounts/:accountId/campaigns/:id/launch) */
    readonly launch: (accountId: string, id: string, body?: {
      /** Kept in the history and the audit log */
      readonly reason?: string | null | undefined
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Call (POST /manage/v1/accounts/:accountId/campaigns/:id/unschedule) */
    readonly unschedule: (accountId: string, id: string, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Call (POST /manage/v1/accounts/:accountId/campaigns/:id/pause) */
    readonly pause: (accountId: string, id: string, body?: {
      /** Kept in the history and the audit log */
      readonly reason?: string | null | undefined
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Call (POST /manage/v1/accounts/:accountId/campaigns/:id/resume) */
    readonly resume: (accountId: string, id: string, body?: {
      /** Kept in the history and the audit log */
      readonly reason?: string | null | undefined
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Call (POST /manage/v1/accounts/:accountId/campaigns/:id/cancel) */
    readonly cancel: (accountId: string, id: string, body?: {
      /** Kept in the history and the audit log */
      readonly reason?: string | null | undefined
    }, options?: ConditionalCallOptions) => Promise<Campaign>
    /** Send again to those whom it did not reach (POST /manage/v1/accounts/:accountId/campaigns/:id/retry) */
    readonly retry: (accountId: string, id: string, body: {
      readonly what: ReadonlyArray<string>
    }, options?: ConditionalCallOptions) => Promise<{
      readonly recipients: number
    }>
    /** Export recipients by a job, whose report is the file (POST /manage/v1/accounts/:accountId/campaigns/:id/recipients/export) */
    readonly export: (accountId: string, id: string, body: {
      /** The format of the file */
      readonly format: string
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Pending" | "Submitted" | "Skipped" | "HeldOut" | "Cancelled"> | undefined
      /** Several values are separated by commas */
      readonly reason?: ReadonlyArray<"campaigns.no_address" | "campaigns.duplicate_address" | "campaigns.local_time_passed" | "campaigns.render_failed" | "sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.gate_topic" | "sending.held_out" | "sending.gate_frequency" | "sending.quiet_hours" | "campaigns.window" | "campaigns.test" | "campaigns.pace" | "sending.daily_cap" | "sending.provider_held" | "sending.warming_up" | "sending.held_too_long" | "sending.cancelled"> | undefined
      /** Several values are separated by commas */
      readonly variant?: ReadonlyArray<"a" | "b" | "c" | "d" | "e"> | undefined
      /** Several values are separated by commas */
      readonly version?: ReadonlyArray<number> | undefined
      /** Status of the email; several values are separated by commas */
      readonly status?: ReadonlyArray<"Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"> | undefined
      /** Who opened it; None where none did; several values are separated by commas */
      readonly opened?: ReadonlyArray<"Human" | "Unknown" | "Machine" | "None"> | undefined
      /** Who clicked a link of it; None where none did; several values are separated by commas */
      readonly clicked?: ReadonlyArray<"Human" | "Unknown" | "Machine" | "None"> | undefined
      /** The number of a link that was clicked; several values are separated by commas */
      readonly link?: ReadonlyArray<number> | undefined
      /** Whether an order followed a click in the email; several values are separated by commas */
      readonly converted?: ReadonlyArray<"true" | "false"> | undefined
      /** Whether the person unsubscribed by a link of the email; several values are separated by commas */
      readonly unsubscribed?: ReadonlyArray<"true" | "false"> | undefined
      /** The beginning of the address */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<Job>
    /** List whom a campaign is for, with what became of each (GET /manage/v1/accounts/:accountId/campaigns/:id/recipients) */
    readonly recipients: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Pending" | "Submitted" | "Skipped" | "HeldOut" | "Cancelled"> | undefined
      /** Several values are separated by commas */
      readonly reason?: ReadonlyArray<"campaigns.no_address" | "campaigns.duplicate_address" | "campaigns.local_time_passed" | "campaigns.render_failed" | "sending.gate_bounced" | "sending.gate_complained" | "sending.gate_protected" | "sending.gate_consent" | "sending.gate_topic" | "sending.held_out" | "sending.gate_frequency" | "sending.quiet_hours" | "campaigns.window" | "campaigns.test" | "campaigns.pace" | "sending.daily_cap" | "sending.provider_held" | "sending.warming_up" | "sending.held_too_long" | "sending.cancelled"> | undefined
      /** Several values are separated by commas */
      readonly variant?: ReadonlyArray<"a" | "b" | "c" | "d" | "e"> | undefined
      /** Several values are separated by commas */
      readonly version?: ReadonlyArray<number> | undefined
      /** Status of the email; several values are separated by commas */
      readonly status?: ReadonlyArray<"Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"> | undefined
      /** Who opened it; None where none did; several values are separated by commas */
      readonly opened?: ReadonlyArray<"Human" | "Unknown" | "Machine" | "None"> | undefined
      /** Who clicked a link of it; None where none did; several values are separated by commas */
      readonly clicked?: ReadonlyArray<"Human" | "Unknown" | "Machine" | "None"> | undefined
      /** The number of a link that was clicked; several values are separated by commas */
      readonly link?: ReadonlyArray<number> | undefined
      /** Whether an order followed a click in the email; several values are separated by commas */
      readonly converted?: ReadonlyArray<"true" | "false"> | undefined
      /** Whether the person unsubscribed by a link of the email; several values are separated by commas */
      readonly unsubscribed?: ReadonlyArray<"true" | "false"> | undefined
      /** The beginning of the address */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<CampaignRecipient>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Show what became of a person, and why (GET /manage/v1/accounts/:accountId/campaigns/:id/recipients/:contactId) */
    readonly recipient: (accountId: string, id: string, contactId: string, options?: CallOptions) => Promise<ExplainedCampaignRecipient>
    /** Compare the counts with those of the rows (POST /manage/v1/accounts/:accountId/campaigns/:id/recount) */
    readonly recount: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly counters: CampaignCounts
      readonly recount: CampaignCounts
      readonly equal: boolean
    }>
  }
  readonly webhooks: {
    /** Create a webhook; its secret is shown once. No events means all (POST /manage/v1/accounts/:accountId/webhooks) */
    readonly create: (accountId: string, body: {
      readonly url: string
      readonly events: ReadonlyArray<string>
      readonly fields?: ReadonlyArray<"visitor"> | null | undefined
      readonly description?: string | null | undefined
    }, options?: CallOptions) => Promise<IssuedWebhook>
    /** Call (GET /manage/v1/accounts/:accountId/webhooks) */
    readonly list: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Webhook>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/accounts/:accountId/webhooks/:id) */
    readonly remove: (accountId: string, id: string, options?: CallOptions) => Promise<null>
    /** Send a webhook.test notification (POST /manage/v1/accounts/:accountId/webhooks/:id/test) */
    readonly test: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly notificationId: string
    }>
    /** Create a new secret; the previous one also signs for 24 hours (POST /manage/v1/accounts/:accountId/webhooks/:id/rotate-secret) */
    readonly rotateSecret: (accountId: string, id: string, options?: CallOptions) => Promise<{
      readonly secret: string
    }>
    /** List the notifications of all webhooks (GET /manage/v1/accounts/:accountId/notifications) */
    readonly notifications: (accountId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | undefined
      /** At this time or later */
      readonly since?: string | undefined
      /** Before this time */
      readonly until?: string | undefined
      /** Several values are separated by commas */
      readonly webhookId?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly type?: ReadonlyArray<"email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "campaign.paused" | "campaign.sent" | "webhook.test"> | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Pending" | "Succeeded" | "Failed" | "Cancelled"> | undefined
      /** The message id that it is about, or a recipient's whole address */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Notification>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Read a notification, its request and its attempts with their responses (GET /manage/v1/accounts/:accountId/notifications/:id) */
    readonly notification: (accountId: string, id: string, options?: CallOptions) => Promise<NotificationDetail>
    /** Send notifications again: those of ids, or the failed ones of a time (POST /manage/v1/accounts/:accountId/webhooks/:id/resend) */
    readonly resend: (accountId: string, id: string, body: {
      readonly notificationIds?: ReadonlyArray<string> | null | undefined
      /** The failed notifications that were made at this time or later */
      readonly since?: string | null | undefined
      /** Before this time; now by default */
      readonly until?: string | null | undefined
    }, options?: CallOptions) => Promise<Job>
    /** List attempts, and notifications before their first attempt (GET /manage/v1/accounts/:accountId/webhooks/:id/deliveries) */
    readonly deliveries: (accountId: string, id: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<WebhookDelivery>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
  }
  readonly logs: {
    /** Call (POST /manage/v1/logs/hash) */
    readonly hash: (body: {
      readonly text: string
    }, options?: CallOptions) => Promise<{
      readonly hash: string
    }>
  }
  readonly tokens: {
    /** Call (POST /manage/v1/tokens) */
    readonly create: (body: {
      readonly name: string
      readonly rights: ReadonlyArray<string>
      readonly expiresInDays: number | null
    }, options?: CallOptions) => Promise<IssuedToken>
    /** Call (GET /manage/v1/tokens) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Token>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/tokens/:id) */
    readonly revoke: (id: string, options?: CallOptions) => Promise<null>
  }
  readonly companyTokens: {
    /** Call (POST /manage/v1/companies/:companyId/tokens) */
    readonly create: (companyId: string, body: {
      readonly name: string
      readonly rights: ReadonlyArray<string>
      readonly expiresInDays: number | null
      readonly accounts?: "Live" | "Sandbox" | "Both" | undefined
    }, options?: CallOptions) => Promise<IssuedToken>
    /** Call (GET /manage/v1/companies/:companyId/tokens) */
    readonly list: (companyId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Token>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/companies/:companyId/tokens/:id) */
    readonly revoke: (companyId: string, id: string, options?: CallOptions) => Promise<null>
  }
  readonly secrets: {
    /** Call (POST /manage/v1/secrets/rotate) */
    readonly rotate: (options?: CallOptions) => Promise<SecretRotation>
  }
  readonly installation: {
    /** List the processes of the service; `-age` begins with the latest started (GET /manage/v1/nodes) */
    readonly nodes: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -age by default */
      readonly sort?: "age" | "-age" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Up" | "Gone"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Node>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the jobs of the queues, without their payloads, the earliest first (GET /manage/v1/jobs) */
    readonly jobs: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; age by default */
      readonly sort?: "age" | "-age" | undefined
      /** Several values are separated by commas */
      readonly queue?: ReadonlyArray<"events" | "runs" | "calls" | "deliveries" | "campaignEmails" | "notifications" | "carts" | "conversions" | "retention" | "domains" | "imports" | "campaigns" | "mail"> | undefined
      /** Several values are separated by commas */
      readonly account?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Pending" | "Running" | "Buried"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<QueuedJob>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** The depth of each queue, and the accounts whose work is late (GET /manage/v1/queues) */
    readonly queues: (options?: CallOptions) => Promise<Queues>
    /** Try a buried job again (POST /manage/v1/jobs/:id/retry) */
    readonly retryJob: (id: string, options?: CallOptions) => Promise<QueuedJob>
    /** Delete a buried job (DELETE /manage/v1/jobs/:id) */
    readonly dropJob: (id: string, options?: CallOptions) => Promise<QueuedJob>
    /** Call (GET /manage/v1/database) */
    readonly database: (options?: CallOptions) => Promise<Database>
    /** The certificates that this node uses (GET /manage/v1/certificates) */
    readonly certificates: (options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Certificate>
    }>
    /** Call (GET /manage/v1/backups) */
    readonly backups: (options?: CallOptions) => Promise<Backups>
    /** What this node logged in the last hour, the newest first (GET /manage/v1/logs) */
    readonly lines: (query?: {
      /** Several values are separated by commas */
      readonly level?: ReadonlyArray<"Trace" | "Debug" | "Info" | "Warn" | "Error" | "Fatal"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<LogLine>
    }>
    /** The alerts that need no history, those that hold first (GET /manage/v1/alerts) */
    readonly alerts: (options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Alert>
    }>
    /** The configuration of this node, without secrets (GET /manage/v1/configuration) */
    readonly configuration: (options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ConfiguredValue>
    }>
    /** Move the clock forward and do what falls due, where everything is kept in memory; else 404 (POST /manage/v1/clock/advance) */
    readonly advanceClock: (body: {
      readonly by: string
    }, options?: CallOptions) => Promise<{
      readonly now: string
    }>
  }
  readonly shaping: {
    /** Tell what a mail server's reply leads to; changes nothing (POST /manage/v1/shaping/classify) */
    readonly classify: (body: {
      readonly reply: string
      /** Command to which the server replied; `Message` is the reply after the message's last byte */
      readonly stage: "Connect" | "Ehlo" | "Mail" | "Rcpt" | "Data" | "Message"
      readonly provider?: string | null | undefined
    }, options?: CallOptions) => Promise<Classification>
    /** List what holds mail, with the words of the servers; the latest first (GET /manage/v1/shaping/notices) */
    readonly notices: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Open" | "Resolved"> | undefined
      /** Several values are separated by commas */
      readonly lane?: ReadonlyArray<string> | undefined
      /** The key of a provider */
      readonly provider?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly accountId?: ReadonlyArray<string> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Notice>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Where mail to an address or a domain goes, and what holds it (GET /manage/v1/shaping/explain) */
    readonly explain: (query: {
      readonly to: string
      readonly accountId?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly domain: string
      readonly mx: ReadonlyArray<{
        readonly host: string
        readonly preference: number
        readonly addresses: ReadonlyArray<string>
      }>
      readonly provider: string | null
      /** The addresses of servers of no provider */
      readonly site: string | null
      readonly lane: string | null
      /** The address that mail leaves from */
      readonly source: string | null
      /** The rules by name, and where each is from */
      readonly rules: {
        readonly [key: string]: {
          readonly value: number | string | ShapingTimeouts
          readonly from: "Table" | "File" | "Override" | "Learned"
        }
      }
      /** The concurrency limit */
      readonly width: number
      /** The suspension that lasts longest; null if nothing holds the mail */
      readonly pause: {
        readonly until: string
        readonly words: string
      } | null
      /** The warm-up of the source there; null without one */
      readonly warmUp: {
        readonly day: number
        readonly cap: number
        readonly sent: number
      } | null
      /** Number of recipients whose emails are held */
      readonly held: number
      /** State of the lane that processes share; null if none sent there within a day */
      readonly shared: Lane | null
      readonly tls: {
        readonly kind: "Dane" | "Sts" | "Required" | "Offered"
        /** `tlsa` or `sts`; null where the domain has no policy */
        readonly policy: string | null
      } | null
      /** The addresses that mail leaves from */
      readonly sources: ReadonlyArray<{
        readonly address: string
        readonly pool: string
        readonly state: "Unready" | "Warming" | "Active" | "Paused" | "Retired"
        /** Until when its mail is held there */
        readonly heldUntil: string | null
        /** The messages that it sent to the group of providers today */
        readonly sent: number | null
        /** The day of its warm-up, and the most messages of today */
        readonly warmUp: {
          readonly day: number
          readonly cap: number
        } | null
      }>
      readonly notices: ReadonlyArray<Notice>
      /** Replies that held mail, the latest first */
      readonly lastReplies: ReadonlyArray<{
        readonly at: string
        readonly words: string
        readonly action: "Retry" | "SlowDown" | "PauseSource" | "PauseSender" | "PauseSite" | "FailMessage" | "Mailbox" | "Bounce" | "Probe"
        readonly rule: string
      }>
      /** When the next email may leave; null for now */
      readonly next: string | null
    }>
    /** Hold the mail to a provider, a site or a recipient's domain (POST /manage/v1/shaping/suspend) */
    readonly suspend: (body: {
      readonly provider?: string | null | undefined
      readonly site?: string | null | undefined
      readonly domain?: string | null | undefined
      /** The address of a source, with a provider or a site, for the mail from it alone */
      readonly source?: string | null | undefined
      readonly accountId?: string | null | undefined
      readonly until?: string | null | undefined
      readonly reason: string
    }, options?: CallOptions) => Promise<Notice>
    /** Send mail that is held, slowly at first (POST /manage/v1/shaping/resume) */
    readonly resume: (body: {
      readonly provider?: string | null | undefined
      readonly site?: string | null | undefined
      readonly domain?: string | null | undefined
      /** The address of a source, with a provider or a site, for the mail from it alone */
      readonly source?: string | null | undefined
      readonly accountId?: string | null | undefined
      readonly reason?: string | null | undefined
      readonly noticeId?: string | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly resumed: number
    }>
    /** Send mail that is held, without the slow start (POST /manage/v1/shaping/flush) */
    readonly flush: (body: {
      readonly provider?: string | null | undefined
      readonly site?: string | null | undefined
      readonly domain?: string | null | undefined
      /** The address of a source, with a provider or a site, for the mail from it alone */
      readonly source?: string | null | undefined
      readonly accountId?: string | null | undefined
      readonly reason?: string | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly released: number
    }>
    /** End mail that is held; `confirm` is its number (POST /manage/v1/shaping/bounce) */
    readonly bounce: (body: {
      readonly provider?: string | null | undefined
      readonly site?: string | null | undefined
      readonly domain?: string | null | undefined
      /** The address of a source, with a provider or a site, for the mail from it alone */
      readonly source?: string | null | undefined
      readonly accountId?: string | null | undefined
      readonly reason: string
      readonly confirm: number
      /** Only what is held since before this time */
      readonly olderThan?: string | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly ended: number
    }>
    /** List the lanes that were used within a day, with what processes lease of them (GET /manage/v1/shaping/lanes) */
    readonly lanes: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; lane by default */
      readonly sort?: "lane" | "-lane" | undefined
      /** Several values are separated by commas */
      readonly provider?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly site?: ReadonlyArray<string> | undefined
      /** Several values are separated by commas */
      readonly source?: ReadonlyArray<string> | undefined
      /** Whether no mail is sent to it; several values are separated by commas */
      readonly paused?: ReadonlyArray<"true" | "false"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Lane>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the providers of the table, with the rules of their lanes (GET /manage/v1/shaping/providers) */
    readonly providers: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; key by default */
      readonly sort?: "key" | "-key" | undefined
      /** A part of the key or the name */
      readonly q?: string | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Active" | "Paused"> | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ShapingProvider>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Set rules of a provider or a site instead of those of the table (PUT /manage/v1/shaping/overrides/:target) */
    readonly override: (target: string, body: ShapingOverride, options?: CallOptions) => Promise<ShapingOverride>
    /** Return to the rules of the table (DELETE /manage/v1/shaping/overrides/:target) */
    readonly removeOverride: (target: string, options?: CallOptions) => Promise<null>
  }
  readonly sources: {
    /** Add an address that mail leaves from, and check its PTR and SPF records (POST /manage/v1/sources) */
    readonly create: (body: {
      readonly address: string
      readonly name?: string | null | undefined
      readonly pool?: string | undefined
      readonly force?: boolean | undefined
    }, options?: CallOptions) => Promise<Source>
    /** Call (GET /manage/v1/sources) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Source>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Show the SPF record that lists all sources; null without any (GET /manage/v1/sources/spf) */
    readonly spf: (options?: CallOptions) => Promise<{
      readonly record: {
        readonly name: string
        readonly value: string
      } | null
    }>
    /** Show the plan of warm-ups: how much an address sends on each day (GET /manage/v1/sources/plan) */
    readonly plan: (options?: CallOptions) => Promise<{
      /** The groups of providers */
      readonly groups: ReadonlyArray<string>
      /** The most messages to each group, by the days of the plan */
      readonly caps: ReadonlyArray<number>
    }>
    /** Call (GET /manage/v1/sources/:id) */
    readonly get: (id: string, options?: CallOptions) => Promise<Source>
    /** Change a source; what is left out stays (PATCH /manage/v1/sources/:id) */
    readonly change: (id: string, body: {
      readonly name?: string | null | undefined
      readonly pool?: string | undefined
      readonly state?: "Active" | "Paused" | "Retired" | undefined
      readonly force?: boolean | undefined
    }, options?: CallOptions) => Promise<Source>
    /** Call (DELETE /manage/v1/sources/:id) */
    readonly remove: (id: string, options?: CallOptions) => Promise<null>
    /** Check the PTR record of a source now, and the SPF records that should list it (POST /manage/v1/sources/:id/check) */
    readonly check: (id: string, options?: CallOptions) => Promise<Source>
    /** Begin or end the warm-up of a source (POST /manage/v1/sources/:id/warm-up) */
    readonly warmUp: (id: string, body: {
      /** The day of the plan to begin at, 1 to 45; null ends the warm-up */
      readonly day: number | null
    }, options?: CallOptions) => Promise<Source>
    /** Call (POST /manage/v1/sources/:id/pause) */
    readonly pause: (id: string, options?: CallOptions) => Promise<Source>
    /** Call (POST /manage/v1/sources/:id/activate) */
    readonly activate: (id: string, options?: CallOptions) => Promise<Source>
  }
  readonly pools: {
    /** Call (POST /manage/v1/pools) */
    readonly create: (body: {
      readonly key: string
      readonly name: string
      readonly overflow?: string | null | undefined
    }, options?: CallOptions) => Promise<Pool>
    /** Call (GET /manage/v1/pools) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; key by default */
      readonly sort?: "key" | "-key" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Pool>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Change a pool; what is left out stays (PATCH /manage/v1/pools/:key) */
    readonly change: (key: string, body: {
      readonly name?: string | undefined
      readonly overflow?: string | null | undefined
    }, options?: CallOptions) => Promise<Pool>
    /** Call (DELETE /manage/v1/pools/:key) */
    readonly remove: (key: string, options?: CallOptions) => Promise<null>
  }
  readonly relays: {
    /** Call (POST /manage/v1/relays) */
    readonly create: (body: {
      readonly kind: "Smtp" | "AmazonSes" | "Postmark" | "Mailgun" | "SendGrid" | "Brevo" | "Mailjet" | "SparkPost" | "Resend"
      readonly name: string
      /** `smtp://` or `smtps://[user:password@]host[:port]` */
      readonly url: string
      readonly streams?: ReadonlyArray<"Transactional" | "Marketing"> | null | undefined
      readonly maxPerSecond?: number | null | undefined
      readonly dailyLimit?: number | null | undefined
      readonly feedback?: {
        readonly topicArn?: string | null | undefined
        readonly configurationSet?: string | null | undefined
        readonly publicKey?: string | null | undefined
        readonly signingKey?: string | null | undefined
        readonly secret?: string | null | undefined
        readonly username?: string | null | undefined
        readonly password?: string | null | undefined
      } | null | undefined
      readonly shared?: boolean | null | undefined
    }, options?: CallOptions) => Promise<Relay>
    /** Call (GET /manage/v1/relays) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Relay>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (GET /manage/v1/relays/:id) */
    readonly get: (id: string, options?: CallOptions) => Promise<Relay>
    /** Change a relay; what is left out stays, secrets included (PATCH /manage/v1/relays/:id) */
    readonly change: (id: string, body: {
      readonly name?: string | undefined
      /** `smtp://` or `smtps://[user:password@]host[:port]` */
      readonly url?: string | undefined
      readonly streams?: ReadonlyArray<"Transactional" | "Marketing"> | null | undefined
      readonly maxPerSecond?: number | null | undefined
      readonly dailyLimit?: number | null | undefined
      readonly feedback?: {
        readonly topicArn?: string | null | undefined
        readonly configurationSet?: string | null | undefined
        readonly publicKey?: string | null | undefined
        readonly signingKey?: string | null | undefined
        readonly secret?: string | null | undefined
        readonly username?: string | null | undefined
        readonly password?: string | null | undefined
      } | null | undefined
      readonly shared?: boolean | null | undefined
    }, options?: CallOptions) => Promise<Relay>
    /** Call (DELETE /manage/v1/relays/:id) */
    readonly remove: (id: string, options?: CallOptions) => Promise<null>
    /** Connect and authenticate, and send nothing (POST /manage/v1/relays/:id/check) */
    readonly check: (id: string, options?: CallOptions) => Promise<RelayCheck>
  }
  readonly companyRelays: {
    /** Call (POST /manage/v1/companies/:companyId/relays) */
    readonly create: (companyId: string, body: {
      readonly kind: "Smtp" | "AmazonSes" | "Postmark" | "Mailgun" | "SendGrid" | "Brevo" | "Mailjet" | "SparkPost" | "Resend"
      readonly name: string
      /** `smtp://` or `smtps://[user:password@]host[:port]` */
      readonly url: string
      readonly streams?: ReadonlyArray<"Transactional" | "Marketing"> | null | undefined
      readonly maxPerSecond?: number | null | undefined
      readonly dailyLimit?: number | null | undefined
      readonly feedback?: {
        readonly topicArn?: string | null | undefined
        readonly configurationSet?: string | null | undefined
        readonly publicKey?: string | null | undefined
        readonly signingKey?: string | null | undefined
        readonly secret?: string | null | undefined
        readonly username?: string | null | undefined
        readonly password?: string | null | undefined
      } | null | undefined
    }, options?: CallOptions) => Promise<Relay>
    /** Call (GET /manage/v1/companies/:companyId/relays) */
    readonly list: (companyId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Relay>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** List the installation's relays that the company may use (GET /manage/v1/companies/:companyId/shared-relays) */
    readonly shared: (companyId: string, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<SharedRelay>
    }>
    /** Call (GET /manage/v1/companies/:companyId/relays/:id) */
    readonly get: (companyId: string, id: string, options?: CallOptions) => Promise<Relay>
    /** Change a relay; what is left out stays, secrets included (PATCH /manage/v1/companies/:companyId/relays/:id) */
    readonly change: (companyId: string, id: string, body: {
      readonly name?: string | undefined
      /** `smtp://` or `smtps://[user:password@]host[:port]` */
      readonly url?: string | undefined
      readonly streams?: ReadonlyArray<"Transactional" | "Marketing"> | null | undefined
      readonly maxPerSecond?: number | null | undefined
      readonly dailyLimit?: number | null | undefined
      readonly feedback?: {
        readonly topicArn?: string | null | undefined
        readonly configurationSet?: string | null | undefined
        readonly publicKey?: string | null | undefined
        readonly signingKey?: string | null | undefined
        readonly secret?: string | null | undefined
        readonly username?: string | null | undefined
        readonly password?: string | null | undefined
      } | null | undefined
    }, options?: CallOptions) => Promise<Relay>
    /** Call (DELETE /manage/v1/companies/:companyId/relays/:id) */
    readonly remove: (companyId: string, id: string, options?: CallOptions) => Promise<null>
    /** Connect and authenticate, and send nothing (POST /manage/v1/companies/:companyId/relays/:id/check) */
    readonly check: (companyId: string, id: string, options?: CallOptions) => Promise<RelayCheck>
  }
  readonly session: {
    /** Call (POST /manage/v1/session/start) */
    readonly start: (body: {
      readonly email: string
    }, options?: CallOptions) => Promise<{
      readonly methods: ReadonlyArray<{
        readonly kind: string
        readonly id: string | null
        readonly name: string | null
      }>
    }>
    /** Call (POST /manage/v1/session/password) */
    readonly password: (body: {
      readonly email: string
      readonly password: string
      readonly code?: string | null | undefined
    }, options?: CallOptions) => Promise<SignedIn>
    /** Call (POST /manage/v1/session/passkey/options) */
    readonly passkeyOptions: (options?: CallOptions) => Promise<{
      readonly [key: string]: unknown
    }>
    /** Call (POST /manage/v1/session/passkey) */
    readonly passkey: (body: PasskeyResponse, options?: CallOptions) => Promise<SignedIn>
    /** Call (GET /manage/v1/session) */
    readonly get: (options?: CallOptions) => Promise<Session>
    /** Call (POST /manage/v1/session/confirm) */
    readonly confirm: (body: {
      readonly password?: string | null | undefined
      readonly code?: string | null | undefined
      readonly passkey?: PasskeyResponse | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly confirmedUntil: string
    }>
    /** Call (DELETE /manage/v1/session) */
    readonly signOut: (options?: CallOptions) => Promise<null>
    /** Call (DELETE /manage/v1/sessions) */
    readonly signOutEverywhere: (options?: CallOptions) => Promise<null>
    /** Call (POST /manage/v1/welcome) */
    readonly welcome: (body: {
      readonly token: string
    }, options?: CallOptions) => Promise<Welcome>
    /** Call (POST /manage/v1/welcome/passkey-options) */
    readonly welcomePasskey: (body: {
      readonly token: string
      readonly email?: string | null | undefined
      readonly name?: string | null | undefined
    }, options?: CallOptions) => Promise<{
      readonly [key: string]: unknown
    }>
    /** Call (POST /manage/v1/welcome/complete) */
    readonly complete: (body: {
      readonly token: string
      readonly email?: string | null | undefined
      readonly name?: string | null | undefined
      readonly password?: string | null | undefined
      readonly passkey?: PasskeyResponse | null | undefined
      readonly code?: string | null | undefined
    }, options?: CallOptions) => Promise<SignedIn>
    /** Call (POST /manage/v1/password-resets) */
    readonly reset: (body: {
      readonly email: string
    }, options?: CallOptions) => Promise<null>
  }
  readonly ownAccount: {
    /** Call (GET /manage/v1/me) */
    readonly get: (options?: CallOptions) => Promise<OwnUser>
    /** Call (PATCH /manage/v1/me) */
    readonly change: (body: {
      readonly name?: string | undefined
      readonly language?: string | null | undefined
      readonly timeZone?: string | null | undefined
      readonly password?: string | undefined
    }, options?: CallOptions) => Promise<OwnUser>
    /** Call (GET /manage/v1/me/totp) */
    readonly totp: (options?: CallOptions) => Promise<{
      readonly confirmedAt: string | null
      readonly recoveryCodesLeft: number
    }>
    /** Call (POST /manage/v1/me/totp) */
    readonly addTotp: (body: {
      readonly code?: string | null | undefined
    }, options?: CallOptions) => Promise<TotpSetup>
    /** Call (DELETE /manage/v1/me/totp) */
    readonly removeTotp: (options?: CallOptions) => Promise<null>
    /** Call (GET /manage/v1/me/recovery-codes) */
    readonly recoveryCodes: (options?: CallOptions) => Promise<{
      readonly left: number
    }>
    /** Call (POST /manage/v1/me/recovery-codes) */
    readonly renewRecoveryCodes: (options?: CallOptions) => Promise<{
      readonly recoveryCodes: ReadonlyArray<string>
    }>
    /** Call (GET /manage/v1/me/passkeys) */
    readonly passkeys: (options?: CallOptions) => Promise<ReadonlyArray<Passkey>>
    /** Call (POST /manage/v1/me/passkeys) */
    readonly addPasskey: (body: {
      readonly name?: string | null | undefined
      readonly passkey?: PasskeyResponse | null | undefined
    }, options?: CallOptions) => Promise<PasskeySetup>
    /** Call (PATCH /manage/v1/me/passkeys/:id) */
    readonly renamePasskey: (id: string, body: {
      readonly name: string
    }, options?: CallOptions) => Promise<Passkey>
    /** Call (DELETE /manage/v1/me/passkeys/:id) */
    readonly removePasskey: (id: string, options?: CallOptions) => Promise<null>
    /** Call (GET /manage/v1/me/sessions) */
    readonly sessions: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<OpenSession>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/me/sessions/:id) */
    readonly endSession: (id: string, options?: CallOptions) => Promise<null>
  }
  readonly personalTokens: {
    /** Call (POST /manage/v1/me/tokens) */
    readonly create: (body: {
      readonly name: string
      readonly rights?: ReadonlyArray<string> | null | undefined
      readonly expiresInDays: number | null
    }, options?: CallOptions) => Promise<IssuedPersonalToken>
    /** Call (GET /manage/v1/me/tokens) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<PersonalToken>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/me/tokens/:id) */
    readonly revoke: (id: string, options?: CallOptions) => Promise<null>
  }
  readonly device: {
    /** Call (POST /manage/v1/device) */
    readonly begin: (options?: CallOptions) => Promise<WaitingDevice>
    /** Call (POST /manage/v1/device/token) */
    readonly token: (body: {
      readonly deviceCode: string
    }, options?: CallOptions) => Promise<{
      readonly token: string
    }>
    /** Call (POST /manage/v1/device/confirm) */
    readonly confirm: (body: {
      readonly userCode: string
    }, options?: CallOptions) => Promise<null>
  }
  readonly identityProviders: {
    /** Call (POST /manage/v1/identity-providers) */
    readonly create: (body: {
      readonly name: string
      readonly issuer: string
      readonly clientId: string
      readonly clientSecret: string
      readonly emailDomains?: ReadonlyArray<string> | undefined
      readonly defaultRole?: string | null | undefined
      readonly required?: boolean | undefined
    }, options?: CallOptions) => Promise<IdentityProvider>
    /** Call (GET /manage/v1/identity-providers) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<IdentityProvider>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/identity-providers/:id) */
    readonly remove: (id: string, options?: CallOptions) => Promise<null>
  }
  readonly companyProviders: {
    /** Call (POST /manage/v1/companies/:companyId/identity-providers) */
    readonly create: (companyId: string, body: {
      readonly name: string
      readonly issuer: string
      readonly clientId: string
      readonly clientSecret: string
      readonly emailDomains?: ReadonlyArray<string> | undefined
      readonly defaultRole?: string | null | undefined
      readonly required?: boolean | undefined
    }, options?: CallOptions) => Promise<IdentityProvider>
    /** Call (GET /manage/v1/companies/:companyId/identity-providers) */
    readonly list: (companyId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<IdentityProvider>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (DELETE /manage/v1/companies/:companyId/identity-providers/:id) */
    readonly remove: (companyId: string, id: string, options?: CallOptions) => Promise<null>
  }
  readonly members: {
    /** Call (GET /manage/v1/companies/:companyId/members) */
    readonly list: (companyId: string, query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Member>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (POST /manage/v1/companies/:companyId/members) */
    readonly add: (companyId: string, body: {
      readonly email: string
      readonly name?: string | null | undefined
      readonly role: string
      readonly liveAccess?: boolean | undefined
    }, options?: CallOptions) => Promise<AddedMember>
    /** Call (PATCH /manage/v1/companies/:companyId/members/:userId) */
    readonly change: (companyId: string, userId: string, body: {
      readonly role?: string | undefined
      readonly liveAccess?: boolean | undefined
    }, options?: CallOptions) => Promise<Member>
    /** Call (DELETE /manage/v1/companies/:companyId/members/:userId) */
    readonly remove: (companyId: string, userId: string, options?: CallOptions) => Promise<null>
  }
  readonly users: {
    /** Call (GET /manage/v1/users) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      readonly limit?: number | undefined
      /** `next` of the page before: the page begins behind it */
      readonly after?: string | undefined
      /** Count exactly, also beyond 10000 entries */
      readonly count?: "exact" | undefined
      /** The order, descending with `-`; -time by default */
      readonly sort?: "time" | "-time" | "name" | "-name" | "volume" | "-volume" | undefined
      /** Several values are separated by commas */
      readonly state?: ReadonlyArray<"Invited" | "Active" | "Disabled"> | undefined
      /** The beginning of the name or of the address */
      readonly q?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<ListedUser>
      /** Null where the request has `after` */
      readonly page: number | null
      readonly pageSize: number
      /** The `after` of the next page; null on the last */
      readonly next: string | null
      /** Exact where the request has `page` or `count=exact`, and up to 10000; else an estimate */
      readonly totalCount: number
      readonly totalIsExact: boolean
    }>
    /** Call (PATCH /manage/v1/users/:id) */
    readonly change: (id: string, body: {
      readonly status: string
    }, options?: CallOptions) => Promise<User>
    /** Call (POST /manage/v1/users/:id/sign-out) */
    readonly signOut: (id: string, options?: CallOptions) => Promise<{
      readonly ended: number
    }>
  }
}

/** How each call is sent. */
export const operations: Operations<ManagementClient> = {
  companies: {
    create: { method: "POST", path: "/manage/v1/companies", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/companies", params: 0, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/companies/:companyId", params: 1, body: false, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/companies/:companyId", params: 1, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/companies/:companyId", params: 1, body: false, query: false, key: false, token: false },
    restore: { method: "POST", path: "/manage/v1/companies/:companyId/restore", params: 1, body: false, query: false, key: false, token: false },
    brand: { method: "GET", path: "/manage/v1/companies/:companyId/brand", params: 1, body: false, query: false, key: false, token: false },
    setBrand: { method: "PUT", path: "/manage/v1/companies/:companyId/brand", params: 1, body: true, query: false, key: false, token: false },
    pageTexts: { method: "GET", path: "/manage/v1/companies/:companyId/page-texts", params: 1, body: false, query: false, key: false, token: false },
    setPageTexts: { method: "PUT", path: "/manage/v1/companies/:companyId/page-texts/:language", params: 2, body: true, query: false, key: false, token: false },
    openAccess: { method: "POST", path: "/manage/v1/companies/:companyId/access", params: 1, body: true, query: false, key: false, token: false },
    closeAccess: { method: "DELETE", path: "/manage/v1/companies/:companyId/access", params: 1, body: false, query: false, key: false, token: false }
  },
  accounts: {
    get: { method: "GET", path: "/manage/v1/accounts/:accountId", params: 1, body: false, query: false, key: false, token: false },
    changeSettings: { method: "PATCH", path: "/manage/v1/accounts/:accountId/settings", params: 1, body: true, query: false, key: false, token: false }
  },
  audit: {
    account: { method: "GET", path: "/manage/v1/accounts/:accountId/audit-log", params: 1, body: false, query: true, key: false, token: false },
    company: { method: "GET", path: "/manage/v1/companies/:companyId/audit-log", params: 1, body: false, query: true, key: false, token: false },
    installation: { method: "GET", path: "/manage/v1/audit-log", params: 0, body: false, query: true, key: false, token: false }
  },
  stats: {
    daily: { method: "GET", path: "/manage/v1/accounts/:accountId/stats", params: 1, body: false, query: true, key: false, token: false }
  },
  requests: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/requests", params: 1, body: false, query: true, key: false, token: false },
    usage: { method: "GET", path: "/manage/v1/accounts/:accountId/usage", params: 1, body: false, query: false, key: false, token: false }
  },
  search: {
    find: { method: "GET", path: "/manage/v1/accounts/:accountId/search", params: 1, body: false, query: true, key: false, token: false }
  },
  apiKeys: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/api-keys", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/api-keys", params: 1, body: false, query: false, key: false, token: false },
    revoke: { method: "DELETE", path: "/manage/v1/accounts/:accountId/api-keys/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  domains: {
    add: { method: "POST", path: "/manage/v1/accounts/:accountId/domains", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/domains", params: 1, body: false, query: true, key: false, token: false },
    verify: { method: "POST", path: "/manage/v1/accounts/:accountId/domains/:id/verify", params: 2, body: false, query: false, key: false, token: false },
    rotateDkim: { method: "POST", path: "/manage/v1/accounts/:accountId/domains/:id/rotate-dkim", params: 2, body: false, query: false, key: false, token: false },
    alignment: { method: "GET", path: "/manage/v1/accounts/:accountId/alignment", params: 1, body: false, query: true, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/domains/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  mailReports: {
    dmarc: { method: "GET", path: "/manage/v1/accounts/:accountId/reports/dmarc", params: 1, body: false, query: true, key: false, token: false },
    tls: { method: "GET", path: "/manage/v1/accounts/:accountId/reports/tls", params: 1, body: false, query: true, key: false, token: false }
  },
  suppressions: {
    add: { method: "POST", path: "/manage/v1/accounts/:accountId/suppressions", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/suppressions", params: 1, body: false, query: true, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/suppressions/:email", params: 2, body: false, query: false, key: false, token: false }
  },
  emails: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/emails", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/emails/:id", params: 2, body: false, query: false, key: false, token: false },
    cancel: { method: "POST", path: "/manage/v1/accounts/:accountId/emails/:id/cancel", params: 2, body: false, query: false, key: false, token: false },
    release: { method: "POST", path: "/manage/v1/accounts/:accountId/emails/:id/release", params: 2, body: false, query: false, key: false, token: false },
    refuse: { method: "POST", path: "/manage/v1/accounts/:accountId/emails/:id/refuse", params: 2, body: false, query: false, key: false, token: false },
    inbox: { method: "GET", path: "/manage/v1/accounts/:accountId/inbox", params: 1, body: false, query: true, key: false, token: false },
    inboxMessage: { method: "GET", path: "/manage/v1/accounts/:accountId/inbox/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  emailContent: {
    content: { method: "GET", path: "/manage/v1/accounts/:accountId/emails/:id/content", params: 2, body: false, query: false, key: false, token: false },
    resend: { method: "POST", path: "/manage/v1/accounts/:accountId/emails/:id/resend", params: 2, body: false, query: false, key: false, token: false },
    simulate: { method: "POST", path: "/manage/v1/accounts/:accountId/inbox/:id/simulate", params: 2, body: true, query: false, key: false, token: false }
  },
  standing: {
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/standing", params: 1, body: false, query: true, key: false, token: false },
    notices: { method: "GET", path: "/manage/v1/accounts/:accountId/notices", params: 1, body: false, query: true, key: false, token: false },
    lift: { method: "POST", path: "/manage/v1/accounts/:accountId/standing/lift", params: 1, body: true, query: false, key: false, token: false },
    observe: { method: "POST", path: "/manage/v1/accounts/:accountId/standing/observations", params: 1, body: true, query: false, key: false, token: false }
  },
  people: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts", params: 1, body: false, query: true, key: false, token: false },
    consentHistory: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts/:id/consent-history", params: 2, body: false, query: true, key: false, token: false },
    timeline: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts/:id/timeline", params: 2, body: false, query: true, key: false, token: false },
    devices: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts/:id/devices", params: 2, body: false, query: false, key: false, token: false },
    topics: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts/:id/topics", params: 2, body: false, query: false, key: false, token: false },
    askToConfirm: { method: "POST", path: "/manage/v1/accounts/:accountId/contacts/:id/double-opt-in", params: 2, body: false, query: false, key: false, token: false },
    sendConfirmation: { method: "POST", path: "/manage/v1/accounts/:accountId/contacts/:id/double-opt-in/email", params: 2, body: false, query: false, key: false, token: false },
    links: { method: "POST", path: "/manage/v1/accounts/:accountId/contacts/:id/links", params: 2, body: false, query: false, key: false, token: false },
    erase: { method: "POST", path: "/manage/v1/accounts/:accountId/erasures", params: 1, body: true, query: false, key: false, token: false }
  },
  managedContacts: {
    write: { method: "POST", path: "/manage/v1/accounts/:accountId/contacts", params: 1, body: true, query: false, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts/:id", params: 2, body: false, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/accounts/:accountId/contacts/:id", params: 2, body: true, query: false, key: false, token: false },
    erase: { method: "DELETE", path: "/manage/v1/accounts/:accountId/contacts/:id", params: 2, body: false, query: false, key: false, token: false },
    createField: { method: "POST", path: "/manage/v1/accounts/:accountId/contact-attributes", params: 1, body: true, query: false, key: false, token: false },
    listFields: { method: "GET", path: "/manage/v1/accounts/:accountId/contact-attributes", params: 1, body: false, query: false, key: false, token: false },
    updateField: { method: "PATCH", path: "/manage/v1/accounts/:accountId/contact-attributes/:key", params: 2, body: true, query: false, key: false, token: false }
  },
  explain: {
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/explain", params: 1, body: false, query: true, key: false, token: false }
  },
  jobs: {
    start: { method: "POST", path: "/manage/v1/accounts/:accountId/contacts/bulk", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/jobs", params: 1, body: false, query: true, key: false, token: false },
    exports: { method: "GET", path: "/manage/v1/accounts/:accountId/exports", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/jobs/:id", params: 2, body: false, query: false, key: false, token: false },
    cancel: { method: "DELETE", path: "/manage/v1/accounts/:accountId/jobs/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  views: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/views", params: 1, body: false, query: true, key: false, token: false },
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/views", params: 1, body: true, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/accounts/:accountId/views/:id", params: 2, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/views/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  imports: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/imports", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/imports/:id", params: 2, body: false, query: false, key: false, token: false },
    cancel: { method: "DELETE", path: "/manage/v1/accounts/:accountId/imports/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  managedEvents: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/events", params: 1, body: false, query: true, key: false, token: false },
    accept: { method: "POST", path: "/manage/v1/accounts/:accountId/events", params: 1, body: true, query: false, key: false, token: false }
  },
  managedSegments: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/segments", params: 1, body: true, query: false, key: false, token: false },
    preview: { method: "POST", path: "/manage/v1/accounts/:accountId/segments/preview", params: 1, body: true, query: false, key: false, token: false },
    reach: { method: "POST", path: "/manage/v1/accounts/:accountId/segments/reach", params: 1, body: true, query: false, key: false, token: false },
    fields: { method: "GET", path: "/manage/v1/accounts/:accountId/segments/fields", params: 1, body: false, query: false, key: false, token: false },
    values: { method: "GET", path: "/manage/v1/accounts/:accountId/segments/values", params: 1, body: false, query: true, key: false, token: false },
    sizes: { method: "GET", path: "/manage/v1/accounts/:accountId/segments/sizes", params: 1, body: false, query: true, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/segments", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/segments/:id", params: 2, body: false, query: false, key: false, token: false },
    usage: { method: "GET", path: "/manage/v1/accounts/:accountId/segments/:id/usage", params: 2, body: false, query: false, key: false, token: false },
    update: { method: "PATCH", path: "/manage/v1/accounts/:accountId/segments/:id", params: 2, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/segments/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  managedTopics: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/topics", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/topics", params: 1, body: false, query: true, key: false, token: false },
    update: { method: "PATCH", path: "/manage/v1/accounts/:accountId/topics/:id", params: 2, body: true, query: false, key: false, token: false }
  },
  managedStores: {
    connect: { method: "POST", path: "/manage/v1/accounts/:accountId/stores", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/stores", params: 1, body: false, query: true, key: false, token: false },
    events: { method: "GET", path: "/manage/v1/accounts/:accountId/stores/:id/events", params: 2, body: false, query: true, key: false, token: false },
    replay: { method: "POST", path: "/manage/v1/accounts/:accountId/stores/:id/events/replay", params: 2, body: true, query: false, key: false, token: false },
    disconnect: { method: "DELETE", path: "/manage/v1/accounts/:accountId/stores/:id", params: 2, body: false, query: false, key: false, token: false },
    orders: { method: "GET", path: "/manage/v1/accounts/:accountId/orders", params: 1, body: false, query: true, key: false, token: false },
    items: { method: "GET", path: "/manage/v1/accounts/:accountId/items", params: 1, body: false, query: true, key: false, token: false },
    importItems: { method: "POST", path: "/manage/v1/accounts/:accountId/items/batch", params: 1, body: true, query: false, key: false, token: false },
    itemUsage: { method: "GET", path: "/manage/v1/accounts/:accountId/items/:id/usage", params: 2, body: false, query: false, key: false, token: false },
    order: { method: "GET", path: "/manage/v1/accounts/:accountId/orders/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  templates: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/templates", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/templates", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/templates/:id", params: 2, body: false, query: false, key: false, token: false },
    update: { method: "PATCH", path: "/manage/v1/accounts/:accountId/templates/:id", params: 2, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/templates/:id", params: 2, body: false, query: false, key: false, token: false },
    render: { method: "POST", path: "/manage/v1/accounts/:accountId/templates/:id/render", params: 2, body: true, query: false, key: false, token: false },
    versions: { method: "GET", path: "/manage/v1/accounts/:accountId/templates/:id/versions", params: 2, body: false, query: true, key: false, token: false },
    version: { method: "GET", path: "/manage/v1/accounts/:accountId/templates/:id/versions/:version", params: 3, body: false, query: false, key: false, token: false },
    restore: { method: "POST", path: "/manage/v1/accounts/:accountId/templates/:id/restore", params: 2, body: true, query: false, key: false, token: false },
    usage: { method: "GET", path: "/manage/v1/accounts/:accountId/templates/:id/usage", params: 2, body: false, query: false, key: false, token: false },
    test: { method: "POST", path: "/manage/v1/accounts/:accountId/templates/:id/test", params: 2, body: true, query: false, key: false, token: false },
    preview: { method: "POST", path: "/manage/v1/accounts/:accountId/templates/preview", params: 1, body: true, query: false, key: false, token: false },
    starters: { method: "GET", path: "/manage/v1/accounts/:accountId/template-starters", params: 1, body: false, query: false, key: false, token: false }
  },
  images: {
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/images", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/images/:id", params: 2, body: false, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/images/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  flows: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/flows", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/flows", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/flows/:id", params: 2, body: false, query: false, key: false, token: false },
    replace: { method: "PUT", path: "/manage/v1/accounts/:accountId/flows/:id", params: 2, body: true, query: false, key: false, token: false },
    publish: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/publish", params: 2, body: false, query: false, key: false, token: false },
    pause: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/pause", params: 2, body: false, query: false, key: false, token: false },
    archive: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/archive", params: 2, body: false, query: false, key: false, token: false },
    issueToken: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/trigger-token", params: 2, body: false, query: false, key: false, token: false },
    webhookSecret: { method: "GET", path: "/manage/v1/accounts/:accountId/flows/:id/webhook-secret", params: 2, body: false, query: false, key: false, token: false },
    runs: { method: "GET", path: "/manage/v1/accounts/:accountId/flows/:id/runs", params: 2, body: false, query: true, key: false, token: false },
    runsOfContact: { method: "GET", path: "/manage/v1/accounts/:accountId/contacts/:id/runs", params: 2, body: false, query: true, key: false, token: false },
    stats: { method: "GET", path: "/manage/v1/accounts/:accountId/flows/:id/stats", params: 2, body: false, query: false, key: false, token: false },
    versions: { method: "GET", path: "/manage/v1/accounts/:accountId/flows/:id/versions", params: 2, body: false, query: true, key: false, token: false },
    version: { method: "GET", path: "/manage/v1/accounts/:accountId/flows/:id/versions/:version", params: 3, body: false, query: false, key: false, token: false },
    start: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/start", params: 2, body: true, query: false, key: false, token: false },
    stopRun: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/runs/:runId/stop", params: 3, body: false, query: false, key: false, token: false },
    simulate: { method: "POST", path: "/manage/v1/accounts/:accountId/flows/:id/simulate", params: 2, body: true, query: false, key: false, token: false },
    blueprints: { method: "GET", path: "/manage/v1/accounts/:accountId/flow-blueprints", params: 1, body: false, query: false, key: false, token: false },
    install: { method: "POST", path: "/manage/v1/accounts/:accountId/flow-blueprints/:key/install", params: 2, body: false, query: false, key: false, token: false }
  },
  campaigns: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns", params: 1, body: true, query: false, key: false, token: false },
    audience: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/audience", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns", params: 1, body: false, query: true, key: false, token: false },
    compare: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/compare", params: 1, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id", params: 2, body: false, query: false, key: false, token: false },
    update: { method: "PATCH", path: "/manage/v1/accounts/:accountId/campaigns/:id", params: 2, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/campaigns/:id", params: 2, body: false, query: false, key: false, token: false },
    copy: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/copy", params: 2, body: true, query: false, key: false, token: false },
    check: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/check", params: 2, body: false, query: false, key: false, token: false },
    preview: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/preview", params: 2, body: true, query: false, key: false, token: false },
    previewUnsaved: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/preview", params: 1, body: true, query: false, key: false, token: false },
    test: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/test", params: 2, body: true, query: false, key: false, token: false },
    approval: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/approval", params: 2, body: true, query: false, key: false, token: false },
    winner: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/winner", params: 2, body: true, query: false, key: false, token: false },
    stats: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/stats", params: 2, body: false, query: true, key: false, token: false },
    links: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/links", params: 2, body: false, query: true, key: false, token: false },
    versions: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/versions", params: 2, body: false, query: false, key: false, token: false },
    version: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/versions/:version", params: 3, body: false, query: false, key: false, token: false },
    history: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/history", params: 2, body: false, query: false, key: false, token: false },
    launch: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/launch", params: 2, body: true, query: false, key: false, token: false },
    unschedule: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/unschedule", params: 2, body: false, query: false, key: false, token: false },
    pause: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/pause", params: 2, body: true, query: false, key: false, token: false },
    resume: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/resume", params: 2, body: true, query: false, key: false, token: false },
    cancel: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/cancel", params: 2, body: true, query: false, key: false, token: false },
    retry: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/retry", params: 2, body: true, query: false, key: false, token: false },
    export: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/recipients/export", params: 2, body: true, query: false, key: false, token: false },
    recipients: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/recipients", params: 2, body: false, query: true, key: false, token: false },
    recipient: { method: "GET", path: "/manage/v1/accounts/:accountId/campaigns/:id/recipients/:contactId", params: 3, body: false, query: false, key: false, token: false },
    recount: { method: "POST", path: "/manage/v1/accounts/:accountId/campaigns/:id/recount", params: 2, body: false, query: false, key: false, token: false }
  },
  webhooks: {
    create: { method: "POST", path: "/manage/v1/accounts/:accountId/webhooks", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/accounts/:accountId/webhooks", params: 1, body: false, query: true, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/accounts/:accountId/webhooks/:id", params: 2, body: false, query: false, key: false, token: false },
    test: { method: "POST", path: "/manage/v1/accounts/:accountId/webhooks/:id/test", params: 2, body: false, query: false, key: false, token: false },
    rotateSecret: { method: "POST", path: "/manage/v1/accounts/:accountId/webhooks/:id/rotate-secret", params: 2, body: false, query: false, key: false, token: false },
    notifications: { method: "GET", path: "/manage/v1/accounts/:accountId/notifications", params: 1, body: false, query: true, key: false, token: false },
    notification: { method: "GET", path: "/manage/v1/accounts/:accountId/notifications/:id", params: 2, body: false, query: false, key: false, token: false },
    resend: { method: "POST", path: "/manage/v1/accounts/:accountId/webhooks/:id/resend", params: 2, body: true, query: false, key: false, token: false },
    deliveries: { method: "GET", path: "/manage/v1/accounts/:accountId/webhooks/:id/deliveries", params: 2, body: false, query: true, key: false, token: false }
  },
  logs: {
    hash: { method: "POST", path: "/manage/v1/logs/hash", params: 0, body: true, query: false, key: false, token: false }
  },
  tokens: {
    create: { method: "POST", path: "/manage/v1/tokens", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/tokens", params: 0, body: false, query: true, key: false, token: false },
    revoke: { method: "DELETE", path: "/manage/v1/tokens/:id", params: 1, body: false, query: false, key: false, token: false }
  },
  companyTokens: {
    create: { method: "POST", path: "/manage/v1/companies/:companyId/tokens", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/companies/:companyId/tokens", params: 1, body: false, query: true, key: false, token: false },
    revoke: { method: "DELETE", path: "/manage/v1/companies/:companyId/tokens/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  secrets: {
    rotate: { method: "POST", path: "/manage/v1/secrets/rotate", params: 0, body: false, query: false, key: false, token: false }
  },
  installation: {
    nodes: { method: "GET", path: "/manage/v1/nodes", params: 0, body: false, query: true, key: false, token: false },
    jobs: { method: "GET", path: "/manage/v1/jobs", params: 0, body: false, query: true, key: false, token: false },
    queues: { method: "GET", path: "/manage/v1/queues", params: 0, body: false, query: false, key: false, token: false },
    retryJob: { method: "POST", path: "/manage/v1/jobs/:id/retry", params: 1, body: false, query: false, key: false, token: false },
    dropJob: { method: "DELETE", path: "/manage/v1/jobs/:id", params: 1, body: false, query: false, key: false, token: false },
    database: { method: "GET", path: "/manage/v1/database", params: 0, body: false, query: false, key: false, token: false },
    certificates: { method: "GET", path: "/manage/v1/certificates", params: 0, body: false, query: false, key: false, token: false },
    backups: { method: "GET", path: "/manage/v1/backups", params: 0, body: false, query: false, key: false, token: false },
    lines: { method: "GET", path: "/manage/v1/logs", params: 0, body: false, query: true, key: false, token: false },
    alerts: { method: "GET", path: "/manage/v1/alerts", params: 0, body: false, query: false, key: false, token: false },
    configuration: { method: "GET", path: "/manage/v1/configuration", params: 0, body: false, query: false, key: false, token: false },
    advanceClock: { method: "POST", path: "/manage/v1/clock/advance", params: 0, body: true, query: false, key: false, token: false }
  },
  shaping: {
    classify: { method: "POST", path: "/manage/v1/shaping/classify", params: 0, body: true, query: false, key: false, token: false },
    notices: { method: "GET", path: "/manage/v1/shaping/notices", params: 0, body: false, query: true, key: false, token: false },
    explain: { method: "GET", path: "/manage/v1/shaping/explain", params: 0, body: false, query: true, key: false, token: false },
    suspend: { method: "POST", path: "/manage/v1/shaping/suspend", params: 0, body: true, query: false, key: false, token: false },
    resume: { method: "POST", path: "/manage/v1/shaping/resume", params: 0, body: true, query: false, key: false, token: false },
    flush: { method: "POST", path: "/manage/v1/shaping/flush", params: 0, body: true, query: false, key: false, token: false },
    bounce: { method: "POST", path: "/manage/v1/shaping/bounce", params: 0, body: true, query: false, key: false, token: false },
    lanes: { method: "GET", path: "/manage/v1/shaping/lanes", params: 0, body: false, query: true, key: false, token: false },
    providers: { method: "GET", path: "/manage/v1/shaping/providers", params: 0, body: false, query: true, key: false, token: false },
    override: { method: "PUT", path: "/manage/v1/shaping/overrides/:target", params: 1, body: true, query: false, key: false, token: false },
    removeOverride: { method: "DELETE", path: "/manage/v1/shaping/overrides/:target", params: 1, body: false, query: false, key: false, token: false }
  },
  sources: {
    create: { method: "POST", path: "/manage/v1/sources", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/sources", params: 0, body: false, query: true, key: false, token: false },
    spf: { method: "GET", path: "/manage/v1/sources/spf", params: 0, body: false, query: false, key: false, token: false },
    plan: { method: "GET", path: "/manage/v1/sources/plan", params: 0, body: false, query: false, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/sources/:id", params: 1, body: false, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/sources/:id", params: 1, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/sources/:id", params: 1, body: false, query: false, key: false, token: false },
    check: { method: "POST", path: "/manage/v1/sources/:id/check", params: 1, body: false, query: false, key: false, token: false },
    warmUp: { method: "POST", path: "/manage/v1/sources/:id/warm-up", params: 1, body: true, query: false, key: false, token: false },
    pause: { method: "POST", path: "/manage/v1/sources/:id/pause", params: 1, body: false, query: false, key: false, token: false },
    activate: { method: "POST", path: "/manage/v1/sources/:id/activate", params: 1, body: false, query: false, key: false, token: false }
  },
  pools: {
    create: { method: "POST", path: "/manage/v1/pools", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/pools", params: 0, body: false, query: true, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/pools/:key", params: 1, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/pools/:key", params: 1, body: false, query: false, key: false, token: false }
  },
  relays: {
    create: { method: "POST", path: "/manage/v1/relays", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/relays", params: 0, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/relays/:id", params: 1, body: false, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/relays/:id", params: 1, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/relays/:id", params: 1, body: false, query: false, key: false, token: false },
    check: { method: "POST", path: "/manage/v1/relays/:id/check", params: 1, body: false, query: false, key: false, token: false }
  },
  companyRelays: {
    create: { method: "POST", path: "/manage/v1/companies/:companyId/relays", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/companies/:companyId/relays", params: 1, body: false, query: true, key: false, token: false },
    shared: { method: "GET", path: "/manage/v1/companies/:companyId/shared-relays", params: 1, body: false, query: false, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/companies/:companyId/relays/:id", params: 2, body: false, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/companies/:companyId/relays/:id", params: 2, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/companies/:companyId/relays/:id", params: 2, body: false, query: false, key: false, token: false },
    check: { method: "POST", path: "/manage/v1/companies/:companyId/relays/:id/check", params: 2, body: false, query: false, key: false, token: false }
  },
  session: {
    start: { method: "POST", path: "/manage/v1/session/start", params: 0, body: true, query: false, key: false, token: false },
    password: { method: "POST", path: "/manage/v1/session/password", params: 0, body: true, query: false, key: false, token: false },
    passkeyOptions: { method: "POST", path: "/manage/v1/session/passkey/options", params: 0, body: false, query: false, key: false, token: false },
    passkey: { method: "POST", path: "/manage/v1/session/passkey", params: 0, body: true, query: false, key: false, token: false },
    get: { method: "GET", path: "/manage/v1/session", params: 0, body: false, query: false, key: false, token: false },
    confirm: { method: "POST", path: "/manage/v1/session/confirm", params: 0, body: true, query: false, key: false, token: false },
    signOut: { method: "DELETE", path: "/manage/v1/session", params: 0, body: false, query: false, key: false, token: false },
    signOutEverywhere: { method: "DELETE", path: "/manage/v1/sessions", params: 0, body: false, query: false, key: false, token: false },
    welcome: { method: "POST", path: "/manage/v1/welcome", params: 0, body: true, query: false, key: false, token: false },
    welcomePasskey: { method: "POST", path: "/manage/v1/welcome/passkey-options", params: 0, body: true, query: false, key: false, token: false },
    complete: { method: "POST", path: "/manage/v1/welcome/complete", params: 0, body: true, query: false, key: false, token: false },
    reset: { method: "POST", path: "/manage/v1/password-resets", params: 0, body: true, query: false, key: false, token: false }
  },
  ownAccount: {
    get: { method: "GET", path: "/manage/v1/me", params: 0, body: false, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/me", params: 0, body: true, query: false, key: false, token: false },
    totp: { method: "GET", path: "/manage/v1/me/totp", params: 0, body: false, query: false, key: false, token: false },
    addTotp: { method: "POST", path: "/manage/v1/me/totp", params: 0, body: true, query: false, key: false, token: false },
    removeTotp: { method: "DELETE", path: "/manage/v1/me/totp", params: 0, body: false, query: false, key: false, token: false },
    recoveryCodes: { method: "GET", path: "/manage/v1/me/recovery-codes", params: 0, body: false, query: false, key: false, token: false },
    renewRecoveryCodes: { method: "POST", path: "/manage/v1/me/recovery-codes", params: 0, body: false, query: false, key: false, token: false },
    passkeys: { method: "GET", path: "/manage/v1/me/passkeys", params: 0, body: false, query: false, key: false, token: false },
    addPasskey: { method: "POST", path: "/manage/v1/me/passkeys", params: 0, body: true, query: false, key: false, token: false },
    renamePasskey: { method: "PATCH", path: "/manage/v1/me/passkeys/:id", params: 1, body: true, query: false, key: false, token: false },
    removePasskey: { method: "DELETE", path: "/manage/v1/me/passkeys/:id", params: 1, body: false, query: false, key: false, token: false },
    sessions: { method: "GET", path: "/manage/v1/me/sessions", params: 0, body: false, query: true, key: false, token: false },
    endSession: { method: "DELETE", path: "/manage/v1/me/sessions/:id", params: 1, body: false, query: false, key: false, token: false }
  },
  personalTokens: {
    create: { method: "POST", path: "/manage/v1/me/tokens", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/me/tokens", params: 0, body: false, query: true, key: false, token: false },
    revoke: { method: "DELETE", path: "/manage/v1/me/tokens/:id", params: 1, body: false, query: false, key: false, token: false }
  },
  device: {
    begin: { method: "POST", path: "/manage/v1/device", params: 0, body: false, query: false, key: false, token: false },
    token: { method: "POST", path: "/manage/v1/device/token", params: 0, body: true, query: false, key: false, token: false },
    confirm: { method: "POST", path: "/manage/v1/device/confirm", params: 0, body: true, query: false, key: false, token: false }
  },
  identityProviders: {
    create: { method: "POST", path: "/manage/v1/identity-providers", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/identity-providers", params: 0, body: false, query: true, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/identity-providers/:id", params: 1, body: false, query: false, key: false, token: false }
  },
  companyProviders: {
    create: { method: "POST", path: "/manage/v1/companies/:companyId/identity-providers", params: 1, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/manage/v1/companies/:companyId/identity-providers", params: 1, body: false, query: true, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/companies/:companyId/identity-providers/:id", params: 2, body: false, query: false, key: false, token: false }
  },
  members: {
    list: { method: "GET", path: "/manage/v1/companies/:companyId/members", params: 1, body: false, query: true, key: false, token: false },
    add: { method: "POST", path: "/manage/v1/companies/:companyId/members", params: 1, body: true, query: false, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/companies/:companyId/members/:userId", params: 2, body: true, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/manage/v1/companies/:companyId/members/:userId", params: 2, body: false, query: false, key: false, token: false }
  },
  users: {
    list: { method: "GET", path: "/manage/v1/users", params: 0, body: false, query: true, key: false, token: false },
    change: { method: "PATCH", path: "/manage/v1/users/:id", params: 1, body: true, query: false, key: false, token: false },
    signOut: { method: "POST", path: "/manage/v1/users/:id/sign-out", params: 1, body: false, query: false, key: false, token: false }
  }
}
