/**
 * Imports catalogue items from a file: maps its columns to fields, converts its rows to items, and splits these into batches.
 * Also builds the Liquid that shows an item in a template.
 *
 * @module
 */
import { markedCell, readCsv, unmarkedCell, writeCsv } from "./csv.ts"
import { objectOf } from "./json.ts"

/** The fields of an item, each with the column names that are recognised, the likeliest first. */
const namesOf = {
  id: ["externalid", "id", "sku", "itemid", "productid", "artikelnummer", "kennung"],
  name: ["name", "title", "productname", "titel", "bezeichnung"],
  kind: ["kind", "type", "art"],
  description: ["description", "beschreibung"],
  url: ["url", "link", "page", "productlink", "seite"],
  imageUrl: ["imageurl", "image", "imagelink", "imagesrc", "bild"],
  price: ["price", "preis"],
  comparePrice: ["compareprice", "compareatprice", "regularprice", "vergleichspreis"],
  currency: ["currency", "waehrung", "währung"],
  inStock: ["instock", "vorrätig"],
  stockQuantity: ["stockquantity", "stock", "quantity", "bestand"],
  categories: ["categories", "category", "kategorien", "kategorie"],
  active: ["active", "aktiv"],
  attributes: ["attributes"]
} satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** A field of an item. */
type ItemField = keyof typeof namesOf

const fields = Object.keys(namesOf) as ReadonlyArray<ItemField>

const ofAttribute = "attributes."

/** The mapping of a column that is left out. */
export const ignored = "ignored"

/** The mapping of a column that becomes an attribute of the items. */
export const attributeTarget = (head: string): string =>
  head.startsWith(ofAttribute) ? head : ofAttribute + head.trim()

/** The most items of a catalogue and of a batch, and the most characters of a batch. */
export const maxItems = 100_000
const batch = { items: 1_000, characters: 8_000_000 }

/** A file of items, as a table. */
export interface ItemSheet {
  readonly heads: ReadonlyArray<string>
  /** JSON values, or the strings of a CSV file; undefined if a row lacks the column. */
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  readonly isJson: boolean
}

/** The most columns of a file. */
const maxHeads = 500

/** The columns that a file of failed rows has before those of the original file. */
const failedHeads: ReadonlyArray<string> = ["row", "codes"]

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The elements of a JSON text: of a list, of the `items` of an object, or one per line; null for any other text. */
const elementsOf = (text: string): ReadonlyArray<unknown> | null => {
  try {
    const whole: unknown = JSON.parse(text)
    if (Array.isArray(whole)) return whole
    if (!isFields(whole)) return null
    return Array.isArray(whole["items"]) ? (whole["items"] as ReadonlyArray<unknown>) : [whole]
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "")
    const elements = lines.map(objectOf)
    return elements.includes(null) ? null : elements
  }
}

