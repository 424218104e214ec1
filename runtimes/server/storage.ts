/**
 * The storage ports of a store choice.
 *
 * @module
 */
import * as Memory from "../../adapters/memory/index.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import type { Configuration } from "../config/config.ts"

/** All storage ports over the store chosen. */
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
