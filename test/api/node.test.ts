import { freshDatabase } from "../support/postgres.ts"
import { startProcess } from "../support/targets.ts"
import { serverSuites } from "./suites/index.ts"

// The suites that move the clock run in process, on Node over PostgreSQL. A server process runs the others.
serverSuites("Node over Postgres", async () => startProcess("node", await freshDatabase()))
