import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect } from "effect"
import { setTimeout as delay } from "node:timers/promises"
import { vi } from "vitest"
import { failAfter } from "../../../adapters/http/edge/Deadline.ts"
import { start } from "../../../runtimes/embedded/index.ts"

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

it("lets a move of the clock take longer than other calls", async () => {
  await using service = await start({
    transport: {
      send: (_, pointOfNoReturn) =>
        Effect.as(
          Effect.andThen(
            Effect.promise(() => delay(200)),
            pointOfNoReturn
          ),
          { _tag: "Accepted" }
        ),
      busyUntil: () => null
    }
  })
  await service.publish("shop.example")
  const post = (path: string, token: string, json: object) =>
    service.fetch(
      new Request(service.baseUrl + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(json)
      })
    )
  const from = "hello@shop.example"
  const sendAt = new Date(service.now() + 60_000).toISOString()
  const email = { from, to: "ada@example.org", subject: "s", text: "t", sendAt }
  expect((await post("/api/v1/sending/emails", service.live.apiKey, email)).status).toBe(201)
  const { setTimeout } = globalThis
  const hurried = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((run: () => void, millis: number) =>
      setTimeout(run, millis === 20_000 ? 50 : millis)) as typeof setTimeout)
  const { status } = await post("/manage/v1/clock/advance", service.managementToken, { by: "PT1H" })
  hurried.mockRestore()
  expect(status).toBe(200)
})
