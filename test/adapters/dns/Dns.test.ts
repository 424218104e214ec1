/**
 * Tests of the resolver beyond the port's contract: TCP for truncated replies, and the cache.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import * as DnsAdapter from "../../../adapters/dns/Dns.ts"
import { Dns } from "../../../core/ports/Dns.ts"
import { type DnsServer, startDnsServer } from "../../support/dnsServer.ts"

let server: DnsServer

beforeAll(async () => {
  server = await startDnsServer({
    "a.test": { MX: [[5, "first.a.test"]] },
    "long.test": { TXT: ["y".repeat(3000)] }
  })
  server.fail("long.test", "truncated")
})

afterAll(() => server.stop())

const withDns = <A, E>(use: (dns: Dns["Service"]) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Dns, use).pipe(Effect.provide(DnsAdapter.layer({ servers: [server.address] })))

it.effect("a truncated TXT reply is requested again over TCP", () =>
  withDns((dns) =>
    Effect.gen(function* () {
      expect(yield* dns.txt("long.test")).toEqual(["y".repeat(3000)])
      expect(server.questions()).toContain("tcp TXT long.test")
    })
  )
)

it.effect("a result is cached, a missing name is looked up again", () =>
  withDns((dns) =>
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
