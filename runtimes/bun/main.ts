/**
 * Starts the server on Bun.
 *
 * @module
 */
import { serve } from "../../adapters/http/server/NodeServer.ts"
import { runMain } from "../server/main.ts"

runMain(serve)
