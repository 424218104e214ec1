/**
 * Prepares each process of a test run.
 *
 * @module
 */
import { shareDump } from "./prepared.ts"

shareDump()
