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

/** Starts the server before the first test; what it answers stops it after the last. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgresServer()
  project.provide("postgresUrl", server.url)
  return server.remove
}
