import { Effect, Layer, Redacted } from "effect"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { reportOrdersSuite } from "../../support/reportOrders.ts"

reportOrdersSuite(
  "PostgreSQL",
  Layer.unwrap(Effect.promise(async () => layerServer(Redacted.make(await freshDatabase()))))
)
