/**
 * Runs the whole service in process, without ports and, in memory, without files: for tests and integrators.
 *
 * @module
 */
import { whyTooOld } from "../server/requirements.ts"
import type { Embedded, Options } from "./EmbeddedService.ts"

export type { Embedded, InboxMessage, Options, PublishedDomain, ReadyAccount } from "./EmbeddedService.ts"

/** Starts a service with a live and a sandbox account ready to use. Fails at once on a runtime that is too old. */
export const start = async (options: Options = {}): Promise<Embedded> => {
  const unsupported = whyTooOld(process.versions)
  if (unsupported !== null) throw new Error(unsupported)
  // An older runtime could not even load the rest.
  const { startService } = await import("./EmbeddedService.ts")
  return startService(options)
}
