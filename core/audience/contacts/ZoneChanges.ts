/**
 * Detects changes of the data that determines people's time zones. People who wait until a time in their zone are then decided
 * again.
 *
 * @module
 */
import type { Settings } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"

/**
 * The ids of contacts whose country, or whose attribute that names their time zone, has changed.
 *
 * @param before the contacts before the change, in any order
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
