/**
 * Runs the whole service in process, for tests and integrators: without ports and, in memory, without files.
 *
 * @module
 */
import { whyTooOld } from "../server/requirements.ts"
import type { Embedded, Options } from "./EmbeddedService.ts"

export type { Embedded, InboxMessage, Options, PublishedDomain, ReadyAccount } from "./EmbeddedService.ts"
export type { SignInOptions } from "./SignIn.ts"

// Checked first, because a runtime that is too old could not even load the rest.
const unsupported = whyTooOld(process.versions)
if (unsupported !== null) throw new Error(unsupported)

const { startService } = await import("./EmbeddedService.ts")

/** Starts a service with a live and a sandbox account ready to use. */
export const start = (options: Options = {}): Promise<Embedded> => startService(options)
