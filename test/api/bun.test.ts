import { startProcess } from "../support/targets.ts"
import { ofLanguage, serverSuites } from "./suites/index.ts"

// The other suites, which move the clock, run in process over PGlite.
serverSuites("Bun over PGlite", () => startProcess("bun", "embedded"), ofLanguage)
