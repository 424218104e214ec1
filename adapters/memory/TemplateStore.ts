/**
 * Templates in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import type { Template } from "../../core/model/Template.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Template>((template) => template.accountId, byField("createdAt"))
  const templates = new Table<Template>(database, {
    key: (template) => keyOf(template.accountId, template.id),
    indexes: [order]
  })

  return TemplateStore.of({
    insert: (template) => Effect.asVoid(database.write(() => templates.insert(frozen(template)))),
    save: (template) =>
      database.write(() => {
        const there = templates.get(keyOf(template.accountId, template.id)) !== undefined
        if (there) templates.replace(frozen(template))
        return there
      }),
    find: (accountId, ids) => database.read(() => templates.getMany(ids.map((id) => keyOf(accountId, id)))),
    remove: (accountId, id) => database.write(() => templates.remove(keyOf(accountId, id)) ?? null),
    search: (accountId, id, text, limit) =>
      database.read(() =>
        order
          .rows(accountId)
          .filter((one) => one.id === id || one.name.toLowerCase().includes(text.toLowerCase()))
          .toReversed()
          .slice(0, limit)
      ),
    list: (accountId, page) => database.read(() => order.page(accountId, page, placeBy("createdAt")))
  })
}).pipe(Layer.effect(TemplateStore))
