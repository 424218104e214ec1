/**
 * The error report of an import: a CSV file with the rows that failed, which can be imported again without change.
 *
 * @module
 */
import type { ContactImport, ImportError, ImportMapping } from "../../model/ContactImport.ts"

const quoteCsv = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Formats a row as CSV (RFC 4180). */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(quoteCsv).join(",")}\r\n`

/** Whether a spreadsheet may take a cell for a formula, which some do by full-width signs too (OWASP, CSV injection). */
export const isFormula = (cell: string): boolean => /^[=+\-@\t\r\n＝＋－＠]/.test(cell)

const isMarkable = (cell: string): boolean => isFormula(cell.replace(/^'+/, ""))

/** Marks a cell as text where a spreadsheet would take it for a formula; a cell that looks so already is marked again. */
const escapeFormula = (cell: string): string => (isMarkable(cell) ? `'${cell}` : cell)

/** A cell without the mark of `escapeFormula`. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && isMarkable(cell) ? cell.slice(1) : cell

/** The columns of an error report before the file's own. */
const reportColumns = ["line", "codes"] as const

/** Whether a file with that header is an error report, of which the mapping, if any, gives its own columns no target. */
export const isReport = (header: ReadonlyArray<string>, mapping: ImportMapping | null): boolean =>
  reportColumns.every(
    (name, index) => header[index] === name && (mapping?.[name] === undefined || mapping[name] === "ignored")
  )

/** The end of an issue: its code, after the path of its field. */
const codeOfIssue = /(?:^|: )[a-z]+\.[a-z_]+$/

/** The cells of a row of an error report as they were in the imported file; those of any other row as they are. */
export const cellsOfReport = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [line = "", issues = "", ...own] = cells
  return /^\d+$/.test(line) && issues.split("; ").every((issue) => codeOfIssue.test(issue))
    ? [line, issues, ...own.map(unescapeFormula)]
    : cells
}

/** The cells of a file that are its own: those of a report that is imported again without the columns of the report. */
const ownCells = (cells: ReadonlyArray<string>, isOfReport: boolean) =>
  (isOfReport ? cells.slice(reportColumns.length) : cells).map(escapeFormula)

/** The row of the error report for a failed row: its line number, its issues (`field: code`) and its cells. */
const reportLine = ({ cells, issues, line }: ImportError, isOfReport: boolean): string =>
  csvLine([
    String(line),
    issues.map(({ code, field }) => (field === null ? code : `${field}: ${code}`)).join("; "),
    ...ownCells(cells ?? [], isOfReport)
  ])

/** The error report of an import, which can be imported again without change. */
export const reportOf = (
  { header, mapping }: Pick<ContactImport, "header" | "mapping">,
  errors: ReadonlyArray<ImportError>
): string => {
  const isOfReport = isReport(header, mapping)
  const first = csvLine([...reportColumns, ...ownCells(header, isOfReport)])
  return [first, ...errors.map((error) => reportLine(error, isOfReport))].join("")
}
