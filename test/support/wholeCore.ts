/**
 * The whole core over storage in memory, with a hook between the claim of an email and its arrival.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as keyMaker } from "../../adapters/crypto/KeyMaker.ts"
import { layer as secretBox } from "../../adapters/crypto/SecretBox.ts"
import { layer as signatureVerifier } from "../../adapters/crypto/SignatureVerifier.ts"
import { layer as csv } from "../../adapters/csv/CsvReader.ts"
import { layer as dns } from "../../adapters/dns/Dns.ts"
import { layer as rewriter } from "../../adapters/html/HtmlRewriter.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { layer as sandbox } from "../../adapters/sandbox/SandboxTransport.ts"
import { layer as templateEngine } from "../../adapters/templates/TemplateEngine.ts"
import { layer as threads } from "../../adapters/threads/Threads.ts"
import { layer as relayProbe } from "../../adapters/smtp/smarthost/RelayProbe.ts"
import { layer as addressGuard } from "../../adapters/webhooks/AddressGuard.ts"
import { layer as snsClient } from "../../adapters/webhooks/SnsClient.ts"
import { layer as webhookClient } from "../../adapters/webhooks/WebhookClient.ts"
import * as Core from "../../core/app/Core.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { type FakeTransport, plainComposer } from "./fakeTransport.ts"

/** Every storage port. */
export type StorageLayer = Layer.Layer<Layer.Success<typeof memory>>

/** An action that runs after messages are claimed, before they are sent or, in a sandbox, delivered. */
export interface Meanwhile {
  act: Effect.Effect<unknown, unknown>
}

const endpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "https://mail.example",
  mailHost: "mail.example",
  takesReports: false
})

const guard = addressGuard({ allowPrivate: false }).pipe(Layer.provide(dns({ servers: [] })))

const environment = Layer.mergeAll(
  crypto,
  csv,
  endpoint,
  guard,
  relayProbe.pipe(Layer.provide([endpoint, guard])),
  signatureVerifier,
  snsClient({ allowPrivate: false }).pipe(Layer.provide(dns({ servers: [] }))),
  dns({ servers: [] }),
  rewriter.pipe(Layer.provide(threads())),
  keyMaker,
  secretBox(new Uint8Array(32)),
  templateEngine.pipe(Layer.provide(threads())),
  webhookClient({ allowPrivate: false }).pipe(Layer.provide(dns({ servers: [] })))
)

/**
 * The whole core, which runs an action between the claim of a delivery and its last byte. By default it has its own storage in
 * memory.
 */
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
  // A sandbox composes no message, so there the action runs after the transaction that claims the deliveries, before the next
  // one.
  let isClaimed = false
  const submissions = Layer.effect(
    SubmissionStore,
    Effect.map(SubmissionStore, (inner) =>
      SubmissionStore.of({
        ...inner,
        move: (moves) =>
          Effect.tap(inner.move(moves), () =>
            Effect.sync(() => {
              isClaimed ||= moves.some(({ to }) => to === "HandingOff")
            })
          )
      })
    )
  )
  const transactions = Layer.effect(
    Transaction,
    Effect.map(Transaction, (inner) =>
      Transaction.of({
        ...inner,
        run: (effect) =>
          Effect.suspend(() => {
            if (!isClaimed) return inner.run(effect)
            isClaimed = false
            return Effect.andThen(acting, inner.run(effect))
          })
      })
    )
  )
  return Core.layer.pipe(
    Layer.provide(Layer.mergeAll(composer, sandbox, transport.layer)),
    Layer.provide(environment),
    Layer.provideMerge(Layer.merge(submissions, transactions).pipe(Layer.provideMerge(storage)))
  )
}
