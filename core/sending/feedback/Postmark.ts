/**
 * Reads the webhooks of Postmark.
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
  pastTime,
  present,
  textOf,
  wordsOf
} from "./Reading.ts"

/** The cause of each type of bounce. Types that are neither here nor below are not failures, but automatic replies. */
const causes: ReadonlyMap<string, Cause> = new Map([
  ["HardBounce", "Address"],
  ["BadEmailAddress", "Address"],
  ["SoftBounce", "Temporary"],
  ["DnsError", "Temporary"],
  ["Unknown", "Undetermined"],
  ["Blocked", "Message"],
  ["DMARCPolicy", "Message"],
  ["SMTPApiError", "Message"],
  ["SpamNotification", "Message"],
  ["TemplateRenderingFailed", "Message"],
  ["Unconfirmed", "Message"],
  ["VirusNotification", "Message"]
])

/** Whether Postmark's text says that the recipient is on its own list. */
const isInactive = (words: string | null): boolean => words !== null && /\binactive\b/i.test(words)

const bounceOf = (entry: Fields, occasion: Occasion): Entry => {
  const type = textOf(entry, "Type") ?? ""
  const words = firstText(entry, "Details", "Description")
  const all = wordsOf(textOf(entry, "Details"), textOf(entry, "Description"))
  if (type === "Transient") return named([report(occasion, "Deferred", { words })])
  if (type === "SpamComplaint") return named([report(occasion, "Complained", { words: "abuse" })])
  if (type === "Unsubscribe") return named([report(occasion, "Unsubscribed")])
  if (type === "ManuallyDeactivated" || (type === "SMTPApiError" && isInactive(all))) {
    return named([report(occasion, "Suppressed", { words })])
  }
  const cause = causes.get(type)
  return cause === undefined ? "Ignored" : named([failed(occasion, cause, { words })])
}

/** Reads a webhook of Postmark. */
export const readPostmark: EntryReader = (entry, now) => {
  const occasion = (time: string): Occasion => ({
    delivery: {
      references: present(textOf(fieldsOf(entry, "Metadata"), referenceName)),
      providerIds: present(textOf(entry, "MessageID")),
      recipient: addressOf(firstText(entry, "Recipient", "Email"))
    },
    at: pastTime(dateTimeOf(entry, time), now)
  })
  const visit = (): ReportedVisit => ({
    url: textOf(entry, "OriginalLink"),
    userAgent: textOf(entry, "UserAgent"),
    address: textOf(fieldsOf(entry, "Geo"), "IP"),
    isMachine: null
  })
  switch (textOf(entry, "RecordType")) {
    case "Delivery":
      return named([report(occasion("DeliveredAt"), "Delivered", { words: textOf(entry, "Details") })])
    case "Bounce":
      return bounceOf(entry, occasion("BouncedAt"))
    case "SpamComplaint":
      return named([report(occasion("BouncedAt"), "Complained", { words: "abuse" })])
    case "Open":
      return named([visited(occasion("ReceivedAt"), "Opened", { ...visit(), url: null })])
    case "Click":
      return named([visited(occasion("ReceivedAt"), "Clicked", visit())])
    case "SubscriptionChange": {
      // Bounces and complaints that end a subscription are reported as such. Changes that customers make at Postmark are their
      // own.
      const leaves =
        flagOf(entry, "SuppressSending") === true &&
        textOf(entry, "SuppressionReason") === "ManualSuppression" &&
        textOf(entry, "Origin") === "Recipient"
      return leaves ? named([report(occasion("ChangedAt"), "Unsubscribed")]) : "Ignored"
    }
    case null:
      return "Broken"
    default:
      return "Ignored"
  }
}
