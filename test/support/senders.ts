/**
 * Senders over one storage, each with its own transport. They stand for the nodes of an installation, of which one may die or
 * freeze.
 *
 * @module
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as rewriter } from "../../adapters/html/HtmlRewriter.ts"
import { layer as templateEngine } from "../../adapters/templates/TemplateEngine.ts"
import { layer as threads } from "../../adapters/threads/Threads.ts"
import { layer as sandbox } from "../../adapters/sandbox/SandboxTransport.ts"
import { ConsentUpdates } from "../../core/audience/contacts/ConsentUpdates.ts"
import { AddressHash } from "../../core/audience/contacts/AddressHash.ts"
import type { Settings } from "../../core/model/Account.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { Deliveries } from "../../core/sending/delivery/Deliveries.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { newDomain } from "../../core/model/Domain.ts"
import { EmailEvents } from "../../core/sending/fanout/EmailEvents.ts"
import { Release } from "../../core/sending/delivery/Release.ts"
import { deliveryJob } from "../../core/jobs/definitions/DeliveryJobs.ts"
import {
  type HeldEnd,
  heldEndJob,
  type LaneRelease,
  laneReleaseJob
} from "../../core/jobs/definitions/DomainJobs.ts"
import type { Delivery, RecipientKind, Submission } from "../../core/model/Submission.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { draftCompany, newId, type StoragePorts } from "../contract/fixtures.ts"
import { type FakeTransport, makeFakeTransport, plainComposer } from "./fakeTransport.ts"
import { installationKeys } from "./keys.ts"

const keys = installationKeys(new Uint8Array(32))

const publicEndpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "https://svc.example",
  mailHost: "svc.example",
  takesReports: true
})

/** A sender. */
export interface Sender {
  readonly transport: FakeTransport
  readonly worker: Worker["Service"]
  /** If true, leases are not extended: the sender is frozen or dead. */
  frozen: boolean
}

/** A DNS without records. */
export const emptyDns = Dns.of({
  txt: (name) => Effect.fail(new DnsMissing({ name })),
  mx: (name) => Effect.fail(new DnsMissing({ name })),
  addresses: (name) => Effect.fail(new DnsMissing({ name }))
})

/**
 * Starts a sender over the given storage ports until the scope closes. `carrier` replaces its transport, and `dns` its resolver.
 */
export const makeSenderOver = Effect.fnUntraced(function* (
  carrier: Layer.Layer<MailTransport> | null,
  dns: Dns["Service"] = emptyDns
): Effect.fn.Return<Sender, never, StoragePorts | Scope.Scope> {
  const transport = makeFakeTransport()
  const sender = { transport, frozen: false } as { -readonly [Key in keyof Sender]: Sender[Key] }
  const freezable = Layer.effect(
    JobQueue,
    Effect.map(JobQueue, (queue) =>
      JobQueue.of({
        ...queue,
        extend: (jobs, lease, now) =>
          Effect.suspend(() =>
            sender.frozen ? new Unavailable({ cause: "frozen" }) : queue.extend(jobs, lease, now)
          )
      })
    )
  )
  const ports = Layer.mergeAll(
    carrier ?? transport.layer,
    plainComposer,
    sandbox,
    EmailEvents.layer,
    keys,
    publicEndpoint,
    Layer.succeed(Dns, dns),
    rewriter.pipe(Layer.provide(threads())),
    templateEngine.pipe(Layer.provide(threads())),
    ConsentUpdates.layer,
    Layer.provide(AddressHash.layer, keys)
  ).pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(Layer.merge(crypto, freezable)))
  const handlers = Effect.gen(function* () {
    const queue = yield* JobQueue
    const deliveries = yield* Deliveries
    const release = yield* Release
    const domains = {
      batch: 10,
      lease: 30_000,
      handle: (jobs: Parameters<typeof deliveries.handle>[0]) =>
        Effect.andThen(
          Effect.forEach(
            jobs,
            (job) =>
              Effect.orDie(
                laneReleaseJob.owns(job)
                  ? release.lane(job.accountId, job.payload as unknown as LaneRelease)
                  : heldEndJob.owns(job)
                    ? release.end(job.accountId, job.payload as unknown as HeldEnd)
                    : release.run(job.accountId)
              ),
            { discard: true }
          ),
          queue.complete(jobs)
        )
    }
    return { deliveries, domains }
  })
  const built = yield* Layer.build(
    Layer.fresh(
      Worker.layer(handlers).pipe(Layer.provide([Deliveries.layer, Release.layer]), Layer.provide(ports))
    )
  )
  sender.worker = Context.get(built, Worker)
  return sender
})

