/**
 * Tests a database that fails in seven ways under load, with a node on each runtime. The nodes respond with 503 or 451 meanwhile,
 * keep what was acknowledged, and recover by themselves.
 *
 * SVC_TEST_OUTAGES sets how often each fault occurs, once by default.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { expectKept, noResponses, type Responses, underLoad } from "../support/databaseClients.ts"
import { execute } from "../support/postgres.ts"
import { type PostgresServer, startPostgresServer } from "../support/postgresServer.ts"
import {
  freshFolder,
  type ReadyFile,
  type Runtime,
  type ServerProcess,
  startServer
} from "../support/serverProcess.ts"
import { openSmtp, plainToken } from "../support/smtpClient.ts"
import { startTcpProxy, type TcpProxy } from "../support/tcpProxy.ts"

const rounds = Number(process.env["SVC_TEST_OUTAGES"] ?? 1)
const admin = "token-of-the-operator-0123456789abcdef"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** The longest time until a node recovers after its database, in milliseconds. */
const recovery = 5_000
/** The most connections of a node: its pool and the connection for LISTEN. */
const maxConnections = 11

interface Node {
  readonly runtime: Runtime
  readonly server: ServerProcess
  readonly ready: ReadyFile
}

let database: PostgresServer
let proxy: TcpProxy
let folder: Awaited<ReturnType<typeof freshFolder>>
let nodes: ReadonlyArray<Node>
let apiKey: string
let accountId: string

beforeAll(async () => {
  database = await startPostgresServer()
  const url = new URL(database.url)
  proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  folder = await freshFolder()
  const servers = runtimes.map((runtime) =>
    startServer(runtime, folder.path, {
      SVC_STORE: url.href,
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SVC_SMTP_PORTS: "0/tls"
    })
  )
  const ready = await Promise.all(servers.map((server) => server.ready()))
  nodes = runtimes.map((runtime, index) => ({ runtime, server: servers[index]!, ready: ready[index]! }))
  const first = ready.find(({ sandbox }) => sandbox !== null)!.sandbox!
  ;({ accountId, apiKey } = first)
  const { baseUrl } = nodes[0]!.ready
  await liftRateLimit(baseUrl, admin, accountId)
  await api(baseUrl, admin, `/manage/v1/accounts/${accountId}/domains`, { domain: "mail.example" })
})

afterAll(async () => {
  for (const { server } of nodes) server.signal("SIGKILL")
  await Promise.all(nodes.map(({ server }) => server.ended))
  await proxy.stop()
  await database.remove()
  await folder.remove()
})

/** The service's connections, read directly from the database and not through the proxy. */
const connectionsNow = (): Promise<ReadonlyArray<{ readonly state: string; readonly count: number }>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql<{ state: string; count: number }>`
      select coalesce(state, 'none') as state, count(*)::int as count from pg_stat_activity
      where application_name = 'svc' group by 1`
  }).pipe(
    Effect.provide(
      PgClient.layer({ url: Redacted.make(database.url), maxConnections: 1, applicationName: "test" })
    ),
    Effect.runPromise
  )

const acknowledged: Array<Responses> = []
let serial = 0

/** Submits a message to a node's relay. Returns the decisive reply: to the login, the sender or the message. */
const submit = async ({ ready }: Node): Promise<string> => {
  const client = await openSmtp(ready.smtp[0]!)
  try {
    await client.read()
    await client.say("EHLO client.example")
    const login = await client.say(`AUTH PLAIN ${plainToken(apiKey)}`)
    if (!login.startsWith("235")) return login
    const sender = await client.say("MAIL FROM:<suite@mail.example>")
    if (!sender.startsWith("250")) return sender
    await client.say("RCPT TO:<ada@example.org>")
    await client.say("DATA")
    return await client.say("From: suite@mail.example\r\nTo: ada@example.org\r\nSubject: smtp\r\n\r\nt\r\n.")
  } finally {
    client.close()
  }
}

