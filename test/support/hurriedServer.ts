/**
 * A server whose limits of callers are those of `TEST_LIMITS`, so that tests need not wait for time-outs.
 *
 * @module
 */
import { serve } from "../../adapters/http/server/NodeServer.ts"
import { runMain } from "../../runtimes/server/main.ts"

const limits = JSON.parse(process.env["TEST_LIMITS"] ?? "{}") as object

runMain((app, options) => serve(app, { ...options, limits: { ...options.limits, ...limits } }))
