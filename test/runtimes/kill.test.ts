/**
 * Tests `kill -9` at random times under a workload of contacts, batches, events, emails, SMTP messages, flows and webhooks, over
 * PostgreSQL and over PGlite, on alternating runtimes. Everything acknowledged is stored, no email is sent twice, no run or
 * notification is duplicated, and every job ends.
 *
 * SVC_TEST_KILLS sets the number of kills over each database, 3 by default.
 *
 * @module
 */
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { eventName, startWorkload } from "../support/faultWorkload.ts"
import { openLive } from "../support/liveDomain.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { startReceiver } from "../support/receiver.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import type { EmailSubmission, Page } from "../support/shapes.ts"
import { startSmtpSink } from "../support/smtpSink.ts"
import { allPermissions } from "../support/workspace.ts"

const kills = Number(process.env["SVC_TEST_KILLS"] ?? 3)
const token = "management-token-of-the-test-0123456789"
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]
/** Queues of recurring jobs. */
const recurring = ["domains", "imports", "retention"]
/** The jobs of a killed process are claimed again once their leases expire. */
const settling = { timeout: 150_000, interval: 500 }
const pageSize = 200

const { folder, kill, start } = useServers()

const missing = (wanted: Iterable<string>, found: Iterable<string>): ReadonlyArray<string> => {
  const there = new Set(found)
  return [...wanted].filter((one) => !there.has(one))
}

