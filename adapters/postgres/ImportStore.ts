/**
 * Imports in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ContactImport, ImportError } from "../../core/model/ContactImport.ts"
import { ImportStore } from "../../core/ports/ImportStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

const imports = columnsOf({
  id: "uuid",
  accountId: "uuid",
  name: "text",
  status: "text",
  mapping: "jsonb",
  consent: "jsonb",
  delimiter: "text",
  header: "jsonb",
  size: "bigint",
  position: "jsonb",
  rows: "jsonb",
  failure: "jsonb",
  createdAt: "timestamptz",
  finishedAt: "timestamptz",
  version: "integer"
} satisfies Record<keyof ContactImport, string>)

/** A bigint may come back as a text; a file's size fits a number. */
const toImport = (row: object): ContactImport => {
  const decoded = imports.decode<ContactImport>(row)
  return { ...decoded, size: Number(decoded.size) }
}

const insertStatement = `
  insert into imports (${imports.names})
  select ${imports.fields} from json_to_recordset($1::json) as r(${imports.recordset})`

/** What an import is changes; what it was asked to be does not. */
const saveStatement = `
  update imports set status = r.status, size = r.size, position = r.position, rows = r.rows, failure = r.failure,
    finished_at = r."finishedAt", version = r.version
  from json_to_recordset($1::json) as r(${imports.recordset})
  where imports.account_id = $2::uuid and imports.id = $3::uuid and imports.version = $4::int - 1
  returning imports.id`

interface ErrorRow {
  readonly line: number | string
  readonly issues: ImportError["issues"]
  readonly email: string | null
  readonly externalId: string | null
  readonly cells: ImportError["cells"]
}

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  ImportStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(imports.selected("imports"))

    const removeFile = (accountId: string, id: string) =>
      Effect.asVoid(
        orUnavailable(sql`delete from import_chunks where account_id = ${accountId} and import_id = ${id}`)
      )
    const removeErrors = (accountId: string, id: string) =>
      Effect.asVoid(
        orUnavailable(sql`delete from import_errors where account_id = ${accountId} and import_id = ${id}`)
      )

    return ImportStore.of({
      insert: (added) => Effect.asVoid(orUnavailable(sql.unsafe(insertStatement, [imports.encode([added])]))),
      get: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql<object>`select ${columns} from imports where account_id = ${accountId} and id = ${id}`
          ),
          ([row]) => (row === undefined ? null : toImport(row))
        ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (select count(*)::int as total from imports where account_id = ${accountId}) c
            left join lateral (
              select ${columns} from imports where account_id = ${accountId}
              order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toImport)
        ),
      save: (changed) =>
        Effect.flatMap(
          orConflict(
            sql.unsafe(saveStatement, [
              imports.encode([changed]),
              changed.accountId,
              changed.id,
              changed.version
            ])
          ),
          (rows) =>
            rows.length === 1
              ? Effect.void
              : Effect.fail(new WriteConflict({ constraint: "imports_version" }))
        ),
      putChunk: (accountId, id, place, bytes) =>
        Effect.asVoid(
          orUnavailable(sql`
            insert into import_chunks (account_id, import_id, place, bytes)
            values (${accountId}, ${id}, ${place}, ${bytes}::bytea)`)
        ),
      chunk: (accountId, id, place) =>
        Effect.map(
          orUnavailable(sql<{ bytes: Uint8Array }>`
            select bytes from import_chunks
            where account_id = ${accountId} and import_id = ${id} and place = ${place}`),
          ([row]) => row?.bytes ?? null
        ),
      removeFile,
      addErrors: (accountId, id, errors) =>
        errors.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                insert into import_errors (account_id, import_id, line, issues, email, external_id, cells)
                select ${accountId}::uuid, ${id}::uuid, line, issues, email, "externalId", cells
                from jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) as r(
                  line bigint, issues jsonb, email text, "externalId" text, cells jsonb)
                order by line
                on conflict (account_id, import_id, line) do nothing`)
            ),
      errors: (accountId, id, after, limit) =>
        Effect.map(
          orUnavailable(sql<ErrorRow>`
            select line, issues, email, external_id as "externalId", cells from import_errors
            where account_id = ${accountId} and import_id = ${id} and line > ${after}
            order by line limit ${limit}`),
          (rows) => rows.map(({ line, ...rest }): ImportError => ({ ...rest, line: Number(line) }))
        ),
      removeErrors,
      eraseRows: (accountId, identities) =>
        // Each a statement of its own, since a statement does not see what was committed while it waited.
        orUnavailable(
          Effect.andThen(
            sql`
              select id from imports where account_id = ${accountId} and status in ('Queued', 'Running')
              order by id for update`,
            sql`
              update import_errors set email = null, external_id = null, cells = null
              where account_id = ${accountId} and (
                email = any(${identities.flatMap(({ email }) => email ?? [])}::text[])
                or external_id = any(${identities.flatMap(({ externalId }) => externalId ?? [])}::text[])
              )`
          )
        ).pipe(Effect.asVoid),
      remove: (accountId, id) =>
        Effect.asVoid(
          orUnavailable(sql`
            with chunks as (delete from import_chunks where account_id = ${accountId} and import_id = ${id}),
              errors as (delete from import_errors where account_id = ${accountId} and import_id = ${id})
            delete from imports where account_id = ${accountId} and id = ${id}`)
        )
    })
  })
)
