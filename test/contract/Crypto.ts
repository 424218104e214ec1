/**
 * The contract of `core/ports/Crypto`: random bytes, and hashes checked with the test vectors of their standards.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Crypto } from "../../core/ports/Crypto.ts"
import { times } from "./fixtures.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** RFC 4231, 4.2, 4.3 and 4.7: the key, the data and its HMAC-SHA-256. */
const hmacs: ReadonlyArray<readonly [key: Uint8Array, data: string, mac: string]> = [
  [
    new Uint8Array(20).fill(0x0b),
    "Hi There",
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
  ],
  [
    utf8("Jefe"),
    "what do ya want for nothing?",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
  ],
  [
    new Uint8Array(131).fill(0xaa),
    "Test Using Larger Than Block-Size Key - Hash Key First",
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
  ]
]

/** Tests of the port `Crypto`. */
export const cryptoContract = (it: Vitest.MethodsNonLive<Crypto>): void => {
  describe("Crypto", () => {
    it.effect("draws as many random bytes as asked for, different each time", () =>
      Effect.gen(function* () {
        const { randomBytes } = yield* Crypto
        for (const size of [0, 1, 16, 1000]) expect(randomBytes(size)).toHaveLength(size)
        expect(new Set(times(1000, () => hex(randomBytes(16)))).size).toBe(1000)
      })
    )

    it.effect("hashes strings as UTF-8, and bytes as they are", () =>
      Effect.gen(function* () {
        const { sha256Hex } = yield* Crypto
        // FIPS 180-4.
        expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        fc.assert(
          fc.property(fc.string({ unit: "grapheme" }), (text) => {
            expect(sha256Hex(text)).toBe(sha256Hex(utf8(text)))
          })
        )
      })
    )

    it.effect("authenticates strings and bytes by HMAC-SHA-256, with the same key again and again", () =>
      Effect.gen(function* () {
        const { hmacSha256 } = yield* Crypto
        for (const [key, data, mac] of [...hmacs, ...hmacs]) {
          expect(hex(hmacSha256(key, data))).toBe(mac)
          expect(hex(hmacSha256(key, utf8(data)))).toBe(mac)
        }
      })
    )

    it.effect("compares strings of any length", () =>
      Effect.gen(function* () {
        const { constantTimeEquals } = yield* Crypto
        expect([constantTimeEquals("", ""), constantTimeEquals("", "a")]).toEqual([true, false])
        fc.assert(
          fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
            expect(constantTimeEquals(one, other)).toBe(one === other)
            expect(constantTimeEquals(one, `${one}`)).toBe(true)
            expect(constantTimeEquals(one, `${one}x`)).toBe(false)
          })
        )
      })
    )
  })
}
