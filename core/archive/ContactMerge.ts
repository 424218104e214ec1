/**
 * Merges contacts of an archive into an account that may already have them; pure.
 *
 * A contact is identified by id, address or external id, and keeps the ones that the account has. Values in the archive replace
 * stored ones, except null. The later of two consents wins, and a bounce or complaint on either side wins over any other consent.
 * The histories are merged, so that no proof is lost. An erased person stays erased. Importing an archive again changes nothing.
 *
 * @module
 */
import { Result } from "effect"
import type { ContactChanges } from "../ports/ContactStore.ts"
import { compareDecimals } from "../shared/Decimal.ts"
import { type Code, type Issue, Issues, issue, Problem } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Json.ts"
import type { SuppressionKind } from "../model/Suppression.ts"
import { type ConsentEntry, nextConsent, verdictConsent } from "../model/Consent.ts"
import { type AttributeValue, type Contact, newContact } from "../model/Contact.ts"
import type { ContactField } from "../model/ContactField.ts"
import { checkValue } from "../audience/fields/FieldRules.ts"
import type { Topic } from "../model/Topic.ts"
import type { LineOf } from "./ArchiveLine.ts"

/** What a line changed in the account. */
export type LineChange = "added" | "changed" | "unchanged"

/** The outcome of a line: what it changed, or why it is rejected. */
export type Outcome = Result.Result<LineChange, Problem>

/** The state on which the decision about a batch of contacts is based. */
export interface ContactMergeState {
  /** Every stored contact with an id, address or external id of the batch. Erased contacts are included by id. */
  readonly contacts: ReadonlyArray<Contact>
  /** The consent history of those contacts. */
  readonly consents: ReadonlyArray<ConsentEntry>
  readonly fields: ReadonlyArray<ContactField>
  readonly topics: ReadonlyArray<Topic>
  /** Ids of connected stores, by {@link storeKey}. */
  readonly stores: ReadonlyMap<string, string>
  /** Addresses that are suppressed. */
  readonly suppressed: ReadonlyMap<string, SuppressionKind>
  /** Addresses of people who were erased. */
  readonly erased: ReadonlySet<string>
  /** The number of contacts in the account. */
  readonly contactCount: number
  readonly contactLimit: number | null
  /** New ids in ascending order: one for each line of each history, and one more for each contact. */
  readonly ids: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly now: number
}

/** The result of a batch. */
export interface ContactMerge {
  /** In the order of the lines. */
  readonly outcomes: ReadonlyArray<Outcome>
  readonly changes: ContactChanges
}

/** The name of a store in archives. */
export const storeKey = ({ domain, platform }: { readonly domain: string; readonly platform: string }) =>
  `${platform} ${domain}`

/** Decides a batch. A contact that an earlier line names is rejected, because an archive contains each contact only once. */
export const mergeContacts = (
  state: ContactMergeState,
  lines: ReadonlyArray<LineOf<"contact">>
): ContactMerge => {
  const index = indexOf(state.contacts)
  const histories = Map.groupBy(state.consents, (entry) => entry.contactId)
  const taken = new Set<string>()
  const inserts: Array<Contact> = []
  const updates: Array<Contact> = []
  const consents: Array<ConsentEntry> = []
  let nextId = 0

  const decide = (line: LineOf<"contact">): Outcome => {
    const reject = (code: Code, field: string | null = null): Outcome => Result.fail(Problem.of(code, field))
    const known = new Set(
      [
        index.byId.get(line.id),
        index.byEmail.get(line.email),
        line.externalId === null ? undefined : index.byExternalId.get(line.externalId)
      ].filter((contact) => contact !== undefined)
    )
    const [before, ...others] = known
    const names = namesOf(line, before)
    if (others.length > 0 || names.some((name) => taken.has(name))) {
      return reject("audience.contact_identity_conflict")
    }
    if ((before?.erasedAt ?? null) !== null || (before === undefined && state.erased.has(line.email))) {
      return reject("audience.contact_erased", "email")
    }
    if (line.consent.status === "Subscribed" && line.consent.proof === null) {
      return reject("audience.consent_proof_required", "consent.proof")
    }
    const validated = contactOf(line, state)
    if (Result.isFailure(validated)) return Result.fail(validated.failure)
    const imported = validated.success
    if (before === undefined && state.contactLimit !== null) {
      if (state.contactCount + inserts.length >= state.contactLimit) {
        const max = state.contactLimit
        return Result.fail(Problem.of("audience.contact_limit_reached", null, { max }))
      }
    }
    const merged = before === undefined ? imported : merge(before, imported)
    const history = missingHistory(line, histories.get(before?.id ?? "") ?? [])
    const added = history.map((entry): ConsentEntry => ({
      id: state.ids[nextId++]!,
      contactId: merged.id,
      ...entry
    }))
    const contact = suppress(merged, state, added, () => state.ids[nextId++]!)
    const changes = before === undefined || !deepEqual(before, contact)
    for (const name of names) taken.add(name)
    consents.push(...added)
    if (before === undefined) inserts.push(contact)
    else if (changes) updates.push({ ...contact, version: before.version + 1 })
    if (before === undefined) return Result.succeed("added")
    return Result.succeed(changes || added.length > 0 ? "changed" : "unchanged")
  }

  const outcomes = lines.map(decide)
  return {
    outcomes,
    changes: {
      inserts,
      updates,
      released: [],
      updatedFields: "Any",
      consents,
      contactLimit: state.contactLimit
    }
  }
}

