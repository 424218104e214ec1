/**
 * Notices changes of what tells the time zone of a person, by which people who wait for a time on their clocks wait anew.
 *
 * @module
 */
import type { Settings } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"

/**
 * The ids of contacts whose country, or attribute that names their time zone, is another than before.
 *
 * @param before contacts as they were, in any order
 */
export const movedContacts = (
  before: ReadonlyArray<Contact>,
  after: ReadonlyArray<Contact>,
  key: Settings["timeZoneAttribute"]
): ReadonlyArray<string> => {
  const stored = new Map(before.map((contact) => [contact.id, contact]))
  return after.flatMap(({ attributes, countryCode, id }) => {
    const old = stored.get(id)
    if (old === undefined) return []
    const isMoved =
      old.countryCode !== countryCode || (key !== null && old.attributes[key] !== attributes[key])
    return isMoved ? [id] : []
  })
}
