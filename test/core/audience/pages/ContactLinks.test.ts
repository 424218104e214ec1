/**
 * Tests of the tokens of hosted pages: a signed token returns its contact, and every other string is rejected.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import {
  ContactLinks,
  linkLifetimes,
  linkPaths,
  type LinkPurpose,
  signedText
} from "../../../../core/audience/pages/ContactLinks.ts"
import { fromBase64Url, fromHex, toBase64Url, toHex } from "../../../../core/shared/Bytes.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"
import { signWith } from "../../../../core/accounts/KeyRing.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"

const purposes: ReadonlyArray<LinkPurpose> = ["confirm", "preferences", "unsubscribe"]

const linksWith = (key: number) =>
  ContactLinks.layer.pipe(
    Layer.provide(installationKeys(new Uint8Array(32).fill(key))),
    Layer.provide(crypto)
  )

const target = fc.record({ accountId: fc.uuid(), contactId: fc.uuid() })
const email = "ada@example.org"

const tokenOf = (purpose: LinkPurpose, link: string): string => link.slice(linkPaths[purpose].length + 1)

/** Every character that a token can have, and some that it cannot. */
const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %\u0000é"

const read = (purpose: LinkPurpose, token: string) =>
  Effect.flatMap(ContactLinks, (links) =>
    Effect.map(links.read(purpose, token), (link) => link?.target ?? null)
  )

const make = (of: { readonly accountId: string; readonly contactId: string }) =>
  Effect.flatMap(ContactLinks, (links) => links.make({ ...of, email }))

describe("ContactLinks", () => {
  it.effect("returns the contact of a token, for its own purpose only", () =>
    Effect.gen(function* () {
      for (const one of fc.sample(target, 100)) {
        const links = yield* make(one)
        for (const purpose of purposes) {
          const token = tokenOf(purpose, links[purpose])
          expect(token).toMatch(/^[\w-]{72}\.001[\w-]{43}$/)
          for (const other of purposes) {
            expect(yield* read(other, token)).toEqual(other === purpose ? one : null)
          }
        }
      }
    }).pipe(Effect.provide(linksWith(1)))
  )

  it.effect("rejects tokens with one character changed, missing or added", () =>
    Effect.gen(function* () {
      const [one] = fc.sample(target, 1)
      const token = tokenOf("unsubscribe", (yield* make(one!)).unsubscribe)
      for (let at = 0; at < token.length; at++) {
        const [before, after] = [token.slice(0, at), token.slice(at + 1)]
        expect(yield* read("unsubscribe", before + after)).toBeNull()
        for (const character of characters) {
          const expected = character === token[at] ? one : null
          expect(yield* read("unsubscribe", before + character + after)).toEqual(expected)
        }
        expect(yield* read("unsubscribe", `${before}A${token.slice(at)}`)).toBeNull()
      }
      expect(yield* read("unsubscribe", `${token}\n`)).toBeNull()
    }).pipe(Effect.provide(linksWith(1)))
  )

  it.effect("rejects every other string", () =>
    Effect.gen(function* () {
      const text = fc.oneof(fc.string(), fc.stringMatching(/^[\w-]{72}\.(001)?[\w-]{43}$/))
      for (const token of fc.sample(text, 300)) {
        for (const purpose of purposes) expect(yield* read(purpose, token)).toBeNull()
      }
    }).pipe(Effect.provide(linksWith(1)))
  )

  it.effect("rejects tokens of another installation", () =>
    Effect.gen(function* () {
      const [one] = fc.sample(target, 1)
      const { confirm } = yield* make(one!)
      const elsewhere = read("confirm", tokenOf("confirm", confirm)).pipe(
        Effect.provide(linksWith(2), { local: true })
      )
      expect(yield* elsewhere).toBeNull()
    }).pipe(Effect.provide(linksWith(1)))
  )

  it.effect("are for the address they were made for, and for no other", () =>
    Effect.gen(function* () {
      const links = yield* ContactLinks
      const [one] = fc.sample(target, 1)
      const addresses = [email, "Ada@example.org", "bob@example.org", "", null]
      for (const given of [email, null]) {
        const made = yield* links.make({ ...one!, email: given })
        for (const purpose of purposes) {
          const link = yield* links.read(purpose, tokenOf(purpose, made[purpose]))
          expect(addresses.filter((address) => link!.isFor(address))).toEqual(
            given === null ? ["", null] : [given]
          )
        }
      }
    }).pipe(Effect.provide(linksWith(1)))
  )

  it.effect("of an older claim are valid, and for no address", () =>
    Effect.gen(function* () {
      const links = yield* ContactLinks
      const key = new Uint8Array(32).fill(1)
      const [one] = fc.sample(target, 1)
      const time = linkLifetimes.confirm.toString(16).padStart(12, "0")
      const claim = toBase64Url(fromHex(`${one!.accountId}${one!.contactId}`.replaceAll("-", "") + time))
      const token = `${claim}.${signWith(yield* Crypto, ringOf(key), signedText("confirm", claim))}`
      const link = yield* links.read("confirm", token)
      expect(link!.target).toEqual(one)
      expect([email, "", null].map(link!.isFor)).toEqual([false, false, false])
    }).pipe(Effect.provide(Layer.merge(linksWith(1), crypto)))
  )

  it.effect("rejects expired tokens", () =>
    Effect.gen(function* () {
      const [one] = fc.sample(target, 1)
      for (const purpose of purposes) {
        yield* TestClock.setTime(Date.UTC(2031, 0, 1))
        const token = tokenOf(purpose, (yield* make(one!))[purpose])
        yield* TestClock.adjust(linkLifetimes[purpose] - 1)
        expect(yield* read(purpose, token)).toEqual(one)
        yield* TestClock.adjust(1)
        expect(yield* read(purpose, token)).toBeNull()
      }
    }).pipe(Effect.provide(linksWith(1)))
  )
})

describe("hex and base64url", () => {
  it("encode as the platform does, and decode what they encode", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"))
        expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"))
        expect([...fromHex(toHex(bytes))]).toEqual([...bytes])
        expect([...fromBase64Url(toBase64Url(bytes))]).toEqual([...bytes])
      })
    )
  })
})
