/**
 * The texts of one email, of its message and of the sandbox inbox in English.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const mailEn = {
  mail: {
    source: "Source",
    sources: { Api: "API", Smtp: "SMTP", Flow: "Flow", Campaign: "Campaign", System: "Service" } as Names,
    tabs: { emails: "All emails", inbox: "Inbox" },
    parts: { activity: "Activity", message: "Message", webhooks: "Webhooks" },
    search: "Subject, address or id",
    reason: "Reason",
    opened: "Opened",
    clicked: "Clicked",
    verdicts: {
      Human: "by a person",
      Machine: "by a machine",
      Unknown: "unclear by whom",
      None: "not at all"
    } as Names,
    rules: {
      method: "It did not ask for the page as a reader does.",
      purpose: "The program said that it only fetched ahead.",
      early: "It came before the email was delivered.",
      trap: "The link that people cannot see was followed.",
      agent: "The program names itself as a machine.",
      network: "It came from a network of mail scanners.",
      burst: "More links were followed within seconds than a person follows.",
      instant: "It came within seconds of delivery.",
      mpp: "Apple's mail privacy loads every image.",
      proxy: "Google's image proxy loaded it.",
      yahoo: "Yahoo's image proxy loads images when a person reads.",
      hosting: "A browser in a data centre followed it.",
      twin: "The same link was followed from two networks at once.",
      headers: "The browser left out what browsers send.",
      click: "A link was followed, so the email was read.",
      rest: "Nothing speaks against a person."
    } as Names,
    more: (shown: string, count: number) => `and ${shown} more ${plural(count, "visit", "visits")}`,
    reasons: {
      "sending.retrying": "The recipient's server rejected it for now. It is tried again by itself.",
      "sending.refused":
        "The recipient's server rejected it for good. Mend what it objects to, then send it again.",
      "sending.mailbox_full": "The mailbox is full. Send it again later.",
      "sending.retries_exhausted": "The recipient's server rejected every attempt. Send it again later.",
      "sending.relay_suppressed": "The provider that relays it has the address on its own suppression list.",
      "sending.outcome_unknown":
        "The connection broke at the end: it may have arrived. Ask the recipient first.",
      "sending.campaign_paused": "Its campaign is paused. It continues when the campaign is resumed.",
      "sending.cancelled": "Cancelled before it was sent. Send it again to send it after all.",
      "sending.in_review": "Held for review. Release or refuse it.",
      "sending.review_refused": "Refused in review."
    } as Names,
    resend: "Send again",
    resendTitle: "Send this email again?",
    resendText: (shown: string, count: number) =>
      `A new email with the same content goes to ${shown} ${plural(count, "recipient", "recipients")}. Those who cannot receive it now are left out, with the reason.`,
    resent: "Sent again: this is the new email",
    release: "Release",
    released: (shown: string, count: number) =>
      `Released for ${shown} ${plural(count, "recipient", "recipients")}`,
    refuse: "Refuse",
    refuseTitle: "Refuse this email?",
    refuseText: (shown: string, count: number) =>
      `${shown} ${plural(count, "recipient", "recipients")} will not receive it. This cannot be undone.`,
    refused: "Email refused",
    erased: "The content has been erased",
    erasedText: "Emails keep their content for the account's retention. States and counts stay.",
    message: {
      title: "Message",
      tabs: {
        html: "HTML",
        text: "Text",
        headers: "Headers",
        raw: "Raw",
        links: "Links",
        attachments: "Attachments"
      },
      images: "Load images",
      imagesShown: "Images are loaded",
      phone: "Phone width",
      download: "Download",
      noText: "This email has no text part.",
      cut: (size: string) => `Only the beginning is shown. Download all ${size}.`,
      noLinks: "This email has no links.",
      noAttachments: "This email has no attachments.",
      inline: "shown in the message"
    },
    notifications: {
      none: "No webhook was told about this recipient.",
      attempts: (shown: string, count: number) => `${shown} ${plural(count, "attempt", "attempts")}`,
      next: "next",
      recipient: "Recipient"
    }
  },
  inbox: {
    text: "What the sandbox delivered instead of sending it.",
    from: "From",
    to: "To",
    received: "Received",
    simulate: "Simulate",
    simulations: {
      Bounce: "A bounce",
      Complaint: "A complaint",
      Open: "An open",
      Click: "A click",
      Unsubscribe: "An unsubscribe"
    } as Names,
    simulated: (name: string) => `${name} was simulated`,
    showEmail: "Show what happened",
    empty: "Emails of the sandbox arrive here",
    emptyText: "Send one with a key of the sandbox. It does not leave the service."
  }
}
