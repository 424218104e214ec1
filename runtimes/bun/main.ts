/**
 * Starts the server on Bun.
 *
 * @module
 */
import { openEarly } from "../../adapters/postgres/engine/EarlyDatabase.ts"
import { embeddedDirectory } from "../node/compiledCode.ts"

// What the process makes is its user's alone, the files of the embedded store too.
process.umask(0o077)
const directory = embeddedDirectory(process.env)
if (directory !== null) await openEarly(directory)
const { serve } = await import("../../adapters/http/server/NodeServer.ts")
const { runMain } = await import("../server/main.ts")

runMain(serve)
