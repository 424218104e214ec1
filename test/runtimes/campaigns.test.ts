/**
 * Tests campaigns on servers that are killed and frozen: everyone in the audience gets each campaign once, it ends, and nothing
 * is sent after another node has paused it.
 *
 * SVC_TEST_KILLS sets the number of kills over each database, 3 by default.
 *
 * @module
 */
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { expireLeases, freshDatabase } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import type { Page } from "../support/shapes.ts"
import { openWorkspace } from "../support/workspace.ts"

const kills = Number(process.env["SVC_TEST_KILLS"] ?? 3)
const admin = "token-of-the-operator-0123456789ab"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** The database ends a frozen node's idle transactions after 5 s, and a pause takes at most 2 s; in milliseconds. */
const releasedWithin = 5_000 + 2_000
/** The jobs of a killed process are claimed again once their leases expire. */
const settling = { timeout: 180_000, interval: 500 }

const { folder, kill, start } = useServers()

interface Campaign {
  readonly id: string
  readonly status: string
  readonly stats: Readonly<Record<"audience" | "cancelled" | "pending" | "submitted", number>>
}

const environment = (store: string, name: string) => ({
  SVC_STORE: store,
  SVC_DATA_DIR: join(folder(), name),
  SVC_ADMIN_TOKEN: admin,
  SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef"
})

/** A sandbox account with people and everything that campaigns need. `url` returns the server's current URL. */
const openAudience = async (url: () => string, size: number) => {
  const { accountId, key } = (
    await openWorkspace(
      { managementToken: admin, fetch: (path: string, init?: RequestInit) => fetch(url() + path, init) },
      "Campaigns"
    )
  ).sandbox
  await liftRateLimit(url(), admin, accountId)
  const manage = async <Value>(path: string, sent?: unknown) => {
    const answer = await api<Value>(url(), admin, `/manage/v1/accounts/${accountId}${path}`, sent)
    expect([path, answer.codes]).toEqual([path, []])
    return answer.value
  }
  const people = Array.from({ length: size }, (_, index) => `person${index}@people.example`)
  for (let from = 0; from < size; from += 500) {
    const contacts = people
      .slice(from, from + 500)
      .map((email) => ({ email, consent: { basis: "Customer" } }))
    expect((await api(url(), key, "/api/v1/contacts/batch", { contacts })).status).toBe(200)
  }
  const rules = [{ fieldKey: "email", operator: "EndsWith", value: "@people.example" }]
  const segment = await manage<{ readonly id: string }>("/segments", {
    name: "People",
    definition: { join: "All", rules }
  })
  const launch = async (subject: string) => {
    const { id } = await manage<Campaign>("/campaigns", {
      name: subject,
      content: { subject, text: "{{ contact.email }}" },
      audience: { segments: [segment.id] }
    })
    await manage(`/campaigns/${id}/launch`, {})
    return id
  }
  const read = (id: string) => manage<Campaign>(`/campaigns/${id}`)
  /** The number of messages of each subject that everyone has received, by `<subject> <address>`. */
  const received = async () => {
    const found: Array<string> = []
    for (let page = 1; ; page++) {
      const { items } = await manage<Page<{ readonly subject: string; readonly to: string }>>(
        `/inbox?pageSize=200&page=${page}`
      )
      found.push(...items.map(({ subject, to }) => `${subject} ${to}`))
      if (items.length < 200) return found.toSorted()
    }
  }
  const recounted = (id: string) => manage<{ readonly equal: boolean }>(`/campaigns/${id}/recount`, {})
  return { launch, manage, people, read, received, recounted }
}

/**
 * Kills servers of a database in the middle of campaigns. With several `nodes`, the others go on. With more than two batches of
 * people, each node sends to parts of them.
 */
const killRepeatedly = async (store: string, name: string, nodes: number, size: number) => {
  const env = environment(store, name)
  const servers = Array.from({ length: nodes }, (_, index) => start(runtimes[index % 2]!, env))
  const urls = await Promise.all(servers.map(async (server) => (await server.ready()).baseUrl))
  let current = 0
  const { launch, people, read, received, recounted } = await openAudience(() => urls[current]!, size)
  const ids: Array<string> = []
  for (let round = 0; round < kills; round++) {
    ids.push(await launch(`Round ${round}`))
    await delay(Math.random() * 400)
    const killed = round % nodes
    await kill(servers[killed]!)
    if (store !== "embedded") await expireLeases(store)
    servers[killed] = start(runtimes[(round + 1) % 2]!, env)
    urls[killed] = (await servers[killed].ready()).baseUrl
    current = killed
  }
  const states = async () => (await Promise.all(ids.map(read))).map(({ status }) => status)
  await expect.poll(states, settling).toEqual(ids.map(() => "Sent"))
  for (const id of ids) {
    expect((await read(id)).stats).toMatchObject({
      audience: people.length,
      submitted: people.length,
      pending: 0
    })
    expect((await recounted(id)).equal).toBe(true)
  }
  const wanted = ids.flatMap((_, round) => people.map((email) => `Round ${round} ${email}`))
  await expect.poll(async () => (await received()).length, settling).toBe(wanted.length)
  expect(await received()).toEqual(wanted.toSorted())
}

it(
  `campaigns reach everyone once in ${kills} kills, on one node and on two`,
  async () => {
    await Promise.all([
      killRepeatedly("embedded", "pglite", 1, 300),
      freshDatabase().then((url) => killRepeatedly(url, "postgres", 2, 1_200))
    ])
  },
  300_000 + kills * 30_000
)

it("a frozen node sends nothing of a campaign that another one continued and paused", async () => {
  const env = environment(await freshDatabase(), "frozen")
  const [frozen, healthy] = runtimes.map((runtime) => start(runtime, env))
  const [, url] = await Promise.all([frozen!.ready(), healthy!.ready()]).then((ready) =>
    ready.map(({ baseUrl }) => baseUrl)
  )
  const { launch, manage, people, read, received, recounted } = await openAudience(() => url!, 1_500)
  const id = await launch("Frozen")
  await expect.poll(async () => (await read(id)).stats.submitted, settling).toBeGreaterThan(0)
  frozen!.signal("SIGSTOP")
  // Ends its leases, so that the other node continues what it had claimed.
  await expireLeases(env.SVC_STORE)
  await delay(200)
  // The database ends the transactions that the frozen node holds open.
  const began = performance.now()
  const paused = await manage<Campaign>(`/campaigns/${id}/pause`, {})
  const took = performance.now() - began
  expect(took < releasedWithin ? "in time" : took).toBe("in time")
  expect(paused.status).toBe("Paused")
  const before = await received()
  frozen!.signal("SIGCONT")
  await delay(1_500)
  expect(await received()).toEqual(before)
  await manage(`/campaigns/${id}/resume`, {})
  await expect.poll(async () => (await read(id)).status, settling).toBe("Sent")
  expect(await received()).toEqual(people.map((email) => `Frozen ${email}`).toSorted())
  expect((await recounted(id)).equal).toBe(true)
}, 300_000)
