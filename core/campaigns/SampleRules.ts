/**
 * Chooses the people for whom a check renders a campaign.
 *
 * @module
 */
import type { Contact } from "../model/Contact.ts"

/** How many people a check renders the content for. */
export const sampleSize = 20

/** How many of the fields that content may show a contact has. */
const fieldCount = ({
  attributes,
  city,
  countryCode,
  firstName,
  language,
  lastName,
  phone,
  tags
}: Contact): number =>
  Object.keys(attributes).length +
  [firstName, lastName, phone, city, countryCode, language, tags].filter((value) => value !== null).length

/**
 * Chooses the people: half of them are those with the fewest fields, for whom content most likely fails; the others are chosen
 * by their hash slot.
 */
export const sampleOf = (
  people: ReadonlyArray<Contact>,
  slotOf: (contact: Contact) => number
): ReadonlyArray<Contact> => {
  const slots = new Map(people.map((contact) => [contact, slotOf(contact)]))
  const bySlot = people.toSorted((a, b) => slots.get(a)! - slots.get(b)!)
  const poorest = bySlot.toSorted((a, b) => fieldCount(a) - fieldCount(b)).slice(0, sampleSize / 2)
  const others = bySlot.filter((contact) => !poorest.includes(contact))
  return [...poorest, ...others.slice(0, sampleSize - poorest.length)]
}