/** Kills a service over a database repeatedly under the workload. Returns how much was acknowledged. */
const killRepeatedly = async (name: string, store: string) => {
  const dns = await startDnsServer()
  const receiver = await startReceiver()
  // Slow enough that every kill interrupts SMTP sessions.
  const sink = await startSmtpSink({ startTls: "off", delay: 30 })
  try {
    const env = {
      SVC_STORE: store,
      SVC_DATA_DIR: join(folder(), name),
      SVC_ADMIN_TOKEN: token,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SVC_MAIL_TRANSPORT: "smtp",
      SVC_SMTP_URL: sink.url,
      SVC_SMTP_PORTS: "0,0/tls",
      SVC_DNS_SERVERS: dns.address,
      SVC_WEBHOOK_ALLOW_PRIVATE: "true"
    }
    let server = start("node", env)
    let ready = await server.ready()
    const { accountId } = await openLive(ready.baseUrl, token, dns, "mail.example")
    const manage = async <Value>(path: string, sent?: unknown) =>
      (await api<Value>(ready.baseUrl, token, `/manage/v1/accounts/${accountId}${path}`, sent)).value
    const { key } = await manage<{ key: string }>("/api-keys", {
      name: "Customer",
      permissions: allPermissions,
      expiresInDays: null
    })
    await manage("/webhooks", { url: receiver.url, events: ["email.sent"] })
    const steps = [
      { id: "mail", kind: "SendEmail", purpose: "Transactional", subject: "Flow", html: "<p>Hi" }
    ]
    const trigger = { kind: "Event", name: eventName }
    const flow = await manage<{ id: string }>("/flows", { name: "Flow", trigger, steps })
    await manage(`/flows/${flow.id}/publish`, {})

    const workload = startWorkload(() => ready, key, "Hello <hello@mail.example>")
    const { contacts, emails, events } = workload.acknowledged
    for (let round = 1; round <= kills; round++) {
      // However slow the machine is, each kill interrupts work in progress.
      const least = () => Math.min(contacts.size, emails.size, events.size)
      await expect.poll(least, { timeout: 60_000 }).toBeGreaterThan(2 * round)
      await delay(300 + Math.random() * 1500)
      await kill(server)
      server = start(runtimes[round % 2]!, env)
      ready = await server.ready()
    }
    await delay(500)
    await workload.stop()

    const pending = async () => {
      const response = await fetch(`${ready.baseUrl}/metrics`, {
        headers: { authorization: `Bearer ${token}` }
      })
      const text = await response.text()
      return [...text.matchAll(/^(\w*(?:pending|buried)\w*)\{[^}]*queue="(\w+)"[^}]*\} (\d+)/gm)].flatMap(
        ([, metric, queue, count]) =>
          Number(count) > 0 && !recurring.includes(queue!) ? [`${metric} ${queue} ${count}`] : []
      )
    }
    await expect.poll(pending, settling).toEqual([])

    const everything = async <Item>(path: string) => {
      const found: Array<Item> = []
      for (let page = 1; ; page++) {
        const { items } = await manage<Page<Item>>(
          `${path}${path.includes("?") ? "&" : "?"}pageSize=${pageSize}&page=${page}`
        )
        found.push(...items)
        if (items.length < pageSize) return found
      }
    }

    const people: Array<string> = []
    for (let page = 1; people.length === (page - 1) * pageSize; page++) {
      const path = `/api/v1/contacts?pageSize=${pageSize}&page=${page}`
      const { value } = await api<Page<{ email: string }>>(ready.baseUrl, key, path)
      people.push(...value.items.map(({ email }) => email))
    }
    expect(people.length).toBe(new Set(people).size)
    expect(missing(contacts, people)).toEqual([])

    const known = await everything<{ eventId: string; status: string }>("/events")
    expect(known.map(({ eventId, status }) => `${eventId} ${status}`).toSorted()).toEqual(
      [...events.keys()].map((id) => `${id} Processed`).toSorted()
    )

    const runs = await everything<{ contactId: string; status: string }>(`/flows/${flow.id}/runs`)
    expect(runs.length).toBe(events.size)
    expect(new Set(runs.map(({ contactId }) => contactId)).size).toBe(events.size)
    expect(runs.filter(({ status }) => status !== "Completed")).toEqual([])

    const sent = await everything<EmailSubmission>("/emails")
    const statuses = new Map(
      sent.flatMap(({ recipients }) => recipients.map((one) => [one.email, one] as const))
    )
    expect(statuses.size).toBe(sent.length)
    const wanted = [...emails.values(), ...events.values()]
    expect(missing(wanted, statuses.keys())).toEqual([])
    expect(
      missing(
        emails.keys(),
        sent.map(({ id }) => id)
      )
    ).toEqual([])
    const arrivals = Map.groupBy(sink.messages(), (message) => message.rcptTo[0]!)
    let unknown = 0
    for (const [email, { status }] of statuses) {
      const times = arrivals.get(email)?.length ?? 0
      if (status === "Unknown") unknown++
      // Cut between its last byte and the reply, it may have arrived and is never sent again.
      expect([email, status, times]).toEqual(
        status === "Unknown" ? [email, status, Math.min(times, 1)] : [email, "Sent", 1]
      )
    }
    // At most the emails in progress at a kill: those on the relay's ten connections, and about as many whose results are being
    // written.
    expect(unknown).toBeLessThanOrEqual(Math.min(kills * 20, statuses.size / 2))

    const notified = Map.groupBy(receiver.received(), ({ json }) => json.data["message_id"]!)
    for (const [email, { id, status }] of statuses) {
      const ids = new Set((notified.get(id) ?? []).map(({ json }) => json.id))
      expect([email, ids.size]).toEqual([email, status === "Unknown" ? ids.size : 1])
    }
    return { name, contacts: contacts.size, events: events.size, emails: sent.length, unknown }
  } finally {
    await Promise.all([sink.stop(), dns.stop(), receiver.stop()])
  }
}

it(
  `a service under load loses and duplicates nothing in ${kills} kills`,
  { timeout: 240_000 + kills * 20_000 },
  async () => {
    const database = await startPostgresServer()
    try {
      const done = await Promise.all([
        killRepeatedly("postgres", database.url),
        killRepeatedly("pglite", "embedded")
      ])
      if (process.env["SVC_TEST_KILLS"] !== undefined) process.stdout.write(`${JSON.stringify(done)}\n`)
      // Each kill must interrupt work in progress.
      for (const { contacts, emails, events } of done) {
        expect(Math.min(contacts, emails, events)).toBeGreaterThan(2 * kills)
      }
    } finally {
      await database.remove()
    }
  }
)
