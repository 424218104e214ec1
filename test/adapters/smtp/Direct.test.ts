/**
 * Tests the direct transport: the servers to which it connects, determined by records of the test's DNS server.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { networkInterfaces } from "node:os"
import { afterEach } from "vitest"
import { LocalAddresses } from "../../../adapters/smtp/transport/LocalAddresses.ts"
import { keptDns } from "../../../adapters/smtp/transport/MailServers.ts"
import { DnsUnavailable } from "../../../core/ports/Dns.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import type { SendingSource } from "../../../core/model/Source.ts"
import { type DnsServer, type Records, startDnsServer } from "../../support/dnsServer.ts"
import { startSmtpScript } from "../../support/smtpScript.ts"
import { type SinkOptions, type SmtpSink, startSmtpSink } from "../../support/smtpSink.ts"
import { directLayer, errorOf, messageTo, send } from "./transport.ts"

const running: Array<{ readonly stop: () => Promise<void> }> = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const started = <A extends { readonly stop: () => Promise<void> }>(
  start: () => Promise<A>
): Effect.Effect<A> =>
  Effect.promise(async () => {
    const server = await start()
    running.push(server)
    return server
  })

interface Environment {
  readonly dns: DnsServer
  readonly sink: SmtpSink
}

/** Runs with a sink at 127.0.0.1; nothing listens at 127.0.0.9. */
const withServers = <A, E>(
  names: Readonly<Record<string, Records>>,
  use: (environment: Environment) => Effect.Effect<A, E, MailTransport>,
  options?: SinkOptions
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const sink = yield* started(() => startSmtpSink(options))
    const dns = yield* started(() => startDnsServer(names))
    return yield* Effect.provide(use({ dns, sink }), directLayer(dns.address, sink.port))
  })

const here: Records = { A: ["127.0.0.1"] }
const unreachable: Records = { A: ["127.0.0.9"] }

describe("the direct transport", () => {
  it.live("sends to the mail exchanger, encrypted where that is offered", () =>
    withServers({ "example.org": { MX: [[10, "mx.example.org"]] }, "mx.example.org": here }, ({ sink }) =>
      Effect.gen(function* () {
        const outcome = yield* send(messageTo("ada@example.org"))
        expect(outcome).toMatchObject({
          _tag: "Delivered",
          conversation: { host: "mx.example.org [127.0.0.1]", tls: "TLSv1.3", error: null }
        })
        expect(sink.messages()).toMatchObject([{ secure: true, clientName: "mail.svc.test" }])
      })
    )
  )

  it.live("sends without encryption where it is rejected or broken", () =>
    Effect.forEach(["off", "broken"] as const, (startTls) =>
      withServers(
        { "example.org": { MX: [[10, "mx.example.org"]] }, "mx.example.org": here },
        ({ sink }) =>
          Effect.gen(function* () {
            const outcome = yield* send(messageTo("ada@example.org"))
            expect(outcome).toMatchObject({ _tag: "Delivered", conversation: { tls: null } })
            expect(sink.messages()).toMatchObject([{ secure: false }])
          }),
        { startTls }
      )
    )
  )

  it.live("sends to the domain itself where it has no mail exchanger", () =>
    withServers({ "example.org": here }, () =>
      Effect.gen(function* () {
        const outcome = yield* send(messageTo("ada@example.org"))
        expect(outcome).toMatchObject({
          _tag: "Delivered",
          conversation: { host: "example.org [127.0.0.1]" }
        })
      })
    )
  )

  it.live("tries the next host and every address when the first is unreachable", () =>
    withServers(
      {
        "example.org": {
          MX: [
            [10, "first.example.org"],
            [20, "second.example.org"],
            [30, "third.example.org"]
          ]
        },
        "first.example.org": unreachable,
        "second.example.org": {},
        "third.example.org": { A: ["127.0.0.9", "127.0.0.8", "127.0.0.1"] }
      },
      ({ sink }) =>
        Effect.gen(function* () {
          const outcome = yield* send(messageTo("ada@example.org"))
          expect(outcome).toMatchObject({ conversation: { host: "third.example.org [127.0.0.1]" } })
          expect(sink.messages()).toHaveLength(1)
        })
    )
  )

  it.live("distributes mail over hosts of one preference", () =>
    withServers(
      {
        ...Object.fromEntries(
          Array.from({ length: 16 }, (_, index) => [
            `d${index}.test`,
            {
              MX: [
                [10, `a.d${index}.test`],
                [10, `b.d${index}.test`]
              ]
            } satisfies Records
          ])
        ),
        ...Object.fromEntries(
          Array.from({ length: 16 }, (_, index) => [
            [`a.d${index}.test`, here],
            [`b.d${index}.test`, here]
          ]).flat()
        )
      },
      () =>
        Effect.gen(function* () {
          const outcomes = yield* Effect.forEach(Array.from({ length: 16 }), (_, index) =>
            send(messageTo(`ada@d${index}.test`))
          )
          const firsts = new Set(
            outcomes.map((outcome) =>
              "conversation" in outcome ? outcome.conversation?.host?.[0] : undefined
            )
          )
          expect(firsts).toEqual(new Set(["a", "b"]))
        })
    )
  )
})

