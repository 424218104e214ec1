/**
 * Reads the events of SparkPost's webhooks.
 *
 * @module
 */
import { referenceName, type ReportedVisit } from "../../model/RelayReport.ts"
import { type Entry, type EntryReader, failed, named, type Occasion, report, visited } from "./Entry.ts"
import type { Cause } from "./Failures.ts"
import {
  addressOf,
  dateTimeOf,
  type Fields,
  fieldsOf,
  firstText,
  flagOf,
  isFields,
  pastTime,
  present,
  secondsOf,
  textOf,
  wordsOf
} from "./Reading.ts"

/** The cause of each class of bounces, by its number. Class 60 is an automatic reply, 100 a challenge. */
const causes: ReadonlyMap<string, Cause> = new Map([
  ["1", "Undetermined"],
  ["10", "Address"],
  ["20", "Temporary"],
  ["21", "Temporary"],
  ["22", "Mailbox"],
  ["23", "Message"],
  ["24", "Temporary"],
  ["25", "Message"],
  ["30", "Address"],
  ["40", "Undetermined"],
  ["50", "Message"],
  ["51", "Message"],
  ["52", "Message"],
  ["53", "Message"],
  ["54", "Message"],
  ["70", "Temporary"]
])

const noFailures: ReadonlySet<string> = new Set(["60", "80", "100"])

/** SparkPost's text for a recipient on its own list. */
const heldBack = /\brecipient address (?:was )?suppressed\b/i

const failureOf = (event: Fields, occasion: Occasion): Entry => {
  const bounceClass = textOf(event, "bounce_class") ?? "1"
  if (noFailures.has(bounceClass)) return "Ignored"
  if (bounceClass === "90") return named([report(occasion, "Unsubscribed")])
  const words = wordsOf(firstText(event, "raw_reason", "reason"))
  const said = { words, code: textOf(event, "error_code") }
  return words !== null && heldBack.test(words)
    ? named([report(occasion, "Suppressed", said)])
    : named([failed(occasion, causes.get(bounceClass) ?? "Undetermined", said)])
}

const eventOf = (entry: Fields): Fields | null => {
  const groups = Object.values(fieldsOf(entry, "msys"))
  return groups.length === 1 && isFields(groups[0]) ? groups[0] : null
}

/** Reads an event of SparkPost. */
export const readSparkPost: EntryReader = (entry, now) => {
  const event = eventOf(entry)
  // A request with which SparkPost checks the address.
  if (event === null) return isFields(entry["msys"]) ? "Ignored" : "Broken"
  const occasion: Occasion = {
    delivery: {
      references: present(textOf(fieldsOf(event, "rcpt_meta"), referenceName)),
      providerIds: present(textOf(event, "message_id"), textOf(event, "transmission_id")),
      recipient: addressOf(firstText(event, "raw_rcpt_to", "rcpt_to"))
    },
    at: pastTime(secondsOf(event, "timestamp") ?? dateTimeOf(event, "timestamp"), now)
  }
  const visit: ReportedVisit = {
    url: textOf(event, "target_link_url"),
    userAgent: textOf(event, "user_agent"),
    address: textOf(event, "ip_address"),
    isMachine: flagOf(event, "is_prefetched")
  }
  const words = firstText(event, "raw_reason", "reason")
  switch (textOf(event, "type")) {
    case "delivery":
      return named([report(occasion, "Delivered", { words })])
    case "delay":
      return named([report(occasion, "Deferred", { words, code: textOf(event, "error_code") })])
    case "bounce":
    case "out_of_band":
      return failureOf(event, occasion)
    case "policy_rejection":
    case "generation_rejection":
    case "generation_failure":
      return words !== null && heldBack.test(words)
        ? named([report(occasion, "Suppressed", { words })])
        : named([failed(occasion, "Message", { words })])
    case "spam_complaint": {
      const kind = textOf(event, "fbtype") ?? "abuse"
      return kind === "not-spam" ? "Ignored" : named([report(occasion, "Complained", { words: kind })])
    }
    case "list_unsubscribe":
    case "link_unsubscribe":
      return named([report(occasion, "Unsubscribed")])
    case "open":
    case "initial_open":
    case "amp_open":
    case "amp_initial_open":
      return named([visited(occasion, "Opened", { ...visit, url: null })])
    case "click":
    case "amp_click":
      return named([visited(occasion, "Clicked", visit)])
    case null:
      return "Broken"
    // Injection, and event types that SparkPost may add.
    default:
      return "Ignored"
  }
}
