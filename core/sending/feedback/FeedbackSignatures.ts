/**
 * Verifies the sender of a report by the method of each provider, over the bytes of the body. Pure; secrets are compared in
 * constant time.
 *
 * @module
 */
import type { Crypto } from "../../ports/Crypto.ts"
import type { SignatureVerifier } from "../../ports/SignatureVerifier.ts"
import { fromBase64, toBase64, toHex } from "../../shared/Bytes.ts"
import { standardKey } from "../relays/FeedbackSettings.ts"
import { type Fields, fieldsOf, textOf } from "./Reading.ts"

/** The maximum difference between a signed time and the service's time, milliseconds, as in Standard Webhooks. */
const standardTolerance = 5 * 60_000

/**
 * The maximum age of Mailgun's signature, milliseconds. Mailgun repeats a failed report for eight hours, and does not document
 * that it signs the report again. Each token counts once for as long as its signature does.
 */
const mailgunTolerance = 12 * 3_600_000

const secondsForm = /^\d{1,12}$/

/** Whether a time is at most `longest` ago and at most five minutes ahead. */
const isNear = (seconds: string, now: number, longest: number): boolean => {
  const age = now - Number(seconds) * 1000
  return secondsForm.test(seconds) && age <= longest && age >= -standardTolerance
}

const utf8 = new TextEncoder()

const joined = (text: string, body: Uint8Array): Uint8Array => {
  const start = utf8.encode(text)
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}

/** The user name and password of basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly username: string
  readonly password: string
}

/** Whether an `Authorization` header has the user name and password. */
export const isBasic = (
  crypto: Crypto["Service"],
  authorization: string | null,
  { password, username }: BasicCredentials
): boolean => {
  const given = /^basic +([A-Za-z0-9+/]{1,4000}={0,2})$/i.exec(authorization ?? "")?.[1] ?? ""
  return crypto.constantTimeEquals(given, toBase64(utf8.encode(`${username}:${password}`)))
}

/** The headers of a Standard Webhook. */
export interface WebhookHeaders {
  readonly id: string | null
  /** Seconds since the epoch. */
  readonly timestamp: string | null
  readonly signature: string | null
}

/** The maximum number of signatures in a header that are compared. */
const maxSignatures = 10

/** Whether a body has a signature of the symmetric scheme v1 of Standard Webhooks that is at most five minutes old. */
export const isStandardWebhook = (
  crypto: Crypto["Service"],
  { id, signature, timestamp }: WebhookHeaders,
  secret: string,
  body: Uint8Array,
  now: number
): boolean => {
  const key = standardKey(secret)
  if (id === null || timestamp === null || signature === null || key === null) return false
  if (!isNear(timestamp, now, standardTolerance)) return false
  const expected = `v1,${toBase64(crypto.hmacSha256(key, joined(`${id}.${timestamp}.`, body)))}`
  return signature
    .slice(0, 2_000)
    .split(" ")
    .slice(0, maxSignatures)
    .map((given) => crypto.constantTimeEquals(given, expected))
    .includes(true)
}

/** The token of a body that Mailgun signed. Mailgun signs each token once. */
export interface SignedToken {
  /** At most 100 characters. */
  readonly token: string
  /** Epoch milliseconds. */
  readonly signedAt: number
  /** When the signature becomes too old, epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The token of a body that Mailgun signed at most 12 hours ago; null if Mailgun did not sign it. A body of a subaccount is
 * also signed with the key of its parent account.
 */
export const mailgunToken = (
  crypto: Crypto["Service"],
  body: Fields,
  signingKey: string,
  now: number
): SignedToken | null => {
  const signed = fieldsOf(body, "signature")
  const timestamp = textOf(signed, "timestamp") ?? ""
  const token = textOf(signed, "token") ?? ""
  const given = [textOf(signed, "signature"), textOf(signed, "parent-signature")]
  if (!isNear(timestamp, now, mailgunTolerance) || !/^[\w-]{1,100}$/.test(token)) return null
  const expected = toHex(crypto.hmacSha256(utf8.encode(signingKey), `${timestamp}${token}`))
  const signedAt = Number(timestamp) * 1000
  return given.map((one) => crypto.constantTimeEquals(one ?? "", expected)).includes(true)
    ? { token, signedAt, expiresAt: signedAt + mailgunTolerance }
    : null
}

/** Whether a body was sent by SendGrid's signed event webhook: ECDSA over the time and the body. */
export const isSendGrid = (
  verifier: SignatureVerifier["Service"],
  { signature, timestamp }: Pick<WebhookHeaders, "signature" | "timestamp">,
  publicKey: string,
  body: Uint8Array
): boolean => {
  const bytes = fromBase64((signature ?? "").slice(0, 200))
  return (
    bytes !== null &&
    bytes.length > 0 &&
    timestamp !== null &&
    secondsForm.test(timestamp) &&
    verifier.byEcKey(publicKey, joined(timestamp, body), bytes)
  )
}
