/**
 * Measures the cost of sharing the limits of lanes: the statements of each process on a virtual clock, and the time of a renewal
 * on PostgreSQL.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../adapters/memory/index.ts"
import { layerServer } from "../../adapters/postgres/index.ts"
import { newLane, type SharedLane } from "../../core/model/Lane.ts"
import { ShapingStore } from "../../core/ports/ShapingStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { renewed } from "../../core/sending/shaping/LeaseRules.ts"
import { simulate } from "../support/laneWorld.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { median, rounds } from "./measure.ts"

const minutes = 10
const bounds = { startLimit: 3, maxLimit: 20 }

const countStatements = (lanes: number, processes: number) =>
  Effect.map(
    simulate({
      seed: 1,
      lanes,
      processes,
      arrivals: 0.2,
      slowed: null,
      kills: [],
      starts: [],
      mailUntil: minutes * 60_000,
      end: minutes * 60_000
    }),
    ({ accepted, statements }) => {
      const messages = accepted.reduce((sum, count) => sum + count, 0)
      const all = statements.reduce((sum, count) => sum + count, 0)
      const perSecond = all / processes / (minutes * 60)
      console.log(
        `${lanes} lanes, ${processes} processes, ${messages} messages in ${minutes} min`.padEnd(56) +
          `${perSecond.toFixed(2)} statements a second and process, ${(all / messages).toFixed(4)} a message`
      )
    }
  ).pipe(Effect.provide([Layer.fresh(memory), TestClock.layer()]))

/** The time of renewing a number of lanes, in milliseconds. */
const timeRenewal = Effect.fnUntraced(function* (count: number) {
  const store = yield* ShapingStore
  const transaction = yield* Transaction
  const now = Date.now()
  const lanes = Array.from({ length: count }, (_, index): SharedLane => ({
    ...newLane(bounds),
    lane: `ip:bench-${index}`,
    leases: [],
    pace: null,
    marks: {},
    override: null,
    changedAt: now
  }))
  const request = { node: "bench", bounds, wanted: 4, open: 2, received: [] }
  const shared = transaction.run(
    Effect.gen(function* () {
      const after = (yield* store.lockLanes(lanes)).map((lane) => renewed(lane, request, now))
      yield* store.putLanes(after)
      return after
    })
  )
  let own = yield* shared
  let turn = now
  const alone = Effect.suspend(() => {
    const next = own.map((lane) => renewed(lane, request, ++turn))
    const exchanges = own.map((known, index) => ({ known, next: next[index]! }))
    own = next
    return store.exchangeLanes(exchanges)
  })
  for (const [what, renewal] of [
    ["alone", alone],
    ["shared", shared]
  ] as const) {
    const times: Array<number> = []
    for (let round = 0; round < 4 * rounds; round++) {
      const from = performance.now()
      yield* renewal
      times.push(performance.now() - from)
    }
    const name = `a renewal of ${count} lanes on PostgreSQL, ${what}`
    console.log(`${name.padEnd(56)}${median(times).toFixed(1)} ms`)
  }
})

/** Measures and prints the results. */
export const benchShaping = async (): Promise<void> => {
  for (const [lanes, processes] of [
    [20, 1],
    [200, 1],
    [20, 4],
    [200, 4]
  ] as const)
    await Effect.runPromise(countStatements(lanes, processes))
  const database = await startPostgresServer()
  try {
    await Effect.runPromise(
      Effect.forEach([1, 200], timeRenewal).pipe(Effect.provide(layerServer(Redacted.make(database.url))))
    )
  } finally {
    await database.remove()
  }
}
