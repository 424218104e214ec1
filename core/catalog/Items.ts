/**
 * The catalogue's use cases: write, read, delete.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result, type Scope } from "effect"
import { ItemStore } from "../ports/ItemStore.ts"
import type { WriteConflict } from "../ports/Transaction.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { Ids } from "../kernel/Ids.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { type Item, type ItemAttribute, type ItemOwner, ownItems } from "../model/Item.ts"
import { decideItems, type ItemWritten } from "./ItemRules.ts"
import { checkItemWrite, type ItemCommand, type ItemWrite, parseItemId } from "./ItemWrite.ts"

/** The most writes that are committed together. */
const maxGroup = 500
/** The most characters of what may be long in them: a statement carries them all. */
const maxGroupText = 8_000_000

/** Writes, reads and deletes items. */
export class Items extends Context.Service<
  Items,
  {
    /**
     * Creates or updates items of an owner, in order, each seeing the ones before it and each refused by itself.
     * Committed when it answers.
     */
    readonly writeMany: (
      accountId: string,
      owner: ItemOwner,
      writes: ReadonlyArray<ItemWrite | Problem>
    ) => Effect.Effect<ReadonlyArray<Result.Result<ItemWritten, Problem>>, Unavailable>
    /** Creates or updates one item of the customer's own; calls that arrive together are committed together. */
    readonly write: (accountId: string, write: ItemWrite) => Effect.Effect<ItemWritten, Problem | Unavailable>
    /** The item of the customer's own that has an id; catalog.item_not_found, also for a store's. */
    readonly get: (accountId: string, externalId: string) => Effect.Effect<Item, Problem | Unavailable>
    /** Deletes the item of the customer's own that has an id; catalog.item_not_found, also for a store's. */
    readonly remove: (accountId: string, externalId: string) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/catalog/Items") {
  static readonly layer = Layer.effect(
    Items,
    Effect.suspend(() => make)
  )
}

const make: Effect.Effect<Items["Service"], never, Ids | ItemStore | Scope.Scope> = Effect.gen(function* () {
  const store = yield* ItemStore
  const ids = yield* Ids

  const cycle = Effect.fnUntraced(function* (
    accountId: string,
    owner: ItemOwner,
    commands: ReadonlyArray<ItemCommand | Problem>
  ): Effect.fn.Return<ReadonlyArray<Result.Result<ItemWritten, Problem>>, WriteConflict | Unavailable> {
    const [items, itemCount, newIds, now] = yield* Effect.all(
      [
        store.find(accountId, owner.storeId, externalIdsOf(commands)),
        store.count(accountId),
        ids.many(commands.length),
        Clock.currentTimeMillis
      ],
      { concurrency: "unbounded" }
    )
    const { changes, results } = decideItems({ owner, items, itemCount, ids: newIds, now }, commands)
    if (changes.inserts.length + changes.updates.length > 0) yield* store.write(accountId, changes)
    return results
  })

  const submit = yield* makeGroupCommit<ItemCommand, ItemWritten, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroupText,
    weightOf,
    run: (accountId, commands) => retryConflicts(cycle(accountId, ownItems, commands))
  })

  return Items.of({
    writeMany: Effect.fn("Items.writeMany")((accountId, owner, writes) => {
      const commands = writes.map((write) => (write instanceof Problem ? write : checkItemWrite(write)))
      return retryConflicts(cycle(accountId, owner, commands))
    }),
    write: (accountId, write) => {
      const command = checkItemWrite(write)
      return command instanceof Problem ? Effect.fail(command) : submit(accountId, command)
    },
    get: Effect.fn("Items.get")(function* (accountId, text) {
      const externalId = parseItemId(text)
      const [item] = externalId === null ? [] : yield* store.find(accountId, null, [externalId])
      return item ?? (yield* Problem.of("catalog.item_not_found"))
    }),
    remove: Effect.fn("Items.remove")(function* (accountId, text) {
      const externalId = parseItemId(text)
      const removed = externalId === null ? 0 : yield* store.remove(accountId, null, [externalId])
      if (removed === 0) return yield* Problem.of("catalog.item_not_found")
    })
  })
})

/** About how many characters a write has that may be long. */
const weightOf = ({ patch }: ItemCommand): number =>
  lengthOf(patch.description ?? "") +
  lengthOf(patch.categories ?? []) +
  Object.values(patch.attributes ?? {}).reduce<number>((sum, value) => sum + lengthOf(value), 0)

const lengthOf = (value: ItemAttribute): number =>
  typeof value === "object"
    ? value.reduce((sum, text) => sum + text.length, 0)
    : typeof value === "string"
      ? value.length
      : 1

/** Every id that a batch names, each once. */
const externalIdsOf = (commands: ReadonlyArray<ItemCommand | Problem>): ReadonlyArray<string> => [
  ...new Set(commands.flatMap((command) => (command instanceof Problem ? [] : [command.externalId])))
]
