/**
 * Tests of runs that end while their emails are in progress: the unsent ones are cancelled.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { managementActor } from "../../../../core/model/Actor.ts"
import { Bootstrap } from "../../../../core/accounts/Bootstrap.ts"
import { ContactEvents } from "../../../../core/audience/timeline/ContactEvents.ts"
import { Contacts } from "../../../../core/audience/contacts/Contacts.ts"
import { Erasure } from "../../../../core/privacy/Erasure.ts"
import { Suppressions } from "../../../../core/sending/suppressions/Suppressions.ts"
import { Flows } from "../../../../core/automation/flows/Flows.ts"
import { Worker } from "../../../../core/jobs/Worker.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { InboxStore } from "../../../../core/ports/InboxStore.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../../../core/ports/Transaction.ts"
import { newDomain } from "../../../../core/model/Domain.ts"
import { releaseJob } from "../../../../core/jobs/definitions/DomainJobs.ts"
import { Accounts } from "../../../../core/accounts/Accounts.ts"
import { firstPage, newId } from "../../../contract/fixtures.ts"
import { answering, makeFakeTransport } from "../../../support/fakeTransport.ts"
import { type Meanwhile, wholeCore } from "../../../support/wholeCore.ts"

/** Starts a run of a flow with an email and a wait. Returns functions that stop and read it. */
const startFlow = Effect.fnUntraced(function* (
  mode: "Live" | "Sandbox",
  purpose: "Marketing" | "Transactional" = "Transactional"
) {
  const company = yield* (yield* Bootstrap).prepare(0)
  const accounts = yield* Accounts
  const { items } = yield* accounts.companies(firstPage)
  const accountId = mode === "Live" ? items[0]!.liveAccountId : company!.sandboxAccountId
  yield* accounts.changeSettings(
    accountId,
    { defaultSender: { email: "from@own.example", name: null } },
    managementActor
  )
  const verify = Effect.flatMap(DomainStore, (domains) =>
    domains.insert(newDomain({ id: newId(), accountId, domain: "own.example", createdAt: 0 }, true))
  )
  const flows = yield* Flows
  const { id } = yield* flows.create(
    accountId,
    {
      name: "Flow",
      trigger: { kind: "Event", name: "begin" },
      stopEvents: [{ name: "halt" }],
      steps: [
        { id: "m", kind: "SendEmail", purpose, subject: "Hello", text: "Hello" },
        { id: "w", kind: "Wait", duration: "P1D" }
      ]
    },
    managementActor
  )
  yield* flows.publish(accountId, id, managementActor)
  const contacts = yield* Contacts
  const email = "ada@example.org"
  const { contact } = yield* contacts.write(accountId, { email, consent: { basis: "Customer" } })
  const contactEvents = yield* ContactEvents
  const transaction = yield* Transaction
  const report = (name: string) =>
    transaction.run(
      contactEvents.record([
        {
          accountId,
          contactId: contact.id,
          id: newId(),
          name,
          properties: {},
          occurredAt: Date.now(),
          source: "Api"
        }
      ])
    )
  yield* report("begin")
  const submissions = yield* SubmissionStore
  const delivery = Effect.map(
    submissions.list(accountId, { status: null, to: null }, firstPage),
    ({ items: found }) =>
      found.flatMap(({ deliveries }) => deliveries).map(({ reason, status }) => [status, reason])
  )
  const runs = Effect.map(flows.runs(accountId, id, {}, firstPage), ({ items: found }) =>
    found.map(({ status }) => status)
  )
  return { accountId, email, report, verify, delivery, runs, contacts }
})

const expectNoJobs = Effect.gen(function* () {
  const depths = yield* (yield* JobQueue).depth
  expect(
    depths.filter(({ pending, queue }) => pending > 0 && (queue === "runs" || queue === "deliveries"))
  ).toEqual([])
})

