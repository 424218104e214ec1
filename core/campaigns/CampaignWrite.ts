/**
 * Parses the definition of a campaign as submitted by a caller.
 *
 * @module
 */
import type { Result } from "effect"
import { maxArchiveText, maxArchiveTitle } from "../accounts/Accounts.ts"
import { parseDuration } from "../automation/definition/Duration.ts"
import { parseLocalTime, parseTimeOfDay } from "../kernel/TimeOfDay.ts"
import {
  type CampaignArchive,
  type CampaignContent,
  type CampaignDefinition,
  type CampaignPace,
  type CampaignSchedule,
  type CampaignTest,
  type CampaignUtm,
  type CampaignVariant,
  type CampaignWindow,
  type ContentLanguages,
  emptyDefinition,
  lateChoices,
  paceUnits,
  quietChoices,
  testDecisions,
  testMetrics,
  undecidedChoices,
  variantIds,
  type WhenCapped
} from "../model/Campaign.ts"
import type { Tracking } from "../model/Account.ts"
import type { Topic } from "../model/Topic.ts"
import { type Mailbox, type MailboxWrite, parseMailbox } from "../shared/Mailbox.ts"
import { parseLanguage } from "../shared/Locale.ts"
import { Issues, type Problem } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { checkText, formats, type Maybe, oneOf, parseDateTime } from "../shared/Validate.ts"

/** The maximum number of characters of a name. */
export const maxCampaignName = 200
/** The maximum number of segments that an audience includes, and that it excludes. */
export const maxAudienceSegments = 10
/** The largest `holdoutPercent`. */
export const maxHoldout = 50
/** The maximum number of tags of a campaign, and of characters of each. */
export const maxCampaignTags = 20
export const maxCampaignTag = 64

/** The maximum number of languages of content, besides its own. */
export const maxLanguages = 20
/** The minimum and maximum number of variants of a test, and the maximum number of characters of a variant's name. */
export const variantRange = { min: 2, max: 5 } as const
export const maxVariantName = 100
/** How long a test waits for results, milliseconds: an hour to seven days. */
export const testWait = { min: 3_600_000, max: 7 * 86_400_000 } as const
const defaultWait = "PT4H"
/** The range of a test's confidence. */
export const confidenceRange = { min: 0.8, max: 0.99 } as const
const defaultConfidence = 0.95
/** The minimum and maximum number of hours for which people can wait for a frequency cap. */
export const capHours = { min: 1, max: 72 } as const
/** The maximum number of emails in a pace. */
export const maxPace = 1_000_000
/** The maximum number of characters of a UTM parameter. */
export const maxUtm = 200

/** Content as submitted. */
export interface PlainContentWrite {
  readonly templateId?: Maybe<string>
  readonly templateVersion?: Maybe<number>
  readonly subject?: Maybe<string>
  readonly preheader?: Maybe<string>
  readonly html?: Maybe<string>
  readonly text?: Maybe<string>
}

/** Content as submitted, with content in other languages. */
export interface ContentWrite extends PlainContentWrite {
  readonly languages?: Maybe<Readonly<Record<string, PlainContentWrite>>>
}

/** A test as submitted. */
export interface TestWrite {
  readonly variants: ReadonlyArray<{
    readonly id: string
    readonly name?: Maybe<string>
    readonly content: ContentWrite
    readonly from?: MailboxWrite | null
  }>
  readonly share: number
  readonly metric?: Maybe<string>
  readonly after?: Maybe<string>
  readonly decide?: Maybe<string>
  readonly confidence?: Maybe<number>
  readonly undecided?: Maybe<string>
}

/** A campaign as submitted. In a change, fields that are left out keep their values. */
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
  readonly test?: TestWrite | null
  readonly utm?: {
    readonly source: string
    readonly medium: string
    readonly campaign: string
    readonly term?: Maybe<string>
    readonly content?: Maybe<string>
  } | null
  readonly pace?: { readonly emails: number; readonly per: string } | null
  readonly window?: {
    readonly from: string
    readonly to: string
    readonly days?: Maybe<ReadonlyArray<number>>
  } | null
  readonly quietHours?: string
  readonly whenCapped?: { readonly action: string; readonly hours?: Maybe<number> }
  readonly holdoutPercent?: number
  readonly archive?: {
    readonly public?: boolean
    readonly slug?: Maybe<string>
    readonly title?: Maybe<string>
    readonly summary?: Maybe<string>
  }
  readonly isArchived?: boolean
  readonly tags?: ReadonlyArray<string>
}

