/**
 * Parses a submitted event into a command. The event's contact is validated later, in the background, when the contact is
 * found or created.
 *
 * Source: docs/contributing/public-api.md "Events", rules 1 to 7; docs/contributing/decisions.md 4.
 *
 * @module
 */
import { Result } from "effect"
import type { ContactWrite } from "../model/ContactInput.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { isUuid } from "../shared/Uuid.ts"
import { isExactNumber, type Json, withWrittenNumbers } from "../shared/Json.ts"
import { type Code, Issues, Problem, valueDetail } from "../shared/Problem.ts"
import { isAhead, isStorable, maxClockSkew, type Maybe, parseDateTime } from "../shared/Validate.ts"
import { conversionEvent } from "../model/Conversion.ts"
import type { EventPerson, PendingEvent } from "../model/Event.ts"

/** An event as submitted, of which only the types are validated. */
export interface EventWrite {
  readonly id?: Maybe<string>
  readonly name?: Maybe<string>
  readonly occurredAt?: Maybe<string>
  readonly contact?: Maybe<ContactWrite>
  readonly properties?: unknown
}

/** A valid event, except for its contact. */
export type EventCommand = Omit<PendingEvent, "id" | "source">

/** The most events of a call. */
export const maxEvents = 100
/** The most characters of an event id that a customer gives. */
export const maxEventId = 200
/** The most characters of an event name. */
export const maxEventName = 64
/** The most bytes of an event's properties, as compact JSON in UTF-8. */
export const maxPropertiesBytes = 16 * 1024
/** The deepest nesting of properties; the object itself is the first level. */
export const maxPropertiesLevels = 3
/** How long ago an event may have occurred, milliseconds: 30 days. */
export const maxEventAge = 30 * 86_400_000

/** The prefixes of event names that only the service and stores may use, in addition to {@link conversionEvent}. */
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

/** Returns activity.batch_too_large for a call with too few or too many events; undefined if the number is allowed. */
export const eventCountProblem = (count: number): Problem | undefined =>
  count === 0 || count > maxEvents
    ? Problem.of("activity.batch_too_large", "events", { min: 1, max: maxEvents }, { found: String(count) })
    : undefined

/** Parses an event reported at `now` (epoch milliseconds). Returns the command, or a problem with every issue found. */
export const parseEvent = (write: EventWrite, now: number): Result.Result<EventCommand, Problem> => {
  const issues = new Issues()
  const eventId = (write.id ?? "").trim()
  if (eventId === "" || eventId.length > maxEventId || !isStorable(eventId)) {
    issues.add("activity.event_id_invalid", "id", { max: maxEventId })
  }
  const name = (write.name ?? "").trim()
  const nameFlaw = flawOfName(name)
  if (nameFlaw !== null) {
    issues.add(nameFlaw, "name", null, { value: name, known: reservedPrefixes.join(", ") })
  }
  const occurredAt = write.occurredAt == null ? now : parseDateTime(write.occurredAt)
  if (occurredAt === null || !isTimely(occurredAt, now)) {
    issues.add("activity.event_occurred_at_invalid", "occurredAt", null, valueDetail(write.occurredAt))
  }
  const contact = write.contact ?? {}
  if (!isGiven(contact.id) && !isGiven(contact.externalId) && !isGiven(contact.email)) {
    issues.add("activity.event_contact_required", "contact")
  }
  // The rest of the contact is checked when the event is processed; a future time might be past by then.
  const givenAt = contact.consent?.proof?.givenAt
  const proofAt = givenAt == null ? null : parseDateTime(givenAt)
  if (proofAt !== null && isAhead(proofAt, now)) {
    issues.add(
      "validation.range",
      "contact.consent.proof.givenAt",
      { max: now + maxClockSkew },
      { latest: "now" }
    )
  }
  const given = write.properties ?? {}
  const flaws = flawsOfProperties(given)
  for (const flaw of flaws) issues.add(`activity.event_properties_${flaw}`, "properties")
  const problem = issues.problem
  if (problem !== undefined) return Result.fail(problem)
  return Result.succeed({
    eventId,
    name,
    occurredAt: occurredAt ?? now,
    properties: given as Readonly<Record<string, Json>>,
    contact,
    person: personOf(contact),
    size: JSON.stringify(given).length + JSON.stringify(contact).length
  })
}

/** The error code of an invalid event name; null if it is valid. */
const flawOfName = (name: string): Code | null => {
  if (name.length > maxEventName || !namePattern.test(name)) return "activity.event_name_invalid"
  const isReserved = name === conversionEvent || reservedPrefixes.some((prefix) => name.startsWith(prefix))
  return isReserved ? "activity.event_name_reserved" : null
}

const isTimely = (occurredAt: number, now: number): boolean =>
  !isAhead(occurredAt, now) && occurredAt >= now - maxEventAge - maxClockSkew

const isGiven = (value: Maybe<string>): boolean => value != null && value.trim() !== ""

const personOf = ({ email, externalId, id }: ContactWrite): EventPerson => {
  const contactId = id?.trim().toLowerCase() ?? ""
  const ownId = externalId?.trim() ?? ""
  return {
    contactId: isUuid(contactId) ? contactId : null,
    externalId: ownId !== "" && isStorable(ownId) ? ownId : null,
    email: email == null ? null : parseEmail(email)
  }
}

/** Why properties are invalid: not an object, or with a string that cannot be stored; too many bytes; too many levels. */
export type PropertiesFlaw = "invalid" | "too_large" | "too_deep"

/**
 * Why the properties of an event, or of a call of a flow's trigger, are invalid. Accepts any JSON value. If a string cannot be
 * stored (NUL, a lone surrogate), that is the only flaw returned.
 */
export const flawsOfProperties = (properties: unknown): ReadonlyArray<PropertiesFlaw> => {
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return ["invalid"]
  if (!isStorableJson(properties)) return ["invalid"]
  const flaws: Array<PropertiesFlaw> = []
  if (utf8Bytes(JSON.stringify(withWrittenNumbers(properties))) > maxPropertiesBytes) flaws.push("too_large")
  if (isDeeper(properties, maxPropertiesLevels)) flaws.push("too_deep")
  return flaws
}

/** Whether a value nests objects or lists deeper than `levels`. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  !isExactNumber(value) &&
  (levels === 0 || Object.values(value).some((entry) => isDeeper(entry, levels - 1)))

/** Whether every string in a JSON value, keys included, can be stored. Not recursive, since callers choose the depth. */
const isStorableJson = (root: unknown): boolean => {
  const pending: Array<unknown> = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === "string") {
      if (!isStorable(value)) return false
    } else if (typeof value === "object" && value !== null) {
      for (const [key, entry] of Object.entries(value)) {
        if (!isStorable(key)) return false
        pending.push(entry)
      }
    }
  }
  return true
}

/** The length of a well-formed string in UTF-8 bytes. */
const utf8Bytes = (value: string): number => {
  let bytes = value.length
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index)
    if (unit < 0x80) continue
    // A surrogate pair is two code units and four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
