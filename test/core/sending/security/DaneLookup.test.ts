/**
 * Tests of the security that DANE requires for proven and unproven records (RFC 7672, 2.2), with the test's own resolver.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DnsUnavailable } from "../../../../core/ports/Dns.ts"
import { type PublishedTlsa, type SecureAnswer, SecureDns } from "../../../../core/ports/SecureDns.ts"
import { DaneLookup } from "../../../../core/sending/security/DaneLookup.ts"

const record = (usage: number, byte = "ab"): PublishedTlsa => ({
  usage,
  selector: 1,
  matching: 1,
  data: byte.repeat(32)
})

type Zone = Readonly<Record<string, Partial<SecureAnswer> | "servfail">>

/** A validating resolver. Names without records in the zone are proven not to exist. */
const resolverOf = (zone: Zone, validates = true) =>
  Layer.succeed(SecureDns, {
    validates: Effect.succeed(validates),
    query: (name, type) => {
      const found = zone[`${type} ${name}`]
      return found === "servfail"
        ? Effect.fail(new DnsUnavailable({ name, reason: "servfail" }))
        : Effect.succeed({ isAuthentic: true, alias: null, exists: found !== undefined, tlsa: [], ...found })
    }
  })

const unsigned = { isAuthentic: false }
const tlsa = (...records: ReadonlyArray<PublishedTlsa>) => ({ tlsa: records })
const ee = record(3)

/** The requirement for a host's connection, in one word. */
const termsIn = (zone: Zone, hosts: ReadonlyArray<string>, validates = true) =>
  Effect.gen(function* () {
    const found = yield* (yield* DaneLookup).of("shop.example", hosts)
    return hosts.map((host) => {
      const terms = found.get(host)
      if (terms === undefined) return "none"
      if (terms.refusal !== null) return terms.refusal
      if (terms.certificate === null) return terms.isRequired ? "encrypted" : "offered"
      return terms.certificate._tag === "Dane"
        ? `${terms.certificate.records.map(({ usage }) => usage).join(" ")} as ${terms.certificate.names.join(" ")}`
        : "issued"
    })
  }).pipe(Effect.provide(DaneLookup.layer.pipe(Layer.provide(resolverOf(zone, validates)))))

it.effect.each<readonly [string, Zone, string]>([
  ["its records", { "TLSA _25._tcp.mx.example": tlsa(ee, record(2)) }, "3 2 as mx.example shop.example"],
  ["no records", {}, "none"],
  [
    "records that its zone does not prove",
    { "TLSA _25._tcp.mx.example": { ...unsigned, ...tlsa(ee) } },
    "none"
  ],
  ["records that are not to be had", { "TLSA _25._tcp.mx.example": "servfail" }, "dane_unavailable"],
  ["records of PKIX alone", { "TLSA _25._tcp.mx.example": tlsa(record(0), record(1)) }, "encrypted"],
  [
    "one usable record of several",
    { "TLSA _25._tcp.mx.example": tlsa(record(1), { ...ee, data: "ab" }, ee) },
    "3 as mx.example shop.example"
  ],
  [
    "an address that is not proven",
    { "A mx.example": unsigned, "AAAA mx.example": unsigned, "TLSA _25._tcp.mx.example": tlsa(ee) },
    "none"
  ],
  [
    "an address that is not to be had",
    { "A mx.example": "servfail", "TLSA _25._tcp.mx.example": tlsa(ee) },
    "dane_unavailable"
  ],
  [
    "exchangers that are not proven",
    { "MX shop.example": unsigned, "TLSA _25._tcp.mx.example": tlsa(ee) },
    "none"
  ],
  ["exchangers that are not to be had", { "MX shop.example": "servfail" }, "dane_unavailable"],
  [
    "an alias whose target has records, and records of its own",
    {
      "A mx.example": { alias: "end.example" },
      "TLSA _25._tcp.end.example": tlsa(ee),
      "TLSA _25._tcp.mx.example": tlsa(record(2))
    },
    "3 as end.example mx.example shop.example"
  ],
  [
    "an alias whose target has none, and records of its own",
    { "A mx.example": { alias: "end.example" }, "TLSA _25._tcp.mx.example": tlsa(ee) },
    "3 as mx.example shop.example"
  ],
  [
    "an alias whose target's records are not to be had",
    {
      "A mx.example": { alias: "end.example" },
      "TLSA _25._tcp.end.example": "servfail",
      "TLSA _25._tcp.mx.example": tlsa(ee)
    },
    "dane_unavailable"
  ],
  [
    "a proven alias into a zone that proves nothing",
    {
      "A mx.example": { ...unsigned, alias: "end.test" },
      "AAAA mx.example": { ...unsigned, alias: "end.test" },
      "TLSA _25._tcp.end.test": tlsa(record(2)),
      "TLSA _25._tcp.mx.example": tlsa(ee)
    },
    "3 as mx.example shop.example"
  ],
  [
    "an alias that is not proven",
    {
      "A mx.example": { ...unsigned, alias: "end.test" },
      "AAAA mx.example": { ...unsigned, alias: "end.test" },
      "CNAME mx.example": unsigned,
      "TLSA _25._tcp.mx.example": tlsa(ee)
    },
    "none"
  ]
])("a host with %s", ([, zone, expected]) =>
  Effect.map(termsIn(zone, ["mx.example"]), (found) => expect(found).toEqual([expected]))
)

it.effect("hosts of a domain have their own terms each, and none without a resolver that validates", () =>
  Effect.gen(function* () {
    const zone: Zone = {
      "A unsigned.test": unsigned,
      "AAAA unsigned.test": unsigned,
      "TLSA _25._tcp.a.example": tlsa(ee),
      "TLSA _25._tcp.b.example": tlsa(record(1)),
      "TLSA _25._tcp.c.example": "servfail",
      "TLSA _25._tcp.unsigned.test": tlsa(ee)
    }
    const hosts = ["a.example", "b.example", "c.example", "d.example", "unsigned.test", "shop.example"]
    expect(yield* termsIn(zone, hosts)).toEqual([
      "3 as a.example shop.example",
      "encrypted",
      "dane_unavailable",
      "none",
      "none",
      "none"
    ])
    expect(yield* termsIn(zone, hosts, false)).toEqual(hosts.map(() => "none"))
    // A domain without mail exchangers is its own host.
    const own = { "TLSA _25._tcp.shop.example": tlsa(ee) }
    expect(yield* termsIn(own, ["shop.example"])).toEqual(["3 as shop.example"])
  })
)
