/**
 * Tests a sender that is killed repeatedly: every accepted email reaches the relay once, except the few that were cut between
 * their last byte and the reply, which end as Unknown.
 *
 * SVC_TEST_KILLS sets the number of kills, 10 by default.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { expireLeases } from "../support/postgres.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import type { Page } from "../support/shapes.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { startSmtpSink } from "../support/smtpSink.ts"

const kills = Number(process.env["SVC_TEST_KILLS"] ?? 10)
const emailsPerRound = 40
const emails = kills * emailsPerRound
/** The number of concurrent submitting calls. */
const callers = 5
/** The number of concurrent SMTP sessions with the relay. */
const connections = 5
const token = "management-token-of-the-test-0123456789"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { kill, start } = useServers()

interface Listed {
  readonly totalCount: number
  readonly items: ReadonlyArray<{
    readonly recipients: ReadonlyArray<{
      readonly email: string
      readonly status: string
      readonly reason: string | null
    }>
  }>
}

/** The environment of a server that is killed and started again over the same database. */
const envOf = (store: string, relay: string, dns: string) => ({
  SVC_STORE: store,
  SVC_ADMIN_TOKEN: token,
  SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
  SVC_MAIL_TRANSPORT: "smtp",
  SVC_SMTP_URL: `${relay}?pool=${connections}`,
  SVC_DNS_SERVERS: dns
})

it(
  `${emails} emails arrive once in spite of ${kills} kills`,
  { timeout: 240_000 + kills * 20_000 },
  async () => {
    const database = await startPostgresServer()
    const dns = await startDnsServer()
    // Slow enough that every kill interrupts SMTP sessions.
    const sink = await startSmtpSink({ startTls: "off", delay: 40 })
    try {
      const env = envOf(database.url, sink.url, dns.address)
      let server = start("node", env)
      let { baseUrl } = await server.ready()
      const { accountId, apiKey } = await openLive(baseUrl, token, dns, "mail.example")

      const accepted = new Set<string>()
      let next = 0
      const submitOne = async () => {
        const number = next++
        const to = `person-${number}@example.org`
        const mail = { to, subject: "Hello", text: "Hello", idempotencyKey: `mail-${number}` }
        const { status } = await api(baseUrl, apiKey, "/api/v1/sending/emails", mail)
        expect(status).toBeLessThan(300)
        accepted.add(to)
      }
      const submit = async () => {
        for (let count = 0; count < emailsPerRound; count += callers) {
          await Promise.all(Array.from({ length: callers }, submitOne))
        }
      }
      for (let round = 0; round < kills; round++) {
        await submit()
        await delay(Math.random() * 300)
        await kill(server)
        await expireLeases(database.url)
        server = start(runtimes[round % 2]!, env)
        baseUrl = (await server.ready()).baseUrl
      }
      expect(next).toBe(emails)

      const list = async (query: string) =>
        (await api<Listed>(baseUrl, token, `/manage/v1/accounts/${accountId}/emails?${query}`)).value
      const pending = async () =>
        (await list("status=Queued&pageSize=1")).totalCount +
        (await list("status=HandingOff&pageSize=1")).totalCount
      await expect.poll(pending, { timeout: 120_000, interval: 500 }).toBe(0)

      const statuses = new Map<string, string>()
      for (let page = 1; statuses.size < emails; page++) {
        const { items } = await list(`pageSize=200&page=${page}`)
        if (items.length === 0) break
        for (const { recipients } of items)
          for (const { email, status } of recipients) statuses.set(email, status)
      }
      const arrivals = Map.groupBy(sink.messages(), (message) => message.rcptTo[0])
      expect(accepted.size).toBe(emails)
      expect(statuses.size).toBe(emails)
      for (const email of accepted) {
        const status = statuses.get(email)!
        const times = arrivals.get(email)?.length ?? 0
        expect(times, `${email} is ${status}`).toBeLessThanOrEqual(1)
        if (status !== "Unknown")
          expect([email, status, times]).toEqual([
            email,
            expect.stringMatching(/^(Sent|Accepted|Delivered)$/),
            1
          ])
      }
      const unknown = [...statuses.values()].filter((status) => status === "Unknown").length
      // At each kill, at most one email per connection is between its last byte and the reply, and as many are between the reply
      // and its record.
      expect(unknown).toBeLessThanOrEqual(kills * 2 * connections)
    } finally {
      await Promise.all([sink.stop(), dns.stop()])
      await database.remove()
    }
  }
)

