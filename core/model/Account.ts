/**
 * Companies and their accounts. A company has a live and a sandbox account, and every limit counts per account
 * (docs/contributing/decisions.md 1).
 *
 * @module
 */
import type { Edited } from "./Edited.ts"

/** Whether an account's email reaches people, or only its own inbox. */
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

/** The ways of an account's mail, for each stream in order: `relay:` with a relay's id, or `Direct`; null for the default. */
export interface DeliveryWays {
  readonly transactional: ReadonlyArray<string> | null
  readonly marketing: ReadonlyArray<string> | null
}

/** The id of the relay that an entry of `DeliveryWays` names; null for `Direct`. */
export const relayOfWay = (way: string): string | null =>
  way === "Direct" ? null : way.slice("relay:".length).toLowerCase()

/** Hours of a day, `HH:MM`, the first included and the last not; they may span midnight. */
export interface LocalHours {
  readonly from: string
  readonly to: string
}

/** The most marketing emails that a person gets in some days of 24 hours. */
export interface FrequencyCap {
  readonly emails: number
  readonly days: number
}

/** The largest `emails` of a frequency cap. */
export const maxCapEmails = 20

/** Whether a campaign is launched only after a second person approved it. */
export interface CampaignApprovalRule {
  readonly required: boolean
  /** Campaigns for at most this many people need none. */
  readonly above: number
}

/** The percentages at which a campaign is paused by itself; null for no limit. */
export interface CampaignLimits {
  /** Complaints of delivered. */
  readonly complaintPercent: number | null
  /** Bounces of attempted. */
  readonly bouncePercent: number | null
  /** Contents that did not render, of people decided on. */
  readonly renderFailurePercent: number | null
}

/** The public archive of an account's campaigns. */
export interface ArchiveSettings {
  /** While it is off, none of its pages is shown. */
  readonly enabled: boolean
  /** Null for the name of the account. */
  readonly title: string | null
  readonly description: string | null
}

/** The keys of the pools of an account's streams. */
export interface StreamPools {
  readonly transactional: string
  readonly marketing: string
}

/** What the operator can set for an account (docs/contributing/management-api.md, PATCH A/settings). */
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
  /** How many days after a click an order is attributed to it. */
  readonly conversionWindowDays: number
  /** Whether signed and encrypted messages by SMTP keep their bodies, byte for byte, so that their signatures verify. */
  readonly preserveSigned: boolean
  /** Calls a minute for each key, and for each store's token. */
  readonly rateLimitPerMinute: number
  /** How many of the first marketing emails of each flow are held for the operator's review; 0 for none. */
  readonly reviewFirst: number
  /** Whether marketing email whose clicks are tracked has a link that people cannot see, which only programs follow. */
  readonly trapLink: boolean
  /** Whether marketing waits while the account's standing is `Held`. */
  readonly standingHolds: boolean
  /** The keys of the pools whose addresses its mail leaves from. */
  readonly pools: StreamPools
  /** Whether its mail leaves over encrypted connections alone. */
  readonly requireTls: boolean
  /** How many days calls of the public API stay in the request log; 0 for none. */
  readonly requestLogDays: number
  /** The language of content whose recipient's is not known, a tag of BCP 47. */
  readonly language: string
  /** Whether no write of any kind adds a person again whose address was erased. */
  readonly keepErased: boolean
  /** How its mail leaves; null for the installation's default. */
  readonly delivery: DeliveryWays | null
  /** The time zone of people of whom none is known, an IANA name. */
  readonly timeZone: string
  /** The key of the contact field that has a person's time zone; null for none. */
  readonly timeZoneAttribute: string | null
  /** The hours in which no marketing is sent, in the time zone of each person; null for none. */
  readonly quietHours: LocalHours | null
  /** All of them bind the marketing emails of flows and campaigns together. */
  readonly marketingCaps: ReadonlyArray<FrequencyCap>
  /** The percentage of people who get no marketing, for comparison. */
  readonly holdoutPercent: number
  /** The percentage of `dailySendLimit` that campaigns leave to other email. */
  readonly transactionalReservePercent: number
  /** Tracking of campaigns that do not say their own. */
  readonly campaignTracking: Tracking
  readonly campaignLimits: CampaignLimits
  readonly campaignApproval: CampaignApprovalRule
  /** The addresses, beside those of members, that tests of campaigns are sent to; normalized. */
  readonly testAddresses: ReadonlyArray<string>
  readonly archive: ArchiveSettings
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

/** How many emails campaigns may send in a day: what they leave to other email is never the whole limit. Null for no limit. */
export const campaignDailyLimit = ({
  dailySendLimit,
  transactionalReservePercent
}: Pick<Settings, "dailySendLimit" | "transactionalReservePercent">): number | null => {
  if (dailySendLimit === null) return null
  const left = Math.floor((dailySendLimit * (100 - transactionalReservePercent)) / 100)
  return Math.min(dailySendLimit, Math.max(1, left))
}

/** One of a company's two accounts. All data and limits are per account. What is edited of it are its settings. */
export interface Account extends Edited {
  readonly id: string
  readonly companyId: string
  readonly mode: Mode
  readonly name: string
  readonly settings: Settings
  /** When its company was deleted, epoch milliseconds: since then its keys are refused and nothing is sent; else null. */
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

/** How a company appears in what it sends and on its pages; each part may be null. */
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

/** A company's own texts by the key that `OwnTextRules.ts` gives them. */
export type TextsByKey = Readonly<Record<string, string>>

/** The texts that a company has in place of the service's, on hosted pages and in emails that confirm, by language. */
export type OwnTexts = Readonly<Record<string, TextsByKey>>

/** What a new company decides of itself. */
export const defaultPolicy = {
  requireTwoFactors: false,
  auditRetentionDays: 400,
  brand: emptyBrand,
  pageTexts: {},
  deletedAt: null
} as const

/** The states of a company: a deleted one is erased after 30 days. */
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
  /** Days until entries of its audit log are deleted. */
  readonly auditRetentionDays: number
  readonly brand: Brand
  readonly pageTexts: OwnTexts
  /** When it was deleted, epoch milliseconds; null while it is not. It is erased 30 days later. */
  readonly deletedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The account of what belongs to the installation: counts of networks, and entries of its audit log. */
export const noAccount = "00000000-0000-0000-0000-000000000000"
