/**
 * Prepares each process of a test run.
 *
 * @module
 */
import { flushCompileCache } from "node:module"
import { afterAll } from "vitest"
import { shareDump } from "./prepared.ts"

shareDump()

// Test workers are killed before they would write their compile cache, which later ones can load.
afterAll(() => flushCompileCache())
