/**
 * Starts the server on Bun.
 *
 * @module
 */
import { runMain } from "../server/main.ts"
import { serve } from "./BunServer.ts"

runMain(serve)
