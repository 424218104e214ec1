/**
 * The check of what steps say, each by itself: emails, waits, changes of contacts, requests.
 *
 * @module
 */
import { checkBody, maxBody } from "../../sending/emails/EmailContent.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues } from "../../shared/Problem.ts"
import { parseDateTime } from "../../shared/Validate.ts"
import { parseDuration } from "./Duration.ts"
import { type EmailPurpose, emailPurposes, type Step } from "../../model/FlowDefinition.ts"
import { type Fields, PartCheck } from "./FlowParts.ts"
import { isTimeZone, parseTimeOfDay } from "./TimeOfDay.ts"

/** Longer than a subject may be: what Liquid leaves of it is checked when it is sent. */
const maxSubject = 1000
const maxUrl = 2000
const maxTags = 20
const maxTag = 100

/** A check of single steps. */
export class StepCheck extends PartCheck {
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
    const found = new Issues()
    const body = checkBody(value, kind, found)
    for (const { code } of found.list) this.refuse(code, path, { max: maxBody })
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
