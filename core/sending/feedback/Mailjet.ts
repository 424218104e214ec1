/**
 * Reads the events of Mailjet's event API, which come singly or in groups.
 *
 * @module
 */
import type { ReportedVisit } from "../../model/RelayReport.ts"
import { type Entry, type EntryReader, failed, named, type Occasion, report, visited } from "./Entry.ts"
import type { Cause } from "./Failures.ts"
import {
  addressOf,
  type Fields,
  firstText,
  flagOf,
  pastTime,
  present,
  secondsOf,
  textOf,
  wordsOf
} from "./Reading.ts"

const wordsOfError = (entry: Fields): string | null =>
  wordsOf(firstText(entry, "comment", "smtp_reply"), textOf(entry, "error"))

const causeOf = (entry: Fields): Cause => {
  if (textOf(entry, "error") === "quota exceeded") return "Mailbox"
  const related = textOf(entry, "error_related_to")
  if (related === "spam" || related === "content" || related === "mailjet") return "Message"
  if (flagOf(entry, "hard_bounce") !== true || related === "system") return "Temporary"
  return "Address"
}

const blockedOf = (entry: Fields, occasion: Occasion): Entry => {
  const words = wordsOfError(entry)
  // Mailjet remembers failures of earlier mail to the recipient.
  const isHeldBack =
    textOf(entry, "error_related_to") === "recipient" || textOf(entry, "error") === "preblocked"
  return isHeldBack
    ? named([report(occasion, "Suppressed", { words })])
    : named([failed(occasion, "Message", { words })])
}

/** Reads an event of Mailjet. */
export const readMailjet: EntryReader = (entry, now) => {
  const occasion: Occasion = {
    delivery: {
      references: present(textOf(entry, "CustomID")),
      providerIds: present(textOf(entry, "Message_GUID"), textOf(entry, "MessageID")),
      recipient: addressOf(textOf(entry, "email"))
    },
    at: pastTime(secondsOf(entry, "time"), now)
  }
  const visit: ReportedVisit = {
    url: textOf(entry, "url"),
    userAgent: textOf(entry, "agent"),
    address: textOf(entry, "ip"),
    isMachine: null
  }
  switch (textOf(entry, "event")) {
    case "sent":
      return named([report(occasion, "Delivered", { words: textOf(entry, "smtp_reply") })])
    case "bounce":
      return named([failed(occasion, causeOf(entry), { words: wordsOfError(entry) })])
    case "blocked":
      return blockedOf(entry, occasion)
    case "spam":
      return named([report(occasion, "Complained", { words: "abuse" })])
    case "unsub":
      return named([report(occasion, "Unsubscribed")])
    case "open":
      return named([visited(occasion, "Opened", { ...visit, url: null })])
    case "click":
      return named([visited(occasion, "Clicked", visit)])
    case null:
      return "Broken"
    default:
      return "Ignored"
  }
}