const indexOf = (contacts: ReadonlyArray<Contact>) => {
  const byId = new Map<string, Contact>()
  const byEmail = new Map<string, Contact>()
  const byExternalId = new Map<string, Contact>()
  for (const contact of contacts) {
    byId.set(contact.id, contact)
    if (contact.erasedAt !== null) continue
    if (contact.email !== null) byEmail.set(contact.email, contact)
    if (contact.externalId !== null) byExternalId.set(contact.externalId, contact)
  }
  return { byId, byEmail, byExternalId }
}

/** All keys of a line and of the contact into which it is merged. */
const namesOf = (line: LineOf<"contact">, before: Contact | undefined): ReadonlyArray<string> => {
  const names = [`id ${line.id}`, `email ${line.email}`]
  if (line.externalId !== null) names.push(`external ${line.externalId}`)
  if (before !== undefined) names.push(`id ${before.id}`)
  return names
}

/** A new contact of the account with the values of a line. */
const contactOf = (
  line: LineOf<"contact">,
  { fields, stores, topics }: ContactMergeState
): Result.Result<Contact, Problem> => {
  const issues = new Issues()
  const { attributes: given, consent, kind: _kind, store, topics: chosen, ...rest } = line
  const storeId = store === null ? null : (stores.get(storeKey(store)) ?? null)
  if (store !== null && storeId === null) issues.add("archive.store_unknown", "store")
  const attributes: Array<[string, AttributeValue]> = []
  for (const [key, value] of Object.entries(given)) {
    const field = fields.find((one) => one.key === key)
    const kept =
      field === undefined
        ? issue("audience.attribute_unknown", `attributes.${key}`)
        : checkValue(field.type, value, `attributes.${key}`)
    if (isIssue(kept)) issues.push(kept)
    else attributes.push([key, kept])
  }
  const choices: Array<[string, boolean]> = []
  for (const [key, choice] of Object.entries(chosen)) {
    const topic = topics.find((one) => one.key === key)
    if (topic === undefined) issues.add("topics.not_found", `topics.${key}`)
    else choices.push([topic.id, choice])
  }
  return issues.result({
    ...newContact(line.id, line.email, line.addedAt),
    ...rest,
    storeId,
    consentStatus: consent.status,
    consentSource: consent.source,
    consentUpdatedAt: consent.updatedAt,
    consentProof: consent.proof,
    attributes: Object.fromEntries(attributes),
    topics: Object.fromEntries(choices)
  })
}

const isIssue = (value: AttributeValue | Issue): value is Issue =>
  typeof value === "object" && "code" in value

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

