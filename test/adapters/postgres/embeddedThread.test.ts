/**
 * The embedded database in a directory: it runs beside the thread that answers calls, and ends with its scope.
 *
 * @module
 */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "vitest"
import { engine } from "../../../adapters/postgres/engine/Embedded.ts"
import { freshFolder } from "../../support/serverProcess.ts"

const folder = Effect.acquireRelease(Effect.promise(freshFolder), ({ remove }) => Effect.promise(remove))

it.live(
  "lets other work run during a long statement",
  () =>
    Effect.gen(function* () {
      const { path } = yield* folder
      const ticks = yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`select 1`
        let count = 0
        const timer = setInterval(() => count++, 1)
        yield* sql`select count(md5(n::text)) from generate_series(1, 200000) as n`
        clearInterval(timer)
        return count
      }).pipe(Effect.provide(engine(path)))
      expect(ticks).toBeGreaterThan(5)
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "keeps what was committed when its scope closes, and can be opened again",
  () =>
    Effect.gen(function* () {
      const { path } = yield* folder
      const large = "x".repeat(1_000_000)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`create table kept (text text)`
        yield* sql`insert into kept values (${large})`
      }).pipe(Effect.provide(engine(path)))
      const rows = yield* Effect.flatMap(
        SqlClient,
        (sql) => sql<{ text: string }>`select text from kept`
      ).pipe(Effect.provide(engine(path)))
      expect(rows).toEqual([{ text: large }])
    }).pipe(Effect.scoped),
  60_000
)
