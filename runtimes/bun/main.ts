/**
 * Starts the server on Bun.
 *
 * @module
 */
import { openEarly } from "../../adapters/postgres/engine/EarlyDatabase.ts"
import { embeddedDirectory } from "../node/compiledCode.ts"

// Files that the process creates, including the embedded database, are accessible only to its user.
process.umask(0o077)
const directory = embeddedDirectory(process.env)
if (directory !== null) await openEarly(directory)
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain(serve)
