/**
 * Measures flows on a PostgreSQL server.
 *
 * - Waiting runs: claiming due runs, stopping runs by their contacts, and starting new ones, with 1,000 and with 1,000,000
 *   waiting runs (BENCH_RUNS), and the ratio of the two.
 * - From POST /events to the inbox: the time until the first email of a run started by an event has been sent, at 100 and
 *   1,000 events per second, on Node and Bun, with one process in every role. BENCH_PART=sleeping or arriving measures only
 *   one part; BENCH_RUNTIMES and BENCH_RATES select the runtimes and rates.
 *
 * @module
 */
import { ContactEventListener } from "../../core/audience/timeline/ContactEvents.ts"
import { setTimeout as delay } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as LocalCrypto from "../../adapters/crypto/Crypto.ts"
import { layerServer } from "../../adapters/postgres/index.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import type { ContactEvent } from "../../core/model/Event.ts"
import { FlowDispatcher } from "../../core/automation/runs/FlowDispatcher.ts"
import type { FlowDefinition } from "../../core/model/FlowDefinition.ts"
import { FlowStore } from "../../core/ports/FlowStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { median } from "./measure.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"
const flowId = "0190a5d0-0000-7000-8000-000000000002"
const now = Date.UTC(2031, 4, 6, 7, 8, 9)
const batch = 100
/** Few enough that some of the 1,000 runs are left. */
const stops = 20
const warmUp = 3
const samples = Number(process.env["BENCH_SAMPLES"] ?? 30)

const definition: FlowDefinition = {
  trigger: { kind: "Event", name: "user.signed_up", filter: null },
  stopEvents: [{ name: "order.paid", filter: null }],
  steps: [{ id: "w", kind: "Wait", duration: "P30D" }]
}

