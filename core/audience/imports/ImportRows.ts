/**
 * Parses the rows of a file into contact writes. An empty cell keeps the contact's value; it never clears it.
 *
 * @module
 */
import { Result } from "effect"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { Issues, Problem } from "../../shared/Problem.ts"
import { isStorable } from "../../shared/Validate.ts"
import type { FieldType } from "../../model/ContactField.ts"
import { type Delimiter, delimiters, type ImportError } from "../../model/ContactImport.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import type { Columns } from "./ImportMapping.ts"
import { isReport, unescapeFormula } from "./ImportReport.ts"
import type { ImportConsent, ImportField, ImportMapping, ProofField } from "../../model/ContactImport.ts"

const yes = new Set(["true", "yes", "y", "on", "1"])
const no = new Set(["false", "no", "n", "off", "0"])

/** Parses `true`, `yes`, `y`, `on`, `1` and their opposites in any case; undefined for anything else. */
const booleanOf = (cell: string): boolean | undefined => {
  const word = cell.toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : undefined
}

const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/**
 * Parses a cell into a value of the attribute's type. List entries are separated by `|` or, if there is none, by `;`. A cell that
 * has no value of the type is returned unchanged, and the contact write rejects it.
 */
export const attributeValueOf = (cell: string, type: FieldType | undefined): unknown => {
  switch (type) {
    case "Number":
      return number.test(cell) ? Number(cell) : cell
    case "Boolean":
      return booleanOf(cell) ?? cell
    case "TextList":
      return cell
        .split(cell.includes("|") ? "|" : ";")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    default:
      return cell
  }
}

/** How the rows of a file are parsed. */
export interface RowFormat {
  readonly columns: Columns
  readonly consent: ImportConsent | null
  /** The types of the account's contact fields, by key. */
  readonly types: ReadonlyMap<string, FieldType>
}

/**
 * Parses a row into a contact write. audience.import_row_columns if it has more or fewer cells than the header; validation.type
 * if a topic is neither on nor off.
 */
export const parseRow = (
  cells: ReadonlyArray<string>,
  { columns, consent, types }: RowFormat
): Result.Result<ContactWrite, Problem> => {
  if (cells.length !== columns.length) {
    const params = { expected: columns.length, found: cells.length }
    return Result.fail(Problem.of("audience.import_row_columns", null, params))
  }
  const issues = new Issues()
  const write: { -readonly [Field in ImportField]?: string } = {}
  const attributes: Record<string, unknown> = Object.create(null)
  const topics: Record<string, boolean> = Object.create(null)
  const proof: { -readonly [Field in ProofField]?: string } = { ...consent?.proof }
  let basis = consent?.basis
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]!
    if (column._tag === "Ignored") continue
    const cell = cells[index]!.trim()
    if (cell === "") continue
    switch (column._tag) {
      case "Field":
        write[column.field] = cell
        break
      case "Attribute":
        attributes[column.key] = attributeValueOf(cell, types.get(column.key))
        break
      case "Topic": {
        const on = booleanOf(cell)
        if (on === undefined) issues.add("validation.type", `topics.${column.key}`)
        else topics[column.key] = on
        break
      }
      case "Basis":
        basis = cell
        break
      case "Proof":
        proof[column.field] = cell
        break
    }
  }
  return issues.result({
    ...write,
    attributes: { ...attributes },
    topics: { ...topics },
    ...(basis === undefined ? {} : { consent: { basis, proof } })
  })
}

/** The person that a row names, as far as it can be read. For a row that cannot be parsed, the first address in any cell. */
export const personOfRow = (
  cells: ReadonlyArray<string>,
  write: Result.Result<ContactWrite, Problem>
): Pick<ImportError, "email" | "externalId"> => {
  if (Result.isSuccess(write)) {
    const { email, externalId } = write.success
    return {
      email: email == null ? null : parseEmail(email),
      // No contact has an external id that cannot be stored.
      externalId: externalId != null && isStorable(externalId) ? externalId : null
    }
  }
  for (const cell of cells) {
    const email = parseEmail(cell)
    if (email !== null) return { email, externalId: null }
  }
  return { email: null, externalId: null }
}

/** The most characters of a failed row that are stored. */
const maxStoredCharacters = 4_000

/** A row that could not be written. */
export interface FailedRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  readonly person: Pick<ImportError, "email" | "externalId">
  readonly problem: Problem
  /** Whether the row names an erased person. */
  readonly isErased: boolean
}

/** A failed row in the form in which it is stored. For an erased person's row, only the line number and the issues are stored. */
export const errorOfRow = ({ cells, isErased, line, person, problem }: FailedRow): ImportError => {
  const { issues } = problem
  if (isErased) return { line, issues, email: null, externalId: null, cells: null }
  let left = maxStoredCharacters
  const stored = cells.map((cell) => {
    const part = cell.slice(0, left).replaceAll("\0", "").toWellFormed()
    left -= part.length
    return part
  })
  return { ...person, line, issues, cells: stored }
}

/** The delimiter of a file: the most frequent one outside quotes in its first line; a comma if there is none. */
export const detectDelimiter = (head: string): Delimiter => {
  const counts = new Map<string, number>()
  let quoted = false
  // Skips the byte order mark, and empty lines before the first line.
  for (const character of head.replace(/^[\ufeff\r\n]+/, "")) {
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

/** The column names in a header row, trimmed; null if a name cannot be stored or all are empty. */
export const headerOf = (
  cells: ReadonlyArray<string>,
  mapping: ImportMapping | null
): ReadonlyArray<string> | null => {
  const given = cells.map((cell) => cell.trim())
  const names = isReport(given, mapping) ? given.map(unescapeFormula) : given
  return names.every((name) => name === "") || !names.every(isStorable) ? null : names
}