/** The faults: how each begins and ends, and how long it lasts. */
const faults: ReadonlyArray<{
  readonly name: string
  readonly millis: number
  readonly begin: () => Promise<void> | void
  readonly end: () => Promise<void> | void
  /** Whether every write is rejected during the fault. */
  readonly rejectsAll: boolean
}> = [
  {
    name: "cut off repeatedly",
    millis: 1_500,
    begin: async () => {
      for (let round = 0; round < 5; round++) {
        proxy.cut()
        await delay(200)
      }
    },
    end: () => undefined,
    rejectsAll: false
  },
  {
    name: "slow, 200 ms each way",
    millis: 2_000,
    begin: () => proxy.treat({ delay: 200 }),
    end: () => proxy.treat({ delay: 0 }),
    rejectsAll: false
  },
  {
    name: "slow, 2,000 ms each way",
    millis: 4_500,
    begin: () => proxy.treat({ delay: 2_000 }),
    end: () => proxy.treat({ delay: 0 }),
    rejectsAll: false
  },
  {
    name: "restarted",
    millis: 1_500,
    begin: () => database.stop(),
    end: () => database.start(),
    rejectsAll: true
  },
  {
    name: "unreachable",
    millis: 1_500,
    begin: () => proxy.refuse(),
    end: () => proxy.listen(),
    rejectsAll: true
  },
  {
    name: "full",
    millis: 1_500,
    begin: () =>
      execute(
        database.url,
        `create or replace function disk_full() returns trigger language plpgsql as $$
         begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
        ...["contacts", "submissions", "jobs", "rate_windows"].map(
          (table) =>
            `create trigger disk_full before insert on ${table} for each statement execute function disk_full()`
        )
      ),
    end: () =>
      execute(
        database.url,
        ...["contacts", "submissions", "jobs", "rate_windows"].map(
          (table) => `drop trigger disk_full on ${table}`
        )
      ),
    rejectsAll: true
  },
  {
    name: "read-only",
    millis: 1_500,
    begin: () =>
      execute(database.url, "alter system set default_transaction_read_only = on", "select pg_reload_conf()"),
    end: () =>
      execute(
        database.url,
        "set default_transaction_read_only = off",
        "alter system reset default_transaction_read_only",
        "select pg_reload_conf()"
      ),
    rejectsAll: true
  }
]

describe("a database that is", () => {
  it.each(Array.from({ length: rounds }, () => faults).flat())(
    "$name causes 503 and 451, loses nothing, and is used again afterwards",
    async (fault) => {
      const responses = noResponses()
      acknowledged.push(responses)
      const callers = nodes.map(({ ready, runtime }) => ({ name: runtime, baseUrl: ready.baseUrl }))
      const { answers, took } = await underLoad(callers, apiKey, responses, async () => {
        await expect.poll(() => responses.succeeded, { timeout: 30_000 }).toBeGreaterThan(0)

        await fault.begin()
        await delay(fault.millis / 2)
        const replies = fault.rejectsAll ? await Promise.all(nodes.map(submit)) : []
        await delay(fault.millis / 2)
        // However slow the machine is, the fault lasts until each node has rejected a request.
        if (fault.rejectsAll)
          await expect.poll(() => responses.rejected.size, { timeout: 30_000 }).toBe(nodes.length)
        await fault.end()
        const healed = performance.now()

        // Each node serves again, over HTTP and SMTP.
        for (const node of nodes) {
          const { baseUrl } = node.ready
          const serves = async () => {
            const health = await fetch(`${baseUrl}/health/ready`)
            await health.arrayBuffer()
            const written = await api(baseUrl, apiKey, "/api/v1/contacts", {
              email: `again${++serial}@example.org`
            })
            return [health.status, written.status]
          }
          await expect.poll(serves, { timeout: 2 * recovery, interval: 50 }).toEqual([200, 201])
        }
        return { answers: replies, took: performance.now() - healed }
      })
      expect([fault.name, took < recovery ? "in time" : took]).toEqual([fault.name, "in time"])
      expect(responses.wrong).toEqual([])
      if (fault.rejectsAll) {
        expect([...responses.rejected].toSorted()).toEqual(runtimes.toSorted())
        expect(answers.map((answer) => answer.slice(0, 9))).toEqual(["451 4.3.0", "451 4.3.0"])
      }
      for (const node of nodes) expect(await submit(node)).toMatch(/^250 2\.0\.0 /)

      // No connection leaks, and none is stuck in a transaction.
      const held = await connectionsNow()
      expect(held.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(
        nodes.length * maxConnections
      )
      await expect
        .poll(async () => (await connectionsNow()).filter(({ state }) => state.startsWith("idle in")), {
          timeout: 30_000
        })
        .toEqual([])
      for (const { server } of nodes) expect(server.err()).toBe("")
    }
  )

  it("has everything that was acknowledged, and each email once", { timeout: 240_000 }, async () => {
    await expectKept(nodes[0]!.ready.baseUrl, admin, accountId, apiKey, acknowledged)
  })
})
