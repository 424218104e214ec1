/**
 * Starts the server on Node.
 *
 * @module
 */
import { serve } from "../../adapters/http/server/NodeServer.ts"
import { runMain } from "../server/main.ts"

runMain(serve)
