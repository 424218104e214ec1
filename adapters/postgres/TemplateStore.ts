/**
 * Templates in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import type { Template } from "../../core/model/Template.ts"
import { mapPage } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Template>({
  id: "uuid",
  accountId: "uuid",
  name: "text",
  subject: "text",
  html: "text",
  compiledHtml: "text",
  text: "text",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  updatedBy: "jsonb"
})

/** The compiled HTML is stored only where it differs from the HTML: it is long, and mostly the same. */
const toRow = (template: Template): Template => ({
  ...template,
  compiledHtml: template.compiledHtml === template.html ? null : template.compiledHtml
})

const toTemplate = (row: Template): Template => ({ ...row, compiledHtml: row.compiledHtml ?? row.html })

const toTemplates = Effect.map((rows: ReadonlyArray<Template>) => rows.map(toTemplate))

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("templates", columns)

  return TemplateStore.of({
    insert: (template) => table.insertMany([toRow(template)]),
    save: (template) =>
      table.update(
        toRow(template),
        ["name", "subject", "html", "compiledHtml", "text", "updatedAt", "updatedBy"],
        ["accountId", "id"]
      ),
    find: (accountId, ids) =>
      toTemplates(
        table.select(sql`from templates where account_id = ${accountId} and id = any(${ids}::uuid[])`)
      ).pipe(ifAny(ids)),
    remove: (accountId, id) =>
      toTemplates(
        table.returning(sql`delete from templates where account_id = ${accountId} and id = ${id}`)
      ).pipe(first),
    list: (accountId, page) =>
      Effect.map(table.page(page, sql`account_id = ${accountId}`), (rows) => mapPage(rows, toTemplate))
  })
}).pipe(Layer.effect(TemplateStore))
