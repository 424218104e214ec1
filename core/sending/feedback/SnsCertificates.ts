/**
 * The certificates by which Amazon SNS signs, fetched once and kept for a day.
 *
 * @module
 */
import { Cache, Clock, Context, Duration, Effect, Exit, Layer } from "effect"
import { SnsClient, SnsUnavailable } from "../../ports/SnsClient.ts"

/** The most certificates that are kept. */
const maxKept = 20
/** The most that are fetched within a minute: what names a certificate is not verified yet. */
const maxFetched = 20
const minuteMillis = 60_000

/** The certificates of SNS. */
export class SnsCertificates extends Context.Service<
  SnsCertificates,
  {
    /** The certificate at a URL of SNS, PEM. A failure is kept for 10 seconds. */
    readonly get: (url: string) => Effect.Effect<string, SnsUnavailable>
  }
>()("svc/sending/SnsCertificates") {
  static readonly layer = Layer.effect(
    SnsCertificates,
    Effect.gen(function* () {
      const client = yield* SnsClient
      let minute = 0
      let fetched = 0

      const fetch = Effect.fnUntraced(function* (url: string) {
        const now = yield* Clock.currentTimeMillis
        const current = Math.floor(now / minuteMillis)
        if (current !== minute) {
          minute = current
          fetched = 0
        }
        if (fetched >= maxFetched) return yield* new SnsUnavailable()
        fetched++
        return yield* client.certificate(url)
      })

      const cache = yield* Cache.makeWith(fetch, {
        capacity: maxKept,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.days(1) : Duration.seconds(10))
      })
      return SnsCertificates.of({ get: (url) => Cache.get(cache, url) })
    })
  )
}
