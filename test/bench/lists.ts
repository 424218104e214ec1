/**
 * The lists of the management API over many people and ten times as many emails, deliveries, events and notifications, on a
 * PostgreSQL server: statements and milliseconds of the first page, and of one in the middle.
 *
 * `npm run bench -- lists 1000000` makes so many people, 20,000 without a number; the goal is 50 ms at 1,000,000.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import type { Page, PageRequest } from "../../core/shared/Page.ts"
import { listCases, population } from "../support/listPopulation.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { statementsOf } from "../support/statements.ts"
import { median } from "./measure.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const first: PageRequest = { page: 1, pageSize: 50, total: "Bounded" }

/** How many pages are turned to the middle. */
const turned = 20

const bench = (people: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const statement of population(people)) {
      const started = performance.now()
      yield* sql.unsafe(statement).unprepared
      print(`${(performance.now() - started).toFixed(0).padStart(9)} ms: ${statement.slice(0, 40)}`)
    }
    let slowest = 0
    for (const [name, list] of Object.entries(listCases)) {
      const measure = Effect.fnUntraced(function* (page: PageRequest) {
        const times: Array<number> = []
        for (let round = 0; round < 6; round++) {
          const started = performance.now()
          yield* list(page)
          if (round > 0) times.push(performance.now() - started)
        }
        const millis = median(times)
        slowest = Math.max(slowest, millis)
        return `${millis.toFixed(1).padStart(8)} ms ${yield* statementsOf(list(page))} statements`
      })
      const newest: Page<unknown> = yield* list(first)
      let after = newest.next
      for (let page = 1; page < turned && after !== null; page++) {
        const { next }: Page<unknown> = yield* list({ ...first, after })
        if (next === null) break
        after = next
      }
      const total = `${newest.totalIsExact ? " " : "~"}${newest.totalCount}`
      const middle = after === null ? "" : `, later page ${yield* measure({ ...first, after })}`
      print(`${name.padEnd(46)} ${total.padStart(10)}: first page ${yield* measure(first)}${middle}`)
    }
    print(`\nslowest ${slowest.toFixed(1)} ms`)
  })

/** Makes the account, measures, and prints. */
export const benchLists = async (people: number): Promise<void> => {
  const server = await startPostgresServer()
  try {
    const url = Redacted.make(server.url)
    const startupParameters = { ...sessionSettings, enable_seqscan: "on", maintenance_work_mem: "256MB" }
    const filling = PgClient.layer({ url, maxConnections: 1, startupParameters })
    await Effect.runPromise(Effect.provide(bench(people), Layer.merge(layerServer(url), filling)))
  } finally {
    await server.remove()
  }
}
