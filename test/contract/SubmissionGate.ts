/**
 * The contract of `core/ports/SubmissionStore`: the gate of a claim, which applies until the last byte is sent.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { type ConsentStatus, consentStatuses } from "../../core/model/Consent.ts"
import type { Contact } from "../../core/model/Contact.ts"
import { type SuppressionKind, suppressionKinds } from "../../core/model/Suppression.ts"
import type { Topic } from "../../core/model/Topic.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { type GatedClaim, SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { contactAt, gateRefusal } from "../../core/sending/gate/GateRules.ts"
import { draftClaim, draftSubmission } from "./drafts.ts"
import {
  changes,
  draftCompany,
  draftContact,
  freshAccountId,
  newEmail,
  newId,
  now,
  type StorageTest,
  times,
  unique
} from "./fixtures.ts"

/** A delivery in progress whose claim is decided by the gate. */
interface Case {
  readonly claim: GatedClaim
  readonly isAllowed: boolean
}

const topicDrafts = (accountId: string): ReadonlyArray<Topic> =>
  [true, false].flatMap((defaultOn) =>
    [true, false].map((isArchived) => ({
      id: newId(),
      accountId,
      key: unique("topic"),
      name: "Topic",
      description: null,
      defaultOn,
      isArchived,
      createdAt: now
    }))
  )

/** Stores deliveries in progress for every combination of the facts that the gate considers. */
const storeCases = Effect.fnUntraced(function* (accountId: string) {
  const contacts = yield* ContactStore
  const suppressions = yield* SuppressionStore
  const topicStore = yield* TopicStore
  const submissions = yield* SubmissionStore
  const topics = topicDrafts(accountId)
  for (const topic of topics) yield* topicStore.insert(topic)
  const people = new Map<ConsentStatus, Contact>()
  for (const consentStatus of consentStatuses) people.set(consentStatus, draftContact({ consentStatus }))
  const chosen = [true, false].map((choice) =>
    draftContact({
      consentStatus: "Subscribed",
      topics: Object.fromEntries(topics.map(({ id }) => [id, choice]))
    })
  )
  const stored = [...people.values(), ...chosen]
  yield* contacts.write(accountId, changes({ inserts: stored }))
  const names = new Map<string, SuppressionKind>()
  for (const kind of suppressionKinds) {
    for (const name of [newEmail(), unique("hash")]) names.set(name, kind)
  }
  const other = yield* freshAccountId
  yield* suppressions.put([
    ...Array.from(names, ([email, kind]) => ({
      accountId,
      email,
      kind,
      source: "Report" as const,
      createdAt: now
    })),
    {
      accountId: other,
      email: "claimed@example.org",
      kind: "Bounced",
      source: "Report" as const,
      createdAt: now
    }
  ])

  const cases: Array<Case> = []
  const add = (
    suppressedAs: string | null,
    contact: Contact | null | undefined,
    topic: Topic | null | undefined,
    address: string = contact?.email ?? "claimed@example.org"
  ) => {
    const email = suppressedAs?.includes("@") === true ? suppressedAs : address
    const suppression = suppressedAs === null ? undefined : names.get(suppressedAs)
    const refusal = gateRefusal({
      suppression,
      marketing: contact === null ? null : { contact: contact && contactAt(contact, email), topic }
    })
    cases.push({
      isAllowed: refusal === null,
      claim: draftClaim({ accountId, id: newId() }, 1, {
        email,
        ...(suppressedAs?.includes("@") === false && { addressHash: suppressedAs }),
        marketing:
          contact === null
            ? null
            : {
                contactId: contact?.id ?? newId(),
                topicId: topic === null ? null : (topic?.id ?? newId())
              }
      })
    })
  }
  for (const contact of [null, undefined, ...stored]) {
    for (const topic of contact === null ? [null] : [null, undefined, ...topics]) add(null, contact, topic)
    for (const name of names.keys()) add(name, contact, null)
    // The address now belongs to another person, or to none.
    if (contact != null)
      for (const left of [stored[0]!.email!, "left@example.org"]) add(null, contact, null, left)
  }
  yield* submissions.insert(
    accountId,
    cases.map(({ claim: { email, id, marketing } }) =>
      draftSubmission(accountId, { id, marketing }, { email, status: "HandingOff", claims: 1 })
    ),
    []
  )
  return cases
})

