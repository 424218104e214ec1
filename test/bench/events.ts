/**
 * Measures POST /events over one PostgreSQL with durable settings, on Node and on Bun: how many events are accepted, in calls of
 * 100 and singly, and how many a worker then processes, for new and for known people. Each is compared with raw SQL that stores
 * the same rows, or the same people and timelines.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { ManagedRuntime, Redacted } from "effect"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, type ServerProcess, startServer } from "../support/serverProcess.ts"
import { runLoad } from "./load.ts"
import { line, median, millis, type Rate, ratio, rounds } from "./measure.ts"

const perCall = 100
const connections = 16
/** The number of events for measuring processing, and the batch size of raw SQL. */
const backlog = 20_000
const rawBatch = 500

const accountId = "00000000-0000-7000-8000-000000000001"
const admin = "token-of-the-benchmark-0123456789abcdef"
const env = { SVC_ADMIN_TOKEN: admin, SVC_LOG_LEVEL: "error" }

interface Draft {
  readonly id: string
  readonly name: string
  readonly occurredAt: string
  readonly contact: { readonly email: string; readonly firstName: string }
  readonly properties: Readonly<Record<string, unknown>>
}

let serial = 0

/** Events about the people of `people`, ten each. Every call returns the same people. */
const draftsOf = (people: string, count: number): ReadonlyArray<Draft> =>
  Array.from({ length: count }, (_, index) => {
    const number = serial++
    return {
      id: `event-${number}`,
      name: "user.signed_up",
      occurredAt: new Date().toISOString(),
      contact: { email: `${people}-${Math.floor(index / 10)}@example.org`, firstName: "Ada" },
      properties: { plan: "pro", seats: number % 50, trial: true }
    }
  })

const rawTables = [
  `create table raw_events (account_id uuid not null, id uuid not null default gen_random_uuid(), event_id text not null,
    name text not null, occurred_at timestamptz not null, contact jsonb not null, properties jsonb not null,
    primary key (account_id, id), unique (account_id, event_id))`,
  `create table raw_people (account_id uuid not null, id uuid not null default gen_random_uuid(), email text not null,
    first_name text, primary key (account_id, id), unique (account_id, email))`,
  `create table raw_timeline (account_id uuid not null, id uuid not null default gen_random_uuid(), contact_id uuid not null,
    name text not null, occurred_at timestamptz not null, properties jsonb not null, primary key (account_id, id))`,
  `create index on raw_timeline (account_id, contact_id, occurred_at desc)`
]

