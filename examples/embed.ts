/**
 * Runs the core inside a program of your own: no HTTP, no database, and a custom adapter for one of the ports.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as Svc from "svc/core"
import { Crypto, KeyMaker, SecretBox, SignatureVerifier } from "svc/adapters/crypto"
import * as CsvReader from "svc/adapters/csv"
import * as Dns from "svc/adapters/dns"
import * as HtmlRewriter from "svc/adapters/html"
import * as MessageComposer from "svc/adapters/mail"
import * as Memory from "svc/adapters/memory"
import * as SandboxTransport from "svc/adapters/sandbox"
import { Direct, RelayProbe } from "svc/adapters/smtp"
import * as TemplateEngine from "svc/adapters/templates"
import * as Threads from "svc/adapters/threads"
import { AddressGuard, SnsClient, WebhookClient } from "svc/adapters/webhooks"
import * as OwnSuppressions from "./OwnSuppressions.ts"

const ourList: OwnSuppressions.Entries = new Map()

const ports = Layer.mergeAll(
  SandboxTransport.layer,
  MessageComposer.layer,
  Direct.layer(),
  RelayProbe.layer,
  SnsClient.layer({ allowPrivate: false }),
  WebhookClient.layer({ allowPrivate: false })
).pipe(
  Layer.provideMerge(AddressGuard.layer({ allowPrivate: false })),
  Layer.provideMerge(
    Layer.mergeAll(
      Memory.layer,
      // Replaces the list in memory: if two layers provide the same port, the later one is used.
      OwnSuppressions.layerOver(ourList),
      Crypto.layer,
      CsvReader.layer,
      Dns.layer({ servers: [] }),
      // Threads read long content and render expensive templates.
      HtmlRewriter.layer.pipe(Layer.provide(Threads.layer())),
      KeyMaker.layer,
      // Encrypts secrets at rest. A store that outlives the process needs the same 32 bytes at every start.
      SecretBox.layer(crypto.getRandomValues(new Uint8Array(32))),
      SignatureVerifier.layer,
      TemplateEngine.layer.pipe(Layer.provide(Threads.layer())),
      Layer.succeed(Svc.PublicEndpoint, {
        baseUrl: () => "https://mail.example.com",
        mailHost: "mail.example.com",
        takesReports: false
      })
    )
  )
)

const program = Effect.gen(function* () {
  const start = yield* (yield* Svc.Bootstrap).prepare(0)
  if (start === null) return yield* Effect.die("The store is not new.")
  const accountId = start.sandboxAccountId

  const suppressions = yield* Svc.SuppressionStore
  yield* suppressions.put([
    { accountId, email: "never@example.org", kind: "Protected", source: "Ui", createdAt: 0 }
  ])

  const emails = yield* Svc.Emails
  for (const to of ["ada@example.org", "never@example.org"]) {
    const { submission } = yield* emails.submit(accountId, { to, subject: "Hello", text: "It works." }, null)
    console.log(`${to}: ${submission.acceptedStatus} ${submission.acceptedReason ?? ""}`.trim())
  }

  // Sends what is queued. A service would run the worker's `run` all the time instead.
  yield* (yield* Svc.Worker).drain
  const inbox = yield* (yield* Svc.SandboxInbox).list(accountId, { page: 1, pageSize: 10 })
  console.log(`in the inbox: ${inbox.items.map(({ to }) => to).join(", ")}`)
  console.log(`on our list: ${[...ourList.values()].map(({ email }) => email).join(", ")}`)
})

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(Svc.layer, ports)))
