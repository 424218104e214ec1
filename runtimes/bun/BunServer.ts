/**
 * Serves the app with `Bun.serve`, which has its own time-outs: 10 s for headers, and one for connections without
 * traffic, which is set here for each phase of a request.
 *
 * @module
 */
import { Effect, Latch } from "effect"
import { maxDiscarded } from "../../adapters/http/edge/BodyReader.ts"
import type { App } from "../../adapters/http/edge/router.ts"
import {
  graceMillis,
  drainMillis,
  ListenFailed,
  type ServeOptions
} from "../../adapters/http/server/NodeServer.ts"
import { makeWebHandler } from "../../adapters/http/server/Web.ts"
import { setTimeout as delay } from "node:timers/promises"
import { maxFileBytes } from "../../core/model/ContactImport.ts"

/** Beyond this size Bun closes the connection; up to it the app replies, also that the body is too large. */
const maxBody = maxFileBytes + maxDiscarded

/** The longest patience that Bun takes, in seconds. */
const maxPatience = 255

/** Stops accepting, lets requests in flight finish, and cuts what is left after the grace. It closes idle connections. */
const stop = async (server: Bun.Server<undefined>): Promise<void> => {
  const timer = setTimeout(() => void server.stop(true), graceMillis)
  await server.stop()
  clearTimeout(timer)
}

/** Serves an app until the scope closes; returns the port. */
export const serve = Effect.fnUntraced(function* (app: App, options: ServeOptions) {
  const closing = yield* Latch.make(false)
  const handle = yield* makeWebHandler(app, options, closing.await)
  let isStopping = false
  /** Closes a connection with its next answer. */
  const closeWith = (response: Response): Response => {
    response.headers.set("connection", "close")
    return response
  }
  const listen = Effect.try({
    try: () =>
      Bun.serve({
        hostname: options.host,
        port: options.port,
        fetch: (request, running) => {
          const answer = handle(request, running.requestIP(request)?.address ?? "", (seconds) =>
            running.timeout(request, Math.min(maxPatience, Math.ceil(seconds)))
          )
          return isStopping ? answer.then(closeWith) : answer
        },
        maxRequestBodySize: maxBody,
        development: false,
        // While a request is answered; shorter between requests, and none while a large body arrives.
        idleTimeout: Math.min(maxPatience, Math.ceil(options.limits.unreadMillis / 1_000)),
        // Otherwise a second server on the port would share its connections without an error.
        reusePort: options.isOneOfMany === true
      }),
    catch: (cause) => new ListenFailed({ cause })
  })
  const server = yield* Effect.acquireRelease(listen, (running) =>
    Effect.promise(async () => {
      isStopping = true
      if (options.isOneOfMany === true) await delay(drainMillis)
      await stop(running)
    })
  )
  yield* Effect.addFinalizer(() => closing.open)
  return server.port ?? options.port
})
