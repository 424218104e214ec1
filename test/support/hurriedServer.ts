/**
 * A server whose limits of callers are those of `TEST_LIMITS`, so that tests need not wait for time-outs.
 *
 * @module
 */
import { runMain } from "../../runtimes/server/main.ts"

const { serve } =
  process.versions.bun === undefined
    ? await import("../../adapters/http/server/NodeServer.ts")
    : await import("../../runtimes/bun/BunServer.ts")

const limits = JSON.parse(process.env["TEST_LIMITS"] ?? "{}") as object

runMain((app, options) => serve(app, { ...options, limits: { ...options.limits, ...limits } }))
