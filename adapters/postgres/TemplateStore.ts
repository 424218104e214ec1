/**
 * Stores templates in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import {
  maxTemplateVersions,
  type Template,
  type TemplateContent,
  type TemplateVersion,
  type TemplateVersionSummary
} from "../../core/model/Template.ts"
import { mapPage } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Template>({
  id: "uuid",
  accountId: "uuid",
  version: "integer",
  name: "text",
  subject: "text",
  format: "text",
  source: "text",
  preheader: "text",
  html: "text",
  compiledHtml: "text",
  text: "text",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  updatedBy: "jsonb"
})

const versionColumns = columnsOf<TemplateVersion>({
  accountId: "uuid",
  templateId: "uuid",
  version: "integer",
  savedAt: "timestamptz",
  savedBy: "jsonb",
  name: "text",
  subject: "text",
  format: "text",
  source: "text",
  preheader: "text",
  html: "text",
  compiledHtml: "text",
  text: "text"
})

const summaryColumns = columnsOf<TemplateVersionSummary>({
  version: "integer",
  savedAt: "timestamptz",
  savedBy: "jsonb",
  name: "text",
  subject: "text"
})

/** Stores the compiled HTML only if it differs from the HTML, because it is long and usually the same. */
const toRow = <Row extends TemplateContent>(row: Row): Row => ({
  ...row,
  compiledHtml: row.compiledHtml === row.html ? null : row.compiledHtml
})

const fromRow = <Row extends TemplateContent>(row: Row): Row => ({
  ...row,
  compiledHtml: row.compiledHtml ?? row.html
})

const toTemplates = Effect.map((rows: ReadonlyArray<Template>) => rows.map(fromRow))

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("templates", columns)
  const versions = yield* tableOf("template_versions", versionColumns)
  const summaries = yield* tableOf("template_versions", summaryColumns, ["version"])

  return TemplateStore.of({
    insert: (template) => table.insertMany([toRow(template)]),
    save: (template) =>
      table.update(
        toRow(template),
        [
          "version",
          "name",
          "subject",
          "format",
          "source",
          "preheader",
          "html",
          "compiledHtml",
          "text",
          "updatedAt",
          "updatedBy"
        ],
        ["accountId", "id"]
      ),
    find: (accountId, ids) =>
      toTemplates(
        table.select(sql`from templates where account_id = ${accountId} and id = any(${ids}::uuid[])`)
      ).pipe(ifAny(ids)),
    addVersion: (version) =>
      Effect.andThen(
        versions.insertMany([toRow(version)]),
        execute(sql`
          delete from template_versions where account_id = ${version.accountId}
            and template_id = ${version.templateId} and version <= ${version.version - maxTemplateVersions}`)
      ),
    listVersions: (accountId, templateId, page) =>
      summaries.page(page, sql`account_id = ${accountId} and template_id = ${templateId}`),
    version: (accountId, templateId, version) =>
      versions
        .select(sql`
          from template_versions
          where account_id = ${accountId} and template_id = ${templateId} and version = ${version}`)
        .pipe(
          first,
          Effect.map((row) => (row === null ? null : fromRow(row)))
        ),
    remove: (accountId, id) =>
      toTemplates(
        table.returning(sql`
          with gone as (
            delete from template_versions where account_id = ${accountId} and template_id = ${id}
          )
          delete from templates where account_id = ${accountId} and id = ${id}`)
      ).pipe(first),
    // An account has few templates, which an index finds.
    search: (accountId, id, text, limit) =>
      toTemplates(
        table.select(sql`
          from templates
          where account_id = ${accountId} and (id = ${id}::uuid or strpos(lower(name), lower(${text}::text)) > 0)
          order by created_at desc, id desc limit ${limit}`)
      ),
    list: (accountId, page) =>
      Effect.map(table.page(page, sql`account_id = ${accountId}`), (rows) => mapPage(rows, fromRow))
  })
}).pipe(Layer.effect(TemplateStore))
