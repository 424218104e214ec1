/**
 * Templates in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import type { Template } from "../../core/sending/Template.ts"
import { Database } from "./Database.ts"
import { byTime, OrderIndex } from "./OrderIndex.ts"
import { frozen, Table } from "./Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  TemplateStore,
  Effect.gen(function* () {
    const database = yield* Database
    const order = new OrderIndex<Template>(
      (template) => template.accountId,
      byTime((template) => template.createdAt)
    )
    const templates = new Table<Template>(database, { key: (template) => template.id, indexes: [order] })
    const owned = (accountId: string, id: string): boolean => templates.get(id)?.accountId === accountId

    return TemplateStore.of({
      insert: (template) => Effect.asVoid(database.write(() => templates.insert(frozen(template)))),
      save: (template) =>
        database.write(() => {
          const there = owned(template.accountId, template.id)
          if (there) templates.replace(frozen(template))
          return there
        }),
      find: (accountId, ids) =>
        database.read(() => templates.getMany(ids).filter((template) => template.accountId === accountId)),
      remove: (accountId, id) =>
        database.write(() => (owned(accountId, id) ? (templates.remove(id) ?? null) : null)),
      list: (accountId, page) => database.read(() => order.page(accountId, page))
    })
  })
)
