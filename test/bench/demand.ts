/**
 * Measures the load that one contact, email and event put on the database: statements (each a round trip), how many of them were
 * planned, bytes of WAL, bytes stored, and time in the server. PostgreSQL counts these, so only the time depends on the machine.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { api } from "../support/calls.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { query } from "../support/postgres.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type ServerProcess, startServer } from "../support/serverProcess.ts"
import { makeCallPool } from "./callPool.ts"
import { startSink } from "./sink.ts"

const admin = "token-of-the-benchmark-0123456789abcdef"

/** The counters. */
interface Counted {
  readonly statements: number
  readonly plans: number
  readonly walBytes: number
  readonly storedBytes: number
  readonly serverMillis: number
}

/** Measuring begins once the statements per second are fewer than an idle process sends. */
const quietStatements = 40

/** Measures and prints the results. */
export const benchDemand = async (): Promise<void> => {
  const database = await startPostgresServer([
    "-c",
    "shared_preload_libraries=pg_stat_statements",
    "-c",
    "pg_stat_statements.track_planning=on",
    "-c",
    "autovacuum=off",
    // Full page images follow only after a checkpoint, which depends on time and not on the work.
    "-c",
    "full_page_writes=off"
  ])
  const dns = await startDnsServer()
  const sink = await startSink()
  const folder = await freshFolder()
  const running = new Set<ServerProcess>()
  const start = async (roles: string) => {
    const server = startServer("node", folder.path, {
      SVC_STORE: database.url,
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SVC_LOG_LEVEL: "error",
      SVC_MAIL_TRANSPORT: "smtp",
      SVC_SMTP_URL: sink.url,
      SVC_DNS_SERVERS: dns.address,
      SVC_ROLES: roles
    })
    running.add(server)
    return { server, ...(await server.ready()) }
  }
  const stop = async (server: ServerProcess) => {
    server.signal("SIGTERM")
    await server.ended
    running.delete(server)
  }
  const look = async (): Promise<Counted> => {
    const [row] = await query<{
      statements: number
      plans: number
      wal: number
      stored: number
      millis: number
    }>(
      database.url,
      `select coalesce(sum(calls), 0)::float8 as statements, coalesce(sum(plans), 0)::float8 as plans,
        pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
        (select sum(pg_total_relation_size(oid))::float8 from pg_class
          where relnamespace = 'public'::regnamespace and relkind = 'r') as stored,
        coalesce(sum(total_exec_time + total_plan_time), 0)::float8 as millis
      from pg_stat_statements`
    )
    return {
      statements: row!.statements,
      plans: row!.plans,
      walBytes: row!.wal,
      storedBytes: row!.stored,
      serverMillis: row!.millis
    }
  }
  const quiet = async () => {
    for (let before = (await look()).statements; ;) {
      await delay(1000)
      const { statements } = await look()
      if (statements - before < quietStatements) return
      before = statements
    }
  }
  const measure = async (name: string, count: number, work: () => Promise<void>) => {
    await quiet()
    const before = await look()
    await work()
    const after = await look()
    const each = (of: keyof Counted, digits: number) => ((after[of] - before[of]) / count).toFixed(digits)
    console.log(
      `${name.padEnd(46)} ${each("statements", 2).padStart(7)} statements ${each("plans", 2).padStart(5)} planned ${each("walBytes", 0).padStart(7)} B of log ` +
        `${each("storedBytes", 0).padStart(7)} B stored ${each("serverMillis", 3).padStart(8)} ms in the server`
    )
  }
  /** Posts bodies over `connections` connections. */
  const post = async (
    baseUrl: string,
    path: string,
    key: string,
    bodies: ReadonlyArray<unknown>,
    connections: number
  ) => {
    const pool = makeCallPool(baseUrl, 60_000)
    let next = 0
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < bodies.length) {
          const status = await pool.post(path, key, JSON.stringify(bodies[next++]))
          if (!status.startsWith("20")) throw new Error(`${path} answered ${status}`)
        }
      })
    )
    pool.close()
  }
  try {
    await query(database.url, "create extension pg_stat_statements")
    const all = await start("api,worker")
    const { accountId } = await openLive(all.baseUrl, admin, dns, "demand.example")
    const made = await api<{ key: string }>(all.baseUrl, admin, `/manage/v1/accounts/${accountId}/api-keys`, {
      name: "Demand",
      permissions: ["contacts:write", "emails:send", "events:write"],
      expiresInDays: null
    })
    const apiKey = made.value.key
    await stop(all.server)

    const node = await start("api")
    let serial = 0
    const people = (count: number) =>
      Array.from({ length: count }, () => ({ email: `person-${++serial}@example.org`, firstName: "Ada" }))
    const mails = (count: number) =>
      people(count).map(({ email }) => ({
        to: email,
        subject: "Hello",
        html: "<p>It works.</p>",
        text: "It works."
      }))
    const events = (calls: number, size: number) =>
      Array.from({ length: calls }, () => ({
        events: people(size).map(({ email }) => ({
          id: `event-${email}`,
          name: "user.signed_up",
          occurredAt: new Date().toISOString(),
          contact: { email },
          properties: { plan: "pro", seats: 3, trial: true }
        }))
      }))
    const call = (path: string, bodies: ReadonlyArray<unknown>, connections: number) =>
      post(node.baseUrl, `/api/v1${path}`, apiKey, bodies, connections)
    const worked = async (count: () => Promise<number>, work: () => Promise<void>) => {
      const worker = await start("worker")
      await work()
      while ((await count()) > 0) await delay(200)
      await stop(worker.server)
    }
    const rows = async (statement: string) =>
      Number((await query<{ n: number }>(database.url, statement))[0]!.n)

    // Warms up: statements are prepared and pages allocated first.
    await call("/contacts", people(500), 64)
    await call("/sending/emails", mails(500), 64)
    await call("/events", events(10, 100), 4)
    const waiting = () =>
      rows(
        "select (select count(*) from jobs where queue = 'deliveries') + (select count(*) from pending_events) as n"
      )
    await worked(waiting, async () => {})

    await measure("contact, one call at a time", 300, () => call("/contacts", people(300), 1))
    await measure("contact, 64 calls at a time", 5000, () => call("/contacts", people(5000), 64))
    await measure("contact, in batches of 1,000", 10_000, () =>
      call(
        "/contacts/batch",
        Array.from({ length: 10 }, () => ({ contacts: people(1000) })),
        2
      )
    )
    await measure("email accepted, one call at a time", 300, () => call("/sending/emails", mails(300), 1))
    await measure("email accepted, 64 calls at a time", 3000, () => call("/sending/emails", mails(3000), 64))
    await measure("email delivered, of a backlog", 3300, () => worked(waiting, async () => {}))
    await measure("event accepted, one call at a time", 300, () => call("/events", events(300, 1), 1))
    await measure("event accepted, in calls of 100", 10_000, () => call("/events", events(100, 100), 8))
    await measure("event of a new person processed, of a backlog", 10_300, () =>
      worked(waiting, async () => {})
    )
  } finally {
    for (const server of running) {
      server.signal("SIGKILL")
      await server.ended
    }
    sink.stop()
    await dns.stop()
    await database.remove()
    await folder.remove()
  }
}
