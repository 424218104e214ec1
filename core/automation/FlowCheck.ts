/**
 * The check of a flow as sent. It takes any JSON and finds everything that is wrong, each with its place, such as
 * `steps[2].then[0].duration`.
 *
 * Source: decisions 4, public-api "Flow run".
 *
 * @module
 */
import type { SegmentVocabulary } from "../audience/SegmentRules.ts"
import { checkBody, maxBody } from "../sending/EmailContent.ts"
import { isUuid } from "../shared/Ids.ts"
import type { Json } from "../shared/Json.ts"
import { type Issue, Problem } from "../shared/Problem.ts"
import { parseDateTime } from "../shared/Validate.ts"
import { parseDuration } from "./Duration.ts"
import {
  type EmailPurpose,
  emailPurposes,
  type EventMatch,
  type FlowDefinition,
  type FlowTrigger,
  type Step,
  stepKinds
} from "./FlowDefinition.ts"
import { type Fields, noEvent, PartCheck } from "./FlowParts.ts"
import { isTimeZone, parseTimeOfDay } from "./TimeOfDay.ts"

/** The most stop events of a flow (public-api, Limits). */
export const maxStopEvents = 10
/** The most steps of a flow, those within others counted. */
export const maxSteps = 200
/** The most levels of steps within steps. */
export const maxLevels = 10
/** The most characters of a definition, as compact JSON. */
export const maxDefinition = 1_000_000
/** The most paths of a Split. */
export const maxPaths = 10

const maxSubject = 1000
const maxUrl = 2000
const maxTags = 20
const maxTag = 100
/** As JSON escapes them: NUL and lone surrogates, which cannot be stored; deep in a value they have no other place. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i
const stepId = /^[A-Za-z0-9_-]{1,64}$/

/** What a definition may name. */
export interface FlowVocabulary extends SegmentVocabulary {
  /** The ids of the account's templates among those that `templateIdsOf` finds. */
  readonly templateIds: ReadonlySet<string>
  /** Whether a URL can be called as far as its text tells. */
  readonly acceptsUrl: (url: string) => boolean
}

/** A flow as sent: anything. */
export interface FlowWrite {
  readonly trigger?: unknown
  readonly stopEvents?: unknown
  readonly steps?: unknown
}

/** Every template that steps of a flow as sent seem to name. */
export const templateIdsOf = (write: FlowWrite): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (value: unknown, level: number): void => {
    if (level > 4 * maxLevels || typeof value !== "object" || value === null) return
    if (Array.isArray(value)) return value.forEach((entry) => visit(entry, level + 1))
    const { templateId } = value as Fields
    if (typeof templateId === "string" && isUuid(templateId.trim()))
      found.add(templateId.trim().toLowerCase())
    for (const entry of Object.values(value)) visit(entry, level + 1)
  }
  visit(write.steps, 0)
  return [...found]
}

/** Checks a flow. Answers its definition, or every issue found. */
export const checkFlow = (write: FlowWrite, vocabulary: FlowVocabulary): FlowDefinition | Problem => {
  const text = JSON.stringify([write.trigger, write.stopEvents, write.steps])
  if (text.length > maxDefinition) {
    return Problem.of("automation.flow_too_large", "steps", { max: maxDefinition })
  }
  const check = new Check(vocabulary)
  const definition: FlowDefinition = {
    trigger: check.trigger(write.trigger),
    stopEvents: check.stopEvents(write.stopEvents),
    steps: check.steps(write.steps, "steps", 1).steps
  }
  if (check.issues.length === 0 && unstorable.test(text)) check.refuse("validation.format", "steps")
  return Problem.from(check.issues) ?? definition
}

/** A list of steps, and whether a run can go on after it. */
interface Checked {
  readonly steps: ReadonlyArray<Step>
  readonly endsOpen: boolean
}

class Check extends PartCheck {
  readonly ids = new Set<string>()
  count = 0

  trigger(value: unknown): FlowTrigger {
    const given = this.fields(value, "trigger")
    if (given === null) return { kind: "Api" }
    if (given["kind"] === "Event") return { kind: "Event", ...this.event(given, "trigger") }
    if (given["kind"] !== "Api") this.refuse("automation.trigger_kind_invalid", "trigger.kind")
    return { kind: "Api" }
  }

  stopEvents(value: unknown): ReadonlyArray<EventMatch> {
    const given = this.list(value, "stopEvents")
    if (given.length > maxStopEvents) {
      this.refuse("automation.too_many_stop_events", "stopEvents", { max: maxStopEvents })
      return []
    }
    return given.map((entry, index) => {
      const path = `stopEvents[${index}]`
      const fields = this.fields(entry, path)
      return fields === null ? noEvent : this.event(fields, path)
    })
  }

