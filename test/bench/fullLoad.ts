/**
 * Loads one machine with PostgreSQL for some minutes with the full quota of ten keys: 600 calls a minute each, plus as many SMTP
 * messages, or with SMTP messages within the quota. Prints the responses, their latency, the memory of the process and the stolen
 * CPU time for each minute, and the time until the queues are empty.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { api } from "../support/calls.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { loggedIn, type SmtpAddress, type SmtpClient } from "../support/smtpClient.ts"
import { allPermissions } from "../support/workspace.ts"
import { makeCallPool } from "./callPool.ts"
import { startSink } from "./sink.ts"

const admin = "token-of-the-benchmark-0123456789abcdef"
const keys = 10
const perMinute = 600
/** The interval between two calls of a key, in milliseconds. */
const interval = 60_000 / perMinute
const contactsPerBatch = 1_000
const eventsPerCall = 100
/** The number of people, whom batches update in rotation. */
const people = 100_000
/** The timeout of a call, in milliseconds. */
const callTimeout = 30_000

const personOf = (index: number): string => `person-${index % people}@example.org`

/** How many of each 100 calls of a key are of each kind. The rest write single contacts. */
const shares = { batch: 1, events: 5, email: 60 }
/** How many of each 100 are SMTP messages instead of calls that send, if both share the quota. */
const smtpShare = 20

type Kind = "batch" | "events" | "email" | "contact" | "smtp"

const kindOf = (number: number): Exclude<Kind, "smtp"> => {
  // Spreads the kinds over the hundred, because the prime 37 does not divide it.
  const position = (number * 37) % 100
  if (position < shares.batch) return "batch"
  if (position < shares.batch + shares.events) return "events"
  return position < shares.batch + shares.events + shares.email ? "email" : "contact"
}

/** Whether the email with that number is an SMTP message, if both share the quota. */
const isMail = (number: number): boolean => (number * 37) % 100 < shares.batch + shares.events + smtpShare

const callOf = (kind: Exclude<Kind, "smtp">, serial: number): readonly [path: string, body: unknown] => {
  switch (kind) {
    case "batch":
      return [
        "/contacts/batch",
        {
          contacts: Array.from({ length: contactsPerBatch }, (_, index) => ({
            email: personOf(serial * contactsPerBatch + index),
            firstName: `Name ${serial}`,
            consent: { basis: "Customer" }
          }))
        }
      ]
    case "events":
      return [
        "/events",
        {
          events: Array.from({ length: eventsPerCall }, (_, index) => ({
            id: `event-${serial}-${index}`,
            name: "user.looked",
            contact: { email: personOf(serial * eventsPerCall + index) },
            properties: { page: "/pricing" }
          }))
        }
      ]
    case "email":
      return ["/sending/emails", { to: personOf(serial), subject: "Hello", html: "<p>It works.</p>" }]
    case "contact":
      return ["/contacts", { email: personOf(serial), city: `City ${serial % 7}` }]
  }
}

interface Taken {
  readonly millis: Array<number>
  readonly answers: Map<string, number>
}

const makeRecord = () => {
  const taken = new Map<Kind, Taken>()
  let singles: Array<number> = []
  return {
    taken,
    /** The latencies of single calls since the last call of this function, in milliseconds. */
    singles: (): ReadonlyArray<number> => {
      const since = singles
      singles = []
      return since
    },
    add: (kind: Kind, answer: string, millis: number) => {
      const of = taken.get(kind) ?? { millis: [], answers: new Map<string, number>() }
      taken.set(kind, of)
      of.millis.push(millis)
      if (kind !== "batch" && kind !== "smtp") singles.push(millis)
      of.answers.set(answer, (of.answers.get(answer) ?? 0) + 1)
    }
  }
}

const residentMegabytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

