/**
 * Tests mail through relays chosen by a tenant: to which addresses it connects.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as DnsAdapter from "../../../adapters/dns/Dns.ts"
import * as RoutedTransport from "../../../adapters/smtp/smarthost/RoutedTransport.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { RelayRoute } from "../../../core/model/Message.ts"
import { AddressGuard, AddressRefused } from "../../../core/ports/AddressGuard.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { startSmtpSink } from "../../support/smtpSink.ts"
import { messageTo, shortLimits } from "./transport.ts"

const own = Layer.succeed(
  MailTransport,
  MailTransport.of({ send: () => Effect.succeed({ _tag: "Delivered" }), busyUntil: () => null })
)

const routeTo = (port: number, changes: Partial<RelayRoute> = {}): RelayRoute => ({
  _tag: "Relay",
  id: "relay",
  host: "relay.example",
  port,
  tls: "Offered",
  verify: false,
  credentials: null,
  pool: 5,
  isGuarded: true,
  success: "Sent",
  maxPerSecond: null,
  headers: [],
  ...changes
})

describe("a relay that a tenant chose", () => {
  it.live("is looked up once for many messages, and again after it could not be used", () =>
    Effect.gen(function* () {
      const sink = yield* Effect.acquireRelease(
        Effect.promise(() => startSmtpSink({ startTls: "off" })),
        (started) => Effect.promise(() => started.stop())
      )
      const lookUps: Array<string> = []
      let isRefused = false
      const guard = Layer.succeed(
        AddressGuard,
        AddressGuard.of({
          isOpen: false,
          accepts: () => true,
          addresses: (host) =>
            Effect.suspend(() => {
              lookUps.push(host)
              return isRefused
                ? Effect.fail(new AddressRefused({ reason: "address_refused" }))
                : Effect.succeed(["127.0.0.1"])
            })
        })
      )
      const layer = RoutedTransport.layer({ own, direct: own, limits: shortLimits }).pipe(
        Layer.provide([
          guard,
          DnsAdapter.layer({ servers: ["127.0.0.1:1"] }),
          Layer.succeed(PublicEndpoint, {
            baseUrl: () => "http://svc.test",
            mailHost: "mail.svc.test",
            takesReports: false
          })
        ])
      )
      const { send } = Context.get(yield* Layer.build(layer), MailTransport)
      const sent = (port = sink.port, host = "relay.example") =>
        Effect.map(
          send(messageTo("ann@people.example", { routes: [routeTo(port, { host })] }), Effect.succeed(true)),
          ({ _tag }) => _tag
        )
      expect([yield* sent(), yield* sent(), yield* sent()]).toEqual(["Sent", "Sent", "Sent"])
      expect(lookUps).toEqual(["relay.example"])
      // Another server is looked up separately. No message connects to a server that is not permitted.
      isRefused = true
      expect([yield* sent(sink.port, "other.example"), yield* sent(sink.port, "other.example")]).toEqual([
        "Deferred",
        "Deferred"
      ])
      expect(lookUps).toEqual(["relay.example", "other.example", "other.example"])
      expect(sink.messages()).toHaveLength(3)
    }).pipe(Effect.scoped)
  )
})
