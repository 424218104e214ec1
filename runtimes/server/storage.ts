/**
 * Selects the storage adapters according to the configuration.
 *
 * @module
 */
import { Layer } from "effect"
import * as Memory from "../../adapters/memory/index.ts"
import * as BesideDatabase from "../../adapters/objects/BesideDatabase.ts"
import * as Files from "../../adapters/objects/Files.ts"
import * as S3 from "../../adapters/objects/S3.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import type { Configuration } from "../config/config.ts"

const databaseLayer = ({ dataDir, store }: Pick<Configuration, "dataDir" | "store">) => {
  switch (store._tag) {
    case "Embedded":
      return Postgres.layerEmbedded(dataDir)
    case "Memory":
      return Memory.layer
    case "Postgres":
      return Postgres.layerServer(store.url, undefined, true, store.direct)
  }
}

/** The storage of content outside the database; null if the database stores it. */
export const objectStorageLayer = (choice: Configuration["objectStorage"]) => {
  switch (choice._tag) {
    case "Database":
      return null
    case "Files":
      return Files.layer(choice.directory)
    case "S3":
      return S3.layer(choice)
  }
}

/** All storage ports: over the configured database or memory, and over the configured object storage. */
export const storageLayer = (configuration: Pick<Configuration, "dataDir" | "objectStorage" | "store">) => {
  const database = databaseLayer(configuration)
  const outside = objectStorageLayer(configuration.objectStorage)
  return outside === null ? database : Layer.provideMerge(BesideDatabase.layer(outside), database)
}
