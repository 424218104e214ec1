/**
 * Companies and their accounts. A company has a live and a sandbox account, and every limit counts per account
 * (docs/contributing/decisions.md 1).
 *
 * @module
 */
import type { Edited } from "./Edited.ts"

/** Whether an account's email is sent to its recipients (Live), or only to the account's own inbox (Sandbox). */
export type Mode = "Live" | "Sandbox"

/** An address that sends email. */
export interface Sender {
  readonly email: string
  readonly name: string | null
}

/** Whether opens and clicks are tracked. */
export interface Tracking {
  readonly opens: boolean
  readonly clicks: boolean
}

/**
 * How an account's mail is sent, per stream, in order of preference: `relay:` with a relay's id, or `Direct`; null for the
 * default.
 */
export interface DeliveryWays {
  readonly transactional: ReadonlyArray<string> | null
  readonly marketing: ReadonlyArray<string> | null
}

/** The id of the relay that an entry of `DeliveryWays` names; null for `Direct`. */
export const relayOfWay = (way: string): string | null =>
  way === "Direct" ? null : way.slice("relay:".length).toLowerCase()

/** Hours of a day, `HH:MM`, from the first (inclusive) to the last (exclusive); they may span midnight. */
export interface LocalHours {
  readonly from: string
  readonly to: string
}

/** The most marketing emails that a person gets within a number of 24-hour periods. */
export interface FrequencyCap {
  readonly emails: number
  readonly days: number
}

/** The largest `emails` of a frequency cap. */
export const maxCapEmails = 20

/** Whether a campaign can be launched only after a second person approved it. */
export interface CampaignApprovalRule {
  readonly required: boolean
  /** Campaigns for at most this many people need no approval. */
  readonly above: number
}

/** The percentages at which a campaign is paused automatically; null for no limit. */
export interface CampaignLimits {
  /** Complaints, as a percentage of delivered emails. */
  readonly complaintPercent: number | null
  /** Bounces, as a percentage of attempted emails. */
  readonly bouncePercent: number | null
  /** Failures to render the content, as a percentage of the people decided on. */
  readonly renderFailurePercent: number | null
}

/** The public archive of an account's campaigns. */
export interface ArchiveSettings {
  /** If false, none of its pages are shown. */
  readonly enabled: boolean
  /** Null for the name of the account. */
  readonly title: string | null
  readonly description: string | null
}

/** The keys of the source pools of an account's streams. */
export interface StreamPools {
  readonly transactional: string
  readonly marketing: string
}

/** The settings of an account that an operator can change (docs/contributing/management-api.md, PATCH A/settings). */
export interface Settings {
  /** Whether an unknown attribute key creates a contact field. */
  readonly autoCreateAttributes: boolean
  /** Tracking of transactional email. */
  readonly tracking: Tracking
  /** Tracking of flow email. */
  readonly flowTracking: Tracking
  /** The most contacts the account may have; null for no limit. */
  readonly contactLimit: number | null
  /** The most emails per day; null for no limit. */
  readonly dailySendLimit: number | null
  /** The number of days after which an email's content is erased. */
  readonly retentionDays: number
  /** The number of days after which a recipient's personal data is erased. */
  readonly recipientRetentionDays: number
  readonly defaultSender: Sender | null
  /** How many days after a click an order is still attributed to it. */
  readonly conversionWindowDays: number
  /** Whether signed and encrypted messages received by SMTP keep their bodies byte for byte, so that their signatures verify. */
  readonly preserveSigned: boolean
  /** The calls per minute for each key, and for each store's token. */
  readonly rateLimitPerMinute: number
  /** How many of the first marketing emails of each flow are held for the operator's review; 0 for none. */
  readonly reviewFirst: number
  /** Whether marketing email with click tracking contains the trap link, which people cannot see and only programs follow. */
  readonly trapLink: boolean
  /** Whether marketing waits while the account's standing is `Held`. */
  readonly standingHolds: boolean
  /** The keys of the pools from whose addresses the account's mail is sent. */
  readonly pools: StreamPools
  /** Whether the account's mail is sent only over encrypted connections. */
  readonly requireTls: boolean
  /** For how many days calls of the public API are stored in the request log; 0 for none. */
  readonly requestLogDays: number
  /** The language, a BCP 47 tag, of content for recipients whose language is not known. */
  readonly language: string
  /** Whether a person whose address was erased can no longer be added, by any kind of write. */
  readonly keepErased: boolean
  /** How the account's mail is sent; null for the installation's default. */
  readonly delivery: DeliveryWays | null
  /** The time zone, an IANA name, of people whose time zone is not known. */
  readonly timeZone: string
  /** The key of the contact field that contains a person's time zone; null for none. */
  readonly timeZoneAttribute: string | null
  /** The hours in which no marketing is sent, in each person's time zone; null for none. */
  readonly quietHours: LocalHours | null
  /** Limits on the marketing emails of flows and campaigns together; all of them apply. */
  readonly marketingCaps: ReadonlyArray<FrequencyCap>
  /** The percentage of people who get no marketing, for comparison. */
  readonly holdoutPercent: number
  /** The percentage of `dailySendLimit` that campaigns leave for other email. */
  readonly transactionalReservePercent: number
  /** Tracking of campaigns that do not set their own. */
  readonly campaignTracking: Tracking
  readonly campaignLimits: CampaignLimits
  readonly campaignApproval: CampaignApprovalRule
  /** The addresses, besides those of members, to which tests of campaigns are sent; normalized. */
  readonly testAddresses: ReadonlyArray<string>
  readonly archive: ArchiveSettings
}

