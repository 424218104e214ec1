/**
 * Measures how one account's expensive reads affect another account's writes, on PostgreSQL: the 99th percentile of the writes
 * during 40 connections of reads, as a ratio of that without reads. BENCH_CONTACTS sets the number of contacts of the reading
 * account, BENCH_ROUNDS and BENCH_MILLIS the rounds and their duration.
 *
 * @module
 */
import { once } from "node:events"
import { setTimeout as delay } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { api } from "../support/calls.ts"
import { execute } from "../support/postgres.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, startServer } from "../support/serverProcess.ts"
import { openWorkspace, type TestAccount } from "../support/workspace.ts"
import { median, millis, rounds } from "./measure.ts"

const admin = "token-of-the-benchmark-0123456789"
const people = Number(process.env["BENCH_CONTACTS"] ?? 30_000)
const readers = 40
/** The interval between two writes, in milliseconds. */
const interval = 10

const rule = (fieldKey: string, operator: string, value: unknown = null) => ({ fieldKey, operator, value })

const names = ["bought", "visited", "searched", "rated", "shared"]

/** Forty segments of 14 rules each. No index answers them, and most rules are evaluated for each person. */
const definitions = Array.from({ length: 40 }, (_, index) => ({
  join: "Any",
  rules: [
    ...Array.from({ length: 6 }, (_value, place) => rule("email", "Contains", `${index}${place}@nowhere`)),
    ...names.map((name) => rule(`events.${name}`, "HappenedAtLeast", { count: 2 + index, days: 30 + index })),
    rule("tags", "HasAny", [`none${index}`]),
    rule("firstName", "EndsWith", `x${index}`),
    rule("totalSpent", "GreaterThan", 1_000 + index)
  ]
}))

const population = (accountId: string): ReadonlyArray<string> => [
  `insert into contacts (account_id, id, email, first_name, consent_status, marketing_declared, is_paying_customer,
    order_count, total_spent, from_orders, tags, attributes, topics, added_at, version)
  select '${accountId}', gen_random_uuid(), 'person' || n || '@example.com', 'First' || n % 500,
    'Subscribed', false, false, 0, 0, false, jsonb_build_array('tag' || n % 20), '{}', '{}',
    now() - n * interval '1 minute', 1
  from generate_series(1, ${people}) n`,
  `insert into contact_counts (account_id, contacts) values ('${accountId}', ${people})`,
  `insert into timeline (account_id, id, contact_id, name, occurred_at, properties, source)
  select account_id, gen_random_uuid(), id, name, now() - interval '10 days', '{}', 'Api'
  from contacts cross join unnest(array['${names.join("', '")}']) n(name)
  where account_id = '${accountId}'`,
  `vacuum (analyze) contacts`,
  `vacuum (analyze) timeline`
]

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!

/** The latencies of writes at a fixed rate, in milliseconds. A slow write does not delay the following ones. */
const write = async (
  baseUrl: string,
  account: TestAccount,
  serial: () => number
): Promise<ReadonlyArray<number>> => {
  const taken: Array<Promise<number>> = []
  const until = performance.now() + millis
  while (performance.now() < until) {
    const began = performance.now()
    taken.push(
      api(baseUrl, account.key, "/api/v1/contacts", {
        email: `someone${serial() % 500}@example.org`,
        city: String(began)
      }).then(({ status }) => {
        if (status !== 200 && status !== 201) throw new Error(`a write was answered ${status}`)
        return performance.now() - began
      })
    )
    await delay(interval)
  }
  return Promise.all(taken)
}

/** Reads over many connections in a separate thread until stopped, and counts the responses by status. */
const readerCode = `
  const { Agent, get } = require("node:http")
  const { parentPort, workerData } = require("node:worker_threads")
  const { baseUrl, key, paths, readers, flag } = workerData
  const agent = new Agent({ keepAlive: true })
  const statuses = {}
  let serial = 0
  const once = () => new Promise((resolve) => {
    const request = get(baseUrl + paths[serial++ % paths.length], { agent, headers: { authorization: "Bearer " + key } }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode))
    })
    request.on("error", () => resolve(0))
  })
  const reader = async () => {
    while (Atomics.load(flag, 0) === 0) {
      const status = await once()
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  Promise.all(Array.from({ length: readers }, reader)).then(() => { parentPort.postMessage(statuses); process.exit() })
`

