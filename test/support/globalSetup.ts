/**
 * One PostgreSQL server for a whole test run.
 *
 * @module
 */
import type { TestProject } from "vitest/node"
import { startPostgresServer } from "./postgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

/**
 * Ends the run with its own exit code: what starts the servers hooks on to the end of the process, and ends it with 0,
 * whether or not tests failed.
 */
const keepExitCode = () => process.prependListener("beforeExit", () => process.exit())

/** Starts the server before the first test; what it answers stops it after the last. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  keepExitCode()
  const server = await startPostgresServer()
  project.provide("postgresUrl", server.url)
  return server.remove
}
