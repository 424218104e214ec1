import { startEmbedded } from "../support/targets.ts"
import { authorizationMatrixSuite } from "./suites/authorizationMatrix.ts"
import { blackBoxSuites } from "./suites/index.ts"

blackBoxSuites("embedded over memory", () => startEmbedded(), [authorizationMatrixSuite])
