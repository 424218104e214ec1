/**
 * Servers out of order: whatever they say and wherever they break, a message ends with an outcome, and never with one
 * that says more than is known.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { afterAll, beforeAll } from "vitest"
import type { OutboundMessage } from "../../../core/model/Message.ts"
import { type Script, type ScriptServer, startSmtpScript } from "../../support/smtpScript.ts"
import { errorOf, messageTo, relayLayer, send } from "./transport.ts"

let server: ScriptServer

beforeAll(async () => {
  server = await startSmtpScript()
})

afterAll(() => server.stop())

/** Hands one message over to a server that says this; answers also how often the point of no return was asked for. */
const against = (script: Script, message: OutboundMessage = messageTo("ada@example.org")) =>
  Effect.gen(function* () {
    server.set(script)
    const before = yield* Effect.promise(server.settled)
    let asked = 0
    const point = Effect.sync(() => {
      asked++
      return true
    })
    const url = `smtp://127.0.0.1:${server.port}`
    const outcome = yield* Effect.provide(send(message, point), relayLayer(url))
    const after = yield* Effect.promise(server.settled)
    return { outcome, asked, arrived: after - before }
  })

const broken: ReadonlyArray<readonly [string, Script, string, number]> = [
  ["closed before the greeting", { greeting: "drop" }, "Deferred", 0],
  ["a greeting that refuses", { greeting: "554 5.7.1 not you" }, "Deferred", 0],
  ["a greeting of a host without mail", { greeting: "521 no mail here" }, "Refused", 0],
  ["another protocol", { greeting: "SSH-2.0-OpenSSH_9.6" }, "Deferred", 0],
  ["silence", { greeting: "" }, "Deferred", 0],
  ["a greeting without end", { greeting: `220-${"x".repeat(100_000)}` }, "Deferred", 0],
  ["closed at EHLO", { ehlo: "drop" }, "Deferred", 0],
  ["EHLO refused, HELO too", { ehlo: "550 no" }, "Deferred", 0],
  ["closed at MAIL", { mail: "drop" }, "Deferred", 0],
  ["closed at RCPT", { rcpt: "drop" }, "Deferred", 0],
  ["closed at DATA", { data: "drop" }, "Deferred", 0],
  ["silence at RCPT", { rcpt: "" }, "Deferred", 0],
  ["closed amid the message, or after it", { body: "drop" }, "Unknown or Deferred", 1],
  ["closed after the last byte", { message: "drop" }, "Unknown", 1],
  ["silence after the last byte", { message: "" }, "Unknown", 1],
  ["nonsense after the last byte", { message: "what?" }, "Deferred", 1],
  ["421 at RCPT", { rcpt: "421 4.3.2 bye" }, "Deferred", 0],
  ["421 after the last byte", { message: "421 4.3.2 bye" }, "Deferred", 1],
  ["MAIL refused, the rest accepted", { mail: "550 5.7.1 no" }, "Refused", 0],
  ["RCPT refused, DATA accepted all the same", { rcpt: "550 5.1.1 no" }, "Bounced", 0],
  ["DATA refused", { data: "554 5.7.1 no" }, "Refused", 0],
  ["too large for it", { ehlo: "250-script\r\n250 SIZE 10" }, "Refused", 0],
  ["no pipelining", { ehlo: "250 script" }, "Sent", 1],
  ["an answer before the message", { data: "354 go\r\n250 2.0.0 done" }, "Deferred or Sent", 1]
]

for (const [name, script, expected, times] of broken) {
  it.live(name, () =>
    Effect.gen(function* () {
      const { asked, outcome } = yield* against(script)
      expect(expected.split(" or ")).toContain(outcome._tag)
      expect(asked).toBeLessThanOrEqual(times)
      if (times === 0) expect(asked).toBe(0)
    })
  )
}

it.live("a reply is kept at most 500 characters long, and at most 20 of them", () =>
  Effect.gen(function* () {
    const { outcome } = yield* against({ rcpt: `550 5.1.1 ${"x".repeat(5000)}` })
    expect(outcome._tag).toBe("Bounced")
    const replies = "conversation" in outcome ? (outcome.conversation?.replies ?? []) : []
    expect(replies.length).toBeLessThanOrEqual(20)
    for (const reply of replies) expect(reply.length).toBeLessThanOrEqual(500)
    expect(errorOf(outcome)).toBeNull()
  })
)

const said = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("drop", "250 ok", "354 go", "421 bye", "450 4.2.1 later", "550 5.1.1 no")
  },
  fc.string({ maxLength: 80, unit: "binary" }).filter((text) => text !== ""),
  fc
    .tuple(fc.integer({ min: 100, max: 699 }), fc.string({ maxLength: 40 }))
    .map(([code, text]) => `${code} ${text}`)
)

const script = fc.record(
  { greeting: said, ehlo: said, mail: said, rcpt: said, data: said, message: said },
  { requiredKeys: [] }
)

it.live(
  "whatever a server says",
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(script, async (says) => {
          const { arrived, asked, outcome } = await Effect.runPromise(against(says))
          expect(asked).toBeLessThanOrEqual(1)
          // Nothing arrives that was not allowed to, and what may have arrived is never tried again by itself.
          if (arrived > 0) expect(asked).toBe(1)
          if (outcome._tag === "Sent") expect(arrived).toBe(1)
          if (outcome._tag === "Unknown") expect(asked).toBe(1)
          expect(["Sent", "Deferred", "Refused", "Bounced", "Unknown"]).toContain(outcome._tag)
        }),
        { numRuns: 150, interruptAfterTimeLimit: 30_000 }
      )
    ),
  60_000
)
