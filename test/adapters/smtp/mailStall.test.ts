/**
 * Tests that hostile messages are read or abandoned within their limits, and never block the thread that handles calls. Those of
 * megabytes are a fifth of the accepted size; servers are tested with the full size (test/runtimes/stall.test.ts).
 *
 * @module
 */
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isSmall, readMail } from "../../../adapters/smtp/relay/MailReader.ts"
import { layer } from "../../../adapters/threads/Threads.ts"
import { Threads } from "../../../core/ports/Threads.ts"
import { requestOf } from "../../../core/relay/RelayMail.ts"
import { hostileMessages } from "../../fixtures/hostile/messages.ts"
import { longestStall } from "../../support/stall.ts"

const scope = Scope.makeUnsafe()
let threads: Threads["Service"]

beforeAll(async () => {
  const context = await Effect.runPromise(Effect.provideService(Layer.build(layer()), Scope.Scope, scope))
  threads = await Effect.runPromise(Effect.provide(Effect.service(Threads), context))
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe("readMail", () => {
  it.each(hostileMessages)("reads or gives up a message of $name", async ({ make }) => {
    const whole = make()
    const raw = Buffer.from(whole.length > 1_000_000 ? make(0.2) : whole, "latin1")
    expect(isSmall(raw)).toBe(false)
    const began = performance.now()
    const stall = await longestStall(async () => {
      const exit = await Effect.runPromiseExit(readMail(threads, raw))
      if (Exit.isSuccess(exit) && exit.value !== null) requestOf(exit.value, ["a@b.example"])
    })
    expect(performance.now() - began).toBeLessThan(100_000)
    expect(stall).toBeLessThan(250)
  })
})
