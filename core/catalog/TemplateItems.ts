/**
 * Looks up the items that templates refer to. `{{ item.sku-1.name }}` and `{{ item["sku 1"].price }}` refer to an item by the
 * customer's own id, `{{ item[event.sku].url }}` by an id among the template's values. `recommend.shoes`, `recommend["Running
 * shoes"]`, `recommend[event.category]` and `recommend.any` refer to the newest items of a category.
 *
 * A template cannot read data while it renders, so the names are found in its source beforehand. A name that is not an item,
 * such as a loop variable, costs one lookup and has no effect.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { ItemStore } from "../ports/ItemStore.ts"
import { padDecimal } from "../shared/Decimal.ts"
import { minorDigits } from "../shared/Currency.ts"
import type { Json } from "../shared/Json.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { Item } from "../model/Item.ts"
import { maxCategory, maxItemId, parseItemId } from "./ItemWrite.ts"

/** The maximum number of ids, and of categories, that are looked up for one email. */
export const maxNamed = { item: 50, recommend: 10 }

/** The category that stands for all categories. */
export const anyCategory = "any"

/** The ids and categories that templates refer to. */
export interface NamedItems {
  readonly ids: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
}

/** The values of a template by their top-level name. */
export type Values = Readonly<Record<string, Json>>

const naming =
  /\b(item|recommend)(?:\.([\p{L}\p{N}_-]+)|\[ {0,9}(?:"([^"\]]{0,200})"|'([^'\]]{0,200})'|([A-Za-z_][\w.-]{0,199})) {0,9}\])/gu

/** The ids and categories that the sources of templates refer to, without duplicates and up to `maxNamed`. */
export const namedItems = (templates: ReadonlyArray<string>, values: Values): NamedItems => {
  const named = { item: new Set<string>(), recommend: new Set<string>() }
  for (const template of templates) {
    for (const [, root, plain, double, single, path] of template.matchAll(naming)) {
      const name = plain ?? double ?? single ?? stringAt(values, path ?? "")
      const kind = root === "item" ? "item" : "recommend"
      if (name !== null && name !== "" && named[kind].size < maxNamed[kind]) named[kind].add(name)
    }
  }
  return {
    ids: [...named.item].filter((id) => id.length <= maxItemId && parseItemId(id) === id),
    categories: [...named.recommend].filter((category) => category.length <= maxCategory)
  }
}

/** The string or number at a path such as `event.sku`, as a string; null if there is none. */
const stringAt = (values: Values, path: string): string | null => {
  let value: Json | undefined = values
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return null
    value = (value as Values)[key]
  }
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : null
}

/** An item as templates see it. Prices are strings with all digits of their currency, such as `19.90`. */
export const templateItem = (item: Item): Json => {
  const digits = item.currency === null ? 0 : minorDigits(item.currency)
  const price = (amount: string | null) => (amount === null ? null : padDecimal(amount, digits))
  return {
    id: item.externalId,
    kind: item.kind,
    name: item.name,
    description: item.description,
    url: item.url,
    imageUrl: item.imageUrl,
    price: price(item.price),
    comparePrice: price(item.comparePrice),
    currency: item.currency,
    inStock: item.inStock,
    stockQuantity: item.stockQuantity,
    categories: item.categories,
    attributes: item.attributes
  }
}

/** The sources of templates, and the values they are rendered with. */
export interface Templated {
  readonly templates: ReadonlyArray<string>
  readonly values: Values
}

/** The values `item` and `recommend` for a render. */
export interface ItemValues {
  readonly item: Readonly<Record<string, Json>>
  readonly recommend: Readonly<Record<string, ReadonlyArray<Json>>>
}

/** Looks up items for templates. */
export class TemplateItems extends Context.Service<
  TemplateItems,
  {
    /**
     * Returns the values `item` and `recommend` for renders of an account, in the same order: the items that each render's
     * sources refer to, given its other values. Needs at most two reads for all renders.
     */
    readonly itemsForTemplates: (
      accountId: string,
      renders: ReadonlyArray<Templated>
    ) => Effect.Effect<ReadonlyArray<ItemValues>, Unavailable>
  }
>()("svc/catalog/TemplateItems") {
  static readonly layer = Layer.effect(
    TemplateItems,
    Effect.map(ItemStore, (store) =>
      TemplateItems.of({
        itemsForTemplates: Effect.fn("TemplateItems.itemsForTemplates")(function* (accountId, renders) {
          const named = renders.map(({ templates, values }) => namedItems(templates, values))
          const ids = [...new Set(named.flatMap((one) => one.ids))]
          const categories = [...new Set(named.flatMap((one) => one.categories))]
          const wanted = categories.map((category) => (category === anyCategory ? null : category))
          const [items, chosen] = yield* Effect.all(
            [store.find(accountId, null, ids), store.recommend(accountId, wanted)],
            { concurrency: "unbounded" }
          )
          const byId = new Map(items.map((item) => [item.externalId, templateItem(item)]))
          const byCategory = new Map(
            categories.map((category, index) => [category, (chosen[index] ?? []).map(templateItem)])
          )
          return named.map((one): ItemValues => ({
            item: Object.fromEntries(
              one.ids.flatMap((id) => {
                const item = byId.get(id)
                return item === undefined ? [] : [[id, item]]
              })
            ),
            recommend: Object.fromEntries(
              one.categories.map((category) => [category, byCategory.get(category) ?? []])
            )
          }))
        })
      })
    )
  )
}
