/**
 * Tests connections to the database that fall silent, as when a network drops them: nothing passes, and neither side is notified.
 * A node on each runtime, under load, closes them by itself and loses nothing.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { expectKept, noResponses, underLoad } from "../support/databaseClients.ts"
import { freshDatabase } from "../support/postgres.ts"
import {
  freshFolder,
  type ReadyFile,
  type Runtime,
  type ServerProcess,
  startServer
} from "../support/serverProcess.ts"
import { startTcpProxy, type TcpProxy } from "../support/tcpProxy.ts"

const admin = "token-of-the-operator-0123456789abcdef"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** When a silent connection must be closed, in milliseconds: the statement timeout of 15 s, plus a margin. */
const closedWithin = 25_000
/** The longest time until a node recovers after its database, in milliseconds. */
const recovery = 5_000
/** The most connections of a node: its pool and the connection for LISTEN. */
const maxConnections = 11

/** Two nodes on one database behind one proxy. */
interface Site {
  readonly proxy: TcpProxy
  readonly folder: Awaited<ReturnType<typeof freshFolder>>
  readonly servers: ReadonlyArray<ServerProcess>
  readonly ready: ReadonlyArray<ReadyFile>
}

const openSite = async (): Promise<Site> => {
  const url = new URL(await freshDatabase())
  const proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const folder = await freshFolder()
  const servers = runtimes.map((runtime) =>
    startServer(runtime, folder.path, {
      SVC_STORE: url.href,
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef"
    })
  )
  return {
    proxy,
    folder,
    servers,
    ready: await Promise.all(servers.map((server) => server.ready()))
  }
}

const closeSite = async ({ folder, proxy, servers }: Site): Promise<void> => {
  for (const server of servers) server.signal("SIGKILL")
  await Promise.all(servers.map((server) => server.ended))
  await proxy.stop()
  await folder.remove()
}

/** The kinds of silence: for how long new connections are silent too, and when the nodes must serve again. */
const silences = [
  { name: "all open connections", healedAfter: 0, wellWithin: closedWithin },
  { name: "all open and new connections", healedAfter: closedWithin, wellWithin: closedWithin + recovery }
] as const

let sites: ReadonlyArray<Site>
beforeAll(async () => {
  sites = await Promise.all(silences.map(openSite))
}, 240_000)
afterAll(() => Promise.all(sites.map(closeSite)))

/** Silences a site's connections, and checks that its nodes serve again and keep everything they have acknowledged. */
const testSilence = async ({ healedAfter, name, wellWithin }: (typeof silences)[number], site: Site) => {
  const { proxy, ready, servers } = site
  const { accountId, apiKey } = ready.find(({ sandbox }) => sandbox !== null)!.sandbox!
  await liftRateLimit(ready[0]!.baseUrl, admin, accountId)
  const responses = noResponses()
  const callers = ready.map(({ baseUrl }, node) => ({ name: runtimes[node]!, baseUrl }))
  const took = await underLoad(callers, apiKey, responses, async () => {
    await expect.poll(() => responses.succeeded, { timeout: 30_000 }).toBeGreaterThan(0)

    const began = performance.now()
    proxy.treat({ delay: 0, silent: healedAfter > 0 })
    proxy.silence()
    if (healedAfter > 0) {
      await delay(healedAfter / 2)
      for (const { baseUrl } of ready) {
        const asked = performance.now()
        expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(503)
        expect(performance.now() - asked).toBeLessThan(recovery)
      }
      await delay(began + healedAfter - performance.now())
      proxy.treat({ delay: 0 })
    }
    // Each node serves every call again, so none of its connections is silent.
    let serial = 0
    for (const { baseUrl } of ready) {
      const serves = async () => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () =>
            api(baseUrl, apiKey, "/api/v1/contacts", { email: `again${++serial}@example.org` })
          )
        )
        const health = await fetch(`${baseUrl}/health/ready`)
        return [health.status, ...new Set(answers.map(({ status }) => status))]
      }
      await expect.poll(serves, { timeout: 2 * closedWithin, interval: 50 }).toEqual([200, 201])
    }
    return performance.now() - began
  })
  expect([name, took < wellWithin ? "in time" : took]).toEqual([name, "in time"])
  expect(responses.wrong).toEqual([])
  expect([...responses.rejected].toSorted()).toEqual(runtimes.toSorted())
  expect(responses.slowest).toBeLessThan(closedWithin + recovery)
  expect(proxy.clients()).toBeLessThanOrEqual(ready.length * maxConnections)
  await expectKept(ready[0]!.baseUrl, admin, accountId, apiKey, [responses])
  for (const server of servers) expect(server.err()).toBe("")
}

describe("connections to the database that go silent", () => {
  // Concurrently, because each takes as long as a statement timeout.
  it("are closed and replaced, and lose nothing", { timeout: 240_000 }, async () => {
    await Promise.all(silences.map((silence, index) => testSilence(silence, sites[index]!)))
  })
})