/**
 * Parses a campaign: its name and its definition, with omitted fields taken from `before`. Bodies and segments are checked
 * elsewhere. Fails with validation.* of each field, campaigns.content_ambiguous, campaigns.schedule_invalid, topics.not_found
 * and topics.archived.
 */
export const parseCampaign = (
  write: CampaignWrite,
  before: { readonly name: string; readonly definition: CampaignDefinition } | null,
  topics: ReadonlyArray<Topic>
): Result.Result<{ readonly name: string; readonly definition: CampaignDefinition }, Problem> => {
  const issues = new Issues()
  const old = before?.definition ?? emptyDefinition
  const name = write.name === undefined && before !== null ? before.name : checkName(write.name ?? "", issues)
  const isContentGiven = write.content !== undefined
  const definition: CampaignDefinition = {
    content: isContentGiven ? parseContent(write.content!, "content", issues) : old.content,
    languages: isContentGiven ? parseLanguages(write.content!, "content", issues) : old.languages,
    test: write.test === undefined ? old.test : parseTest(write.test, issues),
    from: write.from === undefined ? old.from : checkMailbox(write.from, "from", issues),
    replyTo: write.replyTo === undefined ? old.replyTo : checkMailbox(write.replyTo, "replyTo", issues),
    topic: write.topic === undefined ? old.topic : checkTopic(write.topic, topics, issues),
    audience: {
      segments: checkSegments(write.audience?.segments, old.audience.segments, "segments", issues),
      exclude: checkSegments(write.audience?.exclude, old.audience.exclude, "exclude", issues)
    },
    schedule: write.schedule === undefined ? old.schedule : parseSchedule(write.schedule, issues),
    tracking: write.tracking === undefined ? old.tracking : write.tracking,
    utm: write.utm === undefined ? old.utm : parseUtm(write.utm, issues),
    pace: write.pace === undefined ? old.pace : parsePace(write.pace, issues),
    window: write.window === undefined ? old.window : parseWindow(write.window, issues),
    quietHours:
      write.quietHours === undefined
        ? old.quietHours
        : choiceOf(write.quietHours, quietChoices, "quietHours", issues),
    whenCapped: write.whenCapped === undefined ? old.whenCapped : parseCapped(write.whenCapped, issues),
    holdoutPercent: checkHoldout(write.holdoutPercent ?? old.holdoutPercent, issues),
    archive: write.archive === undefined ? old.archive : parseArchive(write.archive, old.archive, issues),
    isArchived: write.isArchived ?? old.isArchived,
    tags: write.tags === undefined ? old.tags : checkTags(write.tags, issues)
  }
  const { content, schedule, test } = definition
  if (test !== null && content !== null) issues.add("campaigns.content_ambiguous", "content")
  // The winner would not be known when the local time comes in the first time zone.
  if (test !== null && test.share < 100 && schedule !== null && "localTime" in schedule) {
    issues.add("campaigns.test_with_local_time", "test")
  }
  return issues.result({ name, definition })
}

/** The maximum number of characters of a slug. */
export const maxSlug = 80
const slugPattern = /^[a-z0-9-]{1,80}$/

/** Derives a slug from a name. */
export const slugOf = (name: string): string => {
  const words =
    name
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join("-").slice(0, maxSlug).replace(/-$/, "") || "campaign"
}

const parseArchive = (
  write: NonNullable<CampaignWrite["archive"]>,
  old: CampaignArchive,
  issues: Issues
): CampaignArchive => {
  const text = (name: "summary" | "title", max: number): string | null =>
    write[name] == null ? null : checkText(write[name], `archive.${name}`, max, issues) || null
  const slug = write.slug ?? old.slug
  if (write.slug != null && !slugPattern.test(write.slug)) {
    issues.add("validation.format", "archive.slug", null, { expected: "a-z, 0-9 and -, up to 80 characters" })
  }
  return {
    public: write.public ?? false,
    slug,
    title: text("title", maxArchiveTitle),
    summary: text("summary", maxArchiveText)
  }
}

