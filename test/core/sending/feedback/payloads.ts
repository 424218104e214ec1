/**
 * Entries of providers' reports, following their published schemas: one of each kind, all for one delivery.
 *
 * @module
 */
import type { RelayProvider } from "../../../../core/model/RelayReport.ts"

/** The reference that a message was given, and that the provider returns. */
export const reference = "bexamplereference"
export const recipient = "jane@example.net"

/** The time of the reported events, and the time of the reports. */
export const happenedAt = Date.UTC(2026, 1, 3, 10, 20, 30)
export const receivedAt = happenedAt + 60_000

type Fields = Readonly<Record<string, unknown>>

/** An entry with its expected result: its `kind`, followed by the failure or the code; `Ignored` or `Broken` if it has none. */
export type Sample = readonly [expected: string, entry: Fields]

const isoTime = new Date(happenedAt).toISOString()
const seconds = happenedAt / 1000
const unknownUser = "550 5.1.1 <jane@example.net>: Recipient address rejected: User unknown"
const listed = "550 5.1.1 Service unavailable; client blocked using Spamhaus"
const full = "552 5.2.2 Mailbox full"

const ses = (eventType: string, detail: Fields = {}): Fields => ({
  eventType,
  mail: {
    timestamp: isoTime,
    source: "shop@example.com",
    sendingAccountId: "123456789012",
    messageId: "0102017e-ses",
    destination: [recipient],
    headersTruncated: false,
    headers: [{ name: "Message-ID", value: "<mtoken@example.com>" }],
    commonHeaders: { from: ["shop@example.com"], to: [recipient], messageId: "0102017e-ses" },
    tags: { "ses:configuration-set": ["all"], "svc-delivery": [reference] }
  },
  ...detail
})

const sesBounce = (bounceType: string, bounceSubType: string, diagnosticCode?: string, status?: string) =>
  ses("Bounce", {
    bounce: {
      bounceType,
      bounceSubType,
      bouncedRecipients: [
        {
          emailAddress: recipient,
          action: "failed",
          ...(status === undefined ? {} : { status }),
          ...(diagnosticCode === undefined ? {} : { diagnosticCode })
        }
      ],
      timestamp: isoTime,
      feedbackId: "feedback",
      reportingMTA: "dsn; a1-2.smtp-out.amazonses.com"
    }
  })

const sesComplaint = (values: Fields) =>
  ses("Complaint", {
    complaint: {
      complainedRecipients: [{ emailAddress: recipient }],
      timestamp: isoTime,
      feedbackId: "feedback",
      ...values
    }
  })

const amazonSes: ReadonlyArray<Sample> = [
  [
    "Delivered 250",
    ses("Delivery", {
      delivery: {
        timestamp: isoTime,
        processingTimeMillis: 546,
        recipients: [recipient],
        smtpResponse: "250 ok:  Message 64111812 accepted",
        reportingMTA: "a8-70.smtp-out.amazonses.com"
      }
    })
  ],
  ["Bounced 5.1.1", sesBounce("Permanent", "General", `smtp; ${unknownUser}`, "5.1.1")],
  ["Bounced null", sesBounce("Permanent", "NoEmail")],
  ["Failed Refused", sesBounce("Permanent", "General", `smtp; ${listed}`, "5.1.1")],
  ["Failed Refused", sesBounce("Permanent", "General", "smtp; 550 5.7.1 Rejected by policy", "5.7.1")],
  ["Failed Refused", sesBounce("Undetermined", "Undetermined")],
  ["Failed MailboxFull", sesBounce("Transient", "MailboxFull", `smtp; ${full}`, "5.2.2")],
  ["Failed Deferred", sesBounce("Transient", "General", "smtp; 450 4.4.1 No answer", "4.4.1")],
  ["Failed Refused", sesBounce("Transient", "ContentRejected")],
  ["Failed Refused", sesBounce("Transient", "MessageTooLarge", "smtp; 552 5.3.4 Too large", "5.3.4")],
  ["Suppressed 5.1.1", sesBounce("Permanent", "Suppressed", "Amazon SES did not send this", "5.1.1")],
  ["Suppressed null", sesBounce("Permanent", "OnAccountSuppressionList")],
  ["Complained null", sesComplaint({ complaintFeedbackType: "abuse", complaintSubType: null })],
  ["Complained null", sesComplaint({})],
  ["Ignored", sesComplaint({ complaintFeedbackType: "not-spam" })],
  ["Ignored", sesComplaint({ complaintFeedbackType: "auth-failure" })],
  ["Suppressed null", sesComplaint({ complaintSubType: "OnAccountSuppressionList" })],
  [
    "Deferred 4.2.2",
    ses("DeliveryDelay", {
      deliveryDelay: {
        timestamp: isoTime,
        delayType: "MailboxFull",
        expirationTime: isoTime,
        delayedRecipients: [
          { emailAddress: recipient, status: "4.2.2", diagnosticCode: "smtp; 452 4.2.2 Over quota" }
        ]
      }
    })
  ],
  ["Failed Refused", ses("Reject", { reject: { reason: "Bad content" } })],
  ["Failed Refused", ses("Rendering Failure", { failure: { errorMessage: "Missing", templateName: "t" } })],
  ["Opened", ses("Open", { open: { ipAddress: "192.0.2.1", timestamp: isoTime, userAgent: "Mozilla/5.0" } })],
  [
    "Clicked https://example.com/a",
    ses("Click", {
      click: {
        ipAddress: "192.0.2.1",
        timestamp: isoTime,
        userAgent: "Mozilla/5.0",
        link: "https://example.com/a",
        linkTags: null
      }
    })
  ],
  [
    "Unsubscribed null",
    ses("Subscription", {
      subscription: {
        contactList: "all",
        timestamp: isoTime,
        source: "UnsubscribeHeader",
        newTopicPreferences: { unsubscribeAll: true, topicSubscriptionStatus: [] }
      }
    })
  ],
  ["Ignored", ses("Send", { send: {} })],
  ["Ignored", ses("SomethingNew")],
  [
    "Delivered null",
    {
      notificationType: "Delivery",
      mail: { timestamp: isoTime, messageId: "0102017e-ses", destination: [recipient] },
      delivery: { timestamp: isoTime, recipients: [recipient] }
    }
  ],
  ["Broken", { mail: {} }]
]

