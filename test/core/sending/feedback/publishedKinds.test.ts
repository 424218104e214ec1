/**
 * Tests each event of each provider in the form of its published example: its result, or that it is only counted.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { relayProviders, type RelayProvider } from "../../../../core/model/RelayReport.ts"
import { readFeedback } from "../../../../core/sending/feedback/Feedback.ts"

const receivedAt = Date.UTC(2026, 10, 23)

type Values = Readonly<Record<string, unknown>>

/** The published example of a provider, from which the form of each event is made, by the event's name. */
interface Form {
  readonly of: (event: string, values: Values) => unknown
  readonly at: string
  readonly id: string
  readonly recipient: string
}

const agent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_8) AppleWebKit/537.31 Chrome/26.0.1410.43"

const forms: Readonly<Record<RelayProvider, Form>> = {
  AmazonSes: {
    of: (eventType, values) => ({
      eventType,
      mail: {
        timestamp: "2017-08-05T00:40:02.012Z",
        source: "Sender Name <sender@example.com>",
        sourceArn: "arn:aws:ses:us-east-1:123456789012:identity/sender@example.com",
        sendingAccountId: "123456789012",
        messageId: "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000",
        destination: ["recipient@example.com"],
        headersTruncated: false,
        headers: [{ name: "From", value: "Sender Name <sender@example.com>" }],
        commonHeaders: {
          from: ["Sender Name <sender@example.com>"],
          subject: "Message sent from Amazon SES"
        },
        tags: { "ses:configuration-set": ["ConfigSet"], "ses:source-ip": ["192.0.2.0"] }
      },
      ...values
    }),
    at: "2017-08-05T00:41:02.669Z",
    id: "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000",
    recipient: "recipient@example.com"
  },
  Postmark: {
    of: (RecordType, values) => ({
      RecordType,
      ServerID: 23,
      MessageStream: "outbound",
      MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
      Metadata: { a_key: "a_value", b_key: "b_value" },
      Tag: "welcome-email",
      ...values
    }),
    at: "2019-11-05T16:33:54.907Z",
    id: "883953f4-6105-42a2-a16a-77a8eac79483",
    recipient: "john@example.com"
  },
  Mailgun: {
    of: (event, values) => ({
      signature: {
        timestamp: "1529006854",
        token: "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0",
        signature: "d2271d12299f6592d9d44cd9d250f0704e4674c30d79d07c47a66f95ce71cf55"
      },
      "event-data": {
        event,
        id: "CPgfbmQMTCKtHW6uIWtuVe",
        timestamp: 1521472262.908181,
        "log-level": "info",
        recipient: "alice@example.com",
        "recipient-domain": "example.com",
        tags: ["my_tag_1", "my_tag_2"],
        campaigns: [],
        "user-variables": { my_var_1: "Mailgun Variable #1", "my-var-2": "awesome" },
        flags: {
          "is-routed": false,
          "is-authenticated": true,
          "is-system-test": false,
          "is-test-mode": false
        },
        message: {
          headers: {
            to: "Alice <alice@example.com>",
            "message-id": "20130503182626.18666.16540@example.org",
            from: "Bob <bob@example.org>",
            subject: "Test delivered webhook"
          },
          attachments: [],
          size: 111
        },
        ...values
      }
    }),
    at: "2018-03-19T15:11:02.908Z",
    id: "20130503182626.18666.16540@example.org",
    recipient: "alice@example.com"
  },
  SendGrid: {
    of: (event, values) => ({
      email: "example@test.com",
      timestamp: 1513299569,
      "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
      event,
      category: ["cat facts"],
      sg_event_id: "ZGVsaXZlcmVkLTAtMTA1NDk2MDgtTGRHUnhVSGY1TGZ2UGt3",
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      ...values
    }),
    at: "2017-12-15T00:59:29.000Z",
    id: "14c5d75ce93.dfd.64b469",
    recipient: "example@test.com"
  },
  Brevo: {
    of: (event, values) => ({
      event,
      email: "example@domain.com",
      id: 26224,
      date: "2020-10-09 00:00:00",
      ts: 1604933619,
      "message-id": "<201798300811.5787683@relay.domain.com>",
      ts_event: 1604933654,
      subject: "My first Transactional",
      tag: '["transactionalTag"]',
      sending_ip: "185.41.28.109",
      ts_epoch: 1604933654000,
      tags: ["transactionalTag"],
      ...values
    }),
    at: "2020-11-09T14:54:14.000Z",
    id: "201798300811.5787683@relay.domain.com",
    recipient: "example@domain.com"
  },
  Mailjet: {
    of: (event, values) => ({
      event,
      time: 1433333949,
      MessageID: 19421777835146490,
      Message_GUID: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
      email: "api@mailjet.com",
      mj_campaign_id: 7257,
      mj_contact_id: 4,
      customcampaign: "",
      CustomID: "helloworld",
      Payload: "",
      ...values
    }),
    at: "2015-06-03T12:19:09.000Z",
    id: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
    recipient: "api@mailjet.com"
  },
  SparkPost: {
    of: (name, values) => {
      const [group = "", type = ""] = name.split("/")
      return {
        msys: {
          [group]: {
            type,
            campaign_id: "Example Campaign Name",
            customer_id: "1",
            delv_method: "esmtp",
            event_id: "92356927693813856",
            friendly_from: "sender@example.com",
            injection_time: "2016-04-18T14:25:07.000Z",
            ip_address: "18.236.253.72",
            ip_pool: "example-ip-pool",
            message_id: "000443ee14578172be22",
            msg_from: "sender@example.com",
            msg_size: "1337",
            num_retries: "2",
            rcpt_meta: { customKey: "customValue" },
            rcpt_tags: ["male", "US"],
            rcpt_to: "recipient@example.com",
            raw_rcpt_to: "recipient@example.com",
            rcpt_type: "cc",
            subject: "Summer deals are here!",
            template_id: "my-template",
            timestamp: "1454442600",
            transmission_id: "65832150921904138",
            ...values
          }
        }
      }
    },
    at: "2016-02-02T19:50:00.000Z",
    id: "000443ee14578172be22",
    recipient: "recipient@example.com"
  },
  Resend: {
    of: (type, values) => ({
      type,
      created_at: "2024-02-22T23:41:12.126Z",
      data: {
        broadcast_id: "8b146471-e88e-4322-86af-016cd36fd216",
        created_at: "2024-02-22T23:41:11.894719+00:00",
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        from: "Acme <onboarding@resend.dev>",
        to: ["delivered@resend.dev"],
        subject: "Sending this example",
        template_id: "43f68331-0622-4e15-8202-246a0388854b",
        tags: { category: "confirm_email" },
        ...values
      }
    }),
    at: "2024-02-22T23:41:12.126Z",
    id: "56761188-7520-42d8-8898-ff6fc54ce618",
    recipient: "delivered@resend.dev"
  }
}

