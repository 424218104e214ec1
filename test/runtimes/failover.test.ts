/**
 * Tests a primary database that dies under load, with a node on each runtime: once its standby is promoted, it is used within ten
 * seconds, and nothing acknowledged is lost.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { liftRateLimit } from "../support/calls.ts"
import { expectKept, noResponses, underLoad } from "../support/databaseClients.ts"
import { query } from "../support/postgres.ts"
import { type ReplicatedServers, startReplicatedServers } from "../support/postgresServer.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const admin = "token-of-the-operator-0123456789abcdef"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** The longest time from the promotion until a node accepts writes again, in milliseconds. */
const recovery = 10_000

let databases: ReplicatedServers

beforeAll(async () => {
  databases = await startReplicatedServers()
})

afterAll(() => databases.remove())

const servers = useServers()

it("is followed by the standby that was promoted, and nothing acknowledged is lost", async () => {
  const started = runtimes.map((runtime) =>
    servers.start(runtime, {
      SVC_STORE: `${databases.url}?target_session_attrs=read-write`,
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef"
    })
  )
  const ready = await Promise.all(started.map((server) => server.ready()))
  const { accountId, apiKey } = ready.find(({ sandbox }) => sandbox !== null)!.sandbox!
  const nodes = ready.map(({ baseUrl }, index) => ({ name: runtimes[index]!, baseUrl }))
  const { baseUrl } = nodes[0]!
  await liftRateLimit(baseUrl, admin, accountId)

  const before = noResponses()
  await underLoad(nodes, apiKey, before, async () => {
    await expect.poll(() => before.contacts.length, { timeout: 60_000 }).toBeGreaterThan(50)
    await databases.killPrimary()
    await expect.poll(() => before.rejected.size, { timeout: 30_000 }).toBe(nodes.length)
    await query(databases.standbyUrl, "select pg_promote()")
  })
  const promoted = performance.now()
  expect(before.wrong).toEqual([])

  const recovered = await Promise.all(
    nodes.map(async (node) => {
      for (;;) {
        const after = noResponses()
        await underLoad([node], apiKey, after, () => delay(100))
        expect(after.wrong).toEqual([])
        before.contacts.push(...after.contacts)
        before.emails.push(...after.emails)
        if (after.contacts.length > 0 && after.rejected.size === 0) return performance.now() - promoted
      }
    })
  )
  process.stdout.write(
    `writes were taken again after ${recovered.map((millis) => Math.round(millis)).join(" and ")} ms`
  )
  expect(Math.max(...recovered)).toBeLessThan(recovery)
  await expectKept(baseUrl, admin, accountId, apiKey, [before])
}, 240_000)
