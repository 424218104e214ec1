/**
 * The reports that providers publish as examples, with their own values: what is in them is not ours to choose.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import type { RelayProvider } from "../../../../core/model/RelayReport.ts"
import { readFeedback } from "../../../../core/sending/feedback/Feedback.ts"

const receivedAt = Date.UTC(2026, 10, 23)

/** Kind, failure or code, time and the id or reference that names the delivery. */
type Expected = readonly [kind: string, detail: string | null, at: string, id: string]

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
