/**
 * Tests of batches of contact writes: the decision against the naive model, and the properties of every batch.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import type { Contact } from "../../../../core/model/Contact.ts"
import { type ContactDecision, decideContacts } from "../../../../core/audience/contacts/ContactRules.ts"
import type { ContactCommand } from "../../../../core/audience/contacts/ContactWrite.ts"
import { type Code, Problem } from "../../../../core/shared/Problem.ts"
import {
  anyBatch,
  anyCommand,
  anyLimit,
  anyPopulation,
  applyAll,
  type HistoryLine,
  type Model,
  type ModelResult,
  now,
  type Population
} from "./ContactModel.ts"

type Batch = ReadonlyArray<ContactCommand | Problem>

let lastId = 0

/** Decides on the data that storage returns: the contacts a batch names; erased contacts only by id. */
const decide = (
  population: Population,
  contactLimit: number | null,
  batch: Batch,
  isOneCall = false,
  erased: ReadonlySet<string> = new Set()
) => {
  const commands = batch.flatMap((command) => (command instanceof Problem ? [] : [command]))
  return decideContacts(
    {
      accountId: "account",
      fields: population.fields,
      topics: population.topics,
      autoCreate: population.autoCreate,
      contacts: population.contacts.filter((contact) =>
        commands.some(
          (command) =>
            command.id === contact.id ||
            (contact.externalId !== null && command.externalId === contact.externalId) ||
            (contact.email !== null && command.email === contact.email)
        )
      ),
      contactCount: population.contacts.filter((contact) => contact.erasedAt === null).length,
      contactLimit,
      ids: Array.from({ length: batch.length * 2 }, () => `made${String(lastId++).padStart(12, "0")}`),
      source: "Api",
      now,
      suppressed: new Map(),
      erased,
      isOneCall
    },
    batch.map((command) => (command instanceof Problem ? Result.fail(command) : Result.succeed(command)))
  )
}

/** The population after the changes. A write decided on another version is an error of the test. */
const store = (population: Population, { changes, fields }: ContactDecision): Population => {
  const updates = new Map(changes.updates.map((contact) => [contact.id, contact]))
  expect(updates.size).toBe(changes.updates.length)
  const remaining = population.contacts.map((contact) => {
    const update = updates.get(contact.id)
    updates.delete(contact.id)
    if (update !== undefined) expect(update.version).toBe(contact.version + 1)
    return update ?? contact
  })
  expect(updates.size).toBe(0)
  for (const contact of changes.inserts) expect(contact.version).toBe(1)
  return {
    ...population,
    contacts: [...remaining, ...changes.inserts],
    fields: [...population.fields, ...fields]
  }
}

const codeOf = (result: ContactDecision["results"][number]): Code | null =>
  Result.isFailure(result) ? result.failure.issues[0].code : null

const writtenOf = (results: ContactDecision["results"]) =>
  results.filter(Result.isSuccess).map((result) => result.success)

/** Decisions in the terms of the model: new ids by the order of creation, without versions. */
const inModelTerms = (population: Population, decisions: ReadonlyArray<ContactDecision>): Model => {
  const created = decisions
    .flatMap((decision) => writtenOf(decision.results))
    .filter((written) => written.created)
    .map((written) => written.contact.id)
  const named = (id: string) => (created.includes(id) ? `new:${created.indexOf(id)}` : id)
  const plain = (contact: Contact): Contact => ({ ...contact, id: named(contact.id), version: 0 })
  const after = decisions.reduce(store, population)
  return {
    contacts: after.contacts.map(plain),
    fields: after.fields,
    history: decisions
      .flatMap((decision) => decision.changes.consents)
      .map(({ basis, contactId, from, proof, to }): HistoryLine => ({
        contactId: named(contactId),
        from,
        to,
        basis,
        proof
      })),
    results: decisions.flatMap((decision) =>
      decision.results.map((result): ModelResult =>
        Result.isFailure(result)
          ? result.failure.issues[0].code
          : { contact: plain(result.success.contact), created: result.success.created }
      )
    )
  }
}

const withoutVersions = (model: Model): Model => ({
  ...model,
  contacts: model.contacts.map((contact) => ({ ...contact, version: 0 })),
  results: model.results.map((result) =>
    typeof result === "string" ? result : { ...result, contact: { ...result.contact, version: 0 } }
  )
})

