/**
 * A naive model of contact writes (docs/contributing/public-api.md "POST /contacts rules", docs/contributing/decisions.md 3): it
 * searches a list of contacts and applies each rule literally. Also generates populations and batches for the comparison. They
 * use so few identities that writes often collide.
 *
 * @module
 */
import * as fc from "fast-check"
import {
  type ConsentProof,
  type ConsentStatus,
  consentStatuses,
  type ConsentTrigger
} from "../../../../core/model/Consent.ts"
import { type Contact, newContact } from "../../../../core/model/Contact.ts"
import type { ContactField } from "../../../../core/model/ContactField.ts"
import type { ContactCommand } from "../../../../core/audience/contacts/ContactWrite.ts"
import { type Code, Problem } from "../../../../core/shared/Problem.ts"
import {
  anyAttributes,
  anyCatalogue,
  anyChoices,
  anyStoredAttributes,
  anyTopics,
  type Catalogue,
  chosen
} from "./AttributeModel.ts"

/** The time of the writes, and a time before it. */
export const now = Date.UTC(2031, 3, 6)
const before = now - 86_400_000

/** An entry of the consent history without its id. */
export interface HistoryLine {
  readonly contactId: string
  readonly from: ConsentStatus | null
  readonly to: ConsentStatus
  readonly basis: string | null
  readonly proof: ConsentProof | null
}

/** The result of a write: the contact, or the code of its first issue. */
export type ModelResult = { readonly contact: Contact; readonly created: boolean } | Code

/** An account before the writes. */
export interface Population extends Catalogue {
  readonly contacts: ReadonlyArray<Contact>
}

export interface Model {
  readonly contacts: ReadonlyArray<Contact>
  readonly fields: ReadonlyArray<ContactField>
  readonly history: ReadonlyArray<HistoryLine>
  readonly results: ReadonlyArray<ModelResult>
}

/** Applies writes one after another. The nth contact created has the id `new:n`. */
export const applyAll = (
  population: Population,
  contactLimit: number | null,
  commands: ReadonlyArray<ContactCommand | Problem>
): Model => {
  let { contacts, fields } = population
  const history: Array<HistoryLine> = []
  const results: Array<ModelResult> = []
  let newContacts = 0

  const write = (command: ContactCommand): ModelResult => {
    const living = contacts.filter((contact) => contact.erasedAt === null)
    const byId = living.find((contact) => contact.id === command.id)
    const byExternalId = living.find(
      (contact) => contact.externalId !== null && contact.externalId === command.externalId
    )
    const byEmail = living.find((contact) => contact.email !== null && contact.email === command.email)
    const meant = new Set([byId, byExternalId, byEmail].filter((contact) => contact !== undefined))
    if (meant.size > 1) return "audience.contact_identity_conflict"
    const [found] = meant
    if (found === undefined && command.email === null) return "audience.contact_email_required"
    if (found === undefined && contactLimit !== null && living.length >= contactLimit) {
      return "audience.contact_limit_reached"
    }
    if (found !== undefined && found.storeId !== null) {
      const otherEmail = command.email !== null && command.email !== found.email
      const otherId = command.externalId !== null && command.externalId !== found.externalId
      const otherConsent = command.consent !== null && command.consent._tag !== "Unsubscribed"
      if (otherEmail || otherId || otherConsent) return "audience.contact_store_managed"
    }
    const start = found ?? newContact(`new:${newContacts}`, command.email!, now)
    const choice = chosen(start, { ...population, fields }, command.attributes, command.topics, now)
    if (typeof choice === "string") return choice
    fields = choice.fields
    if (found === undefined) newContacts++
    const written = consented(
      {
        ...choice.contact,
        ...command.profile,
        email: command.email === null ? start.email : command.email,
        formerEmails: formerOf(start, command.email),
        externalId: command.externalId === null ? start.externalId : command.externalId
      },
      found === undefined,
      command,
      history
    )
    contacts =
      found === undefined
        ? [...contacts, written]
        : contacts.map((contact) => (contact === found ? written : contact))
    return { contact: written, created: found === undefined }
  }

  for (const command of commands) {
    results.push(command instanceof Problem ? command.issues[0].code : write(command))
  }
  return { contacts, fields, history, results }
}

const consented = (
  contact: Contact,
  isNew: boolean,
  command: ContactCommand,
  history: Array<HistoryLine>
): Contact => {
  const { consent, proof } = command
  const status = contact.consentStatus
  if (consent === null) return contact
  if (status === "Bounced" || status === "Complained") return contact
  const to: ConsentStatus =
    consent._tag === "Subscribed"
      ? "Subscribed"
      : consent._tag === "Unsubscribed"
        ? "Unsubscribed"
        : status === "Unknown" || status === "CheckoutStarted"
          ? "SoftOptIn"
          : status
  const newProof =
    consent._tag === "Subscribed" && JSON.stringify(consent.proof) !== JSON.stringify(contact.consentProof)
  if (!isNew && to === status && !newProof) return contact
  history.push({ contactId: contact.id, from: isNew ? null : status, to, basis: consent._tag, proof })
  return {
    ...contact,
    consentStatus: to,
    consentSource: "Api",
    consentUpdatedAt: now,
    consentProof: proof === null ? contact.consentProof : proof
  }
}

