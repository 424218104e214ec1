/**
 * Tests webhooks over time and across processes: the retry schedule on a virtual clock, two nodes, a killed node, and endpoints
 * that hang while others do not.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DnsMissing } from "../../core/ports/Dns.ts"
import { type Options, start } from "../../runtimes/embedded/index.ts"
import { api, liftRateLimit } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { expireLeases, freshDatabase } from "../support/postgres.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

interface Webhook {
  readonly id: string
  readonly status: string
  readonly failuresInARow: number
  readonly secret: string
}

interface Delivery {
  readonly notificationId: string
  readonly attempt: number
  readonly at: string
  readonly nextAttemptAt: string | null
  readonly state: string
}

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

const minute = 60_000
const second = 1_000

/** Starts a service in process with a virtual clock. Returns operations on an account's webhooks. */
const open = async (store: "memory" | "pglite", options: Options = { webhookAllowPrivate: true }) => {
  const service = await start({ store, startAt: Date.UTC(2031, 4, 6), ...options })
  const call = async <Value>(method: string, path: string, json?: unknown) => {
    const url = `${service.baseUrl}/manage/v1/accounts/${service.sandbox.accountId}/webhooks${path}`
    const response = await service.fetch(
      new Request(url, {
        method,
        headers: { authorization: `Bearer ${service.managementToken}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
    )
    return ((await response.json()) as { value: Value }).value
  }
  const create = (path: string) => call<Webhook>("POST", "", { url: receiver.url + path, events: [] })
  const test = (id: string) => call<{ notificationId: string }>("POST", `/${id}/test`)
  const log = async (id: string) =>
    (await call<{ items: ReadonlyArray<Delivery> }>("GET", `/${id}/deliveries?pageSize=200`)).items
  const get = async (id: string) =>
    (await call<{ items: ReadonlyArray<Webhook> }>("GET", "?pageSize=200")).items.find(
      (webhook) => webhook.id === id
    )!
  return { service, call, create, test, log, get }
}

describe.each(["memory", "pglite"] as const)("the schedule over %s", (store) => {
  let opened: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    opened = await open(store)
  })
  afterAll(() => opened.service.close())

  it("retries 1 min, 5 min, 15 min, 1 h and 3 h after each failure, then fails", async () => {
    const { create, get, log, service, test } = opened
    const path = `/schedule-${store}`
    receiver.answer(path, 500)
    const { id } = await create(path)
    const from = service.now()
    const { notificationId } = await test(id)
    await service.settle()
    expect(await log(id)).toMatchObject([{ attempt: 1, state: "Pending" }])
    await service.advance("2 days")
    const entries = (await log(id)).toReversed()
    expect(entries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    expect(entries.map(({ state }) => state)).toEqual(entries.map(() => "Failed"))
    expect(entries.every((entry) => entry.nextAttemptAt === null)).toBe(true)
    const ats = entries.map(({ at }) => Date.parse(at))
    const waits = ats.map((at, index) => at - (ats[index - 1] ?? from))
    for (const [index, expected] of [0, 1, 5, 15, 60, 180].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(expected * minute)
      expect(waits[index]).toBeLessThan(expected * minute + 5 * second)
    }
    const sent = receiver.received(path)
    expect(sent).toHaveLength(6)
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    expect(new Set(sent.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([notificationId]))
    const stamps = sent.map(({ headers }) => Number(headers["webhook-timestamp"]) * second)
    for (const [index, stamp] of stamps.entries())
      expect(Math.abs(stamp - ats[index]!)).toBeLessThan(3 * second)
    expect(new Set(sent.map(({ headers }) => headers["webhook-signature"])).size).toBe(6)
    expect(await get(id)).toMatchObject({ status: "Active", failuresInARow: 6 })
  })

  it("ends at the first success, which resets the failure count", async () => {
    const { create, get, log, service, test } = opened
    const path = `/recovers-${store}`
    let calls = 0
    receiver.answer(path, (response) => response.writeHead(++calls < 3 ? 500 : 202).end())
    const { id } = await create(path)
    await test(id)
    await service.advance("2 days")
    expect((await log(id)).map(({ attempt, state }) => [attempt, state])).toEqual([
      [3, "Succeeded"],
      [2, "Failed"],
      [1, "Failed"]
    ])
    expect(await get(id)).toMatchObject({ status: "Active", failuresInARow: 0 })
  })

  it("stops a webhook at the 15th failure in a row, over several notifications, and cancels the rest", async () => {
    const { create, get, log, service, test } = opened
    const path = `/stops-${store}`
    receiver.answer(path, 500)
    const { id } = await create(path)
    for (let index = 0; index < 4; index++) await test(id)
    await service.advance("7 minutes")
    // Four failures at once, four after 1 minute, four after 5.
    expect(await get(id)).toMatchObject({ status: "Active", failuresInARow: 12 })
    await service.advance("2 days")
    expect(await get(id)).toMatchObject({ status: "Stopped", failuresInARow: 15 })
    expect(receiver.received(path)).toHaveLength(15)
    const entries = await log(id)
    expect(entries).toHaveLength(15)
    expect(entries.filter(({ state }) => state === "Cancelled")).toHaveLength(4)
  })

  it("signs with the old secret for 24 hours beside the new one", async () => {
    const { call, create, service, test } = opened
    const path = `/rotates-${store}`
    const { id } = await create(path)
    await call("POST", `/${id}/rotate-secret`)
    await service.advance("23 hours")
    await test(id)
    await service.settle()
    await service.advance("2 hours")
    await test(id)
    await service.settle()
    const counts = receiver
      .received(path)
      .map(({ headers }) => headers["webhook-signature"]!.split(" ").length)
    expect(counts).toEqual([2, 1])
  })

  it("cancels pending retries of a deleted webhook", async () => {
    const { call, create, service, test } = opened
    const path = `/deleted-${store}`
    receiver.answer(path, 500)
    const { id } = await create(path)
    await test(id)
    await service.settle()
    await call("DELETE", `/${id}`)
    await service.advance("1 day")
    expect(receiver.received(path)).toHaveLength(1)
  })
})

describe("the guard", () => {
  it("rejects private addresses when a webhook is created, and names that resolve to them when it is called", async () => {
    const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
    const dns = { txt: missing, mx: missing, addresses: () => Effect.succeed(["127.0.0.1"]) }
    const { call, log, service, test } = await open("memory", { dns })
    for (const url of [
      "http://hooks.example/",
      "https://127.0.0.1/",
      "https://0x7f.1/",
      "https://[::1]/",
      "https://localhost/"
    ]) {
      expect([url, await call("POST", "", { url, events: [] })]).toEqual([url, null])
    }
    // The error says what a developer with a receiver on the same machine has to set.
    const routes = `${service.baseUrl}/manage/v1/accounts/${service.sandbox.accountId}`
    const flow = {
      name: "Tell",
      trigger: { kind: "Api" },
      steps: [{ id: "tell", kind: "Webhook", url: receiver.url }]
    }
    for (const [path, body, code] of [
      ["/webhooks", { url: receiver.url, events: [] }, "webhooks.url_invalid"],
      ["/flows", flow, "automation.url_invalid"]
    ] as const) {
      const refused = await service.fetch(
        new Request(routes + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${service.managementToken}`,
            "content-type": "application/json"
          },
          body: JSON.stringify(body)
        })
      )
      expect(refused.status).toBe(400)
      const { errors } = (await refused.json()) as { errors: ReadonlyArray<{ message: string }> }
      expect(errors).toMatchObject([{ code }])
      expect(errors[0]!.message).toContain("SVC_WEBHOOK_ALLOW_PRIVATE=true")
    }
    const { id } = await call<Webhook>("POST", "", {
      url: `https://inside.test:${receiver.port}/guarded`,
      events: []
    })
    await test(id)
    await service.settle()
    expect(await log(id)).toMatchObject([
      { attempt: 1, httpStatus: null, error: "address_refused", state: "Pending" }
    ])
    expect(receiver.received("/guarded")).toEqual([])
    await service.close()
  })
})

