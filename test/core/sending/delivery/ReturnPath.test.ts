/**
 * Tests of the tokens that identify deliveries to other servers: those of this installation are recognised, in upper or lower
 * case, and no others.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { layer as cryptoLayer } from "../../../../adapters/crypto/Crypto.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { returnPathTokens } from "../../../../core/sending/delivery/ReturnPath.ts"
import { fromBase32, toBase32 } from "../../../../core/shared/Base32.ts"
import { ringOf } from "../../../support/keys.ts"

const crypto = Context.get(Effect.runSync(Effect.scoped(Layer.build(cryptoLayer))), Crypto)
const ours = returnPathTokens(crypto, ringOf(new Uint8Array(32).fill(1)))
const theirs = returnPathTokens(crypto, ringOf(new Uint8Array(32).fill(2)))

const delivery = fc.record({ accountId: fc.uuid(), id: fc.uuid() })

/** Every valid character of a token, and some invalid ones. */
const characters = "abcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %\u0000é@\u212a\u017f"

describe("return paths", () => {
  it("are proven, alone and as an address, in any case", () => {
    fc.assert(
      fc.property(delivery, fc.infiniteStream(fc.boolean()), (ref, upper) => {
        const address = ours.address(ref, "example.com")
        expect(address).toMatch(/^b[a-z2-7]{63}@bounces\.example\.com$/)
        const mixed = Array.from(address, (character) =>
          upper.next().value === true ? character.toUpperCase() : character
        ).join("")
        expect(ours.prove(mixed)).toEqual(ref)
        expect(ours.prove(ours.token(ref))).toEqual(ref)
      })
    )
  })

  it("are not shown by the Message-ID, which reveals no id and proves nothing", () => {
    fc.assert(
      fc.property(delivery, (ref) => {
        const messageId = ours.messageId(ref, "example.com")
        expect(messageId).toMatch(/^m[a-z2-7]{77}@example\.com$/)
        expect(ours.messageId(ref, "example.com")).toBe(messageId)
        expect(ours.ofMessageId(messageId)).toEqual(ref)
        expect(ours.ofMessageId(messageId.toUpperCase())).toEqual(ref)
        expect(theirs.ofMessageId(messageId)).toBeNull()
        expect(ours.ofMessageId(ours.address(ref, "example.com"))).toBeNull()
        expect(ours.prove(messageId)).toBeNull()
        const bytes = Buffer.from(fromBase32(messageId.slice(1, 78))).toString("hex")
        for (const id of [ref.accountId, ref.id]) {
          if (id.replaceAll("-", "") === "0".repeat(32)) continue
          expect(bytes).not.toContain(id.replaceAll("-", ""))
        }
      })
    )
    // The tokens of one account's deliveries share no more than two random strings do.
    const accountId = "0190a5d0-0000-7000-8000-000000000001"
    const [first, second] = ["01", "02"].map((end) =>
      ours.messageId({ accountId, id: `0190a5d0-0000-7000-8000-0000000000${end}` }, "example.com")
    ) as [string, string]
    const common = Array.from(first.slice(1, 78), (character, at) => character === second[at + 1]).filter(
      Boolean
    )
    expect(common.length).toBeLessThan(15)
  })

  it("are three, of which none is another, and the reference reveals no id either", () => {
    fc.assert(
      fc.property(delivery, (ref) => {
        const reference = ours.reference(ref)
        expect(reference).toMatch(/^r[a-z2-7]{77}$/)
        expect(ours.reference(ref)).toBe(reference)
        for (const given of [reference, reference.toUpperCase()]) expect(ours.ofReference(given)).toEqual(ref)
        expect(theirs.ofReference(reference)).toBeNull()
        expect(ours.ofMessageId(reference)).toBeNull()
        expect(ours.prove(reference)).toBeNull()
        const messageId = ours.messageId(ref, "example.com").slice(0, 78)
        expect(ours.ofReference(messageId)).toBeNull()
        expect(ours.ofReference(ours.token(ref))).toBeNull()
        // Replacing the first letter does not turn one kind of token into the other.
        expect(ours.ofReference(`r${messageId.slice(1)}`)).toBeNull()
        expect(ours.ofMessageId(`m${reference.slice(1)}`)).toBeNull()
        const bytes = Buffer.from(fromBase32(reference.slice(1))).toString("hex")
        for (const id of [ref.accountId, ref.id]) {
          if (id.replaceAll("-", "") === "0".repeat(32)) continue
          expect(bytes).not.toContain(id.replaceAll("-", ""))
        }
      })
    )
  })

  it("of another key are rejected", () => {
    fc.assert(
      fc.property(delivery, (ref) => {
        expect(ours.prove(theirs.address(ref, "example.com"))).toBeNull()
      })
    )
  })

  it("are rejected when a character is changed, missing or added", () => {
    const [ref] = fc.sample(delivery, 1)
    const token = ours.token(ref!)
    for (let at = 0; at < token.length; at++) {
      for (const character of characters) {
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        if (changed !== token) expect([changed, ours.prove(changed)]).toEqual([changed, null])
        expect(ours.prove(token.slice(0, at) + character + token.slice(at))).toBeNull()
      }
      expect(ours.prove(token.slice(0, at) + token.slice(at + 1))).toBeNull()
    }
  })

  it("are not found in random strings", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(ours.prove(text)).toBeNull()
        expect(ours.ofMessageId(text)).toBeNull()
        expect(ours.ofReference(text)).toBeNull()
      })
    )
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 39, maxLength: 39 }), (bytes) => {
        expect(ours.prove(`b${toBase32(bytes)}`)).toBeNull()
      })
    )
  })
})

describe("base32", () => {
  it("decodes to the bytes that were encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        expect(fromBase32(toBase32(bytes))).toEqual(bytes)
      })
    )
  })

  it("encodes the examples of RFC 4648, 10", () => {
    const vectors = {
      f: "my",
      fo: "mzxq",
      foo: "mzxw6",
      foob: "mzxw6yq",
      fooba: "mzxw6ytb",
      foobar: "mzxw6ytboi"
    }
    for (const [text, expected] of Object.entries(vectors)) {
      expect(toBase32(new TextEncoder().encode(text))).toBe(expected)
    }
  })
})
