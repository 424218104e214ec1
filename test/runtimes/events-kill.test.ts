/**
 * Tests servers that are killed repeatedly while events arrive: each accepted event is on its person's timeline exactly once, and
 * on that of no other person.
 *
 * SVC_TEST_KILLS sets the number of kills, 8 by default.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const kills = Number(process.env["SVC_TEST_KILLS"] ?? 8)
const token = "management-token-of-the-test-0123456789"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
const people = 5
const eventsPerCall = 20

const { kill, start } = useServers()

interface Listed<Item> {
  readonly totalCount: number
  readonly items: ReadonlyArray<Item>
}

it(
  `events appear once on their timelines after ${kills} kills`,
  { timeout: 240_000 + kills * 20_000 },
  async () => {
    const env = { SVC_STORE: await freshDatabase(), SVC_ADMIN_TOKEN: token }
    let server = start("node", env)
    let { baseUrl, sandbox } = await server.ready()
    const { accountId, apiKey } = sandbox!
    await liftRateLimit(baseUrl, token, accountId)

    /** The person of each event sent, by event id, and the events that were acknowledged. */
    const sent = new Map<string, string>()
    const accepted = new Set<string>()
    let serial = 0
    const report = async () => {
      const events = Array.from({ length: eventsPerCall }, () => {
        const number = serial++
        const email = `person-${number % people}@example.org`
        return { id: `event-${number}`, name: "user.did", contact: { email }, properties: { number } }
      })
      for (const event of events) sent.set(event.id, event.contact.email)
      // A call whose connection was cut is repeated, as customers do.
      for (;;) {
        try {
          const { status } = await api(baseUrl, apiKey, "/api/v1/events", { events })
          if (status === 200) break
        } catch {
          await delay(50)
        }
      }
      for (const event of events) accepted.add(event.id)
    }
    const load = { running: true }
    const loops = Array.from({ length: 4 }, async () => {
      while (load.running) await report()
    })
    for (let round = 0; round < kills; round++) {
      await delay(200 + Math.random() * 500)
      await kill(server)
      server = start(runtimes[(round + 1) % 2]!, env)
      baseUrl = (await server.ready()).baseUrl
    }
    await delay(300)
    load.running = false
    await Promise.all(loops)
    expect(accepted.size).toBe(sent.size)

    const manage = async <Value>(path: string) =>
      (await api<Value>(baseUrl, token, `/manage/v1/accounts/${accountId}${path}`)).value
    const waiting = async () =>
      (await manage<Listed<unknown>>("/events?status=Accepted&pageSize=1")).totalCount
    await expect.poll(waiting, { timeout: 120_000, interval: 200 }).toBe(0)
    // `count=exact`, because above 10,000 entries the count would be an estimate.
    const all = await manage<Listed<unknown>>("/events?count=exact&pageSize=1")
    expect(all.totalCount).toBe(sent.size)
    expect((await manage<Listed<unknown>>("/events?status=Failed&pageSize=1")).totalCount).toBe(0)

    const seen: Array<string> = []
    for (let person = 0; person < people; person++) {
      const email = `person-${person}@example.org`
      const { value: contact } = await api<{ id: string }>(baseUrl, apiKey, `/api/v1/contacts/email:${email}`)
      for (let page = 1; ; page++) {
        const { items } = await manage<Listed<{ name: string; properties: { number: number } }>>(
          `/contacts/${contact.id}/timeline?pageSize=200&page=${page}`
        )
        for (const { properties } of items) {
          const id = `event-${properties.number}`
          expect(sent.get(id)).toBe(email)
          seen.push(id)
        }
        if (items.length < 200) break
      }
    }
    expect(seen.length).toBe(sent.size)
    expect(new Set(seen)).toEqual(accepted)
  }
)
