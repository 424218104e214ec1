/**
 * A sender over the memory adapter, for a sandbox account.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { makeSender, queueMail, sendingAccount } from "../../../support/senders.ts"
import { minute, senderTest, states, to } from "../../../support/senderTests.ts"

describe("a sandbox", () => {
  senderTest(
    "simulates each outcome within the daily cap, and transmits nothing",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount("Sandbox", { dailySendLimit: 4 })
      const sender = yield* makeSender
      const mails = ["ada", "bounce", "complaint", "defer", "late"].map((name) =>
        to(id, `${name}@one.example`)
      )
      yield* queueMail(mails)
      yield* sender.worker.drain
      expect(yield* states(mails)).toEqual([
        ["Delivered", null, 1],
        ["Bounced", null, 1],
        ["Delivered", null, 1],
        ["Queued", "sending.retrying", 1],
        ["Queued", "sending.daily_cap", 0]
      ])
      yield* TestClock.adjust(2 * minute)
      yield* sender.worker.drain
      expect((yield* states(mails))[3]).toEqual(["Delivered", null, 2])
      expect(sender.transport.asked).toEqual([])
      const { items } = yield* (yield* SuppressionStore).list(id, { page: 1, pageSize: 10 })
      expect(items.map(({ kind }) => kind).sort()).toEqual(["Bounced", "Complained"])
    })
  )
})
