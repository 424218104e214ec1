import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

blackBoxSuites("Bun over PGlite", () => startProcess("bun", "embedded"))
