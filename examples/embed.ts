/**
 * The core inside a program of one's own: no HTTP, no database, and an adapter of one's own for one of the ports.
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
      // Takes the place of the list in memory: where two layers give the same port, the later counts.
      OwnSuppressions.layerOver(ourList),
      Crypto.layer,
      CsvReader.layer,
      Dns.layer({ servers: [] }),
      // Long content and expensive templates are read and rendered in threads.
      HtmlRewriter.layer.pipe(Layer.provide(Threads.layer())),
      KeyMaker.layer,
      // Seals secrets at rest. A store that outlives the process needs the same 32 bytes each time.
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

  // What was queued leaves; a service would let `run` of the worker do that all the time.
  yield* (yield* Svc.Worker).drain
  const inbox = yield* (yield* Svc.SandboxInbox).list(accountId, { page: 1, pageSize: 10 })
  console.log(`in the inbox: ${inbox.items.map(({ to }) => to).join(", ")}`)
  console.log(`on our list: ${[...ourList.values()].map(({ email }) => email).join(", ")}`)
})

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(Svc.layer, ports)))
