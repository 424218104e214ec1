/**
 * The lists of the management API over many people and ten times as many emails, deliveries, events and notifications, on a
 * PostgreSQL server: statements and milliseconds of the first page, and of one in the middle.
 *
 * `npm run bench -- lists 1000000` makes so many people, 20,000 without a number; the goal is 50 ms at 1,000,000.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerServer } from "../../adapters/postgres/index.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import type { Page, PageRequest } from "../../core/shared/Page.ts"
import { largeTables, listCases, population, settling } from "../support/listPopulation.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { statementsOf } from "../support/statements.ts"
import { median } from "./measure.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const first: PageRequest = { page: 1, pageSize: 50, total: "Bounded" }

/** How many pages are turned to the middle. */
const turned = 20

const goal = 50

/**
 * Fills tables without their triggers and without a log, and makes their indexes afterwards, which takes a fraction of the
 * time.
 */
const fill = Effect.fnUntraced(function* (people: number, isServer: boolean) {
  const sql = yield* SqlClient
  const run = (statement: string) => sql.unsafe(statement).unprepared
  const started = performance.now()
  const say = (what: string) =>
    print(`${((performance.now() - started) / 1000).toFixed(0).padStart(6)} s: ${what}`)
  const indexes = yield* sql<{ readonly name: string; readonly definition: string }>`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not indisprimary and not c.relispartition
      and indrelid = any(${[...largeTables, "events_all"]}::regclass[])`
  yield* Effect.forEach(indexes, ({ name }) => run(`drop index ${name}`))
  yield* Effect.forEach(largeTables, (table) => run(`alter table ${table} set unlogged`))
  const groups = Effect.forEach(
    population(people),
    (group) =>
      Effect.gen(function* () {
        for (const statement of group) yield* run(statement)
        say(group[0]!.split("(", 1)[0]!)
      }),
    { concurrency: isServer ? 2 : 1 }
  )
  yield* groups
  yield* Effect.forEach(indexes, ({ definition }) => run(definition))
  say(`${indexes.length} indexes`)
  yield* Effect.forEach(settling, run)
  if (isServer) yield* run("checkpoint")
  say("ready")
})

const bench = Effect.gen(function* () {
  const slow: Array<string> = []
  let slowest = 0
  for (const [name, list] of Object.entries(listCases)) {
    const measured = Effect.gen(function* () {
      const measure = Effect.fnUntraced(function* (page: PageRequest) {
        const times: Array<number> = []
        for (let round = 0; round < 6; round++) {
          const started = performance.now()
          yield* list(page)
          if (round > 0) times.push(performance.now() - started)
        }
        const millis = median(times)
        slowest = Math.max(slowest, millis)
        if (millis > goal) slow.push(name)
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
    })
    yield* Effect.catch(measured, () =>
      Effect.sync(() => {
        slow.push(name)
        print(`${name.padEnd(46)} takes longer than statements may`)
      })
    )
  }
  print(
    `\nslowest ${slowest.toFixed(1)} ms; slower than ${goal} ms: ${[...new Set(slow)].join(", ") || "none"}`
  )
})

/** A server that loads fast and has the memory of a small database server. */
const serverFlags = Object.entries({
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "1GB",
  shared_buffers: "2GB",
  autovacuum: "off"
}).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** What `psql` would set to load: triggers stay silent, and tables are scanned. */
const loading = {
  ...sessionSettings,
  enable_seqscan: "on",
  maintenance_work_mem: "1GB",
  session_replication_role: "replica",
  statement_timeout: "0"
}

const onServer = (people: number, url: Redacted.Redacted) => {
  const filling = PgClient.layer({ url, maxConnections: 2, startupParameters: loading })
  const isEmpty = Effect.map(
    SqlClient.use((sql) => sql`select from contacts limit 1`),
    (rows) => rows.length === 0
  )
  const filled = Effect.provide(Effect.when(fill(people, true), isEmpty), filling)
  return Effect.provide(Effect.andThen(filled, bench), layerServer(url))
}

/** Makes the account, measures, and prints; in the database that `BENCH_POSTGRES` names, unless that was done before. */
export const benchLists = async (people: number): Promise<void> => {
  const given = process.env["BENCH_POSTGRES"]
  const server = given === undefined ? await startPostgresServer(serverFlags) : null
  try {
    await Effect.runPromise(onServer(people, Redacted.make(given ?? server!.url)))
  } finally {
    await server?.remove()
  }
}
