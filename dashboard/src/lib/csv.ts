/**
 * Reads CSV files, either the beginning for mapping the columns or the whole file, and writes them.
 *
 * @module
 */

/** The header and rows of a file. */
export interface CsvRows {
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const delimiters = [",", ";", "\t", "|"] as const

/** Splits a text into rows of cells. Quoted cells may contain delimiters, line breaks and doubled quotes. */
const rowsOf = (text: string, delimiter: string, most: number): ReadonlyArray<ReadonlyArray<string>> => {
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

/** The header and at most `most` rows; null if the text lacks either. The delimiter that yields the most columns is used. */
export const readCsv = (text: string, most = 20): CsvRows | null => {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text
  const best = delimiters
    .map((delimiter) => rowsOf(clean, delimiter, 1)[0]?.length ?? 0)
    .reduce((found, count, at, all) => (count > (all[found] ?? 0) ? at : found), 0)
  const [heads, ...rows] = rowsOf(clean, delimiters[best] ?? ",", most + 1)
  return heads === undefined || rows.length === 0 ? null : { heads, rows }
}

const writtenCell = (cell: string): string =>
  /["\r\n,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Writes rows as a CSV file. */
export const writeCsv = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(writtenCell).join(",")}\r\n`).join("")

/**
 * Whether a spreadsheet may interpret a cell as a formula (OWASP, CSV injection), with or without marks of `markedCell` before
 * it.
 */
const isMarkable = (cell: string): boolean => /^'*[=+\-@\t\r\n＝＋－＠]/.test(cell)

/**
 * The cell, marked as text if a spreadsheet may interpret it as a formula. A cell that already looks marked is marked again, so
 * that `unmarkedCell` restores it.
 */
export const markedCell = (cell: string): string => (isMarkable(cell) ? `'${cell}` : cell)

/** The cell without the mark of `markedCell`. */
export const unmarkedCell = (cell: string): string =>
  cell.startsWith("'") && isMarkable(cell) ? cell.slice(1) : cell
