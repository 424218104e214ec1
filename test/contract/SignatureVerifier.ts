/**
 * The contract of `core/ports/SignatureVerifier`.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import { SignatureVerifier } from "../../core/ports/SignatureVerifier.ts"
import { topicAuthority, topicCertificate, topicKey, weakCertificate, weakKey } from "./topicCertificates.ts"

const at = Date.UTC(2027, 0, 1)
const data = "Type\nNotification\né\n"
const unreadable = [
  "",
  "x",
  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  "A".repeat(1e5)
]

/** Tests of the port `SignatureVerifier`. */
export const signatureVerifierContract = (it: Vitest.MethodsNonLive<SignatureVerifier>): void => {
  describe("SignatureVerifier", () => {
    it.effect("verifies RSA signatures by a certificate, with those that issued it", () =>
      Effect.gen(function* () {
        const { byCertificate } = yield* SignatureVerifier
        for (const hash of ["sha1", "sha256"] as const) {
          const signature = sign(hash, Buffer.from(data), topicKey)
          expect(byCertificate(topicCertificate, hash, data, signature, at)).toBe(true)
          expect(byCertificate(topicCertificate + topicAuthority, hash, data, signature, at)).toBe(true)
          expect(byCertificate(topicCertificate, hash, `${data} `, signature, at)).toBe(false)
          expect(byCertificate(topicCertificate, hash, data, signature.subarray(1), at)).toBe(false)
          const other = hash === "sha1" ? "sha256" : "sha1"
          expect(byCertificate(topicCertificate, other, data, signature, at)).toBe(false)
        }
      })
    )

    it.effect("rejects certificates that are not valid, of other or short keys, or of a broken chain", () =>
      Effect.gen(function* () {
        const { byCertificate } = yield* SignatureVerifier
        const signature = sign("sha256", Buffer.from(data), topicKey)
        const verifies = (pem: string, time: number, by = signature) =>
          byCertificate(pem, "sha256", data, by, time)
        expect(verifies(topicCertificate, Date.UTC(2020, 0, 1))).toBe(false)
        expect(verifies(topicCertificate, Date.UTC(2200, 0, 1))).toBe(false)
        expect(verifies(topicCertificate, Number.NaN)).toBe(false)
        expect(verifies(topicCertificate + weakCertificate, at)).toBe(false)
        expect(verifies(topicAuthority + topicCertificate, at)).toBe(false)
        expect(verifies(topicCertificate.repeat(20), at)).toBe(false)
        expect(verifies(weakCertificate, at, sign("sha256", Buffer.from(data), weakKey))).toBe(false)
        expect(verifies(topicAuthority, at)).toBe(false)
        for (const pem of unreadable) expect(verifies(pem, at)).toBe(false)
      })
    )

    it.effect("verifies ECDSA signatures by a key of P-256 alone", () =>
      Effect.gen(function* () {
        const { byEcKey, isEcKey } = yield* SignatureVerifier
        const bytes = Buffer.from(data)
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
        const signature = sign("sha256", bytes, privateKey)
        const der = publicKey.export({ type: "spki", format: "der" }).toString("base64")
        const pem = publicKey.export({ type: "spki", format: "pem" }) as string
        for (const key of [der, pem]) {
          expect(isEcKey(key)).toBe(true)
          expect(byEcKey(key, bytes, signature)).toBe(true)
          expect(byEcKey(key, Buffer.from(`${data} `), signature)).toBe(false)
          expect(byEcKey(key, bytes, Buffer.alloc(0))).toBe(false)
          expect(byEcKey(key, bytes, signature.subarray(2))).toBe(false)
        }
        const others = [
          generateKeyPairSync("ec", { namedCurve: "secp384r1" }),
          generateKeyPairSync("rsa", { modulusLength: 2048 }),
          generateKeyPairSync("ed25519")
        ].map((pair) => pair.publicKey.export({ type: "spki", format: "der" }).toString("base64"))
        for (const key of [...others, ...unreadable]) {
          expect(isEcKey(key)).toBe(false)
          expect(byEcKey(key, bytes, signature)).toBe(false)
        }
      })
    )
  })
}
