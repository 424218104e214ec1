/**
 * The server on Node.
 *
 * @module
 */
import { serve } from "../../adapters/http/NodeServer.ts"
import { runMain } from "../main.ts"

runMain(serve)
