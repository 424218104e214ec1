/**
 * A campaign to many people on Node over PostgreSQL, from its launch to the last email at a relay: how fast its audience is
 * read, how many people and emails a second there are, statements and bytes stored for each, and memory; at a tenth of the
 * people first, whose figures the ratios are to.
 *
 * `npm run bench -- campaign 100000` sends to so many people, to 10,000 without a number.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { api } from "../support/calls.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { query } from "../support/postgres.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, startServer } from "../support/serverProcess.ts"
import { startSink } from "./sink.ts"

const admin = "token-of-the-benchmark-0123456789abcdef"
const batch = 1_000
const pollMillis = 250
/** A body of 4.6 KB, as a newsletter has; what stays of it for each person should be nothing. */
const html = `<p>Hello {{ contact.firstName }}</p>${"<p>It is spring, and the shop is open.</p>".repeat(110)}`

/** What was measured of a campaign. */
interface Sent {
  readonly readPerSecond: number
  readonly sentPerSecond: number
  readonly firstMillis: number
  readonly statements: number
  readonly storedBytes: number
  readonly memory: number
}

interface Shown {
  readonly status: string
  readonly phase: string | null
  readonly stats: { readonly audience: number; readonly submitted: number }
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`

/** The memory of a process, bytes. */
const memoryOf = async (pid: number): Promise<number> =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)

/** Measures, and prints. */
export const benchCampaign = async (people: number): Promise<void> => {
  const database = await startPostgresServer(["-c", "shared_preload_libraries=pg_stat_statements"])
  const dns = await startDnsServer()
  const sink = await startSink()
  const folder = await freshFolder()
  const server = startServer("node", folder.path, {
    SVC_STORE: database.url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_LOG_LEVEL: "error",
    SVC_MAIL_TRANSPORT: "smtp",
    SVC_SMTP_URL: sink.url,
    SVC_DNS_SERVERS: dns.address
  })
  try {
    await query(database.url, "create extension pg_stat_statements")
    const { baseUrl } = await server.ready()
    const { accountId } = await openLive(baseUrl, admin, dns, "campaign.example")
    const account = `/manage/v1/accounts/${accountId}`
    const key = await api<{ key: string }>(baseUrl, admin, `${account}/api-keys`, {
      name: "People",
      permissions: ["contacts:write"],
      expiresInDays: null
    })
    const look = async () => {
      const [row] = await query<{ statements: number; stored: number }>(
        database.url,
        `select coalesce(sum(calls), 0)::float8 as statements,
          (select sum(pg_total_relation_size(oid))::float8 from pg_class
            where relnamespace = 'public'::regnamespace and relkind = 'r') as stored
        from pg_stat_statements`
      )
      return row!
    }
    const send = async (count: number): Promise<Sent> => {
      for (let from = 0; from < count; from += batch) {
        const contacts = Array.from({ length: Math.min(batch, count - from) }, (_, index) => ({
          email: `person-${from + index}@of-${count}.example`,
          firstName: `P${from + index}`,
          city: `of ${count}`,
          consent: { basis: "Customer" }
        }))
        await api(baseUrl, key.value.key, "/api/v1/contacts/batch", { contacts })
      }
      const segment = await api<{ id: string }>(baseUrl, admin, `${account}/segments`, {
        name: `of ${count}`,
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: `of ${count}` }] }
      })
      const made = await api<{ id: string }>(baseUrl, admin, `${account}/campaigns`, {
        name: `of ${count}`,
        content: { subject: "Spring", html },
        audience: { segments: [segment.value.id] }
      })
      const path = `${account}/campaigns/${made.value.id}`
      await delay(2_000)
      const before = await look()
      const [idle, taken] = [await memoryOf(server.pid), sink.count()]
      let [readAt, firstAt, peak] = [0, 0, idle]
      const from = performance.now()
      await api(baseUrl, admin, `${path}/launch`, {})
      while (true) {
        const { value } = await api<Shown>(baseUrl, admin, path)
        const at = performance.now() - from
        if (readAt === 0 && value.stats.audience === count) readAt = at
        if (firstAt === 0 && sink.count() > taken) firstAt = at
        peak = Math.max(peak, await memoryOf(server.pid))
        if (value.status === "Paused") throw new Error("The campaign was paused")
        if (value.status === "Sent") break
        await delay(pollMillis)
      }
      const seconds = (performance.now() - from) / 1000
      const after = await look()
      const memory = peak - idle
      const statements = (1_000 * (after.statements - before.statements)) / count
      const storedBytes = (after.stored - before.stored) / count
      console.log(
        `${String(count).padStart(9)} people: read ${((1000 * count) / readAt).toFixed(0)} /s, ` +
          `first email after ${firstAt.toFixed(0)} ms, sent ${(count / seconds).toFixed(0)} /s, ` +
          `${statements.toFixed(0)} statements per 1,000 people, ${storedBytes.toFixed(0)} B stored each, ` +
          `${megabytes(memory)} above idle (${megabytes(idle)}), ${sink.count() - taken} at the relay`
      )
      return {
        readPerSecond: (1000 * count) / readAt,
        sentPerSecond: count / seconds,
        firstMillis: firstAt,
        statements,
        storedBytes,
        memory: peak
      }
    }
    const [few, many] = [await send(Math.ceil(people / 10)), await send(people)]
    for (const [name, of] of [
      ["people read a second", "readPerSecond"],
      ["emails a second", "sentPerSecond"],
      ["time to the first email", "firstMillis"],
      ["statements per 1,000 people", "statements"],
      ["bytes stored per person", "storedBytes"],
      ["memory of the process", "memory"]
    ] as const) {
      console.log(`${`${name}, of a tenth`.padEnd(44)} ${(many[of] / few[of]).toFixed(2)}`)
    }
  } finally {
    server.signal("SIGKILL")
    await server.ended
    sink.stop()
    await dns.stop()
    await database.remove()
    await folder.remove()
  }
}