/** Starts a sender with a transport controlled by the test. */
export const makeSender = makeSenderOver(null)

/** An account that can send from `from@mail.example`. */
export const sendingAccount = Effect.fnUntraced(function* (
  mode: "Live" | "Sandbox" = "Live",
  settings: Partial<Settings> = {}
) {
  const {
    company,
    live,
    sandbox: other
  } = draftCompany({
    defaultSender: { email: "from@mail.example", name: "From" },
    ...settings
  })
  yield* (yield* AccountStore).insert([company], [live, other])
  const account = mode === "Live" ? live : other
  const added = { id: newId(), accountId: account.id, domain: "mail.example", createdAt: 0 }
  yield* (yield* DomainStore).insert(newDomain(added, true))
  return account
})

/** A submission to addresses, each with a role, and defaults for the rest. */
export const draftMail = (
  accountId: string,
  recipients: ReadonlyArray<readonly [email: string, kind: RecipientKind]>,
  values: Partial<Submission> = {}
): Submission => {
  const id = newId()
  return {
    id,
    accountId,
    idempotencyKey: null,
    contentDigest: "",
    from: null,
    replyTo: null,
    subject: "Hello",
    html: "<p>Hello</p>",
    text: null,
    headers: [],
    language: null,
    sendAt: null,
    templateId: null,
    templateVersion: null,
    flowId: null,
    runId: null,
    marketing: null,
    source: null,
    keyId: null,
    tags: {},
    metadata: {},
    trackOpens: null,
    trackClicks: null,
    isSystem: false,
    acceptedStatus: "Queued",
    acceptedReason: null,
    contentErasedAt: null,
    createdAt: Date.UTC(2031, 3, 6, 12),
    attachments: [],
    ...values,
    deliveries: recipients.map(([email, kind], index): Delivery => ({
      id: recipients.length === 1 && index === 0 ? id : newId(),
      submissionId: id,
      accountId,
      email,
      name: null,
      kind,
      status: "Queued",
      reason: values.acceptedReason ?? null,
      attempts: 0,
      claims: 0,
      committedAt: null,
      openedAt: null,
      clickedAt: null,
      lane: null,
      provider: null,
      line: "",
      heldSince: null,
      notDue: 0,
      contentHash: null,
      complainedAt: null,
      unsubscribedAt: null,
      topicOffAt: null,
      updatedAt: 0
    }))
  }
}

/** Stores submissions with their jobs, as the use case that accepts them does. */
export const queueMail = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>, runAt = 0) {
  const store = yield* SubmissionStore
  const queue = yield* JobQueue
  const { run } = yield* Transaction
  for (const [accountId, group] of Map.groupBy(submissions, (submission) => submission.accountId)) {
    yield* run(
      Effect.andThen(
        store.insert(accountId, group, []),
        queue.enqueue(
          group.flatMap(({ deliveries }) =>
            deliveries.map(({ id }) =>
              deliveryJob.job(false, { id: newId(), accountId, payload: { deliveryId: id }, runAt })
            )
          )
        )
      )
    )
  }
})

/** The current deliveries of submissions, in order. */
export const deliveriesOf = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
  const store = yield* SubmissionStore
  const refs = submissions.flatMap(({ deliveries }) => deliveries)
  const found = new Map((yield* store.deliveries(refs)).map((delivery) => [delivery.id, delivery]))
  return refs.flatMap(({ id }) => found.get(id) ?? [])
})
