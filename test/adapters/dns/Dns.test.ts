/**
 * Look-ups against a DNS server of the test's own.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import * as DnsAdapter from "../../../adapters/dns/Dns.ts"
import { Dns } from "../../../core/ports/Dns.ts"
import { type DnsServer, startDnsServer } from "../../support/dnsServer.ts"

let server: DnsServer

beforeAll(async () => {
  server = await startDnsServer({
    "a.test": {
      A: ["127.0.0.1", "127.0.0.2"],
      AAAA: ["::1"],
      MX: [
        [10, "second.a.test"],
        [5, "FIRST.a.test"]
      ],
      TXT: ["v=DKIM1; p=" + "x".repeat(400), "another"]
    },
    "v4.test": { A: ["127.0.0.1"] },
    "null.test": { MX: [[0, ""]] },
    "alias.test": { CNAME: "a.test" },
    "empty.test": {}
  })
  for (const name of ["servfail", "refused", "timeout"] as const) server.fail(`${name}.test`, name)
  server.set("long.test", { TXT: ["y".repeat(3000)] })
  server.fail("long.test", "truncated")
})

afterAll(() => server.stop())

const ask = <A, E>(use: (dns: Dns["Service"]) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Dns, use).pipe(Effect.provide(DnsAdapter.layer({ servers: [server.address] })))

const refusal = <A, E>(use: (dns: Dns["Service"]) => Effect.Effect<A, E>) => Effect.flip(ask(use))

describe("what is there", () => {
  it.effect("mail exchangers, the most preferred first", () =>
    Effect.gen(function* () {
      expect(yield* ask((dns) => dns.mx("A.test."))).toEqual([
        { preference: 5, exchange: "first.a.test" },
        { preference: 10, exchange: "second.a.test" }
      ])
      expect(yield* ask((dns) => dns.mx("null.test"))).toEqual([{ preference: 0, exchange: "" }])
    })
  )

  it.effect("texts, their strings joined, over TCP where they are long", () =>
    Effect.gen(function* () {
      expect(yield* ask((dns) => dns.txt("a.test"))).toEqual(["v=DKIM1; p=" + "x".repeat(400), "another"])
      expect(yield* ask((dns) => dns.txt("long.test"))).toEqual(["y".repeat(3000)])
      expect(server.questions()).toContain("tcp TXT long.test")
    })
  )

  it.effect("addresses of both families, also of an alias", () =>
    Effect.gen(function* () {
      expect(yield* ask((dns) => dns.addresses("a.test"))).toEqual(["127.0.0.1", "127.0.0.2", "::1"])
      expect(yield* ask((dns) => dns.addresses("v4.test"))).toEqual(["127.0.0.1"])
      expect(yield* ask((dns) => dns.addresses("alias.test"))).toHaveLength(3)
    })
  )
})

describe("what is not", () => {
  it.effect("a name that does not exist, or has no such record, is missing", () =>
    Effect.gen(function* () {
      for (const name of [
        "nowhere.test",
        "empty.test",
        "",
        "a..test",
        `${"a".repeat(64)}.test`,
        "a b",
        "ä.test"
      ]) {
        expect(yield* refusal((dns) => dns.mx(name))).toMatchObject({ _tag: "DnsMissing" })
        expect(yield* refusal((dns) => dns.txt(name))).toMatchObject({ _tag: "DnsMissing" })
        expect(yield* refusal((dns) => dns.addresses(name))).toMatchObject({ _tag: "DnsMissing" })
      }
    })
  )

  it.effect("a failure is told from that, with its reason", () =>
    Effect.gen(function* () {
      for (const reason of ["servfail", "refused"]) {
        const unavailable = { _tag: "DnsUnavailable", reason }
        expect(yield* refusal((dns) => dns.mx(`${reason}.test`))).toMatchObject(unavailable)
        expect(yield* refusal((dns) => dns.addresses(`${reason}.test`))).toMatchObject(unavailable)
      }
    })
  )

  it.effect("no answer ends within ten seconds", () =>
    Effect.gen(function* () {
      const before = performance.now()
      expect(yield* refusal((dns) => dns.mx("timeout.test"))).toMatchObject({ reason: "timeout" })
      expect(performance.now() - before).toBeLessThan(10_000)
    })
  )
})

it.effect("an answer is kept, a missing name is asked for again", () =>
  ask((dns) =>
    Effect.gen(function* () {
      const count = (question: string) => server.questions().filter((asked) => asked === question).length
      const before = count("MX a.test")
      yield* Effect.all([dns.mx("a.test"), dns.mx("a.test")], { concurrency: "unbounded" })
      yield* dns.mx("a.test")
      expect(count("MX a.test")).toBe(before + 1)

      expect(yield* Effect.flip(dns.mx("later.test"))).toMatchObject({ _tag: "DnsMissing" })
      server.set("later.test", { MX: [[1, "mx.later.test"]] })
      expect(yield* dns.mx("later.test")).toHaveLength(1)
    })
  )
)