const sesTime = { timestamp: "2017-08-05T00:41:02.669Z" }
const sesBounce = (bounceType: string, bounceSubType: string, diagnosticCode: string, status: string) => ({
  bounce: {
    bounceType,
    bounceSubType,
    bouncedRecipients: [{ emailAddress: "recipient@example.com", action: "failed", status, diagnosticCode }],
    ...sesTime,
    feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
    reportingMTA: "dsn; mta.example.com"
  }
})
const unknown = "smtp; 550 5.1.1 user unknown"
const postmarkTime = "2019-11-05T16:33:54.9070259Z"
const postmarkVisit = { Recipient: "john@example.com", ReceivedAt: postmarkTime, UserAgent: agent }
const postmarkBounce = (Type: string, TypeCode: number, Details: string) => ({
  ID: 4_323_372_036,
  Type,
  TypeCode,
  Name: Type,
  Description: "As its page of types says.",
  Details,
  Email: "john@example.com",
  From: "sender@example.com",
  BouncedAt: postmarkTime,
  DumpAvailable: true,
  Inactive: true,
  CanActivate: true,
  Subject: "Test subject",
  Content: "<Full dump of bounce>"
})
const mailgunFailure = (severity: string, reason: string, code: number, message: string) => ({
  severity,
  reason,
  "delivery-status": { "attempt-no": 1, message, code, description: "", "session-seconds": 0.0 }
})
const visitor = { ip: "127.0.0.1", "client-info": { "client-type": "browser", "user-agent": agent } }

