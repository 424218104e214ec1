import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect } from "effect"
import { failAfter } from "../../../adapters/http/edge/Deadline.ts"

class Name extends Context.Service<Name, string>()("test/Name") {}

it.effect("returns the exit of an effect that ends in time", () =>
  Effect.gen(function* () {
    expect(yield* Effect.provideService(failAfter(1000, Name), Name, "Ada")).toBe("Ada")
    expect(yield* Effect.flip(failAfter(1000, Effect.fail("rejected" as const)))).toBe("rejected")
    expect(yield* Effect.exit(failAfter(1000, Effect.die("defect")))).toEqual(
      yield* Effect.exit(Effect.die("defect"))
    )
  })
)

it.effect("fails an effect that hangs with Unavailable, and does not interrupt it", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const done = yield* Deferred.make<string>()
    const slow = Effect.andThen(Deferred.await(gate), Deferred.succeed(done, "committed"))
    expect(yield* Effect.flip(failAfter(20, slow))).toMatchObject({ _tag: "Unavailable" })
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Deferred.await(done)).toBe("committed")
  })
)
