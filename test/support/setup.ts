/**
 * Prepares each process of a test run.
 *
 * @module
 */
import { flushCompileCache } from "node:module"
import { afterAll } from "vitest"
import { shareDump } from "./prepared.ts"

shareDump()

// Processes of tests are ended before they would write the compiled code that the next ones can load.
afterAll(() => flushCompileCache())
