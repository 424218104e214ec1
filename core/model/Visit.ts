/**
 * Visits: classified requests for the open pixel and the tracked links of a delivery.
 *
 * @module
 */
import type { Device } from "./Device.ts"

/** Who made a visit: a person, a program, or one of the two. */
export const visitVerdicts = ["Human", "Machine", "Unknown"] as const
export type VisitVerdict = (typeof visitVerdicts)[number]

/** `Open` for the pixel, `Click` for a link. */
export type VisitKind = "Open" | "Click"

/** What a user agent shows about the program. The user agent itself is not stored (`Device.ts`). */
export const agentClasses = [
  "None",
  "Machine",
  "AppleProxy",
  "GoogleProxy",
  "YahooProxy",
  "Browser",
  "OldBrowser",
  "Other"
] as const
export type AgentClass = (typeof agentClasses)[number]

/**
 * The rules of classification in the order in which they are tried (`core/sending/tracking/VisitRules.ts`). `click` marks an open
 * that was inferred from a person's click (`core/sending/tracking/VisitRecord.ts`).
 */
export const visitRules = [
  "relay",
  "method",
  "purpose",
  "early",
  "trap",
  "agent",
  "network",
  "burst",
  "instant",
  "mpp",
  "proxy",
  "yahoo",
  "hosting",
  "twin",
  "headers",
  "rest",
  "click"
] as const
export type VisitRule = (typeof visitRules)[number]

/** A visit. */
export interface Visit {
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: VisitKind
  /**
   * The link's name within its delivery: a digest of its URL, which may contain secrets, or {@link trapLink}; null for the pixel.
   */
  readonly link: string | null
  /**
   * The name under which clicks of the link are counted, if that is not `link`. For a campaign's link whose URL is rendered, a
   * digest of the URL as written.
   */
  readonly name?: string
  readonly method: string
  /** The /24 of an IPv4 address or /48 of an IPv6 address, such as `192.0.2.0/24`; null if not known. */
  readonly network: string | null
  readonly agent: AgentClass
  /** The device that its user agent shows; absent if it shows none, and for visits from before this was stored. */
  readonly device?: Device
  readonly verdict: VisitVerdict
  readonly rule: VisitRule
}

/** The name of the trap link, which people cannot see. */
export const trapLink = "trap"

/** The number of visits of a kind by verdict. */
export type VisitCounts = Readonly<Record<VisitVerdict, number>>

/** The most visits of a delivery that are stored; the latest are kept. */
export const maxVisits = 100

/** The clicks of a link. */
export interface LinkClicks {
  readonly clicks: VisitCounts
  /** Epoch milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
}

/** The most links of a delivery whose clicks are counted separately. */
export const maxCountedLinks = 128
/** The name under which the clicks of all further links are counted. */
export const furtherLinks = "further"

/** The visits of a delivery. */
export interface DeliveryVisits {
  readonly accountId: string
  readonly deliveryId: string
  /** The flow or campaign that sent the email, and the contact to whom it was sent; null for any other email. */
  readonly flowId: string | null
  readonly campaignId: string | null
  readonly contactId: string | null
  /** In the order they were made, at most {@link maxVisits}. */
  readonly visits: ReadonlyArray<Visit>
  /** Counts of all visits, including those that are no longer stored. */
  readonly opens: VisitCounts
  readonly clicks: VisitCounts
  /** The clicks of each clicked link, by its name, including visits that are no longer stored; without {@link trapLink}. */
  readonly links: Readonly<Record<string, LinkClicks>>
  /** When a visit first opened it, epoch milliseconds; null before. */
  readonly firstOpenedAt: number | null
  /** Like `firstOpenedAt`, for clicks. */
  readonly firstClickedAt: number | null
  /** When a visit that was not a machine's first opened it, epoch milliseconds; null before. */
  readonly readerOpenedAt: number | null
  /** Like `readerOpenedAt`, for clicks. */
  readonly readerClickedAt: number | null
  /** The times of all clicks that were not a machine's, in order: the latest {@link maxVisits}. */
  readonly readerClicks: ReadonlyArray<number>
}

/** No visits. */
export const noVisitCounts: VisitCounts = { Human: 0, Machine: 0, Unknown: 0 }

/** A delivery without visits. */
export const noVisits = (accountId: string, deliveryId: string): DeliveryVisits => ({
  accountId,
  deliveryId,
  flowId: null,
  campaignId: null,
  contactId: null,
  visits: [],
  opens: noVisitCounts,
  clicks: noVisitCounts,
  links: {},
  firstOpenedAt: null,
  firstClickedAt: null,
  readerOpenedAt: null,
  readerClickedAt: null,
  readerClicks: []
})

/** Who opened or clicked an email: a person; a person or a program; only machines; or no one. */
export const visitedBy = ["Human", "Unknown", "Machine", "None"] as const
export type VisitedBy = (typeof visitedBy)[number]

/** Who opened a delivery. For deliveries from before visits were classified, the counts are 0. */
export const openedBy = ({ clicks, firstOpenedAt, opens, readerOpenedAt }: DeliveryVisits): VisitedBy => {
  if (readerOpenedAt === null) return firstOpenedAt === null ? "None" : "Machine"
  return opens.Human === 0 && opens.Unknown + clicks.Unknown > 0 ? "Unknown" : "Human"
}

/** Like `openedBy`, for clicks. */
export const clickedBy = ({ clicks, firstClickedAt, readerClickedAt }: DeliveryVisits): VisitedBy => {
  if (readerClickedAt === null) return firstClickedAt === null ? "None" : "Machine"
  return clicks.Human === 0 && clicks.Unknown > 0 ? "Unknown" : "Human"
}

/** The verdict most in favour of a person, from counts of visits; null if there are none. */
export const bestVerdict = ({ Human, Machine, Unknown }: VisitCounts): VisitVerdict | null => {
  if (Human > 0) return "Human"
  if (Unknown > 0) return "Unknown"
  return Machine > 0 ? "Machine" : null
}
