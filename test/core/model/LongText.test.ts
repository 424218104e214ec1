import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  hasControls,
  includesAscii,
  isBlank,
  isLongerThan,
  stringOf,
  utf8Of
} from "../../../core/model/LongText.ts"

const texts = fc.string({
  unit: fc.constantFrom("a", " ", "\t", "\n", "\r", "\u0000", "\u007f", "\u00a0", "é", "😀", "~")
})

/** The text as UTF-8 at a given offset of its buffer. */
const at = (offset: number, text: string): Uint8Array => {
  const bytes = utf8Of(text)
  const moved = new Uint8Array(offset + bytes.length + 3).fill(1)
  moved.set(bytes, offset)
  return moved.subarray(offset, offset + bytes.length)
}

describe("text as UTF-8", () => {
  it("is what the text is, at any place of its buffer", () => {
    fc.assert(
      fc.property(texts, fc.nat(4), fc.nat(12), (text, offset, max) => {
        const bytes = at(offset, text)
        expect(stringOf(bytes)).toBe(text)
        for (const either of [text, bytes]) {
          expect(isBlank(either)).toBe(text.trim() === "")
          expect(isLongerThan(either, max)).toBe(text.length > max)
        }
        expect(hasControls(bytes)).toBe(/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text))
      }),
      { numRuns: 1_000 }
    )
  })

  it("includes what the text includes", () => {
    const few = fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 30 })
    const wanted = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(few, wanted, fc.nat(4), (text, characters, offset) => {
        for (const either of [text, at(offset, text)])
          expect(includesAscii(either, characters)).toBe(text.includes(characters))
      }),
      { numRuns: 1_000 }
    )
  })

  it("keeps a byte order mark", () => {
    expect(stringOf(utf8Of("\ufeffa"))).toBe("\ufeffa")
  })
})
