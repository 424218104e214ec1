#!/usr/bin/env node
/**
 * The command line `svc`.
 *
 * @module
 */
import { Effect } from "effect"
import { run } from "./commands.ts"

// Files that a command creates, such as exports and the embedded database, are accessible only to its user.
process.umask(0o077)
process.exit(await Effect.runPromise(run(process.argv.slice(2))))
