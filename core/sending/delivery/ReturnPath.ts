/**
 * Builds and verifies the return path of a delivery (VERP). Receiving servers send reports to it, and it alone identifies the
 * delivery. A MAC proves that this installation created the address, so that a forged report has no effect.
 *
 * The Message-ID is another token, since every reply and forwarded message shows it: it reveals no id and proves nothing. Only
 * this installation finds the delivery by it, in a copy of the message whose signature it verifies. The reference for the
 * reports of a relay's provider is a third token, which no message that arrives contains.
 *
 * @module
 */
import type { KeyRing, SigningKey } from "../../accounts/KeyRing.ts"
import type { Crypto } from "../../ports/Crypto.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import { fromBase32, toBase32 } from "../../shared/Base32.ts"
import { fromHex, toHex } from "../../shared/Bytes.ts"
import { returnPathDomain } from "../../model/Domain.ts"

/**
 * Two ids of 16 bytes and a MAC of 7 bytes are 63 characters of base32. With the letter before them, the local part has
 * exactly the maximum length (RFC 5321, 4.5.3.1.1: 64).
 */
const tokenPattern = /^b[a-z2-7]{63}$/i
const macBytes = 7

/**
 * The tokens that reveal no id. Each has its own first letter, and its own purpose in the MAC and the pad, so that no token
 * can be derived from another kind. After the letter follow 77 characters of base32: a synthetic initialisation vector of 16
 * bytes and two encrypted ids of 16 bytes each.
 */
const sealedTokens = {
  messageId: { pattern: /^m[a-z2-7]{77}$/i, letter: "m", purpose: "message-id" },
  reference: { pattern: /^r[a-z2-7]{77}$/i, letter: "r", purpose: "relay-reference" }
} as const
type SealedToken = (typeof sealedTokens)[keyof typeof sealedTokens]
const vectorBytes = 16

/** Creates and verifies the tokens that identify deliveries to other servers. */
export interface ReturnPathTokens {
  /** The token of a delivery: 64 characters, valid as the local part of an address. */
  readonly token: (delivery: DeliveryRef) => string
  /** The return path of a delivery from a domain: the token at the domain's return-path domain. */
  readonly address: (delivery: DeliveryRef, domain: string) => string
  /** The Message-ID of a delivery from a domain, without angle brackets: always the same, and readable by `ofMessageId`. */
  readonly messageId: (delivery: DeliveryRef, domain: string) => string
  /**
   * The reference of a delivery for a relay's provider, which returns it in its reports: 78 lower-case letters and digits,
   * which reveal no id and occur in no other header of the message.
   */
  readonly reference: (delivery: DeliveryRef) => string
  /** The delivery of a reference, in upper or lower case; null if this installation did not create the reference. */
  readonly ofReference: (given: string) => DeliveryRef | null
  /**
   * The delivery of a Message-ID or its token, in upper or lower case; null if this installation did not create it. It proves
   * nothing.
   */
  readonly ofMessageId: (given: string) => DeliveryRef | null
  /**
   * The delivery that a token identifies, given alone or as the local part of an address, in upper or lower case; null if this
   * installation did not create the token. The delivery may no longer exist.
   */
  readonly prove: (given: string) => DeliveryRef | null
}

const bytesOf = ({ accountId, id }: DeliveryRef): Uint8Array =>
  fromHex(`${accountId}${id}`.replaceAll("-", ""))

const uuidOf = (bytes: Uint8Array): string =>
  toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

const refOf = (bytes: Uint8Array): DeliveryRef => ({
  accountId: uuidOf(bytes.subarray(0, 16)),
  id: uuidOf(bytes.subarray(16, 32))
})

const localOf = (given: string): string => {
  const at = given.indexOf("@")
  return at === -1 ? given : given.slice(0, at)
}

/**
 * The tokens of the installation's keys for reports. The newest key signs. A token has no room for the id of its key, so each
 * key is tried when a token is read.
 */
export const returnPathTokens = (crypto: Crypto["Service"], keys: KeyRing): ReturnPathTokens => {
  const tokenBy = ({ key }: SigningKey, delivery: DeliveryRef): string => {
    const mac = crypto.hmacSha256(key, `${delivery.accountId} ${delivery.id}`)
    return `b${toBase32(Uint8Array.from([...bytesOf(delivery), ...mac.subarray(0, macBytes)]))}`
  }
  const token = (delivery: DeliveryRef): string => tokenBy(keys[0], delivery)
  /** Encrypts, and decrypts, with the pad of an initialisation vector. */
  const encryptedBy = (
    { key }: SigningKey,
    { purpose }: SealedToken,
    ids: Uint8Array,
    vector: Uint8Array
  ): Uint8Array => {
    const pad = crypto.hmacSha256(key, `${purpose} pad ${toHex(vector)}`)
    return ids.map((byte, index) => byte ^ pad[index]!)
  }
  const sealedBy = (key: SigningKey, kind: SealedToken, delivery: DeliveryRef): string => {
    const ids = bytesOf(delivery)
    const vector = crypto.hmacSha256(key.key, `${kind.purpose} ${toHex(ids)}`).subarray(0, vectorBytes)
    return `${kind.letter}${toBase32(Uint8Array.from([...vector, ...encryptedBy(key, kind, ids, vector)]))}`
  }
  const opened = (kind: SealedToken, given: string): DeliveryRef | null => {
    if (!kind.pattern.test(given)) return null
    const folded = given.toLowerCase()
    const bytes = fromBase32(folded.slice(1))
    for (const key of keys) {
      const ids = encryptedBy(key, kind, bytes.subarray(vectorBytes), bytes.subarray(0, vectorBytes))
      if (crypto.constantTimeEquals(sealedBy(key, kind, refOf(ids)), folded)) return refOf(ids)
    }
    return null
  }
  return {
    token,
    address: (delivery, domain) => `${token(delivery)}@${returnPathDomain(domain)}`,
    messageId: (delivery, domain) => `${sealedBy(keys[0], sealedTokens.messageId, delivery)}@${domain}`,
    reference: (delivery) => sealedBy(keys[0], sealedTokens.reference, delivery),
    ofReference: (given) => opened(sealedTokens.reference, given),
    ofMessageId: (given) => opened(sealedTokens.messageId, localOf(given)),
    prove: (given) => {
      const local = localOf(given)
      if (!tokenPattern.test(local)) return null
      const folded = local.toLowerCase()
      const delivery = refOf(fromBase32(folded.slice(1)))
      // Compared as strings, because several strings decode to the same bytes.
      return keys.some((key) => crypto.constantTimeEquals(tokenBy(key, delivery), folded)) ? delivery : null
    }
  }
}