/** SQL for the id of the n-th contact, run or job. */
const idSql = (kind: string) => `('0190a5d0-${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

const idOf = (kind: string, n: number): string =>
  `0190a5d0-${kind}-7000-8000-${n.toString(16).padStart(12, "0")}`

/** Statements that insert runs from number `from` on, which wait until the distant future. */
const sleepers = (from: number, to: number): ReadonlyArray<string> => [
  `insert into flow_runs (account_id, id, flow_id, version, contact_id, status, step_id, is_waiting, due_at, event,
    pending, log, started_at)
  select '${accountId}', ${idSql("0001")}, '${flowId}', 1, ${idSql("0000")}, 'Active', 'w', true, '2031-08-01Z',
    '{"name": "user.signed_up", "occurredAt": 0, "properties": {"plan": "pro"}}', '[]', '[]', '2031-05-01Z'
  from generate_series(${from}, ${to}) n`,
  `insert into jobs (account_id, queue, id, key, run_at, due_at, leased, attempts, payload)
  select '${accountId}', 'runs', ${idSql("0002")}, ${idSql("0001")}::text, '2031-08-01Z', '2031-08-01Z', false, 0,
    jsonb_build_object('runId', ${idSql("0001")}) from generate_series(${from}, ${to}) n`,
  `vacuum (analyze) flow_runs`,
  `vacuum (analyze) jobs`,
  // Writes new rows to disk, so that this does not disturb the measurement.
  `checkpoint`
]

const contactEvent = (n: number, name: string): ContactEvent => ({
  accountId,
  contactId: idOf("0000", n),
  id: idOf("0003", n),
  name,
  properties: { plan: "pro" },
  occurredAt: now,
  source: "Api"
})

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.andThen(
      Effect.sync(() => performance.now()),
      (from) => Effect.map(effect, () => performance.now() - from)
    ),
    (millis) => millis
  )

/** The measured operations, each done in batches of `batch`. */
const measured = ["start", "claim", "stop"] as const

/** The samples in milliseconds. */
type Samples = Readonly<Record<(typeof measured)[number], Array<number>>>

/** A database with the given number of waiting runs, and a function that takes one sample of each operation. */
const sleeping = Effect.fnUntraced(function* (count: number) {
  const sql = yield* PgClient.PgClient
  const flows = yield* FlowStore
  const listener = yield* ContactEventListener
  const queue = yield* JobQueue
  const transaction = yield* Transaction
  yield* flows.insert({
    id: flowId,
    accountId,
    name: "Bench",
    status: "Published",
    version: 1,
    definition,
    startsOn: "user.signed_up",
    segmentId: null,
    tokenHash: null,
    createdAt: now,
    updatedAt: now,
    updatedBy: null
  })
  yield* flows.publish({ accountId, flowId, version: 1, definition, publishedAt: now })
  for (const statement of sleepers(1, count)) yield* sql.unsafe(statement)
  const taken: Samples = { start: [], claim: [], stop: [] }
  let fresh = 100_000_000
  let next = 1

  const sample = Effect.gen(function* () {
    const people = Array.from({ length: batch }, () => fresh++)
    const start = yield* timed(
      transaction.run(listener.dispatch(people.map((n) => contactEvent(n, "user.signed_up"))))
    )
    const claim = yield* timed(
      Effect.flatMap(queue.claim({ queue: "runs", limit: batch, lease: 60_000, now: Date.now() }), (jobs) => {
        if (jobs.length !== batch) return Effect.die(new Error(`${jobs.length} claimed`))
        return queue.complete(jobs)
      })
    )
    const stopped = Array.from({ length: stops }, () => next++)
    const stop = yield* timed(
      transaction.run(listener.dispatch(stopped.map((n) => contactEvent(n, "order.paid"))))
    )
    // Removes the started runs, so that the number of waiting runs does not change.
    yield* sql.unsafe(`delete from flow_runs where account_id = $1 and contact_id = any($2::uuid[])`, [
      accountId,
      people.map((n) => idOf("0000", n))
    ])
    taken.start.push(start)
    taken.claim.push(claim)
    taken.stop.push(stop)
  })
  return { sample, taken }
})

const storeOf = (url: Redacted.Redacted) =>
  ManagedRuntime.make(
    FlowDispatcher.layer.pipe(
      Layer.provideMerge(Ids.layer.pipe(Layer.provideMerge(LocalCrypto.layer))),
      Layer.provideMerge(layerServer(url)),
      Layer.provideMerge(
        PgClient.layer({ url, maxConnections: 1, startupParameters: { ...sessionSettings } })
      )
    )
  )

/** Takes samples of both databases alternately, so that other load affects both equally. */
const benchSleeping = async (): Promise<void> => {
  const count = Number(process.env["BENCH_RUNS"] ?? 1_000_000)
  const servers = [await startPostgresServer(), await startPostgresServer()] as const
  const [few, many] = [storeOf(Redacted.make(servers[0].url)), storeOf(Redacted.make(servers[1].url))]
  try {
    const little = await few.runPromise(sleeping(1000))
    const much = await many.runPromise(sleeping(count))
    for (let index = 0; index < samples + warmUp; index++) {
      await few.runPromise(little.sample)
      await many.runPromise(much.sample)
    }
    console.log(`medians of ${samples}, with 1,000 and with ${count.toLocaleString("en")} runs asleep\n`)
    for (const what of measured) {
      const [one, other] = [median(little.taken[what].slice(warmUp)), median(much.taken[what].slice(warmUp))]
      const size = what === "stop" ? stops : batch
      console.log(
        `${what} of ${size}: ${one.toFixed(2)} and ${other.toFixed(2)} ms, ${(other / one).toFixed(2)} times as long`
      )
    }
  } finally {
    await Promise.all([few.dispose(), many.dispose()])
    for (const server of servers) await server.remove()
  }
}

const admin = "token-of-the-benchmark-0123456789abcdef"

/** How long a rate is kept up, in milliseconds. */
const keptUp = Number(process.env["BENCH_MILLIS"] ?? 5000)

/** The latency of an event, in total and for each part, in milliseconds. */
interface Way {
  readonly took: number
  readonly started: number
  readonly queued: number
  readonly left: number
}

const benchLatency = async (name: Runtime, perSecond: number): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(database.url) }))
  const server = startServer(name, folder.path, {
    SVC_ADMIN_TOKEN: admin,
    SVC_LOG_LEVEL: "error",
    SVC_STORE: database.url,
    SVC_ROLES: "api,worker"
  })
  try {
    const { baseUrl, sandbox } = await server.ready()
    const { accountId: account, apiKey } = sandbox!
    const manage = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${baseUrl}/manage/v1/accounts/${account}${path}`, {
        method,
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const { value } = (await response.json()) as { value: { id: string } }
      return value
    }
    await manage("PATCH", "/settings", { rateLimitPerMinute: 1_000_000 })
    const { id } = await manage("POST", "/flows", {
      name: "Bench",
      trigger: { kind: "Event", name: "user.signed_up" },
      steps: [
        {
          id: "m",
          kind: "SendEmail",
          purpose: "Transactional",
          subject: "Hello {{ event.plan }}",
          html: "<p>Hello {{ contact.firstName }}</p>"
        }
      ]
    })
    await manage("POST", `/flows/${id}/publish`)
    let serial = 0
    /** Reports events at the rate, each about another person, in at least ten calls per second. */
    const report = async (millis: number) => {
      const perTick = Math.max(1, Math.round(perSecond / 50))
      const ticks = Math.round((millis / 1000) * (perSecond / perTick))
      const from = performance.now()
      const calls: Array<Promise<unknown>> = []
      for (let tick = 0; tick < ticks; tick++) {
        await delay(Math.max(0, from + (tick * 1000 * perTick) / perSecond - performance.now()))
        const events = Array.from({ length: perTick }, () => ({
          id: `event-${serial}`,
          name: "user.signed_up",
          occurredAt: new Date().toISOString(),
          contact: { email: `person-${serial++}@example.org`, firstName: "Ada" },
          properties: { plan: "pro" }
        }))
        calls.push(
          fetch(`${baseUrl}/api/v1/events`, {
            method: "POST",
            headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
            body: JSON.stringify({ events })
          }).then((answer) => answer.arrayBuffer())
        )
      }
      await Promise.all(calls)
    }
    const arrived = async () => {
      const [row] = await runtime.runPromise(
        Effect.flatMap(PgClient.PgClient, (sql) =>
          sql.unsafe<{ n: number }>("select count(*)::int as n from inbox_messages")
        )
      )
      return row!.n
    }
    const settled = async () => {
      const until = performance.now() + 120_000
      while ((await arrived()) < serial && performance.now() < until) await delay(100)
    }
    await report(2000)
    await settled()
    const warm = serial
    await report(keptUp)
    const reported = performance.now()
    await settled()
    const lag = performance.now() - reported
    const rows = await runtime.runPromise(
      Effect.flatMap(PgClient.PgClient, (sql) =>
        sql.unsafe<Way>(
          `select (extract(epoch from r.started_at - t.occurred_at) * 1000)::float8 as started,
            (extract(epoch from s.created_at - r.started_at) * 1000)::float8 as queued,
            (extract(epoch from m.received_at - s.created_at) * 1000)::float8 as left,
            (extract(epoch from m.received_at - t.occurred_at) * 1000)::float8 as took
          from inbox_messages m
          join submissions s on s.account_id = m.account_id and s.id = m.submission_id
          join flow_runs r on r.account_id = s.account_id and r.id = s.run_id
          join timeline t on t.account_id = r.account_id and t.contact_id = r.contact_id
          where substr(split_part(m.recipient, '@', 1), 8)::int >= ${warm}`
        )
      )
    )
    const at = (part: keyof Way, share: number) => {
      const sorted = rows.map((row) => row[part]).toSorted((a, b) => a - b)
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(0)
    }
    console.log(
      `${name}, ${perSecond} events/s: ${rows.length} of ${serial - warm} arrived; p50 ${at("took", 0.5)} ms ` +
        `(${at("started", 0.5)} to its run, ${at("queued", 0.5)} to its email, ${at("left", 0.5)} to leave), ` +
        `p99 ${at("took", 0.99)} ms; all ${(lag / 1000).toFixed(1)} s after the last event`
    )
  } finally {
    server.signal("SIGKILL")
    await server.ended
    await runtime.dispose()
    await folder.remove()
    await database.remove()
  }
}

const list = (name: string, otherwise: string): ReadonlyArray<string> =>
  (process.env[name] ?? otherwise).split(",")

/** Measures and prints the results. */
export const benchFlows = async (): Promise<void> => {
  const parts = list("BENCH_PART", "sleeping,arriving")
  if (parts.includes("sleeping")) await benchSleeping()
  if (!parts.includes("arriving")) return
  for (const name of list("BENCH_RUNTIMES", "node,bun") as ReadonlyArray<Runtime>) {
    for (const perSecond of list("BENCH_RATES", "100,1000")) await benchLatency(name, Number(perSecond))
  }
}
