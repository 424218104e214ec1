/**
 * A program that makes the webhook requests of its command line one after another and prints the results, so that the client is
 * tested on each runtime.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as Dns from "../../adapters/dns/Dns.ts"
import * as Client from "../../adapters/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../core/ports/WebhookClient.ts"

/** The argument of the command line. */
export interface ProbeOrder {
  readonly options: Client.Options
  readonly dnsServers: ReadonlyArray<string>
  readonly urls: ReadonlyArray<string>
  /** Whether all requests are made concurrently. */
  readonly together?: boolean
}

const order = JSON.parse(process.argv[2]!) as ProbeOrder

const program = Effect.gen(function* () {
  const client = yield* WebhookClient
  const answers = yield* Effect.forEach(
    order.urls,
    (url) =>
      Effect.map(
        client.post({
          pool: "probe",
          url,
          headers: { "content-type": "application/json", "webhook-id": "id" },
          body: `{"text":"ünï 漢字"}`
        }),
        (answer) => ({ ...answer, accepted: client.accepts(url) })
      ),
    { concurrency: order.together === true ? "unbounded" : 1 }
  )
  process.stdout.write(JSON.stringify(answers))
}).pipe(
  Effect.provide(Client.layer(order.options).pipe(Layer.provide(Dns.layer({ servers: order.dnsServers }))))
)

await Effect.runPromise(program)
process.exit(0)
