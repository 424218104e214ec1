/**
 * Stores templates in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import { maxTemplateVersions, type Template, type TemplateVersion } from "../../core/model/Template.ts"
import { mapPage, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`

const versionKey = ({ accountId, templateId, version }: TemplateVersion): string =>
  `${accountId} ${templateId} ${version}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Template>((template) => template.accountId, byField("createdAt"))
  const templates = new Table<Template>(database, {
    key: (template) => keyOf(template.accountId, template.id),
    indexes: [order]
  })

  const numbered = new SortedIndex<TemplateVersion>(
    ({ accountId, templateId }) => keyOf(accountId, templateId),
    (one, other) => one.version - other.version
  )
  const versions = new Table<TemplateVersion>(database, { key: versionKey, indexes: [numbered] })
  const removeVersions = (accountId: string, id: string, until: number) => {
    const gone = numbered.rows(keyOf(accountId, id)).filter(({ version }) => version <= until)
    versions.removeMany(gone.map(versionKey))
  }

  return TemplateStore.of({
    insert: (template) => Effect.asVoid(database.write(() => templates.insert(frozen(template)))),
    save: (template) =>
      database.write(() => {
        const there = templates.get(keyOf(template.accountId, template.id)) !== undefined
        if (there) templates.replace(frozen(template))
        return there
      }),
    find: (accountId, ids) => database.read(() => templates.getMany(ids.map((id) => keyOf(accountId, id)))),
    search: (accountId, id, text, limit) =>
      database.read(() =>
        order
          .rows(accountId)
          .filter((one) => one.id === id || one.name.toLowerCase().includes(text.toLowerCase()))
          .toReversed()
          .slice(0, limit)
      ),
    addVersion: (version) =>
      Effect.asVoid(
        database.write(() => {
          versions.insert(frozen(version))
          removeVersions(version.accountId, version.templateId, version.version - maxTemplateVersions)
        })
      ),
    listVersions: (accountId, templateId, page) =>
      database.read(() =>
        mapPage(
          numbered.page(keyOf(accountId, templateId), page, ({ version }) => [version]),
          ({ name, savedAt, savedBy, subject, version }) => ({ version, savedAt, savedBy, name, subject })
        )
      ),
    version: (accountId, templateId, version) =>
      database.read(
        () => numbered.rows(keyOf(accountId, templateId)).find((found) => found.version === version) ?? null
      ),
    remove: (accountId, id) =>
      database.write(() => {
        removeVersions(accountId, id, Infinity)
        return templates.remove(keyOf(accountId, id)) ?? null
      }),
    list: (accountId, page) => database.read(() => order.page(accountId, page, placeBy("createdAt")))
  })
}).pipe(Layer.effect(TemplateStore))
