/**
 * The rules of the contact list's filters, for adapters that check them without SQL.
 *
 * @module
 */
import type { Contact } from "../../model/Contact.ts"
import type { ContactFilter } from "../../ports/SegmentStore.ts"
import { foldCase } from "../../shared/Validate.ts"

/** What ends a word, besides the end of the text. */
export const wordEnds = " .,@-_+/()"

/** From this length on a search is found anywhere, not only where a word begins. */
export const minSubstring = 3

const ends = /[ .,@_+/()-]/g

/** The text of a contact that is searched: address, name, external id and phone, each on its own line. */
export const contactText = ({ email, externalId, firstName, lastName, phone }: Contact): string =>
  foldCase([email ?? "", `${firstName ?? ""} ${lastName ?? ""}`, externalId ?? "", phone ?? ""].join("\n"))

/** Whether a search finds a text, both in the form of `foldCase`. */
export const isFound = (text: string, q: string): boolean =>
  Array.from(q).length >= minSubstring
    ? text.includes(q)
    : `\n${text.replaceAll(ends, "\n")}`.includes(`\n${q}`)

/** The latest of what a contact did: came, opened, clicked, ordered, converted. Epoch milliseconds. */
export const lastActivityOf = (contact: Contact): number =>
  Math.max(
    contact.addedAt,
    contact.lastOpenAt ?? -Infinity,
    contact.lastClickAt ?? -Infinity,
    contact.lastOrderAt ?? -Infinity,
    contact.lastConversionAt ?? -Infinity
  )

/** Whether a contact passes those filters that need nothing but the contact. */
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
