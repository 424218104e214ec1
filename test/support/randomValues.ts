/**
 * Random values for fuzz tests: of roughly the right shape, or valid except for a few parts.
 *
 * @module
 */
import * as fc from "fast-check"
import { type Hostile, smallShare } from "../fixtures/hostile/Hostile.ts"
import { hostileTexts } from "../fixtures/hostile/texts.ts"

/** The small members of the corpus of hostile input. */
export const membersOf = <Made>(members: ReadonlyArray<Hostile<Made>>): fc.Arbitrary<Made> =>
  fc.constantFrom(...members).map(({ make }) => make(smallShare))

/** Strings of every kind: plain, any code unit, long, and words with a special meaning. */
export const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.emailAddress(),
  fc.constantFrom(
    "",
    " ",
    "Subscribed",
    "Customer",
    "a@b.example",
    "\u0000",
    "null",
    "2024-01-01T00:00:00Z",
    "DE"
  ),
  fc.uuid(),
  fc.integer({ min: 1, max: 2000 }).map((length) => "x".repeat(length)),
  membersOf(hostileTexts)
)

/** A value of roughly the right shape, or any value. */
export const near = <A>(arbitrary: fc.Arbitrary<A>) =>
  fc.oneof(
    { weight: 6, arbitrary },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.jsonValue() }
  )

/** An object with some of the fields, or any value. */
export const shape = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.jsonValue() }
  )

type Path = ReadonlyArray<string | number>

const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))]
    : [path]

const replaced = (value: unknown, [key, ...rest]: Path, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) => (String(index) === key ? replaced(entry, rest, by) : entry))
  }
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === key ? replaced(inner, rest, by) : inner
  ])
  // JSON omits undefined values.
  return Object.fromEntries(entries)
}

const oddValue = fc.oneof(
  text,
  fc.jsonValue(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(undefined, null, true, -1, 0, 1e308, -0, [], {}, "P1D", "PT0S", "{{ contact.x | date: y }}")
)

/** An example with one to three of its values replaced or omitted. */
export const spoilt = (example: unknown): fc.Arbitrary<unknown> => {
  const paths = pathsOf(example).filter((path) => path.length > 0)
  return fc
    .array(fc.tuple(fc.constantFrom(...paths), oddValue), { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce((value, [path, by]) => replaced(value, path, by), example))
}