  steps(value: unknown, path: string, level: number): Checked {
    const given = this.list(value, path)
    if (level > maxLevels) {
      if (given.length > 0) this.refuse("automation.too_deep", path, { max: maxLevels })
      return { steps: [], endsOpen: true }
    }
    if (given.length > maxSteps) {
      this.refuse("automation.too_many_steps", path, { max: maxSteps })
      return { steps: [], endsOpen: true }
    }
    const steps: Array<Step> = []
    let endsOpen = true
    given.forEach((entry, index) => {
      const place = `${path}[${index}]`
      if (!endsOpen) this.refuse("automation.step_unreachable", place)
      const checked = this.step(entry, place, level)
      if (checked === null) return
      steps.push(checked.step)
      endsOpen &&= checked.endsOpen
    })
    return { steps, endsOpen }
  }

  step(
    value: unknown,
    path: string,
    level: number
  ): { readonly step: Step; readonly endsOpen: boolean } | null {
    const given = this.fields(value, path)
    if (given === null) return null
    if (++this.count > maxSteps) {
      if (this.count === maxSteps + 1) this.refuse("automation.too_many_steps", path, { max: maxSteps })
      return null
    }
    const id = this.text(given["id"], `${path}.id`, 64) ?? ""
    if (!stepId.test(id)) this.refuse("automation.step_id_invalid", `${path}.id`)
    else if (this.ids.has(id)) this.refuse("automation.step_id_duplicate", `${path}.id`)
    this.ids.add(id)
    const kind = stepKinds.find((known) => known === given["kind"])
    switch (kind) {
      case undefined:
        this.refuse("automation.step_kind_unknown", `${path}.kind`)
        return null
      case "SendEmail":
        return { step: this.sendEmail(id, given, path), endsOpen: true }
      case "Wait":
        return {
          step: { id, kind, duration: this.duration(given["duration"], `${path}.duration`) },
          endsOpen: true
        }
      case "WaitUntil":
        return { step: this.waitUntil(id, given, path), endsOpen: true }
      case "UpdateContact":
        return { step: this.updateContact(id, given, path), endsOpen: true }
      case "Webhook":
        return { step: { id, kind, url: this.url(given["url"], `${path}.url`) }, endsOpen: true }
      case "Exit":
        return { step: { id, kind }, endsOpen: false }
      case "WaitForEvent":
      case "Branch": {
        const then = this.steps(given["then"], `${path}.then`, level + 1)
        const otherwise = this.steps(given["else"], `${path}.else`, level + 1)
        const lists = { then: then.steps, else: otherwise.steps }
        const endsOpen = then.endsOpen || otherwise.endsOpen
        if (kind === "Branch") {
          const condition = this.filter(given["condition"], `${path}.condition`, "contact too")
          return { step: { id, kind, condition, ...lists }, endsOpen }
        }
        const timeout = this.duration(given["timeout"], `${path}.timeout`)
        return { step: { id, kind, ...this.event(given, path), timeout, ...lists }, endsOpen }
      }
      case "Split":
        return this.split(id, given, path, level)
    }
  }

  sendEmail(id: string, given: Fields, path: string): Step {
    const purpose = emailPurposes.find((known) => known === given["purpose"])
    if (purpose === undefined) this.refuse("automation.purpose_invalid", `${path}.purpose`)
    const template = this.text(given["templateId"], `${path}.templateId`, 36)?.toLowerCase() ?? null
    if (template !== null && !this.vocabulary.templateIds.has(template)) {
      this.refuse("sending.template_not_found", `${path}.templateId`)
    }
    const subject = this.text(given["subject"], `${path}.subject`, maxSubject) || null
    const html = this.body(given["html"], `${path}.html`, "html")
    const text = this.body(given["text"], `${path}.text`, "text")
    const hasOwn = subject !== null || html !== null || text !== null
    if (given["templateId"] != null && hasOwn) this.refuse("sending.content_ambiguous", `${path}.templateId`)
    if (given["templateId"] == null && (subject === null || (html === null && text === null))) {
      this.refuse("sending.content_required", subject === null ? `${path}.subject` : `${path}.html`)
    }
    return {
      id,
      kind: "SendEmail",
      purpose: purpose ?? ("Marketing" satisfies EmailPurpose),
      templateId: template,
      subject,
      html,
      text,
      topic: this.topic(given["topic"], purpose, `${path}.topic`)
    }
  }

  body(value: unknown, path: string, kind: "html" | "text"): string | null {
    if (value == null) return null
    if (typeof value !== "string") {
      this.refuse("validation.type", path)
      return null
    }
    const found: Array<Issue> = []
    const body = checkBody(value, kind, found)
    for (const { code } of found) this.refuse(code, path, { max: maxBody })
    return body
  }

  topic(value: unknown, purpose: EmailPurpose | undefined, path: string): string | null {
    const key = this.text(value, path, 40)
    if (key === null) return null
    if (purpose === "Transactional") this.refuse("automation.topic_not_allowed", path)
    else this.topicKey(key, path)
    return key
  }

