import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ArchiveLine, encodeLine, type LineOf, parseLine } from "../../../core/archive/ArchiveLine.ts"
import { type ContactMergeState, mergeContacts } from "../../../core/archive/ContactMerge.ts"
import { type ConsentEntry, consentStatuses } from "../../../core/model/Consent.ts"
import { type Contact, newContact } from "../../../core/model/Contact.ts"
import type { ContactField } from "../../../core/model/ContactField.ts"
import { anyText } from "../arbitraries.ts"

const now = Date.UTC(2031, 4, 6)
const id = (index: number): string => `01890a5d-ac96-774b-bcce-${index.toString(16).padStart(12, "0")}`
const emails = ["a@x.example", "b@x.example", "c@x.example"]

const timestamps = fc.integer({ min: now - 1000, max: now })
const proofs = fc.record({
  text: fc.constantFrom("yes", "Yes, please"),
  textVersion: fc.constantFrom(null, "1"),
  locale: fc.constant(null),
  ipAddress: fc.constant(null),
  givenAt: fc.option(timestamps)
})
const entries = fc.record({
  from: fc.constantFrom(null, ...consentStatuses),
  to: fc.constantFrom(...consentStatuses),
  basis: fc.constantFrom(null, "Customer" as const, "Subscribed" as const),
  proof: fc.option(proofs),
  source: fc.constantFrom("Api" as const, "Import" as const),
  at: timestamps
})

const lines: fc.Arbitrary<LineOf<"contact">> = fc
  .record({
    index: fc.nat(2),
    email: fc.constantFrom(...emails),
    externalId: fc.constantFrom(null, "e1", "e2"),
    firstName: fc.constantFrom(null, "Ada", "Zoë"),
    status: fc.constantFrom(...consentStatuses),
    updatedAt: fc.option(timestamps),
    proof: proofs,
    history: fc.array(entries, { maxLength: 4 }),
    plan: fc.constantFrom(undefined, "pro", "free"),
    orderCount: fc.nat(3),
    addedAt: timestamps,
    lastOpenAt: fc.option(timestamps)
  })
  .map(({ history, index, plan, proof, status, updatedAt, ...rest }) => ({
    ...plainLine(index),
    ...rest,
    consent: { status, source: "Api", updatedAt, proof, history },
    attributes: plan === undefined ? {} : { plan }
  }))

const plainLine = (index: number): LineOf<"contact"> => {
  const {
    addressHash: _hash,
    consentProof: _proof,
    consentSource: _source,
    consentStatus: _status,
    consentUpdatedAt: _at,
    erasedAt: _erased,
    storeId: _store,
    version: _version,
    ...rest
  } = newContact(id(index), emails[index]!, now)
  return {
    ...rest,
    kind: "contact",
    store: null,
    email: emails[index]!,
    topics: {},
    consent: { status: "Unknown", source: null, updatedAt: null, proof: null, history: [] }
  }
}

const plan: ContactField = {
  accountId: id(99),
  key: "plan",
  label: "Plan",
  type: "Text",
  description: null,
  createdFrom: "Api",
  createdAt: now,
  archivedAt: null
}

interface Stored {
  readonly contacts: ReadonlyArray<Contact>
  readonly consents: ReadonlyArray<ConsentEntry>
}

let nextId = 1000

const stateOf = (stored: Stored, values: Partial<ContactMergeState> = {}): ContactMergeState => ({
  ...stored,
  fields: [plan],
  topics: [],
  stores: new Map(),
  suppressed: new Map(),
  erased: new Set(),
  contactCount: stored.contacts.length,
  contactLimit: null,
  ids: Array.from({ length: 50 }, () => id(nextId++)),
  now,
  ...values
})

/** The stored records after a merge. Fails if storage would reject it. */
const applied = (stored: Stored, { changes }: ReturnType<typeof mergeContacts>): Stored => {
  const contacts = new Map(stored.contacts.map((contact) => [contact.id, contact]))
  for (const contact of changes.inserts) {
    expect(contacts.has(contact.id)).toBe(false)
    contacts.set(contact.id, contact)
  }
  for (const contact of changes.updates) {
    expect(contact.version).toBe(contacts.get(contact.id)!.version + 1)
    contacts.set(contact.id, contact)
  }
  const all = [...contacts.values()]
  expect(new Set(all.map(({ email }) => email)).size).toBe(all.length)
  const external = all.flatMap(({ externalId }) => (externalId === null ? [] : [externalId]))
  expect(new Set(external).size).toBe(external.length)
  const consents = [...stored.consents, ...changes.consents]
  expect(new Set(consents.map((entry) => entry.id)).size).toBe(consents.length)
  return { contacts: all, consents }
}

