/**
 * Companies and their accounts. A company has a live and a sandbox account, and every limit counts per account
 * (decisions 1).
 *
 * @module
 */

/** What an account sends to: people, or only its own inbox. */
export type Mode = "Live" | "Sandbox"

/** An address mail is sent from. */
export interface Sender {
  readonly email: string
  readonly name: string | null
}

/** Whether opens and clicks are tracked. */
export interface Tracking {
  readonly opens: boolean
  readonly clicks: boolean
}

/** What an account's operator can set (management-api, PATCH A/settings). */
export interface Settings {
  /** Whether an unknown attribute key makes a contact field. */
  readonly autoCreateAttributes: boolean
  /** Tracking of transactional email. */
  readonly tracking: Tracking
  /** Tracking of flow email. */
  readonly flowTracking: Tracking
  /** The most contacts the account may have; null for no limit. */
  readonly contactLimit: number | null
  /** The most emails a day; null for no limit. */
  readonly dailySendLimit: number | null
  /** Days until an email's content is erased. */
  readonly retentionDays: number
  /** Days until a recipient's personal data is erased. */
  readonly recipientRetentionDays: number
  readonly defaultSender: Sender | null
  /** Calls a minute for each key, and for each store's token. */
  readonly rateLimitPerMinute: number
}

/** The settings a new account starts with. */
export const defaultSettings: Settings = {
  autoCreateAttributes: false,
  tracking: { opens: false, clicks: false },
  flowTracking: { opens: true, clicks: true },
  contactLimit: null,
  dailySendLimit: null,
  retentionDays: 30,
  recipientRetentionDays: 365,
  defaultSender: null,
  rateLimitPerMinute: 600
}

/** One of a company's two accounts: everything counts and is kept by account. */
export interface Account {
  readonly id: string
  readonly companyId: string
  readonly mode: Mode
  readonly name: string
  readonly settings: Settings
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A company with its live and its sandbox account. */
export interface Company {
  readonly id: string
  readonly name: string
  readonly liveAccountId: string
  readonly sandboxAccountId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}
