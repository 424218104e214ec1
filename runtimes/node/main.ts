/**
 * Starts the server on Node.
 *
 * @module
 */
import { keepCompiledCode } from "./compiledCode.ts"

const writeCompiledCode = keepCompiledCode()
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain((...given: Parameters<typeof serve>) => {
  writeCompiledCode()
  return serve(...given)
})
