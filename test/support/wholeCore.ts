/**
 * The whole core over storage in memory, with a hook between the claim of an email and its arrival.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as keyMaker } from "../../adapters/crypto/KeyMaker.ts"
import { layer as secretBox } from "../../adapters/crypto/SecretBox.ts"
import { layer as csv } from "../../adapters/csv/CsvReader.ts"
import { layer as dns } from "../../adapters/dns/Dns.ts"
import { layer as rewriter } from "../../adapters/html/HtmlRewriter.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { layer as sandbox } from "../../adapters/sandbox/SandboxTransport.ts"
import { layer as templateEngine } from "../../adapters/templates/TemplateEngine.ts"
import { layer as threads } from "../../adapters/threads/Threads.ts"
import { layer as webhookClient } from "../../adapters/webhooks/WebhookClient.ts"
import * as Core from "../../core/app/Core.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SandboxTransport } from "../../core/ports/SandboxTransport.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { type FakeTransport, plainComposer } from "./fakeTransport.ts"

/** Every storage port. */
export type StorageLayer = Layer.Layer<Layer.Success<typeof memory>>

/** An action after messages are claimed and before they leave or, in a sandbox, arrive. */
export interface Meanwhile {
  act: Effect.Effect<unknown, unknown>
}

const environment = Layer.mergeAll(
  crypto,
  csv,
  Layer.succeed(PublicEndpoint, {
    baseUrl: () => "https://mail.example",
    mailHost: "mail.example",
    takesReports: false
  }),
  dns({ servers: [] }),
  rewriter,
  keyMaker,
  secretBox(new Uint8Array(32)),
  templateEngine.pipe(Layer.provide(threads())),
  webhookClient({ allowPrivate: false }).pipe(Layer.provide(dns({ servers: [] })))
)

/** The whole core, with a composer and a sandbox that run the action; over its own storage in memory by default. */
export const wholeCore = (
  meanwhile: Meanwhile,
  transport: FakeTransport,
  storage: StorageLayer = Layer.fresh(memory)
) => {
  const acting = Effect.suspend(() => Effect.orDie(meanwhile.act))
  const composer = Layer.effect(
    MessageComposer,
    Effect.map(MessageComposer, (inner) =>
      MessageComposer.of({
        ...inner,
        compose: (drafts) => Effect.andThen(acting, inner.compose(drafts))
      })
    )
  ).pipe(Layer.provide(plainComposer))
  const inbox = Layer.effect(
    SandboxTransport,
    Effect.map(SandboxTransport, (inner) =>
      SandboxTransport.of({ send: (messages, now) => Effect.andThen(acting, inner.send(messages, now)) })
    )
  ).pipe(Layer.provide(sandbox))
  return Core.layer.pipe(
    Layer.provide(Layer.mergeAll(composer, inbox, transport.layer)),
    Layer.provide(environment),
    Layer.provideMerge(storage)
  )
}
