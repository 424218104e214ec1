/**
 * Verifies by whom a report was sent, by each provider's own means, over the bytes of its body. Pure; secrets are compared
 * in constant time.
 *
 * @module
 */
import type { Crypto } from "../../ports/Crypto.ts"
import type { SignatureVerifier } from "../../ports/SignatureVerifier.ts"
import { fromBase64, toBase64, toHex } from "../../shared/Bytes.ts"
import { standardKey } from "../relays/FeedbackSettings.ts"
import { type Fields, fieldsOf, textOf } from "./Reading.ts"

/** How far a signed time may be from the service's, milliseconds: as the Standard Webhooks have it. */
const standardTolerance = 5 * 60_000

/**
 * How old Mailgun's signature may be, milliseconds. It repeats a failed report for eight hours, and does not state that it signs
 * it again; each token counts once for as long as its signature does.
 */
const mailgunTolerance = 12 * 3_600_000

const secondsForm = /^\d{1,12}$/

/** Whether a time is at most `longest` ago, and at most five minutes ahead. */
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

/** The name and password of basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly username: string
  readonly password: string
}

/** Whether a header `Authorization` states the name and password. */
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
  /** Seconds of the epoch. */
  readonly timestamp: string | null
  readonly signature: string | null
}

/** The most signatures of a header that are compared. */
const maxSignatures = 10

/** Whether a body is signed by the symmetric scheme v1 of Standard Webhooks, not more than five minutes ago. */
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

/** The token of a body that Mailgun signed: it signs each only once. */
export interface SignedToken {
  /** At most 100 characters. */
  readonly token: string
  /** Epoch milliseconds. */
  readonly signedAt: number
  /** When the signature is too old by itself, epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The token of a body that Mailgun signed not more than 12 hours ago; null for one that it did not sign. What is of a subaccount
 * is also signed by the key of the account above it.
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

/** Whether SendGrid's signed event webhook sent a body: ECDSA over the time and the body. */
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
