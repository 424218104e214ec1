/**
 * Templates in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import type { Template } from "../../core/model/Template.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

interface TemplateRow {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly subject: string
  readonly html: string | null
  /** Null where it is the same as html: most are, and they are long. */
  readonly compiledHtml: string | null
  readonly text: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

type ListedRow = PageRow & TemplateRow

const toTemplate = (row: TemplateRow): Template => ({
  id: row.id,
  accountId: row.accountId,
  name: row.name,
  subject: row.subject,
  html: row.html,
  compiledHtml: row.compiledHtml ?? row.html,
  text: row.text,
  createdAt: row.createdAt.getTime(),
  updatedAt: row.updatedAt.getTime()
})

const storedCompiled = ({ compiledHtml, html }: Template): string | null =>
  compiledHtml === html ? null : compiledHtml

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  TemplateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(
      `id, account_id as "accountId", name, subject, html, compiled_html as "compiledHtml", text,
        created_at as "createdAt", updated_at as "updatedAt"`
    )

    return TemplateStore.of({
      insert: (template) =>
        Effect.asVoid(
          orUnavailable(sql`
            insert into templates
              (account_id, id, name, subject, html, compiled_html, text, created_at, updated_at)
            values (${template.accountId}, ${template.id}, ${template.name}, ${template.subject},
              ${template.html}, ${storedCompiled(template)}, ${template.text},
              ${new Date(template.createdAt)}, ${new Date(template.updatedAt)})`)
        ),
      save: (template) =>
        Effect.map(
          orUnavailable(sql`
            update templates set name = ${template.name}, subject = ${template.subject},
              html = ${template.html}, compiled_html = ${storedCompiled(template)}, text = ${template.text},
              updated_at = ${new Date(template.updatedAt)}
            where account_id = ${template.accountId} and id = ${template.id}
            returning id`),
          (rows) => rows.length > 0
        ),
      find: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<TemplateRow>`
                select ${columns} from templates
                where account_id = ${accountId} and id = any(${ids}::uuid[])`),
              (rows) => rows.map(toTemplate)
            ),
      remove: (accountId, id) =>
        Effect.map(
          orUnavailable(sql<TemplateRow>`
            delete from templates where account_id = ${accountId} and id = ${id} returning ${columns}`),
          ([row]) => (row === undefined ? null : toTemplate(row))
        ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<ListedRow>`
            select c.total, p.* from (
              select count(*)::int as total from templates where account_id = ${accountId}
            ) c
            left join lateral (
              select ${columns} from templates where account_id = ${accountId}
              order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toTemplate)
        )
    })
  })
)
