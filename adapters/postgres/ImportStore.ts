/**
 * Stores imports in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ContactImport, ImportError } from "../../core/model/ContactImport.ts"
import { ImportStore } from "../../core/ports/ImportStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<ContactImport>({
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
  dryRun: "boolean",
  createdAt: "timestamptz",
  finishedAt: "timestamptz",
  version: "integer"
})

const errorColumns = columnsOf<ImportError>({
  line: "bigint",
  issues: "jsonb",
  email: "text",
  externalId: "text",
  cells: "jsonb"
})

/** The fields that change while the import runs. The others are the request, which does not change. */
const changing = ["status", "size", "position", "rows", "failure", "finishedAt", "version"] as const

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const imports = yield* tableOf("imports", columns)
  const importErrors = yield* tableOf("import_errors", errorColumns)
  const names = sql.literal(errorColumns.names)
  const fields = sql.literal(errorColumns.fields)
  const recordset = sql.literal(`r(${errorColumns.recordset})`)

  return ImportStore.of({
    insert: (added) => imports.insertMany([added]),
    get: (accountId, id) =>
      first(imports.select(sql`from imports where account_id = ${accountId} and id = ${id}`)),
    list: (accountId, page, statuses) =>
      imports.page(page, sql`account_id = ${accountId}`, [
        { column: "status", type: "text", values: statuses }
      ]),
    save: (changed) =>
      Effect.flatMap(
        imports.update(changed, changing, ["accountId", "id"], sql`version = ${changed.version}::int - 1`),
        (isSaved) =>
          isSaved ? Effect.void : Effect.fail(new WriteConflict({ constraint: "imports_version" }))
      ),
    putChunk: (accountId, id, place, bytes) =>
      execute(sql`
        insert into import_chunks (account_id, import_id, place, bytes)
        values (${accountId}, ${id}, ${place}, ${bytes}::bytea)`),
    chunk: (accountId, id, place) =>
      orUnavailable(sql<{ readonly bytes: Uint8Array }>`
        select bytes from import_chunks
        where account_id = ${accountId} and import_id = ${id} and place = ${place}`).pipe(
        Effect.map(([row]) => row?.bytes ?? null)
      ),
    removeFile: (accountId, id) =>
      execute(sql`delete from import_chunks where account_id = ${accountId} and import_id = ${id}`),
    addErrors: (accountId, id, errors) =>
      execute(sql`
        insert into import_errors (account_id, import_id, ${names})
        select ${accountId}::uuid, ${id}::uuid, ${fields}
        from json_to_recordset(${errorColumns.encode(errors)}::json) as ${recordset}
        order by line on conflict (account_id, import_id, line) do nothing`).pipe(ifAny(errors)),
    errors: (accountId, id, after, limit) =>
      importErrors.select(sql`
        from import_errors where account_id = ${accountId} and import_id = ${id} and line > ${after}
        order by line limit ${limit}`),
    removeErrors: (accountId, id) =>
      execute(sql`delete from import_errors where account_id = ${accountId} and import_id = ${id}`),
    // Two statements, because a statement does not see what was committed while it waited for locks.
    eraseRows: (accountId, identities) =>
      Effect.andThen(
        execute(sql`
          select id from imports where account_id = ${accountId} and status in ('Queued', 'Running')
          order by id for update`),
        execute(sql`
          update import_errors set email = null, external_id = null, cells = null
          where account_id = ${accountId} and (
            email = any(${identities.flatMap(({ email }) => email ?? [])}::text[])
            or external_id = any(${identities.flatMap(({ externalId }) => externalId ?? [])}::text[])
          )`)
      ),
    remove: (accountId, id) =>
      execute(sql`
        with chunks as (delete from import_chunks where account_id = ${accountId} and import_id = ${id}),
          errors as (delete from import_errors where account_id = ${accountId} and import_id = ${id})
        delete from imports where account_id = ${accountId} and id = ${id}`)
  })
}).pipe(Layer.effect(ImportStore))
