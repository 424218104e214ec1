/**
 * Tests that the Postgres adapter, on PGlite and on a server, behaves as the memory adapter.
 *
 * @module
 */
import { start } from "../../runtimes/embedded/index.ts"
import { freshDatabase } from "../support/postgres.ts"
import { differentialContract } from "./Differential.ts"

// The statements are those of PostgreSQL.
differentialContract("PGlite", start, (options) => start({ ...options, store: "pglite" }), [1, 2, 3, 524])
differentialContract("PostgreSQL", start, async (options) =>
  start({ ...options, store: { url: await freshDatabase() } })
)
