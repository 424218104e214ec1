/**
 * Server processes for a test, which are ended after it.
 *
 * @module
 */
import { afterEach, beforeEach, expect } from "vitest"
import { freshFolder, type Runtime, type ServerProcess, startServer } from "./serverProcess.ts"

export interface Servers {
  /** Starts a server; all of a test's servers share one folder. */
  readonly start: (runtime: Runtime, env?: Readonly<Record<string, string>>) => ServerProcess
  /** Stops a server with SIGTERM, and expects exit code 0. */
  readonly stop: (server: ServerProcess) => Promise<void>
  /** Kills a server with SIGKILL. */
  readonly kill: (server: ServerProcess) => Promise<void>
  /** All servers the test has started so far. */
  readonly all: () => ReadonlyArray<ServerProcess>
  /** The test's folder. */
  readonly folder: () => string
}

/** Registers hooks that end the servers after each test of the file. If `fresh`, servers make their own databases. */
export const useServers = (given: { readonly fresh?: boolean } = {}): Servers => {
  let folder: Awaited<ReturnType<typeof freshFolder>>
  let servers: Array<ServerProcess> = []
  const kill = async (server: ServerProcess) => {
    server.signal("SIGKILL")
    await server.ended
  }
  beforeEach(async () => {
    folder = await freshFolder()
    servers = []
  })
  afterEach(async () => {
    await Promise.all(servers.map(kill))
    await folder.remove()
  })
  return {
    start: (runtime, env) => {
      const server = startServer(runtime, folder.path, env, undefined, given.fresh)
      servers.push(server)
      return server
    },
    stop: async (server) => {
      server.signal("SIGTERM")
      expect(await server.ended).toEqual({ code: 0, signal: null })
    },
    kill,
    all: () => servers,
    folder: () => folder.path
  }
}