const postmark = (RecordType: string, values: Fields = {}): Fields => ({
  RecordType,
  ServerID: 23,
  MessageStream: "outbound",
  MessageID: "00000000-0000-0000-0000-000000000000",
  Recipient: recipient,
  Tag: "",
  Metadata: { "svc-delivery": reference },
  DeliveredAt: isoTime,
  ReceivedAt: isoTime,
  ChangedAt: isoTime,
  ...values
})

const postmarkBounce = (Type: string, Details: string, values: Fields = {}) =>
  postmark("Bounce", {
    ID: 692560173,
    Type,
    TypeCode: 1,
    Name: Type,
    Description: "The server was unable to deliver your message.",
    Details,
    Email: recipient,
    From: "shop@example.com",
    // A time with seven decimal digits of seconds.
    BouncedAt: `${isoTime.slice(0, 19)}.0000000Z`,
    DumpAvailable: true,
    Inactive: true,
    CanActivate: true,
    ...values
  })

const postmarkSamples: ReadonlyArray<Sample> = [
  ["Delivered 250", postmark("Delivery", { Details: "250 2.0.0 OK".replace("2.0.0 ", "") })],
  ["Bounced 5.1.1", postmarkBounce("HardBounce", `smtp;${unknownUser}`)],
  ["Bounced null", postmarkBounce("HardBounce", "action: failed")],
  ["Bounced null", postmarkBounce("BadEmailAddress", "")],
  ["Failed Refused", postmarkBounce("HardBounce", listed)],
  ["Failed MailboxFull", postmarkBounce("SoftBounce", full)],
  ["Failed Deferred", postmarkBounce("SoftBounce", "Undeliverable")],
  ["Failed Deferred", postmarkBounce("DnsError", "")],
  ["Failed Refused", postmarkBounce("Blocked", "550 5.7.1 Blocked")],
  ["Failed Refused", postmarkBounce("SpamNotification", "554 Spam")],
  ["Failed Refused", postmarkBounce("DMARCPolicy", "")],
  ["Deferred 450", postmarkBounce("Transient", "450 Try later")],
  ["Suppressed null", postmarkBounce("ManuallyDeactivated", "")],
  ["Suppressed null", postmarkBounce("SMTPApiError", "You tried to send to an inactive recipient")],
  ["Unsubscribed null", postmarkBounce("Unsubscribe", "")],
  ["Ignored", postmarkBounce("AutoResponder", "I am away")],
  ["Ignored", postmarkBounce("ChallengeVerification", "")],
  [
    "Complained null",
    postmark("SpamComplaint", { Type: "SpamComplaint", TypeCode: 512, Email: recipient, BouncedAt: isoTime })
  ],
  ["Opened", postmark("Open", { FirstOpen: true, UserAgent: "Mozilla/5.0", Geo: { IP: "192.0.2.1" } })],
  [
    "Clicked https://example.com/a",
    postmark("Click", {
      ClickLocation: "HTML",
      OriginalLink: "https://example.com/a",
      UserAgent: "Mozilla/5.0",
      Geo: { IP: "192.0.2.1" }
    })
  ],
  [
    "Unsubscribed null",
    postmark("SubscriptionChange", {
      Origin: "Recipient",
      SuppressSending: true,
      SuppressionReason: "ManualSuppression"
    })
  ],
  [
    "Ignored",
    postmark("SubscriptionChange", {
      Origin: "Recipient",
      SuppressSending: true,
      SuppressionReason: "HardBounce"
    })
  ],
  [
    "Ignored",
    postmark("SubscriptionChange", { Origin: "Customer", SuppressSending: false, SuppressionReason: null })
  ],
  ["Ignored", postmark("Inbound")],
  ["Broken", { MessageID: "a" }]
]

