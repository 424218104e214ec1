/**
 * A campaign as its editor holds it, and the conversion to and from the API's form.
 *
 * @module
 */
import { momentOf, wallTimeOf } from "./wallTime.ts"

/** What a campaign tracks; `Default` follows the account's setting. */
export type TrackingChoice = "Default" | "Both" | "Opens" | "Clicks" | "None"

/** Content as the editor holds it: a template, or content written here. */
export interface ContentDraft {
  readonly source: "Template" | "Written"
  readonly templateId: string
  /** Null for the version that is the newest at launch. */
  readonly templateVersion: number | null
  readonly subject: string
  readonly preheader: string
  readonly html: string
  readonly text: string
}

/** Content with its translations, by language tag. */
export interface ContentsDraft extends ContentDraft {
  readonly languages: Readonly<Record<string, ContentDraft>>
}

/** A variant of a test. */
export interface VariantDraft {
  readonly id: string
  readonly name: string
  readonly content: ContentsDraft
  /** Not edited here; kept unchanged. */
  readonly from: Mailbox | null
}

/** How a test is decided; numbers are strings as typed. */
export interface TestDraft {
  readonly share: string
  readonly metric: string
  readonly hours: string
  readonly decide: string
  /** In percent. */
  readonly confidence: string
  readonly undecided: string
}

/** A campaign as the editor holds it; fields are strings as typed. */
export interface CampaignDraft {
  readonly name: string
  readonly tags: string
  readonly segments: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  /** The key of a topic; empty for none. */
  readonly topic: string
  readonly holdoutPercent: string
  readonly content: ContentsDraft
  /** Empty without a test. With a test, the variants replace the content. */
  readonly variants: ReadonlyArray<VariantDraft>
  readonly test: TestDraft
  readonly hasUtm: boolean
  readonly utm: Readonly<Record<UtmField, string>>
  readonly fromEmail: string
  readonly fromName: string
  readonly replyTo: string
  readonly when: "Launch" | "Time" | "LocalTime"
  /** Wall time in the reader's time zone. */
  readonly at: string
  readonly localTime: string
  readonly late: "SendNow" | "Skip"
  /** Empty for no limit. */
  readonly pace: string
  readonly pacePer: string
  readonly hasWindow: boolean
  readonly windowFrom: string
  readonly windowTo: string
  readonly windowDays: ReadonlyArray<number>
  readonly quietHours: string
  readonly whenCapped: string
  readonly cappedHours: string
  readonly tracking: TrackingChoice
}

interface Mailbox {
  readonly email: string
  readonly name: string | null
}

interface Part {
  readonly templateId?: string | null
  readonly templateVersion?: number | null
  readonly subject?: string | null
  readonly preheader?: string | null
  readonly html?: string | null
  readonly text?: string | null
}

interface Content extends Part {
  readonly languages?: Readonly<Record<string, Part>> | null
}

interface Test {
  readonly variants: ReadonlyArray<{
    readonly id: string
    readonly name?: string | null
    readonly content: Content
    readonly from?: Mailbox | null
  }>
  readonly share: number
  readonly metric: string
  readonly after: string
  readonly decide: string
  readonly confidence: number
  readonly undecided: string
}

interface Window {
  readonly from: string
  readonly to: string
  readonly days: ReadonlyArray<number>
}

interface Pace {
  readonly emails: number
  readonly per: string
}

interface WhenCapped {
  readonly action: string
  readonly hours?: number
}

/** The UTM parameters of links, in the order of their form fields. */
export const utmFields = ["source", "medium", "campaign", "term", "content"] as const
type UtmField = (typeof utmFields)[number]
type Utm = Readonly<Record<UtmField, string | null>>

type Schedule = { readonly at: string } | { readonly localTime: string; readonly late: "SendNow" | "Skip" }

interface Tracking {
  readonly opens: boolean
  readonly clicks: boolean
}

/** The fields of a campaign, as returned by the API, that the editor changes. */
export interface CampaignFields {
  readonly name: string
  readonly tags: ReadonlyArray<string>
  readonly content: unknown
  readonly from: Mailbox | null
  readonly replyTo: Mailbox | null
  readonly topic: string | null
  readonly audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
  readonly schedule: unknown
  readonly tracking: Tracking | null
  readonly test: unknown
  readonly utm: unknown
  readonly pace: unknown
  readonly window: unknown
  readonly quietHours: string
  readonly whenCapped: unknown
  readonly holdoutPercent: number
}

/** The body sent to the API. */
export interface CampaignBody {
  readonly name: string
  readonly tags: ReadonlyArray<string>
  readonly content: Content | null
  readonly from: Mailbox | null
  readonly replyTo: Mailbox | null
  readonly topic: string | null
  readonly audience: CampaignFields["audience"]
  readonly schedule: Schedule | null
  readonly tracking: Tracking | null
  readonly test: Test | null
  readonly utm: Utm | null
  readonly pace: Pace | null
  readonly window: Window | null
  readonly quietHours: string
  readonly whenCapped: WhenCapped
  readonly holdoutPercent: number
}

