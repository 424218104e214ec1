/**
 * Erasing a person whose emails are leaving at that moment.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
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
import { layer as webhookClient } from "../../adapters/webhooks/WebhookClient.ts"
import { FirstStart } from "../../core/accounts/FirstStart.ts"
import { Contacts } from "../../core/audience/Contacts.ts"
import { Erasure } from "../../core/audience/Erasure.ts"
import * as Core from "../../core/Core.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Deployment } from "../../core/sending/Deployment.ts"
import { Emails } from "../../core/sending/Emails.ts"
import { type FakeTransport, makeFakeTransport, plainComposer } from "../support/fakeTransport.ts"

const firstPage = { page: 1, pageSize: 50 }

/** What is done while messages are composed, which is after they are claimed and before they arrive. */
interface Meanwhile {
  act: Effect.Effect<unknown, unknown>
}

const world = Layer.mergeAll(
  crypto,
  csv,
  Layer.succeed(Deployment, {
    baseUrl: () => "https://mail.example",
    mailHost: "mail.example",
    takesReports: false
  }),
  dns({ servers: [] }),
  rewriter,
  keyMaker,
  secretBox(new Uint8Array(32)),
  templateEngine
)

const webhooks = webhookClient({ allowPrivate: false })

/** Everything, with a composer that lets something happen meanwhile. */
const layerWith = (meanwhile: Meanwhile, transport: FakeTransport) => {
  const composer = Layer.effect(
    MessageComposer,
    Effect.map(MessageComposer, (inner) =>
      MessageComposer.of({
        compose: (drafts) =>
          Effect.andThen(
            Effect.suspend(() => Effect.orDie(meanwhile.act)),
            inner.compose(drafts)
          )
      })
    )
  ).pipe(Layer.provide(plainComposer))
  return Core.layer.pipe(
    Layer.provide(Layer.mergeAll(composer, sandbox, transport.layer, webhooks)),
    Layer.provide(world),
    Layer.provideMerge(Layer.fresh(memory))
  )
}

const whenErased = (email: string) => {
  const meanwhile: Meanwhile = { act: Effect.void }
  return Effect.gen(function* () {
    const secrets = yield* (yield* FirstStart).prepare(0)
    const accountId = secrets!.sandboxAccountId
    const { contact } = yield* (yield* Contacts).write(accountId, { email })
    const erasure = yield* Erasure
    const others = { to: "other@example.org", subject: "Hello", html: "<p>Hello</p>" }
    yield* (yield* Emails).submit(accountId, { ...others, to: email }, null)
    yield* (yield* Emails).submit(accountId, others, null)
    meanwhile.act = erasure.erase(accountId, contact.id, "system")
    yield* (yield* Worker).drain
    const inbox = yield* (yield* InboxStore).list(accountId, firstPage)
    expect(inbox.items.map((message) => message.to)).toEqual(["other@example.org"])
    const sent = yield* (yield* SubmissionStore).list(accountId, { status: null, to: null }, firstPage)
    expect(
      sent.items.map(({ deliveries }) => deliveries.map(({ email: to, status }) => [to, status]))
    ).toEqual([[["other@example.org", "Delivered"]]])
    expect((yield* (yield* SuppressionStore).list(accountId, firstPage)).totalCount).toBe(0)
    const depths = yield* (yield* JobQueue).depth
    const left = depths.filter(({ queue }) => queue === "deliveries")
    expect(left.map((depth) => depth.pending + depth.buried)).toEqual([0])
  }).pipe(Effect.provide(layerWith(meanwhile, makeFakeTransport())))
}

describe("erasing while an email is handed over", () => {
  for (const email of [
    "ada@example.org",
    "bounce@example.org",
    "complaint@example.org",
    "defer@example.org"
  ]) {
    it.live(`leaves nothing of ${email}`, () => whenErased(email))
  }
})
