/**
 * What a batch of item writes does, decided purely: `(state, commands) -> (results, changes)`.
 *
 * Source: public-api "Catalogue", decisions 8. Writes apply in order, each seeing the ones before it, and each is refused
 * by itself.
 *
 * @module
 */
import { Result } from "effect"
import type { ItemChanges } from "../ports/ItemStore.ts"
import { type Issue, issue, Problem } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Json.ts"
import { type Item, type ItemOwner, maxItems, newItem, ownItems } from "../model/Item.ts"
import type { ItemCommand, ItemPatch } from "./ItemWrite.ts"

/** What a batch of writes is decided on. */
export interface ItemState {
  readonly owner: ItemOwner
  /** Every stored item of the owner that has an external id named in the batch. */
  readonly items: ReadonlyArray<Item>
  /** How many items the account has. */
  readonly itemCount: number
  /** A new id for each command, in growing order. */
  readonly ids: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly now: number
}

/** What became of a write. */
export interface ItemWritten {
  readonly item: Item
  readonly created: boolean
}

/** What a batch of writes comes to. */
export interface ItemDecision {
  /** In the order of the commands. */
  readonly results: ReadonlyArray<Result.Result<ItemWritten, Problem>>
  readonly changes: ItemChanges
}

/** Decides a batch of writes. Commands that are already refused pass through as they are. */
export const decideItems = (
  state: ItemState,
  commands: ReadonlyArray<ItemCommand | Problem>
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
    const issues = issuesOf(item)
    if (before === undefined && state.itemCount + added >= maxItems)
      issues.push(issue("catalog.items_limit", null, { max: maxItems }))
    const problem = Problem.from(issues)
    if (problem !== undefined) return Result.fail(problem)
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

  const results = commands.map((command, index) =>
    command instanceof Problem ? Result.fail(command) : apply(command, index)
  )
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

/** What is wrong with an item as a whole. */
const issuesOf = (item: Item): Array<Issue> =>
  (item.price !== null || item.comparePrice !== null) && item.currency === null
    ? [issue("catalog.item_currency_invalid", "currency")]
    : []

/** Whether an item has all of a patch's values already. */
const changesNothing = (item: Item, patch: ItemPatch): boolean =>
  (Object.keys(patch) as ReadonlyArray<keyof ItemPatch>).every((field) =>
    deepEqual(item[field], patch[field])
  )
