/**
 * The contract of `core/ports/KeyMaker`: key pairs that sign and verify, generated without blocking the thread.
 *
 * @module
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import type { DkimAlgorithm } from "../../core/model/Domain.ts"
import { KeyMaker, type KeyPair } from "../../core/ports/KeyMaker.ts"

const message = Buffer.from("a message")

/** The public key that a verifier reads from the `p=` tag of a record (RFC 6376, 3.6.1; RFC 8463, 4.2). */
const publicKeys: Record<DkimAlgorithm, (publicKey: string) => KeyObject> = {
  rsa: (publicKey) => createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" }),
  ed25519: (publicKey) => {
    const x = Buffer.from(publicKey, "base64").toString("base64url")
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  }
}

/** Expects that a key pair has the format of its algorithm, and that its public key verifies signatures of its private key. */
export const expectKeyPair = (algorithm: DkimAlgorithm, { privateKey, publicKey }: KeyPair): void => {
  const hash = algorithm === "rsa" ? "sha256" : null
  const key = createPrivateKey(privateKey)
  expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  expect(publicKey).toMatch(/^[A-Za-z0-9+/]+=*$/)
  expect(verify(hash, message, publicKeys[algorithm](publicKey), sign(hash, message, key))).toBe(true)
  if (algorithm === "rsa") expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
  else expect(Buffer.from(publicKey, "base64")).toHaveLength(32)
}

/** Tests of the port `KeyMaker`. */
export const keyMakerContract = (it: Vitest.MethodsNonLive<KeyMaker>): void => {
  describe("KeyMaker", () => {
    for (const algorithm of ["rsa", "ed25519"] as const) {
      it.effect(`makes ${algorithm} keys whose public key verifies`, () =>
        Effect.gen(function* () {
          const { make } = yield* KeyMaker
          const [one, other] = yield* Effect.all([make(algorithm), make(algorithm)], {
            concurrency: "unbounded"
          })
          expectKeyPair(algorithm, one)
          expect(other.publicKey).not.toBe(one.publicKey)
        })
      )
    }

    it.effect("does not block other work while it makes an RSA key", () =>
      Effect.gen(function* () {
        const { make } = yield* KeyMaker
        let ticks = 0
        const timer = setInterval(() => ticks++, 1)
        yield* Effect.all([make("rsa"), make("rsa")], { concurrency: "unbounded" })
        clearInterval(timer)
        expect(ticks).toBeGreaterThan(3)
      })
    )
  })
}
