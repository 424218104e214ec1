/**
 * The Postgres adapter on PGlite keeps the contract of every storage port.
 *
 * @module
 */
import { layerEmbedded } from "../../adapters/postgres/index.ts"
import { storageContract } from "./index.ts"

storageContract("PGlite", layerEmbedded(null))
