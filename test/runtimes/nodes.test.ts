/**
 * Tests nodes with different roles on one PostgreSQL: they agree on shared state, and a node that freezes past its lease and then
 * resumes does nothing that another node has taken over (fencing).
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { afterEach, beforeEach, expect, it } from "vitest"
import { api, type Called } from "../support/calls.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { expireLeases, freshDatabase } from "../support/postgres.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import type { ReadyFile } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { loggedIn, openSmtp, plainToken } from "../support/smtpClient.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"
import { enterWindow } from "../support/window.ts"

const admin = "token-of-the-operator-0123456789abcdef"

const { start } = useServers()

let sink: SmtpSink
let dns: DnsServer
let receiver: Receiver
let url: string
let env: Readonly<Record<string, string>>
beforeEach(async () => {
  // Slow enough that messages are in progress whenever a node freezes.
  sink = await startSmtpSink({ startTls: "off", delay: 150 })
  dns = await startDnsServer()
  receiver = await startReceiver()
  url = await freshDatabase()
  env = {
    SVC_STORE: url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_SMTP_URL: sink.url,
    SVC_DNS_SERVERS: dns.address,
    SVC_SMTP_PORTS: "0/tls",
    SVC_WEBHOOK_ALLOW_PRIVATE: "true"
  }
})
afterEach(() => Promise.all([sink.stop(), dns.stop(), receiver.stop()]))

const manage = <Value>(node: ReadyFile, path: string, sent?: unknown) =>
  api<Value>(node.baseUrl, admin, `/manage/v1${path}`, sent)

const change = async (node: ReadyFile, method: string, path: string, json?: unknown) => {
  const response = await fetch(`${node.baseUrl}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) })
  })
  expect(response.status).toBe(200)
}

const issueKey = async (node: ReadyFile, accountId: string) =>
  (
    await manage<{ id: string; key: string }>(node, `/accounts/${accountId}/api-keys`, {
      name: "Shared",
      permissions: ["contacts:read", "emails:send", "emails:read"],
      expiresInDays: null
    })
  ).value

it("four nodes with a role each agree on idempotency, rates, revocation and lockout", async () => {
  const nodes = await Promise.all([
    start("node", { ...env, SVC_ROLES: "api" }).ready(),
    start("bun", { ...env, SVC_ROLES: "api,smtp" }).ready(),
    start("node", { ...env, SVC_ROLES: "smtp" }).ready(),
    start("bun", { ...env, SVC_ROLES: "worker" }).ready()
  ])
  const [first, second, third, fourth] = nodes as [ReadyFile, ReadyFile, ReadyFile, ReadyFile]
  expect(nodes.filter(({ sandbox }) => sandbox !== null)).toHaveLength(1)
  expect([third.baseUrl, fourth.baseUrl, fourth.smtp]).toEqual([null, null, []])
  const { accountId, apiKey } = await openLive(first.baseUrl, admin, dns, "mail.example")

  // One idempotency key, used many times at once on both nodes: one email, which the worker sends once.
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      api<{ id: string }>(
        (index % 2 === 0 ? first : second).baseUrl,
        apiKey,
        "/api/v1/sending/emails",
        { to: "ada@example.org", subject: "Once", text: "t" },
        { "idempotency-key": "order-1" }
      )
    )
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(new Set(answers.map(({ value }) => value.id)).size).toBe(1)
  await expect.poll(() => sink.messages().length, { timeout: 30_000 }).toBe(1)

  // Rate windows: of the calls to both nodes together, no more than the limit succeed.
  const limited = await issueKey(first, accountId)
  await change(first, "PATCH", `/accounts/${accountId}/settings`, { rateLimitPerMinute: 20 })
  // If the window ended in between, more calls would succeed.
  await enterWindow({ advance: null, now: Date.now })
  const looks: ReadonlyArray<Called<unknown>> = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      api((index % 2 === 0 ? first : second).baseUrl, limited.key, "/api/v1/contacts?pageSize=1")
    )
  )
  expect(looks.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(looks.filter(({ status }) => status === 429)).toHaveLength(30)
  await change(first, "PATCH", `/accounts/${accountId}/settings`, { rateLimitPerMinute: 1_000_000 })

  // A key revoked by one node is rejected by all, even in an SMTP session that has begun.
  const shared = await issueKey(second, accountId)
  const begun = await loggedIn(third.smtp[0]!, shared.key)
  expect(await begun.say("MAIL FROM:<hello@mail.example>")).toMatch(/^250/)
  await begun.say("RSET")
  await change(first, "DELETE", `/accounts/${accountId}/api-keys/${shared.id}`)
  expect(await begun.say("MAIL FROM:<hello@mail.example>")).toMatch(/^535 5\.7\.8/)
  begun.close()
  expect((await api(second.baseUrl, shared.key, "/api/v1/contacts")).status).toBe(401)

  // Wrong passwords from one address are counted across all nodes.
  const attempt = async (node: ReadyFile, key: string) => {
    const client = await openSmtp(node.smtp[0]!, { from: "127.0.0.77" })
    await client.read()
    await client.say("EHLO client.example")
    const answer = await client.say(`AUTH PLAIN ${plainToken(key)}`)
    client.close()
    return answer.slice(0, 60)
  }
  for (let index = 0; index < 10; index++) {
    expect(await attempt(index % 2 === 0 ? second : third, "wrong")).toMatch(/^535/)
  }
  const locked = await Promise.all([attempt(second, apiKey), attempt(third, apiKey)])
  expect(locked).toEqual([expect.stringContaining("Too many"), expect.stringContaining("Too many")])
})

interface Listed {
  readonly items: ReadonlyArray<{
    readonly recipients: ReadonlyArray<{ readonly email: string; readonly status: string }>
  }>
}

it("a worker that freezes past its lease and resumes completes nothing that another took over", async () => {
  const serving = await start("node", { ...env, SVC_ROLES: "api" }).ready()
  const { accountId, apiKey } = await openLive(serving.baseUrl, admin, dns, "mail.example")
  await manage(serving, `/accounts/${accountId}/webhooks`, { url: `${receiver.url}/hook`, events: [] })
  // Slow to respond, so that notifications are in progress too.
  receiver.answer("/hook", (response) => setTimeout(() => response.writeHead(204).end(), 150))

  const count = 120
  const addresses = Array.from({ length: count }, (_, index) => `p${index}@example.org`)
  await Promise.all(
    addresses.map((to) =>
      api(serving.baseUrl, apiKey, "/api/v1/sending/emails", { to, subject: "Hello", text: "t" })
    )
  )
  // Started once all emails are queued, so that many are left when it freezes.
  const frozen = start("bun", { ...env, SVC_ROLES: "worker" })
  await frozen.ready()
  await expect.poll(() => sink.messages().length, { timeout: 30_000, interval: 10 }).toBeGreaterThan(10)
  frozen.signal("SIGSTOP")
  const before = sink.messages().length
  expect(before).toBeLessThan(count)
  // Ends its leases.
  await expireLeases(url)
  await start("node", { ...env, SVC_ROLES: "worker" }).ready()

  const statuses = async () => {
    const path = `/accounts/${accountId}/emails?pageSize=200`
    const { items } = (await manage<Listed>(serving, path)).value
    return new Map(
      items.flatMap(({ recipients }) => recipients.map(({ email, status }) => [email, status] as const))
    )
  }
  const pending = async () =>
    [...(await statuses()).values()].filter((status) => status === "Queued" || status === "HandingOff").length
  await expect.poll(pending, { timeout: 30_000, interval: 100 }).toBe(0)
  const takenOver = await statuses()

  frozen.signal("SIGCONT")
  await delay(2_500)
  expect(await statuses()).toEqual(takenOver)
  const arrivals = Map.groupBy(sink.messages(), (message) => message.rcptTo[0])
  const odd = addresses.flatMap((email) => {
    const times = arrivals.get(email)?.length ?? 0
    const status = takenOver.get(email) ?? "missing"
    // If the last byte was sent but the reply was not seen, the result is unknown, and the email is not sent again.
    const right = status === "Unknown" ? times <= 1 : times === 1
    return right ? [] : [[email, status, times]]
  })
  expect(odd).toEqual([])
  const unknown = [...takenOver.values()].filter((status) => status === "Unknown").length
  expect(unknown).toBeLessThan(count / 4)

  // One notification for each event of each email. A request in progress may be repeated, with the same id.
  const received = () => receiver.received("/hook").filter(({ json }) => json.type !== "webhook.test")
  const keys = () => new Set(received().map(({ json }) => `${json.type} ${json.data["message_id"]}`))
  const ids = () => new Set(received().map(({ headers }) => headers["webhook-id"]))
  await expect.poll(() => ids().size, { timeout: 30_000 }).toBeGreaterThanOrEqual(count - unknown)
  expect(ids().size).toBe(keys().size)
  expect(received().length - ids().size).toBeLessThan(20)
})
