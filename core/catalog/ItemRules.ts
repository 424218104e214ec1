/**
 * Decides a batch of item writes, as a pure function: `(state, commands) -> (results, changes)`. Writes apply in order; each
 * sees the results of those before it. An invalid write is rejected alone.
 *
 * Source: docs/contributing/public-api.md "Catalogue", docs/contributing/decisions.md 8.
 *
 * @module
 */
import { Result } from "effect"
import type { ItemChanges } from "../ports/ItemStore.ts"
import { Issues, Problem } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Json.ts"
import { type Item, type ItemOwner, maxItems, newItem, ownItems } from "../model/Item.ts"
import type { ItemCommand, ItemPatch } from "./ItemWrite.ts"

/** The stored state on which a batch of writes is decided. */
export interface ItemState {
  readonly owner: ItemOwner
  /** Every stored item of the owner whose external id is in the batch. */
  readonly items: ReadonlyArray<Item>
  /** The number of items of the account. */
  readonly itemCount: number
  /** A new id for each command, in ascending order. */
  readonly ids: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly now: number
}

/** The result of a write. */
export interface ItemWritten {
  readonly item: Item
  readonly created: boolean
}

/** The decision on a batch. */
export interface ItemDecision {
  /** In the order of the commands. */
  readonly results: ReadonlyArray<Result.Result<ItemWritten, Problem>>
  readonly changes: ItemChanges
}

/** Decides a batch of writes. A command that has already failed keeps its failure as the result. */
export const decideItems = (
  state: ItemState,
  commands: ReadonlyArray<Result.Result<ItemCommand, Problem>>
): ItemDecision => {
  const stored = new Map(state.items.map((item) => [item.externalId, item]))
  const current = new Map(stored)
  let added = 0

  const apply = ({ externalId, patch }: ItemCommand, index: number): Result.Result<ItemWritten, Problem> => {
    const before = current.get(externalId)
    if (before === undefined && patch.name === undefined)
      return Result.fail(Problem.of("catalog.item_name_missing", "name"))
    const item: Item = {
      ...(before ?? newItem(state.owner, state.ids[index]!, externalId, state.now)),
      ...patch
    }
    const issues = new Issues()
    if ((item.price !== null || item.comparePrice !== null) && item.currency === null)
      issues.add("catalog.item_currency_invalid", "currency")
    if (before === undefined && state.itemCount + added >= maxItems)
      issues.add("catalog.items_limit", null, { max: maxItems })
    const valid = issues.result(item)
    if (Result.isFailure(valid)) return Result.fail(valid.failure)
    if (before === undefined) {
      added++
      current.set(externalId, item)
      return Result.succeed({ item, created: true })
    }
    if (changesNothing(before, patch)) return Result.succeed({ item: before, created: false })
    const version = (stored.get(externalId)?.version ?? 0) + 1
    const changed = { ...item, updatedAt: state.now, version }
    current.set(externalId, changed)
    return Result.succeed({ item: changed, created: false })
  }

  const results = commands.map((command, index) => Result.flatMap(command, (valid) => apply(valid, index)))
  const inserts: Array<Item> = []
  const updates: Array<Item> = []
  const updatedFields = new Set<keyof Item>()
  for (const [externalId, item] of current) {
    const before = stored.get(externalId)
    if (before === undefined) inserts.push(item)
    else if (item !== before) {
      updates.push(item)
      for (const field of itemFields) if (!deepEqual(item[field], before[field])) updatedFields.add(field)
    }
  }
  return { results, changes: { inserts, updates, updatedFields: [...updatedFields] } }
}

const itemFields = Object.keys(newItem(ownItems, "", "", 0)) as ReadonlyArray<keyof Item>

/** Whether an item already has all values of a patch. */
const changesNothing = (item: Item, patch: ItemPatch): boolean =>
  (Object.keys(patch) as ReadonlyArray<keyof ItemPatch>).every((field) =>
    deepEqual(item[field], patch[field])
  )
