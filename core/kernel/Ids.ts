/**
 * Makes identifiers: UUIDv7 (RFC 9562, 5.7), which sort by the time of their creation.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Crypto } from "../ports/Crypto.ts"

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The number of random bytes in an id. */
const idBytes = 10

/** Random bytes are read in chunks of this size: a system call takes longer than producing the bytes of many ids. */
const pieceBytes = 128 * idBytes

/** Makes ids that strictly increase within a process, even within a millisecond or when the clock steps back. */
export class Ids extends Context.Service<
  Ids,
  {
    /** A new id. */
    readonly next: Effect.Effect<string>
    /** `count` new ids, in ascending order. */
    readonly many: (count: number) => Effect.Effect<ReadonlyArray<string>>
  }
>()("svc/kernel/Ids") {
  static readonly layer = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      let lastTime = 0
      let sequence = 0
      let piece = new Uint8Array(0)
      let used = 0

      /** Takes random bytes for ids; no byte is returned twice. */
      const takeRandom = (size: number): Uint8Array => {
        if (size > pieceBytes) return crypto.randomBytes(size)
        if (used + size > piece.length) {
          piece = Uint8Array.from(crypto.randomBytes(pieceBytes))
          used = 0
        }
        used += size
        return piece.subarray(used - size, used)
      }

      // A 12-bit sequence in rand_a (RFC 9562, 6.2 method 1); when it overflows, the timestamp is incremented.
      const make = (now: number, random: Uint8Array, at: number): string => {
        if (now > lastTime) {
          lastTime = now
          sequence = ((random[at]! & 0x07) << 8) | random[at + 1]!
        } else if (++sequence > 0xfff) {
          lastTime++
          sequence = 0
        }
        const high = Math.floor(lastTime / 0x10000)
        const low = lastTime % 0x10000
        const byte = (index: number) => hex[random[at + index]!]!
        const time = `${high.toString(16).padStart(8, "0")}-${low.toString(16).padStart(4, "0")}`
        const variant = hex[(random[at + 2]! & 0x3f) | 0x80]! + byte(3)
        const node = byte(4) + byte(5) + byte(6) + byte(7) + byte(8) + byte(9)
        return `${time}-7${sequence.toString(16).padStart(3, "0")}-${variant}-${node}`
      }

      const many = (count: number) =>
        Clock.clockWith((clock) =>
          Effect.sync(() => {
            const now = clock.currentTimeMillisUnsafe()
            const random = takeRandom(count * idBytes)
            const ids = new Array<string>(count)
            for (let index = 0; index < count; index++) ids[index] = make(now, random, index * idBytes)
            return ids
          })
        )
      return Ids.of({ next: Effect.map(many(1), (ids) => ids[0]!), many })
    })
  )
}