const mailgun = (event: string, values: Fields = {}): Fields => ({
  signature: { timestamp: String(seconds), token: "token", signature: "signature" },
  "event-data": {
    event,
    id: "DACSsAdVSeGpLid7TN03WA",
    timestamp: seconds + 0.25,
    recipient,
    "recipient-domain": "example.net",
    ip: "192.0.2.1",
    tags: [],
    campaigns: [],
    flags: { "is-routed": false, "is-authenticated": true, "is-system-test": false, "is-test-mode": false },
    message: { headers: { to: recipient, "message-id": "mtoken@example.com", from: "shop@example.com" } },
    "user-variables": { "svc-delivery": reference },
    ...values
  }
})

const mailgunFailure = (severity: string, reason: string, status: Fields) =>
  mailgun("failed", { severity, reason, "log-level": "error", "delivery-status": status })

const mailgunSamples: ReadonlyArray<Sample> = [
  ["Ignored", mailgun("accepted")],
  [
    "Delivered 2.0.0",
    mailgun("delivered", {
      "delivery-status": { code: 250, message: "OK", "enhanced-code": "2.0.0", "attempt-no": 1 }
    })
  ],
  [
    "Bounced 5.1.1",
    mailgunFailure("permanent", "bounce", { code: 550, message: unknownUser, "bounce-type": "hard" })
  ],
  ["Bounced 550", mailgunFailure("permanent", "bounce", { code: 550, message: "No such user here" })],
  [
    "Failed Refused",
    mailgunFailure("permanent", "bounce", { code: 550, message: listed, "bounce-type": "hard" })
  ],
  [
    "Failed Refused",
    mailgunFailure("permanent", "espblock", { code: 550, message: "5.1.1 blocked", "bounce-type": "hard" })
  ],
  [
    "Failed MailboxFull",
    mailgunFailure("permanent", "generic", { code: 552, message: full, "bounce-type": "soft" })
  ],
  ["Failed Deferred", mailgunFailure("permanent", "old", { code: 602, message: "Too old" })],
  ["Failed Refused", mailgunFailure("permanent", "generic", { code: 554, message: "Not accepted" })],
  [
    "Suppressed null",
    mailgunFailure("permanent", "suppress-bounce", {
      code: 605,
      description: "Not delivering to previously bounced address"
    })
  ],
  ["Suppressed null", mailgunFailure("permanent", "suppress-complaint", { code: 607 })],
  ["Suppressed null", mailgunFailure("permanent", "suppress-unsubscribe", { code: 606 })],
  [
    "Deferred 4.2.2",
    mailgunFailure("temporary", "generic", { code: 452, message: "4.2.2 Over quota", "retry-seconds": 600 })
  ],
  ["Failed Refused", mailgun("rejected", { reject: { reason: "Sandbox subdomains are for tests" } })],
  ["Complained null", mailgun("complained")],
  ["Unsubscribed null", mailgun("unsubscribed")],
  ["Opened", mailgun("opened", { "client-info": { "user-agent": "Mozilla/5.0" } })],
  ["Opened machine", mailgun("opened", { "client-info": { "user-agent": "Mozilla/5.0", bot: "apple" } })],
  ["Opened", mailgun("opened", { "client-info": { "user-agent": "Mozilla/5.0", bot: "gmail" } })],
  ["Opened person", mailgun("opened", { "client-info": { "user-agent": "Mozilla/5.0", bot: "" } })],
  ["Clicked https://example.com/a", mailgun("clicked", { url: "https://example.com/a" })],
  ["Broken", { signature: {}, "event-data": {} }]
]

