/**
 * Tests of erasing many people in one call, and of erasing a person whose email is being sent.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { systemActor, keyActor, managementActor } from "../../../core/model/Actor.ts"
import { Bootstrap } from "../../../core/accounts/Bootstrap.ts"
import { AddressHash } from "../../../core/audience/contacts/AddressHash.ts"
import { Contacts } from "../../../core/audience/contacts/Contacts.ts"
import { Erasure } from "../../../core/privacy/Erasure.ts"
import { Worker } from "../../../core/jobs/Worker.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { InboxStore } from "../../../core/ports/InboxStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../core/ports/SuppressionStore.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import { firstPage, newId } from "../../contract/fixtures.ts"
import { makeFakeTransport } from "../../support/fakeTransport.ts"
import { type Meanwhile, wholeCore } from "../../support/wholeCore.ts"
import { auditOf } from "../../contract/fixtures.ts"

const whenErased = (email: string) => {
  const meanwhile: Meanwhile = { act: Effect.void }
  return Effect.gen(function* () {
    const secrets = yield* (yield* Bootstrap).prepare(0)
    const accountId = secrets!.sandboxAccountId
    const { contact } = yield* (yield* Contacts).write(accountId, { email })
    const erasure = yield* Erasure
    const others = { to: "other@example.org", subject: "Hello", html: "<p>Hello</p>" }
    yield* (yield* Emails).submit(accountId, { ...others, to: email }, null)
    yield* (yield* Emails).submit(accountId, others, null)
    meanwhile.act = erasure.erase(accountId, contact.id, systemActor)
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
  }).pipe(Effect.provide(wholeCore(meanwhile, makeFakeTransport())))
}

describe("Erasure.eraseMany", () => {
  const environment = Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport()))

  /**
   * Four contacts that had the same address one after another. That address is suppressed, and so are two of their current ones.
   */
  const setUp = Effect.gen(function* () {
    const secrets = yield* (yield* Bootstrap).prepare(0)
    const accountId = secrets!.sandboxAccountId
    const contacts = yield* Contacts
    const people: Array<string> = []
    for (const name of ["ada", "bob", "eve", "kim"]) {
      const { contact } = yield* contacts.write(accountId, { email: "before@example.org" })
      yield* contacts.write(accountId, { id: contact.id, email: `${name}@example.org` })
      people.push(contact.id)
    }
    const listed = ["before", "ada", "kim"].map((name) => ({
      accountId,
      email: `${name}@example.org`,
      kind: "Protected" as const,
      source: "Ui" as const,
      createdAt: 0
    }))
    yield* (yield* SuppressionStore).put(listed)
    const erasedOf = Effect.gen(function* () {
      const found = yield* (yield* ContactStore).find(accountId, { ids: people, externalIds: [], emails: [] })
      const erased = new Set(found.flatMap(({ erasedAt, id }) => (erasedAt === null ? [] : [id])))
      return people.map((id) => erased.has(id))
    })
    const targetsOf = Effect.map(
      Effect.flatMap(AuditLog, (log) => log.list(auditOf(accountId), {}, firstPage)),
      ({ items }) => items.filter(({ action }) => action === "contact.erased")
    )
    const addressesOf = Effect.map(
      Effect.flatMap(SuppressionStore, (store) => store.list(accountId, firstPage)),
      ({ items }) => items.map(({ email }) => (email.includes("@") ? email : "hash")).toSorted()
    )
    return { accountId, people, erasedOf, targetsOf, addressesOf }
  })

  it.live("ignores erased contacts, and records each other erasure once", () =>
    Effect.gen(function* () {
      const { accountId, addressesOf, erasedOf, people, targetsOf } = yield* setUp
      const { erase, eraseMany } = yield* Erasure
      const [ada, bob, eve, kim] = people as [string, string, string, string]
      yield* erase(accountId, bob, keyActor("first"))
      expect(yield* eraseMany(accountId, [], managementActor)).toEqual([])
      expect(yield* eraseMany(accountId, [bob, newId()], managementActor)).toEqual([])
      const wanted = [ada, bob, newId(), eve, ada]
      expect((yield* eraseMany(accountId, wanted, keyActor("second"))).toSorted()).toEqual(
        [ada, eve].toSorted()
      )
      expect(yield* erasedOf).toEqual([true, true, true, false])
      expect((yield* targetsOf).map(({ actor, target }) => [actor.id, target]).toSorted()).toEqual(
        [
          ["first", bob],
          ["second", ada],
          ["second", eve]
        ].toSorted()
      )
      expect(yield* addressesOf).toEqual(["hash", "hash", "kim@example.org"])
      expect(yield* eraseMany(accountId, [kim], managementActor)).toEqual([kim])
      expect(yield* addressesOf).toEqual(["hash", "hash", "hash"])
    }).pipe(environment)
  )

  it.live("stores hashes of current and former addresses only for people who asked to be erased", () =>
    Effect.gen(function* () {
      const { accountId, people } = yield* setUp
      const { eraseMany } = yield* Erasure
      const hashes = Effect.map(
        Effect.flatMap(ContactStore, (store) =>
          store.find(accountId, { ids: people, externalIds: [], emails: [] })
        ),
        (found) => new Map(found.map(({ addressHash, id }) => [id, addressHash]))
      )
      yield* eraseMany(accountId, people.slice(0, 2), managementActor, { isRemembered: false })
      yield* eraseMany(accountId, people.slice(2), managementActor)
      const left = yield* hashes
      expect(people.map((id) => left.get(id) !== null)).toEqual([false, false, true, true])
      const hashOf = yield* (yield* AddressHash).get
      const asked = ["ada", "eve", "kim", "before"].map((name) => hashOf(accountId, `${name}@example.org`))
      const known = yield* (yield* ContactStore).erasedHashes(accountId, asked)
      expect(known.toSorted()).toEqual(asked.slice(1).toSorted())
    }).pipe(environment)
  )
})

describe("erasure while an email is being transmitted", () => {
  for (const email of [
    "ada@example.org",
    "bounce@example.org",
    "complaint@example.org",
    "defer@example.org"
  ]) {
    it.live(`erases everything of ${email}`, () => whenErased(email))
  }
})
