import { freshDatabase } from "../support/postgres.ts"
import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

// Every database is tested in process; each runtime over one that self-hosters use.
blackBoxSuites("Node over Postgres", async () => startProcess("node", await freshDatabase()))
