/**
 * Reads the head and the first rows of a CSV file, for the mapping of its columns. The service reads the file itself.
 *
 * @module
 */

/** The beginning of a file. */
export interface CsvHead {
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const delimiters = [",", ";", "\t", "|"] as const

/** Splits a text into rows of cells; quoted cells may hold delimiters, line ends and doubled quotes. */
export const rowsOf = (
  text: string,
  delimiter: string,
  most: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<ReadonlyArray<string>> = []
  let row: Array<string> = []
  let cell = ""
  let isQuoted = false
  const endRow = () => {
    row.push(cell)
    cell = ""
    if (row.length > 1 || row[0] !== "") rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const char = text[at]
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (char === '"' && cell === "") isQuoted = true
    else if (char === delimiter) {
      row.push(cell)
      cell = ""
    } else if (char === "\n") endRow()
    else if (char !== "\r") cell += char
  }
  if (rows.length < most && (cell !== "" || row.length > 0)) endRow()
  return rows
}

/** The head and at most `most` rows; null for a text without both. The delimiter that makes most columns counts. */
export const readHead = (text: string, most = 20): CsvHead | null => {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text
  const best = delimiters
    .map((delimiter) => rowsOf(clean, delimiter, 1)[0]?.length ?? 0)
    .reduce((found, count, at, all) => (count > (all[found] ?? 0) ? at : found), 0)
  const [heads, ...rows] = rowsOf(clean, delimiters[best] ?? ",", most + 1)
  return heads === undefined || rows.length === 0 ? null : { heads, rows }
}

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
