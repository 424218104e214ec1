/**
 * The PasswordHasher port by scrypt of `node:crypto`, which Node and Bun both compute on other threads than the event
 * loop's.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { PasswordHasher } from "../../core/ports/PasswordHasher.ts"

/** The cost of a hash (RFC 7914): 2^`ln` is N. */
export interface ScryptCost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** OWASP's equivalent of N=2^17, r=8, p=1 for 32 MB of memory (Password Storage Cheat Sheet). */
const todaysCost: ScryptCost = { ln: 15, r: 8, p: 3 }

const saltBytes = 16
const hashBytes = 32

/** `$scrypt$ln=15,r=8,p=3$salt$hash`, both base64url: the PHC string format. */
const format = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/

const derive = (password: string, salt: Buffer, { ln, p, r }: ScryptCost): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    const cost = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
    scrypt(password.normalize("NFKC"), salt, hashBytes, cost, (error, key) =>
      // Bun calls it with undefined where Node does with null.
      resume(error instanceof Error ? Effect.die(error) : Effect.succeed(key))
    )
  })

/** Hashes with a cost; hashes of another cost are verified and are outdated. */
export const makePasswordHasher = (cost: ScryptCost): PasswordHasher["Service"] => {
  const { ln, p, r } = cost
  return {
    hash: (password) => {
      const salt = randomBytes(saltBytes)
      return Effect.map(
        derive(password, salt, cost),
        (key) => `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64url")}$${key.toString("base64url")}`
      )
    },
    verify: (password, hash) => {
      const [, storedLn, storedR, storedP, salt = "", stored = ""] = format.exec(hash) ?? []
      const isKnown = storedLn !== undefined
      const used = isKnown ? { ln: Number(storedLn), r: Number(storedR), p: Number(storedP) } : cost
      const expected = Buffer.from(stored, "base64url")
      return Effect.map(derive(password, Buffer.from(salt, "base64url"), used), (key) => ({
        matches: isKnown && timingSafeEqual(key, expected),
        isOutdated: used.ln !== ln || used.r !== r || used.p !== p
      }))
    }
  }
}

/** Hashes with the cost of today. */
export const layer = Layer.succeed(PasswordHasher, makePasswordHasher(todaysCost))
