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
    idempotencyKey: "Idempotency key",
    tabs: { emails: "All emails", inbox: "Inbox" },
    parts: { activity: "Activity", message: "Message", webhooks: "Webhooks" },
    search: "Subject, address or ID",
    reason: "Reason",
    opened: "Opened",
    clicked: "Clicked",
    verdicts: {
      Human: "by a person",
      Machine: "by a machine",
      Unknown: "by an unknown visitor",
      None: "not at all"
    } as Names,
    rules: {
      method: "The request was not a normal page request.",
      purpose: "The request was marked as a prefetch.",
      early: "It happened before the email was delivered.",
      trap: "The hidden trap link was followed.",
      agent: "The user agent names a bot or scanner.",
      network: "It came from a mail scanner's network.",
      burst: "More links were followed within seconds than a person could click.",
      instant: "It happened within seconds of delivery.",
      mpp: "Apple Mail Privacy Protection loads every image.",
      proxy: "Google's image proxy loaded it.",
      yahoo: "Yahoo's image proxy loads images when a person reads the email.",
      hosting: "It came from a browser in a data centre.",
      twin: "The same link was followed from two networks at once.",
      headers: "Headers that browsers send were missing.",
      click: "A person clicked a link, so the email was opened.",
      rest: "No sign of a machine was found."
    } as Names,
    more: (shown: string, count: number) => `and ${shown} more ${plural(count, "visit", "visits")}`,
    reasons: {
      "sending.retrying": "The recipient's server deferred it. It is retried automatically.",
      "sending.refused": "The recipient's server rejected it permanently. Fix the cause, then send it again.",
      "sending.mailbox_full": "The mailbox is full. Send it again later.",
      "sending.retries_exhausted": "The recipient's server rejected every attempt. Send it again later.",
      "sending.relay_suppressed": "The address is on the relay provider's own suppression list.",
      "sending.outcome_unknown":
        "The connection broke before the server confirmed, so it may have arrived. Ask the recipient before you send it again.",
      "sending.campaign_paused": "Its campaign is paused. It continues when the campaign is resumed.",
      "sending.cancelled": "Cancelled before it was sent.",
      "sending.in_review": "Held for review. Release or refuse it.",
      "sending.review_refused": "Refused in review.",
      "sending.tls_required":
        "The recipient's server offers no encryption, which the setting “Require TLS” demands. It is retried automatically.",
      "sending.provider_held":
        "Held: the recipient's provider is not accepting email from this service at the moment. It is sent as soon as it does.",
      "sending.sender_held":
        "Held: the recipient's provider is not accepting email from the sending domain. Domains, Standing shows its reply.",
      "sending.relay_unavailable":
        "Waiting: none of the account's relays can be used. Fix the relay, or add another way in the settings.",
      "sending.warming_up": "Waiting: the sending addresses are warming up. It is sent within the next days.",
      "sending.given_up":
        "The provider did not accept it, and the operator ended the delivery. Send it again later.",
      "sending.standing_held":
        "Held: too many emails of the account bounced or were marked as spam. Domains, Standing shows the causes.",
      "sending.held_too_long": "Held until it was too late to send it. Fix the cause, then send it again."
    } as Names,
    outcomes: {
      Delivered: "Delivered",
      Complained: "Complained",
      Accepted: "Accepted by the relay",
      Sent: "Passed to the relay",
      Deferred: "Deferred: it is tried again",
      Bounced: "The address was rejected",
      MailboxFull: "The mailbox is full",
      Refused: "The message was rejected",
      Held: "Held: the server does not accept email for now",
      Unknown: "The connection broke before the reply",
      Lost: "The attempt was interrupted"
    } as Names,
    leftFrom: (address: string) => `from ${address}`,
    resend: "Send again",
    resendTitle: "Send this email again?",
    resendText: (shown: string, count: number) =>
      `A new email with the same content is sent to ${shown} ${plural(count, "recipient", "recipients")}. Recipients who cannot receive it are skipped, with a reason.`,
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
    erasedText: "Content is kept for the account's retention period. Status and statistics are kept.",
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
      changed: "This is not what was sent: the person’s data, or the catalogue, has changed since.",
      cut: (size: string) => `Only the beginning is shown. Download all ${size}.`,
      noLinks: "This email has no links.",
      noAttachments: "This email has no attachments.",
      inline: "shown in the message"
    },
    notifications: {
      none: "No webhook was notified about this recipient.",
      attempts: (shown: string, count: number) => `${shown} ${plural(count, "attempt", "attempts")}`,
      next: "next",
      recipient: "Recipient"
    }
  },
  inbox: {
    text: "Email that the sandbox captured instead of sending.",
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
    showEmail: "Show the email's activity",
    empty: "Sandbox email appears here",
    emptyText: "Send an email with a sandbox key. It never leaves the service."
  }
}
