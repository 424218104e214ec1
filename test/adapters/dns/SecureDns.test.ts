/**
 * Tests of validated look-ups through a validating resolver, for a root that the test signs.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Adapter from "../../../adapters/dns/SecureDns.ts"
import { SecureDns } from "../../../core/ports/SecureDns.ts"
import { DaneLookup } from "../../../core/sending/security/DaneLookup.ts"
import { startDnsServer } from "../../support/dnsServer.ts"
import { startValidatingResolver, type ValidatingResolver, withoutUnbound } from "../../support/signedZone.ts"

const tlsa = (byte: string) => ({
  usage: 3,
  selector: 1,
  matchingType: 1,
  certificate: Buffer.from(byte.repeat(32), "hex")
})
const mail = (host: string) => ({ MX: [{ preference: 10, exchange: host }] })
const here = { A: ["192.0.2.1"] }

const skipped = withoutUnbound()
if (skipped !== null) process.stderr.write(`Skipped: ${skipped}\n`)

describe.skipIf(skipped !== null)("a resolver that validates", () => {
  let resolver: ValidatingResolver
  const at = (validates: "auto" | boolean, bogusName = "bogus.example") =>
    Adapter.layer({ servers: [resolver.address], validates, bogusName })
  const dane = (domain: string, host: string) =>
    Effect.flatMap(DaneLookup, ({ of }) => of(domain, [host])).pipe(
      Effect.map((terms) => terms.get(host) ?? null),
      Effect.provide(DaneLookup.layer.pipe(Layer.provide(at(true))))
    )

  beforeAll(async () => {
    resolver = await startValidatingResolver(
      {
        "example.org": mail("mx.example.org"),
        "mx.example.org": here,
        // Both records are published while the key or the certificate is replaced.
        "_25._tcp.mx.example.org": { TLSA: [tlsa("aa"), tlsa("bb")] },
        "alias.example.org": { CNAME: ["mx.example.org"] },
        "plain.example.org": here,
        "bogus.example": here,
        "_25._tcp.plain.bogus.example": { TLSA: [tlsa("aa")] },
        "plain.bogus.example": here,
        "stripped.example": here,
        "_25._tcp.stripped.example": { TLSA: [tlsa("aa")] },
        "rolled.example": here,
        "insecure.example": mail("mx.insecure.example"),
        "mx.insecure.example": here,
        "_25._tcp.mx.insecure.example": { TLSA: [tlsa("aa")] }
      },
      {
        "bogus.example": "wrong",
        "_25._tcp.plain.bogus.example": "wrong",
        "_25._tcp.stripped.example": "stripped",
        "rolled.example": "new",
        "_25._tcp.mx.example.org": "new"
      },
      "insecure.example"
    )
  }, 60_000)
  afterAll(() => resolver.stop())

  it.live("proves records, aliases and denials, by either key while one is replaced", () =>
    Effect.gen(function* () {
      const { query } = yield* SecureDns
      expect(yield* query("_25._tcp.MX.example.org.", "TLSA")).toEqual({
        isAuthentic: true,
        alias: null,
        exists: true,
        tlsa: expect.arrayContaining(
          ["aa", "bb"].map((byte) => ({ usage: 3, selector: 1, matching: 1, data: byte.repeat(32) }))
        ) as unknown
      })
      expect(yield* query("alias.example.org", "A")).toMatchObject({
        isAuthentic: true,
        alias: "mx.example.org"
      })
      expect(yield* query("rolled.example", "A")).toMatchObject({ isAuthentic: true, exists: true })
      expect(yield* query("plain.example.org", "AAAA")).toMatchObject({ isAuthentic: true, exists: false })
      expect(yield* query("mx.insecure.example", "A")).toMatchObject({ isAuthentic: false, exists: true })
      for (const name of ["bogus.example", "_25._tcp.stripped.example"])
        expect((yield* Effect.flip(query(name, name.startsWith("_") ? "TLSA" : "A"))).reason).toBe("servfail")
    }).pipe(Effect.provide(at(true)))
  )

  it.live("is found by its answers, and one that does not validate is not used", () =>
    Effect.gen(function* () {
      const validates = (layer: ReturnType<typeof at>) =>
        Effect.flatMap(SecureDns, (dns) => dns.validates).pipe(Effect.provide(layer, { local: true }))
      expect(yield* validates(at("auto"))).toBe(true)
      expect(yield* validates(at("auto", "plain.example.org"))).toBe(false)
      const plain = yield* Effect.promise(() => startDnsServer({ ".": {} }))
      for (const servers of [[], [plain.address], [resolver.address, plain.address], ["192.0.2.1"]])
        expect(
          yield* validates(Adapter.layer({ servers, validates: "auto", bogusName: "bogus.example" }))
        ).toBe(false)
      yield* Effect.promise(() => plain.stop())
    })
  )

  it.live(
    "gives the terms of DANE: proven, behind an alias, insecure, without records, and not to be had",
    () =>
      Effect.gen(function* () {
        expect(yield* dane("example.org", "mx.example.org")).toMatchObject({
          refusal: null,
          isRequired: true,
          certificate: { _tag: "Dane", names: ["mx.example.org", "example.org"] }
        })
        expect(yield* dane("example.org", "alias.example.org")).toMatchObject({
          certificate: { names: ["mx.example.org", "alias.example.org", "example.org"] }
        })
        expect(yield* dane("insecure.example", "mx.insecure.example")).toBeNull()
        expect(yield* dane("example.org", "plain.example.org")).toBeNull()
        for (const host of ["plain.bogus.example", "stripped.example"])
          expect(yield* dane("example.org", host)).toMatchObject({ refusal: "dane_unavailable" })
      })
  )
})
