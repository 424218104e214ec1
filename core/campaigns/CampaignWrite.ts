/**
 * Parses what a person writes of a campaign.
 *
 * @module
 */
import type { Result } from "effect"
import { parseLocalTime } from "../automation/definition/TimeOfDay.ts"
import {
  type CampaignContent,
  type CampaignDefinition,
  type CampaignSchedule,
  lateChoices
} from "../model/Campaign.ts"
import type { Tracking } from "../model/Account.ts"
import type { Topic } from "../model/Topic.ts"
import { type Mailbox, type MailboxWrite, parseMailbox } from "../shared/Mailbox.ts"
import { Issues, type Problem } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { checkText, type Maybe, oneOf, parseDateTime } from "../shared/Validate.ts"

/** The most characters of a name. */
export const maxCampaignName = 200
/** The most segments that an audience includes, and the most that it excludes. */
export const maxAudienceSegments = 10
/** The largest `holdoutPercent`. */
export const maxHoldout = 50
/** The most tags of a campaign, and the most characters of each. */
export const maxCampaignTags = 20
export const maxCampaignTag = 64

/** Content as submitted. */
export interface ContentWrite {
  readonly templateId?: Maybe<string>
  readonly templateVersion?: Maybe<number>
  readonly subject?: Maybe<string>
  readonly preheader?: Maybe<string>
  readonly html?: Maybe<string>
  readonly text?: Maybe<string>
}

/** A campaign as submitted; a change keeps what it leaves out. */
export interface CampaignWrite {
  readonly name?: string
  readonly content?: ContentWrite | null
  readonly from?: MailboxWrite | null
  readonly replyTo?: MailboxWrite | null
  readonly topic?: string | null
  readonly audience?: {
    readonly segments?: ReadonlyArray<string>
    readonly exclude?: ReadonlyArray<string>
  }
  readonly schedule?: {
    readonly at?: Maybe<string>
    readonly localTime?: Maybe<string>
    readonly late?: Maybe<string>
  } | null
  readonly tracking?: Tracking | null
  readonly holdoutPercent?: number
  readonly tags?: ReadonlyArray<string>
}

/** The definition of a new campaign. */
export const emptyDefinition: CampaignDefinition = {
  content: null,
  from: null,
  replyTo: null,
  topic: null,
  audience: { segments: [], exclude: [] },
  schedule: null,
  tracking: null,
  holdoutPercent: 0,
  tags: []
}

/**
 * Parses a campaign: its name, and the definition with what is left out taken from `before`. Fails with validation.* of each
 * field, campaigns.content_ambiguous, campaigns.schedule_invalid, topics.not_found and topics.archived. Bodies and segments are
 * checked elsewhere.
 */
export const parseCampaign = (
  write: CampaignWrite,
  before: { readonly name: string; readonly definition: CampaignDefinition } | null,
  topics: ReadonlyArray<Topic>
): Result.Result<{ readonly name: string; readonly definition: CampaignDefinition }, Problem> => {
  const issues = new Issues()
  const old = before?.definition ?? emptyDefinition
  const name = write.name === undefined && before !== null ? before.name : checkName(write.name ?? "", issues)
  const definition: CampaignDefinition = {
    content: write.content === undefined ? old.content : parseContent(write.content, issues),
    from: write.from === undefined ? old.from : checkMailbox(write.from, "from", issues),
    replyTo: write.replyTo === undefined ? old.replyTo : checkMailbox(write.replyTo, "replyTo", issues),
    topic: write.topic === undefined ? old.topic : checkTopic(write.topic, topics, issues),
    audience: {
      segments: checkSegments(write.audience?.segments, old.audience.segments, "segments", issues),
      exclude: checkSegments(write.audience?.exclude, old.audience.exclude, "exclude", issues)
    },
    schedule: write.schedule === undefined ? old.schedule : parseSchedule(write.schedule, issues),
    tracking: write.tracking === undefined ? old.tracking : write.tracking,
    holdoutPercent: checkHoldout(write.holdoutPercent ?? old.holdoutPercent, issues),
    tags: write.tags === undefined ? old.tags : checkTags(write.tags, issues)
  }
  return issues.result({ name, definition })
}

