/**
 * Tests that SNS certificates are fetched once, and that one relay's messages do not use up the fetches of another.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { SnsClient, SnsUnavailable } from "../../../../core/ports/SnsClient.ts"
import { SnsCertificates } from "../../../../core/sending/feedback/SnsCertificates.ts"

const good = "https://sns.eu-west-1.amazonaws.com/good.pem"
const other = "https://sns.eu-west-1.amazonaws.com/other.pem"

const using = <A>(
  use: (
    get: (url: string, relayId: string) => Effect.Effect<string | null>,
    fetched: ReadonlyArray<string>
  ) => Effect.Effect<A>
) => {
  const fetched: Array<string> = []
  const client = Layer.succeed(SnsClient, {
    certificate: (url) =>
      Effect.suspend(() => {
        fetched.push(url)
        return url === good || url === other ? Effect.succeed(url) : Effect.fail(new SnsUnavailable())
      }),
    confirm: () => Effect.void
  })
  return Effect.flatMap(SnsCertificates, ({ get }) =>
    use(
      (url, relayId) =>
        Effect.map(
          Effect.result(get(url, relayId)),
          Result.getOrElse(() => null)
        ),
      fetched
    )
  ).pipe(Effect.provide(Layer.provide(SnsCertificates.layer, client)))
}

describe("the certificates of SNS", () => {
  it.effect("are fetched once a day, however many ask", () =>
    using((get, fetched) =>
      Effect.gen(function* () {
        const all = yield* Effect.all(
          ["a", "b", "c"].map((relayId) => get(good, relayId)),
          { concurrency: "unbounded" }
        )
        expect(all).toEqual([good, good, good])
        expect(fetched).toEqual([good])
        yield* TestClock.adjust("25 hours")
        expect(yield* get(good, "a")).toBe(good)
        expect(fetched).toEqual([good, good])
      })
    )
  )

  it.effect("are there for a relay, whatever another is sent", () =>
    using((get, fetched) =>
      Effect.gen(function* () {
        expect(yield* get(good, "ours")).toBe(good)
        for (let one = 0; one < 3_000; one++)
          yield* get(`https://sns.eu-west-1.amazonaws.com/${one}.pem`, "theirs")
        // The limit of five per minute is reached.
        expect(fetched).toHaveLength(6)
        expect(yield* get(good, "ours")).toBe(good)
        expect(yield* get(good, "theirs")).toBe(good)
        expect(fetched).toHaveLength(6)
        expect(yield* get(other, "theirs")).toBeNull()
        expect(yield* get(other, "ours")).toBe(other)
        yield* TestClock.adjust("1 minute")
        yield* get("https://sns.eu-west-1.amazonaws.com/new.pem", "theirs")
        expect(fetched).toHaveLength(8)
      })
    )
  )
})