const sendGrid = (event: string, values: Fields = {}): Fields => ({
  email: recipient,
  timestamp: seconds,
  "smtp-id": "<mtoken@example.com>",
  event,
  category: ["cat facts"],
  sg_event_id: "c2Vzc2lvbg==",
  sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
  "svc-delivery": reference,
  ...values
})

const sendGridBounce = (type: string, status: string, reason: string, bounce_classification: string) =>
  sendGrid("bounce", { type, status, reason, bounce_classification, tls: 1, ip: "192.0.2.1" })

const sendGridSamples: ReadonlyArray<Sample> = [
  ["Ignored", sendGrid("processed")],
  ["Delivered 250", sendGrid("delivered", { response: "250 OK" })],
  ["Deferred 451", sendGrid("deferred", { response: "451 Try again later", attempt: "5" })],
  ["Bounced 5.1.1", sendGridBounce("bounce", "5.1.1", unknownUser, "Invalid Address")],
  ["Bounced 550", sendGridBounce("bounce", "5.0.0", "550 No such user", "Invalid Address")],
  ["Failed Refused", sendGridBounce("bounce", "5.1.1", listed, "Invalid Address")],
  ["Failed MailboxFull", sendGridBounce("bounce", "5.2.2", full, "Mailbox Unavailable")],
  ["Failed Refused", sendGridBounce("bounce", "5.7.1", "550 5.7.1 Rejected", "Reputation")],
  ["Failed Deferred", sendGridBounce("bounce", "5.4.4", "Unable to resolve MX", "Technical")],
  ["Failed Refused", sendGridBounce("blocked", "5.1.1", unknownUser, "Invalid Address")],
  ["Suppressed null", sendGrid("dropped", { reason: "Bounced Address" })],
  ["Suppressed null", sendGrid("dropped", { reason: "Unsubscribed Address" })],
  ["Suppressed null", sendGrid("dropped", { reason: "Spam Reporting Address" })],
  ["Failed Refused", sendGrid("dropped", { reason: "Spam Content (if Spam Checker app enabled)" })],
  ["Complained null", sendGrid("spamreport")],
  ["Unsubscribed null", sendGrid("unsubscribe")],
  ["Unsubscribed null", sendGrid("group_unsubscribe", { asm_group_id: 10 })],
  ["Ignored", sendGrid("group_resubscribe", { asm_group_id: 10 })],
  ["Opened machine", sendGrid("open", { useragent: "Mozilla/5.0", ip: "192.0.2.1", sg_machine_open: true })],
  ["Opened person", sendGrid("open", { useragent: "Mozilla/5.0", sg_machine_open: false })],
  ["Clicked https://example.com/a", sendGrid("click", { url: "https://example.com/a", url_offset: {} })],
  ["Broken", { email: recipient }]
]

const brevo = (event: string, values: Fields = {}): Fields => ({
  event,
  email: recipient,
  id: 26224,
  date: "2026-02-03 12:20:30",
  ts: seconds,
  ts_event: seconds,
  ts_epoch: happenedAt,
  "message-id": "<202602031020.1@smtp-relay.mailin.fr>",
  subject: "Hello",
  tag: '["order"]',
  tags: ["order"],
  sending_ip: "192.0.2.25",
  "X-Mailin-custom": reference,
  ...values
})

const brevoSamples: ReadonlyArray<Sample> = [
  ["Ignored", brevo("request")],
  ["Delivered null", brevo("delivered")],
  ["Deferred 451", brevo("deferred", { reason: "451 Try again later" })],
  ["Bounced 5.1.1", brevo("hard_bounce", { reason: unknownUser })],
  ["Bounced 5.1.1", brevo("hardBounce", { reason: unknownUser })],
  ["Bounced null", brevo("invalid_email")],
  ["Failed Refused", brevo("hard_bounce", { reason: listed })],
  ["Failed Deferred", brevo("soft_bounce", { reason: "server is down" })],
  ["Failed MailboxFull", brevo("soft_bounce", { reason: full })],
  ["Failed Refused", brevo("error", { reason: "Invalid sender" })],
  ["Suppressed null", brevo("blocked", { reason: "blocked : due to blacklist user" })],
  ["Complained null", brevo("spam")],
  ["Complained null", brevo("complaint")],
  ["Unsubscribed null", brevo("unsubscribed")],
  ["Opened", brevo("opened")],
  ["Opened", brevo("unique_opened")],
  ["Opened machine", brevo("proxy_open")],
  ["Opened machine", brevo("unique_proxy_open")],
  ["Clicked https://example.com/a", brevo("click", { link: "https://example.com/a" })],
  ["Broken", { email: recipient }]
]

