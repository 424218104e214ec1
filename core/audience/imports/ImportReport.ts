/**
 * The error report of an import: a CSV file with the failed rows, which can be imported again without changes.
 *
 * @module
 */
import type { ContactImport, ImportError, ImportMapping } from "../../model/ContactImport.ts"

const quoteCsv = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Formats a row as CSV (RFC 4180). */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(quoteCsv).join(",")}\r\n`

/** Whether a spreadsheet may read a cell as a formula; some also accept full-width signs (OWASP, CSV injection). */
export const isFormula = (cell: string): boolean => /^[=+\-@\t\r\n＝＋－＠]/.test(cell)

const isMarkable = (cell: string): boolean => isFormula(cell.replace(/^'+/, ""))

/** Marks a cell as text if a spreadsheet would read it as a formula. A cell that looks already marked is marked again. */
const escapeFormula = (cell: string): string => (isMarkable(cell) ? `'${cell}` : cell)

/** Removes the mark of `escapeFormula` from a cell. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && isMarkable(cell) ? cell.slice(1) : cell

/** The columns that an error report has before the file's own columns. */
const reportColumns = ["line", "codes"] as const

/** Whether a file with the header is an error report. A mapping must not give the report's own columns a target. */
export const isReport = (header: ReadonlyArray<string>, mapping: ImportMapping | null): boolean =>
  reportColumns.every(
    (name, index) => header[index] === name && (mapping?.[name] === undefined || mapping[name] === "ignored")
  )

/** The end of an issue, which is its code; the path of its field precedes it. */
const codeOfIssue = /(?:^|: )[a-z]+\.[a-z_]+$/

/** The cells of a row in an error report as they were in the imported file; cells of any other row stay unchanged. */
export const cellsOfReport = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [line = "", issues = "", ...own] = cells
  return /^\d+$/.test(line) && issues.split("; ").every((issue) => codeOfIssue.test(issue))
    ? [line, issues, ...own.map(unescapeFormula)]
    : cells
}

/** The file's own cells: if an error report was imported again, the cells without the report's columns. */
const ownCells = (cells: ReadonlyArray<string>, isOfReport: boolean) =>
  (isOfReport ? cells.slice(reportColumns.length) : cells).map(escapeFormula)

/** The row of the error report for a failed row: its line number, its issues (`field: code`) and its cells. */
const reportLine = ({ cells, issues, line }: ImportError, isOfReport: boolean): string =>
  csvLine([
    String(line),
    issues.map(({ code, field }) => (field === null ? code : `${field}: ${code}`)).join("; "),
    ...ownCells(cells ?? [], isOfReport)
  ])

/** The error report of an import, which can be imported again without changes. */
export const reportOf = (
  { header, mapping }: Pick<ContactImport, "header" | "mapping">,
  errors: ReadonlyArray<ImportError>
): string => {
  const isOfReport = isReport(header, mapping)
  const first = csvLine([...reportColumns, ...ownCells(header, isOfReport)])
  return [first, ...errors.map((error) => reportLine(error, isOfReport))].join("")
}