/** Returns the value if it is one of the choices. Fails with validation.format for any other. */
const choiceOf = <Value extends string>(
  given: string,
  values: ReadonlyArray<Value>,
  field: string,
  issues: Issues
): Value => {
  const found = values.find((value) => value === given)
  if (found === undefined) issues.add("validation.format", field, null, { expected: oneOf(values) })
  return found ?? values[0]!
}

const parseLanguages = (write: ContentWrite | null, field: string, issues: Issues): ContentLanguages => {
  const given = Object.entries(write?.languages ?? {})
  if (given.length > maxLanguages) {
    issues.add(
      "validation.max_length",
      `${field}.languages`,
      { max: maxLanguages },
      { expected: "languages" }
    )
  }
  const known = new Set<string>()
  const parsed = given.map(([tag, content]) => {
    const path = `${field}.languages.${tag}`
    const language = parseLanguage(tag)
    if (language === null) issues.add("validation.format", path, null, { expected: formats.language })
    const name = (language ?? tag).toLowerCase()
    if (known.has(name)) issues.add("validation.format", path, null, { expected: "a language given once" })
    known.add(name)
    return [name, parseContent(content, path, issues)] as const
  })
  return Object.fromEntries(parsed.flatMap(([tag, content]) => (content === null ? [] : [[tag, content]])))
}

const parseTest = (write: TestWrite | null, issues: Issues): CampaignTest | null => {
  if (write === null) return null
  const { after, confidence, decide, metric, share, undecided, variants } = write
  const { max, min } = variantRange
  if (variants.length < min || variants.length > max) {
    issues.add("campaigns.test_invalid", "test.variants", { min, max })
  }
  if (!Number.isInteger(share) || share < 1 || share > 100) {
    issues.add("validation.range", "test.share", { min: 1, max: 100 })
  }
  const wait = parseDuration(after ?? defaultWait)
  if (wait === null || wait < testWait.min || wait > testWait.max) {
    issues.add("validation.format", "test.after", null, { expected: "a duration from PT1H to P7D" })
  }
  const sure = confidence ?? defaultConfidence
  if (!(sure >= confidenceRange.min && sure <= confidenceRange.max)) {
    issues.add("validation.range", "test.confidence", confidenceRange)
  }
  const parsed = variants.map((variant, index): CampaignVariant | null => {
    const path = `test.variants[${index}]`
    const id = variantIds[index]
    if (id === undefined || variant.id !== id) {
      issues.add("campaigns.test_invalid", `${path}.id`)
      return null
    }
    const name = variant.name == null ? null : checkText(variant.name, `${path}.name`, maxVariantName, issues)
    const content = parseContent(variant.content, `${path}.content`, issues)
    const languages = parseLanguages(variant.content, `${path}.content`, issues)
    const from = checkMailbox(variant.from ?? null, `${path}.from`, issues)
    return content === null ? null : { id, name: name === "" ? null : name, content, languages, from }
  })
  return {
    variants: parsed.filter((variant) => variant !== null),
    share,
    metric: choiceOf(metric ?? "Clicks", testMetrics, "test.metric", issues),
    after: after ?? defaultWait,
    decide: choiceOf(decide ?? "Auto", testDecisions, "test.decide", issues),
    confidence: sure,
    undecided: choiceOf(undecided ?? "First", undecidedChoices, "test.undecided", issues)
  }
}

const parseUtm = (write: NonNullable<CampaignWrite["utm"]> | null, issues: Issues): CampaignUtm | null => {
  if (write === null) return null
  const text = (name: keyof CampaignUtm): string => {
    const found = checkText(write[name] ?? "", `utm.${name}`, maxUtm, issues)
    if (found === "") issues.add("validation.required", `utm.${name}`)
    return found
  }
  return {
    source: text("source"),
    medium: text("medium"),
    campaign: text("campaign"),
    term: write.term == null ? null : text("term"),
    content: write.content == null ? null : text("content")
  }
}