/** The result of each event: a kind, with the failure if there is one; `Ignored` means that it is only counted. */
const events: Readonly<Record<RelayProvider, ReadonlyArray<readonly [string, Values, string]>>> = {
  AmazonSes: [
    ["Send", { send: {} }, "Ignored"],
    [
      "Delivery",
      {
        delivery: {
          ...sesTime,
          processingTimeMillis: 11893,
          recipients: ["recipient@example.com"],
          smtpResponse: "250 2.6.0 Message received",
          reportingMTA: "mta.example.com"
        }
      },
      "Delivered"
    ],
    [
      "DeliveryDelay",
      {
        deliveryDelay: {
          ...sesTime,
          delayType: "TransientCommunicationFailure",
          expirationTime: "2017-08-06T00:41:02.914Z",
          delayedRecipients: [
            {
              emailAddress: "recipient@example.com",
              status: "4.4.1",
              diagnosticCode: "smtp; 421 4.4.1 Unable to connect to remote host"
            }
          ]
        }
      },
      "Deferred"
    ],
    ["Bounce", sesBounce("Permanent", "General", unknown, "5.1.1"), "Bounced"],
    ["Bounce", sesBounce("Permanent", "NoEmail", unknown, "5.1.1"), "Bounced"],
    [
      "Bounce",
      sesBounce("Permanent", "Suppressed", "Amazon SES has suppressed sending to this address", "5.1.1"),
      "Suppressed"
    ],
    [
      "Bounce",
      sesBounce(
        "Permanent",
        "OnAccountSuppressionList",
        "Amazon SES did not send the message to this address because it is on the suppression list",
        "5.1.1"
      ),
      "Suppressed"
    ],
    ["Bounce", sesBounce("Transient", "General", "smtp; 450 4.2.0 try again", "4.2.0"), "Failed Deferred"],
    [
      "Bounce",
      sesBounce("Transient", "MailboxFull", "smtp; 552 5.2.2 mailbox full", "5.2.2"),
      "Failed MailboxFull"
    ],
    [
      "Bounce",
      sesBounce("Transient", "MessageTooLarge", "smtp; 552 5.3.4 too large", "5.3.4"),
      "Failed Refused"
    ],
    [
      "Bounce",
      sesBounce("Transient", "ContentRejected", "smtp; 554 5.6.0 content rejected", "5.6.0"),
      "Failed Refused"
    ],
    [
      "Complaint",
      {
        complaint: {
          ...sesTime,
          complainedRecipients: [{ emailAddress: "recipient@example.com" }],
          feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
          userAgent: "Amazon SES Mailbox Simulator",
          complaintFeedbackType: "abuse",
          arrivalDate: "2017-08-05T00:41:02.669Z"
        }
      },
      "Complained"
    ],
    ["Open", { open: { ...sesTime, ipAddress: "192.0.2.1", userAgent: agent } }, "Opened"],
    [
      "Click",
      {
        click: {
          ...sesTime,
          ipAddress: "192.0.2.1",
          link: "http://docs.aws.amazon.com/ses/latest/DeveloperGuide/send-email-smtp.html",
          linkTags: { samplekey0: ["samplevalue0"] },
          userAgent: agent
        }
      },
      "Clicked"
    ]
  ],
  Postmark: [
    [
      "Delivery",
      { Recipient: "john@example.com", DeliveredAt: postmarkTime, Details: "Test delivery webhook details" },
      "Delivered"
    ],
    ["Bounce", postmarkBounce("HardBounce", 1, "smtp;550 5.1.1 no such user"), "Bounced"],
    ["Bounce", postmarkBounce("BadEmailAddress", 100000, "Not a valid address"), "Bounced"],
    ["Bounce", postmarkBounce("SoftBounce", 4096, "smtp;552 5.2.2 mailbox full"), "Failed MailboxFull"],
    ["Bounce", postmarkBounce("Transient", 2, "smtp;451 4.3.0 try again"), "Deferred"],
    ["Bounce", postmarkBounce("DnsError", 256, "smtp;441 4.4.1 no answer from host"), "Failed Deferred"],
    [
      "Bounce",
      postmarkBounce("SpamNotification", 512, "smtp;554 5.7.1 spam message rejected"),
      "Failed Refused"
    ],
    ["Bounce", postmarkBounce("Blocked", 100006, "smtp;550 5.7.1 blocked"), "Failed Refused"],
    ["Bounce", postmarkBounce("AutoResponder", 64, "Out of office"), "Ignored"],
    ["Bounce", postmarkBounce("Unsubscribe", 16, "Unsubscribe request"), "Unsubscribed"],
    [
      "SpamComplaint",
      { ...postmarkBounce("SpamComplaint", 512, "Test spam complaint details") },
      "Complained"
    ],
    [
      "Open",
      {
        ...postmarkVisit,
        FirstOpen: true,
        Platform: "WebMail",
        ReadSeconds: 5,
        Client: { Name: "Chrome 35.0", Company: "Google", Family: "Chrome" },
        Geo: { IP: "188.2.95.4", Country: "Serbia" }
      },
      "Opened"
    ],
    [
      "Click",
      {
        ...postmarkVisit,
        ClickLocation: "HTML",
        OriginalLink: "https://example.com",
        Geo: { IP: "188.2.95.4" }
      },
      "Clicked"
    ],
    [
      "SubscriptionChange",
      {
        ChangedAt: postmarkTime,
        Recipient: "john@example.com",
        Origin: "Recipient",
        SuppressSending: true,
        SuppressionReason: "ManualSuppression"
      },
      "Unsubscribed"
    ],
    [
      "SubscriptionChange",
      {
        ChangedAt: postmarkTime,
        Recipient: "john@example.com",
        Origin: "Admin",
        SuppressSending: false,
        SuppressionReason: null
      },
      "Ignored"
    ],
    ["SMTPApiError", { Recipient: "john@example.com" }, "Ignored"]
  ],
  Mailgun: [
    [
      "accepted",
      { envelope: { transport: "smtp", sender: "bob@example.org", targets: "alice@example.com" } },
      "Ignored"
    ],
    [
      "delivered",
      {
        "delivery-status": {
          tls: true,
          "mx-host": "smtp-in.example.com",
          code: 250,
          description: "",
          message: "OK",
          "attempt-no": 1
        }
      },
      "Delivered"
    ],
    ["failed", mailgunFailure("permanent", "bounce", 550, "5.1.1 no such user"), "Bounced"],
    [
      "failed",
      mailgunFailure("permanent", "suppress-bounce", 605, "Not delivering to previously bounced address"),
      "Suppressed"
    ],
    [
      "failed",
      mailgunFailure(
        "permanent",
        "suppress-complaint",
        607,
        "Not delivering to a user who marked your messages as spam"
      ),
      "Suppressed"
    ],
    [
      "failed",
      mailgunFailure("permanent", "suppress-unsubscribe", 606, "Not delivering to unsubscribed address"),
      "Suppressed"
    ],
    ["failed", mailgunFailure("temporary", "generic", 452, "4.2.2 over quota"), "Deferred"],
    ["failed", mailgunFailure("temporary", "greylisted", 450, "Greylisted"), "Deferred"],
    [
      "rejected",
      { reject: { reason: "Sandbox subdomains are for test purposes only.", description: "" } },
      "Failed Refused"
    ],
    ["opened", { ...visitor, geolocation: { country: "US", region: "CA", city: "San Francisco" } }, "Opened"],
    ["clicked", { ...visitor, url: "https://example.com/" }, "Clicked"],
    ["complained", {}, "Complained"],
    ["unsubscribed", visitor, "Unsubscribed"],
    [
      "stored",
      {
        storage: {
          url: "https://se.api.mailgun.net/v3/domains/example.org/messages/message_key",
          key: "message_key"
        }
      },
      "Ignored"
    ],
    ["list_member_uploaded", {}, "Ignored"]
  ],
  SendGrid: [
    ["processed", { "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>" }, "Ignored"],
    ["deferred", { response: "400 try again later", attempt: "5" }, "Deferred"],
    ["delivered", { response: "250 OK" }, "Delivered"],
    [
      "open",
      { useragent: agent, ip: "255.255.255.255", sg_machine_open: false, sg_content_type: "html" },
      "Opened"
    ],
    [
      "click",
      {
        useragent: agent,
        ip: "255.255.255.255",
        url: "http://www.sendgrid.com/",
        url_offset: { index: 0, type: "html" }
      },
      "Clicked"
    ],
    [
      "bounce",
      {
        bounce_classification: "Invalid Address",
        reason: "500 unknown recipient",
        status: "5.0.0",
        type: "bounce"
      },
      "Bounced"
    ],
    ["bounce", { reason: "500 unknown recipient", status: "5.0.0", type: "blocked" }, "Failed Refused"],
    ["dropped", { reason: "Bounced Address", status: "5.0.0" }, "Suppressed"],
    ["spamreport", {}, "Complained"],
    ["unsubscribe", {}, "Unsubscribed"],
    [
      "group_unsubscribe",
      { useragent: agent, ip: "255.255.255.255", url: "http://www.sendgrid.com/", asm_group_id: 10 },
      "Unsubscribed"
    ],
    [
      "group_resubscribe",
      { useragent: agent, ip: "255.255.255.255", url: "http://www.sendgrid.com/", asm_group_id: 10 },
      "Ignored"
    ]
  ],
  Brevo: [
    ["request", { mirror_link: "https://app-smtp.brevo.com/log/preview/1a2000f4" }, "Ignored"],
    ["delivered", {}, "Delivered"],
    ["deferred", { reason: "spam" }, "Deferred"],
    [
      "hard_bounce",
      { reason: "550-5.1.1 The email account that you tried to reach does not exist" },
      "Bounced"
    ],
    ["soft_bounce", { reason: "server is down" }, "Failed Deferred"],
    ["invalid_email", {}, "Bounced"],
    ["error", {}, "Failed Refused"],
    ["blocked", { reason: "blocked : due to unsubscribed user" }, "Suppressed"],
    ["spam", {}, "Complained"],
    ["complaint", {}, "Complained"],
    ["unsubscribed", {}, "Unsubscribed"],
    ["opened", { user_agent: agent }, "Opened"],
    ["unique_opened", { user_agent: agent }, "Opened"],
    [
      "proxy_open",
      { ts: undefined, ts_event: undefined, ts_epoch: undefined, s_epoch: 1604933654000 },
      "Opened"
    ],
    ["unique_proxy_open", {}, "Opened"],
    ["click", { link: "https://domain.com" }, "Clicked"],
    ["contact_updated", {}, "Ignored"]
  ],
  Mailjet: [
    [
      "sent",
      {
        mj_message_id: "19421777835146490",
        smtp_reply: "sent (250 2.0.0 OK 1433333948 fa5si855896wjc.199 - gsmtp)"
      },
      "Delivered"
    ],
    ["open", { ip: "127.0.0.1", geo: "US", agent }, "Opened"],
    ["click", { url: "https://mailjet.com", ip: "127.0.0.1", geo: "FR", agent }, "Clicked"],
    [
      "bounce",
      {
        blocked: true,
        hard_bounce: true,
        error_related_to: "recipient",
        error: "user unknown",
        comment: "550 5.1.1 user unknown"
      },
      "Bounced"
    ],
    [
      "bounce",
      {
        blocked: false,
        hard_bounce: false,
        error_related_to: "domain",
        error: "invalid domain",
        comment: "Host or domain name not found"
      },
      "Failed Deferred"
    ],
    ["blocked", { error_related_to: "recipient", error: "user unknown" }, "Suppressed"],
    ["spam", { source: "JMRPP" }, "Complained"],
    ["unsub", { mj_list_id: 1, ip: "127.0.0.1", geo: "FR", agent }, "Unsubscribed"]
  ],
  SparkPost: [
    ["message_event/injection", {}, "Ignored"],
    ["message_event/delivery", { queue_time: "12", outbound_tls: "1" }, "Delivered"],
    [
      "message_event/delay",
      {
        bounce_class: "21",
        error_code: "454",
        raw_reason: "454 4.4.4 [internal] no MX",
        reason: "454 4.4.4"
      },
      "Deferred"
    ],
    [
      "message_event/bounce",
      { bounce_class: "10", error_code: "550", raw_reason: "550 5.1.1 no such user" },
      "Bounced"
    ],
    [
      "message_event/bounce",
      {
        bounce_class: "1",
        error_code: "554",
        raw_reason: "MAIL REFUSED - IP (17.99.99.99) is in black list"
      },
      "Failed Refused"
    ],
    [
      "message_event/bounce",
      {
        bounce_class: "25",
        error_code: "554",
        raw_reason: "Recipient address was suppressed due to customer policy"
      },
      "Suppressed"
    ],
    ["message_event/out_of_band", { bounce_class: "10", raw_reason: "550 5.1.1 no such user" }, "Bounced"],
    [
      "message_event/policy_rejection",
      { raw_reason: "550 5.7.1 Unconfigured Sending Domain" },
      "Failed Refused"
    ],
    [
      "message_event/spam_complaint",
      { fbtype: "abuse", report_by: "server.email.com", report_to: "abuse.example.com" },
      "Complained"
    ],
    ["message_event/sms_status", { stat_type: "SMSC Delivery" }, "Ignored"],
    [
      "gen_event/generation_failure",
      { raw_reason: "554 5.3.3 [internal] Error while rendering part html" },
      "Failed Refused"
    ],
    [
      "gen_event/generation_rejection",
      { raw_reason: "554 5.7.1 recipient address suppressed due to customer policy" },
      "Suppressed"
    ],
    ["track_event/open", { user_agent: agent, geo_ip: { country: "US" } }, "Opened"],
    ["track_event/initial_open", { user_agent: agent }, "Opened"],
    [
      "track_event/click",
      { user_agent: agent, target_link_name: "Example Link Name", target_link_url: "http://example.com" },
      "Clicked"
    ],
    ["track_event/amp_open", { user_agent: agent }, "Opened"],
    ["track_event/amp_initial_open", { user_agent: agent }, "Opened"],
    ["track_event/amp_click", { user_agent: agent, target_link_url: "http://example.com" }, "Clicked"],
    ["unsubscribe_event/list_unsubscribe", { mailfrom: "recipient@example.com" }, "Unsubscribed"],
    [
      "unsubscribe_event/link_unsubscribe",
      { target_link_url: "http://example.com", user_agent: agent },
      "Unsubscribed"
    ],
    ["relay_event/relay_injection", {}, "Ignored"],
    ["ab_test_event/ab_test_completed", {}, "Ignored"],
    ["ingest_event/success", {}, "Ignored"]
  ],
  Resend: [
    ["email.sent", {}, "Ignored"],
    ["email.scheduled", {}, "Ignored"],
    ["email.delivered", {}, "Delivered"],
    ["email.delivery_delayed", {}, "Deferred"],
    [
      "email.bounced",
      {
        bounce: {
          message: "550 5.1.1 user unknown",
          subType: "General",
          type: "Permanent",
          diagnosticCode: ["smtp; 550 5.1.1 user unknown"]
        }
      },
      "Bounced"
    ],
    [
      "email.bounced",
      { bounce: { message: "The recipient's mailbox is full.", subType: "MailboxFull", type: "Transient" } },
      "Failed MailboxFull"
    ],
    [
      "email.bounced",
      {
        bounce: {
          message:
            "The recipient's email address is on the suppression list because it has a recent history of producing hard bounces.",
          subType: "Suppressed",
          type: "Permanent"
        }
      },
      "Suppressed"
    ],
    [
      "email.suppressed",
      {
        suppressed: {
          message:
            "Resend has suppressed sending to this address because it is on the account-level suppression list.",
          type: "OnAccountSuppressionList"
        }
      },
      "Suppressed"
    ],
    ["email.failed", { failed: { reason: "reached_daily_quota" } }, "Failed Refused"],
    ["email.complained", {}, "Complained"],
    [
      "email.opened",
      { open: { ipAddress: "122.115.53.11", timestamp: "2024-11-24T05:00:57.163Z", userAgent: agent } },
      "Opened"
    ],
    [
      "email.clicked",
      {
        click: {
          ipAddress: "122.115.53.11",
          link: "https://resend.com",
          timestamp: "2024-11-24T05:00:57.163Z",
          userAgent: agent
        }
      },
      "Clicked"
    ],
    ["email.received", {}, "Ignored"],
    ["contact.created", {}, "Ignored"],
    ["contact.updated", { unsubscribed: true }, "Ignored"],
    ["domain.updated", {}, "Ignored"]
  ]
}

describe.each(relayProviders)("the events of %s", (provider) => {
  const form = forms[provider]

  it.each(events[provider])("%s, %o, is read as %s", (event, values, expected) => {
    const { broken, ignored, reports } = readFeedback(provider, form.of(event, values), receivedAt)
    expect(broken).toBe(0)
    const found = reports.map(({ delivery, failure, kind }) => [
      failure === null ? kind : `${kind} ${failure}`,
      delivery.recipient,
      [...delivery.providerIds, ...delivery.references].includes(form.id)
    ])
    if (expected === "Ignored") expect([ignored, found]).toEqual([1, []])
    else expect(found).toEqual([[expected, form.recipient, true]])
  })

  it("state when they happened", () => {
    for (const [event, values, expected] of events[provider]) {
      if (expected === "Opened" || expected === "Clicked") continue
      for (const { at } of readFeedback(provider, form.of(event, values), receivedAt).reports) {
        expect([event, new Date(at).toISOString()]).toEqual([event, form.at])
      }
    }
  })
})
