/**
 * The rules of the contact list's filters, for adapters that apply them without SQL.
 *
 * @module
 */
import type { Contact } from "../../model/Contact.ts"
import type { ContactFilter } from "../../ports/SegmentStore.ts"
import { foldCase } from "../../shared/Validate.ts"

/** The characters that end a word, as does the end of the text. */
export const wordEnds = " .,@-_+/()"

/** The length from which a search matches anywhere, and not only at the beginning of a word. */
export const minSubstring = 3

const ends = /[ .,@_+/()-]/g

/** The searched text of a contact: address, name, external id and phone, each on its own line. */
export const contactText = ({ email, externalId, firstName, lastName, phone }: Contact): string =>
  foldCase([email ?? "", `${firstName ?? ""} ${lastName ?? ""}`, externalId ?? "", phone ?? ""].join("\n"))

/** Whether a search matches a text; both are in the form of `foldCase`. */
export const isFound = (text: string, q: string): boolean =>
  Array.from(q).length >= minSubstring
    ? text.includes(q)
    : `\n${text.replaceAll(ends, "\n")}`.includes(`\n${q}`)

/** The latest time at which a contact was active: visited, opened, clicked, ordered or converted. Epoch milliseconds. */
export const lastActivityOf = (contact: Contact): number =>
  Math.max(
    contact.addedAt,
    contact.lastOpenAt ?? -Infinity,
    contact.lastClickAt ?? -Infinity,
    contact.lastOrderAt ?? -Infinity,
    contact.lastConversionAt ?? -Infinity
  )

/** Whether a contact passes the filters that require nothing but the contact. */
export const passes = (filter: ContactFilter, contact: Contact): boolean => {
  const isAmong = (values: ReadonlyArray<string> | null | undefined, value: string | null) =>
    (values ?? null) === null || (value !== null && values!.includes(value))
  const isSince = (since: number | null | undefined, at: number | null) =>
    (since ?? null) === null || (at !== null && at >= since!)
  const { q = null, tag = null, topic = null, until = null } = filter
  return (
    isAmong(filter.consentStatus, contact.consentStatus) &&
    isAmong(filter.source, contact.consentSource) &&
    isAmong(filter.country, contact.countryCode) &&
    isAmong(filter.language, contact.language) &&
    isAmong(filter.storeId, contact.storeId) &&
    isSince(filter.since, contact.addedAt) &&
    (until === null || contact.addedAt < until) &&
    isSince(filter.lastEmailedSince, contact.lastEmailedAt) &&
    isSince(filter.lastOpenSince, contact.lastOpenAt) &&
    isSince(filter.lastClickSince, contact.lastClickAt) &&
    (tag === null || tag.some((one) => contact.tags?.includes(one) === true)) &&
    (topic === null || topic.some(({ defaultOn, id, on }) => (contact.topics[id] ?? defaultOn) === on)) &&
    (q === null || isFound(contactText(contact), q))
  )
}
