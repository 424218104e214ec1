/**
 * Starts the server on Node.
 *
 * @module
 */
import { keepCompiledCode } from "./compiledCode.ts"
import { limitMemory } from "./processMemory.ts"

limitMemory()
const writeCompiledCode = keepCompiledCode()
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain((...given: Parameters<typeof serve>) => {
  writeCompiledCode()
  return serve(...given)
})
