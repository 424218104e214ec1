/**
 * Reads the events of Amazon SES, which its event publishing and its feedback notifications put into the message of an SNS
 * notification.
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
  firstText,
  flagOf,
  idOf,
  listOf,
  pastTime,
  present,
  textOf
} from "./Reading.ts"

/** The subtypes of bounces and complaints that are due to SES's own suppression lists, before anything was sent. */
const ownLists: ReadonlySet<string> = new Set([
  "Suppressed",
  "OnAccountSuppressionList",
  "OnTenantSuppressionList",
  "UnsubscribedRecipient"
])

/** The kinds of feedback from a person who does not want the email. */
const complaints: ReadonlySet<string> = new Set(["abuse", "opt-out", "opt-out-list"])

const causeOf = (bounce: Fields): Cause => {
  const subType = textOf(bounce, "bounceSubType")
  switch (textOf(bounce, "bounceType")) {
    case "Permanent":
      return "Address"
    case "Transient":
      if (subType === "MailboxFull") return "Mailbox"
      return subType === "General" || subType === "CustomTimeoutExceeded" ? "Temporary" : "Message"
    default:
      return "Undetermined"
  }
}

/** Reads an event of SES. */
export const readAmazonSes: EntryReader = (event, now) => {
  const mail = fieldsOf(event, "mail")
  const common = fieldsOf(mail, "commonHeaders")
  const header = listOf(mail, "headers").find((one) => textOf(one, "name")?.toLowerCase() === "message-id")
  const references = present(
    asText(listOf(fieldsOf(mail, "tags"), referenceName)[0]),
    idOf(textOf(header, "value")),
    idOf(textOf(common, "messageId"))
  )
  const providerIds = present(textOf(mail, "messageId"))

  const occasion = (detail: Fields, recipient: string | null): Occasion => ({
    delivery: { references, providerIds, recipient: addressOf(recipient) },
    at: pastTime(dateTimeOf(detail, "timestamp") ?? dateTimeOf(mail, "timestamp"), now)
  })
  /** The recipients in a part of the event, or those of the mail if the part names none. */
  const recipients = (detail: Fields, name: string): ReadonlyArray<Fields> => {
    const listed = listOf(detail, name)
    const from = listed.length > 0 ? listed : listOf(mail, "destination")
    return from.map((one) => (typeof one === "string" ? { emailAddress: one } : fieldsOf(one)))
  }
  const each = (
    detail: Fields,
    name: string,
    read: (at: Occasion, recipient: Fields) => ReturnType<typeof report>
  ): Entry =>
    named(recipients(detail, name).map((one) => read(occasion(detail, textOf(one, "emailAddress")), one)))
  const visitOf = (detail: Fields): ReportedVisit => ({
    url: textOf(detail, "link"),
    userAgent: textOf(detail, "userAgent"),
    address: textOf(detail, "ipAddress"),
    isMachine: null
  })

  switch (firstText(event, "eventType", "notificationType")) {
    case "Delivery": {
      const delivery = fieldsOf(event, "delivery")
      const words = textOf(delivery, "smtpResponse")
      return each(delivery, "recipients", (at) => report(at, "Delivered", { words }))
    }
    case "Bounce": {
      const bounce = fieldsOf(event, "bounce")
      const subType = textOf(bounce, "bounceSubType")
      return each(bounce, "bouncedRecipients", (at, recipient) => {
        const said = { words: textOf(recipient, "diagnosticCode"), status: textOf(recipient, "status") }
        return subType !== null && ownLists.has(subType)
          ? report(at, "Suppressed", said)
          : failed(at, causeOf(bounce), said)
      })
    }
    case "Complaint": {
      const complaint = fieldsOf(event, "complaint")
      const subType = textOf(complaint, "complaintSubType")
      if (subType !== null && ownLists.has(subType)) {
        return each(complaint, "complainedRecipients", (at) => report(at, "Suppressed"))
      }
      const kind = textOf(complaint, "complaintFeedbackType")
      if (kind !== null && !complaints.has(kind)) return "Ignored"
      return each(complaint, "complainedRecipients", (at) => report(at, "Complained", { words: kind }))
    }
    case "DeliveryDelay": {
      const delay = fieldsOf(event, "deliveryDelay")
      const kind = textOf(delay, "delayType")
      return each(delay, "delayedRecipients", (at, recipient) =>
        report(at, "Deferred", {
          words: textOf(recipient, "diagnosticCode") ?? kind,
          status: textOf(recipient, "status")
        })
      )
    }
    case "Reject":
      return each(mail, "destination", (at) =>
        failed(at, "Message", { words: textOf(fieldsOf(event, "reject"), "reason") })
      )
    case "Rendering Failure":
      return each(mail, "destination", (at) =>
        failed(at, "Message", { words: textOf(fieldsOf(event, "failure"), "errorMessage") })
      )
    case "Open": {
      const open = fieldsOf(event, "open")
      return named([visited(occasion(open, asText(listOf(mail, "destination")[0])), "Opened", visitOf(open))])
    }
    case "Click": {
      const click = fieldsOf(event, "click")
      return named([
        visited(occasion(click, asText(listOf(mail, "destination")[0])), "Clicked", visitOf(click))
      ])
    }
    case "Subscription": {
      const subscription = fieldsOf(event, "subscription")
      const leaves = flagOf(fieldsOf(subscription, "newTopicPreferences"), "unsubscribeAll") === true
      return leaves ? each(subscription, "recipients", (at) => report(at, "Unsubscribed")) : "Ignored"
    }
    case null:
      return "Broken"
    // Send, and event types that SES may add.
    default:
      return "Ignored"
  }
}
