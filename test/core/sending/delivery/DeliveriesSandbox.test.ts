/**
 * Tests of a sender over the memory adapter for a sandbox account.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { InboxStore } from "../../../../core/ports/InboxStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../../../core/ports/Transaction.ts"
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

  for (const { areSerial, expected } of [
    { areSerial: false, expected: [200, 50] },
    { areSerial: true, expected: [50, 50, 50, 50, 50] }
  ]) {
    senderTest(
      `sends in ${areSerial ? "small batches where one holds up all else" : "large batches where others go on beside"}`,
      Effect.gen(function* () {
        const { id } = yield* sendingAccount("Sandbox")
        const inbox = yield* InboxStore
        const transaction = yield* Transaction
        const sizes: Array<number> = []
        const sender = yield* makeSender.pipe(
          Effect.provideService(Transaction, { ...transaction, areSerial }),
          Effect.provideService(InboxStore, {
            ...inbox,
            put: (messages) => {
              sizes.push(messages.length)
              return inbox.put(messages)
            }
          })
        )
        yield* queueMail(Array.from({ length: 250 }, (_, index) => to(id, `person-${index}@one.example`)))
        yield* sender.worker.drain
        expect(sizes).toEqual(expected)
      })
    )
  }
})