const mailjet = (event: string, values: Fields = {}): Fields => ({
  event,
  time: seconds,
  MessageID: 1942177783514649,
  Message_GUID: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
  email: recipient,
  mj_campaign_id: 7276,
  mj_contact_id: 320,
  customcampaign: "",
  CustomID: reference,
  Payload: "",
  ...values
})

const mailjetBounce = (hard_bounce: boolean, error_related_to: string, error: string, comment = "") =>
  mailjet("bounce", { blocked: hard_bounce, hard_bounce, error_related_to, error, comment })

const mailjetSamples: ReadonlyArray<Sample> = [
  ["Delivered 250", mailjet("sent", { mj_message_id: "20547673299877917", smtp_reply: "250 OK" })],
  ["Bounced 5.1.1", mailjetBounce(true, "recipient", "user unknown", unknownUser)],
  ["Bounced null", mailjetBounce(true, "recipient", "user unknown")],
  ["Failed Refused", mailjetBounce(true, "recipient", "user unknown", listed)],
  ["Failed MailboxFull", mailjetBounce(false, "recipient", "quota exceeded")],
  ["Failed Deferred", mailjetBounce(false, "domain", "greylisted")],
  ["Failed Refused", mailjetBounce(true, "spam", "sender blocked")],
  ["Suppressed null", mailjet("blocked", { error_related_to: "recipient", error: "user unknown" })],
  ["Suppressed null", mailjet("blocked", { error_related_to: "mailjet", error: "preblocked" })],
  ["Failed Refused", mailjet("blocked", { error_related_to: "mailjet", error: "duplicate in campaign" })],
  ["Failed Refused", mailjet("blocked", { error_related_to: "spam", error: "sender blocked" })],
  ["Complained null", mailjet("spam", { source: "JMRPP" })],
  [
    "Unsubscribed null",
    mailjet("unsub", { mj_list_id: 1, ip: "192.0.2.1", geo: "FR", agent: "Mozilla/5.0" })
  ],
  ["Opened", mailjet("open", { ip: "192.0.2.1", geo: "EU", agent: "Mozilla/5.0" })],
  ["Clicked https://example.com/a", mailjet("click", { url: "https://example.com/a", ip: "192.0.2.1" })],
  ["Ignored", mailjet("something")],
  ["Broken", { email: recipient }]
]

const sparkPost = (group: string, type: string, values: Fields = {}): Fields => ({
  msys: {
    [group]: {
      type,
      event_id: "92356927693813856",
      message_id: "000443ee14578172be22",
      raw_rcpt_to: recipient,
      rcpt_to: recipient,
      rcpt_meta: { "svc-delivery": reference },
      rcpt_tags: [],
      timestamp: String(seconds),
      ...values
    }
  }
})

const sparkPostBounce = (bounce_class: string, raw_reason: string, error_code = "550") =>
  sparkPost("message_event", "bounce", { bounce_class, error_code, raw_reason, reason: raw_reason })