/** Reads a CSV or JSON file of items; null if it is neither or has no items. */
export const readSheet = (text: string): ItemSheet | null => {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (/^\s*[[{]/.test(clean)) {
    const elements = elementsOf(clean)
    if (elements === null || elements.length === 0 || !elements.every(isFields)) return null
    const heads = [...new Set(elements.flatMap(Object.keys))].slice(0, maxHeads)
    const rows = elements.map((element) =>
      heads.map((head) => (Object.hasOwn(element, head) ? element[head] : undefined))
    )
    return heads.length === 0 ? null : { heads, rows, isJson: true }
  }
  const csv = readCsv(clean, Infinity)
  if (csv === null) return null
  const isOfFailed = failedHeads.every((head, at) => csv.heads[at] === head)
  const heads = csv.heads.slice(0, maxHeads).map((head) => (isOfFailed ? unmarkedCell(head) : head))
  const rows = csv.rows.map((row) =>
    heads.map((_, at) => {
      const cell = row[at] ?? ""
      return cell.trim() === "" ? undefined : isOfFailed ? unmarkedCell(cell) : cell
    })
  )
  return { heads, rows, isJson: false }
}

const plain = (head: string): string => head.toLowerCase().replaceAll(/[\s_-]/g, "")

/** Guesses the mapping of columns from their names; `ignored` if unclear. No field is guessed twice. */
export const guessFields = (heads: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = heads.map(plain)
  const columns = new Map(
    fields.flatMap((field) => {
      const name = namesOf[field].find((one) => names.includes(one))
      return name === undefined ? [] : [[names.indexOf(name), field] as const]
    })
  )
  return heads.map((head, at) => columns.get(at) ?? (head.startsWith(ofAttribute) ? head : ignored))
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  ja: true,
  "1": true,
  false: false,
  no: false,
  nein: false,
  "0": false
}

/** The value of a field that a string stands for. A string that is not valid stays, and the service rejects it with a reason. */
const valueOf = (field: string, text: string): unknown => {
  const value = text.trim()
  switch (field) {
    case "price":
    case "comparePrice":
      return /^\d{1,15}(?:[.,]\d{1,15})?$/.test(value) ? Number(value.replace(",", ".")) : value
    case "stockQuantity":
      return /^-?\d{1,10}$/.test(value) ? Number(value) : value
    case "inStock":
    case "active":
      return Object.hasOwn(truths, value.toLowerCase()) ? truths[value.toLowerCase()] : value
    case "categories":
      return value
        .split(/[|;]/)
        .map((one) => one.trim())
        .filter((one) => one !== "")
    case "attributes":
      return objectOf(value) ?? value
    default:
      return value
  }
}

/** The item in a row, by the mapping of the columns. Fields without a value are left out. */
export const itemOf = (mapping: ReadonlyArray<string>, row: ReadonlyArray<unknown>): Fields => {
  const entries = mapping.flatMap((target, at) => {
    const cell = row[at]
    return target === ignored || cell === undefined ? [] : [[target, cell] as const]
  })
  const own = entries.filter(([target]) => target.startsWith(ofAttribute))
  const item = Object.fromEntries(
    entries
      .filter(([target]) => !target.startsWith(ofAttribute))
      .map(([target, cell]) => [target, typeof cell === "string" ? valueOf(target, cell) : cell])
  )
  if (own.length === 0) return item
  const given = item["attributes"]
  const attributes = Object.fromEntries([
    ...Object.entries(isFields(given) ? given : {}),
    ...own.map(([target, cell]) => [target.slice(ofAttribute.length), cell])
  ])
  return { ...item, attributes }
}

/** Splits items into batches, in order. */
export const batchesOf = (items: ReadonlyArray<Fields>): ReadonlyArray<ReadonlyArray<Fields>> => {
  const batches: Array<Array<Fields>> = []
  let size = 0
  for (const item of items) {
    const { length } = JSON.stringify(item)
    const last = batches.at(-1)
    if (last === undefined || last.length === batch.items || size + length > batch.characters) {
      batches.push([item])
      size = length
    } else {
      last.push(item)
      size += length
    }
  }
  return batches
}

/** Why a row was not imported. */
export interface FailedRow {
  /** The row's index, from 0. */
  readonly row: number
  readonly errors: ReadonlyArray<{ readonly code: string; readonly field: string | null }>
}

/** The progress of an import, and the results so far. */
export interface ItemReport {
  readonly done: number
  readonly created: number
  readonly updated: number
  readonly failures: ReadonlyArray<FailedRow>
}

/** An import that has not begun. */
export const noReport: ItemReport = { done: 0, created: 0, updated: 0, failures: [] }

/** The report after another batch. */
export const withBatch = (
  { created, done, failures, updated }: ItemReport,
  written: {
    readonly created: number
    readonly updated: number
    readonly results: ReadonlyArray<{
      readonly index: number
      readonly errors: FailedRow["errors"] | null
    }>
  }
): ItemReport => ({
  done: done + written.results.length,
  created: created + written.created,
  updated: updated + written.updated,
  failures: [
    ...failures,
    ...written.results.flatMap(({ errors, index }) =>
      errors === null ? [] : [{ row: done + index, errors }]
    )
  ]
})

/**
 * The failed rows as a file in the original format, with the number and the error codes of each. The file can be imported again.
 */
export const failedFile = (
  { heads, isJson, rows }: ItemSheet,
  failures: ReadonlyArray<FailedRow>
): { readonly name: string; readonly type: string; readonly text: string } => {
  // The number and codes columns of an earlier import's file of failed rows are dropped.
  const kept = heads.flatMap((head, at) => (failedHeads.includes(head) ? [] : [{ head, at }]))
  const failed = failures.map(({ errors, row }) => ({
    row: row + 1,
    codes: errors.map(({ code, field }) => (field === null ? code : `${field}: ${code}`)).join("; "),
    cells: kept.map(({ at }) => rows[row]![at])
  }))
  if (isJson) {
    const lines = failed.map(({ cells, codes, row }) =>
      JSON.stringify({ row, codes, ...Object.fromEntries(kept.map(({ head }, at) => [head, cells[at]])) })
    )
    return { name: "failed-items.ndjson", type: "application/x-ndjson", text: `${lines.join("\n")}\n` }
  }
  const written = failed.map(({ cells, codes, row }) => [
    String(row),
    codes,
    ...cells.map((cell) => (typeof cell === "string" ? markedCell(cell) : ""))
  ])
  return {
    name: "failed-items.csv",
    type: "text/csv",
    text: writeCsv([[...failedHeads, ...kept.map(({ head }) => markedCell(head))], ...written])
  }
}

/** How a cell is displayed: only its beginning. */
export const shownCell = (cell: unknown): string => {
  const text = typeof cell === "string" ? cell : cell === undefined ? "" : JSON.stringify(cell)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const quoted = (name: string, id: string): string | null => {
  const quote = ['"', "'"].find((one) => !id.includes(one))
  return quote === undefined || id.includes("]") ? null : `${name}[${quote}${id}${quote}]`
}

/**
 * The Liquid that shows an item in a template: by its id, or a store's item by its category. Null if the id cannot be written in
 * Liquid.
 */
export const showingOf = ({
  categories,
  externalId,
  storeId
}: {
  readonly categories: ReadonlyArray<string>
  readonly externalId: string
  readonly storeId: string | null
}): string | null => {
  if (storeId === null) {
    const named = quoted("item", externalId)
    return named === null ? null : `{{ ${named}.name }}`
  }
  const [category] = categories
  const list = (category === undefined ? null : quoted("recommend", category)) ?? "recommend.any"
  return `{% for item in ${list} %}{{ item.name }}{% endfor %}`
}
