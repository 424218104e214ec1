/**
 * Handles the catalogue endpoints.
 *
 * @module
 */
import { Effect, type Result } from "effect"
import { type Item, ownItems } from "../../../core/model/Item.ts"
import type { ItemWritten } from "../../../core/catalog/ItemRules.ts"
import { Items } from "../../../core/catalog/Items.ts"
import { refuseItemBatchSize } from "../../../core/catalog/ItemWrite.ts"
import type { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { batchResults, elementsOf } from "../edge/Batch.ts"
import { dateTimeOrNull, decimalOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** A catalogue item, as the API returns it. */
export const encodeItem = (item: Item) => ({
  id: item.id,
  source: item.source,
  storeId: item.storeId,
  externalId: item.externalId,
  kind: item.kind,
  name: item.name,
  description: item.description,
  url: item.url,
  imageUrl: item.imageUrl,
  price: decimalOrNull(item.price),
  comparePrice: decimalOrNull(item.comparePrice),
  currency: item.currency,
  inStock: item.inStock,
  stockQuantity: item.stockQuantity,
  categories: item.categories,
  attributes: item.attributes,
  active: item.active,
  createdAt: formatDateTime(item.createdAt),
  updatedAt: dateTimeOrNull(item.updatedAt)
})

const lowerCase = { Created: "created", Updated: "updated", Failed: "failed" } as const

/** The result of each item of a batch. */
export const encodeItemBatch = (written: ReadonlyArray<Result.Result<ItemWritten, Problem>>) => {
  const { results, ...counts } = batchResults(written, ({ created: isNew, item }) => ({
    status: isNew ? "Created" : "Updated",
    id: item.id
  }))
  return { ...counts, results: results.map((result) => ({ ...result, status: lowerCase[result.status] })) }
}

/** The catalogue routes. */
export const itemsRoutes = Effect.map(Items, (items) =>
  bind(PublicApi.groups.items, {
    write: ({ caller, payload }) =>
      Effect.map(items.write(caller.accountId, payload), (written) =>
        written.created ? created(encodeItem(written.item)) : ok(encodeItem(written.item))
      ),
    writeBatch: Effect.fnUntraced(function* ({ caller, payload }) {
      const problem = refuseItemBatchSize(payload.items.length)
      if (problem !== undefined) return yield* problem
      const written = yield* items.writeMany(caller.accountId, ownItems, elementsOf(payload.items))
      return ok(encodeItemBatch(written))
    }),
    get: ({ caller, params }) =>
      Effect.map(items.get(caller.accountId, params.externalId), (item) => ok(encodeItem(item))),
    remove: ({ caller, params }) => Effect.as(items.remove(caller.accountId, params.externalId), ok(null))
  })
)
