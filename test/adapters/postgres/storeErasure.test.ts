/**
 * Tests that erasing a store's contacts takes the same number of statements for many as for a few, counted as spans of the SQL
 * client, and that each contact is erased once during concurrent writes.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { managementActor } from "../../../core/model/Actor.ts"
import { expect } from "vitest"
import { layer as crypto } from "../../../adapters/crypto/Crypto.ts"
import { layerEmbedded, layerServer } from "../../../adapters/postgres/index.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { AddressHash } from "../../../core/audience/contacts/AddressHash.ts"
import { Erasure } from "../../../core/privacy/Erasure.ts"
import { webhookStepJob } from "../../../core/jobs/definitions/RunJobs.ts"
import { newCart } from "../../../core/commerce/sync/CartRules.ts"
import { storeErasureJob } from "../../../core/jobs/definitions/StoreJobs.ts"
import { StoreErasure } from "../../../core/commerce/stores/StoreErasure.ts"
import { AttemptStore } from "../../../core/ports/AttemptStore.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { CartStore } from "../../../core/ports/CartStore.ts"
import { ConnectedStores } from "../../../core/ports/ConnectedStores.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { NotificationStore } from "../../../core/ports/NotificationStore.ts"
import { OrderStore } from "../../../core/ports/OrderStore.ts"
import { RunStore } from "../../../core/ports/RunStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../core/ports/SuppressionStore.ts"
import { SyncStore } from "../../../core/ports/SyncStore.ts"
import { TimelineStore } from "../../../core/ports/TimelineStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { retryConflicts } from "../../../core/kernel/Conflicts.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { draftAttempt } from "../../contract/AttemptStore.ts"
import { draftStore } from "../../contract/ConnectedStores.ts"
import { draftConsent } from "../../contract/ContactStore.ts"
import { draftOrder, draftRun, draftSubmission } from "../../contract/drafts.ts"
import {
  changes,
  draftContact,
  firstPage,
  freshAccountId,
  minute,
  newEmail,
  newId,
  now,
  type StoragePorts,
  times,
  unique,
  wholeSubmissions
} from "../../contract/fixtures.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { statementsOf } from "../../support/statements.ts"
import { installationKeys } from "../../support/keys.ts"
import { auditOf } from "../../contract/fixtures.ts"

const key = new Uint8Array(32).fill(5)

const servicesOver = <E>(storage: Layer.Layer<StoragePorts, E>) =>
  Erasure.layer.pipe(
    Layer.provideMerge(Layer.merge(AddressHash.layer, AuditTrail.layer)),
    Layer.provideMerge(Layer.provideMerge(Ids.layer, crypto)),
    Layer.provideMerge(installationKeys(key)),
    Layer.provideMerge(Layer.fresh(storage))
  )

const embedded = servicesOver(layerEmbedded(null))

const server = servicesOver(
  Layer.unwrap(Effect.map(Effect.promise(freshDatabase), (url) => layerServer(Redacted.make(url))))
)

/** A store with a number of contacts, each with a row of every kind. */
const furnish = Effect.fnUntraced(function* (accountId: string, size: number) {
  const store = draftStore(accountId)
  yield* (yield* ConnectedStores).insert(store)
  const people = times(size, () =>
    draftContact({ storeId: store.id, email: newEmail(), formerEmails: [newEmail()] })
  )
  yield* (yield* ContactStore).write(
    accountId,
    changes({
      inserts: people,
      consents: people.map(({ id }) => draftConsent(id))
    })
  )
  yield* (yield* TimelineStore).append(
    accountId,
    people.map(({ id }) => ({
      id: newId(),
      contactId: id,
      name: "order.placed",
      occurredAt: now,
      properties: {},
      source: "Store"
    }))
  )
  yield* (yield* OrderStore).write(
    accountId,
    people.map(({ id }) => ({ before: null, after: draftOrder(store.id, { contactId: id }) }))
  )
  const carts = people.map(({ id }) => ({
    ...newCart(newId(), store.id, unique("cart")),
    contactId: id,
    version: 1
  }))
  yield* (yield* CartStore).write(accountId, carts)
  yield* (yield* SyncStore).put(
    accountId,
    store.id,
    people.map(({ id }) => ({
      kind: "Customer" as const,
      externalId: id,
      contactId: id,
      sourceUpdatedAt: now
    }))
  )
  const runs = people.map(({ id }) =>
    draftRun(accountId, { contactId: id, log: [{ stepId: "hook", at: now, outcome: "asked" }] })
  )
  yield* (yield* RunStore).insert(accountId, runs)
  const emails = people.flatMap(({ email, formerEmails }) => [email!, ...formerEmails])
  const submissions = emails.map((email) => draftSubmission(accountId, {}, { email }))
  yield* (yield* SubmissionStore).insert(accountId, submissions, [])
  yield* (yield* AttemptStore).put(submissions.map(({ id }) => draftAttempt(accountId, id, 1)))
  const webhookId = newId()
  yield* (yield* NotificationStore).insert(
    submissions.map(({ id }) => ({
      accountId,
      webhookId,
      id: newId(),
      type: "email.sent" as const,
      deliveryId: id,
      body: "{}",
      createdAt: now
    }))
  )
  yield* (yield* SuppressionStore).put(
    emails.map((email) => ({
      accountId,
      email,
      kind: "Protected" as const,
      source: "Report" as const,
      createdAt: now
    }))
  )
  const job = (queue: "carts" | "runs" | "calls" | "deliveries", name: string) => ({
    id: newId(),
    accountId,
    queue,
    key: name,
    runAt: now,
    payload: {}
  })
  yield* (yield* JobQueue).enqueue([
    ...carts.map(({ id }) => job("carts", id)),
    ...runs.flatMap(({ id }) => [
      job("runs", id),
      job("calls", webhookStepJob.keyOf({ runId: id, stepId: "hook" })!)
    ]),
    ...submissions.map(({ id }) => job("deliveries", id))
  ])
  return { storeId: store.id, people, submissions }
})

