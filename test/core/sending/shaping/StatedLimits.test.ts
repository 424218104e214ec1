/**
 * Tests of limits that servers state in replies: how they are parsed, that they only ever lower a limit, and that they apply for
 * an hour.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import {
  currentlyStated,
  type Feedback,
  type LaneState,
  learned,
  newLane,
  type SharedLane,
  statedUses,
  widthAt
} from "../../../../core/model/Lane.ts"
import { LaneMemories } from "../../../../core/sending/shaping/LaneMemories.ts"
import { renewed } from "../../../../core/sending/shaping/LeaseRules.ts"
import { ProviderTable } from "../../../../core/sending/shaping/Providers.ts"
import { parseReply } from "../../../../core/sending/shaping/SmtpReply.ts"
import { limitRules, statementOf } from "../../../../core/sending/shaping/StatedLimits.ts"

const hour = 3_600_000
const start = 1_000 * hour

const stated = (reply: string, connections = 6, accepted = 0) =>
  statementOf(parseReply(reply), { connections, accepted })

it("reads what servers state", () => {
  // The wording of Postfix, Exim, Exchange Online, Orange, GoDaddy, Yahoo and Gmail.
  expect(
    [
      "421 4.7.0 mx.example.org Error: too many connections from 192.0.2.1",
      "421 Too many concurrent SMTP connections from this IP address; please try again later (max 2)",
      "421 too many connections, max 2",
      "421 4.3.2 The maximum number of concurrent connections per resource forest has exceeded a limit",
      "421 mwinf5c63 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR005_104 [104]",
      "421 Connection refused, too many sessions from This IP. Lower the number of concurrent sessions. IB007",
      "421 4.7.0 no more than 4 connections per client",
      "451 4.7.0 connection limit exceeded, limit is 3.",
      "421 too many connections (max 40)"
    ].map((reply) => stated(reply))
  ).toEqual([5, 2, 2, 5, 5, 5, 4, 3, 5].map((connections) => ({ connections })))
  expect(stated("421 too many connections", 1)).toEqual({ connections: 1 })

  expect(
    [
      "421 too many messages in this connection",
      "421 Max message per connection reached, closing transmission channel",
      "550 This message has exceeded the max number of messages per session. Open a new session and try again. IB510",
      "452 4.5.3 Too many recipients",
      "452 4.5.3 max 20 recipients per connection",
      "452 4.5.3 max 5 recipients per connection"
    ].map((reply) => stated(reply, 6, 10))
  ).toEqual([10, 10, 10, 10, 10, 5].map((messages) => ({ messages })))
  expect(stated("452 4.5.3 max 20 recipients per connection")).toEqual({ messages: 20 })

  expect(
    [
      "530 5.7.0 Must issue a STARTTLS command first",
      "550 5.7.29 this message wasn't sent over a TLS connection",
      "530 5.7.1 TLS required"
    ].map((reply) => stated(reply))
  ).toEqual(Array.from({ length: 3 }, () => ({ encryption: true })))
})

it("takes nothing for a limit that is none", () => {
  for (const reply of [
    "250 2.0.0 too many connections, max 2",
    "452 4.5.3 Your message has too many recipients",
    "550 5.1.1 <max@example.org> user unknown",
    "421 4.7.0 Try again later, connection refused",
    "552 5.3.4 Message size exceeds limit of 100 MB",
    "451 4.7.1 Greylisted, at most 300 seconds",
    "550 5.7.1 You have sent too many messages",
    "554 5.7.1 Connections not accepted from 192.0.2.1"
  ])
    expect([reply, stated(reply)]).toEqual([reply, null])
})

it("each rule has a source", () => {
  expect(limitRules.length).toBeGreaterThan(2)
  for (const { asOf, source } of limitRules) expect([source.length > 5, asOf.length]).toEqual([true, 7])
})

const feedback: fc.Arbitrary<Feedback> = fc.oneof(
  fc.constant<Feedback>({ _tag: "Success" }),
  fc.constant<Feedback>({ _tag: "Deferral" }),
  fc.constant<Feedback>({ _tag: "Blocked" }),
  fc.constant<Feedback>({ _tag: "Unavailable", wait: null }),
  fc.record({ connections: fc.integer({ min: 1, max: 30 }) }).map((statement): Feedback => ({
    _tag: "Stated",
    statement
  })),
  fc.record({ messages: fc.integer({ min: 1, max: 30 }) }).map((statement): Feedback => ({
    _tag: "Stated",
    statement
  }))
)

it("whatever a server states, it is kept for an hour, and raises nothing", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ feedback, passed: fc.nat({ max: 20 * 60_000 }) }), { maxLength: 200 }),
      fc.integer({ min: 1, max: 40 }),
      (steps, maxLimit) => {
        const bounds = { startLimit: Math.min(3, maxLimit), maxLimit }
        let state: LaneState = newLane(bounds)
        let now = start
        const said: Array<{ readonly at: number; readonly feedback: Feedback }> = []
        for (const step of steps) {
          now += step.passed
          const before = { width: widthAt(state, bounds, now), uses: statedUses(state, now) }
          state = learned(state, step.feedback, bounds, now)
          said.push({ at: now, feedback: step.feedback })
          const within = said.flatMap((one) =>
            one.at > now - hour && one.feedback._tag === "Stated" ? [one.feedback.statement] : []
          )
          const most = (values: ReadonlyArray<number | undefined>) =>
            Math.min(Infinity, ...values.filter((value) => value !== undefined))
          expect(widthAt(state, bounds, now)).toBeLessThanOrEqual(most(within.map((one) => one.connections)))
          expect(statedUses(state, now)).toBeLessThanOrEqual(most(within.map((one) => one.messages)))
          expect(widthAt(state, bounds, now)).toBeGreaterThanOrEqual(1)
          if (step.feedback._tag === "Stated") {
            expect(widthAt(state, bounds, now)).toBeLessThanOrEqual(before.width)
            expect(statedUses(state, now)).toBeLessThanOrEqual(before.uses)
          }
        }
        expect(currentlyStated(state.stated, now + hour)).toEqual({})
      }
    ),
    { numRuns: 500 }
  )
})

it("any reply states at most what there was, and never less than one", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 599 }),
      fc.oneof(
        fc.string(),
        fc
          .constantFrom("too many connections", "messages per connection", "STARTTLS required")
          .chain((words) =>
            fc
              .tuple(fc.string(), fc.nat({ max: 99_999 }))
              .map(([text, number]) => `${words} max ${number} ${text}`)
          )
      ),
      fc.integer({ min: 1, max: 500 }),
      fc.nat({ max: 1_000 }),
      (code, text, connections, accepted) => {
        const found = statementOf({ code, status: null, text }, { connections, accepted })
        if (code < 400) expect(found).toBeNull()
        expect(found?.connections ?? 1).toBeGreaterThanOrEqual(1)
        expect(found?.connections ?? 1).toBeLessThanOrEqual(Math.max(1, connections - 1))
        expect(found?.messages ?? 1).toBeGreaterThanOrEqual(1)
        if (accepted > 0) expect(found?.messages ?? 1).toBeLessThanOrEqual(accepted)
      }
    )
  )
})

it("all processes follow what a server stated to one, within the hour, and see where it is from", () => {
  const bounds = { startLimit: 8, maxLimit: 8 }
  let lane: SharedLane = {
    ...newLane(bounds),
    lane: "google@192.0.2.1",
    leases: [],
    pace: null,
    marks: {},
    override: null,
    changedAt: start
  }
  const said = {
    feedback: { _tag: "Stated", statement: { connections: 2, messages: 10, encryption: true } },
    at: start,
    count: 1
  } as const
  lane = renewed(lane, { node: "a", bounds, wanted: 1, open: 1, received: [said] }, start)
  lane = renewed(lane, { node: "b", bounds, wanted: 8, open: 0, received: [] }, start + 1_000)
  expect(lane.leases.map(({ places }) => places)).toEqual([1, 1])
  const other = new LaneMemories(() => undefined)
  other.learn(lane)
  expect(other.statedOf("google@192.0.2.1", start)).toEqual(lane.stated)
  expect(other.isEncrypted("google", start + 6 * 24 * hour)).toBe(true)
  expect(other.isEncrypted("google", start + 7 * 24 * hour)).toBe(false)
  expect(other.isEncrypted("yahoo", start)).toBe(false)
  const table = new ProviderTable()
  const yahoo = table.withKey("yahoo")
  expect(table.shownRules(yahoo, null, lane.stated)).toMatchObject({
    maxWidth: { value: 2, from: "Learned" },
    messagesPerConnection: { value: 10, from: "Learned" },
    tls: { value: "required", from: "Learned" }
  })
  expect(table.shownRules(yahoo, null, currentlyStated(lane.stated, start + hour))).toMatchObject({
    maxWidth: { value: 5, from: "Table" },
    messagesPerConnection: { value: 20, from: "Table" },
    tls: { value: "required", from: "Learned" }
  })
})
