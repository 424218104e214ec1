/**
 * Measures the management API's lists on a PostgreSQL server, over many people and ten times as many emails, deliveries, events
 * and notifications, and over a tenth of these on PGlite: the statements and milliseconds of the first page and of a later one.
 * Those over 50 ms are marked.
 *
 * `npm run bench -- lists 1000000` creates that many people; without a number, 20,000. The goal is 50 ms at 1,000,000 people,
 * which take more than 25 GB.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Embedded from "../../adapters/postgres/engine/Embedded.ts"
import { layerEmbedded, layerServer } from "../../adapters/postgres/index.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import type { Page, PageRequest } from "../../core/shared/Page.ts"
import {
  largeTables,
  type ListCase,
  listCases,
  type ListPorts,
  population
} from "../support/listPopulation.ts"
import { otherCases, otherPopulation, type OtherPorts, otherTables } from "../support/otherLists.ts"
import { load, loading } from "../support/loading.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { statementsOf } from "../support/statements.ts"
import { median } from "./measure.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const first: PageRequest = { page: 1, pageSize: 50, total: "Bounded" }

/** The number of pages read to reach the middle. */
const turned = 20

const goal = 50

/** The number of records per person: of emails, events and deliveries, and of everything else. */
const [each, fewer] = [10, 2]

/** The most companies, users and campaigns. */
const companies = 5_000

/** Fills a database, with `connections` tables at the same time. */
const fill = (people: number, connections: number) => {
  const started = performance.now()
  return load({
    tables: [...largeTables, ...otherTables],
    partitioned: ["events_all"],
    groups: [...population(people, each, fewer), ...otherPopulation(people, Math.min(people, companies))],
    connections,
    isLogged: false,
    say: (what) => print(`${((performance.now() - started) / 1000).toFixed(0).padStart(6)} s: ${what}`)
  })
}

const bench = Effect.gen(function* () {
  const slow: Array<string> = []
  let slowest = 0
  const cases: Readonly<Record<string, ListCase<ListPorts | OtherPorts>>> = { ...listCases, ...otherCases }
  for (const [name, list] of Object.entries(cases)) {
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
        const mark = millis > goal ? " SLOW" : ""
        return `${millis.toFixed(1).padStart(8)} ms ${yield* statementsOf(list(page))} statements${mark}`
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

/** The flags of a server that loads quickly and has the memory of a small database server. */
const serverFlags = Object.entries({
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "4GB",
  shared_buffers: "2GB",
  autovacuum: "off"
}).flatMap(([name, value]) => ["-c", `${name}=${value}`])

const connections = 2

const isEmpty = Effect.map(
  SqlClient.use((sql) => sql`select from contacts limit 1`),
  (rows) => rows.length === 0
)

const onServer = (people: number, url: Redacted.Redacted) => {
  const filling = PgClient.layer({
    url,
    maxConnections: connections,
    startupParameters: { ...sessionSettings, ...loading }
  })
  const filled = Effect.andThen(
    fill(people, connections),
    SqlClient.use((sql) => sql`checkpoint`)
  )
  return Effect.provide(
    Effect.andThen(Effect.provide(Effect.when(filled, isEmpty), filling), bench),
    layerServer(url)
  )
}

const onPglite = (people: number, directory: string) => {
  const filled = Effect.andThen(
    SqlClient.use((sql) =>
      Effect.forEach(
        Object.entries(loading),
        ([name, value]) => sql`select set_config(${name}, ${value}, false)`
      )
    ),
    fill(people, 1)
  )
  return Effect.andThen(
    Effect.provide(Effect.when(filled, isEmpty), Embedded.layer(directory)),
    Effect.provide(bench, layerEmbedded(directory))
  )
}

/**
 * Creates the account, measures, and prints the results. It uses the database named by `BENCH_POSTGRES`, which is filled only
 * once, or its own server; and then a tenth on PGlite, in the directory named by `BENCH_PGLITE` or in its own. `BENCH_STORE` is
 * `postgres` or `pglite` to measure only one of them.
 */
export const benchLists = async (people: number): Promise<void> => {
  const [given, only] = [process.env["BENCH_POSTGRES"], process.env["BENCH_STORE"]]
  if (only !== "pglite") {
    print(`PostgreSQL, ${people} people\n`)
    const server = given === undefined ? await startPostgresServer(serverFlags) : null
    try {
      await Effect.runPromise(onServer(people, Redacted.make(given ?? server!.url)))
    } finally {
      await server?.remove()
    }
  }
  if (only !== "postgres") {
    const tenth = Math.ceil(people / 10)
    print(`\nPGlite, ${tenth} people\n`)
    const kept = process.env["BENCH_PGLITE"]
    const directory = kept ?? (await mkdtemp(join(tmpdir(), "svc-lists-")))
    try {
      await Effect.runPromise(onPglite(tenth, directory))
    } finally {
      if (kept === undefined) await rm(directory, { recursive: true })
    }
  }
}