/** A stored contact with the values of the archive. */
const merge = (before: Contact, imported: Contact): Contact => {
  const consent = latestConsent(before, imported)
  const spent =
    imported.orderCount > before.orderCount ||
    (imported.orderCount === before.orderCount && compareDecimals(imported.totalSpent, before.totalSpent) > 0)
      ? imported
      : before
  return {
    ...before,
    storeId: before.storeId ?? imported.storeId,
    externalId: before.externalId ?? imported.externalId,
    formerEmails: before.formerEmails.length > 0 ? before.formerEmails : imported.formerEmails,
    firstName: imported.firstName ?? before.firstName,
    lastName: imported.lastName ?? before.lastName,
    phone: imported.phone ?? before.phone,
    city: imported.city ?? before.city,
    countryCode: imported.countryCode ?? before.countryCode,
    language: imported.language ?? before.language,
    consentStatus: consent.consentStatus,
    consentSource: consent.consentSource,
    consentUpdatedAt: consent.consentUpdatedAt,
    consentProof: consent.consentProof ?? before.consentProof,
    storeConsentMode: imported.storeConsentMode ?? before.storeConsentMode,
    marketingDeclared: before.marketingDeclared || imported.marketingDeclared,
    isPayingCustomer: before.isPayingCustomer || imported.isPayingCustomer,
    orderCount: spent.orderCount,
    totalSpent: spent.totalSpent,
    fromOrders: before.fromOrders || imported.fromOrders,
    tags: imported.tags ?? before.tags,
    attributes: { ...before.attributes, ...imported.attributes },
    topics: { ...before.topics, ...imported.topics },
    addedAt: Math.min(before.addedAt, imported.addedAt),
    sourceCreatedAt: before.sourceCreatedAt ?? imported.sourceCreatedAt,
    lastSyncedAt: later(before.lastSyncedAt, imported.lastSyncedAt),
    lastOrderAt: later(before.lastOrderAt, imported.lastOrderAt),
    lastOpenAt: later(before.lastOpenAt, imported.lastOpenAt),
    lastClickAt: later(before.lastClickAt, imported.lastClickAt),
    lastEmailedAt: later(before.lastEmailedAt, imported.lastEmailedAt),
    lastConversionAt: later(before.lastConversionAt, imported.lastConversionAt)
  }
}

const isFinal = ({ consentStatus }: Contact): boolean =>
  consentStatus === "Bounced" || consentStatus === "Complained"

/** The contact whose consent wins. At equal timestamps Unsubscribed wins, otherwise the stored consent. */
const latestConsent = (before: Contact, imported: Contact): Contact => {
  if (isFinal(before) || isFinal(imported)) return isFinal(before) ? before : imported
  const [own, other] = [before.consentUpdatedAt ?? -Infinity, imported.consentUpdatedAt ?? -Infinity]
  if (own !== other) return own > other ? before : imported
  return imported.consentStatus === "Unsubscribed" ? imported : before
}

type HistoryLine = LineOf<"contact">["consent"]["history"][number]

const historyKey = ({ at, basis, from, proof, source, to }: HistoryLine): string =>
  JSON.stringify([
    at,
    from,
    to,
    basis,
    source,
    proof === null ? null : [proof.text, proof.textVersion, proof.locale, proof.ipAddress, proof.givenAt]
  ])

/** The history entries that the account lacks, each as often as it is missing. */
const missingHistory = (
  line: LineOf<"contact">,
  stored: ReadonlyArray<ConsentEntry>
): ReadonlyArray<HistoryLine> => {
  const counts = new Map<string, number>()
  for (const entry of stored) {
    const key = historyKey(entry)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return line.consent.history.filter((entry) => {
    const key = historyKey(entry)
    const count = counts.get(key) ?? 0
    counts.set(key, count - 1)
    return count <= 0
  })
}

/** Applies the suppression of the contact's address to its consent, and adds an entry to the history. */
const suppress = (
  contact: Contact,
  { now, suppressed }: ContactMergeState,
  history: Array<ConsentEntry>,
  newId: () => string
): Contact => {
  const kind = contact.email === null ? undefined : suppressed.get(contact.email)
  if (kind === undefined || kind === "Protected") return contact
  const { source, trigger } = verdictConsent[kind]
  const from = contact.consentStatus
  const to = nextConsent(from, trigger)
  if (to === from) return contact
  history.push({ id: newId(), contactId: contact.id, from, to, basis: null, proof: null, source, at: now })
  return { ...contact, consentStatus: to, consentSource: source, consentUpdatedAt: now }
}
