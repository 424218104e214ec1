import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { imageFacts } from "../../../core/images/ImageFacts.ts"
import { accountOfKey, imageKey, keyBytes } from "../../../core/images/ImageKeys.ts"
import { gif, jpeg, png, svg, webp } from "../../support/images.ts"

const size = fc.integer({ min: 1, max: 16_383 })

describe("the facts of an image", () => {
  it("are read from its content, for each type and size", () => {
    fc.assert(
      fc.property(size, size, (width, height) => {
        expect(imageFacts(png(width, height))).toEqual({ type: "image/png", width, height })
        expect(imageFacts(gif(width, height))).toEqual({ type: "image/gif", width, height })
        expect(imageFacts(jpeg(width, height))).toEqual({ type: "image/jpeg", width, height })
        for (const kind of ["VP8 ", "VP8L", "VP8X"] as const)
          expect(imageFacts(webp(kind, width, height))).toEqual({ type: "image/webp", width, height })
      })
    )
  })

  it("are none of what is cut off, of SVG, or of an image without an area", () => {
    for (const whole of [png(2, 3), gif(2, 3), jpeg(2, 3), webp("VP8X", 2, 3)]) {
      const least = [...whole.keys()].find((length) => imageFacts(whole.slice(0, length)) !== null)
      expect(least ?? whole.length).toBeGreaterThan(12)
    }
    expect(imageFacts(svg)).toBeNull()
    expect(imageFacts(png(0, 3))).toBeNull()
    expect(imageFacts(new Uint8Array())).toBeNull()
  })

  it("are looked for in any bytes without a failure", () => {
    const starts = [png(1, 1), gif(1, 1), jpeg(1, 1), webp("VP8 ", 1, 1)]
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.nat(40),
        fc.uint8Array({ maxLength: 200 }),
        (start, at, rest) => {
          const facts = imageFacts(new Uint8Array([...start.slice(0, at), ...rest]))
          if (facts !== null) expect(Math.min(facts.width, facts.height)).toBeGreaterThan(0)
        }
      )
    )
  })
})

describe("the key of an image", () => {
  it("names its account, and nothing else does", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uint8Array({ minLength: keyBytes, maxLength: keyBytes }), (id, random) => {
        const key = imageKey(id, random)
        expect(key).toMatch(/^[\w-]{46}$/)
        expect(accountOfKey(key)).toBe(id)
        expect(accountOfKey(key.slice(2))).toBeNull()
      })
    )
    expect(accountOfKey("a".repeat(10_000))).toBeNull()
  })
})
