/**
 * Tests of senders over the memory adapter during the warm-up of sources. A sink counts messages by address and day.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ProcessInfo, unknownProcess } from "../../../../core/kernel/ProcessInfo.ts"
import type { MailSource } from "../../../../core/model/Source.ts"
import type { Submission } from "../../../../core/model/Submission.ts"
import { AttemptStore } from "../../../../core/ports/AttemptStore.ts"
import { SourceStore } from "../../../../core/ports/SourceStore.ts"
import { capOf, dayOf, warmUpFrom, warmUpGroups } from "../../../../core/sending/sources/WarmUpRules.ts"
import { newId } from "../../../contract/fixtures.ts"
import { serverOf } from "../../../support/lanes.ts"
import { makeSender, queueMail, type Sender, sendingAccount } from "../../../support/senders.ts"
import { marketingTo, minute, senderTest, start, states, to } from "../../../support/senderTests.ts"

const hour = 60 * minute
const day = 24 * hour
const warming = "192.0.2.1"
const steady = "192.0.2.2"

const addSource = (address: string, values: Partial<MailSource> = {}) =>
  Effect.gen(function* () {
    const reverse = { names: ["mx.example"], isConfirmed: true, checkedAt: start }
    const common = { id: newId(), name: null, pool: "default", mode: "Active", isForced: false } as const
    const source: MailSource = {
      ...common,
      address,
      reverse,
      warmUp: null,
      createdAt: start,
      ...values
    }
    yield* (yield* SourceStore).insert(source)
    return source
  })

const senderAt = (...addresses: ReadonlyArray<string>) =>
  Effect.provideService(makeSender, ProcessInfo, {
    ...unknownProcess,
    node: { ...unknownProcess.node, id: newId(), addresses }
  })

const addressesOf = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@big.example`)

const marketingOf = (accountId: string) => marketingTo(accountId, addressesOf(250))

const mailsTo = (
  accountId: string,
  count: number,
  valuesOf: (email: string) => Partial<Submission> = () => ({})
) => addressesOf(count).map((email) => to(accountId, email, valuesOf(email)))

/** Counts the messages sent from each address in each hour since the start. */
class Sink {
  readonly #left = new Map<string, Array<number>>()

  attach({ transport }: Sender, clock: () => number, lane = "google"): void {
    transport.script = serverOf(
      (_, source) => {
        const at = clock()
        this.#left.set(source ?? "", [...(this.#left.get(source ?? "") ?? []), at])
        return null
      },
      [],
      lane
    )
  }