it.effect("where a domain's mail goes is kept for five minutes, and what could not be looked up is not", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const dns = yield* keptDns({
      mx: (name) =>
        Effect.suspend(() => {
          asked.push(name)
          return asked.length === 1
            ? Effect.fail(new DnsUnavailable({ name, reason: "timeout" }))
            : Effect.succeed([{ preference: 10, exchange: "mx.example.org" }])
        }),
      addresses: (name) =>
        Effect.suspend(() => {
          asked.push(name)
          return Effect.succeed(["192.0.2.1", "192.0.2.2"])
        })
    })
    const look = Effect.andThen(
      Effect.ignore(dns.mx("example.org")),
      Effect.ignore(dns.addresses("mx.example.org"))
    )
    const both = ["example.org", "mx.example.org"]
    yield* look
    expect(asked).toEqual(both)
    yield* look
    expect(asked).toEqual([...both, "example.org"])
    yield* Effect.andThen(TestClock.adjust(299_000), look)
    expect(asked).toHaveLength(3)
    yield* Effect.andThen(TestClock.adjust(1_000), look)
    expect(asked.slice(3).toSorted()).toEqual(both)
  })
)

describe("a domain without a server", () => {
  it.live("bounces at once for a null MX and for a domain that does not exist", () =>
    withServers({ "null.test": { MX: [[0, ""]], ...here }, "empty.test": {} }, ({ sink }) =>
      Effect.gen(function* () {
        for (const [recipient, error] of [
          ["ada@null.test", "null_mx"],
          ["ada@missing.test", "no_such_domain"],
          ["ada@empty.test", "no_such_domain"]
        ] as const) {
          const outcome = yield* send(messageTo(recipient))
          expect([recipient, outcome._tag, errorOf(outcome)]).toEqual([recipient, "Bounced", error])
        }
        expect(sink.connections().made).toBe(0)
      })
    )
  )

  it.live("defers for a DNS failure and for hosts without an address", () =>
    withServers(
      { "lost.test": { MX: [[10, "mx.lost.test"]] }, "half.test": { MX: [[10, "mx.half.test"]] } },
      ({ dns }) =>
        Effect.gen(function* () {
          dns.fail("failing.test", "servfail")
          dns.fail("mx.half.test", "servfail")
          for (const [recipient, error] of [
            ["ada@failing.test", "dns_servfail"],
            ["ada@lost.test", "mx_without_address"],
            ["ada@half.test", "dns_servfail"]
          ] as const) {
            const outcome = yield* send(messageTo(recipient))
            expect([recipient, outcome._tag, errorOf(outcome)]).toEqual([recipient, "Deferred", error])
          }
        })
    )
  )

  it.live("refuses to send to this service, or to a host that would send the mail back", () =>
    withServers(
      {
        "loop.test": {
          MX: [
            [10, "mail.svc.test"],
            [20, "backup.test"]
          ]
        },
        "backup.test": here,
        "mail.svc.test": here,
        "fine.test": {
          MX: [
            [10, "backup.test"],
            [20, "mail.svc.test"]
          ]
        }
      },
      ({ sink }) =>
        Effect.gen(function* () {
          const loop = yield* send(messageTo("ada@loop.test"))
          expect([loop._tag, errorOf(loop)]).toEqual(["Refused", "mx_loop"])
          expect((yield* send(messageTo("ada@mail.svc.test")))._tag).toBe("Refused")
          expect(sink.connections().made).toBe(0)
          expect((yield* send(messageTo("ada@fine.test")))._tag).toBe("Delivered")
        })
    )
  )
})

