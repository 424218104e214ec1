/**
 * Tests the timeouts for servers, as set by the table of providers.
 *
 * @module
 */
import { Effect, Layer, Result } from "effect"
import { createServer, type Socket } from "node:net"
import { expect, it } from "vitest"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { KnownProviders, parseShapingFile, ProviderTable } from "../../../core/sending/shaping/Providers.ts"
import { startDnsServer } from "../../support/dnsServer.ts"
import { directLayer, messageTo } from "./transport.ts"

it("a silent server of a provider is waited for as long as the operator's file says", async () => {
  const open = new Set<Socket>()
  const silent = createServer((socket) => {
    open.add(socket)
    socket.on("error", () => undefined)
  })
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  const dns = await startDnsServer({
    "example.org": { MX: [[10, "mx.patient.example"]] as const },
    "mx.patient.example": { A: ["127.0.0.1"] }
  })
  try {
    const { port } = silent.address() as { readonly port: number }
    const file = [{ key: "patient", mx: ["patient.example"], timeouts: { openMs: 200 } }]
    const table = new ProviderTable(Result.getOrThrow(parseShapingFile(JSON.stringify(file))))
    // Without it, the transport of the tests waits for three seconds.
    const outcome = await Effect.runPromise(
      Effect.flatMap(MailTransport, ({ send }) =>
        Effect.timeoutOption(send(messageTo("ada@example.org"), Effect.succeed(true)), 2_000)
      ).pipe(
        Effect.provide(
          directLayer(dns.address, port).pipe(Layer.provide(Layer.succeed(KnownProviders, table)))
        )
      )
    )
    expect(outcome).toMatchObject({ _tag: "Some", value: { _tag: "Deferred" } })
  } finally {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
    await dns.stop()
  }
})
