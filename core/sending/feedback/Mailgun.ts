/**
 * Reads the webhooks of Mailgun.
 *
 * @module
 */
import { referenceName, type ReportedVisit } from "../../model/RelayReport.ts"
import { type Entry, type EntryReader, failed, named, type Occasion, report, visited } from "./Entry.ts"
import type { Cause } from "./Failures.ts"
import {
  addressOf,
  type Fields,
  fieldsOf,
  firstText,
  idOf,
  pastTime,
  present,
  secondsOf,
  textOf,
  wordsOf
} from "./Reading.ts"

/** The codes with which Mailgun states that its own list held a message back: bounced, unsubscribed, complained. */
const ownCodes: ReadonlySet<string> = new Set(["605", "606", "607"])

const causeOf = (event: Fields, status: Fields): Cause => {
  const reason = textOf(event, "reason")
  if (reason === "old") return "Temporary"
  if (reason === "espblock") return "Message"
  if (textOf(status, "bounce-type") === "soft") return "Temporary"
  return reason === "bounce" || textOf(status, "bounce-type") === "hard" ? "Address" : "Undetermined"
}

const failureOf = (event: Fields, occasion: Occasion): Entry => {
  const status = fieldsOf(event, "delivery-status")
  const code = textOf(status, "code")
  const words = wordsOf(textOf(status, "message"), textOf(status, "description"))
  const said = { words, code, status: textOf(status, "enhanced-code") }
  const isHeldBack =
    textOf(event, "reason")?.startsWith("suppress-") === true || (code !== null && ownCodes.has(code))
  if (isHeldBack) return named([report(occasion, "Suppressed", { words })])
  return textOf(event, "severity") === "temporary"
    ? named([report(occasion, "Deferred", said)])
    : named([failed(occasion, causeOf(event, status), said)])
}

/** Whether Mailgun states that a program visited. Gmail's proxy counts as a person, since it shows the images to people. */
const isMachine = (client: Fields): boolean | null => {
  const bot = textOf(client, "bot")
  if (bot === null) return Object.hasOwn(client, "bot") ? false : null
  return bot === "gmail" ? null : true
}

/** Reads the event in a body of Mailgun's webhooks. */
export const readMailgun: EntryReader = (entry, now) => {
  const event = fieldsOf(entry, "event-data")
  const messageId = idOf(textOf(fieldsOf(event, "message", "headers"), "message-id"))
  const occasion: Occasion = {
    delivery: {
      references: present(textOf(fieldsOf(event, "user-variables"), referenceName), messageId),
      providerIds: present(messageId),
      recipient: addressOf(textOf(event, "recipient"))
    },
    at: pastTime(secondsOf(event, "timestamp"), now)
  }
  const client = fieldsOf(event, "client-info")
  const visit: ReportedVisit = {
    url: textOf(event, "url"),
    userAgent: textOf(client, "user-agent"),
    address: textOf(event, "ip"),
    isMachine: isMachine(client)
  }
  switch (textOf(event, "event")?.toLowerCase() ?? null) {
    case "delivered": {
      const status = fieldsOf(event, "delivery-status")
      const words = firstText(status, "message", "description")
      const said = { words, code: textOf(status, "code"), status: textOf(status, "enhanced-code") }
      return named([report(occasion, "Delivered", said)])
    }
    case "failed":
      return failureOf(event, occasion)
    case "rejected":
      return named([
        failed(occasion, "Message", {
          words: wordsOf(
            textOf(fieldsOf(event, "reject"), "reason"),
            textOf(fieldsOf(event, "reject"), "description")
          )
        })
      ])
    case "complained":
      return named([report(occasion, "Complained", { words: "abuse" })])
    case "unsubscribed":
      return named([report(occasion, "Unsubscribed")])
    case "opened":
      return named([visited(occasion, "Opened", { ...visit, url: null })])
    case "clicked":
      return named([visited(occasion, "Clicked", visit)])
    case null:
      return "Broken"
    // Accepted, stored, and event types that Mailgun may add.
    default:
      return "Ignored"
  }
}
