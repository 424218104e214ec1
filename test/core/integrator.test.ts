/**
 * Tests the core inside another service: composed from its public exports, without HTTP or a runtime.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as LocalCrypto from "../../adapters/crypto/Crypto.ts"
import * as LocalKeyMaker from "../../adapters/crypto/KeyMaker.ts"
import * as LocalSecretBox from "../../adapters/crypto/SecretBox.ts"
import * as SignatureVerifier from "../../adapters/crypto/SignatureVerifier.ts"
import * as LocalCsvReader from "../../adapters/csv/CsvReader.ts"
import * as LocalDns from "../../adapters/dns/Dns.ts"
import * as LocalHtmlRewriter from "../../adapters/html/HtmlRewriter.ts"
import * as LocalComposer from "../../adapters/mail/MessageComposer.ts"
import * as Memory from "../../adapters/memory/index.ts"
import * as Sandbox from "../../adapters/sandbox/SandboxTransport.ts"
import * as RelayProbe from "../../adapters/smtp/smarthost/RelayProbe.ts"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import * as LocalTemplateEngine from "../../adapters/templates/TemplateEngine.ts"
import * as LocalThreads from "../../adapters/threads/Threads.ts"
import * as AddressGuard from "../../adapters/webhooks/AddressGuard.ts"
import * as SnsClient from "../../adapters/webhooks/SnsClient.ts"
import * as LocalWebhookClient from "../../adapters/webhooks/WebhookClient.ts"
import * as Svc from "../../core/index.ts"

const publicEndpoint = Layer.succeed(Svc.PublicEndpoint, {
  baseUrl: () => "https://mail.example",
  mailHost: "mail.example",
  takesReports: false
})

const services = Svc.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Sandbox.layer,
      LocalComposer.layer,
      Direct.layer(),
      RelayProbe.layer,
      SnsClient.layer({ allowPrivate: false }),
      LocalWebhookClient.layer({ allowPrivate: false })
    )
  ),
  Layer.provideMerge(AddressGuard.layer({ allowPrivate: false })),
  Layer.provideMerge(
    Layer.mergeAll(
      Memory.layer,
      LocalCrypto.layer,
      LocalCsvReader.layer,
      LocalDns.layer({ servers: [] }),
      LocalHtmlRewriter.layer.pipe(Layer.provide(LocalThreads.layer())),
      LocalKeyMaker.layer,
      LocalSecretBox.layer(new Uint8Array(32)),
      LocalTemplateEngine.layer.pipe(Layer.provide(LocalThreads.layer())),
      SignatureVerifier.layer,
      publicEndpoint
    )
  )
)

it.effect("the core alone lets a company send an email and read it in the inbox", () =>
  Effect.gen(function* () {
    const bootstrap = yield* Svc.Bootstrap
    const { sandboxAccountId } = (yield* bootstrap.prepare(0))!
    const contacts = yield* Svc.Contacts
    const written = yield* contacts.write(sandboxAccountId, { email: "ada@example.org", firstName: "Ada" })
    expect(written).toMatchObject({ created: true, contact: { email: "ada@example.org", firstName: "Ada" } })

    const emails = yield* Svc.Emails
    yield* emails.submit(
      sandboxAccountId,
      { to: "ada@example.org", subject: "Hello", text: "It works." },
      null
    )
    const worker = yield* Svc.Worker
    yield* worker.drain
    const inbox = yield* Svc.SandboxInbox
    const { items } = yield* inbox.list(sandboxAccountId, { page: 1, pageSize: 10 })
    expect(items).toMatchObject([{ to: "ada@example.org", subject: "Hello" }])

    const refused = yield* Effect.flip(contacts.write(sandboxAccountId, { firstName: "Nobody" }))
    expect(refused).toMatchObject({ issues: [{ code: "audience.contact_email_required" }] })
  }).pipe(Effect.provide(services))
)
