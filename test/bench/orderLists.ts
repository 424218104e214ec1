/**
 * Measures lists and searches over a million orders on a PostgreSQL server: the time of each statement in the database.
 * BENCH_ORDERS sets the number of orders.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { countStatement, pageStatement } from "../../adapters/postgres/orders/lists.ts"
import { searchParts } from "../../adapters/postgres/orders/keys.ts"
import { sampleStatement, searchStatement, type SearchSample } from "../../adapters/postgres/orders/search.ts"
import { planBehindNewest, planSearch, type SearchPlan } from "../../adapters/postgres/orders/searchPlan.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import { orderStatuses } from "../../core/model/Order.ts"
import { maxSearchTotal, type OrderFilter } from "../../core/ports/OrderStore.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { median } from "./measure.ts"
import { words, wordsOf } from "./orderWords.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"
const storeId = "0190a5d0-0000-7000-8000-00000000000a"
const otherStoreId = "0190a5d0-0000-7000-8000-00000000000b"
const now = Date.UTC(2031, 4, 6, 7, 8, 9)

const id = (n: string): string =>
  `(lpad(to_hex(1700000000000 + (${n})), 12, '0') || '7' || substr(md5((${n})::text), 1, 3) || '8' || substr(md5((${n})::text), 4, 15))::uuid`

/** Three years of a large and a small shop. The customers have 5,000 first and 20,000 last names, and several orders each. */
const population = (count: number): ReadonlyArray<string> => [
  `insert into stores (account_id, id, platform, name, domain, consent_mode, token_hash, token_display, webhook_secret,
    connected_at)
  select '${accountId}', id::uuid, 'Custom', 'Shop', id || '.example', 'Explicit', '', '', '', '2031-01-01Z'
  from unnest(array['${storeId}', '${otherStoreId}']) id`,
  `insert into orders (account_id, id, store_id, external_id, number, status, currency, total, email, customer_name,
    contact_id, placed_at, paid_at, line_count, reached, source_updated_at, version)
  select '${accountId}', ${id("n")}, case when n % 100 = 0 then '${otherStoreId}' else '${storeId}' end::uuid,
    'order-' || n, '#' || 1000 + n,
    (array['Completed', 'Completed', 'Completed', 'Completed', 'Completed', 'Paid', 'Paid', 'Pending', 'Cancelled', 'Refunded'])[1 + n % 10],
    'EUR', (n % 20000) / 100.0, 'person' || n % 300000 || '@example.com',
    'First' || n % 5000 || ' Last' || n % 20000 || ${wordsOf(count)}, ${id("n % 300000 + 1")},
    timestamptz '2031-05-06 07:00Z' - (${count} - n) * interval '95 seconds', null, 1 + n % 5, '["Placed"]', '2031-05-06Z', 1
  from generate_series(1, ${count}) n`,
  `insert into order_counts (account_id, store_id, status, day, orders)
  select account_id, store_id, status, floor(extract(epoch from placed_at) / 86400)::int, count(*) from orders
  group by 1, 2, 3, 4`,
  // The index is created afterwards, which takes a tenth of the time.
  `drop index order_texts_keys`,
  `insert into order_texts (account_id, order_id, store_id, status, placed_at, text)
  select account_id, id, store_id, status, placed_at, lower(number || E'\\n' || email || E'\\n' || customer_name)
  from orders order by id`,
  `create index order_texts_keys on order_texts using gin (svc_order_keys(account_id, store_id, status, placed_at, text))
    with (gin_pending_list_limit = 256)`,
  `vacuum (analyze) orders`,
  `vacuum (analyze) order_texts`,
  `vacuum (analyze) order_counts`
]

const any: OrderFilter = { storeId: null, statuses: orderStatuses, since: null, search: null }
const paid: OrderFilter = { ...any, statuses: ["Paid", "Completed"] }
const sinceDays = (days: number): number => now - days * 86_400_000

