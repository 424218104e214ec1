/**
 * Signs with the newest of several keys and accepts signatures by all of them, so that a key can be replaced while its signatures
 * are in use. A signature begins with the id of its key.
 *
 * @module
 */
import type { Crypto } from "../ports/Crypto.ts"
import { toBase64Url } from "../shared/Bytes.ts"

/** A key with the id that its signatures carry: {@link keyIdLength} digits or lower-case letters. */
export interface SigningKey {
  readonly id: string
  readonly key: Uint8Array
}

/** The keys for one use; the first one signs. */
export type KeyRing = readonly [SigningKey, ...ReadonlyArray<SigningKey>]

/** The length of a key's id. */
export const keyIdLength = 3

/** The key id for signatures without an id, which earlier versions made. */
export const legacyKeyId = "000"

/** The length of a complete HMAC-SHA-256, in bytes. */
const wholeMac = 32

const encodedLength = (bytes: number): number => Math.ceil((bytes * 4) / 3)

const macOf = (crypto: Crypto["Service"], key: Uint8Array, text: string, bytes: number): string =>
  toBase64Url(crypto.hmacSha256(key, text).subarray(0, bytes))

/**
 * The possible lengths of signatures with MACs of `bytes` bytes, with and without a key id, as a part of a regular expression.
 */
export const signaturePattern = (bytes: number = wholeMac): string =>
  `[\\w-]{${encodedLength(bytes)}}(?:[\\w-]{${keyIdLength}})?`

/** Signs a text with the newest key. The signature is the key's id and the first `bytes` bytes of the MAC, in base64url. */
export const signWith = (
  crypto: Crypto["Service"],
  [{ id, key }]: KeyRing,
  text: string,
  bytes: number = wholeMac
): string => id + macOf(crypto, key, text, bytes)

/** Whether a key of the ring made the signature of a text. */
export const isSignedBy = (
  crypto: Crypto["Service"],
  ring: KeyRing,
  text: string,
  signature: string,
  bytes: number = wholeMac
): boolean => {
  const isLegacy = signature.length === encodedLength(bytes)
  const id = isLegacy ? legacyKeyId : signature.slice(0, keyIdLength)
  const found = ring.find((one) => one.id === id)
  // Compares the encoded forms, because several strings decode to the same bytes.
  return (
    found !== undefined &&
    crypto.constantTimeEquals(
      macOf(crypto, found.key, text, bytes),
      isLegacy ? signature : signature.slice(keyIdLength)
    )
  )
}
