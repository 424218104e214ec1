/**
 * Tests a node that freezes while it holds locks in the database, like a suspended or swapping machine: the server ends its
 * transactions, and another node continues within seconds.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { freshDatabase, query } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { openWorkspace } from "../support/workspace.ts"

const admin = "token-of-the-operator-0123456789ab"
/**
 * The idle timeout of 5 s for each of two transactions, one of which waits for the other, plus a margin for a loaded database, in
 * milliseconds.
 */
const releasedWithin = 13_000
const people = Array.from({ length: 300 }, (_, index) => ({ email: `person${index}@example.org` }))
const servers = useServers()

/** The number of transactions that wait for their client. */
const idleTransactions = async (url: string): Promise<number> => {
  const rows = await query<{ readonly count: number }>(
    url,
    `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%' and backend_xid is not null`
  )
  return rows[0]!.count
}

it.each<Runtime>(["node", "bun"])(
  "%s frozen in a transaction delays other nodes by seconds",
  async (runtime) => {
    const url = await freshDatabase()
    const env = { SVC_STORE: url, SVC_ADMIN_TOKEN: admin, SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef" }
    const frozen = servers.start(runtime, env)
    const { baseUrl } = await frozen.ready()
    const target = {
      managementToken: admin,
      fetch: (path: string, init?: RequestInit) => fetch(baseUrl + path, init)
    }
    const { key } = (await openWorkspace(target, "Frozen")).sandbox
    const healthy = (await servers.start("node", env).ready()).baseUrl
    let serial = 0
    const write = (to: string) =>
      api(to, key, "/api/v1/contacts/batch", {
        contacts: people.map((person) => ({ ...person, city: `City ${++serial}` }))
      })
    expect((await write(baseUrl)).status).toBe(200)

    // Frozen at a moment when one of its transactions holds locks and the server waits for it.
    const ended = new AbortController()
    const statuses = new Set<number>()
    const load = Promise.all(
      Array.from({ length: 2 }, async () => {
        while (!ended.signal.aborted) statuses.add((await write(baseUrl)).status)
      })
    )
    await expect
      .poll(
        async () => {
          frozen.signal("SIGCONT")
          await delay(5 + 45 * Math.random())
          frozen.signal("SIGSTOP")
          await delay(100)
          return idleTransactions(url)
        },
        { timeout: 60_000, interval: 1 }
      )
      .toBeGreaterThan(0)
    const began = performance.now()
    expect((await write(healthy)).status).toBe(200)
    const took = performance.now() - began
    expect(took < releasedWithin ? "in time" : took).toBe("in time")
    expect(await idleTransactions(url)).toBe(0)

    ended.abort()
    frozen.signal("SIGCONT")
    await load
    // Its work in progress was completed or rejected with 503, and it serves again.
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    await expect.poll(async () => (await write(baseUrl)).status, { timeout: 30_000 }).toBe(200)
  },
  180_000
)
