#!/usr/bin/env node
/**
 * The command line `svc`.
 *
 * @module
 */
import { Effect } from "effect"
import { run } from "./commands.ts"

// What a command makes is its user's alone: exports, the embedded store.
process.umask(0o077)
process.exit(await Effect.runPromise(run(process.argv.slice(2))))
