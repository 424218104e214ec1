/**
 * Writes, reads and deletes items of the catalogue.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { type ItemFilter, ItemStore } from "../ports/ItemStore.ts"
import type { WriteConflict } from "../ports/Transaction.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { foldCase } from "../shared/Validate.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import type { Actor } from "../model/Actor.ts"
import { type Item, type ItemAttribute, type ItemOwner, ownItems } from "../model/Item.ts"
import { decideItems, type ItemWritten } from "./ItemRules.ts"
import { type ItemCommand, type ItemWrite, parseItemId, parseItemWrite } from "./ItemWrite.ts"

/** The maximum number of writes in one commit. */
const maxGroup = 500
/** The maximum number of characters of their long fields, which one statement carries. */
const maxGroupLength = 8_000_000

/** Writes, reads and deletes items. */
export class Items extends Context.Service<
  Items,
  {
    /**
     * Creates or updates items of an owner, in order. Each write sees the results of those before it, and an invalid one is
     * rejected alone. Returns after the commit.
     */
    readonly writeMany: (
      accountId: string,
      owner: ItemOwner,
      writes: ReadonlyArray<Result.Result<ItemWrite, Problem>>
    ) => Effect.Effect<ReadonlyArray<Result.Result<ItemWritten, Problem>>, Unavailable>
    /**
     * As `writeMany`, for an operator who imports the customer's own items. The audit log gets one entry with the numbers of
     * items created, updated and rejected, unless all were rejected.
     */
    readonly importMany: (
      accountId: string,
      writes: ReadonlyArray<Result.Result<ItemWrite, Problem>>,
      actor: Actor
    ) => Effect.Effect<ReadonlyArray<Result.Result<ItemWritten, Problem>>, Unavailable>
    /** Creates or updates one of the customer's own items. Concurrent calls are committed together. */
    readonly write: (accountId: string, write: ItemWrite) => Effect.Effect<ItemWritten, Problem | Unavailable>
    /** Returns one of the customer's own items. Fails with catalog.item_not_found, also for an item of a store. */
    readonly get: (accountId: string, externalId: string) => Effect.Effect<Item, Problem | Unavailable>
    /** Lists items of an account, including those of stores. `q` is the beginning of a name or an external id. */
    readonly list: (
      accountId: string,
      filter: ItemFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Item>, Unavailable>
    /** Deletes one of the customer's own items. Fails with catalog.item_not_found, also for an item of a store. */
    readonly remove: (accountId: string, externalId: string) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/catalog/Items") {
  static readonly layer = Layer.effect(
    Items,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* ItemStore
  const ids = yield* Ids
  const atomically = yield* Atomically
  const { record } = yield* AuditTrail

  const attempt = Effect.fnUntraced(function* (
    accountId: string,
    owner: ItemOwner,
    commands: ReadonlyArray<Result.Result<ItemCommand, Problem>>
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
    maxWeight: maxGroupLength,
    weightOf,
    run: (accountId, commands) => retryConflicts(attempt(accountId, ownItems, commands.map(Result.succeed)))
  })

  return Items.of({
    writeMany: Effect.fn("Items.writeMany")((accountId, owner, writes) => {
      const commands = writes.map((write) => Result.flatMap(write, parseItemWrite))
      return retryConflicts(attempt(accountId, owner, commands))
    }),
    importMany: Effect.fn("Items.importMany")(function* (accountId, writes, actor) {
      const results = yield* attempt(
        accountId,
        ownItems,
        writes.map((write) => Result.flatMap(write, parseItemWrite))
      )
      const after = countsOf(results)
      if (after.created + after.updated > 0) {
        yield* record(actor, {
          accountId,
          action: "catalog.imported",
          target: accountId,
          before: null,
          after
        })
      }
      return results
    }, atomically),
    write: Effect.fn("Items.write")(function* (accountId, write) {
      return yield* submit(accountId, yield* Effect.fromResult(parseItemWrite(write)))
    }),
    get: Effect.fn("Items.get")(function* (accountId, id) {
      const externalId = parseItemId(id)
      const [item] = externalId === null ? [] : yield* store.find(accountId, null, [externalId])
      return item ?? (yield* Problem.of("catalog.item_not_found"))
    }),
    list: (accountId, filter, page) =>
      store.list(accountId, { ...filter, q: filter.q === null ? null : foldCase(filter.q) }, page),
    remove: Effect.fn("Items.remove")(function* (accountId, id) {
      const externalId = parseItemId(id)
      const removed = externalId === null ? 0 : yield* store.remove(accountId, null, [externalId])
      if (removed === 0) return yield* Problem.of("catalog.item_not_found")
    })
  })
})

/** The numbers of writes that created an item, updated one, or did neither. */
const countsOf = (results: ReadonlyArray<Result.Result<ItemWritten, Problem>>) => {
  const created = results.filter((one) => Result.isSuccess(one) && one.success.created).length
  const failed = results.filter(Result.isFailure).length
  return { created, updated: results.length - created - failed, failed }
}

/** The approximate length of the long fields of a write, in characters. */
const weightOf = ({ patch }: ItemCommand): number =>
  lengthOf(patch.description ?? "") +
  lengthOf(patch.categories ?? []) +
  Object.values(patch.attributes ?? {}).reduce<number>((sum, value) => sum + lengthOf(value), 0)

const lengthOf = (value: ItemAttribute): number =>
  typeof value === "object"
    ? value.reduce((sum, entry) => sum + entry.length, 0)
    : typeof value === "string"
      ? value.length
      : 1

/** Every id in a batch, without duplicates. */
const externalIdsOf = (
  commands: ReadonlyArray<Result.Result<ItemCommand, Problem>>
): ReadonlyArray<string> => [
  ...new Set(commands.flatMap((command) => (Result.isSuccess(command) ? [command.success.externalId] : [])))
]
