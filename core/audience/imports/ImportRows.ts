/**
 * Rows of a file as contact writes. An empty field leaves what the contact has; it never clears.
 *
 * @module
 */
import { parseEmail } from "../../shared/EmailAddress.ts"
import { issue, type Issue, Problem } from "../../shared/Problem.ts"
import { isStorable } from "../../shared/Validate.ts"
import type { FieldType } from "../../model/ContactField.ts"
import { type Delimiter, delimiters, type ImportError } from "../../model/ContactImport.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import type { Columns } from "./ImportMapping.ts"
import type { ImportConsent, ImportField, ProofField } from "../../model/ContactImport.ts"

const yes = new Set(["true", "yes", "y", "on", "1"])
const no = new Set(["false", "no", "n", "off", "0"])

/** `true`, `yes`, `y`, `on`, `1` and their opposites, in any case; undefined for anything else. */
const booleanOf = (text: string): boolean | undefined => {
  const word = text.toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : undefined
}

const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/**
 * A field's text as a value of the attribute's type; a list is separated by `|` or, without one, by `;`. What is no
 * such value stays a text, for the write to refuse.
 */
export const attributeValueOf = (text: string, type: FieldType | undefined): unknown => {
  switch (type) {
    case "Number":
      return number.test(text) ? Number(text) : text
    case "Boolean":
      return booleanOf(text) ?? text
    case "TextList":
      return text
        .split(text.includes("|") ? "|" : ";")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    default:
      return text
  }
}

/** What rows are read by. */
export interface RowPlan {
  readonly columns: Columns
  readonly consent: ImportConsent | null
  /** The types of the account's contact fields, by key. */
  readonly types: ReadonlyMap<string, FieldType>
}

/**
 * The write a row asks for. audience.import_row_columns where it has more or fewer fields than the header;
 * validation.type where a topic is neither on nor off.
 */
export const writeOfRow = (cells: ReadonlyArray<string>, plan: RowPlan): ContactWrite | Problem => {
  const { columns, types } = plan
  if (cells.length !== columns.length) {
    return Problem.of("audience.import_row_columns", null, { expected: columns.length, found: cells.length })
  }
  const issues: Array<Issue> = []
  const write: { -readonly [Field in ImportField]?: string } = {}
  const attributes: Record<string, unknown> = Object.create(null)
  const topics: Record<string, boolean> = Object.create(null)
  const proof: { -readonly [Field in ProofField]?: string } = { ...plan.consent?.proof }
  let basis = plan.consent?.basis
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]!
    if (column._tag === "Ignored") continue
    const text = cells[index]!.trim()
    if (text === "") continue
    switch (column._tag) {
      case "Field":
        write[column.field] = text
        break
      case "Attribute":
        attributes[column.key] = attributeValueOf(text, types.get(column.key))
        break
      case "Topic": {
        const on = booleanOf(text)
        if (on === undefined) issues.push(issue("validation.type", `topics.${column.key}`))
        else topics[column.key] = on
        break
      }
      case "Basis":
        basis = text
        break
      case "Proof":
        proof[column.field] = text
        break
    }
  }
  return (
    Problem.from(issues) ?? {
      ...write,
      attributes: { ...attributes },
      topics: { ...topics },
      ...(basis === undefined ? {} : { consent: { basis, proof } })
    }
  )
}

/**
 * Who a row is about, as far as it tells: of a row with too many or too few fields, the first address anywhere in it.
 */
export const personOfRow = (
  cells: ReadonlyArray<string>,
  write: ContactWrite | Problem
): Pick<ImportError, "email" | "externalId"> => {
  if (!(write instanceof Problem)) {
    const { email, externalId } = write
    return {
      email: email == null ? null : parseEmail(email),
      // What cannot be stored is nobody's.
      externalId: externalId != null && isStorable(externalId) ? externalId : null
    }
  }
  for (const cell of cells) {
    const email = parseEmail(cell)
    if (email !== null) return { email, externalId: null }
  }
  return { email: null, externalId: null }
}

/** The most characters of a failed row that are kept. */
const maxKeptCharacters = 4_000

/** A failed row as it is kept. Of an `erased` person's row nothing is kept but its line. */
export const errorOfRow = (
  line: number,
  problem: Problem,
  cells: ReadonlyArray<string>,
  person: Pick<ImportError, "email" | "externalId">,
  erased: boolean
): ImportError => {
  const { issues } = problem
  if (erased) return { line, issues, email: null, externalId: null, cells: null }
  let left = maxKeptCharacters
  const kept = cells.map((cell) => {
    const text = cell.slice(0, left).replaceAll("\0", "").toWellFormed()
    left -= text.length
    return text
  })
  return { ...person, line, issues, cells: kept }
}

/** The delimiter of a file: the one its first line has most of, outside quotes; a comma where it has none. */
export const detectDelimiter = (text: string): Delimiter => {
  const counts = new Map<string, number>()
  let quoted = false
  // The byte order mark is no part of the text, nor are empty lines before the first.
  for (const character of text.replace(/^[\ufeff\r\n]+/, "")) {
    if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === "\n" || character === "\r") break
    else if (delimiters.some((delimiter) => delimiter === character)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  let best: Delimiter = ","
  for (const delimiter of delimiters) {
    if ((counts.get(delimiter) ?? 0) > (counts.get(best) ?? 0)) best = delimiter
  }
  return best
}

const quoteCsv = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A row of RFC 4180. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(quoteCsv).join(",")}\r\n`

/** A cell that a spreadsheet takes for a formula is marked as text. */
const inert = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)

/** The error report's row of a failed row: its line, what was wrong (`field: code`), and its fields. */
export const reportLine = ({ cells, issues, line }: ImportError): string =>
  csvLine([
    String(line),
    issues.map(({ code, field }) => (field === null ? code : `${field}: ${code}`)).join("; "),
    ...(cells ?? []).map(inert)
  ])

/** Column names as the header row gives them: trimmed; null where a name cannot be kept or all are empty. */
export const headerOf = (cells: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const names = cells.map((cell) => cell.trim())
  return names.every((name) => name === "") || !names.every(isStorable) ? null : names
}
