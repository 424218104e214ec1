import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { join } from "node:path"
import { promisify } from "node:util"
import * as LocalKeyMaker from "../../../adapters/crypto/KeyMaker.ts"
import { KeyMaker, type KeyPair } from "../../../core/ports/KeyMaker.ts"

const make = (algorithm: "rsa" | "ed25519") =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(KeyMaker, (maker) => maker.make(algorithm)),
      LocalKeyMaker.layer
    )
  )

const message = Buffer.from("a message")

/** What a verifier makes of a record's `p=` (RFC 6376, 3.6.1; RFC 8463, 4.2). */
const publicKeys: Record<"rsa" | "ed25519", (publicKey: string) => KeyObject> = {
  rsa: (publicKey) => createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" }),
  ed25519: (publicKey) => {
    const x = Buffer.from(publicKey, "base64").toString("base64url")
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  }
}

const check = (algorithm: "rsa" | "ed25519", { privateKey, publicKey }: KeyPair) => {
  const hash = algorithm === "rsa" ? "sha256" : null
  const key = createPrivateKey(privateKey)
  expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  expect(publicKey).toMatch(/^[A-Za-z0-9+/]+=*$/)
  expect(verify(hash, message, publicKeys[algorithm](publicKey), sign(hash, message, key))).toBe(true)
  if (algorithm === "rsa") expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
  else expect(Buffer.from(publicKey, "base64")).toHaveLength(32)
}

describe("KeyMaker", () => {
  it.each(["rsa", "ed25519"] as const)("makes %s keys whose public key verifies", async (algorithm) => {
    const [one, other] = await Promise.all([make(algorithm), make(algorithm)])
    check(algorithm, one)
    expect(other.publicKey).not.toBe(one.publicKey)
  })

  it("lets other work go on while it makes an RSA key", async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    await Promise.all([make("rsa"), make("rsa")])
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(3)
  })

  it("makes the same kinds of keys on Bun", async () => {
    const root = join(import.meta.dirname, "../../..")
    const script = `
      import { Effect } from "effect"
      import { layer } from "./adapters/crypto/KeyMaker.ts"
      import { KeyMaker } from "./core/ports/KeyMaker.ts"
      const make = (algorithm) => Effect.runPromise(Effect.provide(
        Effect.flatMap(KeyMaker, (maker) => maker.make(algorithm)), layer))
      console.log(JSON.stringify([await make("rsa"), await make("ed25519")]))`
    const bun = join(root, "node_modules/.bin/bun")
    const { stdout } = await promisify(execFile)(bun, ["--eval", script], { cwd: root })
    const [rsa, ed25519] = JSON.parse(stdout) as [KeyPair, KeyPair]
    check("rsa", rsa)
    check("ed25519", ed25519)
  })
})
