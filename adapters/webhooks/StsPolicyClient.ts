/**
 * The StsPolicyClient port: fetches policies with the checks of addresses that webhooks have.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Dns } from "../../core/ports/Dns.ts"
import { StsFetchFailed, StsPolicyClient } from "../../core/ports/StsPolicyClient.ts"
import { makeLookUp } from "./Guard.ts"
import { makeGuardedFetch } from "./guardedFetch.ts"

/** How policies are fetched. */
export interface StsClientOptions {
  /** Also connects to addresses that are not public: for development and tests only. */
  readonly allowPrivate: boolean
  /** The port of the web servers; 443 except in tests. */
  readonly port?: number
  /** Certificates that are trusted instead of the platform's, PEM. */
  readonly ca?: string
}

/** The most policies that a process fetches at the same time. */
const atOnce = 20
const maxBytes = 65_536

/** The port over {@link Dns}. */
export const layer = ({
  allowPrivate,
  ca,
  port = 443
}: StsClientOptions): Layer.Layer<StsPolicyClient, never, Dns> =>
  Effect.gen(function* () {
    const dns = yield* Dns
    const call = makeGuardedFetch(makeLookUp(dns, allowPrivate), allowPrivate, { maxBody: maxBytes, ca })
    let running = 0

    const get = async (domain: string): Promise<string> => {
      const response = await call(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`, {
        headers: { accept: "text/plain", "accept-encoding": "identity", "user-agent": "svc-mta-sts/1" }
      })
      const type = response.headers.get("content-type") ?? ""
      // RFC 8461, 3.3: no other status, and no redirect.
      if (response.status !== 200 || !/^text\/plain[ \t]{0,20}(?:;|$)/i.test(type))
        throw new Error("not a policy")
      return response.text()
    }

    return StsPolicyClient.of({
      fetch: (domain) =>
        Effect.suspend(() => {
          if (running >= atOnce) return Effect.fail(new StsFetchFailed({ reason: "Busy" }))
          running++
          return Effect.ensuring(
            Effect.tryPromise({
              try: () => get(domain),
              catch: () => new StsFetchFailed({ reason: "Failed" })
            }),
            Effect.sync(() => {
              running--
            })
          )
        })
    })
  }).pipe(Layer.effect(StsPolicyClient))
