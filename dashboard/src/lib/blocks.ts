/**
 * Documents of the visual composer while a person edits them. Whether a document is valid is decided by the service.
 *
 * @module
 */

/** A block of the document, or of a column. */
export interface Block {
  readonly kind: string
  readonly [field: string]: unknown
}

/** A document. */
export interface BlockDocument {
  readonly colors?: Readonly<Record<string, string>>
  readonly blocks: ReadonlyArray<Block>
}

/** The kinds of blocks, in the order in which they are offered. */
export const blockKinds = [
  "Text",
  "Heading",
  "Image",
  "Button",
  "Columns",
  "Divider",
  "Spacer",
  "Product",
  "Social",
  "Footer"
] as const

/** The path of a block: its index, and for a block in a column also the column's index and the index within the column. */
export type Place = ReadonlyArray<number>

/** The document in a source; an empty document if the source contains none. */
export const documentOf = (source: string | null): BlockDocument => {
  try {
    const parsed = JSON.parse(source ?? "") as Partial<BlockDocument> | null
    if (parsed !== null && Array.isArray(parsed.blocks)) return parsed as BlockDocument
  } catch {
    // The service reports what is wrong; the editor starts with an empty document.
  }
  return { blocks: [] }
}

/** The source of a document. */
export const sourceOf = (document: BlockDocument): string => JSON.stringify(document)

/** The path of a block in the service's notation, such as `source.blocks[1].columns[0][2]`. */
export const pathOf = ([at, column, within]: Place): string =>
  `source.blocks[${at}]${column === undefined ? "" : `.columns[${column}][${within}]`}`

type Columns = ReadonlyArray<ReadonlyArray<Block>>

/** The columns of a block; empty if it has none. */
export const columnsOf = (block: Block | undefined): Columns =>
  block?.kind === "Columns" && Array.isArray(block["columns"]) ? (block["columns"] as Columns) : []

/** The block at a place. */
export const blockAt = ({ blocks }: BlockDocument, [at, column, within]: Place): Block | undefined => {
  const block = blocks[at ?? -1]
  return column === undefined ? block : columnsOf(block)[column]?.[within ?? -1]
}

/** The list that contains a place. */
const listAt = ({ blocks }: BlockDocument, [at, column]: Place): ReadonlyArray<Block> =>
  column === undefined ? blocks : (columnsOf(blocks[at ?? -1])[column] ?? [])

const withList = (document: BlockDocument, place: Place, list: ReadonlyArray<Block>): BlockDocument => {
  const [at, column] = place
  if (column === undefined) return { ...document, blocks: list }
  const blocks = document.blocks.map((block, index) =>
    index === at
      ? { ...block, columns: columnsOf(block).map((one, other) => (other === column ? list : one)) }
      : block
  )
  return { ...document, blocks }
}

const lastOf = (place: Place): number => place.at(-1) ?? 0

/** The place at an index of the same list. */
const at = (place: Place, index: number): Place => [...place.slice(0, -1), index]

/** A document with a block changed. */
export const withBlock = (document: BlockDocument, place: Place, block: Block): BlockDocument =>
  withList(
    document,
    place,
    listAt(document, place).map((one, index) => (index === lastOf(place) ? block : one))
  )

/** A document with a block added at a place. */
export const withAdded = (document: BlockDocument, place: Place, block: Block): BlockDocument =>
  withList(document, place, listAt(document, place).toSpliced(lastOf(place), 0, block))

/** A document without a block. */
export const without = (document: BlockDocument, place: Place): BlockDocument =>
  withList(document, place, listAt(document, place).toSpliced(lastOf(place), 1))

/** A document with a block moved by some positions in its list, and the block's new place. Unchanged if it cannot move. */
export const moved = (
  document: BlockDocument,
  place: Place,
  by: number
): { readonly document: BlockDocument; readonly place: Place } => {
  const list = listAt(document, place)
  const from = lastOf(place)
  const to = Math.max(0, Math.min(list.length - 1, from + by))
  const block = list[from]
  if (block === undefined || to === from) return { document, place }
  const next = list.toSpliced(from, 1).toSpliced(to, 0, block)
  return { document: withList(document, place, next), place: at(place, to) }
}

/** The place of a block after another was added. */
const afterAdded = (place: Place, added: Place): Place => {
  if (added.length === 1 && place.length > 1)
    return place[0]! >= added[0]! ? [place[0]! + 1, ...place.slice(1)] : place
  return isSameList(place, added) && lastOf(place) >= lastOf(added) ? at(place, lastOf(place) + 1) : place
}

/** The place of a block after another was removed. */
const afterRemoved = (place: Place, removed: Place): Place => {
  if (removed.length === 1 && place.length > 1)
    return place[0]! > removed[0]! ? [place[0]! - 1, ...place.slice(1)] : place
  return isSameList(place, removed) && lastOf(place) > lastOf(removed) ? at(place, lastOf(place) - 1) : place
}

const isSameList = (one: Place, other: Place): boolean =>
  one.slice(0, -1).join() === other.slice(0, -1).join() && one.length === other.length

/** A document with a block moved to a place in any list, before the block that is there, and the block's new place. */
export const relocated = (
  document: BlockDocument,
  from: Place,
  to: Place
): { readonly document: BlockDocument; readonly place: Place } => {
  const block = blockAt(document, from)
  // A block with columns cannot be moved into a column.
  if (block === undefined || (block.kind === "Columns" && to.length > 1)) return { document, place: from }
  const moving = afterAdded(from, to)
  const next = without(withAdded(document, to, block), moving)
  return { document: next, place: afterRemoved(to, moving) }
}

/**
 * The target of a sideways move: from one column to the next, or from beside a block with columns into it; null if there is none.
 */
export const placeBeside = (document: BlockDocument, place: Place, by: -1 | 1): Place | null => {
  const [index = 0, column, within] = place
  if (column !== undefined) {
    const list = columnsOf(document.blocks[index])[column + by]
    return list === undefined ? null : [index, column + by, Math.min(within ?? 0, list.length)]
  }
  const beside = [index + 1, index - 1].find((one) => columnsOf(document.blocks[one]).length > 0)
  if (beside === undefined) return null
  const columns = columnsOf(document.blocks[beside])
  return by > 0 ? [beside, 0, 0] : [beside, columns.length - 1, 0]
}

/** A new block. Its placeholder texts come from the language of the page. */
export const newBlock = (kind: string, texts: Readonly<Record<string, string>>): Block => {
  const text = (name: string) => texts[name] ?? ""
  switch (kind) {
    case "Heading":
      return { kind, text: text("heading"), level: 1, align: "Start" }
    case "Text":
      return { kind, text: text("text"), align: "Start" }
    case "Image":
      return { kind, url: "", alt: "", href: null, width: null, align: "Center" }
    case "Button":
      return { kind, label: text("button"), href: "https://", align: "Start" }
    case "Columns":
      return { kind, columns: [[newBlock("Text", texts)], [newBlock("Text", texts)]] }
    case "Spacer":
      return { kind, height: 24 }
    case "Product":
      return { kind, itemId: "", label: text("product") }
    case "Social":
      return { kind, links: [{ name: "Instagram", href: "https://www.instagram.com/" }], align: "Center" }
    case "Footer":
      return {
        kind,
        text: text("footer"),
        unsubscribe: text("unsubscribe"),
        preferences: text("preferences"),
        align: "Start"
      }
    default:
      return { kind }
  }
}
