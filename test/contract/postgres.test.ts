/**
 * Tests the contract of every storage port with the Postgres adapter on a PostgreSQL server.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { freshDatabase } from "../support/postgres.ts"
import { storageContract } from "./index.ts"

storageContract(
  "PostgreSQL",
  Layer.unwrap(Effect.map(Effect.promise(freshDatabase), (url) => layerServer(Redacted.make(url))))
)
