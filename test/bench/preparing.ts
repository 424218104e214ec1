/**
 * Measures the cost of sending statements without names, as required behind a connection pooler that does not support prepared
 * statements: for looking up a contact and for claiming jobs, each on ten connections.
 *
 * @module
 */
import { Effect, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import type { Unavailable } from "../../core/shared/Problem.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { median, millis, type Rate, ratio, rounds } from "./measure.ts"

const connections = 10
const accountId = "00000000-0000-7000-8000-000000000001"

const work: Readonly<Record<string, Effect.Effect<unknown, Unavailable, ContactStore | JobQueue>>> = {
  "look-ups of a contact": Effect.flatMap(ContactStore, (contacts) =>
    contacts.find(accountId, { ids: [], externalIds: [], emails: ["ada@example.org"] })
  ),
  "claims of jobs": Effect.flatMap(JobQueue, (queue) =>
    queue.claim({ queue: "deliveries", limit: 10, lease: 30_000, now: Date.now() })
  )
}

/** Measures and prints the results. */
export const benchPreparing = async (): Promise<void> => {
  const database = await startPostgresServer()
  try {
    const measure = (name: string, hasNames: boolean) =>
      Effect.gen(function* () {
        let count = 0
        yield* work[name]!
        const from = performance.now()
        const until = from + millis
        yield* Effect.all(
          Array.from({ length: connections }, () =>
            Effect.whileLoop({
              while: () => performance.now() < until,
              body: () => work[name]!,
              step: () => {
                count++
              }
            })
          ),
          { concurrency: "unbounded", discard: true }
        )
        return { perSecond: (count * 1000) / (performance.now() - from) } satisfies Rate
      }).pipe(
        Effect.provide(layerServer(Redacted.make(`${database.url}?prepared_statements=${hasNames}`)), {
          local: true
        }),
        Effect.runPromise
      )
    for (const name of Object.keys(work)) {
      const [named, unnamed]: readonly [Array<Rate>, Array<Rate>] = [[], []]
      for (let round = 0; round < rounds; round++) {
        named.push(await measure(name, true))
        unnamed.push(await measure(name, false))
      }
      const perSecond = (of: ReadonlyArray<Rate>) => median(of.map((one) => one.perSecond)).toFixed(0)
      console.log(`${name}: ${perSecond(named)} /s with names, ${perSecond(unnamed)} /s without`)
      ratio("  without, of with", unnamed, named)
    }
  } finally {
    await database.remove()
  }
}
