/**
 * Implements the KeyMaker port with `node:crypto`, which Node and Bun both have. Keys are generated outside the thread of the
 * event loop, because an RSA key takes a tenth of a second or more.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { generateKeyPair, type KeyObject } from "node:crypto"
import { promisify } from "node:util"
import { KeyMaker, type KeyPair } from "../../core/ports/KeyMaker.ts"
import type { DkimAlgorithm } from "../../core/model/Domain.ts"

const generate = promisify(generateKeyPair)
const rsaBits = 2048
/** The bytes of an Ed25519 SubjectPublicKeyInfo before the 32 bytes of the key (RFC 8410, 4). */
const ed25519Prefix = 12

const publicKeyOf: Record<DkimAlgorithm, (key: KeyObject) => Buffer> = {
  rsa: (key) => key.export({ type: "spki", format: "der" }),
  ed25519: (key) => key.export({ type: "spki", format: "der" }).subarray(ed25519Prefix)
}

const make = async (algorithm: DkimAlgorithm): Promise<KeyPair> => {
  const { privateKey, publicKey } =
    algorithm === "rsa" ? await generate("rsa", { modulusLength: rsaBits }) : await generate("ed25519")
  return {
    publicKey: publicKeyOf[algorithm](publicKey).toString("base64"),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string
  }
}

/** Generates key pairs with the platform's functions. */
export const layer = Layer.succeed(KeyMaker, {
  make: (algorithm) => Effect.promise(() => make(algorithm))
})
