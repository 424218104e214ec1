import { startEmbedded } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

blackBoxSuites("embedded over memory", () => startEmbedded())