  count(address: string, from = 0, until = Infinity): number {
    return (this.#left.get(address) ?? []).filter((at) => at >= from && at < until).length
  }

  /** The highest count of a clock hour. */
  busiestHour(address: string): number {
    const hours = Map.groupBy(this.#left.get(address) ?? [], (at) => Math.floor(at / hour))
    return Math.max(0, ...[...hours.values()].map((left) => left.length))
  }
}

/** A clock that follows the test's clock, and a function that advances it in steps. */
const course = Effect.gen(function* () {
  let now = start
  yield* TestClock.setTime(start)
  const pass = (millis: number, senders: ReadonlyArray<Sender>, step = minute) =>
    Effect.gen(function* () {
      for (let passed = 0; passed < millis; passed += step) {
        yield* TestClock.adjust(step)
        now += step
        for (const { worker } of senders) yield* worker.drain
      }
    })
  return { pass, clock: () => now }
})

const statusCounts = (mails: ReadonlyArray<Submission>) =>
  Effect.map(states(mails), (all) => {
    const counts: Record<string, number> = {}
    for (const [status, reason] of all) {
      const name = [status, reason].filter((part) => part !== null).join(" ")
      counts[name] = (counts[name] ?? 0) + 1
    }
    return counts
  })

senderTest(
  "a source that is warmed up takes its share first, and the others of the pool what is beyond",
  Effect.gen(function* () {
    const { clock, pass } = yield* course
    yield* addSource(warming, { warmUp: warmUpFrom(1, start) })
    yield* addSource(steady)
    const { id } = yield* sendingAccount()
    const marketing = yield* marketingOf(id)
    const sender = yield* senderAt(warming, steady)
    const sink = new Sink()
    sink.attach(sender, clock)
    const mails = mailsTo(id, 100, marketing)
    yield* queueMail(mails)
    yield* pass(3 * minute, [sender], 1_000)
    expect(yield* statusCounts(mails)).toEqual({ Delivered: 100 })
    expect(sink.count(warming)).toBe(1)
    expect(sink.count(steady)).toBe(99)
    const tried = yield* (yield* AttemptStore).of(mails.flatMap(({ deliveries }) => deliveries))
    expect(tried.filter(({ source }) => source === warming)).toHaveLength(1)
    expect(tried.filter(({ source }) => source === steady)).toHaveLength(99)

    // Over a day of mail, the source sends its whole share and no more.
    for (let part = 0; part < 24; part++) {
      yield* queueMail(mailsTo(id, 20, marketing), clock())
      yield* pass(hour, [sender], 20_000)
    }
    expect(sink.count(warming, start, start + 12 * hour)).toBeLessThanOrEqual(capOf(1))
    expect(sink.busiestHour(warming)).toBeLessThanOrEqual(Math.floor(capOf(1) / 12))
    expect(sink.count(warming) + sink.count(steady)).toBe(580)
  })
)

senderTest(
  "where nothing else may send, marketing waits for the share and transactional mail does not",
  Effect.gen(function* () {
    const { clock, pass } = yield* course
    const source = yield* addSource(warming, { warmUp: warmUpFrom(1, start) })
    const { id } = yield* sendingAccount()
    const marketing = yield* marketingOf(id)
    const sink = new Sink()
    // Two processes on one machine.
    const startSenders = Effect.gen(function* () {
      const started = [yield* senderAt(warming), yield* senderAt(warming)]
      for (const sender of started) sink.attach(sender, clock)
      return started
    })
    let senders = yield* startSenders
    const news = mailsTo(id, 250, marketing)
    yield* queueMail(news)
    yield* pass(2 * minute, senders, 1_000)
    const waiting = yield* statusCounts(news)
    expect(waiting["Queued sending.warming_up"]).toBeGreaterThan(140)

    const receipts = mailsTo(id, 10)
    yield* queueMail(receipts, clock())
    yield* pass(5 * minute, senders, 1_000)
    expect(yield* statusCounts(receipts)).toEqual({ Delivered: 10 })

    // Until midnight, nearly the share is sent: both processes are killed twice, and lose what they took and did not use.
    for (let restarts = 0; restarts < 2; restarts++) {
      senders = yield* startSenders
      yield* pass(6 * hour, senders)
    }
    const first = sink.count(warming, start, start + 12 * hour)
    expect(first).toBeLessThanOrEqual(capOf(1))
    expect(first).toBeGreaterThan(capOf(1) - 5)
    // On the whole next day, exactly the share is sent, within the hours over which it is spread.
    yield* pass(day, senders)
    expect(sink.count(warming, start + 12 * hour, start + 36 * hour)).toBe(capOf(1))
    const days = yield* (yield* SourceStore).daysSince(dayOf(start), warmUpGroups)
    const counts = { sourceId: source.id, bucket: "google", sent: capOf(1), taken: capOf(1) }
    expect(days.filter((one) => one.day < dayOf(start + 2 * day))).toMatchObject([
      { ...counts, sent: first, taken: expect.any(Number) },
      counts
    ])

    // Three days after they first waited, they fail.
    yield* pass(2 * day, senders, 10 * minute)
    const after = yield* statusCounts(news)
    expect(Object.keys(after).toSorted()).toEqual(["Delivered", "Failed sending.held_too_long"])
    expect(after["Delivered"]! + after["Failed sending.held_too_long"]!).toBe(250)
  })
)

senderTest(
  "one site gets a quarter of the share of all other providers",
  Effect.gen(function* () {
    const { clock, pass } = yield* course
    yield* addSource(warming, { warmUp: warmUpFrom(3, start) })
    yield* addSource(steady)
    const { id } = yield* sendingAccount()
    const marketing = yield* marketingOf(id)
    const sender = yield* senderAt(warming, steady)
    const sink = new Sink()
    sink.attach(sender, clock, "ip:203.0.113.1")
    for (let part = 0; part < 3 * 60; part++) {
      yield* queueMail(mailsTo(id, 3, marketing), clock())
      yield* pass(minute, [sender], 20_000)
    }
    const perHour = Math.floor(capOf(3) / 4 / 12)
    expect([sink.busiestHour(warming), sink.count(warming)]).toEqual([perHour, 3 * perHour])
    expect(sink.count(steady)).toBe(3 * 60 * 3 - 3 * perHour)
  })
)

senderTest(
  "a source that is warmed up sends again after a block, though another takes its mail meanwhile",
  Effect.gen(function* () {
    const { clock, pass } = yield* course
    yield* addSource(warming, { warmUp: warmUpFrom(10, start) })
    yield* addSource(steady)
    const { id } = yield* sendingAccount()
    const marketing = yield* marketingOf(id)
    const sender = yield* senderAt(warming, steady)
    let isBlocked = true
    const left: Array<string> = []
    sender.transport.script = serverOf(
      (_, source) => {
        if (source === warming && isBlocked)
          return "554 5.7.1 Client host [192.0.2.1] blocked using zen.example"
        left.push(source ?? "")
        return null
      },
      [],
      "google"
    )
    const sendFor = (millis: number) =>
      Effect.gen(function* () {
        for (let passed = 0; passed < millis; passed += 10 * minute) {
          yield* queueMail(mailsTo(id, 3, marketing), clock())
          yield* pass(10 * minute, [sender], 20_000)
        }
      })
    yield* sendFor(hour)
    expect(new Set(left)).toEqual(new Set([steady]))
    isBlocked = false
    yield* sendFor(3 * hour)
    expect(left.filter((address) => address === warming).length).toBeGreaterThan(1)
  })
)
