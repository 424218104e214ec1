/**
 * Fake mail providers, one of each kind. They accept mail by SMTP and report by HTTP as the real ones do, with signatures by keys
 * of the test.
 *
 * @module
 */
import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from "node:crypto"
import type { RelayProvider } from "../../core/model/RelayReport.ts"
import { topicCertificate, topicKey } from "../contract/topicCertificates.ts"
import { fieldOf } from "./relayed.ts"
import { type SmtpSink, startSmtpSink, type SunkMessage } from "./smtpSink.ts"

/** The kinds of reports that the fakes send. */
export type FakeReport = "Delivered" | "Complained"

/** A running provider. */
export interface FakeProvider {
  readonly kind: RelayProvider
  readonly sink: SmtpSink
  /** The URL of the relay, with its password. */
  readonly url: string
  /** The value of the relay's setting `feedback`. */
  readonly feedback: Readonly<Record<string, string>>
  /** The body and headers of a report about a message. */
  readonly report: (message: SunkMessage, what: FakeReport) => FakeRequest
}

/** The request that carries a report. */
export interface FakeRequest {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const login = { user: "relay-user", pass: "relay-password" }

/** The reference in a JSON header. */
const inJson = (raw: string, name: string, ...path: ReadonlyArray<string>): string => {
  let value: unknown = JSON.parse(fieldOf(raw, name) ?? "{}")
  for (const one of path) value = (value as Readonly<Record<string, unknown>>)[one]
  return String(value)
}

const basic = { authorization: `Basic ${Buffer.from("reports:report-password").toString("base64")}` }

/** How a provider reports: the reference it returns, and its signature. */
interface Manner {
  readonly feedback: Readonly<Record<string, string>>
  readonly reference: (raw: string) => string
  readonly entry: (reference: string, to: string, what: FakeReport) => unknown
  readonly signed: (entry: unknown) => FakeRequest
}

const plain = (entry: unknown): FakeRequest => ({ body: JSON.stringify(entry), headers: basic })
const basicFeedback = { username: "reports", password: "report-password" }
const iso = () => new Date().toISOString()
const seconds = () => Math.floor(Date.now() / 1000)

const manners: Readonly<Record<RelayProvider, () => Manner>> = {
  AmazonSes: () => {
    const topicArn = "arn:aws:sns:eu-west-1:123456789012:mail"
    return {
      feedback: { topicArn, configurationSet: "all" },
      reference: (raw) => (fieldOf(raw, "X-SES-MESSAGE-TAGS") ?? "").replace(/^svc-delivery=/, ""),
      entry: (reference, to, what) => ({
        eventType: what === "Delivered" ? "Delivery" : "Complaint",
        mail: {
          timestamp: iso(),
          messageId: randomUUID(),
          destination: [to],
          tags: { "svc-delivery": [reference] }
        },
        ...(what === "Delivered"
          ? { delivery: { timestamp: iso(), recipients: [to], smtpResponse: "250 ok" } }
          : { complaint: { timestamp: iso(), complainedRecipients: [{ emailAddress: to }] } })
      }),
      signed: (entry) => ({ body: snsBody(topicArn, "Notification", JSON.stringify(entry)), headers: {} })
    }
  },
  Postmark: () => ({
    feedback: basicFeedback,
    reference: (raw) => fieldOf(raw, "X-PM-Metadata-svc-delivery") ?? "",
    entry: (reference, to, what) => ({
      RecordType: what === "Delivered" ? "Delivery" : "SpamComplaint",
      MessageID: randomUUID(),
      Recipient: to,
      Email: to,
      DeliveredAt: iso(),
      BouncedAt: iso(),
      Details: "250 ok",
      Metadata: { "svc-delivery": reference }
    }),
    signed: plain
  }),
  Mailgun: () => {
    const signingKey = randomBytes(16).toString("hex")
    return {
      feedback: { signingKey },
      reference: (raw) => fieldOf(raw, "Message-ID")!.slice(1, -1),
      entry: (reference, to, what) => ({
        event: what === "Delivered" ? "delivered" : "complained",
        timestamp: seconds(),
        recipient: to,
        "delivery-status": { code: 250, message: "OK" },
        message: { headers: { to, "message-id": reference } },
        "user-variables": {}
      }),
      signed: (entry) => {
        const [timestamp, token] = [String(seconds()), randomBytes(25).toString("hex")]
        const signature = createHmac("sha256", signingKey)
          .update(timestamp + token)
          .digest("hex")
        return {
          body: JSON.stringify({ signature: { timestamp, token, signature }, "event-data": entry }),
          headers: {}
        }
      }
    }
  },
  SendGrid: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    return {
      feedback: { publicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64") },
      reference: (raw) => inJson(raw, "X-SMTPAPI", "unique_args", "svc-delivery"),
      entry: (reference, to, what) => [
        {
          event: what === "Delivered" ? "delivered" : "spamreport",
          email: to,
          timestamp: seconds(),
          response: "250 OK",
          sg_message_id: `${randomUUID()}.recvd-1`,
          "svc-delivery": reference
        }
      ],
      signed: (entry) => {
        const [body, timestamp] = [JSON.stringify(entry), String(seconds())]
        const signature = sign("sha256", Buffer.from(timestamp + body), privateKey).toString("base64")
        return {
          body,
          headers: {
            "x-twilio-email-event-webhook-signature": signature,
            "x-twilio-email-event-webhook-timestamp": timestamp
          }
        }
      }
    }
  },
  Brevo: () => ({
    feedback: basicFeedback,
    reference: (raw) => fieldOf(raw, "X-Mailin-custom") ?? "",
    entry: (reference, to, what) => ({
      event: what === "Delivered" ? "delivered" : "spam",
      email: to,
      ts_epoch: Date.now(),
      "message-id": `<${randomUUID()}@relay.example>`,
      "X-Mailin-custom": reference
    }),
    signed: plain
  }),
  Mailjet: () => ({
    feedback: basicFeedback,
    reference: (raw) => fieldOf(raw, "X-MJ-CustomID") ?? "",
    entry: (reference, to, what) => [
      {
        event: what === "Delivered" ? "sent" : "spam",
        email: to,
        time: seconds(),
        MessageID: Date.now(),
        Message_GUID: randomUUID(),
        CustomID: reference,
        smtp_reply: "250 OK"
      }
    ],
    signed: plain
  }),
  SparkPost: () => ({
    feedback: basicFeedback,
    reference: (raw) => inJson(raw, "X-MSYS-API", "metadata", "svc-delivery"),
    entry: (reference, to, what) => {
      const event = {
        type: what === "Delivered" ? "delivery" : "spam_complaint",
        timestamp: String(seconds()),
        message_id: randomUUID(),
        rcpt_to: to,
        rcpt_meta: { "svc-delivery": reference }
      }
      return [{ msys: what === "Delivered" ? { message_event: event } : { message_event: event } }]
    },
    signed: plain
  }),
  Resend: () => {
    const key = randomBytes(24)
    return {
      feedback: { secret: `whsec_${key.toString("base64")}` },
      reference: (raw) => (fieldOf(raw, "Message-ID") ?? "").replaceAll(/[<>]/g, ""),
      entry: (reference, to, what) => ({
        type: what === "Delivered" ? "email.delivered" : "email.complained",
        created_at: iso(),
        data: {
          email_id: randomUUID(),
          to: [to],
          headers: [{ name: "Message-ID", value: `<${reference}>` }]
        }
      }),
      signed: (entry) => {
        const [body, id, timestamp] = [JSON.stringify(entry), `msg_${randomUUID()}`, String(seconds())]
        const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
        return {
          body,
          headers: { "svix-id": id, "svix-timestamp": timestamp, "svix-signature": `v1,${signature}` }
        }
      }
    }
  }
}

/** The URL of the signing certificate in messages made by `snsBody`. */
export const snsCertificateUrl = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem"

/** The certificate that verifies these messages, PEM. */
export const snsCertificate = topicCertificate

/** A message of an SNS topic, signed with signature version 2. */
export const snsBody = (
  topicArn: string,
  type: "Notification" | "SubscriptionConfirmation",
  message: string
): string => {
  const token = randomBytes(8).toString("hex")
  const fields: Readonly<Record<string, string>> = {
    Message: message,
    MessageId: randomUUID(),
    ...(type === "Notification"
      ? {}
      : {
          SubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${token}`
        }),
    Timestamp: iso(),
    ...(type === "Notification" ? {} : { Token: token }),
    TopicArn: topicArn,
    Type: type
  }
  const signed = Object.entries(fields)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join("")
  return JSON.stringify({
    ...fields,
    SignatureVersion: "2",
    Signature: sign("sha256", Buffer.from(signed), topicKey).toString("base64"),
    SigningCertURL: snsCertificateUrl
  })
}

/** Starts a provider of a kind. */
export const startFakeProvider = async (kind: RelayProvider): Promise<FakeProvider> => {
  const { entry, feedback, reference, signed } = manners[kind]()
  const sink = await startSmtpSink({ startTls: "off", login })
  return {
    kind,
    sink,
    url: `smtp://${login.user}:${login.pass}@127.0.0.1:${sink.port}`,
    feedback,
    report: ({ raw, rcptTo }, what) => signed(entry(reference(raw), rcptTo[0]!, what))
  }
}
