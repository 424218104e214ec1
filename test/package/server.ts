/**
 * Starts the server of an installed package by its command line.
 *
 * @module
 */
import { join } from "node:path"
import { type Runtime, startServer } from "../support/serverProcess.ts"

/** A server with a sandbox account; it stops when disposed of. */
export interface InstalledServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Starts `svc start` of the project in `folder`, with its data there too. */
export const startInstalled = async (runtime: Runtime, folder: string): Promise<InstalledServer> => {
  const main = join(folder, "node_modules/svc/dist/bundle/runtimes/cli/main.js")
  const data = { SVC_DATA_DIR: join(folder, `data-${runtime}`) }
  const server = startServer(runtime, folder, data, [main, "start"])
  const { baseUrl, sandbox } = await server.ready()
  return {
    baseUrl,
    apiKey: sandbox?.apiKey ?? "",
    [Symbol.asyncDispose]: async () => {
      server.signal("SIGTERM")
      await server.ended
    }
  }
}
