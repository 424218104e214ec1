/**
 * Measures a campaign to many people on Node over PostgreSQL, from its launch to the last email at a relay: how fast its audience
 * is read, people and emails per second, statements and stored bytes per person, memory, and the latency of transactional email
 * with and without the campaign. It first runs with a tenth of the people, to which the ratios refer.
 *
 * `npm run bench -- campaign 100000` sends to that many people; without a number, to 10,000.
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
import { processorMillis } from "./measure.ts"
import { probeAddress, startSink } from "./sink.ts"

const admin = "token-of-the-benchmark-0123456789abcdef"
const batch = 1_000
const pollMillis = 250
/** The interval between transactional emails, and for how long they are sent while nothing else is, in milliseconds. */
const probeMillis = 50
const idleMillis = 10_000
/** How many of the tables and indexes that grew most are printed. */
const mostTables = 30
/** A body of 4.6 KB, like a newsletter's. None of it should be stored per person. */
const html = `<p>Hello {{ contact.firstName }}</p>${"<p>It is spring, and the shop is open.</p>".repeat(110)}`

/** The measurements of a campaign. */
interface Sent {
  readonly readPerSecond: number
  readonly sentPerSecond: number
  readonly firstMillis: number
  readonly statements: number
  readonly storedBytes: number
  readonly memory: number
}