const nothing: Stored = { contacts: [], consents: [] }
const batches = fc.array(lines, { maxLength: 5 })

describe("mergeContacts", () => {
  it("changes nothing the second time, whatever was stored before", () => {
    fc.assert(
      fc.property(batches, batches, (earlier, batch) => {
        const before = applied(nothing, mergeContacts(stateOf(nothing), earlier))
        const once = applied(before, mergeContacts(stateOf(before), batch))
        const again = mergeContacts(stateOf(once), batch)
        expect(again.changes.updates).toEqual([])
        expect(again.changes.consents).toEqual([])
      })
    )
  })

  it("keeps all history, all stored contacts, and every bounce or complaint", () => {
    fc.assert(
      fc.property(batches, batches, (earlier, batch) => {
        const before = applied(nothing, mergeContacts(stateOf(nothing), earlier))
        const merge = mergeContacts(stateOf(before), batch)
        const after = applied(before, merge)
        for (const contact of before.contacts) {
          const later = after.contacts.find((one) => one.id === contact.id)!
          expect(later.email).toBe(contact.email)
          if (contact.consentStatus === "Bounced" || contact.consentStatus === "Complained") {
            expect(later.consentStatus).toBe(contact.consentStatus)
          }
          if (later.consentStatus === "Subscribed") expect(later.consentProof).not.toBeNull()
        }
        batch.forEach((line, index) => {
          if (Result.isFailure(merge.outcomes[index]!)) return
          const changesOf = (history: ReadonlyArray<{ readonly at: number; readonly to: string }>) =>
            history.map(({ at, to }) => `${at} ${to}`)
          const owner = after.contacts.find(
            (one) =>
              one.id === line.id ||
              one.email === line.email ||
              (line.externalId !== null && one.externalId === line.externalId)
          )!
          const kept = changesOf(after.consents.filter((entry) => entry.contactId === owner.id))
          expect(kept).toEqual(expect.arrayContaining(changesOf(line.consent.history)))
        })
      })
    )
  })

  it("keeps an Unsubscribed that is as recent as the archive's consent or later", () => {
    const unsubscribed = { ...newContact(id(0), emails[0]!, now), consentStatus: "Unsubscribed" as const }
    for (const [at, expected] of [
      [now - 1, "Subscribed"],
      [now, "Unsubscribed"],
      [now + 1, "Unsubscribed"]
    ] as const) {
      const stored = { contacts: [{ ...unsubscribed, consentUpdatedAt: at }], consents: [] }
      const proof = { text: "yes", textVersion: null, locale: null, ipAddress: null, givenAt: null }
      const consent = { status: "Subscribed", source: "Api", updatedAt: now, proof, history: [] } as const
      const after = applied(stored, mergeContacts(stateOf(stored), [{ ...plainLine(0), consent }]))
      expect(after.contacts[0]!.consentStatus).toBe(expected)
    }
  })

  it("rejects erased people and contacts beyond the limit", () => {
    const codes = (values: Partial<ContactMergeState>) =>
      mergeContacts(stateOf(nothing, values), [plainLine(0), plainLine(1)]).outcomes.map((outcome) =>
        Result.isFailure(outcome) ? outcome.failure.message : outcome.success
      )
    expect(codes({ erased: new Set([emails[0]!]) })).toEqual(["audience.contact_erased", "added"])
    expect(codes({ contactLimit: 1 })).toEqual(["added", "audience.contact_limit_reached"])
    expect(codes({ contactLimit: 0 })).toEqual(Array(2).fill("audience.contact_limit_reached"))
  })
})

describe("parseLine", () => {
  it("decodes what encodeLine encodes", () => {
    fc.assert(
      fc.property(lines, (line) => {
        expect(parseLine(JSON.parse(JSON.stringify(encodeLine(line))))).toEqual(line)
      })
    )
  })

  it("returns null for any invalid value and never throws", () => {
    const good = encodeLine(plainLine(0)) as Record<string, unknown>
    const values = fc.oneof(
      fc.jsonValue(),
      anyText,
      fc.constantFrom(-1, 1e300, 2 ** 53, "9999-12-31T23:59:59Z")
    )
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(good)), values, (key, value) => {
        const line: ArchiveLine | null = parseLine({ ...good, [key]: value })
        if (line !== null) expect(parseLine(encodeLine(line))).toEqual(line)
      }),
      { numRuns: 500 }
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseLine(value)).toBeNull()
      })
    )
  })
})
