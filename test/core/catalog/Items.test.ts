/**
 * Tests of customers' and stores' items over the memory adapter, and of items in templates.
 *
 * @module
 */
import { describe, expect, layer, it as plain } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as memory from "../../../adapters/memory/index.ts"
import { type ItemOwner, maxRecommended, newItem, ownItems } from "../../../core/model/Item.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { ItemUses, namingOf } from "../../../core/catalog/ItemUses.ts"
import { type ItemWrite, parseItemId } from "../../../core/catalog/ItemWrite.ts"
import { Items } from "../../../core/catalog/Items.ts"
import { maxNamed, namedItems, templateItem, TemplateItems } from "../../../core/catalog/TemplateItems.ts"
import { ItemStore } from "../../../core/ports/ItemStore.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { newId, times } from "../../contract/fixtures.ts"
import { anyText, longTexts, textOf } from "../arbitraries.ts"
import { spentMillis } from "../../support/stall.ts"

const services = Layer.mergeAll(Items.layer, ItemUses.layer, TemplateItems.layer).pipe(
  Layer.provide(AuditTrail.layer),
  Layer.provide(Ids.layer),
  Layer.provide(Crypto.layer),
  Layer.provideMerge(memory.layer)
)

const shop = (): ItemOwner => ({ storeId: newId(), source: "Shopify" })

layer(services)("Items", (it) => {
  it.effect("does not read, delete or write an item of a store for the customer's own systems", () =>
    Effect.gen(function* () {
      const items = yield* Items
      const store = yield* ItemStore
      const accountId = newId()
      const owner = shop()
      const [synced] = yield* items.writeMany(accountId, owner, [Result.succeed({ id: "a", name: "Theirs" })])
      const { item } = Result.getOrThrow(synced!)
      expect(item).toMatchObject(owner)
      for (const call of [items.get(accountId, "a"), items.remove(accountId, "a")]) {
        expect(yield* Effect.flip(call)).toMatchObject({ message: "catalog.item_not_found" })
      }
      const own = yield* items.write(accountId, { id: "a", name: "Ours" })
      expect([own.created, own.item.id === item.id]).toEqual([true, false])
      yield* items.remove(accountId, "a")
      expect(yield* store.find(accountId, owner.storeId, ["a"])).toEqual([item])
    })
  )

  it.effect("finds items for templates by id and by category", () =>
    Effect.gen(function* () {
      const items = yield* Items
      const { itemsForTemplates } = yield* TemplateItems
      const accountId = newId()
      const write = (owner: ItemOwner, writes: ReadonlyArray<ItemWrite>) =>
        items.writeMany(accountId, owner, writes.map(Result.succeed))
      yield* write(ownItems, [
        { id: "sku-1", name: "Shoe", price: 19.9, currency: "EUR", categories: ["shoes"] },
        { id: "sku 2", name: "Boot", categories: ["Running shoes", "shoes"], attributes: { color: "red" } },
        { id: "gone", name: "Gone", categories: ["shoes"], active: false },
        ...times(maxRecommended + 5, (index) => ({ id: `many ${index}`, name: "Many", categories: ["many"] }))
      ])
      yield* write(shop(), [
        { id: "sku-1", name: "Theirs", price: 5, currency: "JPY", categories: ["shoes"] }
      ])
      const [found, other] = yield* itemsForTemplates(accountId, [
        {
          templates: [
            "{{ item.sku-1.price }} {{ item[event.sku].attributes.color }} {{ item['gone'].name }} {{ item.none.name }}",
            `{% for item in recommend.shoes %}{{ item.name }}{% endfor %} {{ recommend["Running shoes"] }}`,
            "{{ recommend.any.first.name }} {{ recommend.many.size }} {{ recommend[event.category].size }}"
          ],
          values: { event: { sku: "sku 2", category: "none" } }
        },
        { templates: ["{{ item[event.sku].name }}"], values: { event: { sku: "gone" } } }
      ])
      expect([Object.keys(other!.item), other!.recommend]).toEqual([["gone"], {}])
      expect(Object.keys(found!.item).toSorted()).toEqual(["gone", "sku 2", "sku-1"])
      expect(found!.item["sku-1"]).toMatchObject({
        id: "sku-1",
        name: "Shoe",
        price: "19.90",
        currency: "EUR"
      })
      expect(found!.item["sku 2"]).toMatchObject({ attributes: { color: "red" }, price: null })
      const names = Object.entries(found!.recommend).map(([category, list]) => [
        category,
        list.map((item) => (item as { readonly name: string }).name)
      ])
      expect(Object.fromEntries(names)).toEqual({
        shoes: ["Theirs", "Boot", "Shoe"],
        "Running shoes": ["Boot"],
        any: ["Theirs", ...times(maxRecommended - 1, () => "Many")],
        many: times(maxRecommended, () => "Many"),
        none: []
      })
      expect(found!.recommend["shoes"]![0]).toMatchObject({ price: "5", currency: "JPY" })
      expect(yield* itemsForTemplates(accountId, [{ templates: ["Hello {{ name }}"], values: {} }])).toEqual([
        { item: {}, recommend: {} }
      ])
    })
  )
})

