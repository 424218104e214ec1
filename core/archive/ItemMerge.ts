/**
 * Merges items of an archive into an account that may already have them; pure. The later of two versions wins.
 *
 * @module
 */
import { Result } from "effect"
import { type Item, maxItems, newItem } from "../model/Item.ts"
import type { ItemChanges } from "../ports/ItemStore.ts"
import { parseCurrency } from "../shared/Currency.ts"
import { Problem } from "../shared/Problem.ts"
import type { LineOf } from "./ArchiveLine.ts"
import { type Outcome, storeKey } from "./ContactMerge.ts"

/** The state on which the decision about a batch of items is based. */
export interface ItemMergeState {
  /** Every stored item with one of the batch's owners and ids. */
  readonly items: ReadonlyArray<Item>
  readonly itemCount: number
  /** Ids of connected stores, by `storeKey`. */
  readonly stores: ReadonlyMap<string, string>
  /** A new id for each line, in ascending order. */
  readonly ids: ReadonlyArray<string>
}

/** The id of the store that owns a line's item: null for the customer itself, undefined if the account has no such store. */
export const ownerOf = (
  { store }: LineOf<"item">,
  stores: ReadonlyMap<string, string>
): string | null | undefined => (store === null ? null : stores.get(storeKey(store)))

const nameOf = (storeId: string | null, externalId: string): string => `${storeId ?? ""} ${externalId}`

const timeOf = ({ createdAt, updatedAt }: Pick<Item, "createdAt" | "updatedAt">): number =>
  updatedAt ?? createdAt

const reject = (...of: Parameters<typeof Problem.of>): Outcome => Result.fail(Problem.of(...of))

/** Decides a batch. An item that an earlier line names is rejected. */
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
    if (storeId === undefined) return reject("archive.store_unknown", "store")
    const { id: externalId, itemKind, kind: _kind, source, store: _store, ...rest } = line
    const hasPrice = line.price !== null || line.comparePrice !== null
    if (line.currency === null ? hasPrice : parseCurrency(line.currency) !== line.currency) {
      return reject("catalog.item_currency_invalid", "currency")
    }
    const name = nameOf(storeId, externalId)
    if (externalId === "" || line.name === "" || taken.has(name)) return reject("archive.line_invalid")
    const before = stored.get(name)
    const item: Item = {
      ...newItem({ storeId, source }, before?.id ?? state.ids[index]!, externalId, line.createdAt),
      ...rest,
      kind: itemKind
    }
    if (before === undefined) {
      if (state.itemCount + inserts.length >= maxItems) {
        return reject("catalog.items_limit", null, { max: maxItems })
      }
      taken.add(name)
      inserts.push(item)
      return Result.succeed("added")
    }
    taken.add(name)
    if (timeOf(item) <= timeOf(before)) return Result.succeed("unchanged")
    updates.push({ ...item, version: before.version + 1 })
    return Result.succeed("changed")
  }

  return { outcomes: lines.map(decide), changes: { inserts, updates, updatedFields: "Any" } }
}
