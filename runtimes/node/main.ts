/**
 * Starts the server on Node.
 *
 * @module
 */
import { serve } from "../../adapters/http/edge/NodeServer.ts"
import { runMain } from "../server/main.ts"

runMain(serve)
