/**
 * Implements the SnsClient port, with the checks of addresses that webhooks have.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Dns } from "../../core/ports/Dns.ts"
import { SnsClient, SnsUnavailable } from "../../core/ports/SnsClient.ts"
import { makeLookUp } from "./Guard.ts"
import { makeGuardedFetch } from "./guardedFetch.ts"

/** How SNS is reached. */
export interface SnsOptions {
  /** Whether addresses that are not public are permitted too. For development and tests only. */
  readonly allowPrivate: boolean
  /** The port of the servers; 443 except in tests. */
  readonly port?: number
  /** Certificates that are trusted instead of the platform's, in PEM. */
  readonly ca?: string
}

const maxBytes = 65_536

/** The port over {@link Dns}. */
export const layer = ({ allowPrivate, ca, port = 443 }: SnsOptions): Layer.Layer<SnsClient, never, Dns> =>
  Layer.effect(
    SnsClient,
    Effect.map(Dns, (dns) => {
      const call = makeGuardedFetch(makeLookUp(dns, allowPrivate), allowPrivate, { maxBody: maxBytes, ca })
      const get = (text: string): Effect.Effect<string, SnsUnavailable> =>
        Effect.tryPromise({
          try: async () => {
            const url = new URL(text)
            if (url.protocol !== "https:") throw new Error("not https")
            url.port = String(port)
            const response = await call(url.href, {
              headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "svc-sns/1" }
            })
            if (response.status !== 200) throw new Error("no answer")
            return response.text()
          },
          catch: () => new SnsUnavailable()
        })
      return SnsClient.of({ certificate: get, confirm: (url) => Effect.asVoid(get(url)) })
    })
  )
