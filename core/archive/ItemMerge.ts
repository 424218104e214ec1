/**
 * What items of an archive come to in an account that may have them: pure. Of two versions of an item the later counts.
 *
 * @module
 */
import { type Item, maxItems, newItem } from "../model/Item.ts"
import type { ItemChanges } from "../ports/ItemStore.ts"
import { parseCurrency } from "../shared/Currency.ts"
import { Problem } from "../shared/Problem.ts"
import type { LineOf } from "./ArchiveLine.ts"
import { type Outcome, storeKey } from "./ContactMerge.ts"

/** What a batch of items is decided on. */
export interface ItemMergeState {
  /** Every stored item of the batch's owners that has one of the batch's ids. */
  readonly items: ReadonlyArray<Item>
  readonly itemCount: number
  /** Ids of connected stores, by `storeKey`. */
  readonly stores: ReadonlyMap<string, string>
  /** A new id for each line, in growing order. */
  readonly ids: ReadonlyArray<string>
}

/** The store a line's item is of: null for the customer's own, undefined where the account has no such store. */
export const ownerOf = (
  { store }: LineOf<"item">,
  stores: ReadonlyMap<string, string>
): string | null | undefined => (store === null ? null : stores.get(storeKey(store)))

const nameOf = (storeId: string | null, externalId: string): string => `${storeId ?? ""} ${externalId}`

const timeOf = ({ createdAt, updatedAt }: Pick<Item, "createdAt" | "updatedAt">): number =>
  updatedAt ?? createdAt

/** Decides a batch. */
export const mergeItems = (
  state: ItemMergeState,
  lines: ReadonlyArray<LineOf<"item">>
): { readonly outcomes: ReadonlyArray<Outcome>; readonly changes: ItemChanges } => {
  const stored = new Map(state.items.map((item) => [nameOf(item.storeId, item.externalId), item]))
  const taken = new Set<string>()
  const inserts: Array<Item> = []
  const updates: Array<Item> = []

  const decide = (line: LineOf<"item">, index: number): Outcome => {
    const storeId = ownerOf(line, state.stores)
    if (storeId === undefined) return Problem.of("archive.store_unknown", "store")
    const { id: externalId, itemKind, kind: _kind, source, store: _store, ...rest } = line
    const hasPrice = line.price !== null || line.comparePrice !== null
    if (line.currency === null ? hasPrice : parseCurrency(line.currency) !== line.currency) {
      return Problem.of("catalog.item_currency_invalid", "currency")
    }
    const name = nameOf(storeId, externalId)
    if (externalId === "" || line.name === "" || taken.has(name)) return Problem.of("archive.line_invalid")
    const before = stored.get(name)
    const item: Item = {
      ...newItem({ storeId, source }, before?.id ?? state.ids[index]!, externalId, line.createdAt),
      ...rest,
      kind: itemKind
    }
    if (before === undefined) {
      if (state.itemCount + inserts.length >= maxItems) {
        return Problem.of("catalog.items_limit", null, { max: maxItems })
      }
      taken.add(name)
      inserts.push(item)
      return "added"
    }
    taken.add(name)
    if (timeOf(item) <= timeOf(before)) return "unchanged"
    updates.push({ ...item, version: before.version + 1 })
    return "changed"
  }

  return { outcomes: lines.map(decide), changes: { inserts, updates, updatedFields: "Any" } }
}
