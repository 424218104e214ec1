/**
 * Starts the server on Bun.
 *
 * @module
 */
import { prepareThread } from "../../adapters/postgres/engine/Pglite.ts"
import { isEmbedded } from "../node/compiledCode.ts"

if (isEmbedded(process.env)) prepareThread()
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain(serve)
