import { freshDatabase } from "../support/postgres.ts"
import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

// Every store is tested by the embedded service; each runtime over one that self-hosters have.
blackBoxSuites("Node over Postgres", async () => startProcess("node", await freshDatabase()))
