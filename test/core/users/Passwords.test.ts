import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import type { Problem } from "../../../core/shared/Problem.ts"
import { PasswordHasher } from "../../../core/ports/PasswordHasher.ts"
import { PasswordStrength } from "../../../core/ports/PasswordStrength.ts"
import { hashLimits, Passwords } from "../../../core/users/Passwords.ts"

/** A hasher that counts its hashes and completes them on `open`. */
const heldHasher = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const counts = { running: 0, most: 0 }
  const run = <A>(value: A) =>
    Effect.gen(function* () {
      counts.running++
      counts.most = Math.max(counts.most, counts.running)
      yield* Deferred.await(gate)
      counts.running--
      return value
    })
  const hasher: PasswordHasher["Service"] = {
    hash: () => run("hash"),
    verify: () => run({ matches: false, isOutdated: false })
  }
  return { counts, hasher, open: Deferred.succeed(gate, undefined) }
})

describe("hashes of passwords", () => {
  it.effect("are computed two at a time, twenty more wait, and others are refused at once", () =>
    Effect.gen(function* () {
      const { counts, hasher, open } = yield* heldHasher
      const strength: PasswordStrength["Service"] = {
        estimate: () => Effect.succeed({ score: 4, hint: null })
      }
      const layer = Passwords.layer.pipe(
        Layer.provide([Layer.succeed(PasswordHasher, hasher), Layer.succeed(PasswordStrength, strength)])
      )
      const passwords = yield* Effect.provide(Passwords, layer)
      const { concurrent, waiting } = hashLimits
      expect([concurrent, waiting]).toEqual([2, 20])
      const held: Array<Fiber.Fiber<void, Problem>> = []
      for (let index = 0; index < concurrent + waiting; index++) {
        // For known and unknown addresses alike.
        const stored = index % 2 === 0 ? "stored" : null
        held.push(yield* Effect.forkChild(Effect.asVoid(passwords.verify("x", stored))))
      }
      while (counts.running < concurrent) yield* Effect.yieldNow
      for (const more of [Effect.asVoid(passwords.verify("x", null)), Effect.asVoid(passwords.hash("x"))]) {
        const refused = yield* Effect.flip(more)
        expect([refused.status, refused.issues[0].code]).toEqual([503, "common.unavailable"])
      }
      // An interrupted hash releases its place.
      yield* Fiber.interrupt(held.at(-1)!)
      held[held.length - 1] = yield* Effect.forkChild(Effect.asVoid(passwords.hash("x")))
      yield* open
      for (const fiber of held) expect(Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
      expect(counts.most).toBe(concurrent)
      expect(Exit.isSuccess(yield* Effect.exit(passwords.hash("x")))).toBe(true)
    })
  )
})
