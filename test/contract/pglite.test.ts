/**
 * Tests the contract of every storage port with the Postgres adapter on PGlite.
 *
 * @module
 */
import { layerEmbedded } from "../../adapters/postgres/index.ts"
import { storageContract } from "./index.ts"

storageContract("PGlite", layerEmbedded(null))
