/**
 * Reads the settings of single steps: emails, waits, changes of contacts, requests.
 *
 * @module
 */
import { checkBody, maxBody } from "../../sending/emails/EmailContent.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues } from "../../shared/Problem.ts"
import { parseDateTime } from "../../shared/Validate.ts"
import { parseDuration } from "./Duration.ts"
import { type EmailPurpose, emailPurposes, type Step } from "../../model/FlowDefinition.ts"
import { type Fields, PartReader } from "./PartReader.ts"
import { isTimeZone, parseTimeOfDay } from "./TimeOfDay.ts"

/** Longer than a rendered subject may be: that is validated when it is sent. */
const maxSubject = 1000
const maxUrl = 2000
const maxTags = 20
const maxTag = 100

/** Reads single steps of one definition and collects their issues. */
export class StepReader extends PartReader {
  sendEmail(id: string, given: Fields, path: string): Step {
    const purpose = emailPurposes.find((known) => known === given["purpose"])
    if (purpose === undefined) this.reject("automation.purpose_invalid", `${path}.purpose`)
    const template = this.string(given["templateId"], `${path}.templateId`, 36)?.toLowerCase() ?? null
    if (template !== null && !this.scope.templateIds.has(template)) {
      this.reject("sending.template_not_found", `${path}.templateId`)
    }
    const subject = this.string(given["subject"], `${path}.subject`, maxSubject) || null
    const html = this.#body(given["html"], `${path}.html`, "html")
    const text = this.#body(given["text"], `${path}.text`, "text")
    const hasOwn = subject !== null || html !== null || text !== null
    if (given["templateId"] != null && hasOwn) this.reject("sending.content_ambiguous", `${path}.templateId`)
    if (given["templateId"] == null && (subject === null || (html === null && text === null))) {
      this.reject("sending.content_required", subject === null ? `${path}.subject` : `${path}.html`)
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
    if (typeof value !== "string") return this.reject("validation.type", path)
    const found = new Issues()
    const body = checkBody(value, kind, found)
    for (const { code } of found.list) this.reject(code, path, { max: maxBody })
    return body
  }

  #topic(value: unknown, purpose: EmailPurpose | undefined, path: string): string | null {
    const key = this.string(value, path, 40)
    if (key === null) return null
    if (purpose === "Transactional") this.reject("automation.topic_not_allowed", path)
    else this.#topicKey(key, path)
    return key
  }

  #topicKey(key: string, path: string): void {
    const topic = this.scope.topics.find((one) => one.key === key)
    if (topic === undefined) this.reject("topics.not_found", path)
    else if (topic.isArchived) this.reject("topics.archived", path)
  }

  duration(value: unknown, path: string): string {
    const duration = this.string(value, path, 40) ?? ""
    if (parseDuration(duration) === null) this.reject("automation.duration_invalid", path)
    return duration
  }

  waitUntil(id: string, given: Fields, path: string): Step {
    const at = this.string(given["at"], `${path}.at`, 40)
    const time = this.string(given["time"], `${path}.time`, 5)
    if ((at === null) === (time === null)) this.reject("automation.wait_until_invalid", path)
    if (at !== null && parseDateTime(at) === null) this.reject("validation.format", `${path}.at`)
    if (time !== null && parseTimeOfDay(time) === null) this.reject("validation.format", `${path}.time`)
    const timeZone = this.string(given["timeZone"], `${path}.timeZone`, 64) ?? "UTC"
    if (!isTimeZone(timeZone)) this.reject("automation.time_zone_invalid", `${path}.timeZone`)
    const attribute = this.string(given["timeZoneAttribute"], `${path}.timeZoneAttribute`, 40)
    const field = this.scope.fields.find((one) => one.key === attribute)
    if (attribute !== null && field?.type !== "Text") {
      this.reject("audience.attribute_unknown", `${path}.timeZoneAttribute`)
    }
    return { id, kind: "WaitUntil", at, time, timeZone, timeZoneAttribute: attribute }
  }

  updateContact(id: string, given: Fields, path: string): Step {
    const read = (key: string): Fields =>
      given[key] == null ? {} : (this.fields(given[key], `${path}.${key}`) ?? {})
    const attributes = read("attributes")
    const topics = read("topics")
    const tags = read("tags")
    for (const key of Object.keys(attributes)) {
      if (!this.scope.fields.some((field) => field.key === key)) {
        this.reject("audience.attribute_unknown", `${path}.attributes.${key}`)
      }
    }
    for (const [key, chosen] of Object.entries(topics)) {
      if (typeof chosen !== "boolean") this.reject("validation.type", `${path}.topics.${key}`)
      else this.#topicKey(key, `${path}.topics.${key}`)
    }
    return {
      id,
      kind: "UpdateContact",
      attributes: attributes as { readonly [key: string]: Json },
      topics: topics as { readonly [key: string]: boolean },
      tags: {
        add: this.#tags(tags["add"], `${path}.tags.add`),
        remove: this.#tags(tags["remove"], `${path}.tags.remove`)
      }
    }
  }

  #tags(value: unknown, path: string): ReadonlyArray<string> {
    const given = this.list(value, path)
    if (given.length > maxTags) this.reject("automation.too_many_tags", path, { max: maxTags })
    const tags = given.slice(0, maxTags).map((entry, index) => {
      const tag = this.string(entry, `${path}[${index}]`, maxTag)
      if (tag === null || tag === "") this.reject("validation.required", `${path}[${index}]`)
      return tag ?? ""
    })
    return [...new Set(tags)]
  }

  url(value: unknown, path: string): string {
    const url = this.string(value, path, maxUrl) ?? ""
    if (!this.scope.acceptsUrl(url)) this.reject("automation.url_invalid", path)
    return url
  }
}
