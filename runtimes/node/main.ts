/**
 * Starts the server on Node.
 *
 * @module
 */
import { openEarly } from "../../adapters/postgres/engine/EarlyDatabase.ts"
import { embeddedDirectory, isEmbedded, keepCompiledCode } from "./compiledCode.ts"
import { collectGarbage, limitMemory } from "./processMemory.ts"

limitMemory()
// Files that the process creates, including the embedded database and the compiled code, are accessible only to its user.
process.umask(0o077)
const writeCompiledCode = keepCompiledCode()
const directory = embeddedDirectory(process.env)
if (directory !== null) await openEarly(directory)
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain((...given: Parameters<typeof serve>) => {
  writeCompiledCode()
  // With an embedded database, the memory to be freed stays in use.
  if (!isEmbedded(process.env)) collectGarbage()
  return serve(...given)
})