describe("this machine", () => {
  it.live("receives no mail, whatever the records say", () =>
    Effect.gen(function* () {
      const sink = yield* started(() => startSmtpSink())
      const dns = yield* started(() =>
        startDnsServer({
          "one.test": { MX: [[10, "mx.one.test"]] },
          "mx.one.test": { A: ["127.0.0.1"], AAAA: ["::1", "::ffff:127.0.0.1"] },
          "two.test": { A: ["0.0.0.0"], AAAA: ["::"] }
        })
      )
      yield* Effect.gen(function* () {
        for (const recipient of ["ada@one.test", "ada@two.test"]) {
          const outcome = yield* send(messageTo(recipient))
          expect([recipient, outcome._tag, errorOf(outcome)]).toEqual([recipient, "Refused", "mx_local"])
        }
        expect(sink.connections().made).toBe(0)
      }).pipe(Effect.provide(directLayer(dns.address, sink.port, false)))
    })
  )

  it("is recognized by every form of its addresses, and private networks are not", () => {
    const addresses = new LocalAddresses()
    const own = Object.values(networkInterfaces()).flatMap((of) => (of ?? []).map(({ address }) => address))
    const local = [
      ...own,
      "127.0.0.1",
      "127.255.0.9",
      "0.0.0.0",
      "169.254.169.254",
      "224.0.0.1",
      "255.255.255.255",
      "::1",
      "::",
      "0:0:0:0:0:0:0:1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::127.0.0.1",
      "64:ff9b::7f00:1",
      "fe80::1",
      "fe80::1%eth0",
      "ff02::1",
      "",
      "localhost"
    ]
    expect(local.filter((address) => !addresses.has(address))).toEqual([])
    const others = [
      "192.0.2.1",
      "10.1.2.3",
      "192.168.77.1",
      "2001:db8::1",
      "fd00::7f00:1",
      "::ffff:192.0.2.1"
    ]
    expect(others.filter((address) => addresses.has(address))).toEqual([])
  })
})

