/**
 * Tests that the transport's connections are counted for reports, unless this is turned off.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import * as Memory from "../../adapters/memory/index.ts"
import { TransportSecurity } from "../../core/kernel/TransportSecurity.ts"
import { Dns } from "../../core/ports/Dns.ts"
import { MailReportStore } from "../../core/ports/MailReportStore.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { SecureDns } from "../../core/ports/SecureDns.ts"
import { dayOf } from "../../core/sending/aggregates/MailReportRules.ts"
import { TlsCounts } from "../../core/sending/aggregates/TlsCounts.ts"
import { serviceLayer } from "../../runtimes/server/service.ts"

/** A transport that connects once when it is made. */
const transport = Layer.effect(
  MailTransport,
  Effect.map(TransportSecurity, ({ observe }) => {
    observe({
      domain: "wants.test",
      host: "mx.wants.test",
      source: "192.0.2.7",
      policy: "sts",
      result: "success"
    })
    return MailTransport.of({ send: () => Effect.succeed({ _tag: "Delivered" }), busyUntil: () => null })
  })
)

/** The connections counted for reports when the service has started. */
const countedBy = (tlsReports: boolean) =>
  Effect.gen(function* () {
    const layer = serviceLayer({
      adminToken: null,
      publicEndpoint: { baseUrl: () => "http://svc.test", mailHost: "svc.test", takesReports: true },
      secrets: SecretBox.layer(new Uint8Array(32)),
      dns: Layer.mock(Dns, { txt: () => Effect.succeed(["v=TLSRPTv1; rua=mailto:tls@wants.test"]) }),
      secureDns: Layer.mock(SecureDns, { validates: Effect.succeed(false) }),
      tlsReports,
      transport,
      webhookAllowPrivate: false
    }).pipe(Layer.provideMerge(Layer.fresh(Memory.layer)))
    const services = yield* Layer.build(layer)
    yield* Context.get(services, TlsCounts).flush
    const day = dayOf(yield* Clock.currentTimeMillis)
    return yield* Context.get(services, MailReportStore).ofDay("TlsSent", "wants.test", day)
  })

describe("connections of the transport", () => {
  it.live("are counted for reports, unless that is turned off", () =>
    Effect.gen(function* () {
      expect(yield* countedBy(true)).toMatchObject([
        { values: ["sts", "success", "mx.wants.test", "192.0.2.7"], count: 1 }
      ])
      expect(yield* countedBy(false)).toEqual([])
    }).pipe(Effect.scoped)
  )
})
