/**
 * Where the requests of a server come from: provided by each server, since sockets and web handlers name the address of a
 * connection differently.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type IpRange, isLocal, type Origin, originOf } from "../../../core/shared/Network.ts"

/** The origins of requests that are being answered. */
export class Origins extends Context.Service<
  Origins,
  {
    readonly of: (request: HttpServerRequest.HttpServerRequest) => Origin
    /** Tells the server that the caller of a request was authenticated. */
    readonly setKnown: (request: HttpServerRequest.HttpServerRequest) => void
  }
>()("svc/http/Origins") {}

/** The address of a connection and the value of X-Forwarded-For, null without one, to the origin of a request. */
export type FindOrigin = (connection: string, forwarded: string | null) => Origin

/**
 * Makes a function that finds the origin of a request behind trusted proxies. The first request that looks forwarded by
 * a proxy that is not trusted is logged: behind that proxy all callers would be one network.
 */
export const makeFindOrigin = (trusted: ReadonlyArray<IpRange>): Effect.Effect<FindOrigin> =>
  Effect.contextWith((context: Context.Context<never>) => {
    let hasWarned = false
    return Effect.succeed((connection, forwarded) => {
      const origin = originOf(connection, forwarded, trusted)
      if (forwarded === null || hasWarned || origin.trust !== "None" || !isLocal(connection)) return origin
      hasWarned = true
      Effect.runForkWith(context)(
        Effect.logWarning(
          "a request from a local address carries X-Forwarded-For, which is ignored: " +
            "if that address is a reverse proxy, name it in SVC_TRUSTED_PROXIES"
        ).pipe(Effect.annotateLogs({ address: origin.address }))
      )
      return origin
    })
  })
