/**
 * A sender that is killed repeatedly: every accepted email reaches the relay once, except the few that were cut between
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
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { startSmtpSink } from "../support/smtpSink.ts"

const kills = Number(process.env["SVC_TEST_KILLS"] ?? 10)
const emailsPerRound = 40
const emails = kills * emailsPerRound
/** How many calls submit at once. */
const callers = 5
/** Conversations with the relay at a time. */
const connections = 5
const token = "management-token-of-the-test-0123456789"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { kill, start } = useServers()

interface Listed {
  readonly totalCount: number
  readonly items: ReadonlyArray<{
    readonly recipients: ReadonlyArray<{ readonly email: string; readonly status: string }>
  }>
}

it(
  `${emails} emails arrive once in spite of ${kills} kills`,
  { timeout: 240_000 + kills * 20_000 },
  async () => {
    const database = await startPostgresServer()
    const dns = await startDnsServer()
    // Slow enough that every kill finds SMTP conversations in progress.
    const sink = await startSmtpSink({ startTls: "off", delay: 40 })
    try {
      const env = {
        SVC_STORE: database.url,
        SVC_ADMIN_TOKEN: token,
        SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
        SVC_MAIL_TRANSPORT: "smtp",
        SVC_SMTP_URL: `${sink.url}?pool=${connections}`,
        SVC_DNS_SERVERS: dns.address
      }
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
      // At each kill, at most one email of each connection is between its last byte and the reply, and as many between
      // the reply and its record.
      expect(unknown).toBeLessThanOrEqual(kills * 2 * connections)
    } finally {
      await Promise.all([sink.stop(), dns.stop()])
      await database.remove()
    }
  }
)
