/**
 * Tests the outcome of a message for servers that violate the protocol or close at any stage: it never claims more than is known.
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

/** Sends one message to a server with this script. Returns the outcome, and how often the point of no return was run. */
const against = (script: Script, message: OutboundMessage = messageTo("ada@example.org")) =>
  Effect.gen(function* () {
    server.set(script)
    const before = yield* Effect.promise(server.settled)
    let runs = 0
    const point = Effect.sync(() => {
      runs++
      return true
    })
    const url = `smtp://127.0.0.1:${server.port}`
    const outcome = yield* Effect.provide(send(message, point), relayLayer(url))
    const after = yield* Effect.promise(server.settled)
    return { outcome, runs, arrived: after - before }
  })

const broken: ReadonlyArray<readonly [string, Script, string, number]> = [
  ["closed before the greeting", { greeting: "drop" }, "Deferred", 0],
  ["a greeting that rejects", { greeting: "554 5.7.1 not you" }, "Held", 0],
  ["a greeting of a host without mail", { greeting: "521 no mail here" }, "Held", 0],
  ["another protocol", { greeting: "SSH-2.0-OpenSSH_9.6" }, "Deferred", 0],
  ["silence", { greeting: "" }, "Deferred", 0],
  ["a greeting without end", { greeting: `220-${"x".repeat(100_000)}` }, "Deferred", 0],
  ["closed at EHLO", { ehlo: "drop" }, "Deferred", 0],
  ["EHLO and HELO rejected", { ehlo: "550 no" }, "Held", 0],
  ["closed at MAIL", { mail: "drop" }, "Deferred", 0],
  ["closed at RCPT", { rcpt: "drop" }, "Deferred", 0],
  ["closed at DATA", { data: "drop" }, "Deferred", 0],
  ["silence at RCPT", { rcpt: "" }, "Deferred", 0],
  ["closed within the message or after it", { body: "drop" }, "Unknown or Deferred", 1],
  ["closed after the last byte", { message: "drop" }, "Unknown", 1],
  ["silence after the last byte", { message: "" }, "Unknown", 1],
  ["nonsense after the last byte", { message: "what?" }, "Unknown", 1],
  ["a reply out of order after the last byte", { message: "354 go ahead" }, "Unknown", 1],
  ["421 at RCPT", { rcpt: "421 4.3.2 bye" }, "Deferred", 0],
  ["421 after the last byte", { message: "421 4.3.2 bye" }, "Deferred", 1],
  ["MAIL rejected, the rest accepted", { mail: "550 5.7.1 no" }, "Held", 0],
  ["RCPT rejected, DATA accepted", { rcpt: "550 5.1.1 no" }, "Bounced", 0],
  ["DATA rejected", { data: "554 5.7.1 no" }, "Held", 0],
  ["a message larger than SIZE", { ehlo: "250-script\r\n250 SIZE 10" }, "Refused", 0],
  ["no pipelining", { ehlo: "250 script" }, "Sent", 1],
  ["a reply before the message", { data: "354 go\r\n250 2.0.0 done" }, "Deferred or Sent", 1]
]

for (const [name, script, expected, times] of broken) {
  it.live(`the outcome is ${expected} for ${name}`, () =>
    Effect.gen(function* () {
      const { runs, outcome } = yield* against(script)
      expect(expected.split(" or ")).toContain(outcome._tag)
      expect(runs).toBeLessThanOrEqual(times)
      if (times === 0) expect(runs).toBe(0)
    })
  )
}

it.live("a conversation keeps at most 20 replies, of at most 500 characters each", () =>
  Effect.gen(function* () {
    const { outcome } = yield* against({ rcpt: `550 5.1.1 ${"x".repeat(5000)}` })
    expect(outcome._tag).toBe("Bounced")
    const replies = "conversation" in outcome ? (outcome.conversation?.replies ?? []) : []
    expect(replies.length).toBeLessThanOrEqual(20)
    for (const reply of replies) expect(reply.length).toBeLessThanOrEqual(500)
    expect(errorOf(outcome)).toBeNull()
  })
)

const reply = fc.oneof(
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
  { greeting: reply, ehlo: reply, mail: reply, rcpt: reply, data: reply, message: reply },
  { requiredKeys: [] }
)

it.live(
  "the outcome is sound for any replies",
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(script, async (says) => {
          const { arrived, runs, outcome } = await Effect.runPromise(against(says))
          expect(runs).toBeLessThanOrEqual(1)
          // No message arrives without the point of no return, and one that may have arrived is not sent again.
          if (arrived > 0) expect(runs).toBe(1)
          if (outcome._tag === "Sent") expect(arrived).toBe(1)
          if (outcome._tag === "Unknown") expect(runs).toBe(1)
          expect(["Sent", "Deferred", "Held", "Refused", "Bounced", "Unknown"]).toContain(outcome._tag)
        }),
        { numRuns: 150, interruptAfterTimeLimit: 30_000 }
      )
    ),
  60_000
)
