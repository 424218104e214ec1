/**
 * What a whole test run shares: one PostgreSQL server, and what is prepared for servers.
 *
 * @module
 */
import type { TestProject } from "vitest/node"
import { share } from "./prepared.ts"
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

/** Starts the server, which may lose all when the machine stops, before the first test; what it answers stops it after the last. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  keepExitCode()
  const removeShared = await share()
  const server = await startPostgresServer(["-c", "fsync=off", "-c", "full_page_writes=off"])
  project.provide("postgresUrl", server.url)
  return async () => {
    await server.remove()
    await removeShared()
  }
}
