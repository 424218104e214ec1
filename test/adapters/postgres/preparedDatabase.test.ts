/**
 * Tests the prepared database with which built programs begin on their first start: it has the tables of the current schema, and
 * no data of an installation.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { layer } from "../../../adapters/postgres/engine/Embedded.ts"
import type * as Prepared from "../../../adapters/postgres/prepared/PreparedDatabase.ts"
import { programOf } from "../../support/programs.ts"
import { freshFolder } from "../../support/serverProcess.ts"

interface Table {
  readonly name: string
}

const tables =
  "select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace"

/** Columns, indexes, constraints, functions, triggers, types and collations, each as text. */
const schema = `
  select 'column', attrelid::regclass::text, attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
    || coalesce(' ' || pg_get_expr(adbin, adrelid), '')
    from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
  union all select 'index', indrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index join pg_class c on c.oid = indrelid
    where relnamespace = 'public'::regnamespace
  union all select 'constraint', conrelid::regclass::text, conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace
  union all select 'trigger', tgrelid::regclass::text, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select 'function', proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'type', typname, typtype::text from pg_type where typnamespace = 'public'::regnamespace
  union all select 'collation', collname, collprovider::text from pg_collation where collnamespace = 'public'::regnamespace
  order by 1, 2, 3`

let folder: Awaited<ReturnType<typeof freshFolder>>
let prepared: PGlite
beforeAll(async () => {
  folder = await freshFolder()
  const path = join(folder.path, "postgres")
  const module = (await import(programOf("adapters/postgres/prepared/PreparedDatabase"))) as typeof Prepared
  expect(await module.writePrepared(path)).toBe(true)
  prepared = await PGlite.create(path)
})
afterAll(async () => {
  await prepared.close()
  await folder.remove()
})

it("has the schema that migrations make", async () => {
  const made = await Effect.gen(function* () {
    const sql = yield* SqlClient
    return [
      yield* sql.unsafe(schema).values,
      yield* sql.unsafe("select version from svc_migrations order by 1").values
    ]
  }).pipe(Effect.provide(layer(null)), Effect.scoped, Effect.runPromise)
  const valuesOf = async (statement: string) =>
    (await prepared.query(statement, [], { rowMode: "array" })).rows
  const found = [await valuesOf(schema), await valuesOf("select version from svc_migrations order by 1")]
  expect(found[0]!.length).toBeGreaterThan(1_000)
  expect(found).toEqual(made)
})

it("holds the versions of its schema and no other row", async () => {
  const names = (await prepared.query<Table>(tables)).rows.map(({ name }) => name)
  expect(names).toContain("contacts")
  const counts = await Promise.all(
    names.map(async (name) => {
      const { rows } = await prepared.query<{ count: number }>(`select count(*)::int as count from ${name}`)
      return [name, rows[0]!.count] as const
    })
  )
  expect(counts.filter(([, count]) => count > 0).map(([name]) => name)).toEqual(["svc_migrations"])
})