/** Pending jobs by queue, without recurring ones. */
const depthOf = async (baseUrl: string): Promise<string> => {
  const response = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${admin}` } })
  const pattern = /^\w*(pending|buried)\w*\{[^}]*queue="(\w+)"[^}]*\} (\d+)/gm
  return [...(await response.text()).matchAll(pattern)]
    .filter(([, , queue, count]) => Number(count) > 0 && queue !== "domains" && queue !== "retention")
    .map(([, state, queue, count]) => `${queue} ${count}${state === "buried" ? " buried" : ""}`)
    .join(", ")
}

/** Sends a message with pipelined commands (RFC 2920), as a mail server does. Returns the rejection, or the last reply. */
const sendMessage = async (client: SmtpClient, to: string, message: string): Promise<string> => {
  client.write(`MAIL FROM:<bounces@any.example>\r\nRCPT TO:<${to}>\r\nDATA\r\n`)
  let refusal: string | null = null
  for (const code of ["250", "250", "354"]) {
    const answer = (await client.read()) ?? "the connection ended"
    if (!answer.startsWith(code)) refusal ??= answer
  }
  return refusal ?? client.say(`${message}\r\n.`)
}

/** The latency at a percentile, in milliseconds. */
const within = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** Measures the share of stolen CPU time since the last call. */
const makeStolen = () => {
  const read = async (): Promise<ReadonlyArray<number>> => {
    const [first = ""] = (await readFile("/proc/stat", "utf8").catch(() => "")).split("\n")
    return first.split(/\s+/).slice(1, 9).map(Number)
  }
  let before: ReadonlyArray<number> = []
  return async (): Promise<number> => {
    const now = await read()
    const spent = now.map((ticks, index) => ticks - (before[index] ?? 0))
    before = now
    return (
      (spent[7] ?? 0) /
      Math.max(
        1,
        spent.reduce((sum, ticks) => sum + ticks, 0)
      )
    )
  }
}

const print = (kind: Kind | "single", { answers, millis }: Taken): void => {
  const sorted = millis.toSorted((a, b) => a - b)
  const at = (share: number) => within(sorted, share)
  const counts = [...answers].map(([answer, count]) => `${answer}: ${count}`).join("  ")
  console.log(
    `${kind.padEnd(8)} p50 ${at(0.5).toFixed(1)} ms  p99 ${at(0.99).toFixed(1)} ms  most ${at(1).toFixed(0)} ms   ${counts}`
  )
}

const run = async (runtime: Runtime, minutes: number, isShared: boolean): Promise<void> => {
  const database = await startPostgresServer()
  const dns = await startDnsServer()
  const sink = await startSink()
  const folder = await freshFolder()
  const server = startServer(runtime, folder.path, {
    SVC_STORE: database.url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_LOG_LEVEL: "error",
    SVC_MAIL_TRANSPORT: "smtp",
    SVC_SMTP_URL: sink.url,
    SVC_SMTP_PORTS: "0/tls",
    SVC_DNS_SERVERS: dns.address
  })
  try {
    const { baseUrl, smtp } = await server.ready()
    const { accountId } = await openLive(baseUrl, admin, dns, "load.example")
    const account = `/manage/v1/accounts/${accountId}`
    await fetch(`${baseUrl}${account}/settings`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ rateLimitPerMinute: perMinute })
    })
    // The account already has one of its ten keys.
    const listed = await api<ReadonlyArray<{ id: string }>>(baseUrl, admin, `${account}/api-keys`)
    for (const { id } of listed.value) {
      await fetch(`${baseUrl}${account}/api-keys/${id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${admin}` }
      })
    }
    const issued: Array<string> = []
    for (let number = 0; number < keys; number++) {
      const json = { name: `Load ${number}`, permissions: allPermissions, expiresInDays: null }
      issued.push((await api<{ key: string }>(baseUrl, admin, `${account}/api-keys`, json)).value.key)
    }

    const record = makeRecord()
    const calls = makeCallPool(baseUrl, callTimeout)
    const until = performance.now() + minutes * 60_000
    let serial = 0
    const inProgress = new Set<Promise<void>>()
    const call = async (key: string, number: number) => {
      const kind = kindOf(number)
      const [path, body] = callOf(kind, serial++)
      const sent = JSON.stringify(body)
      const from = performance.now()
      const answer = await calls.post(`/api/v1${path}`, key, sent)
      record.add(kind, answer, performance.now() - from)
    }
    /** Makes calls at regular times, whether or not earlier ones have received their response. */
    const calling = async (key: string, caller: number) => {
      await delay((interval / keys) * caller)
      let next = performance.now()
      for (let number = caller * 10; next < until; number++) {
        if (!isShared || kindOf(number) !== "email" || !isMail(number)) {
          const one = call(key, number)
          inProgress.add(one)
          void one.finally(() => inProgress.delete(one))
        }
        next += interval
        await delay(Math.max(0, next - performance.now()))
      }
    }
    const mailing = async (key: string, address: SmtpAddress, caller: number) => {
      let client = await loggedIn(address, key)
      const from = "hello@load.example"
      let next = performance.now()
      for (let number = 0; next < until; number++) {
        const to = personOf(caller * 7919 + number)
        const began = performance.now()
        const answer = await sendMessage(
          client,
          to,
          `From: ${from}\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nIt works.`
        )
        record.add("smtp", answer.slice(0, 3), performance.now() - began)
        next += isShared ? (interval * 100) / smtpShare : interval
        if (!answer.startsWith("250")) {
          // Like a mail server, it does not try again before the rate window has ended.
          client.close()
          next = performance.now() + 60_000 - (Date.now() % 60_000)
        }
        await delay(Math.max(0, Math.min(next, until) - performance.now()))
        if (!answer.startsWith("250")) client = await loggedIn(address, key)
      }
      client.close()
    }

    console.log(`${runtime}: ${await residentMegabytes(server.pid)} MB before`)
    const stolen = makeStolen()
    await stolen()
    const watching = (async () => {
      for (let minute = 1; minute <= minutes; minute++) {
        await delay(60_000)
        const memory = await residentMegabytes(server.pid)
        const singles = record.singles().toSorted((a, b) => a - b)
        const taken = ((await stolen()) * 100).toFixed(0)
        console.log(
          `minute ${minute}: ${memory} MB, single calls p50 ${within(singles, 0.5).toFixed(1)} ms, p99 ${within(singles, 0.99).toFixed(1)} ms, ` +
            `waiting: ${(await depthOf(baseUrl)) || "nothing"}, the host kept ${taken} % of the processors`
        )
      }
    })()
    await Promise.all([
      ...issued.map(calling),
      ...issued.map((key, caller) => mailing(key, smtp[0]!, caller))
    ])
    await Promise.all(inProgress)
    calls.close()
    await watching
    for (const [kind, taken] of record.taken) print(kind, taken)
    const singles = [...record.taken].flatMap(([kind, { millis }]) =>
      kind === "batch" || kind === "smtp" ? [] : millis
    )
    print("single", { millis: singles, answers: new Map() })
    const ended = performance.now()
    let left = await depthOf(baseUrl)
    while (left !== "" && performance.now() < ended + 300_000) {
      await delay(500)
      left = await depthOf(baseUrl)
    }
    const seconds = ((performance.now() - ended) / 1000).toFixed(1)
    console.log(`after ${seconds} s waiting: ${left || "nothing"}; ${sink.count()} emails arrived`)
    console.log(`${await residentMegabytes(server.pid)} MB after`)
    if (server.err() !== "") console.log(server.err())
  } finally {
    server.signal("SIGKILL")
    await server.ended
    sink.stop()
    await folder.remove()
    await dns.stop()
    await database.remove()
  }
}

/**
 * Loads the service on Node for some minutes, and prints the results.
 *
 * @param isShared whether SMTP messages count towards a key's 600 a minute, instead of being sent in addition
 */
export const benchFullLoad = (minutes: number, isShared: boolean): Promise<void> =>
  run("node", minutes, isShared)
