import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { PiecedBytes } from "../../../core/shared/Bytes.ts"

it("pieces of bytes make the whole in order, whatever their sizes, and nothing once they are cleared", () => {
  const size = fc.oneof(fc.constant(1), fc.nat(5), fc.nat(3_000))
  fc.assert(
    fc.property(fc.array(size, { maxLength: 1_500, size: "max" }), fc.nat(255), (sizes, first) => {
      const bytes = new PiecedBytes()
      const total = sizes.reduce((sum, each) => sum + each, 0)
      const given = Uint8Array.from({ length: total }, (_, index) => first + index * 7)
      for (const round of [0, 1]) {
        let at = 0
        for (const each of sizes) bytes.add(given.subarray(at, (at += each)))
        expect(bytes.size).toBe(total)
        expect(Buffer.compare(bytes.whole(), given)).toBe(0)
        if (round === 0) bytes.clear()
      }
      bytes.clear()
      expect([bytes.size, bytes.whole().length]).toEqual([0, 0])
    }),
    { numRuns: 50 }
  )
})
