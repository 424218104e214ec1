/**
 * Property tests of body shapes: a body that needs no decoding is used unchanged, and equals the result of decoding.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { ContactWriteShape } from "../../../adapters/http/schema/public/Contacts.ts"
import { ItemWriteShape } from "../../../adapters/http/schema/public/Items.ts"
import { makeIsExact } from "../../../adapters/http/json/ExactShape.ts"
import { makeShape, type ShapeErrors } from "../../../adapters/http/json/Shape.ts"

const keys = [
  "id",
  "email",
  "firstName",
  "attributes",
  "consent",
  "topics",
  "basis",
  "proof",
  "text",
  "other"
]

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, 5, "text", ""),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...keys), tie("value"), { noNullPrototype: true })
  )
})).value

const text = fc.constantFrom("text", null)
const write = fc.record(
  {
    id: text,
    email: text,
    firstName: text,
    attributes: fc.dictionary(fc.constantFrom(...keys), json, { noNullPrototype: true }),
    consent: fc.oneof(
      fc.constant(null),
      fc.record({ basis: fc.oneof(text, json), proof: fc.record({ text }, { requiredKeys: [] }) })
    ),
    topics: fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.boolean(), json), { noNullPrototype: true }),
    other: json
  },
  { requiredKeys: [], noNullPrototype: true }
)

describe("makeShape", () => {
  const decode = Schema.decodeUnknownResult(ContactWriteShape)
  const shape = makeShape(ContactWriteShape)

  it("returns what decoding returns", () => {
    fc.assert(
      fc.property(fc.oneof(write, json), (value) => {
        const decoded = decode(value)
        const shaped = shape(value)
        expect(Result.isSuccess(shaped)).toBe(Result.isSuccess(decoded))
        if (Result.isSuccess(shaped) && Result.isSuccess(decoded)) {
          expect(shaped.success).toEqual(decoded.success)
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("returns a contact without extra keys unchanged", () => {
    const isExact = makeIsExact(ContactWriteShape.ast)
    const contact = { email: "ada@example.com", consent: { basis: "Subscribed", proof: { text: "Yes" } } }
    expect(isExact?.(contact)).toBe(true)
    expect(isExact?.({ ...contact, other: 1 })).toBe(false)
    expect(isExact?.({ ...contact, consent: {} })).toBe(false)
    expect(isExact?.({ ...contact, consent: [] })).toBe(false)
  })

  it("returns an item unchanged, with its integers and lists checked", () => {
    const isExact = makeIsExact(ItemWriteShape.ast)
    const item = { id: "a", price: 0.5, stockQuantity: 5, categories: ["x"], attributes: { any: [{}] } }
    const decodeItem = Schema.decodeUnknownResult(ItemWriteShape)
    expect(isExact?.(item)).toBe(true)
    for (const wrong of [
      { stockQuantity: 1.5 },
      { price: "1" },
      { categories: "x" },
      { categories: ["x", 1] },
      { categories: {} },
      { inStock: 1 },
      { attributes: [] }
    ]) {
      expect(isExact?.({ ...item, ...wrong })).toBe(false)
      expect(Result.isFailure(decodeItem({ ...item, ...wrong }))).toBe(true)
    }
  })

  it("lists the first errors and counts the others", () => {
    const { failure } = shape({
      topics: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`t${i}`, 1]))
    }) as {
      readonly failure: ShapeErrors
    }
    expect(Object.keys(failure.errors)).toHaveLength(20)
    expect(failure).toMatchObject({ errors: { "topics.t0": ["Expected boolean"] }, more: 70 })
  })

  it("throws for a type that is not checked", () => {
    expect(() => makeShape(Schema.Struct({ at: Schema.Date }))).toThrow("not checked")
  })
})
