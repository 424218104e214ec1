/**
 * Guesses which field of a contact the column of a file is.
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

/** What a column probably is, by its name; `ignored` where that is not clear. */
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
