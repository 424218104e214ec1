import { startEmbedded } from "../support/targets.ts"
import { timedSuites } from "./suites/index.ts"

timedSuites("embedded over PGlite", () => startEmbedded({ store: "pglite" }))
