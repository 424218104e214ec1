/**
 * An account's marketing settings as their form holds them; fields are strings as typed.
 *
 * @module
 */

/** A frequency cap: the most marketing emails for a person within some days. */
export interface FrequencyCap {
  readonly emails: number
  readonly days: number
}

interface Tracking {
  readonly opens: boolean
  readonly clicks: boolean
}

/** The marketing settings as returned by the API. */
export interface MarketingSettings {
  readonly campaignTracking: Tracking
  readonly standingHolds: boolean
  readonly timeZone: string
  readonly timeZoneAttribute: string | null
  readonly quietHours: { readonly from: string; readonly to: string } | null
  readonly marketingCaps: ReadonlyArray<FrequencyCap>
  readonly holdoutPercent: number
  readonly transactionalReservePercent: number
  readonly campaignLimits: {
    readonly complaintPercent: number | null
    readonly bouncePercent: number | null
    readonly renderFailurePercent: number | null
  }
  readonly campaignApproval: { readonly required: boolean; readonly above: number }
  readonly testAddresses: ReadonlyArray<string>
}

/** The settings as the form holds them. */
export interface MarketingDraft {
  readonly opens: boolean
  readonly clicks: boolean
  readonly standingHolds: boolean
  readonly timeZone: string
  readonly timeZoneAttribute: string
  readonly hasQuiet: boolean
  readonly from: string
  readonly to: string
  readonly caps: string
  readonly holdout: string
  readonly reserve: string
  readonly complaints: string
  readonly bounces: string
  readonly failures: string
  readonly needsApproval: boolean
  readonly approvalAbove: string
  readonly testAddresses: string
}

/** The fields that the form always shows, with the keys of their labels. */
export const marketingNames = {
  opens: "campaignOpens",
  clicks: "campaignClicks",
  standingHolds: "standingHolds",
  hasQuiet: "hasQuiet",
  timeZone: "timeZone",
  timeZoneAttribute: "timeZoneAttribute",
  caps: "caps",
  holdout: "holdout",
  reserve: "reserve",
  complaints: "complaints",
  bounces: "bounces",
  failures: "failures",
  needsApproval: "needsApproval",
  testAddresses: "testAddresses"
} as const satisfies Readonly<Partial<Record<keyof MarketingDraft, string>>>

const textOf = (value: number | null): string => (value === null ? "" : String(value))

/** Caps in the notation of the form: `2 in 1, 5 in 7`. */
export const writtenCaps = (caps: ReadonlyArray<FrequencyCap>): string =>
  caps.map(({ days, emails }) => `${emails} in ${days}`).join(", ")

/** Parses caps. An invalid part becomes a cap of 0 emails, which the service rejects with a reason. */
export const readCaps = (text: string): ReadonlyArray<FrequencyCap> =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [, emails = "0", days = "1"] = /^(\d{1,6})\s*(?:in|\/)\s*(\d{1,6})$/i.exec(part) ?? []
      return { emails: Number(emails), days: Number(days) }
    })

/** The form's values for the settings. */
export const marketingDraftOf = (settings: MarketingSettings): MarketingDraft => ({
  opens: settings.campaignTracking.opens,
  clicks: settings.campaignTracking.clicks,
  standingHolds: settings.standingHolds,
  timeZone: settings.timeZone,
  timeZoneAttribute: settings.timeZoneAttribute ?? "",
  hasQuiet: settings.quietHours !== null,
  from: settings.quietHours?.from ?? "21:00",
  to: settings.quietHours?.to ?? "08:00",
  caps: writtenCaps(settings.marketingCaps),
  holdout: textOf(settings.holdoutPercent),
  reserve: textOf(settings.transactionalReservePercent),
  complaints: textOf(settings.campaignLimits.complaintPercent),
  bounces: textOf(settings.campaignLimits.bouncePercent),
  failures: textOf(settings.campaignLimits.renderFailurePercent),
  needsApproval: settings.campaignApproval.required,
  approvalAbove: textOf(settings.campaignApproval.above),
  testAddresses: settings.testAddresses.join(", ")
})

/** The number that was typed; -1 if it is not a number, which the service rejects with a reason. */
const numberOf = (text: string): number => {
  const number = Number(text.trim().replace(",", "."))
  return text.trim() === "" || Number.isNaN(number) ? -1 : number
}

const limitOf = (text: string): number | null => (text.trim() === "" ? null : numberOf(text))

/** The settings for the form's values. */
export const marketingOf = (draft: MarketingDraft): MarketingSettings => ({
  campaignTracking: { opens: draft.opens, clicks: draft.clicks },
  standingHolds: draft.standingHolds,
  timeZone: draft.timeZone.trim(),
  timeZoneAttribute: draft.timeZoneAttribute.trim() === "" ? null : draft.timeZoneAttribute.trim(),
  quietHours: draft.hasQuiet ? { from: draft.from, to: draft.to } : null,
  marketingCaps: readCaps(draft.caps),
  holdoutPercent: numberOf(draft.holdout),
  transactionalReservePercent: numberOf(draft.reserve),
  campaignLimits: {
    complaintPercent: limitOf(draft.complaints),
    bouncePercent: limitOf(draft.bounces),
    renderFailurePercent: limitOf(draft.failures)
  },
  campaignApproval: { required: draft.needsApproval, above: numberOf(draft.approvalAbove) },
  testAddresses: draft.testAddresses
    .split(/[,\n]/)
    .map((address) => address.trim())
    .filter((address) => address !== "")
})

/** The settings in `next` that differ from `before`. */
export const marketingChanges = (
  before: MarketingSettings,
  next: MarketingSettings
): Partial<MarketingSettings> =>
  Object.fromEntries(
    Object.entries(next).filter(
      ([key, value]) => JSON.stringify(before[key as keyof MarketingSettings]) !== JSON.stringify(value)
    )
  )
