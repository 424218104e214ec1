/**
 * Starts the server on Node.
 *
 * @module
 */
import { prepareThread } from "../../adapters/postgres/engine/Pglite.ts"
import { isEmbedded, keepCompiledCode } from "./compiledCode.ts"
import { collectGarbage, limitMemory } from "./processMemory.ts"

limitMemory()
const writeCompiledCode = keepCompiledCode()
if (isEmbedded(process.env)) prepareThread()
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain((...given: Parameters<typeof serve>) => {
  writeCompiledCode()
  // An embedded store keeps what there is to free.
  if (!isEmbedded(process.env)) collectGarbage()
  return serve(...given)
})