/** Measures and prints the results. */
export const benchEvents = async (): Promise<void> => {
  const database = await startPostgresServer()
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(database.url), multiplex: true }))
  const folder = await freshFolder()
  const running = new Set<ServerProcess>()
  const open = async (name: Runtime, roles: string) => {
    const server = startServer(name, folder.path, { ...env, SVC_STORE: database.url, SVC_ROLES: roles })
    running.add(server)
    return { server, ...(await server.ready()) }
  }
  const close = async (server: ServerProcess) => {
    server.signal("SIGKILL")
    await server.ended
    running.delete(server)
  }
  try {
    const sql = await runtime.runPromise(PgClient.PgClient)
    for (const table of rawTables) await runtime.runPromise(sql.unsafe(table))
    const recordset = '(id text, name text, "occurredAt" timestamptz, contact jsonb, properties jsonb)'
    const acceptRaw = (events: ReadonlyArray<Draft>) =>
      runtime.runPromise(
        sql.unsafe(
          `insert into raw_events (account_id, event_id, name, occurred_at, contact, properties)
          select $1::uuid, id, name, "occurredAt", contact, properties from jsonb_to_recordset($2::jsonb) as r${recordset}
          on conflict (account_id, event_id) do nothing`,
          [accountId, JSON.stringify(events)]
        )
      )
    const processRaw = (events: ReadonlyArray<Draft>) =>
      runtime.runPromise(
        sql.unsafe(
          `with given as (select * from jsonb_to_recordset($2::jsonb) as r${recordset}),
          people as (
            insert into raw_people (account_id, email, first_name)
            select distinct on (contact->>'email') $1::uuid, contact->>'email', contact->>'firstName' from given
            on conflict (account_id, email) do update set first_name = excluded.first_name returning id, email
          )
          insert into raw_timeline (account_id, contact_id, name, occurred_at, properties)
          select $1::uuid, p.id, g.name, g."occurredAt", g.properties
          from given g join people p on p.email = g.contact->>'email'`,
          [accountId, JSON.stringify(events)]
        )
      )
    const rateOf = async (count: number, work: () => Promise<void>): Promise<Rate> => {
      const from = performance.now()
      await work()
      return { perSecond: (count * 1000) / (performance.now() - from) }
    }

    const first = await open("node", "api")
    const apiKey = first.sandbox!.apiKey
    await fetch(`${first.baseUrl}/manage/v1/accounts/${first.sandbox!.accountId}/settings`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
    })
    await close(first.server)

    const load = (baseUrl: string, people: string, size: number, time = millis) =>
      runLoad({
        url: new URL("/api/v1/events", baseUrl),
        headers: { authorization: `Bearer ${apiKey}` },
        body: () => JSON.stringify({ events: draftsOf(people, size) }),
        connections,
        millis: time
      })
    const loadRaw = async (size: number): Promise<Rate> => {
      let count = 0
      const until = performance.now() + millis
      const from = performance.now()
      await Promise.all(
        Array.from({ length: connections }, async () => {
          while (performance.now() < until) {
            await acceptRaw(draftsOf("raw", size))
            count += size
          }
        })
      )
      return { perSecond: (count * 1000) / (performance.now() - from) }
    }
    for (const name of ["node", "bun"] satisfies ReadonlyArray<Runtime>) {
      const api = await open(name, "api")
      await load(api.baseUrl, "warm", perCall, 1000)
      await load(api.baseUrl, "warm", 1, 1000)
      for (const size of [perCall, 1]) {
        const measured = []
        const raw = []
        for (let round = 0; round < rounds; round++) {
          raw.push(await loadRaw(size))
          measured.push(await load(api.baseUrl, "accept", size))
        }
        line(`calls of ${size} accepted, ${name}`, measured)
        const perSecond = measured.map((one) => ({ perSecond: one.perSecond * size }))
        console.log(`  ${median(perSecond.map((one) => one.perSecond)).toFixed(0)} events/s`)
        ratio(`  events/s of raw SQL, one statement a call`, perSecond, raw)
      }

      const waiting = async (): Promise<number> =>
        Number(
          (
            await runtime.runPromise(
              sql.unsafe<{ n: number }>("select count(*)::int as n from pending_events")
            )
          )[0]!.n
        )
      /** Whether events are waiting. It does not count them, because that would take database time from what is measured. */
      const isWaiting = async (): Promise<boolean> =>
        (
          await runtime.runPromise(
            sql.unsafe("select id from pending_events order by account_id desc, position desc limit 1")
          )
        ).length > 0
      const post = async (events: ReadonlyArray<Draft>) => {
        for (let at = 0; at < events.length; at += perCall) {
          await fetch(`${api.baseUrl}/api/v1/events`, {
            method: "POST",
            headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
            body: JSON.stringify({ events: events.slice(at, at + perCall) })
          })
        }
      }
      await runtime.runPromise(sql.unsafe("delete from pending_events"))
      await runtime.runPromise(sql.unsafe("delete from jobs where queue = 'events'"))
      /** Measures a worker that starts with a backlog, not including its warm-up. */
      const drain = async (people: string): Promise<Rate> => {
        await post(draftsOf(people, 2 * backlog))
        const worker = await open(name, "worker")
        while ((await waiting()) > backlog) await delay(5)
        const left = await waiting()
        const rate = await rateOf(left, async () => {
          while (await isWaiting()) await delay(5)
        })
        await close(worker.server)
        return rate
      }
      const drainRaw = (people: string) =>
        rateOf(backlog, async () => {
          const events = draftsOf(people, backlog)
          for (let at = 0; at < events.length; at += rawBatch)
            await processRaw(events.slice(at, at + rawBatch))
        })
      const [fresh, known, rawFresh, rawKnown]: Array<Array<Rate>> = [[], [], [], []]
      for (let round = 0; round < Math.min(3, rounds); round++) {
        rawFresh!.push(await drainRaw(`raw-${name}-${round}`))
        fresh!.push(await drain(`${name}-${round}`))
        rawKnown!.push(await drainRaw(`raw-${name}-${round}`))
        known!.push(await drain(`${name}-${round}`))
      }
      for (const [who, of, to] of [
        ["new", fresh!, rawFresh!],
        ["known", known!, rawKnown!]
      ] as const) {
        console.log(
          `${`processed of ${who} people, ${name}`.padEnd(44)} ${median(of.map((one) => one.perSecond))
            .toFixed(0)
            .padStart(7)} /s`
        )
        ratio("  of raw SQL, 500 a statement", of, to)
      }
      await close(api.server)
    }
  } finally {
    for (const server of running) server.signal("SIGKILL")
    await Promise.all([...running].map((server) => server.ended))
    await runtime.dispose()
    await folder.remove()
    await database.remove()
  }
}
