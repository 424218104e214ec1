/**
 * Signs notifications: Standard Webhooks, symmetric scheme v1 (docs/contributing/public-api.md "Webhooks about email").
 *
 * @module
 */
import type { Crypto } from "../ports/Crypto.ts"
import { fromBase64, toBase64 } from "../shared/Bytes.ts"

const prefix = "whsec_"

/** The length of a secret, in bytes. */
export const secretBytes = 32

/** The secret as the customer receives it. */
export const formatSecret = (bytes: Uint8Array): string => prefix + toBase64(bytes)

/** The signing key of a secret that `formatSecret` returned: the bytes that the base64 after its prefix encodes. */
export const keyOfSecret = (secret: string): Uint8Array => fromBase64(secret.slice(prefix.length))!

/** The headers that identify and sign a notification, one signature for each key. `at` is in epoch milliseconds. */
export const signedHeaders = (
  crypto: Crypto["Service"],
  keys: ReadonlyArray<Uint8Array>,
  id: string,
  at: number,
  body: string
) => {
  const timestamp = String(Math.floor(at / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": keys.map((key) => `v1,${toBase64(crypto.hmacSha256(key, signed))}`).join(" ")
  }
}
