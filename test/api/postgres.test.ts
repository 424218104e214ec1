import { freshDatabase } from "../support/postgres.ts"
import { startEmbedded } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"

blackBoxSuites("embedded over Postgres", async () => startEmbedded({ store: { url: await freshDatabase() } }))
