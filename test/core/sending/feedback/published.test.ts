/**
 * Tests with the example reports that providers publish, with their own values unchanged.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import type { RelayProvider } from "../../../../core/model/RelayReport.ts"
import { readFeedback } from "../../../../core/sending/feedback/Feedback.ts"

const receivedAt = Date.UTC(2026, 10, 23)

/** The kind, the failure or code, the time, and the id or reference that identifies the delivery. */
type Expected = readonly [kind: string, detail: string | null, at: string, id: string]

const sendGridMessage = ["2017-12-15T00:59:29.000Z", "14c5d75ce93.dfd.64b469"] as const
const sendGridDrop = (reason: string) =>
  [
    "SendGrid",
    `a drop, ${reason}`,
    {
      email: "example@test.com",
      timestamp: 1513299569,
      "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
      event: "dropped",
      category: "cat facts",
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      reason,
      status: "5.0.0"
    }
  ] as const

const sesMail = {
  timestamp: "2016-10-14T17:38:15.211Z",
  source: "sender@example.com",
  messageId: "EXAMPLE7c191be45",
  destination: ["recipient@example.com"],
  headersTruncated: false,
  headers: [{ name: "From", value: "sender@example.com" }],
  tags: { "ses:configuration-set": ["ConfigSet"] }
}

const hardBounceOfResend =
  "The recipient's email provider sent a hard bounce message, but didn't specify the reason for the hard bounce. We recommend removing the recipient's email address from your mailing list. Sending messages to addresses that produce hard bounces can have a negative impact on your reputation as a sender."