const trackings: Readonly<Record<TrackingChoice, Tracking | null>> = {
  Default: null,
  Both: { opens: true, clicks: true },
  Opens: { opens: true, clicks: false },
  Clicks: { opens: false, clicks: true },
  None: { opens: false, clicks: false }
}

const choiceOf = (tracking: Tracking | null): TrackingChoice => {
  if (tracking === null) return "Default"
  if (tracking.opens) return tracking.clicks ? "Both" : "Opens"
  return tracking.clicks ? "Clicks" : "None"
}

const partOf = (content: Part | null): ContentDraft => ({
  source: content !== null && content.templateId == null ? "Written" : "Template",
  templateId: content?.templateId ?? "",
  templateVersion: content?.templateVersion ?? null,
  subject: content?.subject ?? "",
  preheader: content?.preheader ?? "",
  html: content?.html ?? "",
  text: content?.text ?? ""
})

const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  to: (value: A) => B
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]))

const contentsOf = (content: Content | null): ContentsDraft => ({
  ...partOf(content),
  languages: mapValues(content?.languages ?? {}, partOf)
})

const emptyTest: TestDraft = {
  share: "20",
  metric: "Clicks",
  hours: "4",
  decide: "Auto",
  confidence: "95",
  undecided: "First"
}

const everyDay = [1, 2, 3, 4, 5, 6, 7]

/** The hours of an ISO 8601 duration in the form that the service uses; any other string is returned unchanged. */
const hoursOf = (after: string): string => {
  const [, days = "0", hours = "0", rest = ""] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(.*))?$/.exec(after) ?? []
  return rest === "" && after !== "" ? String(Number(days) * 24 + Number(hours)) : after
}

const testDraftOf = (test: Test | null): TestDraft =>
  test === null
    ? emptyTest
    : {
        share: String(test.share),
        metric: test.metric,
        hours: hoursOf(test.after),
        decide: test.decide,
        confidence: String(Number((test.confidence * 100).toFixed(4))),
        undecided: test.undecided
      }

/** The draft of a campaign, with times in the reader's time zone. */
export const draftOf = (campaign: CampaignFields, zone: string): CampaignDraft => {
  const schedule = campaign.schedule as Schedule | null
  const test = campaign.test as Test | null
  const utm = campaign.utm as Utm | null
  const pace = campaign.pace as Pace | null
  const window = campaign.window as Window | null
  const capped = campaign.whenCapped as WhenCapped
  const text = (field: UtmField): string => utm?.[field] ?? ""
  return {
    name: campaign.name,
    tags: campaign.tags.join(", "),
    segments: campaign.audience.segments,
    exclude: campaign.audience.exclude,
    topic: campaign.topic ?? "",
    holdoutPercent: campaign.holdoutPercent === 0 ? "" : String(campaign.holdoutPercent),
    content: contentsOf(campaign.content as Content | null),
    variants: (test?.variants ?? []).map(({ content, from = null, id, name }) => ({
      id,
      name: name ?? "",
      content: contentsOf(content),
      from
    })),
    test: testDraftOf(test),
    hasUtm: utm !== null,
    utm: {
      source: text("source"),
      medium: text("medium"),
      campaign: text("campaign"),
      term: text("term"),
      content: text("content")
    },
    fromEmail: campaign.from?.email ?? "",
    fromName: campaign.from?.name ?? "",
    replyTo: campaign.replyTo?.email ?? "",
    when: schedule === null ? "Launch" : "at" in schedule ? "Time" : "LocalTime",
    at: schedule !== null && "at" in schedule ? wallTimeOf(new Date(schedule.at), zone) : "",
    localTime: schedule !== null && "localTime" in schedule ? schedule.localTime : "",
    late: schedule !== null && "localTime" in schedule ? schedule.late : "SendNow",
    pace: pace === null ? "" : String(pace.emails),
    pacePer: pace?.per ?? "Hour",
    hasWindow: window !== null,
    windowFrom: window?.from ?? "09:00",
    windowTo: window?.to ?? "17:00",
    windowDays: window?.days ?? everyDay,
    quietHours: campaign.quietHours,
    whenCapped: capped.action,
    cappedHours: capped.hours === undefined ? "24" : String(capped.hours),
    tracking: choiceOf(campaign.tracking)
  }
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text)

const writtenOf = ({
  html,
  preheader,
  source,
  subject,
  templateId,
  templateVersion,
  text
}: ContentDraft): Part =>
  source === "Template"
    ? { templateId, templateVersion }
    : { subject, preheader: orNull(preheader), html: orNull(html), text: orNull(text) }

/** Whether content is still empty. */
export const isEmptyContent = ({
  html,
  preheader,
  source,
  subject,
  templateId,
  text
}: ContentDraft): boolean =>
  source === "Template"
    ? templateId === ""
    : [subject, preheader, html, text].every((part) => part.trim() === "")

