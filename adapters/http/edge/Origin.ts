/**
 * The origins of a server's requests. Each server provides the Service, because sockets and web handlers report the address
 * of a connection differently.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type IpRange, isLocal, type Origin, originOf } from "../../../core/shared/Network.ts"

/** The origins of the requests in progress. */
export class Origins extends Context.Service<
  Origins,
  {
    readonly of: (request: HttpServerRequest.HttpServerRequest) => Origin
    /** Marks the caller of a request as authenticated. */
    readonly setKnown: (request: HttpServerRequest.HttpServerRequest) => void
  }
>()("svc/http/Origins") {}

/** Returns the origin of a request from the address of its connection and its X-Forwarded-For; null without that header. */
export type FindOrigin = (connection: string, forwarded: string | null) => Origin

/**
 * Makes a function that finds the origin of a request behind trusted proxies. It logs the first request that an untrusted
 * proxy seems to have forwarded: all callers behind that proxy would count as one network.
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