const examples: ReadonlyArray<readonly [RelayProvider, string, unknown, Expected | "Ignored"]> = [
  [
    "SendGrid",
    "a bounce",
    {
      email: "example@test.com",
      timestamp: 1513299569,
      "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
      event: "bounce",
      category: "cat facts",
      sg_event_id: "6g4ZI7SA-xmRDv57GoPIPw==",
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      reason: "500 unknown recipient",
      status: "5.0.0"
    },
    ["Bounced", "500", "2017-12-15T00:59:29.000Z", "14c5d75ce93.dfd.64b469"]
  ],
  [
    "SendGrid",
    "a deferral",
    {
      email: "example@test.com",
      timestamp: 1513299569,
      "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
      event: "deferred",
      category: "cat facts",
      sg_event_id: "t7LEShmowp86DTdUW8M-GQ==",
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      response: "400 try again later",
      attempt: "5"
    },
    ["Deferred", "400", "2017-12-15T00:59:29.000Z", "14c5d75ce93.dfd.64b469"]
  ],
  [
    "SendGrid",
    "a drop",
    {
      email: "example@test.com",
      timestamp: "1513299569",
      event: "dropped",
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      reason: "Bounced Address",
      status: "5.0.0"
    },
    ["Suppressed", null, "2017-12-15T00:59:29.000Z", "14c5d75ce93.dfd.64b469"]
  ],
  [
    "Postmark",
    "a bounce",
    {
      RecordType: "Bounce",
      MessageStream: "outbound",
      Type: "HardBounce",
      TypeCode: 1,
      Name: "Hard bounce",
      MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
      Metadata: { a_key: "a_value" },
      Description: "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
      Details: "Test bounce details",
      Email: "john@example.com",
      BouncedAt: "2019-11-05T16:33:54.9070259Z"
    },
    ["Bounced", null, "2019-11-05T16:33:54.907Z", "883953f4-6105-42a2-a16a-77a8eac79483"]
  ],
  [
    "Postmark",
    "a delivery, its time with an offset",
    {
      RecordType: "Delivery",
      MessageID: "00000000-0000-0000-0000-000000000000",
      Recipient: "john@example.com",
      DeliveredAt: "2014-08-01T13:28:10.2735393-04:00",
      Details: "Test delivery webhook details"
    },
    ["Delivered", null, "2014-08-01T17:28:10.273Z", "00000000-0000-0000-0000-000000000000"]
  ],
  [
    "Mailjet",
    "a bounce",
    {
      event: "bounce",
      time: 1430812195,
      MessageID: 13792286917004336,
      Message_GUID: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
      email: "bounce@mailjet.com",
      CustomID: "helloworld",
      blocked: true,
      hard_bounce: true,
      error_related_to: "recipient",
      error: "user unknown",
      comment:
        "Host or domain name not found. Name service error for name=lbjsnrftlsiuvbsren.com type=A: Host not found"
    },
    ["Bounced", null, "2015-05-05T07:49:55.000Z", "1ab23cd4-e567-8901-2345-6789f0gh1i2j"]
  ],
  [
    "Brevo",
    "a bounce, its epoch in seconds",
    {
      event: "hard_bounce",
      email: "example@domain.com",
      id: 1,
      date: "2020-10-09 00:00:00",
      ts: 1604933619,
      "message-id": "201798300811.5787683@relay.domain.com",
      ts_event: 1604933654,
      subject: "My first Transactional",
      "X-Mailin-custom": "some_custom_header",
      template_id: 22,
      reason: "server is down",
      ts_epoch: 1604933653
    },
    ["Bounced", null, "2020-11-09T14:54:14.000Z", "201798300811.5787683@relay.domain.com"]
  ],
  [
    "SparkPost",
    "a bounce",
    {
      msys: {
        message_event: {
          type: "bounce",
          bounce_class: "1",
          error_code: "554",
          message_id: "000443ee14578172be22",
          raw_rcpt_to: "recipient@example.com",
          raw_reason: "MAIL REFUSED - IP (17.99.99.99) is in black list",
          reason: "MAIL REFUSED - IP (a.b.c.d) is in black list",
          rcpt_meta: { customKey: "customValue" },
          timestamp: "1454442600"
        }
      }
    },
    ["Failed", "Refused", "2016-02-02T19:50:00.000Z", "000443ee14578172be22"]
  ],
  [
    "SparkPost",
    "a click in an AMP part",
    {
      msys: {
        track_event: {
          type: "amp_click",
          message_id: "000443ee14578172be22",
          rcpt_to: "recipient@example.com",
          target_link_url: "http://example.com",
          timestamp: "1454442600"
        }
      }
    },
    ["Clicked", null, "2016-02-02T19:50:00.000Z", "000443ee14578172be22"]
  ],
  [
    "SparkPost",
    "an event of mail that it receives",
    { msys: { relay_event: { type: "relay_injection" } } },
    "Ignored"
  ],
  [
    "Resend",
    "a bounce of its own list",
    {
      type: "email.bounced",
      created_at: "2024-11-22T23:41:12.126Z",
      data: {
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        to: ["delivered@resend.dev"],
        bounce: {
          message: "The recipient's email address is on the suppression list.",
          subType: "Suppressed",
          type: "Permanent"
        },
        tags: { category: "confirm_email" }
      }
    },
    ["Suppressed", null, "2024-11-22T23:41:12.126Z", "56761188-7520-42d8-8898-ff6fc54ce618"]
  ],
  [
    "Mailgun",
    "a failure by its own list",
    {
      signature: {},
      "event-data": {
        event: "failed",
        id: "G9Bn5sl1TC6nu79C8C0bwg",
        timestamp: 1521233195.375624,
        severity: "permanent",
        reason: "suppress-bounce",
        "delivery-status": {
          "attempt-no": 1,
          message: "",
          code: 605,
          description: "Not delivering to previously bounced address"
        },
        message: { headers: { "message-id": "20130503192659.13651.20287@mg.example.com" } },
        recipient: "alice@example.com",
        "user-variables": { my_var_1: "Mailgun Variable #1" }
      }
    },
    ["Suppressed", null, "2018-03-16T20:46:35.375Z", "20130503192659.13651.20287@mg.example.com"]
  ],
  [
    "Resend",
    "a bounce of before there were types",
    {
      type: "email.bounced",
      created_at: "2023-10-02T18:11:26.101Z",
      data: {
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        to: ["bounced@resend.dev"],
        bounce: {
          message: hardBounceOfResend
        }
      }
    },
    ["Bounced", null, "2023-10-02T18:11:26.101Z", "56761188-7520-42d8-8898-ff6fc54ce618"]
  ],
  [
    "Resend",
    "a suppression of before there were types",
    {
      type: "email.bounced",
      created_at: "2023-10-01T20:01:01.598Z",
      data: {
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        to: ["blocked@example.org"],
        bounce: {
          message:
            "Resend has suppressed sending to this address because it is on the account-level suppression list. This does not count toward your bounce rate metric"
        }
      }
    },
    ["Suppressed", null, "2023-10-01T20:01:01.598Z", "56761188-7520-42d8-8898-ff6fc54ce618"]
  ],
  [
    "Resend",
    "a delay",
    {
      type: "email.delivery_delayed",
      created_at: "2026-02-22T23:41:12.126Z",
      data: {
        broadcast_id: "8b146471-e88e-4322-86af-016cd36fd216",
        created_at: "2026-02-22T23:41:11.894719+00:00",
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        message_id: "<111-222-333@email.example.com>",
        from: "Acme <onboarding@resend.dev>",
        to: ["delivered@resend.dev"],
        subject: "Sending this example",
        tags: { category: "confirm_email" }
      }
    },
    ["Deferred", null, "2026-02-22T23:41:12.126Z", "111-222-333@email.example.com"]
  ],
  [
    "SparkPost",
    "a delivery with the id of its transmission alone",
    {
      msys: {
        message_event: {
          type: "delivery",
          event_id: "92356927693813856",
          rcpt_to: "recipient@example.com",
          raw_rcpt_to: "Recipient@example.com",
          rcpt_meta: {},
          timestamp: "1454442600",
          transmission_id: "65832150921904138"
        }
      }
    },
    ["Delivered", null, "2016-02-02T19:50:00.000Z", "65832150921904138"]
  ],
  [
    "SparkPost",
    "a rejection by its own list",
    {
      msys: {
        gen_event: {
          type: "generation_rejection",
          error_code: "554",
          message_id: "0005c29950577c61695d",
          raw_rcpt_to: "suppressed@example.com",
          raw_reason: "554 5.7.1 recipient address suppressed due to customer policy",
          timestamp: "1464900034"
        }
      }
    },
    ["Suppressed", "5.7.1", "2016-06-02T20:40:34.000Z", "0005c29950577c61695d"]
  ],
  ["SparkPost", "what checks the address", { msys: {} }, "Ignored"],
  [
    "SendGrid",
    "an unsubscription from a group",
    {
      email: "example@test.com",
      timestamp: 1513299569,
      "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
      event: "group_unsubscribe",
      category: ["cat facts"],
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      useragent: "Mozilla/4.0 (compatible; MSIE 6.1; Windows XP; .NET CLR 1.1.4322; .NET CLR 2.0.50727)",
      ip: "255.255.255.255",
      url: "http://www.sendgrid.com/",
      asm_group_id: 10
    },
    ["Unsubscribed", null, "2017-12-15T00:59:29.000Z", "14c5d75ce93.dfd.64b469"]
  ],
  [
    "SendGrid",
    "a subscription to a group",
    { email: "example@test.com", timestamp: 1513299569, event: "group_resubscribe", asm_group_id: 10 },
    "Ignored"
  ],
  [
    "Postmark",
    "a change of a subscription by the recipient",
    {
      RecordType: "SubscriptionChange",
      MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
      ServerID: 123456,
      MessageStream: "outbound",
      ChangedAt: "2020-02-01T10:53:34.416071Z",
      Recipient: "bounced-address@wildbit.com",
      Origin: "Recipient",
      SuppressSending: true,
      SuppressionReason: "ManualSuppression",
      Tag: "my-tag",
      Metadata: { example: "value" }
    },
    ["Unsubscribed", null, "2020-02-01T10:53:34.416Z", "883953f4-6105-42a2-a16a-77a8eac79483"]
  ],
  [
    "Postmark",
    "a change of a subscription that a bounce made",
    {
      RecordType: "SubscriptionChange",
      MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
      ChangedAt: "2020-02-01T10:53:34.416071Z",
      Recipient: "bounced-address@wildbit.com",
      Origin: "Recipient",
      SuppressSending: true,
      SuppressionReason: "HardBounce"
    },
    "Ignored"
  ],
  [
    "Mailgun",
    "a failure that it tries again",
    {
      signature: {},
      "event-data": {
        event: "failed",
        severity: "temporary",
        reason: "generic",
        timestamp: 1534111899.659519,
        "delivery-status": {
          "attempt-no": 4,
          message: "No MX for nomx.example.com",
          code: 498,
          "retry-seconds": 900,
          description: "No MX for nomx.example.com"
        },
        message: { headers: { "message-id": "20180812214638.1.4A7D468E9BC18C5D@example.org" } },
        recipient: "undeliverable@nomx.example.com"
      }
    },
    ["Deferred", null, "2018-08-12T22:11:39.659Z", "20180812214638.1.4A7D468E9BC18C5D@example.org"]
  ],
  [
    "Mailjet",
    "a message that it blocked",
    {
      event: "blocked",
      time: 1430812195,
      MessageID: 13792286917004336,
      Message_GUID: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
      email: "bounce@mailjet.com",
      CustomID: "helloworld",
      error_related_to: "recipient",
      error: "user unknown"
    },
    ["Suppressed", null, "2015-05-05T07:49:55.000Z", "1ab23cd4-e567-8901-2345-6789f0gh1i2j"]
  ],
  [
    "AmazonSes",
    "a delay",
    {
      eventType: "DeliveryDelay",
      mail: {
        timestamp: "2020-06-16T00:15:40.641Z",
        messageId: "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000",
        destination: ["recipient@example.com"],
        tags: { "ses:configuration-set": ["ConfigSet"] }
      },
      deliveryDelay: {
        timestamp: "2020-06-16T00:25:40.095Z",
        delayType: "TransientCommunicationFailure",
        expirationTime: "2020-06-16T00:25:40.914Z",
        delayedRecipients: [
          {
            emailAddress: "recipient@example.com",
            status: "4.4.1",
            diagnosticCode: "smtp; 421 4.4.1 Unable to connect to remote host"
          }
        ]
      }
    },
    [
      "Deferred",
      "4.4.1",
      "2020-06-16T00:25:40.095Z",
      "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000"
    ]
  ],
  [
    "AmazonSes",
    "a feedback notification of a complaint",
    {
      notificationType: "Complaint",
      complaint: {
        userAgent: "AnyCompany Feedback Loop (V0.01)",
        complainedRecipients: [{ emailAddress: "richard@example.com" }],
        complaintFeedbackType: "abuse",
        arrivalDate: "2016-01-27T14:59:38.237Z",
        timestamp: "2016-01-27T14:59:38.237Z",
        feedbackId: "000001378603177f-18c07c78-fa81-4a58-9dd1-fedc3cb8f49a-000000"
      },
      mail: {
        timestamp: "2016-01-27T14:59:38.237Z",
        messageId: "000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000",
        destination: ["jane@example.com", "mary@example.com", "richard@example.com"]
      }
    },
    [
      "Complained",
      null,
      "2016-01-27T14:59:38.237Z",
      "000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000"
    ]
  ],
  ...["Unsubscribed Address", "Spam Reporting Address", "Invalid", "Bounced Address"].map(
    (reason) => [...sendGridDrop(reason), ["Suppressed", null, ...sendGridMessage]] as const
  ),
  ...["Invalid SMTPAPI header", "Spam Content", "Recipient List over Package Quota"].map(
    (reason) => [...sendGridDrop(reason), ["Failed", "Refused", ...sendGridMessage]] as const
  ),
  [
    "SendGrid",
    "a block",
    {
      email: "example@test.com",
      timestamp: 1513299569,
      "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
      event: "bounce",
      bounce_classification: "Reputation",
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      reason: "550 5.7.1 Service unavailable; client host blocked",
      status: "5.7.1",
      type: "blocked"
    },
    ["Failed", "Refused", ...sendGridMessage]
  ],
  [
    "SendGrid",
    "an open by a machine",
    {
      email: "example@test.com",
      timestamp: 1513299569,
      event: "open",
      sg_machine_open: true,
      sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
      useragent: "Mozilla/4.0 (compatible; MSIE 6.1; Windows XP; .NET CLR 1.1.4322; .NET CLR 2.0.50727)",
      ip: "255.255.255.255"
    },
    ["Opened", null, ...sendGridMessage]
  ],
  [
    "SendGrid",
    "a change of the account",
    {
      event: "account_status_change",
      sg_event_id: "MjEzNTg5OTcyOC10ZXJtaW5hdGU=",
      timestamp: 1709142428,
      type: "terminate"
    },
    "Ignored"
  ],
  [
    "Mailgun",
    "a message that it rejected",
    {
      signature: {},
      "event-data": {
        id: "OMTXD3-sSmKIQa1gSKkYVA",
        event: "rejected",
        timestamp: 1529704976.104692,
        "log-level": "warn",
        flags: { "is-test-mode": false },
        reject: {
          reason: "Sandbox subdomains are for test purposes only.",
          description: ""
        },
        message: {
          headers: {
            to: "joan@example.com",
            "message-id": "20180622220256.1.B31A451A2E5422BB@sandbox55887.mailgun.org",
            from: "john@sandbox55887.mailgun.org",
            subject: "Test Subject"
          },
          attachments: [],
          size: 867
        },
        "user-variables": {}
      }
    },
    [
      "Failed",
      "Refused",
      "2018-06-22T22:02:56.104Z",
      "20180622220256.1.B31A451A2E5422BB@sandbox55887.mailgun.org"
    ]
  ],
  [
    "Mailgun",
    "a failure after the last attempt",
    {
      signature: {},
      "event-data": {
        event: "failed",
        severity: "permanent",
        reason: "old",
        timestamp: 1521472262.908181,
        "delivery-status": {
          "attempt-no": 8,
          message: "Too old",
          code: 602,
          description: "Too old"
        },
        message: { headers: { "message-id": "20130503192659.13651.20287@mg.example.com" } },
        recipient: "alice@example.com"
      }
    },
    ["Failed", "Deferred", "2018-03-19T15:11:02.908Z", "20130503192659.13651.20287@mg.example.com"]
  ],
  [
    "Mailgun",
    "a complaint",
    {
      signature: {},
      "event-data": {
        id: "-Agny091SquKnsrW2NEKUA",
        timestamp: 1521233123.501324,
        "log-level": "warn",
        event: "complained",
        flags: { "is-test-mode": false },
        message: {
          headers: {
            to: "Alice <alice@example.com>",
            "message-id": "20110215055645.25246.63817@mg.example.com",
            from: "Bob <bob@mg.example.com>",
            subject: "Test complained webhook"
          },
          attachments: [],
          size: 111
        },
        recipient: "alice@example.com",
        campaigns: [],
        tags: ["my_tag_1", "my_tag_2"],
        "user-variables": { my_var_1: "Mailgun Variable #1", "my-var-2": "awesome" }
      }
    },
    ["Complained", null, "2018-03-16T20:45:23.501Z", "20110215055645.25246.63817@mg.example.com"]
  ],
  [
    "Resend",
    "a failure before it was sent",
    {
      type: "email.failed",
      created_at: "2026-02-22T23:41:12.126Z",
      data: {
        created_at: "2026-02-22T23:41:11.894719+00:00",
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        from: "Acme <onboarding@resend.dev>",
        to: ["delivered@resend.dev"],
        subject: "Sending this example",
        failed: { reason: "reached_daily_quota" },
        tags: { category: "confirm_email" }
      }
    },
    ["Failed", "Refused", "2026-02-22T23:41:12.126Z", "56761188-7520-42d8-8898-ff6fc54ce618"]
  ],
  [
    "Resend",
    "a suppression",
    {
      type: "email.suppressed",
      created_at: "2026-02-22T23:41:12.126Z",
      data: {
        created_at: "2026-02-22T23:41:11.894719+00:00",
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        from: "Acme <onboarding@resend.dev>",
        to: ["delivered@resend.dev"],
        subject: "Sending this example",
        suppressed: {
          message:
            "Resend has suppressed sending to this address because it is on the account-level suppression list.",
          type: "OnAccountSuppressionList"
        }
      }
    },
    ["Suppressed", null, "2026-02-22T23:41:12.126Z", "56761188-7520-42d8-8898-ff6fc54ce618"]
  ],
  ...(
    [
      ["blocked", ["Suppressed", null]],
      ["invalid_email", ["Bounced", null]],
      ["error", ["Failed", "Refused"]],
      ["soft_bounce", ["Failed", "Deferred"]],
      ["spam", ["Complained", null]],
      ["unsubscribed", ["Unsubscribed", null]],
      ["unique_proxy_open", ["Opened", null]]
    ] as const
  ).map(
    ([event, read]) =>
      [
        "Brevo",
        `${event}, with each of its times`,
        {
          event,
          email: "example@domain.com",
          id: 26224,
          date: "2020-10-09 00:00:00",
          ts: 1604933619,
          "message-id": "<201798300811.5787683@relay.domain.com>",
          ts_event: 1604933654,
          subject: "My first Transactional",
          tag: '["transactionalTag"]',
          sending_ip: "xxx.xxx.xxx.xxx",
          ts_epoch: 1604933654000,
          tags: ["transactionalTag"]
        },
        [...read, "2020-11-09T14:54:14.000Z", "201798300811.5787683@relay.domain.com"]
      ] as const
  ),
  [
    "Brevo",
    "a request",
    { event: "request", email: "example@domain.com", "message-id": "<1@relay.domain.com>" },
    "Ignored"
  ],
  ...(
    [
      ["spam", { source: "JMRPP" }, ["Complained", null]],
      ["unsub", { mj_list_id: 1, ip: "127.0.0.1", geo: "FR", agent: "Mozilla/5.0" }, ["Unsubscribed", null]],
      [
        "open",
        { ip: "127.0.0.1", geo: "US", agent: "Mozilla/5.0 (Windows NT 5.1) Firefox/11.0" },
        ["Opened", null]
      ],
      [
        "sent",
        {
          mj_message_id: "19421777835146490",
          smtp_reply: "sent (250 2.0.0 OK 4242424242 fa5si855896wjc.199 - gsmtp)"
        },
        ["Delivered", "2.0.0"]
      ]
    ] as const
  ).map(
    ([event, detail, read]) =>
      [
        "Mailjet",
        `${event}, by itself or in a group`,
        {
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
          ...detail
        },
        [...read, "2015-06-03T12:19:09.000Z", "1ab23cd4-e567-8901-2345-6789f0gh1i2j"]
      ] as const
  ),
  ...(
    [
      [
        "message_event",
        { type: "delay", error_code: "454", raw_reason: "454 4.4.4 try later" },
        ["Deferred", "4.4.4"]
      ],
      [
        "message_event",
        { type: "out_of_band", bounce_class: "1", error_code: "550", raw_reason: "550 5.1.1 no such user" },
        ["Bounced", "5.1.1"]
      ],
      [
        "message_event",
        { type: "policy_rejection", error_code: "550", raw_reason: "550 5.7.1 rejected" },
        ["Failed", "Refused"]
      ],
      [
        "message_event",
        {
          type: "spam_complaint",
          fbtype: "abuse",
          report_by: "server.email.com",
          report_to: "abuse.example.com"
        },
        ["Complained", null]
      ],
      [
        "gen_event",
        { type: "generation_failure", error_code: "554", raw_reason: "missing substitution" },
        ["Failed", "Refused"]
      ],
      [
        "unsubscribe_event",
        { type: "list_unsubscribe", mailfrom: "recipient@example.com" },
        ["Unsubscribed", null]
      ],
      [
        "unsubscribe_event",
        { type: "link_unsubscribe", target_link_url: "http://example.com" },
        ["Unsubscribed", null]
      ]
    ] as const
  ).map(
    ([group, detail, read]) =>
      [
        "SparkPost",
        detail.type,
        {
          msys: {
            [group]: {
              event_id: "92356927693813856",
              message_id: "000443ee14578172be22",
              rcpt_to: "recipient@example.com",
              raw_rcpt_to: "recipient@example.com",
              rcpt_meta: { customKey: "customValue" },
              timestamp: "1454442600",
              ...detail
            }
          }
        },
        [...read, "2016-02-02T19:50:00.000Z", "000443ee14578172be22"]
      ] as const
  ),
  [
    "AmazonSes",
    "a message that it rejected",
    {
      eventType: "Reject",
      mail: sesMail,
      reject: { reason: "Bad content" }
    },
    ["Failed", "Refused", "2016-10-14T17:38:15.211Z", "EXAMPLE7c191be45"]
  ],
  [
    "AmazonSes",
    "a failure of its templates",
    {
      eventType: "Rendering Failure",
      mail: sesMail,
      failure: {
        errorMessage: "Attribute 'attributeName' is not present in the rendering data.",
        templateName: "MyTemplate"
      }
    },
    ["Failed", "Refused", "2016-10-14T17:38:15.211Z", "EXAMPLE7c191be45"]
  ],
  [
    "AmazonSes",
    "a subscription that ended",
    {
      eventType: "Subscription",
      mail: sesMail,
      subscription: {
        contactList: "ContactListName",
        timestamp: "2016-10-14T17:39:00.378Z",
        source: "UnsubscribeHeader",
        newTopicPreferences: {
          unsubscribeAll: true,
          topicSubscriptionStatus: [{ topicName: "ExampleTopicName", subscriptionStatus: "OptOut" }]
        },
        oldTopicPreferences: {
          unsubscribeAll: false,
          topicSubscriptionStatus: [{ topicName: "ExampleTopicName", subscriptionStatus: "OptOut" }]
        }
      }
    },
    ["Unsubscribed", null, "2016-10-14T17:39:00.378Z", "EXAMPLE7c191be45"]
  ],
  [
    "AmazonSes",
    "what it says of a new topic",
    {
      notificationType: "AmazonSnsSubscriptionSucceeded",
      message: "You have successfully subscribed your Amazon SNS topic to receive Bounce notifications."
    },
    "Ignored"
  ],
  ...(
    [
      ["Blocked", "smtp;550 5.7.1 blocked", ["Failed", "Refused"]],
      ["SoftBounce", "smtp;452 4.2.2 over quota", ["Failed", "Deferred"]],
      ["DnsError", "smtp;550 DNS lookup failure", ["Failed", "Deferred"]],
      ["SpamNotification", "Message classified as spam", ["Failed", "Refused"]],
      ["Transient", "smtp;421 4.7.0 try again", ["Deferred", "4.7.0"]],
      ["ManuallyDeactivated", "deactivated", ["Suppressed", null]],
      ["SpamComplaint", "Test spam complaint details", ["Complained", null]]
    ] as const
  ).map(
    ([Type, Details, read]) =>
      [
        "Postmark",
        `a bounce of the type ${Type}`,
        {
          RecordType: "Bounce",
          Type,
          TypeCode: 1,
          Tag: "Test",
          MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
          ServerID: 23,
          Description: "A bounce.",
          Details,
          Email: "john@example.com",
          From: "sender@example.com",
          BouncedAt: "2014-08-01T13:28:10.2735393-04:00",
          DumpAvailable: true,
          Inactive: true,
          CanActivate: true,
          Subject: "Test subject"
        },
        [...read, "2014-08-01T17:28:10.273Z", "883953f4-6105-42a2-a16a-77a8eac79483"]
      ] as const
  ),
  [
    "AmazonSes",
    "a feedback notification",
    {
      notificationType: "Bounce",
      bounce: {
        bounceType: "Permanent",
        bounceSubType: "General",
        bouncedRecipients: [
          {
            emailAddress: "jane@example.com",
            status: "5.1.1",
            action: "failed",
            diagnosticCode: "smtp; 550 5.1.1 <jane@example.com>... User"
          }
        ],
        timestamp: "2016-01-27T14:59:38.237Z"
      },
      mail: {
        timestamp: "2016-01-27T14:59:38.237Z",
        messageId: "00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000",
        destination: ["jane@example.com", "mary@example.com", "richard@example.com"],
        headers: [{ name: "Message-ID", value: "custom-message-ID" }]
      }
    },
    [
      "Bounced",
      "5.1.1",
      "2016-01-27T14:59:38.237Z",
      "00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000"
    ]
  ]
]

describe("a published example", () => {
  it.each(examples)("of %s, %s, is read", (provider, _about, body, expected) => {
    for (const sent of [body, [body]]) {
      const { broken, ignored, reports } = readFeedback(provider, sent, receivedAt)
      const found = reports.map(({ at, code, delivery, failure, kind }) => ({
        read: [kind, failure ?? code, new Date(at).toISOString()],
        ids: [...delivery.providerIds, ...delivery.references]
      }))
      expect(broken).toBe(0)
      if (expected === "Ignored") {
        expect([ignored, found]).toEqual([1, []])
        continue
      }
      const [kind, detail, at, id] = expected
      expect(found).toEqual([{ read: [kind, detail, at], ids: expect.arrayContaining([id]) }])
    }
  })
})