const checkName = (value: string, issues: Issues): string => {
  const name = checkText(value, "name", maxCampaignName, issues)
  if (name === "") issues.add("validation.required", "name")
  return name
}

const parseContent = (write: ContentWrite | null, issues: Issues): CampaignContent | null => {
  if (write === null) return null
  const { html = null, preheader = null, subject = null, templateId = null, text = null } = write
  const isOwn = [subject, preheader, html, text].some((value) => value !== null)
  if (templateId !== null) {
    if (isOwn) issues.add("campaigns.content_ambiguous", "content")
    const { templateVersion = null } = write
    if (!isUuid(templateId)) {
      issues.add("validation.format", "content.templateId", null, { expected: "a UUID" })
    }
    if (templateVersion !== null && !(Number.isInteger(templateVersion) && templateVersion >= 1)) {
      issues.add("validation.range", "content.templateVersion", { min: 1 })
    }
    return { templateId: templateId.toLowerCase(), templateVersion }
  }
  if (!isOwn) issues.add("campaigns.content_required", "content")
  return { subject: subject ?? "", preheader, html, text }
}

const checkMailbox = (
  write: MailboxWrite | null,
  field: "from" | "replyTo",
  issues: Issues
): Mailbox | null => {
  if (write === null) return null
  const mailbox = parseMailbox(write)
  if (mailbox === null) issues.add("validation.email", field)
  return mailbox
}

const checkTopic = (key: string | null, topics: ReadonlyArray<Topic>, issues: Issues): string | null => {
  if (key === null) return null
  const topic = topics.find((one) => one.key === key)
  if (topic === undefined) issues.add("topics.not_found", "topic")
  else if (topic.isArchived) issues.add("topics.archived", "topic")
  return key
}

const checkSegments = (
  ids: ReadonlyArray<string> | undefined,
  before: ReadonlyArray<string>,
  field: "segments" | "exclude",
  issues: Issues
): ReadonlyArray<string> => {
  if (ids === undefined) return before
  if (ids.length > maxAudienceSegments) {
    issues.add("validation.max_length", `audience.${field}`, { max: maxAudienceSegments })
  }
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}

const parseSchedule = (write: CampaignWrite["schedule"], issues: Issues): CampaignSchedule | null => {
  if (write == null) return null
  const { at = null, late = null, localTime = null } = write
  const choice = lateChoices.find((one) => one === (late ?? "SendNow"))
  if (choice === undefined) {
    issues.add("validation.format", "schedule.late", null, { expected: oneOf(lateChoices) })
  }
  if ((at === null) === (localTime === null) || (at !== null && late !== null)) {
    issues.add("campaigns.schedule_invalid", "schedule")
    return null
  }
  if (localTime !== null) {
    if (parseLocalTime(localTime) === null) issues.add("campaigns.schedule_invalid", "schedule.localTime")
    return { localTime, late: choice ?? "SendNow" }
  }
  const time = parseDateTime(at!)
  if (time === null) issues.add("campaigns.schedule_invalid", "schedule.at")
  return { at: time ?? 0 }
}

const checkHoldout = (percent: number, issues: Issues): number => {
  if (!Number.isInteger(percent) || percent < 0 || percent > maxHoldout) {
    issues.add("validation.range", "holdoutPercent", { min: 0, max: maxHoldout })
  }
  return percent
}

const checkTags = (tags: ReadonlyArray<string>, issues: Issues): ReadonlyArray<string> => {
  if (tags.length > maxCampaignTags) issues.add("validation.max_length", "tags", { max: maxCampaignTags })
  const checked = tags.map((tag, index) => {
    const text = checkText(tag, `tags[${index}]`, maxCampaignTag, issues)
    if (text === "") issues.add("validation.required", `tags[${index}]`)
    return text
  })
  return [...new Set(checked)]
}