/** The former addresses of a contact: an address it loses is appended, an address it takes again is removed. */
const formerOf = (contact: Contact, email: string | null): ReadonlyArray<string> => {
  if (email === null || email === contact.email || contact.email === null) return contact.formerEmails
  const without = contact.formerEmails.filter((former) => former !== contact.email && former !== email)
  const at = contact.formerEmails.indexOf(contact.email)
  return at === -1 ? [...without, contact.email] : contact.formerEmails.filter((former) => former !== email)
}

const emails = ["a@x.org", "b@x.org", "c@x.org", "d@x.org", "e@x.org"]
const externalIds = ["u1", "u2", "u3", "u4"]
const storedIds = ["id0", "id1", "id2", "id3", "id4"]

const proofOf = (text: string): ConsentProof => ({
  text,
  textVersion: null,
  locale: "en",
  ipAddress: null,
  givenAt: before
})

const anyProof = fc.constantFrom("yes", "yes, please").map(proofOf)

const anyConsent: fc.Arbitrary<Pick<ContactCommand, "consent" | "proof">> = fc.oneof(
  fc.constant({ consent: null, proof: null }),
  anyProof.map((proof) => ({ consent: { _tag: "Subscribed", proof } satisfies ConsentTrigger, proof })),
  fc
    .tuple(fc.constantFrom("Customer" as const, "Unsubscribed" as const), fc.option(anyProof))
    .map(([_tag, proof]) => ({ consent: { _tag }, proof }))
)

/** A write that is valid by itself. */
export const anyCommand: fc.Arbitrary<ContactCommand> = fc
  .record({
    id: fc.option(fc.constantFrom(...storedIds, "unknown"), { freq: 2 }),
    externalId: fc.option(fc.constantFrom(...externalIds), { freq: 2 }),
    email: fc.option(fc.constantFrom(...emails), { freq: 3 }),
    profile: fc.record(
      { firstName: fc.constantFrom("Ann", "Bo", null), city: fc.constantFrom("Rome", null) },
      { requiredKeys: [] }
    ),
    consent: anyConsent,
    attributes: anyAttributes,
    topics: anyTopics
  })
  .map(({ consent, ...rest }) => ({ ...rest, ...consent }))

/** A batch of writes, some of them invalid. */
export const anyBatch: fc.Arbitrary<ReadonlyArray<ContactCommand | Problem>> = fc.array(
  fc.oneof(
    { arbitrary: anyCommand, weight: 15 },
    { arbitrary: fc.constant(Problem.of("validation.email", "email")), weight: 1 }
  ),
  { maxLength: 12 }
)

const anyStored = fc.record({
  email: fc.constantFrom(...emails),
  externalId: fc.option(fc.constantFrom(...externalIds)),
  storeId: fc.constantFrom(null, null, "store"),
  firstName: fc.constantFrom("Ann", "Bo", null),
  consentStatus: fc.constantFrom(...consentStatuses),
  consentProof: fc.option(anyProof),
  attributes: anyStoredAttributes,
  topics: anyChoices,
  version: fc.integer({ min: 1, max: 9 }),
  erased: fc.integer({ min: 0, max: 5 }).map((die) => die === 0)
})

/** Contacts whose identities are unique, some of a store, some erased. */
const anyContacts: fc.Arbitrary<ReadonlyArray<Contact>> = fc
  .uniqueArray(anyStored, { maxLength: storedIds.length, selector: (contact) => contact.email })
  .map((generated) => {
    const taken = new Set<string>()
    return generated.map(({ erased, ...draft }, index): Contact => {
      const id = storedIds[index]!
      const stored = { ...newContact(id, draft.email, before), version: draft.version }
      if (erased) return { ...stored, email: null, erasedAt: before, addressHash: "hash" }
      const externalId = draft.externalId === null || taken.has(draft.externalId) ? null : draft.externalId
      if (externalId !== null) taken.add(externalId)
      return { ...stored, ...draft, externalId }
    })
  })

/** The population of an account. Contacts have values only of existing fields. */
export const anyPopulation: fc.Arbitrary<Population> = fc
  .tuple(anyContacts, anyCatalogue)
  .map(([contacts, catalogue]) => {
    const known = new Set(catalogue.fields.map((field) => field.key))
    const withKnown = contacts.map((contact) => ({
      ...contact,
      attributes: Object.fromEntries(Object.entries(contact.attributes).filter(([key]) => known.has(key)))
    }))
    return { contacts: withKnown, ...catalogue }
  })

/** A contact limit. */
export const anyLimit = fc.option(fc.nat({ max: 7 }), { freq: 2 })
