import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

// All suites run on each runtime and over each store: on Bun over PGlite, in process over memory, on Node over PostgreSQL.
blackBoxSuites("Bun over PGlite", () => startProcess("bun", "embedded"))
