/**
 * Starts the server on Bun.
 *
 * @module
 */
import { Effect } from "effect"
import { maxDiscarded } from "../../adapters/http/edge/BodyReader.ts"
import { maxFileBytes } from "../../core/model/ContactImport.ts"
import { graceMillis, ListenFailed } from "../../adapters/http/server/NodeServer.ts"
import { makeWebHandler } from "../../adapters/http/server/Web.ts"
import { runMain } from "../server/main.ts"

/** Beyond this size Bun closes the connection; up to it the app replies, also that the body is too large. */
const maxBody = maxFileBytes + maxDiscarded

/** Stops accepting, lets requests in flight finish, and cuts what is left after the grace. */
const stop = async (server: Bun.Server<undefined>): Promise<void> => {
  const timer = setTimeout(() => void server.stop(true), graceMillis)
  await server.stop()
  clearTimeout(timer)
}

runMain((app, options) =>
  Effect.gen(function* () {
    const handle = yield* makeWebHandler(app, options)
    const server = yield* Effect.acquireRelease(
      Effect.try({
        try: () =>
          Bun.serve({
            hostname: options.host,
            port: options.port,
            fetch: (request, running) => handle(request, running.requestIP(request)?.address ?? ""),
            maxRequestBodySize: maxBody,
            development: false,
            // The longest there is, in seconds: a file to import may stall on its way.
            idleTimeout: 255,
            // Otherwise a second server on the port would share its connections without an error.
            reusePort: false
          }),
        catch: (cause) => new ListenFailed({ cause })
      }),
      (running) => Effect.promise(() => stop(running))
    )
    return server.port ?? options.port
  })
)
