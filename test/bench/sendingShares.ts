/**
 * Measures where a sender's time goes: wraps its ports, and adds up the time spent in each.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as keyMaker } from "../../adapters/crypto/KeyMaker.ts"
import { layer as secretBox } from "../../adapters/crypto/SecretBox.ts"
import { layer as rewriter } from "../../adapters/html/HtmlRewriter.ts"
import { layer as composer } from "../../adapters/mail/MessageComposer.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { layerServer } from "../../adapters/postgres/index.ts"
import { layer as templateEngine } from "../../adapters/templates/TemplateEngine.ts"
import { layer as threads } from "../../adapters/threads/Threads.ts"
import { layer as sandbox } from "../../adapters/sandbox/SandboxTransport.ts"
import * as Relay from "../../adapters/smtp/transport/Relay.ts"
import { ConsentUpdates } from "../../core/audience/contacts/ConsentUpdates.ts"
import { AddressHash } from "../../core/audience/contacts/AddressHash.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { Dns } from "../../core/ports/Dns.ts"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { Deliveries } from "../../core/sending/delivery/Deliveries.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { makeDkimKeys } from "../../core/sending/domains/DkimKeys.ts"
import { EmailEvents } from "../../core/sending/fanout/EmailEvents.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import type { StoragePorts } from "../contract/fixtures.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { draftMail, emptyDns, queueMail, sendingAccount } from "../support/senders.ts"
import { startSink } from "./sink.ts"
import { installationKeys } from "../support/keys.ts"

const count = 3000

/** Adds up the elapsed time of effects. */
const makeTimer = () => {
  const timer = {
    millis: 0,
    calls: 0,
    time: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const from = performance.now()
        timer.calls++
        return Effect.ensuring(
          effect,
          Effect.sync(() => {
            timer.millis += performance.now() - from
          })
        )
      })
  }
  return timer
}

const keys = installationKeys(new Uint8Array(32))

/** Sends messages through a relay and prints the cost per message. */
const run = (name: string, storage: Layer.Layer<StoragePorts, unknown>, signed: boolean) =>
  Effect.gen(function* () {
    const sink = yield* Effect.acquireRelease(Effect.promise(startSink), ({ stop }) => Effect.sync(stop))
    const compose = makeTimer()
    const statements = makeTimer()
    const commits = makeTimer()
    const conversation = makeTimer()
    const wrap = Layer.mergeAll(
      Layer.effect(
        MessageComposer,
        Effect.map(MessageComposer, (inner) =>
          MessageComposer.of({ ...inner, compose: (drafts) => compose.time(inner.compose(drafts)) })
        )
      ),
      Layer.effect(
        MailTransport,
        Effect.map(MailTransport, (inner) =>
          MailTransport.of({
            ...inner,
            send: (message, point) => conversation.time(inner.send(message, commits.time(point)))
          })
        )
      ),
      Layer.effect(
        Transaction,
        Effect.map(Transaction, (inner) =>
          Transaction.of({ ...inner, run: (effect) => statements.time(inner.run(effect)) })
        )
      ),
      Layer.effect(
        SubmissionStore,
        Effect.map(SubmissionStore, (inner) =>
          SubmissionStore.of({ ...inner, commit: (claims, at) => statements.time(inner.commit(claims, at)) })
        )
      ),
      Layer.effect(
        JobQueue,
        Effect.map(JobQueue, (inner) =>
          JobQueue.of({ ...inner, claim: (...given) => statements.time(inner.claim(...given)) })
        )
      )
    )
    const publicEndpoint = Layer.succeed(PublicEndpoint, {
      baseUrl: () => "https://svc.example",
      mailHost: "svc.example",
      takesReports: true
    })
    const parts = wrap.pipe(
      Layer.provideMerge(Layer.mergeAll(composer, Relay.layer({ url: Redacted.make(sink.url) }))),
      Layer.provideMerge(
        Layer.mergeAll(
          sandbox,
          EmailEvents.layer,
          keys,
          publicEndpoint,
          Layer.succeed(Dns, emptyDns),
          rewriter.pipe(Layer.provide(threads())),
          keyMaker,
          secretBox(new Uint8Array(32)),
          ConsentUpdates.layer,
          templateEngine.pipe(Layer.provide(threads())),
          Layer.provide(AddressHash.layer, keys)
        )
      ),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(crypto),
      Layer.provideMerge(storage)
    )
    const worker = Worker.layer(Effect.map(Deliveries, (deliveries) => ({ deliveries }))).pipe(
      Layer.provide(Deliveries.layer)
    )
    const context = yield* Layer.build(Layer.fresh(worker.pipe(Layer.provideMerge(parts))))
    const program = Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const store = yield* DomainStore
      const domains = yield* store.list(id, { page: 1, pageSize: 1 })
      if (signed) {
        const domain = domains.items[0]!
        yield* store.save([{ ...domain, keys: yield* makeDkimKeys(domain, "Active") }])
      }
      const mails = Array.from({ length: count }, (_, index) =>
        draftMail(id, [[`person-${index}@example.org`, "To"]], { language: "en" })
      )
      for (let from = 0; from < count; from += 500) yield* queueMail(mails.slice(from, from + 500))
      for (const timer of [compose, statements, commits, conversation]) timer.millis = timer.calls = 0
      const started = performance.now()
      const cpu = process.cpuUsage()
      yield* Context.get(context, Worker).drain
      const { system, user } = process.cpuUsage(cpu)
      return { took: performance.now() - started, busy: (system + user) / 1000 }
    })
    const { busy, took } = yield* Effect.provideContext(program, context)
    if (sink.count() !== count) throw new Error(`${sink.count()} of ${count} arrived`)
    const each = (value: number) => `${(value / count).toFixed(3)} ms`.padStart(10)
    const conversing = conversation.millis - commits.millis
    console.log(
      `${name.padEnd(32)} ${((count / took) * 1000).toFixed(0).padStart(6)} /s   processor ${each(busy)}   ` +
        `compose ${each(compose.millis)}   SQL ${each(statements.millis)} in ${statements.calls} calls   ` +
        `waiting for commit ${each(commits.millis)}   conversation ${each(conversing)}`
    )
  }).pipe(Effect.scoped)

/** Measures and prints the milliseconds per message. Messages overlap, so the sum exceeds the elapsed time. */
export const measureShares = async (): Promise<void> => {
  console.log(
    `\n${count} messages through a relay by one sender in process, time inside each part for each message\n`
  )
  await Effect.runPromise(run("memory, warming up", memory, true))
  await Effect.runPromise(run("memory, not signed", memory, false))
  await Effect.runPromise(run("memory, RSA and Ed25519", memory, true))
  const database = await startPostgresServer()
  try {
    const postgres = layerServer(Redacted.make(database.url))
    await Effect.runPromise(run("postgres, not signed", postgres, false))
    await Effect.runPromise(run("postgres, RSA and Ed25519", postgres, true))
  } finally {
    await database.remove()
  }
}
