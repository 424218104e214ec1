/**
 * Fetches the certificates with which Amazon SNS signs, and caches them for a day.
 *
 * @module
 */
import { Cache, Clock, Context, Duration, Effect, Exit, Layer } from "effect"
import { SnsClient, SnsUnavailable } from "../../ports/SnsClient.ts"

/** The maximum number of cached certificates. */
const maxKept = 1_000
/**
 * The maximum number of certificates fetched for a relay in a minute. The message that names a certificate is not verified
 * yet.
 */
const maxFetched = 5
const minuteMillis = 60_000

/** Provides the certificates of SNS. */
export class SnsCertificates extends Context.Service<
  SnsCertificates,
  {
    /**
     * Returns the certificate (PEM) at a URL of SNS, for a message to a relay. A failure is cached for 10 seconds. The
     * messages to one relay use up none of the fetches of another.
     */
    readonly get: (url: string, relayId: string) => Effect.Effect<string, SnsUnavailable>
  }
>()("svc/sending/SnsCertificates") {
  static readonly layer = Layer.effect(
    SnsCertificates,
    Effect.gen(function* () {
      const client = yield* SnsClient
      const cache = yield* Cache.makeWith((url: string) => client.certificate(url), {
        capacity: maxKept,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.days(1) : Duration.seconds(10))
      })
      let minute = 0
      const fetched = new Map<string, number>()

      return SnsCertificates.of({
        get: Effect.fn("SnsCertificates.get")(function* (url, relayId) {
          if (!(yield* Cache.has(cache, url))) {
            const current = Math.floor((yield* Clock.currentTimeMillis) / minuteMillis)
            if (current !== minute) fetched.clear()
            minute = current
            const count = fetched.get(relayId) ?? 0
            if (count >= maxFetched) return yield* new SnsUnavailable()
            fetched.set(relayId, count + 1)
          }
          return yield* Cache.get(cache, url)
        })
      })
    })
  )
}