describe("a run that is stopped", () => {
  it.live("cancels an email that waits", () =>
    Effect.gen(function* () {
      const { accountId, delivery, report, runs, verify } = yield* startFlow("Sandbox")
      const worker = yield* Worker
      yield* worker.drain
      expect(yield* delivery).toEqual([["Queued", "sending.no_verified_sender"]])
      yield* report("halt")
      expect(yield* runs).toEqual(["Stopped"])
      expect(yield* delivery).toEqual([["Failed", "sending.cancelled"]])
      yield* verify
      yield* (yield* JobQueue).enqueue([
        releaseJob.job({ id: newId(), accountId, payload: { kind: "release" }, runAt: 0 })
      ])
      yield* worker.drain
      expect((yield* (yield* InboxStore).list(accountId, firstPage)).totalCount).toBe(0)
      yield* expectNoJobs
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
  )

  const meanwhile: Meanwhile = { act: Effect.void }
  it.live("cancels an email that is being delivered to an inbox", () =>
    Effect.gen(function* () {
      const { accountId, delivery, report, runs, verify } = yield* startFlow("Sandbox")
      yield* verify
      meanwhile.act = Effect.suspend(() => {
        meanwhile.act = Effect.void
        return report("halt")
      })
      yield* (yield* Worker).drain
      expect(yield* runs).toEqual(["Stopped"])
      expect(yield* delivery).toEqual([["Failed", "sending.cancelled"]])
      expect((yield* (yield* InboxStore).list(accountId, firstPage)).totalCount).toBe(0)
      yield* expectNoJobs
    }).pipe(Effect.provide(wholeCore(meanwhile, makeFakeTransport())))
  )

  const before = makeFakeTransport()
  it.live("cancels an email whose last byte is not sent", () =>
    Effect.gen(function* () {
      const { delivery, report, verify } = yield* startFlow("Live")
      yield* verify
      before.script = (message, pointOfNoReturn) =>
        Effect.andThen(
          Effect.orDie(report("halt")),
          answering({ _tag: "Delivered" })(message, pointOfNoReturn)
        )
      yield* (yield* Worker).drain
      expect(before.asked).toHaveLength(1)
      expect(before.left).toEqual([])
      expect(yield* delivery).toEqual([["Failed", "sending.cancelled"]])
      yield* expectNoJobs
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, before)))
  )

  const after = makeFakeTransport()
  it.live("delivers an email whose last byte is sent", () =>
    Effect.gen(function* () {
      const { delivery, report, runs, verify } = yield* startFlow("Live")
      yield* verify
      after.script = (_, pointOfNoReturn) =>
        Effect.gen(function* () {
          yield* pointOfNoReturn
          yield* Effect.orDie(report("halt"))
          return { _tag: "Delivered" } as const
        })
      yield* (yield* Worker).drain
      expect(yield* runs).toEqual(["Stopped"])
      expect(after.left).toHaveLength(1)
      expect(yield* delivery).toEqual([["Delivered", null]])
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, after)))
  )
})

