/**
 * A server with the connection limits of `TEST_LIMITS`, so that tests need not wait for the normal time-outs.
 *
 * @module
 */
import { serve } from "../../adapters/http/server/NodeServer.ts"
import { runMain } from "../../runtimes/server/main.ts"

const limits = JSON.parse(process.env["TEST_LIMITS"] ?? "{}") as object

runMain((app, options) => serve(app, { ...options, limits: { ...options.limits, ...limits } }))
