/**
 * Visits: requests for the open pixel and the tracked links of a delivery, each classified.
 *
 * @module
 */
import type { Device } from "./Device.ts"

/** Who made a visit: a person, a program, or either. */
export const visitVerdicts = ["Human", "Machine", "Unknown"] as const
export type VisitVerdict = (typeof visitVerdicts)[number]

/** `Open` for the pixel, `Click` for a link. */
export type VisitKind = "Open" | "Click"

/** What a user agent says of the program. The user agent itself is not kept (`Device.ts`). */
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
 * The rules, in the order in which they are tried; `core/sending/tracking/VisitRules.ts` holds them. By `click` a person's
 * click makes an open: `core/sending/tracking/VisitRecord.ts`.
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
   * Names the link among those of its delivery: a digest of its URL, which can hold secrets, or {@link trapLink}; null for
   * the pixel.
   */
  readonly link: string | null
  /**
   * Under which the clicks of the link are counted, where that is not `link`: of a campaign's link whose URL rendering makes, a
   * digest of the URL as it was written.
   */
  readonly name?: string
  readonly method: string
  /** The /24 of an IPv4 address, the /48 of an IPv6 address, as `192.0.2.0/24`; null where it is not known. */
  readonly network: string | null
  readonly agent: AgentClass
  /** What its user agent says of the device; left out where it says nothing, and of visits of before it was kept. */
  readonly device?: Device
  readonly verdict: VisitVerdict
  readonly rule: VisitRule
}

/** The name of the link that people cannot see. */
export const trapLink = "trap"

/** How many visits of a kind got each verdict. */
export type VisitCounts = Readonly<Record<VisitVerdict, number>>

/** The most visits that are kept of a delivery; of more, the latest. */
export const maxVisits = 100

/** The clicks of a link. */
export interface LinkClicks {
  readonly clicks: VisitCounts
  /** Epoch milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
}

/** The most links of a delivery whose clicks are counted apart. */
export const maxCountedLinks = 128
/** The name under which the clicks of all further links are counted. */
export const furtherLinks = "further"

/** The visits of a delivery. */
export interface DeliveryVisits {
  readonly accountId: string
  readonly deliveryId: string
  /** The flow or the campaign that sent the email, and the contact it was sent to; null for an email of neither. */
  readonly flowId: string | null
  readonly campaignId: string | null
  readonly contactId: string | null
  /** In the order they were made, at most {@link maxVisits}. */
  readonly visits: ReadonlyArray<Visit>
  /** Of all visits, also of those that are not kept any more. */
  readonly opens: VisitCounts
  readonly clicks: VisitCounts
  /** The clicks of each link that was clicked, by its name, also of those that are not kept any more; without {@link trapLink}. */
  readonly links: Readonly<Record<string, LinkClicks>>
  /** When any visit first opened it, epoch milliseconds; null while there is none. */
  readonly firstOpenedAt: number | null
  /** As `firstOpenedAt`, of clicks. */
  readonly firstClickedAt: number | null
  /** When the first visit that was not a machine's opened it, epoch milliseconds; null while there is none. */
  readonly readerOpenedAt: number | null
  /** As `readerOpenedAt`, of clicks. */
  readonly readerClickedAt: number | null
  /** When all clicks that were not a machine's were made, in order: the latest {@link maxVisits}. */
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

/** Who opened or clicked an email: a person; a person or a program; machines alone; or none did. */
export const visitedBy = ["Human", "Unknown", "Machine", "None"] as const
export type VisitedBy = (typeof visitedBy)[number]

/** Who opened a delivery. The counts of a delivery of before visits were classified are 0. */
export const openedBy = ({ clicks, firstOpenedAt, opens, readerOpenedAt }: DeliveryVisits): VisitedBy => {
  if (readerOpenedAt === null) return firstOpenedAt === null ? "None" : "Machine"
  return opens.Human === 0 && opens.Unknown + clicks.Unknown > 0 ? "Unknown" : "Human"
}

/** As `openedBy`, of clicks. */
export const clickedBy = ({ clicks, firstClickedAt, readerClickedAt }: DeliveryVisits): VisitedBy => {
  if (readerClickedAt === null) return firstClickedAt === null ? "None" : "Machine"
  return clicks.Human === 0 && clicks.Unknown > 0 ? "Unknown" : "Human"
}

/** Who visited, by the verdict that speaks most for a person; null where no one did. */
export const bestVerdict = ({ Human, Machine, Unknown }: VisitCounts): VisitVerdict | null => {
  if (Human > 0) return "Human"
  if (Unknown > 0) return "Unknown"
  return Machine > 0 ? "Machine" : null
}
