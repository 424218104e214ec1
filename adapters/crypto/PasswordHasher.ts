/**
 * Implements the PasswordHasher port with scrypt, in threads of lower priority than the one that answers calls.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { randomBytes, timingSafeEqual } from "node:crypto"
import { PasswordHasher } from "../../core/ports/PasswordHasher.ts"
import { Threads } from "../../core/ports/Threads.ts"
import { deriveTask, type KeyInput, type ScryptCost } from "./passwordKey.ts"

/** OWASP's equivalent of N=2^17, r=8, p=1 with 32 MB of memory (Password Storage Cheat Sheet). */
const todaysCost: ScryptCost = { ln: 15, r: 8, p: 3 }

const saltBytes = 16

/** `$scrypt$ln=15,r=8,p=3$salt$hash`, both base64url: the PHC string format. */
const format = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/

/** Hashes with a cost. Hashes of another cost can be verified, and are reported as outdated. */
export const makePasswordHasher = (
  cost: ScryptCost,
  derive: (input: KeyInput) => Effect.Effect<Uint8Array>
): PasswordHasher["Service"] => {
  const { ln, p, r } = cost
  return {
    hash: (password) => {
      const salt = randomBytes(saltBytes)
      return Effect.map(
        derive({ password, salt, cost }),
        (key) =>
          `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64url")}$${Buffer.from(key).toString("base64url")}`
      )
    },
    verify: (password, hash) => {
      const [, storedLn, storedR, storedP, salt = "", stored = ""] = format.exec(hash) ?? []
      const isKnown = storedLn !== undefined
      const used = isKnown ? { ln: Number(storedLn), r: Number(storedR), p: Number(storedP) } : cost
      const expected = Buffer.from(stored, "base64url")
      return Effect.map(derive({ password, salt: Buffer.from(salt, "base64url"), cost: used }), (key) => ({
        matches: isKnown && timingSafeEqual(key, expected),
        isOutdated: used.ln !== ln || used.r !== r || used.p !== p
      }))
    }
  }
}

/** Hashes with the current cost. */
export const layer = Layer.effect(
  PasswordHasher,
  Effect.map(Threads, ({ run }) =>
    makePasswordHasher(todaysCost, (input) => Effect.orDie(run(deriveTask, input, { bytes: 0 })))
  )
)