it("mail that is released or ended while the server is killed leaves once, or fails", async () => {
  const database = await startPostgresServer()
  const dns = await startDnsServer()
  const sink = await startSmtpSink({ startTls: "off", delay: 40 })
  try {
    const env = envOf(database.url, sink.url, dns.address)
    let server = start("node", env)
    let { baseUrl } = await server.ready()
    const { accountId, apiKey } = await openLive(baseUrl, token, dns, "mail.example")
    const operate = async <Value>(act: string, json: object) => {
      const { status, value } = await api<Value>(baseUrl, token, `/manage/v1/shaping/${act}`, json)
      expect([act, status < 300]).toEqual([act, true])
      return value
    }
    const reason = "They asked us to wait."
    const holdMail = async (domain: string) => {
      await operate("suspend", { domain, reason })
      const addresses = Array.from({ length: 60 }, (_, index) => `person-${index}@${domain}`)
      for (const to of addresses) {
        const email = { to, subject: "Hello", text: "Hello" }
        const sent = await api(baseUrl, apiKey, "/api/v1/sending/emails", email)
        expect([sent.status, sent.codes]).toEqual([201, []])
      }
      const held = async () =>
        (
          await api<Page<{ lane: string; held: number }>>(baseUrl, token, "/manage/v1/shaping/notices")
        ).value.items
          .filter(({ lane }) => lane === `domain:${domain}`)
          .map((one) => one.held)
      await expect.poll(held, { timeout: 60_000 }).toEqual([addresses.length])
      return addresses
    }
    const restart = async () => {
      await kill(server)
      await expireLeases(database.url)
      server = start("node", env)
      baseUrl = (await server.ready()).baseUrl
    }
    const statesOf = async (domain: string) => {
      const path = `/manage/v1/accounts/${accountId}/emails?pageSize=200`
      const { items } = (await api<Listed>(baseUrl, token, path)).value
      return items.flatMap(({ recipients }) => recipients).filter(({ email }) => email.endsWith(`@${domain}`))
    }
    const arrivals = (domain: string) =>
      sink.messages().flatMap(({ rcptTo }) => rcptTo.filter((to) => to.endsWith(`@${domain}`)))

    const released = await holdMail("released.example")
    const ended = await holdMail("ended.example")
    expect(await operate("flush", { domain: "released.example" })).toEqual({ released: released.length })
    await expect.poll(() => arrivals("released.example").length, { timeout: 60_000 }).toBeGreaterThan(5)
    await restart()
    const confirm = ended.length
    expect(await operate("bounce", { domain: "ended.example", reason, confirm })).toEqual({ ended: confirm })
    await restart()
    const pending = async () =>
      [...(await statesOf("released.example")), ...(await statesOf("ended.example"))].filter(
        ({ status }) => status === "Queued" || status === "HandingOff"
      ).length
    await expect.poll(pending, { timeout: 90_000, interval: 500 }).toBe(0)

    for (const { email, status } of await statesOf("released.example")) {
      const times = arrivals("released.example").filter((to) => to === email).length
      if (status === "Unknown") expect(times).toBeLessThanOrEqual(1)
      else expect([email, status, times]).toEqual([email, "Sent", 1])
    }
    const failed = await statesOf("ended.example")
    expect(failed.map(({ status }) => status)).toEqual(ended.map(() => "Failed"))
    expect(arrivals("ended.example")).toEqual([])
  } finally {
    await Promise.all([sink.stop(), dns.stop()])
    await database.remove()
  }
}, 240_000)

it("a relay that cannot be reached has a notice, with which operators end its suspension", async () => {
  const dns = await startDnsServer()
  const sink = await startSmtpSink({ startTls: "off" })
  try {
    const server = start("node", {
      SVC_STORE: "memory",
      SVC_ADMIN_TOKEN: token,
      SVC_MAIL_TRANSPORT: "smtp",
      SVC_SMTP_URL: sink.url,
      SVC_DNS_SERVERS: dns.address
    })
    const { baseUrl } = await server.ready()
    const { accountId, apiKey } = await openLive(baseUrl, token, dns, "mail.example")
    await sink.stop()
    const notices = async (state: string) =>
      (await api<Page<Record<string, unknown>>>(baseUrl, token, `/manage/v1/shaping/notices?state=${state}`))
        .value.items
    const pausedUntil = async () =>
      (
        await api<Page<{ pausedUntil: string | null }>>(baseUrl, token, "/manage/v1/shaping/lanes")
      ).value.items.map((lane) => lane.pausedUntil)
    for (const name of ["ada", "bob", "eve"]) {
      const to = `${name}@example.org`
      await api(baseUrl, apiKey, "/api/v1/sending/emails", { to, subject: "Hello", text: "Hello" })
      const tried = async () => {
        const path = `/manage/v1/accounts/${accountId}/emails?pageSize=200`
        const { items } = (await api<Listed>(baseUrl, token, path)).value
        return items.flatMap(({ recipients }) => recipients).find(({ email }) => email === to)?.reason
      }
      await expect.poll(tried, { timeout: 20_000 }).toBe("sending.retrying")
    }
    await expect.poll(() => notices("Open"), { timeout: 20_000 }).toHaveLength(1)
    const [notice] = await notices("Open")
    expect(notice).toMatchObject({
      lane: "relay",
      cause: "Unreachable",
      action: "PauseSource",
      words: "connrefused",
      state: "Open"
    })
    const paused = async () => (await pausedUntil()).some((until) => until !== null)
    await expect.poll(paused, { timeout: 20_000 }).toBe(true)
    const { status } = await api(baseUrl, token, "/manage/v1/shaping/resume", { noticeId: notice!["id"] })
    expect(status).toBe(200)
    expect(await notices("Open")).toEqual([])
    expect(await notices("Resolved")).toMatchObject([{ id: notice!["id"] }])
    expect(await paused()).toBe(false)
  } finally {
    await dns.stop()
  }
}, 120_000)
