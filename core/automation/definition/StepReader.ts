/**
 * Reads the settings of individual steps: emails, waits, changes of contacts, requests.
 *
 * @module
 */
import { checkBody, maxBody } from "../../sending/emails/EmailContent.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues, valueDetail } from "../../shared/Problem.ts"
import { parseDateTime, formats } from "../../shared/Validate.ts"
import { parseDuration } from "./Duration.ts"
import { type EmailPurpose, emailPurposes, type Step } from "../../model/FlowDefinition.ts"
import type { Fields, PartReader } from "./PartReader.ts"
import { isTimeZone, parseTimeOfDay } from "../../kernel/TimeOfDay.ts"

/** The most characters of a subject's Liquid, more than a rendered subject may have; that is validated when it is sent. */
const maxSubject = 1000
const maxUrl = 2000
const maxTags = 20
const maxTag = 100

/** Reads individual steps of one definition. Their issues go to the reader of parts. */
export class StepReader {
  readonly #parts: PartReader

  constructor(parts: PartReader) {
    this.#parts = parts
  }

  sendEmail(id: string, given: Fields, path: string): Step {
    const purpose = emailPurposes.find((known) => known === given["purpose"])
    if (purpose === undefined)
      this.#parts.reject("automation.purpose_invalid", `${path}.purpose`, null, valueDetail(given["purpose"]))
    const template = this.#parts.string(given["templateId"], `${path}.templateId`, 36)?.toLowerCase() ?? null
    if (template !== null && !this.#parts.scope.templateIds.has(template)) {
      this.#parts.reject("sending.template_not_found", `${path}.templateId`)
    }
    const subject = this.#parts.string(given["subject"], `${path}.subject`, maxSubject) || null
    const html = this.#body(given["html"], `${path}.html`, "html")
    const text = this.#body(given["text"], `${path}.text`, "text")
    const hasOwn = subject !== null || html !== null || text !== null
    if (given["templateId"] != null && hasOwn)
      this.#parts.reject("sending.content_ambiguous", `${path}.templateId`)
    if (given["templateId"] == null && (subject === null || (html === null && text === null))) {
      this.#parts.reject("sending.content_required", subject === null ? `${path}.subject` : `${path}.html`)
    }
    return {
      id,
      kind: "SendEmail",
      purpose: purpose ?? ("Marketing" satisfies EmailPurpose),
      templateId: template,
      subject,
      html,
      text,
      topic: this.#topic(given["topic"], purpose, `${path}.topic`)
    }
  }

  #body(value: unknown, path: string, kind: "html" | "text"): string | null {
    if (value == null) return null
    if (typeof value !== "string") {
      this.#parts.reject("validation.type", path)
      return null
    }
    const found = new Issues()
    const body = checkBody(value, kind, found)
    for (const { code } of found.list) this.#parts.reject(code, path, { max: maxBody })
    return body
  }

  #topic(value: unknown, purpose: EmailPurpose | undefined, path: string): string | null {
    const key = this.#parts.string(value, path, 40)
    if (key === null) return null
    if (purpose === "Transactional") this.#parts.reject("automation.topic_not_allowed", path)
    else this.#topicKey(key, path)
    return key
  }

  #topicKey(key: string, path: string): void {
    const topic = this.#parts.scope.topics.find((one) => one.key === key)
    if (topic === undefined) this.#parts.reject("topics.not_found", path, null, { key })
    else if (topic.isArchived) this.#parts.reject("topics.archived", path, null, { key })
  }

  duration(value: unknown, path: string): string {
    const duration = this.#parts.string(value, path, 40) ?? ""
    if (parseDuration(duration) === null)
      this.#parts.reject("automation.duration_invalid", path, null, valueDetail(duration))
    return duration
  }

  waitUntil(id: string, given: Fields, path: string): Step {
    const at = this.#parts.string(given["at"], `${path}.at`, 40)
    const time = this.#parts.string(given["time"], `${path}.time`, 5)
    if ((at === null) === (time === null)) this.#parts.reject("automation.wait_until_invalid", path)
    if (at !== null && parseDateTime(at) === null)
      this.#parts.reject("validation.format", `${path}.at`, null, { expected: formats.dateTime })
    if (time !== null && parseTimeOfDay(time) === null)
      this.#parts.reject("validation.format", `${path}.time`, null, { expected: formats.timeOfDay })
    const timeZone = this.#parts.string(given["timeZone"], `${path}.timeZone`, 64) ?? "UTC"
    if (!isTimeZone(timeZone))
      this.#parts.reject("automation.time_zone_invalid", `${path}.timeZone`, null, valueDetail(timeZone))
    const attribute = this.#parts.string(given["timeZoneAttribute"], `${path}.timeZoneAttribute`, 40)
    const field = this.#parts.scope.fields.find((one) => one.key === attribute)
    if (attribute !== null && field?.type !== "Text") {
      this.#parts.reject("audience.attribute_unknown", `${path}.timeZoneAttribute`, null, { key: attribute })
    }
    return { id, kind: "WaitUntil", at, time, timeZone, timeZoneAttribute: attribute }
  }

  updateContact(id: string, given: Fields, path: string): Step {
    const attributes =
      given["attributes"] == null ? {} : this.#parts.fields(given["attributes"], `${path}.attributes`)
    const topics = given["topics"] == null ? {} : this.#parts.fields(given["topics"], `${path}.topics`)
    const tags = given["tags"] == null ? {} : this.#parts.fields(given["tags"], `${path}.tags`)
    if (tags !== null) this.#parts.only(tags, `${path}.tags`, ["add", "remove"])
    for (const key of Object.keys(attributes ?? {})) {
      if (!this.#parts.scope.fields.some((field) => field.key === key)) {
        this.#parts.reject("audience.attribute_unknown", `${path}.attributes.${key}`)
      }
    }
    for (const [key, chosen] of Object.entries(topics ?? {})) {
      if (typeof chosen !== "boolean")
        this.#parts.reject("validation.type", `${path}.topics.${key}`, null, { expected: "true or false" })
      else this.#topicKey(key, `${path}.topics.${key}`)
    }
    return {
      id,
      kind: "UpdateContact",
      attributes: (attributes ?? {}) as { readonly [key: string]: Json },
      topics: (topics ?? {}) as { readonly [key: string]: boolean },
      tags: {
        add: this.#tags(tags?.["add"], `${path}.tags.add`),
        remove: this.#tags(tags?.["remove"], `${path}.tags.remove`)
      }
    }
  }

  #tags(value: unknown, path: string): ReadonlyArray<string> {
    const given = this.#parts.list(value, path)
    if (given.length > maxTags) this.#parts.reject("automation.too_many_tags", path, { max: maxTags })
    const tags = given.slice(0, maxTags).map((entry, index) => {
      const tag = this.#parts.string(entry, `${path}[${index}]`, maxTag)
      if (tag === null || tag === "") this.#parts.reject("validation.required", `${path}[${index}]`)
      return tag ?? ""
    })
    return [...new Set(tags)]
  }

  url(value: unknown, path: string): string {
    const url = this.#parts.string(value, path, maxUrl) ?? ""
    if (!this.#parts.scope.acceptsUrl(url)) this.#parts.reject("automation.url_invalid", path)
    return url
  }
}
