/**
 * Hostile strings for property tests of parsers: any Unicode, control characters, NUL, lone surrogates, and fragments of the
 * parsed grammar.
 *
 * @module
 */
import * as fc from "fast-check"

const oddPieces = [
  "",
  " ",
  "\0",
  "\t",
  "\r\n",
  "\u00a0",
  "\u2028",
  "\u3000",
  "\ufeff",
  "\u202e",
  "\u0130",
  "\u03a3",
  "\u1e9e",
  "\ud800",
  "\udc00",
  "\ud83d\ude00",
  "\u{10ffff}",
  "e\u0301",
  "漢字",
  "null",
  "__proto__"
]

/** Any text: UTF-16 units in any order, well-formed text, and combinations of odd fragments. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc.array(fc.constantFrom(...oddPieces), { maxLength: 6 }).map((pieces) => pieces.join(""))
)

/** Text composed of the fragments of a grammar, occasionally with something odd in between. */
export const textOf = (pieces: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { arbitrary: fc.constantFrom(...pieces), weight: 12 },
        { arbitrary: fc.constantFrom(...oddPieces), weight: 1 },
        { arbitrary: fc.string({ maxLength: 3 }), weight: 1 }
      ),
      { maxLength: 12 }
    )
    .map((parts) => parts.join(""))

const megabyte = 1 << 20

/** Long inputs that make a careless regular expression backtrack catastrophically. */
export const longTexts: ReadonlyArray<string> = [
  "a".repeat(megabyte),
  " ".repeat(megabyte),
  "\0".repeat(megabyte),
  "\ud800".repeat(megabyte),
  "漢".repeat(megabyte),
  `${"a".repeat(100_000)}@`,
  `@${"a".repeat(100_000)}`,
  `a@${"a.".repeat(100_000)}`,
  `a@${"a-".repeat(100_000)}`,
  `a@${"ü.".repeat(100_000)}`,
  `${"a.".repeat(100_000)}@example.com`,
  `"${"\\\\".repeat(100_000)}@example.com`,
  `"${'\\"'.repeat(100_000)}" <a@example.com>`,
  `${"<".repeat(100_000)}>`,
  "@".repeat(100_000),
  "1.".repeat(100_000),
  ":".repeat(100_000),
  `${" ".repeat(100_000)}x${" ".repeat(100_000)}x`,
  `2031-04-06T07:08:09.${"1".repeat(100_000)}Z`,
  `ext:${"x".repeat(megabyte)}`,
  `email:${"a".repeat(100_000)}@`
]
