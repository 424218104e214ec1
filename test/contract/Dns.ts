/**
 * The contract of `core/ports/Dns`, against a zone that the caller serves.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { Dns, type DnsMissing, type DnsUnavailable } from "../../core/ports/Dns.ts"

/**
 * The records that the adapter's name servers must hold while the suite runs. Every other name under `test` must not exist
 * (NXDOMAIN).
 */
export const dnsContractZone = {
  records: {
    "a.test": {
      A: ["127.0.0.1", "127.0.0.2"],
      AAAA: ["::1"],
      MX: [
        [10, "second.a.test"],
        [5, "FIRST.a.test"]
      ],
      // Longer than a single string of a record: it is split into several, which the adapter joins.
      TXT: [`v=DKIM1; p=${"x".repeat(400)}`, "another"]
    },
    "v4.test": { A: ["127.0.0.1"] },
    // A null MX (RFC 7505): preference 0 and the root as its exchange.
    "null.test": { MX: [[0, ""]] },
    "alias.test": { CNAME: "a.test" },
    "long.test": { TXT: ["y".repeat(3000)] },
    "empty.test": {},
    "1.2.0.192.in-addr.arpa": { PTR: "A.test" },
    "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa": { PTR: "v6.test" }
  },
  /**
   * How the servers must fail for each name: reply SERVFAIL or REFUSED, send no reply (`timeout`), or reply over UDP that the
   * answer is truncated.
   */
  failures: {
    "servfail.test": "servfail",
    "refused.test": "refused",
    "timeout.test": "timeout",
    "long.test": "truncated"
  }
} as const

/** No message can carry the last five (RFC 1035, 2.3.4). */
const missingNames = ["nowhere.test", "empty.test", "", "a..test", `${"a".repeat(64)}.test`, "a b", "ä.test"]

/** The failure of every kind of look-up of a name. */
const failuresOf = (
  { addresses, mx, txt }: Dns["Service"],
  name: string
): Effect.Effect<ReadonlyArray<DnsMissing | DnsUnavailable>, unknown> =>
  Effect.all([Effect.flip(mx(name)), Effect.flip(txt(name)), Effect.flip(addresses(name))], {
    concurrency: "unbounded"
  })

/** Tests of the port `Dns`, whose name servers hold {@link dnsContractZone}. */
export const dnsContract = (it: Vitest.MethodsNonLive<Dns>): void => {
  describe("Dns", () => {
    it.effect("returns mail exchangers in lower case, the most preferred first", () =>
      Effect.gen(function* () {
        const { mx } = yield* Dns
        expect(yield* mx("A.test.")).toEqual([
          { preference: 5, exchange: "first.a.test" },
          { preference: 10, exchange: "second.a.test" }
        ])
        expect(yield* mx("null.test")).toEqual([{ preference: 0, exchange: "" }])
      })
    )

    it.effect("joins the strings of a TXT record, however long", () =>
      Effect.gen(function* () {
        const { txt } = yield* Dns
        expect(yield* txt("a.test")).toEqual(dnsContractZone.records["a.test"].TXT)
        expect(yield* txt("long.test")).toEqual(dnsContractZone.records["long.test"].TXT)
      })
    )

    it.effect("returns addresses of both families, also of an alias", () =>
      Effect.gen(function* () {
        const { addresses } = yield* Dns
        expect((yield* addresses("a.test")).toSorted()).toEqual(["127.0.0.1", "127.0.0.2", "::1"])
        expect(yield* addresses("v4.test")).toEqual(["127.0.0.1"])
        expect(yield* addresses("alias.test")).toHaveLength(3)
      })
    )

    it.effect("returns the names of addresses of both families, where it has any", () =>
      Effect.gen(function* () {
        const { names } = yield* Dns
        if (names === undefined) return
        expect(yield* names("192.0.2.1")).toEqual(["a.test"])
        expect(yield* names("2001:db8::1")).toEqual(["v6.test"])
        for (const address of ["192.0.2.2", "a.test", ""]) {
          expect(yield* Effect.flip(names(address))).toMatchObject({ _tag: "DnsMissing", name: address })
        }
      })
    )

    it.effect("fails with DnsMissing for a name that does not exist or has no such record", () =>
      Effect.gen(function* () {
        const dns = yield* Dns
        for (const name of missingNames) {
          const missing = { _tag: "DnsMissing" }
          expect(yield* failuresOf(dns, name)).toMatchObject([missing, missing, missing])
        }
        expect(yield* Effect.flip(dns.mx("v4.test"))).toMatchObject({ _tag: "DnsMissing", name: "v4.test" })
      })
    )

    it.effect("fails with DnsUnavailable and a reason when a server fails", () =>
      Effect.gen(function* () {
        const dns = yield* Dns
        for (const reason of ["servfail", "refused"]) {
          const unavailable = { _tag: "DnsUnavailable", reason }
          expect(yield* failuresOf(dns, `${reason}.test`)).toMatchObject([
            unavailable,
            unavailable,
            unavailable
          ])
        }
      })
    )

    it.effect("ends within 10 seconds when no server replies", () =>
      Effect.gen(function* () {
        const dns = yield* Dns
        const before = performance.now()
        const unavailable = { _tag: "DnsUnavailable", reason: "timeout" }
        expect(yield* failuresOf(dns, "timeout.test")).toMatchObject([unavailable, unavailable, unavailable])
        expect(performance.now() - before).toBeLessThan(10_000)
      })
    )
  })
}