const parsePace = (write: NonNullable<CampaignWrite["pace"]> | null, issues: Issues): CampaignPace | null => {
  if (write === null) return null
  const { emails, per } = write
  if (!Number.isInteger(emails) || emails < 1 || emails > maxPace) {
    issues.add("validation.range", "pace.emails", { min: 1, max: maxPace })
  }
  return { emails, per: choiceOf(per, paceUnits, "pace.per", issues) }
}

const everyDay = [1, 2, 3, 4, 5, 6, 7]

const parseWindow = (
  write: NonNullable<CampaignWrite["window"]> | null,
  issues: Issues
): CampaignWindow | null => {
  if (write === null) return null
  const { days, from, to } = write
  for (const [name, value] of [
    ["from", from],
    ["to", to]
  ] as const) {
    if (parseTimeOfDay(value) === null) {
      issues.add("validation.format", `window.${name}`, null, { expected: formats.timeOfDay })
    }
  }
  if (from === to) {
    issues.add("validation.format", "window.to", null, { expected: "a time of day other than from" })
  }
  const chosen = [...new Set(days ?? everyDay)].toSorted((a, b) => a - b)
  if (chosen.length === 0 || chosen.some((day) => !everyDay.includes(day))) {
    issues.add("validation.format", "window.days", null, { expected: "days from 1 (Monday) to 7" })
  }
  return { from, to, days: chosen }
}

const parseCapped = (
  { action, hours }: NonNullable<CampaignWrite["whenCapped"]>,
  issues: Issues
): WhenCapped => {
  if (choiceOf(action, ["Skip", "Wait"], "whenCapped.action", issues) === "Skip") {
    if (hours != null) {
      issues.add("validation.format", "whenCapped.hours", null, {
        expected: "left out unless action is Wait"
      })
    }
    return { action: "Skip" }
  }
  const { max, min } = capHours
  if (hours == null || !Number.isInteger(hours) || hours < min || hours > max) {
    issues.add("validation.range", "whenCapped.hours", { min, max })
  }
  return { action: "Wait", hours: hours ?? min }
}

const checkName = (value: string, issues: Issues): string => {
  const name = checkText(value, "name", maxCampaignName, issues)
  if (name === "") issues.add("validation.required", "name")
  return name
}

const parseContent = (
  write: PlainContentWrite | null,
  field: string,
  issues: Issues
): CampaignContent | null => {
  if (write === null) return null
  const { html = null, preheader = null, subject = null, templateId = null, text = null } = write
  const isOwn = [subject, preheader, html, text].some((value) => value !== null)
  if (templateId !== null) {
    if (isOwn) issues.add("campaigns.content_ambiguous", field)
    const { templateVersion = null } = write
    if (!isUuid(templateId)) {
      issues.add("validation.format", `${field}.templateId`, null, { expected: "a UUID" })
    }
    if (templateVersion !== null && !(Number.isInteger(templateVersion) && templateVersion >= 1)) {
      issues.add("validation.range", `${field}.templateVersion`, { min: 1 })
    }
    return { templateId: templateId.toLowerCase(), templateVersion }
  }
  if (!isOwn) issues.add("campaigns.content_required", field)
  return { subject: subject ?? "", preheader, html, text }
}

const checkMailbox = (write: MailboxWrite | null, field: string, issues: Issues): Mailbox | null => {
  if (write === null) return null
  const mailbox = parseMailbox(write)
  if (mailbox === null) issues.add("validation.email", field)
  return mailbox
}

const checkTopic = (key: string | null, topics: ReadonlyArray<Topic>, issues: Issues): string | null => {
  if (key === null) return null
  const topic = topics.find((one) => one.key === key)
  if (topic === undefined) issues.add("topics.not_found", "topic", null, { key })
  else if (topic.isArchived) issues.add("topics.archived", "topic", null, { key })
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
    issues.add(
      "validation.max_length",
      `audience.${field}`,
      { max: maxAudienceSegments },
      { expected: "segments" }
    )
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
  if (tags.length > maxCampaignTags)
    issues.add("validation.max_length", "tags", { max: maxCampaignTags }, { expected: "tags" })
  const checked = tags.map((tag, index) => {
    const text = checkText(tag, `tags[${index}]`, maxCampaignTag, issues)
    if (text === "") issues.add("validation.required", `tags[${index}]`)
    return text
  })
  return [...new Set(checked)]
}
