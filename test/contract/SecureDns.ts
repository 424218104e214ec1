/**
 * The contract of `core/ports/SecureDns`, against a validating resolver for a zone that the caller signs.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { SecureDns } from "../../core/ports/SecureDns.ts"

/**
 * The zone that the caller signs. `insecure.test` is provably unsigned, the signatures of `bogus.test` are wrong, and those of
 * `stripped.test` were removed. Every other name under `test` must provably not exist.
 */
export const secureDnsContractZone = {
  "a.test": { mx: "mx.a.test" },
  "mx.a.test": { address: "192.0.2.1" },
  "_25._tcp.mx.a.test": {
    tlsa: [
      { usage: 3, selector: 1, matching: 1, data: "aa".repeat(32) },
      { usage: 2, selector: 0, matching: 2, data: "bb".repeat(64) }
    ]
  },
  "alias.test": { alias: "mx.a.test" },
  "insecure.test": { address: "192.0.2.2" },
  "bogus.test": { address: "192.0.2.3" },
  "stripped.test": { address: "192.0.2.4" }
} as const

const found = { isAuthentic: true, alias: null, exists: true, tlsa: [] }

/** Tests of the port `SecureDns`, whose resolver validates {@link secureDnsContractZone}. */
export const secureDnsContract = (it: Vitest.MethodsNonLive<SecureDns>): void => {
  describe("SecureDns", () => {
    it.effect("says that its resolver validates, and proves records and aliases", () =>
      Effect.gen(function* () {
        const { query, validates } = yield* SecureDns
        expect(yield* validates).toBe(true)
        expect(yield* query("A.test.", "MX")).toEqual(found)
        expect(yield* query("mx.a.test", "A")).toEqual(found)
        expect(yield* query("alias.test", "A")).toEqual({ ...found, alias: "mx.a.test" })
        expect(yield* query("alias.test", "CNAME")).toMatchObject({ isAuthentic: true, exists: true })
      })
    )

    it.effect("returns every TLSA record of a name", () =>
      Effect.gen(function* () {
        const { query } = yield* SecureDns
        const name = "_25._tcp.mx.a.test"
        const answer = yield* query(name, "TLSA")
        expect(answer).toMatchObject({ ...found, tlsa: expect.any(Array) as unknown })
        const order = (one: { readonly usage: number }, other: { readonly usage: number }) =>
          one.usage - other.usage
        expect(answer.tlsa.toSorted(order)).toEqual(secureDnsContractZone[name].tlsa.toSorted(order))
      })
    )

    it.effect("proves that a name has no records of a type", () =>
      Effect.gen(function* () {
        const { query } = yield* SecureDns
        for (const type of ["AAAA", "MX", "CNAME", "TLSA"] as const)
          expect(yield* query("mx.a.test", type)).toEqual({ ...found, exists: false })
        expect(yield* query("nowhere.test", "A")).toEqual({ ...found, exists: false })
      })
    )

    it.effect("returns what has no signatures as not proven, and fails for what fails validation", () =>
      Effect.gen(function* () {
        const { query } = yield* SecureDns
        expect(yield* query("insecure.test", "A")).toEqual({ ...found, isAuthentic: false })
        for (const name of ["bogus.test", "stripped.test"])
          expect(yield* Effect.flip(query(name, "A"))).toMatchObject({
            _tag: "DnsUnavailable",
            reason: "servfail"
          })
      })
    )
  })
}
