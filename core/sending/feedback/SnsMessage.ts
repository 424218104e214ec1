/**
 * Parses the messages of Amazon SNS, and builds the text that their signature covers (signature versions 1 and 2). Pure and
 * total.
 *
 * @module
 */
import type { RsaHash } from "../../ports/SignatureVerifier.ts"
import { fromBase64 } from "../../shared/Bytes.ts"
import { isFields, type Fields } from "./Reading.ts"

/** A message of a topic. */
export interface SnsMessage {
  readonly type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation"
  readonly topicArn: string
  /** The message itself; for SES, the JSON of an event. */
  readonly message: string
  /** The URL that confirms a subscription; null for a notification, and for a URL that does not belong to SNS. */
  readonly subscribeUrl: string | null
  /** The URL of the certificate of the signing key. */
  readonly certificateUrl: string
  readonly hash: RsaHash
  readonly signature: Uint8Array
  /** The text that was signed. */
  readonly signed: string
}

const types = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"] as const

/** The signed members in order. Members that a message does not have are left out. */
const signedNames: Readonly<Record<SnsMessage["type"], ReadonlyArray<string>>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    "Message",
    "MessageId",
    "SubscribeURL",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type"
  ],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
}

const optionalNames: ReadonlySet<string> = new Set(["Subject"])

const hashes: ReadonlyMap<unknown, RsaHash> = new Map([
  ["1", "sha1"],
  ["2", "sha256"]
])

/**
 * URLs of SNS itself, in any region: `https://sns.<region>.amazonaws.com/`, in China `.amazonaws.com.cn`. They are matched as
 * a whole and without decoding, so that the service connects to exactly the host name that was matched.
 */
const certificateUrl =
  /^https:\/\/sns\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?\/[A-Za-z0-9_-]{1,200}\.pem$/
const confirmUrl =
  /^https:\/\/sns\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?\/\?Action=ConfirmSubscription&[A-Za-z0-9%._~:&=+-]{1,1900}$/

/** The URL of a certificate of SNS; null for any other URL. */
export const certificateUrlOf = (text: string | null): string | null =>
  text !== null && certificateUrl.test(text) ? text : null

/** The URL that confirms a subscription at SNS; null for any other URL. */
export const subscribeUrlOf = (text: string | null): string | null =>
  text !== null && confirmUrl.test(text) ? text : null

/** The text of an own property, unchanged. */
const memberOf = (body: Fields, name: string): string | null => {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  return typeof value === "string" ? value : null
}

/** Parses a message; null for a body that is not a message, or that SNS cannot have signed. */
export const readSnsMessage = (body: unknown): SnsMessage | null => {
  if (!isFields(body)) return null
  const type = types.find((one) => one === memberOf(body, "Type"))
  const hash = hashes.get(memberOf(body, "SignatureVersion"))
  const certificate = certificateUrlOf(memberOf(body, "SigningCertURL"))
  const signature = fromBase64(memberOf(body, "Signature") ?? "")
  const topicArn = memberOf(body, "TopicArn")
  const message = memberOf(body, "Message")
  if (type === undefined || hash === undefined || certificate === null) return null
  if (signature === null || signature.length === 0 || topicArn === null || message === null) return null
  const names = signedNames[type]
  if (names.some((name) => memberOf(body, name) === null && !optionalNames.has(name))) return null
  const signed = names
    .map((name) => [name, memberOf(body, name)] as const)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}\n${value}\n`]))
    .join("")
  const subscribeUrl = type === "Notification" ? null : subscribeUrlOf(memberOf(body, "SubscribeURL"))
  return { type, topicArn, message, subscribeUrl, certificateUrl: certificate, hash, signature, signed }
}
