/**
 * Reads the transactional webhooks of Brevo, which have one event or a list of events.
 *
 * @module
 */
import type { ReportedVisit } from "../../model/RelayReport.ts"
import { type EntryReader, failed, named, type Occasion, report, visited } from "./Entry.ts"
import { addressOf, firstText, idOf, millisOf, pastTime, present, secondsOf, textOf } from "./Reading.ts"

/** The message header that Brevo returns in its reports. Its value is the reference of the delivery. */
const header = "X-Mailin-custom"

/** Reads an event of Brevo. */
export const readBrevo: EntryReader = (entry, now) => {
  const messageId = idOf(textOf(entry, "message-id"))
  const occasion: Occasion = {
    delivery: {
      references: present(firstText(entry, header, header.toLowerCase()), messageId),
      providerIds: present(messageId),
      recipient: addressOf(textOf(entry, "email"))
    },
    // `date` is in the time zone of the Brevo account, and `ts_epoch` is in seconds in some events.
    at: pastTime(
      secondsOf(entry, "ts_event") ??
        millisOf(entry, "ts_epoch") ??
        millisOf(entry, "s_epoch") ??
        secondsOf(entry, "ts"),
      now
    )
  }
  const said = { words: textOf(entry, "reason") }
  const visit = (isMachine: boolean | null): ReportedVisit => ({
    url: textOf(entry, "link"),
    userAgent: textOf(entry, "user_agent"),
    // `sending_ip` is the address of the server.
    address: textOf(entry, "ip"),
    isMachine
  })
  // Event names are written as `hard_bounce` in reports, and as `hardBounce` where a webhook is created.
  switch (textOf(entry, "event")?.replaceAll(/[_ -]/g, "").toLowerCase() ?? null) {
    case "delivered":
      return named([report(occasion, "Delivered", said)])
    case "deferred":
      return named([report(occasion, "Deferred", said)])
    case "hardbounce":
    case "invalidemail":
    case "invalid":
      return named([failed(occasion, "Address", said)])
    case "softbounce":
      return named([failed(occasion, "Temporary", said)])
    case "error":
      return named([failed(occasion, "Message", said)])
    case "blocked":
      return named([report(occasion, "Suppressed", said)])
    case "spam":
    case "complaint":
      return named([report(occasion, "Complained", { words: "abuse" })])
    case "unsubscribe":
    case "unsubscribed":
      return named([report(occasion, "Unsubscribed")])
    case "opened":
    case "uniqueopened":
    case "firstopening":
      return named([visited(occasion, "Opened", { ...visit(null), url: null })])
    case "proxyopen":
    case "uniqueproxyopen":
    case "loadedbyproxy":
      return named([visited(occasion, "Opened", { ...visit(true), url: null })])
    case "click":
    case "clicked":
      return named([visited(occasion, "Clicked", visit(null))])
    case null:
      return "Broken"
    // Request, sent, and event types that Brevo may add.
    default:
      return "Ignored"
  }
}