/** The median and the 99th percentile of the time until the relay has a transactional email, in milliseconds. */
const latencyOf = (millis: ReadonlyArray<number>): string => {
  const sorted = millis.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

interface Shown {
  readonly status: string
  readonly phase: string | null
  readonly stats: { readonly audience: number; readonly submitted: number }
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`

/** The memory of a process, in bytes. */
const memoryOf = async (pid: number): Promise<number> =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)

/** Measures and prints the results. */
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
    const { accountId, apiKey } = await openLive(baseUrl, admin, dns, "campaign.example")
    const account = `/manage/v1/accounts/${accountId}`
    const key = await api<{ key: string }>(baseUrl, admin, `${account}/api-keys`, {
      name: "People",
      permissions: ["contacts:write"],
      expiresInDays: null
    })
    const statementsSoFar = async () => {
      const [row] = await query<{ calls: number }>(
        database.url,
        "select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements"
      )
      return row!.calls
    }
    /** The size of each table and index in bytes, without dead rows. */
    const stored = async () => {
      await query(database.url, "vacuum full")
      const rows = await query<{ name: string; bytes: number }>(
        database.url,
        `select relname as name, case relkind when 'r' then pg_table_size(oid) else pg_relation_size(oid) end::float8 as bytes
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('i', 'r')`
      )
      return new Map(rows.map(({ bytes, name }) => [name, bytes]))
    }
    let probes = 0
    /** Sends transactional emails until `isOver`. Returns the time from each call to its response, and to the relay. */
    const probe = async (isOver: () => boolean) => {
      const sent: Array<{ readonly number: number; readonly at: number }> = []
      const answered: Array<number> = []
      const calls: Array<Promise<unknown>> = []
      while (!isOver()) {
        const number = probes++
        const at = Date.now()
        sent.push({ number, at })
        const email = { to: probeAddress(number), subject: "Probe", text: "Your code is 123456." }
        const call = api(baseUrl, apiKey, "/api/v1/sending/emails", email)
        calls.push(call.then(() => answered.push(Date.now() - at)))
        await delay(probeMillis)
      }
      await Promise.all(calls)
      await delay(probeMillis * 20)
      const relayed = sent.map(({ at, number }) => (sink.probedAt(number) ?? Infinity) - at)
      return `response ${latencyOf(answered)}; at the relay ${latencyOf(relayed)}`
    }
    /** Creates a campaign to the people of a city. Returns its path. */
    const made = async (city: string) => {
      const segment = await api<{ id: string }>(baseUrl, admin, `${account}/segments`, {
        name: city,
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: city }] }
      })
      const { value } = await api<{ id: string }>(baseUrl, admin, `${account}/campaigns`, {
        name: city,
        content: { subject: "Spring", html },
        audience: { segments: [segment.value.id] }
      })
      return `${account}/campaigns/${value.id}`
    }
    const send = async (count: number, beside: (isOver: () => boolean) => Promise<void>): Promise<Sent> => {
      for (let from = 0; from < count; from += batch) {
        const contacts = Array.from({ length: Math.min(batch, count - from) }, (_, index) => ({
          email: `person-${from + index}@of-${count}.example`,
          firstName: `P${from + index}`,
          city: `of ${count}`,
          consent: { basis: "Customer" }
        }))
        await api(baseUrl, key.value.key, "/api/v1/contacts/batch", { contacts })
      }
      const path = await made(`of ${count}`)
      await delay(2_000)
      const before = await stored()
      const statementsBefore = await statementsSoFar()
      const [idle, taken] = [await memoryOf(server.pid), sink.count()]
      const processorBefore = await processorMillis(server.pid)
      let [readAt, firstAt, peak] = [0, 0, idle]
      const from = performance.now()
      let isOver = false
      const besides = beside(() => isOver)
      await api(baseUrl, admin, `${path}/launch`, {})
      while (!isOver) {
        const { value } = await api<Shown>(baseUrl, admin, path)
        const at = performance.now() - from
        if (readAt === 0 && value.stats.audience === count) readAt = at
        if (firstAt === 0 && sink.count() > taken) firstAt = at
        peak = Math.max(peak, await memoryOf(server.pid))
        isOver = value.status === "Sent" || value.status === "Paused"
        if (value.status === "Paused") throw new Error("The campaign was paused")
        if (!isOver) await delay(pollMillis)
      }
      const seconds = (performance.now() - from) / 1000
      const processor = (await processorMillis(server.pid)) - processorBefore
      await besides
      const memory = peak - idle
      const statements = (1_000 * ((await statementsSoFar()) - statementsBefore)) / count
      const grown = [...(await stored())]
        .map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / count] as const)
        .toSorted(([, a], [, b]) => b - a)
      const storedBytes = grown.reduce((sum, [, bytes]) => sum + bytes, 0)
      console.log(
        `${String(count).padStart(9)} people: read ${((1000 * count) / readAt).toFixed(0)} /s, ` +
          `first email after ${firstAt.toFixed(0)} ms, sent ${(count / seconds).toFixed(0)} /s, ` +
          `${(processor / count).toFixed(2)} ms of the processor each, ` +
          `${statements.toFixed(0)} statements per 1,000 people, ${storedBytes.toFixed(0)} B stored each, ` +
          `${megabytes(memory)} above idle (${megabytes(idle)}), ${sink.count() - taken} at the relay`
      )
      for (const [name, bytes] of grown.slice(0, mostTables)) {
        console.log(`${"".padStart(11)}${name.padEnd(33)} ${bytes.toFixed(0)} B each`)
      }
      return {
        readPerSecond: (1000 * count) / readAt,
        sentPerSecond: count / seconds,
        firstMillis: firstAt,
        statements,
        storedBytes,
        memory: peak
      }
    }
    /** Measures reading the audience of a campaign that is paused at once, of people who are copied in the database. */
    const read = async (count: number) => {
      await query(
        database.url,
        `insert into contacts select p.* from contacts c cross join generate_series(1, ${count}) n
        cross join lateral jsonb_populate_record(c, jsonb_build_object(
          'id', '01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'email', 'copy-' || n || '@copies.example',
          'city', 'copied'
        )) p where c.id = (select id from contacts where account_id = '${accountId}' order by id desc limit 1)`
      )
      await query(database.url, "vacuum analyze contacts")
      const path = await made("copied")
      const from = performance.now()
      await api(baseUrl, admin, `${path}/launch`, {})
      await api(baseUrl, admin, `${path}/pause`, {})
      while ((await api<Shown>(baseUrl, admin, path)).value.stats.audience < count) await delay(20)
      const seconds = (performance.now() - from) / 1000
      console.log(
        `${String(count).padStart(9)} people: read ${(count / seconds).toFixed(0)} /s while it is paused`
      )
      await api(baseUrl, admin, `${path}/cancel`, {})
    }
    /** How many transactional emails of the same size reach the relay per second, if all are due at the same time. */
    const transactional = async (count: number): Promise<number> => {
      const taken = sink.count()
      const calls = 32
      const dueAt = Date.now() + 10_000 + 4 * count
      const email = { subject: "Spring", html, sendAt: new Date(dueAt).toISOString() }
      await Promise.all(
        Array.from({ length: calls }, async (_, call) => {
          for (let index = call; index < count; index += calls) {
            await api(baseUrl, apiKey, "/api/v1/sending/emails", {
              ...email,
              to: `person-${index}@transactional.example`
            })
          }
        })
      )
      if (Date.now() > dueAt) throw new Error("The emails were due before all were submitted")
      const processorBefore = await processorMillis(server.pid)
      while (sink.count() - taken < count) await delay(pollMillis)
      const perSecond = (1_000 * count) / (Date.now() - dueAt)
      const processor = (await processorMillis(server.pid)) - processorBefore
      console.log(
        `transactional email of the same size: ${perSecond.toFixed(0)} /s at the relay, ` +
          `${(processor / count).toFixed(2)} ms of the processor each`
      )
      return perSecond
    }
    const nothing = () => Promise.resolve()
    const [few, many] = [await send(Math.ceil(people / 10), nothing), await send(people, nothing)]
    const perSecond = await transactional(people)
    await read(10 * people)
    // Again, with transactional email at the same time.
    const idleUntil = Date.now() + idleMillis
    const alone = await probe(() => Date.now() > idleUntil)
    await send(people, async (isOver) => {
      const latencies = await probe(isOver)
      console.log(`transactional email, idle: ${alone}; beside the next: ${latencies}`)
    })
    console.log(
      `${"emails a second, of transactional email".padEnd(44)} ${(many.sentPerSecond / perSecond).toFixed(2)}`
    )
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