describe("namingOf", () => {
  const own = { ...newItem(ownItems, newId(), "sku", 0), categories: ["Shoes"] }

  plain("is by id only where the sources name the customer's own item", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const id = `a${text.replaceAll(/["\]]/g, "")}b`
        fc.pre(parseItemId(id) === id)
        const item = { ...own, externalId: id }
        const sources = ["Hello {{ name }}", `{{ item["${id}"].name }}`]
        expect(namingOf(item, sources)).toBe("Id")
        expect(namingOf({ ...item, externalId: `${id}x` }, sources)).toBeNull()
        expect(namingOf({ ...item, storeId: newId() }, sources)).toBeNull()
      })
    )
  })

  plain("is by category where the sources recommend items like an active one", () => {
    const recommends = (name: string) => [`{% for one in recommend.${name} %}{{ one.name }}{% endfor %}`]
    for (const item of [own, { ...own, storeId: newId() }]) {
      expect(["Shoes", "any", "Boots"].map((name) => namingOf(item, recommends(name)))).toEqual([
        "Category",
        "Category",
        null
      ])
      expect(namingOf({ ...item, active: false }, recommends("any"))).toBeNull()
    }
    expect(namingOf(own, ["{{ item.sku.name }}", ...recommends("any")])).toBe("Id")
  })

  plain("is nothing where only the values of an email name it", () => {
    expect(namingOf(own, ["{{ item[event.sku].name }}", "{{ recommend[event.category].size }}"])).toBeNull()
  })
})

describe("namedItems", () => {
  plain("finds the ids and categories that templates name", () => {
    const named = namedItems(
      [
        `{{ item.a }}{{item["b c"].x}}{{ item[ 'd' ].x }}{{ item[event.sku] }}{{ item[size] }}{{ item[event] }}`,
        "{{ item[event.none] }}{{ item[event.sku.x] }}{{ items.e }}{{ item.größe }}{{ recommend.x }}{{ item.a }}"
      ],
      { event: { sku: "f" }, size: 42 }
    )
    expect(named).toEqual({ ids: ["a", "b c", "d", "f", "42", "größe"], categories: ["x"] })
  })

  plain("accepts any string and returns at most the limits", () => {
    const grammar = textOf(["item", "recommend", ".", "[", "]", '"', "'", "a", " ", "event.sku", "{{", "}}"])
    fc.assert(
      fc.property(fc.array(fc.oneof(grammar, anyText), { maxLength: 3 }), anyText, (templates, sku) => {
        const { categories, ids } = namedItems(templates, { event: { sku } })
        expect(ids.length).toBeLessThanOrEqual(maxNamed.item)
        expect(categories.length).toBeLessThanOrEqual(maxNamed.recommend)
        expect(ids).not.toContain("")
      }),
      { numRuns: 2000 }
    )
    const many = times(200, (index) => `{{ item.a${index} }}{{ recommend.c${index} }}`).join("")
    expect(namedItems([many], {})).toMatchObject({
      ids: { length: maxNamed.item },
      categories: { length: maxNamed.recommend }
    })
  })

  plain("takes linear time for a long string", () => {
    const hostile = ["item", "item.", "item[", 'item["', "item[  ", "item[a.", 'item["a', "recommend['"]
    const texts = [...hostile.map((text) => text.repeat(60_000)), ...longTexts]
    const from = spentMillis()
    for (const text of texts) namedItems([text, `item${text}`, `item[${text}`, `item["${text}`], {})
    expect(spentMillis() - from).toBeLessThan(10_000)
  })
})

plain("templateItem contains no ids of the service", () => {
  const item = newItem(ownItems, newId(), "sku", 0)
  expect(Object.keys(templateItem(item) as object)).not.toContain("storeId")
  expect(templateItem(item)).toMatchObject({ id: "sku", price: null })
})