const attack = (account: TestAccount, baseUrl: string, paths: ReadonlyArray<string>) => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(readerCode, {
    eval: true,
    workerData: { baseUrl, key: account.key, paths, readers, flag }
  })
  return async (): Promise<string> => {
    const statuses = once(worker, "message")
    Atomics.store(flag, 0, 1)
    const [counts] = (await statuses) as [Record<string, number>]
    return Object.entries(counts)
      .map(([status, count]) => `${count} of ${status}`)
      .join(", ")
  }
}

/** The duration of `GET /segments` right after a change and again, in milliseconds. */
const timeList = async (baseUrl: string, account: TestAccount, serial: () => number): Promise<string> => {
  const changed: Array<number> = []
  const again: Array<number> = []
  let status = 0
  for (let round = 0; round < rounds; round++) {
    await api(baseUrl, account.key, "/api/v1/contacts", { email: `changed${serial()}@example.org` })
    for (const taken of [changed, again]) {
      const began = performance.now()
      status = Math.max(status, (await api(baseUrl, account.key, "/api/v1/segments")).status)
      taken.push(performance.now() - began)
    }
  }
  return `${median(changed).toFixed(0)} ms after a change, ${median(again).toFixed(0)} ms again, status ${status}`
}

/** Measures, and prints the ratio for each kind of read. */
export const benchReads = async (): Promise<void> => {
  const postgres = await startPostgresServer()
  const folder = await freshFolder()
  const server = startServer("node", folder.path, {
    SVC_STORE: postgres.url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef"
  })
  try {
    const { baseUrl } = await server.ready()
    const target = {
      managementToken: admin,
      fetch: (path: string, init?: RequestInit) => fetch(baseUrl + path, init)
    }
    const reading = (await openWorkspace(target, "Readers")).sandbox
    const writing = (await openWorkspace(target, "Writers")).sandbox
    await execute(postgres.url, ...population(reading.accountId))
    for (const [index, definition] of definitions.entries()) {
      await reading.manage("POST", "/segments", { name: `Segment ${index}`, definition })
    }
    const segments = (await reading.api<ReadonlyArray<{ id: string }>>("GET", "/segments")).value
    let serial = 0
    const next = () => serial++
    const pages = segments.flatMap(({ id }) =>
      [1, 2, 7].map((page) => `/api/v1/contacts?segment=${id}&page=${page}&pageSize=50`)
    )
    const kinds: ReadonlyArray<readonly [name: string, paths: ReadonlyArray<string>, changes: boolean]> = [
      ["GET /segments", ["/api/v1/segments"], false],
      ["GET /segments, contacts changing", ["/api/v1/segments"], true],
      ["GET /contacts?segment=", pages, false],
      ["GET /contacts?segment=, changing", pages, true]
    ]
    console.log(`GET /segments: ${await timeList(baseUrl, reading, next)}`)
    await write(baseUrl, writing, next)
    for (const [name, paths, changes] of kinds) {
      const ratios: Array<number> = []
      let seen = ""
      for (let round = 0; round < rounds; round++) {
        const idle = percentile(await write(baseUrl, writing, next), 0.99)
        const stop = attack(reading, baseUrl, paths)
        const ended = new AbortController()
        const change = async () => {
          if (!changes) return
          while (!ended.signal.aborted) {
            await api(baseUrl, reading.key, "/api/v1/contacts", {
              email: `changing${next() % 50}@example.org`,
              city: String(next())
            })
            await delay(20)
          }
        }
        const changed = change()
        await delay(500)
        const beside = await write(baseUrl, writing, next)
        ended.abort()
        const answers = await stop()
        await changed
        const p99 = percentile(beside, 0.99)
        ratios.push(p99 / idle)
        seen = `last: ${idle.toFixed(1)} ms idle, ${p99.toFixed(1)} ms beside reads, at most ${Math.max(...beside).toFixed(1)} ms; reads: ${answers}`
      }
      console.log(
        `${name.padEnd(34)} ${median(ratios).toFixed(2)}  (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})  ${seen}`
      )
    }
  } finally {
    server.signal("SIGKILL")
    await server.ended
    await postgres.remove()
    await folder.remove()
  }
}
