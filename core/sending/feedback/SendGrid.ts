/**
 * Reads the events of SendGrid's event webhook.
 *
 * @module
 */
import { referenceName, type ReportedVisit } from "../../model/RelayReport.ts"
import { type Entry, type EntryReader, failed, named, type Occasion, report, visited } from "./Entry.ts"
import type { Cause } from "./Failures.ts"
import {
  addressOf,
  type Fields,
  firstText,
  flagOf,
  idOf,
  pastTime,
  present,
  secondsOf,
  textOf
} from "./Reading.ts"

/** The reasons of a drop that is due to SendGrid's own lists. */
const ownLists = /^(?:bounced|unsubscribed|spam reporting|invalid)(?: address)?$/i

/** The cause of each class of bounces. */
const causes: ReadonlyMap<string, Cause> = new Map([
  ["invalid address", "Address"],
  ["mailbox unavailable", "Undetermined"],
  ["technical", "Temporary"],
  ["frequency or volume too high", "Temporary"],
  ["content", "Message"],
  ["reputation", "Message"]
])

const causeOf = (entry: Fields): Cause => {
  if (textOf(entry, "type") === "blocked") return "Message"
  return causes.get(textOf(entry, "bounce_classification")?.toLowerCase() ?? "") ?? "Address"
}

const droppedOf = (entry: Fields, occasion: Occasion): Entry => {
  const words = textOf(entry, "reason")
  return words !== null && ownLists.test(words)
    ? named([report(occasion, "Suppressed", { words })])
    : named([failed(occasion, "Message", { words })])
}

/** The id in the reply to the message: `sg_message_id` up to the name of the server that filtered it. */
const queueIds = (messageId: string | null): ReadonlyArray<string> => {
  const end = messageId === null ? -1 : messageId.search(/\.(?:filter|recvd)/)
  return present(messageId, end > 0 ? messageId!.slice(0, end) : null)
}

/** Reads an event of SendGrid. */
export const readSendGrid: EntryReader = (entry, now) => {
  const occasion: Occasion = {
    delivery: {
      references: present(textOf(entry, referenceName), idOf(textOf(entry, "smtp-id"))),
      providerIds: queueIds(textOf(entry, "sg_message_id")),
      recipient: addressOf(textOf(entry, "email"))
    },
    at: pastTime(secondsOf(entry, "timestamp"), now)
  }
  const words = firstText(entry, "response", "reason")
  const said = { words, status: textOf(entry, "status") }
  const visit: ReportedVisit = {
    url: textOf(entry, "url"),
    userAgent: textOf(entry, "useragent"),
    address: textOf(entry, "ip"),
    isMachine: flagOf(entry, "sg_machine_open")
  }
  switch (textOf(entry, "event")) {
    case "delivered":
      return named([report(occasion, "Delivered", said)])
    case "deferred":
      return named([report(occasion, "Deferred", said)])
    case "bounce":
      return named([
        failed(occasion, causeOf(entry), { ...said, words: firstText(entry, "reason", "response") })
      ])
    case "dropped":
      return droppedOf(entry, occasion)
    case "spamreport":
      return named([report(occasion, "Complained", { words: "abuse" })])
    case "unsubscribe":
    case "group_unsubscribe":
      return named([report(occasion, "Unsubscribed")])
    case "open":
      return named([visited(occasion, "Opened", { ...visit, url: null })])
    case "click":
      return named([visited(occasion, "Clicked", visit)])
    case null:
      return "Broken"
    // Processed, group_resubscribe, and event types that SendGrid may add.
    default:
      return "Ignored"
  }
}
