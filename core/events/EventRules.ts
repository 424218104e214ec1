/**
 * An event as customers write it, and the check that turns it into a command. What its person must be like is decided
 * when the person is found or created, in the background.
 *
 * Source: public-api "Events", rules 1 to 7; decisions 4.
 *
 * @module
 */
import type { ContactWrite } from "../model/ContactInput.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { isUuid } from "../shared/Uuid.ts"
import type { Json } from "../shared/Json.ts"
import { type Code, type Issue, issue, Problem } from "../shared/Problem.ts"
import { isStorable, type Maybe, parseDateTime } from "../shared/Validate.ts"
import type { EventPerson, PendingEvent } from "../model/Event.ts"

/** The shape of an event, its types checked and nothing else. */
export interface EventWrite {
  readonly id?: Maybe<string>
  readonly name?: Maybe<string>
  readonly occurredAt?: Maybe<string>
  readonly contact?: Maybe<ContactWrite>
  readonly properties?: unknown
}

/** An event that is valid in itself. */
export type EventCommand = Omit<PendingEvent, "id">

/** The most events of a call. */
export const maxEvents = 100
/** The most characters of a customer's event id. */
export const maxEventId = 200
/** The most characters of an event's name. */
export const maxEventName = 64
/** The most bytes of properties, as compact JSON in UTF-8. */
export const maxPropertiesBytes = 16 * 1024
/** The most levels of properties, the object itself being the first. */
export const maxPropertiesLevels = 3
/** How long ago an event may have occurred, milliseconds: 30 days. */
export const maxEventAge = 30 * 86_400_000
/** How far the clock of who reports an event may be from ours, milliseconds. */
export const maxClockSkew = 5_000

/** How names begin that only the service and stores give. */
export const reservedPrefixes = [
  "order.",
  "cart.",
  "customer.",
  "subscriber.",
  "contact.",
  "email.",
  "svc."
] as const

const namePattern = /^[a-z][a-z0-9_.]*$/

/** Why a call of so many events is refused as a whole: activity.batch_too_large; undefined when it is not. */
export const refuseEventCount = (count: number): Problem | undefined =>
  count === 0 || count > maxEvents
    ? Problem.of("activity.batch_too_large", "events", { min: 1, max: maxEvents })
    : undefined

/** Checks an event. Answers the command, or every issue found. */
export const checkEvent = (write: EventWrite, now: number): EventCommand | Problem => {
  const issues: Array<Issue> = []
  const eventId = (write.id ?? "").trim()
  if (eventId === "" || eventId.length > maxEventId || !isStorable(eventId)) {
    issues.push(issue("activity.event_id_invalid", "id", { max: maxEventId }))
  }
  const name = (write.name ?? "").trim()
  const nameFlaw = flawOfName(name)
  if (nameFlaw !== null) issues.push(issue(nameFlaw, "name"))
  const occurredAt = write.occurredAt == null ? now : parseDateTime(write.occurredAt)
  if (occurredAt === null || !isTimely(occurredAt, now)) {
    issues.push(issue("activity.event_occurred_at_invalid", "occurredAt"))
  }
  const contact = write.contact ?? {}
  if (!isNamed(contact.id) && !isNamed(contact.externalId) && !isNamed(contact.email)) {
    issues.push(issue("activity.event_contact_required", "contact"))
  }
  const given = write.properties ?? {}
  const flaws = flawsOfProperties(given)
  for (const flaw of flaws) issues.push(issue(`activity.event_properties_${flaw}`, "properties"))
  return (
    Problem.from(issues) ?? {
      eventId,
      name,
      occurredAt: occurredAt ?? now,
      properties: given as Readonly<Record<string, Json>>,
      contact,
      person: personOf(contact),
      size: JSON.stringify(given).length + JSON.stringify(contact).length
    }
  )
}

/** What is wrong with a name that a customer's system gives an event; null when nothing is. */
const flawOfName = (name: string): Code | null => {
  if (name.length > maxEventName || !namePattern.test(name)) return "activity.event_name_invalid"
  return reservedPrefixes.some((prefix) => name.startsWith(prefix)) ? "activity.event_name_reserved" : null
}

const isTimely = (occurredAt: number, now: number): boolean =>
  occurredAt <= now + maxClockSkew && occurredAt >= now - maxEventAge - maxClockSkew

const isNamed = (text: Maybe<string>): boolean => text != null && text.trim() !== ""

const personOf = ({ email, externalId, id }: ContactWrite): EventPerson => {
  const contactId = id?.trim().toLowerCase() ?? ""
  const ownId = externalId?.trim() ?? ""
  return {
    contactId: isUuid(contactId) ? contactId : null,
    externalId: ownId !== "" && isStorable(ownId) ? ownId : null,
    email: email == null ? null : parseEmail(email)
  }
}

/** What can be wrong with properties: no object or text that cannot be stored, too many bytes, too many levels. */
export type PropertiesFlaw = "invalid" | "too_large" | "too_deep"

/**
 * What is wrong with the properties of an event, or of a flow's trigger call. Any JSON value can be given; of text that
 * cannot be stored (NUL, a lone surrogate) nothing else is said.
 */
export const flawsOfProperties = (properties: unknown): ReadonlyArray<PropertiesFlaw> => {
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return ["invalid"]
  if (!isStorableJson(properties)) return ["invalid"]
  const flaws: Array<PropertiesFlaw> = []
  if (utf8Bytes(JSON.stringify(properties)) > maxPropertiesBytes) flaws.push("too_large")
  if (isDeeper(properties, maxPropertiesLevels)) flaws.push("too_deep")
  return flaws
}

/** Whether a value has objects or lists more than so many levels deep. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((entry) => isDeeper(entry, levels - 1)))

/** Whether every text of a JSON value, keys included, can be stored. Walks without recursion: depth is the sender's. */
const isStorableJson = (root: unknown): boolean => {
  const waiting: Array<unknown> = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === "string") {
      if (!isStorable(value)) return false
    } else if (typeof value === "object" && value !== null) {
      for (const [key, entry] of Object.entries(value)) {
        if (!isStorable(key)) return false
        waiting.push(entry)
      }
    }
  }
  return true
}

/** The bytes of well-formed text in UTF-8. */
const utf8Bytes = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    // A surrogate pair is two units and four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
