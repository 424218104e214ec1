/**
 * Starts the server on Node.
 *
 * @module
 */
import { openEarly } from "../../adapters/postgres/engine/EarlyDatabase.ts"
import { embeddedDirectory, isEmbedded, keepCompiledCode } from "./compiledCode.ts"
import { collectGarbage, limitMemory } from "./processMemory.ts"

limitMemory()
// What the process makes is its user's alone, the files of the embedded store and the compiled code too.
process.umask(0o077)
const writeCompiledCode = keepCompiledCode()
const directory = embeddedDirectory(process.env)
if (directory !== null) await openEarly(directory)
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain((...given: Parameters<typeof serve>) => {
  writeCompiledCode()
  // An embedded store keeps what there is to free.
  if (!isEmbedded(process.env)) collectGarbage()
  return serve(...given)
})