/** Decides each write separately, on the result of the previous writes. */
const decideOneByOne = (population: Population, limit: number | null, batch: Batch) => {
  let current = population
  return batch.map((command) => {
    const decision = decide(current, limit, [command])
    current = store(current, decision)
    return decision
  })
}

const many = { numRuns: 1500 }

describe("decideContacts", () => {
  it("agrees with the naive model: results, contacts, history", () => {
    fc.assert(
      fc.property(anyPopulation, anyLimit, anyBatch, (population, limit, batch) => {
        const decision = decide(population, limit, batch)
        expect(inModelTerms(population, [decision])).toEqual(
          withoutVersions(applyAll(population, limit, batch))
        )
      }),
      { numRuns: 4000 }
    )
  })

  it("decides a batch like its writes one by one", () => {
    fc.assert(
      fc.property(anyPopulation, anyLimit, anyBatch, (population, limit, batch) => {
        const together = inModelTerms(population, [decide(population, limit, batch)])
        expect(inModelTerms(population, decideOneByOne(population, limit, batch))).toEqual(together)
      }),
      many
    )
  })

  it("changes nothing for a repeated write", () => {
    fc.assert(
      fc.property(anyPopulation, anyLimit, anyCommand, (population, limit, command) => {
        const first = decide(population, limit, [command])
        const after = store(population, first)
        const second = decide(after, limit, [command])
        expect(second.changes).toMatchObject({ inserts: [], updates: [], consents: [] })
        expect(second.fields).toEqual([])
        const [one, two] = [codeOf(first.results[0]!), codeOf(second.results[0]!)]
        expect(two).toBe(one)
        for (const written of writtenOf(second.results)) expect(written.created).toBe(false)
      }),
      many
    )
  })

  it("changes nothing for a repeated batch of different people", () => {
    fc.assert(
      fc.property(anyPopulation, anyBatch, (population, batch) => {
        const seen = new Set<string>()
        const { results } = decide(population, null, batch)
        // A rejected write, or one of two writes about the same person, may have another meaning when repeated.
        const clean = batch.filter((_, index) => {
          const result = results[index]!
          if (Result.isFailure(result) || seen.has(result.success.contact.id)) return false
          seen.add(result.success.contact.id)
          return true
        })
        const first = decide(population, null, clean)
        const people = new Set(writtenOf(first.results).map((written) => written.contact.id))
        fc.pre(people.size === clean.length)
        const after = store(population, first)
        const second = decide(after, null, clean)
        expect(second.changes).toMatchObject({ inserts: [], updates: [], consents: [] })
        expect(second.fields).toEqual([])
        expect(writtenOf(second.results).map((written) => written.contact.id)).toEqual([...people])
      }),
      many
    )
  })

  it("changes nothing for a repeated call, also where it writes a person several times", () => {
    fc.assert(
      fc.property(anyPopulation, anyBatch, (population, batch) => {
        const first = decide(population, null, batch, true)
        const after = store(population, first)
        const second = decide(after, null, batch, true)
        // A repeated write may concern another person; then it is not a repetition.
        const idsOf = ({ results }: ContactDecision) =>
          results.map((result) => (Result.isSuccess(result) ? result.success.contact.id : null))
        fc.pre(idsOf(first).join() === idsOf(second).join())
        expect(second.changes).toMatchObject({ inserts: [], updates: [], consents: [] })
        expect(second.fields).toEqual([])
      }),
      many
    )
  })

  it("gives no contact the address of an erased person, and decides the other writes as without it", () => {
    fc.assert(
      fc.property(anyPopulation, anyBatch, (population, batch) => {
        const known = new Set(population.contacts.map(({ email }) => email))
        const named = batch.flatMap((command) => (command instanceof Problem ? [] : (command.email ?? [])))
        const erased = new Set(named.filter((email) => !known.has(email)))
        const { results } = decide(population, null, batch, false, erased)
        for (const { contact } of writtenOf(results)) expect(erased).not.toContain(contact.email)
        const others = batch.map((command, index) =>
          codeOf(results[index]!) === "audience.contact_erased"
            ? Problem.of("audience.contact_erased", "email")
            : command
        )
        expect(decide(population, null, others).results.map(codeOf)).toEqual(results.map(codeOf))
      }),
      many
    )
  })

  it("decides one call like many, except for what ends as it began", () => {
    fc.assert(
      fc.property(anyPopulation, anyBatch, (population, batch) => {
        // Each decision creates new ids.
        const comparable = { id: "", version: 0, consentSource: null, consentUpdatedAt: null }
        const remaining = (isOneCall: boolean) =>
          store(population, decide(population, null, batch, isOneCall)).contacts.map((contact) => ({
            ...contact,
            ...comparable
          }))
        expect(remaining(true)).toEqual(remaining(false))
      }),
      many
    )
  })

  it("rejects each write by itself: without the rejected writes, the others have the same result", () => {
    fc.assert(
      fc.property(anyPopulation, anyLimit, anyBatch, (population, limit, batch) => {
        const whole = decide(population, limit, batch)
        const taken = batch.filter((_, index) => Result.isSuccess(whole.results[index]!))
        const model = inModelTerms(population, [whole])
        expect(inModelTerms(population, [decide(population, limit, taken)])).toEqual({
          ...model,
          results: model.results.filter((result) => typeof result !== "string")
        })
      }),
      many
    )
  })

  it("keeps identities unique, ids in growing order, and the contact limit", () => {
    fc.assert(
      fc.property(anyPopulation, anyLimit, anyBatch, (population, limit, batch) => {
        const decision = decide(population, limit, batch)
        const after = store(population, decision)
        const living = after.contacts.filter((contact) => contact.erasedAt === null)
        const emails = living.map((contact) => contact.email)
        const externalIds = living.flatMap((contact) => contact.externalId ?? [])
        expect(new Set(emails).size).toBe(emails.length)
        expect(new Set(externalIds).size).toBe(externalIds.length)
        const fieldKeys = after.fields.map((field) => field.key)
        expect(new Set(fieldKeys).size).toBe(fieldKeys.length)
        expect(fieldKeys.length).toBeLessThanOrEqual(100)
        const { consents, contactLimit, inserts } = decision.changes
        for (const ids of [inserts, consents].map((list) => list.map((entry) => entry.id))) {
          expect(ids).toEqual([...new Set(ids)].sort())
        }
        const made = [...inserts, ...consents].map((entry) => entry.id)
        expect(new Set(made).size).toBe(made.length)
        expect(contactLimit).toBe(limit)
        if (limit !== null && inserts.length > 0) expect(living.length).toBeLessThanOrEqual(limit)
      }),
      many
    )
  })

  it("changes no erased contact, and of a store's contact only an unsubscribe and the profile", () => {
    fc.assert(
      fc.property(anyPopulation, anyBatch, (population, batch) => {
        const after = store(population, decide(population, null, batch))
        for (const [index, contact] of population.contacts.entries()) {
          const later = after.contacts[index]!
          if (contact.erasedAt !== null) expect(later).toBe(contact)
          if (contact.storeId === null) continue
          expect(later).toMatchObject({
            email: contact.email,
            externalId: contact.externalId,
            storeId: contact.storeId
          })
          if (later.consentStatus !== contact.consentStatus) expect(later.consentStatus).toBe("Unsubscribed")
        }
      }),
      many
    )
  })

  it("sets no contact to Subscribed without an entry of the history with the proof", () => {
    fc.assert(
      fc.property(anyPopulation, anyBatch, (population, batch) => {
        const decision = decide(population, null, batch)
        for (const entry of decision.changes.consents) {
          expect(entry).toMatchObject({ source: "Api", at: now })
          if (entry.to === "Subscribed") expect(entry.proof?.text).toMatch(/./)
        }
        const statuses = new Map(population.contacts.map((contact) => [contact.id, contact.consentStatus]))
        for (const contact of [...decision.changes.inserts, ...decision.changes.updates]) {
          if (contact.consentStatus !== "Subscribed" || statuses.get(contact.id) === "Subscribed") continue
          const line = decision.changes.consents.findLast((entry) => entry.contactId === contact.id)
          expect(line?.to).toBe("Subscribed")
        }
      }),
      many
    )
  })
})
