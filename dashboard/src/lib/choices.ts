/**
 * Countries and languages, named in the reader's language.
 *
 * @module
 */

/** A value with its name. */
export interface Choice {
  readonly value: string
  readonly label: string
}

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

/** Codes of groupings and test regions, which are not countries. */
const noCountries = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"])

/** The codes of all countries that the browser knows. A former code is replaced by the current one. */
const countryCodes = (): ReadonlyArray<string> =>
  letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !noCountries.has(code) && new Intl.Locale(`und-${code}`).region === code)

/** Languages that are always offered, even if no contact has them. */
const languages =
  "ar bg cs da de el en es et fa fi fr he hi hr hu id is it ja ko lt lv ms nb nl pl pt ro ru sk sl sr sv th tr uk vi zh"

/** The name of a country or a language; null if the code is not one. */
export const nameIn = (locale: string, type: "language" | "region", value: string): string | null => {
  try {
    return new Intl.DisplayNames(locale, { type, fallback: "none" }).of(value) ?? null
  } catch {
    return null
  }
}

/** All countries, or the common languages and those of the contacts, sorted by name. */
export const choicesIn = (
  locale: string,
  type: "language" | "region",
  known: ReadonlyArray<string> = []
): ReadonlyArray<Choice> => {
  const names = new Intl.DisplayNames(locale, { type, fallback: "none" })
  const values = type === "region" ? countryCodes() : new Set([...languages.split(" "), ...known])
  const nameOf = (value: string): string | undefined => {
    try {
      return names.of(value)
    } catch {
      // The value stored for a contact may not be a valid language tag.
      return value
    }
  }
  return [...values]
    .flatMap((value) => {
      const label = nameOf(value)
      return label === undefined ? [] : [{ value, label }]
    })
    .toSorted((one, other) => one.label.localeCompare(other.label, locale))
}
