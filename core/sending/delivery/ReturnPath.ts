/**
 * The envelope's sender of a delivery (VERP): reports of receiving servers come back to it, and name the delivery by
 * that alone. A MAC proves that the address is ours, so that a forged report changes nothing.
 *
 * @module
 */
import { Effect } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { Crypto } from "../../ports/Crypto.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import { fromBase32, toBase32 } from "../../shared/Base32.ts"
import { fromHex, toHex } from "../../shared/Bytes.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { returnPathDomain } from "../../model/Domain.ts"

/**
 * Two ids of 16 bytes and a MAC of 7 are 63 characters of base32; with the letter before them the local part is as
 * long as it may be (RFC 5321, 4.5.3.1.1: 64).
 */
const tokenPattern = /^b[a-z2-7]{63}$/i
const macBytes = 7

/** Makes and proves the tokens that name deliveries to the outside. */
export interface ReturnPaths {
  /** The token of a delivery: 64 characters, a local part of an address. */
  readonly token: (delivery: DeliveryRef) => string
  /** The envelope's sender of a delivery from a domain: the token at the domain's return-path domain. */
  readonly address: (delivery: DeliveryRef, domain: string) => string
  /** The Message-ID of a delivery from a domain, without angle brackets: it proves a report that shows only headers. */
  readonly messageId: (delivery: DeliveryRef, domain: string) => string
  /**
   * The delivery a token names, be it alone or the local part of an address, in any case; null for what is not one of
   * ours. Whether there is such a delivery is not known.
   */
  readonly prove: (text: string) => DeliveryRef | null
}

const bytesOf = ({ accountId, id }: DeliveryRef): Uint8Array =>
  fromHex(`${accountId}${id}`.replaceAll("-", ""))

const uuidOf = (bytes: Uint8Array): string =>
  toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The tokens of an installation, by its key for reports. */
export const returnPaths = (crypto: typeof Crypto.Service, key: Uint8Array): ReturnPaths => {
  const token = (delivery: DeliveryRef): string => {
    const mac = crypto.hmacSha256(key, `${delivery.accountId} ${delivery.id}`)
    return `b${toBase32(Uint8Array.from([...bytesOf(delivery), ...mac.subarray(0, macBytes)]))}`
  }
  return {
    token,
    address: (delivery, domain) => `${token(delivery)}@${returnPathDomain(domain)}`,
    messageId: (delivery, domain) => `${token(delivery)}@${domain}`,
    prove: (text) => {
      const at = text.indexOf("@")
      const local = at === -1 ? text : text.slice(0, at)
      if (!tokenPattern.test(local)) return null
      const folded = local.toLowerCase()
      const bytes = fromBase32(folded.slice(1))
      const delivery = { accountId: uuidOf(bytes.subarray(0, 16)), id: uuidOf(bytes.subarray(16, 32)) }
      // Compared as a whole: several texts decode to the same bytes.
      return crypto.constantTimeEquals(token(delivery), folded) ? delivery : null
    }
  }
}

/** An effect that answers the tokens of this installation; it reads the keys the first time it runs. */
export const makeReturnPaths: Effect.Effect<
  Effect.Effect<ReturnPaths, Unavailable>,
  never,
  Crypto | InstallationKeys
> = Effect.gen(function* () {
  const keys = yield* InstallationKeys
  const crypto = yield* Crypto
  return Effect.map(keys.get, ({ reports }) => returnPaths(crypto, reports))
})
