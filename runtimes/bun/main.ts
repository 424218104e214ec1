/**
 * The server on Bun.
 *
 * @module
 */
import { Effect } from "effect"
import { toWebHandler } from "../../adapters/http/Web.ts"
import { runMain } from "../main.ts"

/** The largest body any route takes. */
const maxBody = 32 * 1024 * 1024

runMain((app, { host, port }) =>
  Effect.gen(function* () {
    const handle = toWebHandler(app, yield* Effect.context())
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({ hostname: host, port, fetch: handle, maxRequestBodySize: maxBody, development: false })
      ),
      (running) => Effect.promise(() => running.stop())
    )
    return server.port ?? port
  })
)