const admin = "token-of-the-operator-0123456789abcdef"

describe("processes", () => {
  const { kill, start: startServer, stop } = useServers()

  const env = (url: string) => ({
    SVC_STORE: url,
    SVC_ADMIN_TOKEN: admin,
    SVC_WEBHOOK_ALLOW_PRIVATE: "true",
    SVC_SECRET_KEY: "a secret key that both nodes have, long enough"
  })

  const webhooksOf = (baseUrl: string, accountId: string) =>
    `${baseUrl}/manage/v1/accounts/${accountId}/webhooks`

  const create = (baseUrl: string, accountId: string, path: string) =>
    api<Webhook>(webhooksOf(baseUrl, accountId), admin, "", { url: receiver.url + path, events: [] })

  const send = (baseUrl: string, key: string, to: string) =>
    api(baseUrl, key, "/api/v1/sending/emails", { to, subject: "s", text: "t" })

  it("two nodes send each notification once", async () => {
    const url = await freshDatabase()
    const servers = (["node", "bun"] as const).map((runtime) => startServer(runtime, env(url)))
    const ready = await Promise.all(servers.map((server) => server.ready()))
    const { accountId, apiKey } = ready.find(({ sandbox }) => sandbox !== null)!.sandbox!
    const bases = ready.map(({ baseUrl }) => baseUrl)
    await liftRateLimit(bases[0]!, admin, accountId)
    await create(bases[0]!, accountId, "/both")
    const count = 150
    await Promise.all(
      Array.from({ length: count }, (_, index) => send(bases[index % 2]!, apiKey, `p${index}@both.example`))
    )
    await receiver.awaited("/both", 2 * count)
    await delay(500)
    const sent = receiver.received("/both").map(({ json }) => `${json.data["message_id"]} ${json.type}`)
    expect(sent).toHaveLength(2 * count)
    expect(new Set(sent).size).toBe(2 * count)
    for (const server of servers) await stop(server)
  })

  it("the next node sends the notifications of a killed node", { timeout: 240_000 }, async () => {
    const testWith = async (runtime: Runtime) => {
      const path = `/killed-${runtime}`
      const url = await freshDatabase()
      const first = startServer(runtime, env(url))
      const { baseUrl, sandbox } = await first.ready()
      const { accountId, apiKey } = sandbox!
      await create(baseUrl, accountId, path)
      receiver.answer(path, () => {})
      for (let index = 0; index < 4; index++) await send(baseUrl, apiKey, `p${index}@killed.example`)
      await receiver.awaited(path, 8)
      await kill(first)
      await expireLeases(url)
      receiver.answer(path, 204)
      const next = startServer(runtime, env(url))
      const { baseUrl: nextUrl } = await next.ready()
      const { value } = await api<{ items: ReadonlyArray<{ id: string }> }>(
        webhooksOf(nextUrl, accountId),
        admin,
        ""
      )
      const log = async () =>
        (
          await api<{ items: ReadonlyArray<Delivery> }>(
            webhooksOf(nextUrl, accountId),
            admin,
            `/${value.items[0]!.id}/deliveries`
          )
        ).value.items
      const states = async () => (await log()).map(({ attempt, state }) => [attempt, state])
      await expect
        .poll(states, { timeout: 100_000, interval: 200 })
        .toEqual(Array.from({ length: 8 }, () => [1, "Succeeded"]))
      await stop(next)
    }
    await Promise.all((["node", "bun"] as const).map(testWith))
  })

  it("the next node sends the notifications of a stopped node at once", async () => {
    const testWith = async (runtime: Runtime) => {
      const path = `/stopped-${runtime}`
      const url = await freshDatabase()
      const first = startServer(runtime, env(url))
      const { baseUrl, sandbox } = await first.ready()
      const { accountId, apiKey } = sandbox!
      await create(baseUrl, accountId, path)
      receiver.answer(path, () => {})
      await send(baseUrl, apiKey, "ada@stopped.example")
      await receiver.awaited(path, 2)
      await stop(first)
      receiver.answer(path, 204)
      const next = startServer(runtime, env(url))
      await next.ready()
      const from = Date.now()
      const notified = await receiver.awaited(path, 4)
      expect(Date.now() - from).toBeLessThan(8_000)
      expect(new Set(notified.slice(2).map(({ json }) => json.id))).toEqual(
        new Set(notified.slice(0, 2).map(({ json }) => json.id))
      )
      await stop(next)
    }
    await Promise.all((["node", "bun"] as const).map(testWith))
  })

  it.each(["node", "bun"] as const)(
    "on %s, a hanging endpoint delays another of its account by less than 100 ms",
    async (runtime) => {
      const server = startServer(runtime, env("memory"))
      const { baseUrl, sandbox } = await server.ready()
      const { accountId, apiKey } = sandbox!
      await liftRateLimit(baseUrl, admin, accountId)
      const slow = `/slow-${runtime}`
      const quick = `/quick-${runtime}`
      const hanging = receiver.hang(slow)
      const { value } = await create(baseUrl, accountId, quick)
      const latency = async () => {
        const from = Date.now()
        const test = await api<{ notificationId: string }>(
          webhooksOf(baseUrl, accountId),
          admin,
          `/${value.id}/test`,
          {}
        )
        const notified = await eventually(
          () =>
            Promise.resolve(
              receiver.received(quick).find(({ json }) => json.id === test.value.notificationId)
            ),
          (found) => found !== undefined
        )
        return notified!.at - from
      }
      const rounds = 5
      /** The longest of 20 latencies, in the round in which the machine was least busy. */
      const longest = async () => {
        const all: Array<number> = []
        for (let round = 0; round < rounds; round++) {
          const delays: Array<number> = []
          for (let index = 0; index < 20; index++) delays.push(await latency())
          all.push(Math.max(...delays))
        }
        return Math.min(...all)
      }
      await latency()
      const alone = await longest()
      await create(baseUrl, accountId, slow)
      for (let index = 0; index < 100; index++) await send(baseUrl, apiKey, `p${index}@slow.example`)
      await receiver.awaited(quick, 1 + rounds * 20 + 200)
      const beside = await longest()
      expect(hanging.peak()).toBeLessThanOrEqual(10)
      expect(beside - alone).toBeLessThan(100)
      await stop(server)
    }
  )
})
