/**
 * A database that fails in every way it can, under load from all sides, with a node on each runtime: what is answered
 * meanwhile is 503 or 451, what was acknowledged is there afterwards, the nodes go on by themselves.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { expectKept, nobodyTold, type Told, underLoad } from "../support/databaseClients.ts"
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
const admin = "token-of-the-operator"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** How soon a node serves again after its database does, milliseconds. */
const recovery = 5_000
/** The most connections of a node: those of its pool and the one that listens. */
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

/** Asks the database itself, past the proxy. */
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

const acknowledged: Array<Told> = []
let serial = 0

/** What the relay of a node says to a message: its answers to the login, the sender and the message. */
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

/** Every way to fail: what is done, and what ends it. */
const faults: ReadonlyArray<{
  readonly name: string
  readonly millis: number
  readonly begin: () => Promise<void> | void
  readonly end: () => Promise<void> | void
  /** Whether every write is refused while it lasts. */
  readonly refusesAll: boolean
}> = [
  {
    name: "its connections cut, again and again",
    millis: 1_500,
    begin: async () => {
      for (let round = 0; round < 5; round++) {
        proxy.cut()
        await delay(200)
      }
    },
    end: () => undefined,
    refusesAll: false
  },
  {
    name: "slow, 200 ms each way",
    millis: 2_000,
    begin: () => proxy.treat({ delay: 200 }),
    end: () => proxy.treat({ delay: 0 }),
    refusesAll: false
  },
  {
    name: "slow, 2,000 ms each way",
    millis: 4_500,
    begin: () => proxy.treat({ delay: 2_000 }),
    end: () => proxy.treat({ delay: 0 }),
    refusesAll: false
  },
  {
    name: "restarted",
    millis: 1_500,
    begin: () => database.stop(),
    end: () => database.start(),
    refusesAll: true
  },
  {
    name: "not to be reached",
    millis: 1_500,
    begin: () => proxy.refuse(),
    end: () => proxy.listen(),
    refusesAll: true
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
    refusesAll: true
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
    refusesAll: true
  }
]

describe("a database that is", () => {
  it.each(Array.from({ length: rounds }, () => faults).flat())(
    "$name is told by 503 and 451, loses nothing, and is found again",
    async (fault) => {
      const told = nobodyTold()
      acknowledged.push(told)
      const callers = nodes.map(({ ready, runtime }) => ({ name: runtime, baseUrl: ready.baseUrl }))
      const { answers, took } = await underLoad(callers, apiKey, told, async () => {
        await expect.poll(() => told.succeeded, { timeout: 30_000 }).toBeGreaterThan(0)

        await fault.begin()
        await delay(fault.millis / 2)
        const spoken = fault.refusesAll ? await Promise.all(nodes.map(submit)) : []
        await delay(fault.millis / 2)
        // However slow the machine, it lasts until each node has refused something.
        if (fault.refusesAll)
          await expect.poll(() => told.refused.size, { timeout: 30_000 }).toBe(nodes.length)
        await fault.end()
        const healed = performance.now()

        // Each node serves again, on every side.
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
        return { answers: spoken, took: performance.now() - healed }
      })
      expect([fault.name, took < recovery ? "in time" : took]).toEqual([fault.name, "in time"])
      expect(told.wrong).toEqual([])
      if (fault.refusesAll) {
        expect([...told.refused].toSorted()).toEqual(runtimes.toSorted())
        expect(answers.map((answer) => answer.slice(0, 9))).toEqual(["451 4.3.0", "451 4.3.0"])
      }
      for (const node of nodes) expect(await submit(node)).toMatch(/^250 2\.0\.0 /)

      // No connection is left over, and none is stuck in a transaction.
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

  it("has what was acknowledged through it all, and each email once", { timeout: 240_000 }, async () => {
    await expectKept(nodes[0]!.ready.baseUrl, admin, accountId, apiKey, acknowledged)
  })
})
