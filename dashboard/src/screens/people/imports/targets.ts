/**
 * Guesses the contact field for a column of a file.
 *
 * @module
 */

const known: ReadonlyArray<readonly [target: string, names: ReadonlyArray<string>]> = [
  ["email", ["email", "e-mail", "mail", "email address", "e-mail-adresse", "emailadresse"]],
  ["externalId", ["externalid", "external id", "user id", "userid", "customer id", "kundennummer"]],
  ["firstName", ["firstname", "first name", "vorname", "given name"]],
  ["lastName", ["lastname", "last name", "surname", "nachname", "family name"]],
  ["phone", ["phone", "telefon", "mobile", "tel"]],
  ["city", ["city", "town", "ort", "stadt"]],
  ["countryCode", ["countrycode", "country code", "country", "land"]],
  ["language", ["language", "sprache", "locale"]]
]

/** The likely field for a column, by its name; `ignored` if unclear. */
export const guessTarget = (head: string, targets: ReadonlyArray<string>): string => {
  const name = head.trim().toLowerCase().replaceAll("_", " ")
  const found = known.find(([, names]) => names.includes(name))?.[0]
  if (found !== undefined) return found
  return (
    targets.find(
      (target) => target.toLowerCase() === head.trim().toLowerCase() || target === `attributes.${head.trim()}`
    ) ?? "ignored"
  )
}
