import { freshDatabase } from "../support/postgres.ts"
import { startEmbedded } from "../support/targets.ts"
import { timedSuites } from "./suites/index.ts"

timedSuites("embedded over Postgres", async () => startEmbedded({ store: { url: await freshDatabase() } }))