const filters: Readonly<Record<string, OrderFilter>> = {
  All: any,
  "Paid, 30 days": { ...paid, since: sinceDays(30) },
  "All, 3,660 days": { ...any, since: sinceDays(3660) },
  "Refunded of the small store": { ...any, storeId: [otherStoreId], statuses: ["Refunded"] },
  Abandoned: { ...any, statuses: ["Draft"] }
}

const small: OrderFilter = { ...any, storeId: [otherStoreId] }
const refunded: OrderFilter = { ...any, statuses: ["Refunded"] }
const inDays = (days: number, filter = any): OrderFilter => ({ ...filter, since: sinceDays(days) })

/** Words found in one order, in all orders, or only in old ones, of one and two characters, with every kind of filter. */
const searches: ReadonlyArray<readonly [text: string, filters: Readonly<Record<string, OrderFilter>>]> = [
  ["#765432", { any }],
  ["765432", { any }],
  ["person123456@example.com", { any, refunded }],
  ["first4321 last14321", { any }],
  ["last1432", { any, "paid in a year": inDays(365, paid) }],
  ["nobody@nowhere", { any, small, "in 30 days": inDays(30) }],
  ["zz", { any, refunded }],
  ["z", { any }],
  ["st777", { any, paid, small, "in 30 days": inDays(30) }],
  ["first12", { any, paid, small, refunded }],
  ["#8", { any, refunded }],
  ["#12", { any }],
  [
    "99",
    { any, paid, small, refunded, "refunded in a year": inDays(365, refunded), "in 30 days": inDays(30) }
  ],
  ["last1", { any, refunded, small, "in 30 days": inDays(30) }],
  [
    "example.com",
    {
      any,
      paid,
      refunded,
      small,
      "refunded of the small store": { ...small, statuses: ["Refunded"] },
      "in 30 days": inDays(30)
    }
  ],
  ["1", { any, refunded, small }]
]