describe("a destination", () => {
  const shared: Readonly<Record<string, Records>> = {
    "one.test": { MX: [[10, "mx.big.test"]] },
    "two.test": { MX: [[5, "mx.big.test"]] },
    "other.test": { MX: [[5, "mx.other.test"]] },
    "mx.big.test": here,
    // A set of which less than half is known is another site; nothing listens at the other addresses.
    "mx.other.test": { A: ["127.0.0.1", "127.0.0.8", "127.0.0.9"] },
    "rotated.test": { MX: [[5, "mx.rotated.test"]] },
    "mx.rotated.test": { A: ["127.0.0.1", "127.0.0.7"] },
    "alias.test": { MX: [[5, "mx.alias.test"]] },
    "mx.alias.test": here
  }

  it.live("shares connections and a growing concurrency limit between its domains", () =>
    withServers(
      shared,
      ({ sink }) =>
        Effect.gen(function* () {
          const round = Effect.forEach(
            Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "ada@one.test" : "ada@two.test")),
            (recipient) => send(messageTo(recipient)),
            { concurrency: "unbounded" }
          )
          expect((yield* round).every((outcome) => outcome._tag === "Delivered")).toBe(true)
          const first = sink.connections().peak
          expect(first).toBeLessThan(10)
          yield* round
          expect(sink.connections().peak).toBeGreaterThan(first)
          expect(sink.connections().made).toBe(sink.connections().peak)
          expect(sink.connections().peak).toBeLessThanOrEqual(20)
        }),
      { delay: 20 }
    )
  )

  it.live("is suspended for the stated time after 421, and others are not", () =>
    withServers(shared, ({ sink }) =>
      Effect.gen(function* () {
        const transport = yield* MailTransport
        sink.answer("rcpt", (address) =>
          address.endsWith("@other.test") ? null : "421 4.3.2 closing down, try again in 30 seconds"
        )
        const before = Date.now()
        const deferred = yield* send(messageTo("ada@one.test"))
        expect(deferred).toMatchObject({ _tag: "Deferred", retryAfter: 30_000 })
        const now = Date.now()
        const until = transport.busyUntil("one.test", now, 0, "account")
        expect(until).toBeGreaterThanOrEqual(before + 30_000)
        expect(until).toBeLessThanOrEqual(now + 30_000)
        expect(transport.busyUntil("other.test", now, 0, "account")).toBeNull()
        expect(transport.busyUntil("never.test", now, 0, "account")).toBeNull()
        expect(yield* send(messageTo("ada@two.test"))).toMatchObject({ _tag: "Busy", at: until })
        // The same addresses under another name, and a set that shares half of them.
        expect(yield* send(messageTo("ada@alias.test"))).toMatchObject({ _tag: "Busy", at: until })
        expect(yield* send(messageTo("ada@rotated.test"))).toMatchObject({ _tag: "Busy", at: until })
        expect((yield* send(messageTo("ada@other.test")))._tag).toBe("Delivered")
      })
    )
  )

  it.live("sends from the source that it is given, under its name, on connections of its own", () =>
    withServers({ "example.org": here }, ({ sink }) =>
      Effect.gen(function* () {
        const transport = yield* MailTransport
        const lanes: Array<string> = []
        const sendFrom = (source: SendingSource | null) =>
          transport.send(messageTo("ada@example.org"), Effect.succeed(true), undefined, (lane, families) => {
            lanes.push(`${lane} ${[...(families ?? [])].join(" ")}`)
            return source === null ? null : { _tag: "From", source }
          })
        const sources = [
          { address: "127.0.0.2", name: "two.svc.test" },
          { address: "127.0.0.3", name: null },
          null,
          { address: "127.0.0.2", name: "two.svc.test" }
        ]
        const outcomes = yield* Effect.forEach(sources, sendFrom)
        expect(outcomes).toMatchObject([
          { _tag: "Delivered", lane: "ip:127.0.0.1@127.0.0.2" },
          { _tag: "Delivered", lane: "ip:127.0.0.1@127.0.0.3" },
          { _tag: "Delivered", lane: "ip:127.0.0.1" },
          { _tag: "Delivered", lane: "ip:127.0.0.1@127.0.0.2" }
        ])
        expect(lanes).toEqual(Array.from({ length: 4 }, () => "ip:127.0.0.1 4"))
        expect(sink.messages().map(({ clientAddress, clientName }) => [clientAddress, clientName])).toEqual([
          ["127.0.0.2", "two.svc.test"],
          ["127.0.0.3", "mail.svc.test"],
          ["127.0.0.1", "mail.svc.test"],
          ["127.0.0.2", "two.svc.test"]
        ])
        expect(sink.connections().made).toBe(3)
      })
    )
  )

  it.live("does not fail a message whose source this machine has not", () =>
    withServers({ "example.org": here }, ({ sink }) =>
      Effect.gen(function* () {
        const transport = yield* MailTransport
        const source = { address: "192.0.2.77", name: null }
        const outcome = yield* transport.send(
          messageTo("ada@example.org"),
          Effect.succeed(true),
          undefined,
          () => ({ _tag: "From", source })
        )
        expect(outcome._tag).toBe("Deferred")
        expect(sink.messages()).toEqual([])
      })
    )
  )

  it.live("gets a new connection when it closed a kept one", () =>
    Effect.gen(function* () {
      const dns = yield* started(() => startDnsServer({ "example.org": here }))
      const script = yield* started(() => startSmtpScript())
      yield* Effect.gen(function* () {
        expect((yield* send(messageTo("ada@example.org")))._tag).toBe("Delivered")
        script.set({ mail: "drop" })
        const lost = yield* send(messageTo("ada@example.org"))
        expect(lost._tag).toBe("Deferred")
        expect(script.commands().filter((command) => command.startsWith("EHLO"))).toHaveLength(2)
      }).pipe(Effect.provide(directLayer(dns.address, script.port)))
    })
  )
})

it.live("a non-ASCII address is sent with SMTPUTF8, and refused without", () =>
  Effect.gen(function* () {
    const names = { "example.org": here }
    yield* withServers(names, ({ sink }) =>
      Effect.gen(function* () {
        expect((yield* send(messageTo("żółć@example.org")))._tag).toBe("Delivered")
        expect(sink.messages()).toMatchObject([{ rcptTo: ["żółć@example.org"] }])
      })
    )
    const dns = yield* started(() => startDnsServer(names))
    const script = yield* started(() => startSmtpScript())
    const outcome = yield* Effect.provide(
      send(messageTo("żółć@example.org")),
      directLayer(dns.address, script.port)
    )
    expect([outcome._tag, errorOf(outcome)]).toEqual(["Refused", "no_smtputf8"])
  })
)
