/**
 * Measures inserts, look-ups by id, lists and retention of events and attempts while the tables grow from N to 10 N and 50 N
 * rows, over a year of partitions, on one PostgreSQL with durable settings. Prints the ratio of each time to that at N. Each read
 * is done twice and the second counts, because the first depends on the disk once the rows no longer fit into memory. What is
 * erased is read first. A small erasure mostly waits for its commit to be flushed, which depends on other writes to the disk,
 * above all after a table was filled. So erasing is measured with and without the flush.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import { EventStore } from "../../core/ports/EventStore.ts"
import { Partitions } from "../../core/ports/Partitions.ts"
import type { PageRequest } from "../../core/shared/Page.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { median } from "./measure.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"
const day = 86_400_000
const year = 365 * day
const perCall = 100
const calls = 60

/** SQL for the id of row `n`. The rows are spread in order over a year from `from`. */
const idOf = (from: number, count: number, n: string): string =>
  `(lpad(to_hex((${from} + ((${n})::float8 * ${year / count})::bigint)), 12, '0') || '7' || substr(md5((${n})::text), 1, 3) || '8'
    || substr(md5((${n})::text), 4, 15))::uuid`

/** The factor by which the tables have grown at the end, and at each stage. */
const grown = 50
const stages = [1, 10, grown] as const

/**
 * Statements that insert, of each 50 consecutive rows, those numbered from `first` to `last`, in the order of their ids, as the
 * service writes them.
 */
const populate = (from: number, most: number, first: number, last: number): ReadonlyArray<string> => {
  const rows = `select ${idOf(from, most, "n")} as id, n from generate_series(1, ${most}) n
    where n % ${grown} between ${first} and ${last}`
  return [
    `insert into events_all select '${accountId}', id, 'event-' || n, 'name-' || n % 20, now() from (${rows}) r`,
    `insert into event_keys select '${accountId}', 'event-' || n, id from (${rows}) r`,
    `insert into attempts_all select '${accountId}', id, 1, now(), now(), 'Sent', 'mx.example', null, '["250 accepted"]', null
      from (${rows}) r`,
    "vacuum (analyze)",
    "checkpoint"
  ]
}

const hexId = (time: number): string => {
  const digits = time.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${crypto.randomUUID().slice(15)}`
}

/** Measures and prints the results. */
export const benchGrowth = async (count: number): Promise<void> => {
  const server = await startPostgresServer()
  const url = Redacted.make(server.url)
  const from = Date.now()
  const most = count * grown
  try {
    await Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [{ extend }, events, attempts] = [yield* Partitions, yield* EventStore, yield* AttemptStore]
      yield* extend(from)
      yield* extend(from + year - 62 * day)
      const [made] = yield* sql<{
        readonly count: number
      }>`select count(*)::int from svc_partitions('events_all')`
      console.log(`${made!.count} partitions of each table\n`)

      let serial = 0
      /** A sample of rows of any age, except those that are erased. */
      const sample = (times: number, limit: number) =>
        sql<{ readonly id: string }>`
          select ${sql.literal(idOf(from, most, "n"))} as id from (
            select floor((0.1 + 0.9 * random()) * ${count})::bigint * ${grown}::int + floor(random() * ${times})::int as n
            from generate_series(1, ${limit}::int)
          ) r`
      const timed = Effect.fnUntraced(function* <E>(acts: ReadonlyArray<Effect.Effect<unknown, E>>) {
        const times: Array<number> = []
        for (const act of acts) {
          const began = performance.now()
          yield* act
          times.push(performance.now() - began)
        }
        return median(times)
      })
      const flush = (isOn: boolean) =>
        Effect.andThen(
          sql.unsafe(`alter system set synchronous_commit = ${isOn ? "on" : "off"}`).unprepared,
          // Sessions notice the change with a small delay.
          Effect.andThen(sql`select pg_reload_conf()`, Effect.sleep("300 millis"))
        )
      const unflushed = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.andThen(flush(false), Effect.tap(effect, flush(true)))
      const each = <A>(make: (index: number) => A) => Array.from({ length: calls }, (_, index) => make(index))
      const page = (given: Partial<PageRequest>) =>
        events.list(
          accountId,
          { name: null, status: null, contactId: null },
          { page: 1, pageSize: 50, total: "Bounded", ...given }
        )
      const draft = (at: number) => {
        const eventId = `new-${serial++}`
        return {
          id: hexId(at),
          eventId,
          name: "name-1",
          occurredAt: at,
          properties: {},
          contact: { email: "ada@example.org" },
          person: { contactId: null, externalId: null, email: null },
          source: "Api" as const,
          size: 10
        }
      }
      const measure = Effect.fnUntraced(function* (times: number) {
        const newest = from + year - day
        const sampled = yield* sample(times, calls * 2)
        const refs = sampled.map(({ id }) => ({ accountId, id }))
        const readings = refs.slice(0, calls).map((ref) => attempts.of([ref]))
        const pages = each((index) => page({ after: [refs[index + calls]!.id] }))
        const old = yield* sql<{ readonly id: string }>`
          select delivery_id as id from attempts_all where account_id = ${accountId}
          order by delivery_id limit ${calls * perCall}`
        const oldest = each((index) =>
          old.slice(index * perCall, (index + 1) * perCall).map(({ id }) => ({ accountId, id }))
        )
        return {
          [`insert ${perCall} events`]: yield* timed(
            each((index) =>
              events.insert(
                accountId,
                Array.from({ length: perCall }, (_, place) => draft(newest + index * 1000 + place))
              )
            )
          ),
          "attempts by id, from disk": yield* timed(readings),
          "attempts by id": yield* timed(readings),
          "first page of events": yield* timed(each(() => page({}))),
          "next page, from disk": yield* timed(pages),
          "next page of events": yield* timed(pages),
          [`${perCall} old attempts, from disk`]: yield* timed(oldest.map(attempts.of)),
          [`erase ${perCall}, flushed`]: yield* timed(oldest.slice(0, calls / 2).map(attempts.erase)),
          [`erase ${perCall} attempts`]: yield* unflushed(timed(oldest.slice(calls / 2).map(attempts.erase)))
        }
      })

      let base: Readonly<Record<string, number>> = {}
      let done = 0
      for (const times of stages) {
        for (const statement of populate(from, most, done, times - 1)) yield* sql.unsafe(statement)
        done = times
        yield* measure(times)
        const found = yield* measure(times)
        if (times === 1) base = found
        console.log(`${(times * count).toLocaleString("en")} rows`)
        for (const [name, took] of Object.entries(found)) {
          console.log(
            `  ${name.padEnd(28)} ${took.toFixed(2).padStart(8)} ms   ${(took / base[name]!).toFixed(2)}`
          )
        }
      }
      const began = performance.now()
      yield* sql`select svc_drop_partitions('attempts_all', ${new Date(from + year / 2)})`
      console.log(`  drop half a year of attempts ${(performance.now() - began).toFixed(0)} ms`)
    }).pipe(
      Effect.provide(
        Layer.merge(
          layerServer(url),
          PgClient.layer({
            url,
            maxConnections: 1,
            startupParameters: { ...sessionSettings, statement_timeout: "0" }
          })
        )
      ),
      Effect.scoped,
      Effect.runPromise
    )
  } finally {
    await server.remove()
  }
}
