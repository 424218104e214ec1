/**
 * Tests of ids: UUIDv7 by RFC 9562, increasing whatever the clock does.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { firstIdAt, isUuid } from "../../../core/shared/Uuid.ts"
import { anyText, longTexts } from "../arbitraries.ts"

const start = Date.UTC(2031, 3, 6, 7, 8, 9, 123)

/** Ids generated from the given randomness. The hash functions are never called. */
const idsFrom = (random: (size: number) => Uint8Array) => {
  const unused = () => {
    throw new Error("Ids need no hash")
  }
  return Layer.provide(
    Layer.fresh(Ids.layer),
    Layer.succeed(Crypto, {
      randomBytes: random,
      sha256Hex: unused,
      hmacSha256: unused,
      constantTimeEquals: unused
    })
  )
}

const strong = idsFrom((size) => new Uint8Array(randomBytes(size)))
const layout = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

const expectGrowing = (ids: ReadonlyArray<string>): void => {
  for (let index = 1; index < ids.length; index++) expect(ids[index]! > ids[index - 1]!).toBe(true)
}

describe("Ids", () => {
  it.effect("carry version 7, the variant and the millisecond they were made in", () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      for (const time of [0x10000, start, start + 1, 2 ** 47, 2 ** 48 - 1]) {
        yield* TestClock.setTime(time)
        const id = yield* ids.next
        expect(id).toMatch(layout)
        expect(isUuid(id)).toBe(true)
        expect(timeOf(id)).toBe(time)
      }
    }).pipe(Effect.provide(strong))
  )

  it.effect.each([0, 255])("keep version and variant when all random bits are those of %i", (byte) =>
    Effect.gen(function* () {
      const ids = yield* Ids
      yield* TestClock.setTime(start)
      for (const id of yield* ids.many(10)) expect(id).toMatch(layout)
    }).pipe(Effect.provide(idsFrom((size) => new Uint8Array(size).fill(byte))))
  )

  it.effect("increase within one millisecond, ahead of the clock by as little as possible", () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      yield* TestClock.setTime(start)
      const made = yield* ids.many(20_000)
      expectGrowing(made)
      expect(new Set(made).size).toBe(made.length)
      expect(timeOf(made[0]!)).toBe(start)
      expect(timeOf(made.at(-1)!)).toBeLessThanOrEqual(start + Math.ceil(20_000 / 2048))
      yield* TestClock.setTime(start + 1000)
      expect(timeOf(yield* ids.next)).toBe(start + 1000)
    }).pipe(Effect.provide(strong))
  )

  it.effect("increase when the clock steps back", () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      const made: Array<string> = []
      for (const step of [0, 5, -3_600_000, 1, 0, -1, 4, 6, -86_400_000, 7]) {
        yield* TestClock.setTime(start + step)
        made.push(yield* ids.next, ...(yield* ids.many(3)))
      }
      expectGrowing(made)
    }).pipe(Effect.provide(strong))
  )

  it("increase for any clock and random bytes", async () => {
    const anyStep = fc.record({ time: fc.integer({ min: -5, max: 5 }), count: fc.nat({ max: 5000 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), fc.constantFrom(0, 255, null), (steps, byte) =>
        Effect.gen(function* () {
          const ids = yield* Ids
          const made: Array<string> = []
          for (const { count, time } of steps) {
            yield* TestClock.setTime(start + time)
            made.push(...(yield* ids.many(count)))
          }
          for (let index = 1; index < made.length; index++) {
            if (made[index]! <= made[index - 1]!) throw new Error(`${made[index - 1]} then ${made[index]}`)
          }
        }).pipe(
          Effect.provide([
            idsFrom((size) =>
              byte === null ? new Uint8Array(randomBytes(size)) : new Uint8Array(size).fill(byte)
            ),
            TestClock.layer()
          ]),
          Effect.runPromise
        )
      ),
      { numRuns: 30 }
    )
  })

  it.effect("of two makers differ at the same time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const many = Effect.flatMap(Ids, (ids) => ids.many(1000))
      const one = yield* Effect.provide(many, strong, { local: true })
      const two = yield* Effect.provide(many, strong, { local: true })
      expect(new Set([...one, ...two]).size).toBe(2000)
    })
  )

  it("are what isUuid accepts, and nothing else is", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat({ max: 35 }), anyText, (uuid, index, text) => {
        expect(isUuid(uuid)).toBe(true)
        expect(isUuid(uuid.toUpperCase())).toBe(true)
        expect(isUuid(uuid.slice(0, index) + uuid.slice(index + 1))).toBe(false)
        expect(isUuid(uuid.slice(0, index) + "g" + uuid.slice(index + 1))).toBe(false)
        expect(isUuid(`${uuid}\n`)).toBe(false)
        expect(isUuid(`{${uuid}}`)).toBe(false)
        expect(isUuid(text)).toBe(false)
      })
    )
    for (const text of longTexts) expect(isUuid(text)).toBe(false)
  })

  it("of a time are at least its first id, and less than the first id of the next", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 48 - 2 }), (time) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(time)
          const id = yield* (yield* Ids).next
          expect(isUuid(firstIdAt(time))).toBe(true)
          expect(firstIdAt(time) <= id && id < firstIdAt(time + 1)).toBe(true)
        }).pipe(Effect.provide([strong, TestClock.layer()]), Effect.runPromise)
      )
    )
  })
})
