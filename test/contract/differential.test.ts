/**
 * Tests that the Postgres adapter, on PGlite and on a server, behaves like the memory adapter.
 *
 * @module
 */
import { start } from "../../runtimes/embedded/index.ts"
import { freshDatabase } from "../support/postgres.ts"
import { differentialContract } from "./Differential.ts"

// PGlite executes the same statements as a PostgreSQL server.
differentialContract("PGlite", start, (options) => start({ ...options, store: "pglite" }), [1, 2, 3, 524])
differentialContract("PostgreSQL", start, async (options) =>
  start({ ...options, store: { url: await freshDatabase() } })
)
