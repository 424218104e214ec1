#!/usr/bin/env node
/**
 * The command line `svc`.
 *
 * @module
 */
import { Effect } from "effect"
import { run } from "./commands.ts"

process.exit(await Effect.runPromise(run(process.argv.slice(2))))
