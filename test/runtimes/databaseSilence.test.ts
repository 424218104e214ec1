/**
 * Connections to the database that go silent, as a network forgets them: nothing passes any more, and neither side is
 * told. A node on each runtime, under load, gives them up by itself and loses nothing.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { expectKept, nobodyTold, underLoad } from "../support/databaseClients.ts"
import { freshDatabase } from "../support/postgres.ts"
import {
  freshFolder,
  type ReadyFile,
  type Runtime,
  type ServerProcess,
  startServer
} from "../support/serverProcess.ts"
import { startTcpProxy, type TcpProxy } from "../support/tcpProxy.ts"

const admin = "token-of-the-operator"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** By when a silent connection is given up: the longest a statement runs, 15 s, and what is added to it. */
const givenUp = 20_000
/** How soon a node serves again after its database does, milliseconds. */
const recovery = 5_000
/** The most connections of a node: those of its pool and the one that listens. */
const maxConnections = 11

/** Two nodes on a database of their own, behind a proxy of their own. */
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

/** Ways to go silent: when the network lets new connections pass again, and by when all is well after it began. */
const silences = [
  { name: "all there are, while new ones pass", healedAfter: 0, wellWithin: givenUp },
  { name: "all, old and new, for long", healedAfter: givenUp, wellWithin: givenUp + recovery }
] as const

let sites: ReadonlyArray<Site>
beforeAll(async () => {
  sites = await Promise.all(silences.map(openSite))
}, 240_000)
afterAll(() => Promise.all(sites.map(closeSite)))

/** Nodes go silent in one way, and are looked at until they serve again and have done all they acknowledged. */
const fallSilent = async ({ healedAfter, name, wellWithin }: (typeof silences)[number], site: Site) => {
  const { proxy, ready, servers } = site
  const { accountId, apiKey } = ready.find(({ sandbox }) => sandbox !== null)!.sandbox!
  await liftRateLimit(ready[0]!.baseUrl, admin, accountId)
  const told = nobodyTold()
  const callers = ready.map(({ baseUrl }, node) => ({ name: runtimes[node]!, baseUrl }))
  const took = await underLoad(callers, apiKey, told, async () => {
    await expect.poll(() => told.succeeded, { timeout: 30_000 }).toBeGreaterThan(0)

    const began = performance.now()
    proxy.treat({ delay: 0, forgetful: healedAfter > 0 })
    proxy.forget()
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
    // Each node serves again, call after call: no connection that is left is a silent one.
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
      await expect.poll(serves, { timeout: 2 * givenUp, interval: 50 }).toEqual([200, 201])
    }
    return performance.now() - began
  })
  expect([name, took < wellWithin ? "in time" : took]).toEqual([name, "in time"])
  expect(told.wrong).toEqual([])
  expect([...told.refused].toSorted()).toEqual(runtimes.toSorted())
  expect(told.slowest).toBeLessThan(givenUp + recovery)
  expect(proxy.clients()).toBeLessThanOrEqual(ready.length * maxConnections)
  await expectKept(ready[0]!.baseUrl, admin, accountId, apiKey, [told])
  for (const server of servers) expect(server.err()).toBe("")
}

describe("connections to the database go silent", () => {
  // At once, since each takes as long as a statement may.
  it("all there are while new ones pass, and all for long", { timeout: 240_000 }, async () => {
    await Promise.all(silences.map((silence, index) => fallSilent(silence, sites[index]!)))
  })
})
