/**
 * A campaign as its editor holds it, and what of it the API is sent.
 *
 * @module
 */
import { momentOf, wallTimeOf } from "./wallTime.ts"

/** What of a campaign is tracked; `Default` for what the account does. */
export type TrackingChoice = "Default" | "Both" | "Opens" | "Clicks" | "None"

/** A campaign as the editor holds it: fields as they are typed. */
export interface CampaignDraft {
  readonly name: string
  readonly tags: string
  readonly segments: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  /** The key of a topic; empty for none. */
  readonly topic: string
  readonly holdoutPercent: string
  readonly source: "Template" | "Written"
  readonly templateId: string
  /** Null for the newest at launch. */
  readonly templateVersion: number | null
  readonly subject: string
  readonly preheader: string
  readonly html: string
  readonly text: string
  /** What else the content has, which is kept as it is. */
  readonly otherContent: object
  readonly fromEmail: string
  readonly fromName: string
  readonly replyTo: string
  readonly when: "Launch" | "Time" | "LocalTime"
  /** On the reader's clocks. */
  readonly at: string
  readonly localTime: string
  readonly late: "SendNow" | "Skip"
  readonly tracking: TrackingChoice
}

interface Mailbox {
  readonly email: string
  readonly name: string | null
}

interface Content {
  readonly templateId?: string | null
  readonly templateVersion?: number | null
  readonly subject?: string | null
  readonly preheader?: string | null
  readonly html?: string | null
  readonly text?: string | null
}

type Schedule = { readonly at: string } | { readonly localTime: string; readonly late: "SendNow" | "Skip" }

interface Tracking {
  readonly opens: boolean
  readonly clicks: boolean
}

/** A campaign as the API has it, as far as the editor changes it. */
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
  readonly holdoutPercent: number
}

/** What the API is sent. */
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

/** The draft of a campaign, on the clocks of the reader's zone. */
export const draftOf = (campaign: CampaignFields, zone: string): CampaignDraft => {
  const { html, preheader, subject, templateId, templateVersion, text, ...otherContent } =
    (campaign.content ?? {}) as Content
  const schedule = campaign.schedule as Schedule | null
  return {
    name: campaign.name,
    tags: campaign.tags.join(", "),
    segments: campaign.audience.segments,
    exclude: campaign.audience.exclude,
    topic: campaign.topic ?? "",
    holdoutPercent: campaign.holdoutPercent === 0 ? "" : String(campaign.holdoutPercent),
    source: templateId == null && campaign.content !== null ? "Written" : "Template",
    templateId: templateId ?? "",
    templateVersion: templateVersion ?? null,
    subject: subject ?? "",
    preheader: preheader ?? "",
    html: html ?? "",
    text: text ?? "",
    otherContent,
    fromEmail: campaign.from?.email ?? "",
    fromName: campaign.from?.name ?? "",
    replyTo: campaign.replyTo?.email ?? "",
    when: schedule === null ? "Launch" : "at" in schedule ? "Time" : "LocalTime",
    at: schedule !== null && "at" in schedule ? wallTimeOf(new Date(schedule.at), zone) : "",
    localTime: schedule !== null && "localTime" in schedule ? schedule.localTime : "",
    late: schedule !== null && "localTime" in schedule ? schedule.late : "SendNow",
    tracking: choiceOf(campaign.tracking)
  }
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text)

const contentOf = (draft: CampaignDraft): Content | null => {
  const { html, otherContent, preheader, source, subject, templateId, templateVersion, text } = draft
  if (source === "Template")
    return templateId === "" ? null : { ...otherContent, templateId, templateVersion }
  const isEmpty = [subject, preheader, html, text].every((part) => part.trim() === "")
  return isEmpty
    ? null
    : { ...otherContent, subject, preheader: orNull(preheader), html: orNull(html), text: orNull(text) }
}

const scheduleOf = ({ at, late, localTime, when }: CampaignDraft, zone: string): Schedule | null => {
  if (when === "LocalTime") return localTime === "" ? null : { localTime: localTime.slice(0, 16), late }
  const moment = when === "Time" ? momentOf(at, zone) : null
  return moment === null ? null : { at: moment }
}

/** What the API is sent of a draft. A time that is not filled in yet is none. */
export const bodyOf = (draft: CampaignDraft, zone: string): CampaignBody => ({
  name: draft.name.trim(),
  tags: draft.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ""),
  content: contentOf(draft),
  from:
    draft.fromEmail.trim() === ""
      ? null
      : { email: draft.fromEmail.trim(), name: orNull(draft.fromName.trim()) },
  replyTo: draft.replyTo.trim() === "" ? null : { email: draft.replyTo.trim(), name: null },
  topic: orNull(draft.topic),
  audience: { segments: draft.segments, exclude: draft.exclude },
  schedule: scheduleOf(draft, zone),
  tracking: trackings[draft.tracking],
  holdoutPercent: Number(draft.holdoutPercent.trim())
})

/** The fields of a body that differ from what was saved. */
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

/** The step that has a field of the API. */
export const stepOf = (field: string | null): CampaignStep => {
  const [first = ""] = (field ?? "").split(/[.[]/, 1)
  if (["audience", "topic", "holdoutPercent"].includes(first)) return "who"
  if (["schedule", "pace", "window", "quietHours", "whenCapped", "test"].includes(first)) return "when"
  return first === "approval" ? "check" : "what"
}
