/**
 * Starts the server on Node.
 *
 * @module
 */
import { keepCompiledCode } from "./compiledCode.ts"

keepCompiledCode()
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain(serve)
