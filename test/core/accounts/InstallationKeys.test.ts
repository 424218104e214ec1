/**
 * Tests of the installation's keys: they are stored sealed, can be replaced while nodes run, and stay the same for an
 * installation of an earlier version.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import { layer as cryptoLayer } from "../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { InstallationKeys, type Keys } from "../../../core/accounts/InstallationKeys.ts"
import {
  acceptedMillis,
  firstSecrets,
  replaceSigningSecret,
  sealPlainSecret
} from "../../../core/accounts/InstallationSecrets.ts"
import {
  isSignedBy,
  keyIdLength,
  type KeyRing,
  signaturePattern,
  signWith
} from "../../../core/accounts/KeyRing.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { InstallationStore } from "../../../core/ports/InstallationStore.ts"
import { zeroBox } from "../../support/keys.ts"

const crypto = Context.get(Effect.runSync(Effect.scoped(Layer.build(cryptoLayer))), Crypto)

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const bytes = fc.constantFrom(16, 32)

describe("a key ring", () => {
  const ring = (keys: ReadonlyArray<Uint8Array>): KeyRing =>
    keys.map((one, index) => ({
      id: String(keys.length - index).padStart(keyIdLength, "0"),
      key: one
    })) as never

  it("signs with its first key, and accepts the signatures of all its keys", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { minLength: 2, maxLength: 5 }),
        fc.string(),
        bytes,
        (keys, text, size) => {
          const all = ring(keys)
          const earlier = all.slice(1) as unknown as KeyRing
          const signature = signWith(crypto, all, text, size)
          expect(signature).toMatch(new RegExp(`^${signaturePattern(size)}$`))
          expect(isSignedBy(crypto, all, text, signature, size)).toBe(true)
          expect(isSignedBy(crypto, earlier, text, signature, size)).toBe(false)
          expect(isSignedBy(crypto, all, text, signWith(crypto, earlier, text, size), size)).toBe(true)
          expect(isSignedBy(crypto, all, `${text}.`, signature, size)).toBe(false)
        }
      )
    )
  })

  it("rejects a signature under the id of another key, and one without an id unless a key is from before ids", () => {
    fc.assert(
      fc.property(key, fc.string(), bytes, (one, text, size) => {
        const legacy: KeyRing = [
          { id: "001", key: new Uint8Array(32) },
          { id: "000", key: one }
        ]
        const signature = signWith(crypto, [legacy[1]!], text, size)
        const bare = signature.slice(keyIdLength)
        expect(isSignedBy(crypto, legacy, text, signature, size)).toBe(true)
        expect(isSignedBy(crypto, legacy, text, bare, size)).toBe(true)
        expect(isSignedBy(crypto, legacy, text, `001${bare}`, size)).toBe(false)
        expect(isSignedBy(crypto, [{ id: "001", key: one }], text, bare, size)).toBe(false)
      })
    )
  })

  it("accepts no other string", () => {
    fc.assert(
      fc.property(key, fc.string(), bytes, (one, signature, size) => {
        expect(isSignedBy(crypto, [{ id: "000", key: one }], "text", signature, size)).toBe(false)
      })
    )
  })
})

const node = Layer.fresh(InstallationKeys.layer)

const environment = Layer.mergeAll(cryptoLayer, zeroBox).pipe(Layer.provideMerge(Layer.fresh(memory)))

const installed = Effect.gen(function* () {
  yield* (yield* InstallationStore).saveSecrets(yield* firstSecrets)
})

const nodeOf = Effect.map(Layer.build(node), (services) => Context.get(services, InstallationKeys))

const sign = ({ links }: Keys) => signWith(crypto, links, "text")
const accepts = (signature: string) => (keys: Keys) =>
  isSignedBy(crypto, keys.links, "text", signature) ? true : null

describe("installation keys", () => {
  it.effect("are unavailable before the first start, and nothing of them is stored in clear after it", () =>
    Effect.gen(function* () {
      const keys = yield* nodeOf
      expect((yield* Effect.flip(keys.get))._tag).toBe("Unavailable")
      yield* installed
      const { addresses, flows, links, reports, tracking } = yield* keys.get
      const all = [links[0].key, reports[0].key, tracking[0].key, flows[0].key, addresses].map((one) =>
        Buffer.from(one).toString("hex")
      )
      expect(new Set(all).size).toBe(all.length)
      for (const { id, sealed } of yield* (yield* InstallationStore).secrets) {
        expect(sealed).toMatch(/^v1\./)
        // Using the stored values as the secret yields none of the keys.
        for (const guess of [sealed, sealed.slice(3), id]) {
          for (const use of ["links", "addresses", "reports", "tracking", "flows"]) {
            expect(all).not.toContain(createHmac("sha256", guess).update(use).digest("hex"))
          }
        }
      }
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect(
    "of every node accept what another node signs with a new key at once, and sign with it soon",
    () =>
      Effect.gen(function* () {
        yield* installed
        const [one, other] = [yield* nodeOf, yield* nodeOf]
        const before = yield* other.get
        const old = sign(before)
        yield* TestClock.adjust("10 seconds")
        yield* replaceSigningSecret
        yield* one.invalidate
        const fresh = sign(yield* one.get)
        expect(fresh.slice(0, keyIdLength)).not.toBe(old.slice(0, keyIdLength))
        expect(yield* other.prove(accepts(fresh))).toBe(true)
        expect(yield* other.prove(accepts(old))).toBe(true)
        yield* TestClock.adjust("30 seconds")
        expect(sign(yield* other.get)).toBe(fresh)
        expect((yield* other.get).addresses).toEqual(before.addresses)
      }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("are read at most once a second for signatures that no key made", () =>
    Effect.gen(function* () {
      yield* installed
      const store = yield* InstallationStore
      let reads = 0
      const counting = Layer.succeed(
        InstallationStore,
        InstallationStore.of({
          ...store,
          secrets: Effect.tap(store.secrets, () => Effect.sync(() => void reads++))
        })
      )
      const keys = Context.get(yield* Layer.build(Layer.provide(node, counting)), InstallationKeys)
      for (let second = 0; second < 3; second++) {
        for (let index = 0; index < 50; index++) expect(yield* keys.prove(accepts("forged"))).toBeNull()
        yield* TestClock.adjust("1 second")
      }
      expect(reads).toBe(3)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("accept signatures by a replaced key for 365 days, and hash addresses alike indefinitely", () =>
    Effect.gen(function* () {
      yield* installed
      const keys = yield* nodeOf
      const { addresses } = yield* keys.get
      const old = sign(yield* keys.get)
      yield* replaceSigningSecret
      yield* TestClock.adjust(acceptedMillis - 1_000)
      expect(yield* keys.prove(accepts(old))).toBe(true)
      yield* TestClock.adjust(2_000)
      yield* TestClock.adjust("30 seconds")
      expect(yield* keys.prove(accepts(old))).toBeNull()
      yield* replaceSigningSecret
      yield* keys.invalidate
      expect((yield* keys.get).addresses).toEqual(addresses)
      // The expired secret is deleted.
      expect((yield* (yield* InstallationStore).secrets).map(({ id }) => id).toSorted()).toEqual([
        "002",
        "003",
        "addresses"
      ])
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("of an earlier version are the same once its secret is sealed", () =>
    Effect.gen(function* () {
      const store = yield* InstallationStore
      const plain = "0123456789abcdef0123456789abcdef"
      let left: string | null = plain
      const upgraded = InstallationStore.of({
        ...store,
        takePlainSecret: Effect.sync(() => {
          const taken = left
          left = null
          return taken
        })
      })
      const seal = Effect.provideService(sealPlainSecret, InstallationStore, upgraded)
      yield* seal
      yield* seal
      const keys = yield* nodeOf
      const derived = (use: string) => createHmac("sha256", plain).update(use).digest()
      const { addresses, links } = yield* keys.get
      expect(Buffer.from(addresses)).toEqual(derived("addresses"))
      expect(Buffer.from(links[0].key)).toEqual(derived("links"))
      const bare = createHmac("sha256", derived("links")).update("text").digest("base64url")
      expect(yield* keys.prove(accepts(bare))).toBe(true)
      yield* replaceSigningSecret
      yield* keys.invalidate
      expect(yield* keys.prove(accepts(bare))).toBe(true)
      expect(sign(yield* keys.get)).toMatch(/^001/)
      expect(Buffer.from((yield* keys.get).addresses)).toEqual(derived("addresses"))
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})