/** The due jobs of the queue. */
const claimed = Effect.flatMap(JobQueue, (queue) =>
  queue.claim({ queue: "retention", limit: 10, lease: minute, now: Date.now() })
)

/** Erases a store like its job does. */
const eraseStore = Effect.fnUntraced(function* (accountId: string, storeId: string) {
  const queue = yield* JobQueue
  const { run } = yield* Effect.provide(StoreErasure, StoreErasure.layer)
  yield* (yield* ConnectedStores).startErasure(accountId, storeId, now)
  yield* queue.enqueue([storeErasureJob.job({ id: newId(), accountId, payload: storeId, runAt: 0 })])
  return yield* statementsOf(run(yield* claimed))
})

layer(embedded, { excludeTestServices: true })("erasing a store", (it) => {
  it.effect("takes as many statements for fifty contacts as for three, and leaves nothing", () =>
    Effect.gen(function* () {
      const depthsOf = Effect.map(
        Effect.flatMap(JobQueue, (queue) => queue.depth),
        (depths) => depths.flatMap(({ pending, queue }) => (pending === 0 ? [] : [`${queue} ${pending}`]))
      )
      const counts: Array<number> = []
      for (const size of [3, 50]) {
        const accountId = yield* freshAccountId
        const { people, storeId, submissions } = yield* furnish(accountId, size)
        counts.push(yield* eraseStore(accountId, storeId))
        const contacts = yield* ContactStore
        expect(yield* contacts.count(accountId)).toBe(0)
        const ids = people.map(({ id }) => id)
        const found = yield* contacts.find(accountId, { ids, externalIds: [], emails: [] })
        expect(
          found.map(({ addressHash, email, erasedAt }) => [addressHash, email, erasedAt !== null])
        ).toEqual(times(size, () => [null, null, true]))
        const refs = submissions.map(({ id }) => ({ accountId, id }))
        expect(yield* wholeSubmissions(refs)).toEqual([])
        expect(yield* (yield* AttemptStore).of(refs)).toEqual([])
        expect(yield* (yield* RunStore).oldest(accountId)).toBeNull()
        // The job that removes content which nothing uses.
        expect(yield* depthsOf).toEqual(["retention 1"])
        yield* (yield* JobQueue).complete(yield* claimed)
        const listed = (yield* (yield* SuppressionStore).list(accountId, firstPage)).items
        expect(listed).toHaveLength(2 * size)
        expect(listed.filter(({ email }) => email.includes("@"))).toEqual([])
        const audited = (yield* (yield* AuditLog).list(auditOf(accountId), {}, firstPage)).items
        expect(audited.map(({ action, target }) => [action, target]).toSorted()).toEqual(
          [...ids.map((id) => ["contact.erased", id]), ["store.erased", storeId]].toSorted()
        )
      }
      expect(counts[1]).toBe(counts[0])
    })
  )
})

layer(server, { excludeTestServices: true })("erasing many at once", (it) => {
  it.effect("erases each contact once beside concurrent erasures and writes", () =>
    Effect.gen(function* () {
      const accountId = yield* freshAccountId
      const { people } = yield* furnish(accountId, 120)
      const contacts = yield* ContactStore
      const { eraseMany } = yield* Erasure
      const ids = people.map(({ id }) => id)
      const { run } = yield* Transaction
      const touch = retryConflicts(
        run(
          contacts.touch(
            accountId,
            people.map(({ email }, index) => ({
              email: email!,
              field: "lastOpenAt" as const,
              at: now + index
            }))
          )
        )
      )
      const pages = [ids.slice(0, 80), ids.slice(40), ids.toReversed().slice(20, 100)]
      const [erased] = yield* Effect.all(
        [
          Effect.forEach(pages, (page) => eraseMany(accountId, page, managementActor), {
            concurrency: "unbounded"
          }),
          Effect.forEach(pages, () => touch, { concurrency: "unbounded" })
        ],
        { concurrency: "unbounded" }
      )
      expect(erased.flat().toSorted()).toEqual(ids.toSorted())
      expect(yield* contacts.count(accountId)).toBe(0)
      const audited = (yield* (yield* AuditLog).list(auditOf(accountId), {}, firstPage)).items
      expect(audited.map(({ target }) => target).toSorted()).toEqual(ids.toSorted())
    })
  )
})