/** The filters with which the hard words are searched. */
const hardFilters: Readonly<Record<string, OrderFilter>> = {
  any,
  paid,
  "Paid alone": { ...any, statuses: ["Paid"] },
  Pending: { ...any, statuses: ["Pending"] },
  refunded,
  "the small store": small,
  "in 30 days": inDays(30),
  "in a year": inDays(365)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const bench = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const statement of population(count)) {
      const started = performance.now()
      yield* sql.unsafe(statement)
      print(
        `${Math.round(performance.now() - started)} ms: ${statement.trim().slice(0, 40).replaceAll("\n", " ")}`
      )
    }
    const sizes = yield* sql.unsafe<{ readonly name: string; readonly size: string }>(
      `select c.relname as name, pg_size_pretty(pg_relation_size(c.oid)) as size from pg_class c
      where c.relname like 'order%' and c.relkind in ('r', 'i') order by pg_relation_size(c.oid) desc`
    )
    print(sizes.map(({ name, size }) => `${name} ${size}`).join(", "))

    const measure = Effect.fnUntraced(function* (
      name: string,
      { parameters, text }: { readonly text: string; readonly parameters: ReadonlyArray<unknown> }
    ) {
      const times: Array<number> = []
      let plan: ReadonlyArray<string> = []
      for (let round = 0; round < 6; round++) {
        const rows = yield* sql.unsafe<Readonly<Record<string, string>>>(
          `explain (analyze, buffers, costs off, timing off) ${text}`,
          parameters
        ).unprepared
        plan = rows.map((row) => row["QUERY PLAN"] ?? "")
        if (round > 0) times.push(Number(/Execution Time: ([\d.]+)/.exec(plan.join("\n"))?.[1]))
      }
      const [least, middle] = [Math.min(...times), median(times)].map((time) => time.toFixed(2).padStart(9))
      print(`${name.padEnd(70)} ${least} ms at least ${middle} ms in the middle`)
      if (process.env["BENCH_PLANS"] !== undefined) for (const line of plan) print(`   ${line}`)
    })

    const executed = Effect.fnUntraced(function* ({
      parameters,
      text
    }: {
      readonly text: string
      readonly parameters: ReadonlyArray<unknown>
    }) {
      let least = Infinity
      for (let round = 0; round < 3; round++) {
        const rows = yield* sql.unsafe<Readonly<Record<string, string>>>(
          `explain (analyze, costs off, timing off) ${text}`,
          parameters
        ).unprepared
        const time = /Execution Time: ([\d.]+)/.exec(rows.map((row) => row["QUERY PLAN"] ?? "").join("\n"))
        least = Math.min(least, Number(time?.[1]))
      }
      return least
    })

    /** The shortest total time of a search's statements, in milliseconds. */
    const timeOfSearch = Effect.fnUntraced(function* (text: string, filter: OrderFilter, page: number) {
      const asked = { page, pageSize: 50 }
      const wanted = maxSearchTotal(asked)
      const sampling = sampleStatement(accountId, filter, text)
      const [sample] = yield* sql.unsafe<SearchSample>(sampling.text, sampling.parameters)
      if (sample === undefined) return yield* Effect.die("a sample is one row")
      let least = yield* executed(sampling)
      const facts = { parts: searchParts(text), wanted, ...sample }
      const search = Effect.fnUntraced(function* (plan: SearchPlan) {
        const statement = searchStatement(accountId, filter, text, asked, plan)
        least += yield* executed(statement)
        const [row] = yield* sql.unsafe<{ readonly matches: number }>(statement.text, statement.parameters)
        return row?.matches ?? 0
      })
      const plan = planSearch(facts)
      const found = yield* search(plan)
      if (plan.way !== "Newest" || found === wanted || sample.orders <= plan.walked) {
        return { least, found, ways: plan.way }
      }
      const further = planBehindNewest(facts)
      return { found: yield* search(further), least, ways: `Newest and ${further.way}` }
    })

    for (const [name, filter] of Object.entries(filters)) {
      yield* measure(`total: ${name}`, countStatement(accountId, filter))
      for (const page of [1, 1000]) {
        yield* measure(`page ${page}: ${name}`, pageStatement(accountId, filter, { page, pageSize: 50 }, 0))
      }
    }
    for (const [text, filtersOfSearch] of searches) {
      for (const [name, filter] of Object.entries(filtersOfSearch)) {
        for (const page of filter === any ? [1, 20, 200, 1000] : [1]) {
          const { least, found, ways } = yield* timeOfSearch(text, filter, page)
          const label = `page ${page}: search ${text}, ${name}: ${ways}, ${found} found`
          print(`${label.padEnd(70)} ${least.toFixed(2).padStart(9)} ms with the sample`)
        }
      }
    }
    for (const length of [2, 3, 4, 5]) {
      for (const [name, filter] of Object.entries(length === 4 ? hardFilters : { any })) {
        for (const page of [1, 10, 100, 1000]) {
          let worst = { least: 0, label: "" }
          for (const { perMillion, position, text } of words(length)) {
            const { found, least, ways } = yield* timeOfSearch(text, filter, page)
            const label = `${text}, ${perMillion} in a million, ${position}: ${ways}, ${found} found`
            if (least > worst.least) worst = { least, label }
          }
          const group = `worst word of ${length}, ${name}, page ${page}`
          print(
            `${group.padEnd(45)} ${worst.least.toFixed(2).padStart(9)} ms with the sample: ${worst.label}`
          )
        }
      }
    }
  })

/** Creates the orders, measures, and prints the results. */
export const benchOrderLists = async (): Promise<void> => {
  const server = await startPostgresServer()
  try {
    const url = Redacted.make(server.url)
    await Effect.runPromise(Effect.provide(Effect.void, layerServer(url)))
    await Effect.runPromise(
      bench(Number(process.env["BENCH_ORDERS"] ?? 1_000_000)).pipe(
        Effect.provide(
          PgClient.layer({
            url,
            maxConnections: 1,
            startupParameters: { ...sessionSettings, maintenance_work_mem: "256MB" }
          })
        )
      )
    )
  } finally {
    await server.remove()
  }
}