const allowedIds = (cases: ReadonlyArray<Case>) =>
  cases.flatMap(({ claim, isAllowed }) => (isAllowed ? [claim.id] : [])).toSorted()

/** An account with a subscribed contact and its marketing email in progress. */
const oneInProgress = Effect.gen(function* () {
  const accountId = yield* freshAccountId
  const contact = draftContact({ consentStatus: "Subscribed" })
  yield* (yield* ContactStore).write(accountId, changes({ inserts: [contact] }))
  const marketing = { contactId: contact.id, topicId: null }
  const email = contact.email!
  const submission = draftSubmission(accountId, { marketing }, { email, status: "HandingOff", claims: 1 })
  yield* (yield* SubmissionStore).insert(accountId, [submission], [])
  const withdrawn: Contact = { ...contact, consentStatus: "Unsubscribed", version: contact.version + 1 }
  return { accountId, claim: draftClaim(submission, 1, { email, marketing }), withdrawn }
})

/** Tests the gate of claims of the port `SubmissionStore`. */
export const submissionGateContract = (it: StorageTest): void => {
  describe("SubmissionStore and the gate", () => {
    it.effect("commits exactly the claims that the gate does not refuse", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const accounts = yield* AccountStore
        const { company, live, sandbox } = draftCompany()
        yield* accounts.insert([company], [live, sandbox])
        const cases = yield* storeCases(live.id)
        const claims = cases.map(({ claim }) => claim)
        yield* accounts.saveCompany({ ...company, deletedAt: now })
        expect(yield* store.commit(claims, now)).toEqual([])
        yield* accounts.saveCompany(company)
        const expected = allowedIds(cases)
        expect([expected.length > 5, expected.length < cases.length / 2]).toEqual([true, true])
        const held = yield* store.lockSendable(claims)
        expect(held.map(({ id }) => id).toSorted()).toEqual(expected)
        const untouched = yield* store.deliveries(claims)
        expect(untouched.every(({ committedAt }) => committedAt === null)).toBe(true)
        const granted = yield* store.commit(claims, now)
        expect(granted.map(({ id }) => id).toSorted()).toEqual(expected)
        const stale = claims.map((claim) => ({ ...claim, claim: 2 }))
        expect(yield* store.lockSendable(stale)).toEqual([])
        expect(yield* store.lockSendable([])).toEqual([])
      })
    )

    it.effect("commits nothing after a withdrawal that commits at the same time", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const contacts = yield* ContactStore
        for (const { accountId, claim, withdrawn } of yield* Effect.all(times(10, () => oneInProgress))) {
          const withdraw = Effect.andThen(
            contacts.write(accountId, changes({ updates: [withdrawn], updatedFields: ["consentStatus"] })),
            store.commit([claim], now)
          )
          const [after] = yield* Effect.all([withdraw, store.commit([claim], now)], {
            concurrency: "unbounded"
          })
          expect(after).toEqual([])
        }
      })
    )

    it.effect("lets a withdrawal wait for a transaction that delivers", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const contacts = yield* ContactStore
        const transaction = yield* Transaction
        const { accountId, claim, withdrawn } = yield* oneInProgress
        const locked = yield* Deferred.make<void>()
        const order: Array<string> = []
        const delivering = yield* Effect.forkChild(
          transaction.run(
            Effect.gen(function* () {
              const found = yield* store.lockSendable([claim])
              yield* Deferred.succeed(locked, undefined)
              yield* Effect.yieldNow
              yield* store.deliveries([claim])
              order.push("delivered")
              return found
            })
          )
        )
        yield* Deferred.await(locked)
        yield* contacts.write(accountId, changes({ updates: [withdrawn], updatedFields: ["consentStatus"] }))
        order.push("withdrawn")
        expect(yield* Fiber.join(delivering)).toHaveLength(1)
        expect(order).toEqual(["delivered", "withdrawn"])
        expect(yield* store.lockSendable([claim])).toEqual([])
      })
    )
  })
}
