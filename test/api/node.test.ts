import { freshDatabase } from "../support/postgres.ts"
import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

// The suites run over each store and on each runtime: on Node over PostgreSQL, on Bun over PGlite, in process over memory.
blackBoxSuites("Node over Postgres", async () => startProcess("node", await freshDatabase()))