describe("marketing that waits", () => {
  it.live("is not sent once consent is revoked", () =>
    Effect.gen(function* () {
      const { accountId, contacts, delivery, email, verify } = yield* startFlow("Sandbox", "Marketing")
      const worker = yield* Worker
      yield* worker.drain
      expect(yield* delivery).toEqual([["Queued", "sending.no_verified_sender"]])
      yield* contacts.write(accountId, { email, consent: { basis: "Unsubscribed" } })
      yield* verify
      yield* (yield* JobQueue).enqueue([
        releaseJob.job({ id: newId(), accountId, payload: { kind: "release" }, runAt: 0 })
      ])
      yield* worker.drain
      expect(yield* delivery).toEqual([["Suppressed", "sending.gate_consent"]])
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
  )
})

describe("an email in progress", () => {
  type Started = Effect.Success<ReturnType<typeof startFlow>>

  /** What blocks an email before its last byte, with the resulting reason. */
  const withdrawals = {
    "an unsubscription": [
      ({ accountId, contacts, email }: Started) =>
        contacts.write(accountId, { email, consent: { basis: "Unsubscribed" } }),
      "sending.gate_consent"
    ],
    "a suppression": [
      ({ accountId, email }: Started) =>
        Effect.flatMap(Suppressions, (list) => list.add(accountId, email, "Protected", managementActor)),
      "sending.gate_protected"
    ],
    "a bounce": [
      ({ accountId, email }: Started) =>
        Effect.flatMap(Suppressions, (list) => list.add(accountId, email, "Bounced", managementActor)),
      "sending.gate_bounced"
    ]
  } as const

  const cases = [
    ["Marketing", "an unsubscription"],
    ["Marketing", "a suppression"],
    ["Marketing", "a bounce"],
    ["Transactional", "a suppression"],
    ["Transactional", "a bounce"]
  ] as const
  for (const [purpose, name] of cases) {
    const [withdraw, reason] = withdrawals[name]
    const transport = makeFakeTransport()
    it.live(`${purpose} keeps back its last byte after ${name}`, () =>
      Effect.gen(function* () {
        const started = yield* startFlow("Live", purpose)
        yield* started.verify
        const context = yield* Effect.context<Suppressions>()
        transport.script = (message, pointOfNoReturn) =>
          Effect.andThen(
            Effect.orDie(
              Effect.provideContext(
                withdraw(started) as Effect.Effect<unknown, unknown, Suppressions>,
                context
              )
            ),
            answering({ _tag: "Delivered" })(message, pointOfNoReturn)
          )
        const worker = yield* Worker
        yield* worker.drain
        expect(transport.asked).toHaveLength(1)
        expect(transport.left).toEqual([])
        yield* Effect.sleep("1200 millis")
        yield* worker.drain
        expect(transport.asked).toHaveLength(1)
        expect(yield* started.delivery).toEqual([["Suppressed", reason]])
      }).pipe(Effect.provide(wholeCore({ act: Effect.void }, transport)))
    )

    const meanwhile: Meanwhile = { act: Effect.void }
    it.live(`${purpose} does not reach the inbox after ${name}`, () =>
      Effect.gen(function* () {
        const started = yield* startFlow("Sandbox", purpose)
        yield* started.verify
        const context = yield* Effect.context<Suppressions>()
        meanwhile.act = Effect.suspend(() => {
          meanwhile.act = Effect.void
          return Effect.provideContext(
            withdraw(started) as Effect.Effect<unknown, unknown, Suppressions>,
            context
          )
        })
        const worker = yield* Worker
        yield* worker.drain
        yield* Effect.sleep("1200 millis")
        yield* worker.drain
        expect((yield* (yield* InboxStore).list(started.accountId, firstPage)).totalCount).toBe(0)
        expect(yield* started.delivery).toEqual([["Suppressed", reason]])
      }).pipe(Effect.provide(wholeCore(meanwhile, makeFakeTransport())))
    )
  }
})

describe("erasing a person", () => {
  it.live("deletes runs with their jobs and requests", () =>
    Effect.gen(function* () {
      const { accountId, contacts, email, runs } = yield* startFlow("Sandbox")
      const flows = yield* Flows
      const { id } = yield* flows.create(
        accountId,
        {
          name: "Hook",
          trigger: { kind: "Event", name: "contact.subscribed" },
          steps: [
            { id: "hook", kind: "Webhook", url: "https://unreachable.invalid/" },
            { id: "w", kind: "Wait", duration: "P1D" }
          ]
        },
        managementActor
      )
      yield* flows.publish(accountId, id, managementActor)
      const consent = { basis: "Subscribed", proof: { text: "Yes" } }
      const { contact } = yield* contacts.write(accountId, { email, consent })
      yield* (yield* Worker).drain
      const pending = Effect.map(
        Effect.flatMap(JobQueue, (queue) => queue.depth),
        (depths) => depths.flatMap(({ pending: count, queue }) => (count > 0 ? [`${queue} ${count}`] : []))
      )
      expect(yield* pending).toEqual(expect.arrayContaining(["runs 2", "calls 1"]))
      yield* (yield* Erasure).erase(accountId, contact.id, managementActor)
      expect(yield* runs).toEqual([])
      expect((yield* pending).filter((text) => /^(runs|calls|deliveries) /.test(text))).toEqual([])
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
  )
})
