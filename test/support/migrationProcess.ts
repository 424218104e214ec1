/**
 * A node that applies given migrations to a database, as a separate process that can be killed. Its arguments are the URL of the
 * database and the migrations as JSON.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { migrate } from "../../adapters/postgres/engine/Migrations.ts"

const [url = "", migrations = "[]"] = process.argv.slice(2)

await Effect.runPromise(
  Effect.provide(migrate("Online", JSON.parse(migrations)), PgClient.layer({ url: Redacted.make(url) }))
)