const sparkPostSamples: ReadonlyArray<Sample> = [
  ["Ignored", { msys: {} }],
  ["Ignored", sparkPost("message_event", "injection")],
  ["Delivered null", sparkPost("message_event", "delivery")],
  ["Deferred 4.2.2", sparkPost("message_event", "delay", { raw_reason: "452 4.2.2 Over quota" })],
  ["Bounced 5.1.1", sparkPostBounce("10", unknownUser)],
  [
    "Bounced 5.1.1",
    sparkPost("message_event", "out_of_band", { bounce_class: "10", raw_reason: unknownUser })
  ],
  ["Bounced 550", sparkPostBounce("30", "550 No RCPT")],
  ["Failed Refused", sparkPostBounce("10", listed)],
  ["Failed MailboxFull", sparkPostBounce("22", full, "552")],
  ["Failed Deferred", sparkPostBounce("21", "Unable to resolve")],
  ["Failed Refused", sparkPostBounce("51", "550 5.1.1 Spam block")],
  ["Failed Refused", sparkPostBounce("25", "554 5.7.1 Administrative failure", "554")],
  ["Suppressed 5.7.1", sparkPostBounce("25", "554 5.7.1 recipient address was suppressed due to policy")],
  ["Ignored", sparkPostBounce("60", "Out of office")],
  ["Unsubscribed null", sparkPostBounce("90", "unsubscribe")],
  [
    "Failed Refused",
    sparkPost("message_event", "policy_rejection", { raw_reason: "550 5.7.1 Unconfigured sending domain" })
  ],
  [
    "Suppressed null",
    sparkPost("gen_event", "generation_rejection", {
      raw_reason: "recipient address suppressed due to customer policy"
    })
  ],
  ["Complained null", sparkPost("message_event", "spam_complaint", { fbtype: "abuse" })],
  ["Ignored", sparkPost("message_event", "spam_complaint", { fbtype: "not-spam" })],
  ["Unsubscribed null", sparkPost("unsubscribe_event", "list_unsubscribe", { mailfrom: "a@example.com" })],
  ["Unsubscribed null", sparkPost("unsubscribe_event", "link_unsubscribe")],
  ["Opened machine", sparkPost("track_event", "open", { user_agent: "Mozilla/5.0", is_prefetched: true })],
  ["Opened person", sparkPost("track_event", "initial_open", { is_prefetched: false })],
  [
    "Clicked https://example.com/a",
    sparkPost("track_event", "click", { target_link_url: "https://example.com/a" })
  ],
  ["Broken", { message: 1 }]
]

const resend = (type: string, detail: Fields = {}): Fields => ({
  type,
  created_at: isoTime,
  data: {
    broadcast_id: "8b146471-e88e-4322-86af-016cd36fd216",
    created_at: isoTime.replace("T", " ").replace("Z", "+00"),
    email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
    from: "Shop <shop@example.com>",
    to: [recipient],
    subject: "Hello",
    tags: [{ name: "svc-delivery", value: reference }],
    ...detail
  }
})

const resendBounce = (
  type: string,
  subType: string,
  message: string,
  diagnosticCode: ReadonlyArray<string> = []
) => resend("email.bounced", { bounce: { type, subType, message, diagnosticCode } })

const resendSamples: ReadonlyArray<Sample> = [
  ["Ignored", resend("email.sent")],
  ["Ignored", resend("email.scheduled")],
  ["Ignored", { type: "contact.updated", created_at: isoTime, data: { id: "a", unsubscribed: true } }],
  ["Delivered null", resend("email.delivered")],
  ["Delivered null", resend("email.delivered", { tags: { "svc-delivery": reference } })],
  ["Deferred null", resend("email.delivery_delayed")],
  ["Bounced null", resendBounce("Permanent", "General", "The address does not exist.")],
  ["Bounced 5.1.1", resendBounce("Permanent", "General", "It bounced.", [`smtp; ${unknownUser}`])],
  ["Failed Refused", resendBounce("Permanent", "General", "It bounced.", [`smtp; ${listed}`])],
  ["Suppressed null", resendBounce("Permanent", "Suppressed", "On the suppression list.")],
  ["Suppressed null", resendBounce("Permanent", "OnAccountSuppressionList", "On the list.")],
  ["Failed MailboxFull", resendBounce("Transient", "MailboxFull", "Its mailbox is full.")],
  ["Failed Deferred", resendBounce("Transient", "General", "It bounced.")],
  ["Failed Refused", resendBounce("Transient", "ContentRejected", "It bounced.")],
  ["Failed Refused", resendBounce("Undetermined", "Undetermined", "It bounced.")],
  ["Suppressed null", resend("email.suppressed", { suppressed: { message: "On the list", type: "a" } })],
  ["Failed Refused", resend("email.failed", { failed: { reason: "reached_daily_quota" } })],
  ["Complained null", resend("email.complained")],
  ["Opened", resend("email.opened")],
  [
    "Clicked https://example.com/a",
    resend("email.clicked", {
      click: {
        ipAddress: "192.0.2.1",
        link: "https://example.com/a",
        timestamp: isoTime,
        userAgent: "Mozilla/5.0"
      }
    })
  ],
  ["Broken", { data: {} }],
  ["Broken", { type: "email.delivered", created_at: isoTime, data: {} }]
]

export const samples: Readonly<Record<RelayProvider, ReadonlyArray<Sample>>> = {
  AmazonSes: amazonSes,
  Brevo: brevoSamples,
  Mailgun: mailgunSamples,
  Mailjet: mailjetSamples,
  Postmark: postmarkSamples,
  Resend: resendSamples,
  SendGrid: sendGridSamples,
  SparkPost: sparkPostSamples
}