/** The settings of a new account. */
export const defaultSettings: Settings = {
  autoCreateAttributes: false,
  tracking: { opens: false, clicks: false },
  flowTracking: { opens: true, clicks: true },
  contactLimit: null,
  dailySendLimit: null,
  retentionDays: 30,
  recipientRetentionDays: 365,
  defaultSender: null,
  conversionWindowDays: 5,
  preserveSigned: false,
  rateLimitPerMinute: 600,
  reviewFirst: 0,
  trapLink: false,
  standingHolds: true,
  pools: { transactional: "default", marketing: "default" },
  requireTls: false,
  requestLogDays: 7,
  language: "en",
  keepErased: false,
  delivery: null,
  timeZone: "UTC",
  timeZoneAttribute: null,
  quietHours: null,
  marketingCaps: [],
  holdoutPercent: 0,
  transactionalReservePercent: 10,
  campaignTracking: { opens: true, clicks: true },
  campaignLimits: { complaintPercent: 0.3, bouncePercent: 5, renderFailurePercent: 5 },
  campaignApproval: { required: false, above: 0 },
  testAddresses: [],
  archive: { enabled: false, title: null, description: null }
}

/** How many emails campaigns may send in a day. What they leave for other email is never the whole limit. Null for no limit. */
export const campaignDailyLimit = ({
  dailySendLimit,
  transactionalReservePercent
}: Pick<Settings, "dailySendLimit" | "transactionalReservePercent">): number | null => {
  if (dailySendLimit === null) return null
  const left = Math.floor((dailySendLimit * (100 - transactionalReservePercent)) / 100)
  return Math.min(dailySendLimit, Math.max(1, left))
}

/** One of a company's two accounts. All data and limits are per account. Its `updatedAt` and `updatedBy` concern its settings. */
export interface Account extends Edited {
  readonly id: string
  readonly companyId: string
  readonly mode: Mode
  readonly name: string
  readonly settings: Settings
  /**
   * When its company was deleted, epoch milliseconds; null if it was not. From then on its keys are rejected and nothing is sent.
   */
  readonly deletedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Colours of a brand, each `#` and six hexadecimal digits in lower case, or null. */
export interface BrandColors {
  readonly accent: string | null
  readonly background: string | null
  readonly text: string | null
}

/** How a company presents itself in its emails and on its pages; each part may be null. */
export interface Brand {
  readonly name: string | null
  /** The id of an uploaded image. */
  readonly logo: string | null
  readonly colors: BrandColors
  /** The postal address that marketing email must show. */
  readonly postalAddress: string | null
  readonly footer: string | null
}

/** The brand of a company that has set none. */
export const emptyBrand: Brand = {
  name: null,
  logo: null,
  colors: { accent: null, background: null, text: null },
  postalAddress: null,
  footer: null
}

/** A company's own texts, by the keys that `OwnTextRules.ts` defines. */
export type TextsByKey = Readonly<Record<string, string>>

/** A company's own texts, by language, that replace those of the service on hosted pages and in confirmation emails. */
export type OwnTexts = Readonly<Record<string, TextsByKey>>

/** The policy of a new company. */
export const defaultPolicy = {
  requireTwoFactors: false,
  auditRetentionDays: 400,
  brand: emptyBrand,
  pageTexts: {},
  deletedAt: null
} as const

/** The states of a company. A deleted company is erased after 30 days. */
export const companyStates = ["Active", "Deleted"] as const
export type CompanyState = (typeof companyStates)[number]

/** A company with its live and its sandbox account. */
export interface Company {
  readonly id: string
  readonly name: string
  readonly liveAccountId: string
  readonly sandboxAccountId: string
  /** Whether each member must have a second factor. */
  readonly requireTwoFactors: boolean
  /** The number of days after which entries of its audit log are deleted. */
  readonly auditRetentionDays: number
  readonly brand: Brand
  readonly pageTexts: OwnTexts
  /** When it was deleted, epoch milliseconds; null if it was not. It is erased 30 days later. */
  readonly deletedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The account id for records of the installation: counts of networks, and entries of its audit log. */
export const noAccount = "00000000-0000-0000-0000-000000000000"
