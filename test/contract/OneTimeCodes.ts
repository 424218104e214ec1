/**
 * The contract of `core/ports/OneTimeCodes`, with the vectors of RFC 6238, Appendix B.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { OneTimeCodes } from "../../core/ports/OneTimeCodes.ts"

/** "12345678901234567890" in base32. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

/** Seconds, and the last 6 digits of the code. */
const vectors: ReadonlyArray<readonly [number, string]> = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"]
]

/** Tests of the port `OneTimeCodes`. */
export const oneTimeCodesContract = (it: Vitest.MethodsNonLive<OneTimeCodes>): void => {
  describe("OneTimeCodes", () => {
    it.effect("accepts the codes of RFC 6238, one step early or late and no more", () =>
      Effect.gen(function* () {
        const { stepOf } = yield* OneTimeCodes
        for (const [seconds, code] of vectors) {
          const step = Math.floor(seconds / 30)
          for (const drift of [-1, 0, 1]) {
            expect([code, drift, stepOf(secret, code, (seconds + drift * 30) * 1000)]).toEqual([
              code,
              drift,
              step
            ])
          }
          for (const drift of [-2, 2]) expect(stepOf(secret, code, (seconds + drift * 30) * 1000)).toBeNull()
        }
      })
    )

    it.effect("accepts nothing but six digits", () =>
      Effect.gen(function* () {
        const { stepOf } = yield* OneTimeCodes
        for (const code of ["", "28708", "2870822", " 287082", "２８７０８２", "28708x", "-87082"]) {
          expect([code, stepOf(secret, code, 59_000)]).toEqual([code, null])
        }
      })
    )

    it.effect("shows a secret as URL and QR code", () =>
      Effect.gen(function* () {
        const { qr, url } = (yield* OneTimeCodes).show(secret, "svc", "ada@example.org")
        const { host, pathname, protocol, searchParams } = new URL(url)
        expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
          "otpauth:",
          "totp",
          "/svc:ada@example.org"
        ])
        expect(Object.fromEntries(searchParams)).toEqual({
          issuer: "svc",
          secret,
          algorithm: "SHA1",
          digits: "6",
          period: "30"
        })
        expect(qr).toMatch(/^<svg [^]*<\/svg>$/)
      })
    )
  })
}
