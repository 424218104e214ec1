/**
 * Implements the StsPolicyClient port: fetches MTA-STS policies, with the checks of addresses that webhooks have.
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
  /** Whether addresses that are not public are permitted too. For development and tests only. */
  readonly allowPrivate: boolean
  /** The port of the web servers; 443 except in tests. */
  readonly port?: number
  /** Certificates that are trusted instead of the platform's, in PEM. */
  readonly ca?: string
}

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

    const get = async (domain: string, signal: AbortSignal): Promise<string> => {
      const response = await call(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`, {
        headers: { accept: "text/plain", "accept-encoding": "identity", "user-agent": "svc-mta-sts/1" },
        signal
      })
      const type = response.headers.get("content-type") ?? ""
      // RFC 8461, 3.3: no other status is accepted, and no redirect is followed.
      if (response.status !== 200 || !/^text\/plain[ \t]{0,20}(?:;|$)/i.test(type))
        throw new Error("not a policy")
      return response.text()
    }

    return StsPolicyClient.of({
      fetch: (domain) =>
        Effect.tryPromise({ try: (signal) => get(domain, signal), catch: () => new StsFetchFailed() })
    })
  }).pipe(Layer.effect(StsPolicyClient))
