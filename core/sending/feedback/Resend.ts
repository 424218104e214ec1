/**
 * Reads the webhooks of Resend.
 *
 * @module
 */
import { referenceName, type ReportedVisit } from "../../model/RelayReport.ts"
import { type Entry, type EntryReader, failed, named, type Occasion, report, visited } from "./Entry.ts"
import type { Cause } from "./Failures.ts"
import {
  addressOf,
  asText,
  dateTimeOf,
  type Fields,
  fieldsOf,
  idOf,
  listOf,
  pastTime,
  present,
  textOf
} from "./Reading.ts"

/** The value of the tag with the reference. Tags are an object, or a list of names with values. */
const tagOf = (data: Fields): string | null => {
  const listed = listOf(data, "tags").find((tag) => textOf(tag, "name") === referenceName)
  return listed === undefined ? textOf(fieldsOf(data, "tags"), referenceName) : textOf(listed, "value")
}

const bounceOf = (data: Fields, occasion: Occasion): Entry => {
  const bounce = fieldsOf(data, "bounce")
  const subType = textOf(bounce, "subType") ?? ""
  const reply = asText(listOf(bounce, "diagnosticCode")[0])
  const words = reply ?? textOf(bounce, "message")
  const type = textOf(bounce, "type")
  // Reports from before there were types state it only in text.
  const isHeldBack = subType.includes("Suppress") || (type === null && /\bsuppress/i.test(words ?? ""))
  if (isHeldBack) return named([report(occasion, "Suppressed", { words })])
  const cause: Cause =
    type === "Permanent" || type === null
      ? "Address"
      : type !== "Transient"
        ? "Undetermined"
        : subType === "MailboxFull"
          ? "Mailbox"
          : subType === "General"
            ? "Temporary"
            : "Message"
  // Resend's own message advises on the sender's reputation, whatever the server replied.
  return named([failed(occasion, cause, { words, reply })])
}

/** Reads a webhook of Resend. */
export const readResend: EntryReader = (entry, now) => {
  const data = fieldsOf(entry, "data")
  const header = listOf(data, "headers").find((one) => textOf(one, "name")?.toLowerCase() === "message-id")
  const click = fieldsOf(data, "click")
  const occasion: Occasion = {
    delivery: {
      references: present(tagOf(data), idOf(textOf(header, "value")), idOf(textOf(data, "message_id"))),
      providerIds: present(textOf(data, "email_id")),
      recipient: addressOf(asText(listOf(data, "to")[0]) ?? textOf(data, "to"))
    },
    at: pastTime(dateTimeOf(click, "timestamp") ?? dateTimeOf(entry, "created_at"), now)
  }
  const visitOf = (detail: Fields): ReportedVisit => ({
    url: textOf(detail, "link"),
    userAgent: textOf(detail, "userAgent"),
    address: textOf(detail, "ipAddress"),
    isMachine: null
  })
  switch (textOf(entry, "type")) {
    case "email.delivered":
      return named([report(occasion, "Delivered")])
    case "email.delivery_delayed":
      return named([report(occasion, "Deferred")])
    case "email.bounced":
      return bounceOf(data, occasion)
    case "email.suppressed":
      return named([
        report(occasion, "Suppressed", { words: textOf(fieldsOf(data, "suppressed"), "message") })
      ])
    case "email.failed":
      return named([failed(occasion, "Message", { words: textOf(fieldsOf(data, "failed"), "reason") })])
    case "email.complained":
      return named([report(occasion, "Complained", { words: "abuse" })])
    case "email.opened":
      return named([visited(occasion, "Opened", { ...visitOf(fieldsOf(data, "open")), url: null })])
    case "email.clicked":
      return named([visited(occasion, "Clicked", visitOf(click))])
    case null:
      return "Broken"
    // Sent, scheduled, contacts, domains, and event types that Resend may add.
    default:
      return "Ignored"
  }
}