const contentOf = ({ languages, ...base }: ContentsDraft): Content =>
  Object.keys(languages).length === 0
    ? writtenOf(base)
    : { ...writtenOf(base), languages: mapValues(languages, writtenOf) }

/** The test of a draft; null without one. */
const testOf = ({ test, variants }: CampaignDraft): Test | null =>
  variants.length === 0
    ? null
    : {
        variants: variants.map(({ content, from, id, name }) => ({
          id,
          name: orNull(name.trim()),
          content: contentOf(content),
          from
        })),
        share: Number(test.share.trim()),
        metric: test.metric,
        after: /^\d+$/.test(test.hours.trim()) ? `PT${test.hours.trim()}H` : test.hours,
        decide: test.decide,
        confidence: Number(test.confidence.trim()) / 100,
        undecided: test.undecided
      }

const utmOf = ({ hasUtm, utm }: CampaignDraft): Utm | null =>
  hasUtm
    ? {
        source: utm.source,
        medium: utm.medium,
        campaign: utm.campaign,
        term: orNull(utm.term),
        content: orNull(utm.content)
      }
    : null

const scheduleOf = ({ at, late, localTime, when }: CampaignDraft, zone: string): Schedule | null => {
  if (when === "LocalTime") return localTime === "" ? null : { localTime: localTime.slice(0, 16), late }
  const moment = when === "Time" ? momentOf(at, zone) : null
  return moment === null ? null : { at: moment }
}

/** The body sent to the API for a draft. A time that is not filled in yet becomes null. */
export const bodyOf = (draft: CampaignDraft, zone: string): CampaignBody => ({
  name: draft.name.trim(),
  tags: draft.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ""),
  content: draft.variants.length > 0 || isEmptyContent(draft.content) ? null : contentOf(draft.content),
  from:
    draft.fromEmail.trim() === ""
      ? null
      : { email: draft.fromEmail.trim(), name: orNull(draft.fromName.trim()) },
  replyTo: draft.replyTo.trim() === "" ? null : { email: draft.replyTo.trim(), name: null },
  topic: orNull(draft.topic),
  audience: { segments: draft.segments, exclude: draft.exclude },
  schedule: scheduleOf(draft, zone),
  tracking: trackings[draft.tracking],
  test: testOf(draft),
  utm: utmOf(draft),
  pace: draft.pace.trim() === "" ? null : { emails: Number(draft.pace.trim()), per: draft.pacePer },
  window: draft.hasWindow
    ? { from: draft.windowFrom, to: draft.windowTo, days: draft.windowDays.toSorted((a, b) => a - b) }
    : null,
  quietHours: draft.quietHours,
  whenCapped:
    draft.whenCapped === "Wait"
      ? { action: "Wait", hours: Number(draft.cappedHours.trim()) }
      : { action: draft.whenCapped },
  holdoutPercent: Number(draft.holdoutPercent.trim())
})

/** The fields of a body that differ from the saved ones. */
export const changesOf = (saved: CampaignBody, body: CampaignBody): Partial<CampaignBody> =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([key, value]) => JSON.stringify(saved[key as keyof CampaignBody]) !== JSON.stringify(value)
    )
  )

/** The steps of the editor, in order. */
export const campaignSteps = ["who", "what", "when", "check"] as const

/** A step of the editor. */
export type CampaignStep = (typeof campaignSteps)[number]

/** The step of the editor that contains a field of the API. */
export const stepOf = (field: string | null): CampaignStep => {
  const [first = ""] = (field ?? "").split(/[.[]/, 1)
  if (["audience", "topic", "holdoutPercent"].includes(first)) return "who"
  if (["schedule", "pace", "window", "quietHours", "whenCapped"].includes(first)) return "when"
  return first === "approval" ? "check" : "what"
}

const variantNames = ["a", "b", "c", "d", "e"]

/** The least and the most variants of a test. */
export const variantRange = { min: 2, max: variantNames.length } as const

const named = (variants: ReadonlyArray<VariantDraft>): ReadonlyArray<VariantDraft> =>
  variants.map((variant, at) => ({ ...variant, id: variantNames[at] ?? "" }))

/** A draft with a new test, of its content against a copy. */
export const withTest = (draft: CampaignDraft): Partial<CampaignDraft> => ({
  variants: named(
    [draft.content, draft.content].map((content) => ({ id: "", name: "", content, from: null }))
  )
})

/** A draft without its test. Its content is that of the first variant. */
export const withoutTest = ({ content, variants }: CampaignDraft): Partial<CampaignDraft> => ({
  variants: [],
  content: variants[0]?.content ?? content
})

/** The variants with a copy of the last one. */
export const withVariant = (variants: ReadonlyArray<VariantDraft>): ReadonlyArray<VariantDraft> =>
  named([...variants, ...variants.slice(-1).map((last) => ({ ...last, name: "" }))])

/** The variants without one. The variants after it are relettered. */
export const withoutVariant = (
  variants: ReadonlyArray<VariantDraft>,
  id: string
): ReadonlyArray<VariantDraft> => named(variants.filter((variant) => variant.id !== id))