  topicKey(key: string, path: string): void {
    const topic = this.vocabulary.topics.find((one) => one.key === key)
    if (topic === undefined) this.refuse("topics.not_found", path)
    else if (topic.isArchived) this.refuse("topics.archived", path)
  }

  duration(value: unknown, path: string): string {
    const text = this.text(value, path, 40) ?? ""
    if (parseDuration(text) === null) this.refuse("automation.duration_invalid", path)
    return text
  }

  waitUntil(id: string, given: Fields, path: string): Step {
    const at = this.text(given["at"], `${path}.at`, 40)
    const time = this.text(given["time"], `${path}.time`, 5)
    if ((at === null) === (time === null)) this.refuse("automation.wait_until_invalid", path)
    if (at !== null && parseDateTime(at) === null) this.refuse("validation.format", `${path}.at`)
    if (time !== null && parseTimeOfDay(time) === null) this.refuse("validation.format", `${path}.time`)
    const timeZone = this.text(given["timeZone"], `${path}.timeZone`, 64) ?? "UTC"
    if (!isTimeZone(timeZone)) this.refuse("automation.time_zone_invalid", `${path}.timeZone`)
    const attribute = this.text(given["timeZoneAttribute"], `${path}.timeZoneAttribute`, 40)
    const field = this.vocabulary.fields.find((one) => one.key === attribute)
    if (attribute !== null && field?.type !== "Text") {
      this.refuse("audience.attribute_unknown", `${path}.timeZoneAttribute`)
    }
    return { id, kind: "WaitUntil", at, time, timeZone, timeZoneAttribute: attribute }
  }

  split(id: string, given: Fields, path: string, level: number) {
    const entries = this.list(given["paths"], `${path}.paths`)
    if (entries.length < 2 || entries.length > maxPaths) {
      this.refuse("automation.paths_invalid", `${path}.paths`, { min: 2, max: maxPaths })
      return { step: { id, kind: "Split", paths: [] } satisfies Step, endsOpen: true }
    }
    let endsOpen = false
    const paths = entries.map((entry, index) => {
      const place = `${path}.paths[${index}]`
      const fields = this.fields(entry, place) ?? {}
      const weight = fields["weight"]
      const isWeight = typeof weight === "number" && weight >= 0 && weight <= 1_000_000
      if (!isWeight) this.refuse("automation.weight_invalid", `${place}.weight`)
      const list = this.steps(fields["steps"], `${place}.steps`, level + 1)
      endsOpen ||= list.endsOpen
      return { weight: isWeight ? weight : 1, steps: list.steps }
    })
    if (paths.every(({ weight }) => weight === 0)) {
      this.refuse("automation.weight_invalid", `${path}.paths[0].weight`)
    }
    return { step: { id, kind: "Split", paths } satisfies Step, endsOpen }
  }

  updateContact(id: string, given: Fields, path: string): Step {
    const attributes =
      given["attributes"] == null ? {} : this.fields(given["attributes"], `${path}.attributes`)
    const topics = given["topics"] == null ? {} : this.fields(given["topics"], `${path}.topics`)
    const tags = given["tags"] == null ? {} : this.fields(given["tags"], `${path}.tags`)
    for (const key of Object.keys(attributes ?? {})) {
      if (!this.vocabulary.fields.some((field) => field.key === key)) {
        this.refuse("audience.attribute_unknown", `${path}.attributes.${key}`)
      }
    }
    for (const [key, chosen] of Object.entries(topics ?? {})) {
      if (typeof chosen !== "boolean") this.refuse("validation.type", `${path}.topics.${key}`)
      else this.topicKey(key, `${path}.topics.${key}`)
    }
    return {
      id,
      kind: "UpdateContact",
      attributes: (attributes ?? {}) as { readonly [key: string]: Json },
      topics: (topics ?? {}) as { readonly [key: string]: boolean },
      tags: {
        add: this.tags(tags?.["add"], `${path}.tags.add`),
        remove: this.tags(tags?.["remove"], `${path}.tags.remove`)
      }
    }
  }

  tags(value: unknown, path: string): ReadonlyArray<string> {
    const given = this.list(value, path)
    if (given.length > maxTags) this.refuse("automation.too_many_tags", path, { max: maxTags })
    const tags = given.slice(0, maxTags).map((entry, index) => {
      const tag = this.text(entry, `${path}[${index}]`, maxTag)
      if (tag === null || tag === "") this.refuse("validation.required", `${path}[${index}]`)
      return tag ?? ""
    })
    return [...new Set(tags)]
  }

  url(value: unknown, path: string): string {
    const url = this.text(value, path, maxUrl) ?? ""
    if (!this.vocabulary.acceptsUrl(url)) this.refuse("automation.url_invalid", path)
    return url
  }
}
