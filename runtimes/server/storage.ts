/**
 * Provides the storage ports of the configured database.
 *
 * @module
 */
import type { Layer } from "effect"
import * as Memory from "../../adapters/memory/index.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import type { Configuration } from "../config/config.ts"

/** Every storage port. */
export type StoragePorts = Layer.Success<typeof Memory.layer>

/** All storage ports of the configured database. */
export const storageLayer = ({ dataDir, store }: Pick<Configuration, "dataDir" | "store">) => {
  switch (store._tag) {
    case "Embedded":
      return Postgres.layerEmbedded(dataDir)
    case "Memory":
      return Memory.layer
    case "Postgres":
      return Postgres.layerServer(store.url)
  }
}
