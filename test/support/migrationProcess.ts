/**
 * A node that migrates a server by given migrations, as a process that can be killed. Arguments: the URL of the database, the
 * migrations as JSON.
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
