/**
 * Measures how one account's load affects another. An account sends many large emails to many recipients each. Meanwhile another
 * account's single emails and small calls are measured, on PostgreSQL and on the embedded database. Also measures the memory of
 * the process, including after a restart.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { api, liftRateLimit } from "../support/calls.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { allPermissions } from "../support/workspace.ts"

const admin = "token-of-the-benchmark-of-neighbours"
const emails = Number(process.env["BENCH_EMAILS"] ?? 600)
const recipients = 50
/** The number of concurrent calls of the loading account. */
const callers = 8
/** How long the other account is measured after the last large email was accepted, in milliseconds. */
const after = Number(process.env["BENCH_MILLIS"] ?? 20_000)
const stores = ["postgres", "embedded"] as const

const paragraph = `<p>Read <a href="https://shop.example/offers/1">our offers</a>. ${"Lorem ipsum dolor sit amet. ".repeat(30)}</p>\n`
/** About 300 KB. */
const html = paragraph.repeat(Math.ceil(300_000 / paragraph.length)).slice(0, 300_000)

interface Account {
  readonly accountId: string
  readonly apiKey: string
}

/** Creates a sandbox that can send, without a rate limit. */
const openSandbox = async (baseUrl: string, name: string): Promise<Account> => {
  const manage = <Value>(path: string, sent?: unknown) =>
    api<Value>(baseUrl, admin, `/manage/v1${path}`, sent)
  const company = await manage<{ sandbox: { accountId: string } }>("/companies", { name })
  const { accountId } = company.value.sandbox
  await liftRateLimit(baseUrl, admin, accountId)
  await manage(`/accounts/${accountId}/domains`, { domain: `${name}.example` })
  await fetch(`${baseUrl}/manage/v1/accounts/${accountId}/settings`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    body: JSON.stringify({ defaultSender: { email: `hello@${name}.example`, name } })
  })
  const key = await manage<{ key: string }>(`/accounts/${accountId}/api-keys`, {
    name: "Bench",
    permissions: allPermissions,
    expiresInDays: null
  })
  return { accountId, apiKey: key.value.key }
}

/** A field of the process's status, in megabytes. */
const memoryOf = async (pid: number, field: "VmRSS" | "VmHWM"): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
}

const timed = async <A>(run: () => Promise<A>): Promise<readonly [value: A, millis: number]> => {
  const from = performance.now()
  return [await run(), performance.now() - from]
}

interface Probes {
  readonly accepted: Array<number>
  readonly delivered: Array<number>
  readonly small: Array<number>
}

/** Sends single emails and makes small calls until `isOver`. Returns their durations in milliseconds. */
const probe = async (baseUrl: string, { apiKey }: Account, isOver: () => boolean): Promise<Probes> => {
  const probes: Probes = { accepted: [], delivered: [], small: [] }
  const emailsOne = async () => {
    for (let index = 0; !isOver(); index++) {
      const from = performance.now()
      const sent = await api<{ id: string }>(baseUrl, apiKey, "/api/v1/sending/emails", {
        to: `neighbour-${index}@example.org`,
        subject: "Hello",
        html: "<p>It works.</p>"
      })
      probes.accepted.push(performance.now() - from)
      while (true) {
        const found = await api<{ status: string }>(
          baseUrl,
          apiKey,
          `/api/v1/sending/emails/${sent.value.id}`
        )
        if (found.value.status === "Delivered") break
        await delay(20)
      }
      probes.delivered.push(performance.now() - from)
      await delay(200)
    }
  }
  const smallCalls = async () => {
    while (!isOver()) {
      const [, millis] = await timed(() => api(baseUrl, apiKey, "/api/v1/contacts?pageSize=1"))
      probes.small.push(millis)
      await delay(20)
    }
  }
  await Promise.all([emailsOne(), smallCalls()])
  return probes
}

const figures = (values: ReadonlyArray<number>): string => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  const show = (value: number) => `${value.toFixed(0).padStart(6)} ms`
  return `p50 ${show(at(0.5))}   p99 ${show(at(0.99))}   worst ${show(at(1))}   of ${sorted.length}`
}

const print = (name: string, { accepted, delivered, small }: Probes): void => {
  console.log(`${`${name}: email accepted`.padEnd(44)} ${figures(accepted)}`)
  console.log(`${`${name}: email Delivered`.padEnd(44)} ${figures(delivered)}`)
  console.log(`${`${name}: small call`.padEnd(44)} ${figures(small)}`)
}

/** Sends the large emails. Returns how long that took, in milliseconds. */
const load = async (baseUrl: string, { apiKey }: Account): Promise<number> => {
  let next = 0
  const caller = async () => {
    while (next < emails) {
      const index = next++
      const answer = await api(baseUrl, apiKey, "/api/v1/sending/emails", {
        to: `to-${index}@example.org`,
        bcc: Array.from({ length: recipients - 1 }, (_, place) => `bcc-${place}-${index}@example.org`),
        subject: `Large ${index}`,
        html
      })
      if (answer.status >= 300) throw new Error(JSON.stringify(answer))
    }
  }
  const [, millis] = await timed(() => Promise.all(Array.from({ length: callers }, caller)))
  return millis
}

/** The number of the large emails' deliveries that are Delivered. */
const doneOf = async (baseUrl: string, { accountId }: Account): Promise<number> => {
  const found = await api<{ totalCount: number }>(
    baseUrl,
    admin,
    `/manage/v1/accounts/${accountId}/inbox?pageSize=1`
  )
  return found.value.totalCount
}

const run = async (runtime: Runtime, store: (typeof stores)[number]): Promise<void> => {
  const database = store === "postgres" ? await startPostgresServer() : null
  const folder = await freshFolder()
  const start = () =>
    startServer(runtime, folder.path, {
      SVC_STORE: database?.url ?? "embedded",
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SVC_LOG_LEVEL: "error",
      // The same as in deploy/.
      MALLOC_ARENA_MAX: "2",
      MALLOC_TRIM_THRESHOLD_: "131072",
      NODE_OPTIONS: "--max-old-space-size=640"
    })
  let server = start()
  try {
    let { baseUrl } = await server.ready()
    const loading = await openSandbox(baseUrl, "loading")
    const neighbour = await openSandbox(baseUrl, "neighbour")
    const idleUntil = performance.now() + 5_000
    await probe(baseUrl, neighbour, () => performance.now() > idleUntil - 4_000)
    print(`${store}, ${runtime}, idle`, await probe(baseUrl, neighbour, () => performance.now() > idleUntil))
    let isOver = false
    const probing = probe(baseUrl, neighbour, () => isOver)
    const accepting = await load(baseUrl, loading)
    await delay(after)
    isOver = true
    print(`${store}, ${runtime}, loaded`, await probing)
    const delivered = await doneOf(baseUrl, loading)
    const [resident, most] = [await memoryOf(server.pid, "VmRSS"), await memoryOf(server.pid, "VmHWM")]
    const stopping = performance.now()
    server.signal("SIGTERM")
    await server.ended
    const stopped = performance.now() - stopping
    server = start()
    ;({ baseUrl } = await server.ready())
    await delay(5_000)
    console.log(
      `${`${store}, ${runtime}`.padEnd(44)} ${emails} emails accepted in ${(accepting / 1000).toFixed(1)} s, ` +
        `${delivered} of ${emails * recipients} delivered in ${((accepting + after) / 1000).toFixed(1)} s, ` +
        `memory ${resident} MB, at most ${most} MB, ${await memoryOf(server.pid, "VmRSS")} MB after a restart ` +
        `(stopped in ${(stopped / 1000).toFixed(1)} s)`
    )
  } finally {
    server.signal("SIGKILL")
    await server.ended
    await folder.remove()
    await database?.remove()
  }
}

/** Measures and prints the results. */
export const benchNeighbours = async (): Promise<void> => {
  const asked = process.env["BENCH_STORE"]
  for (const store of stores) {
    if (asked === undefined || asked === store) await run("node", store)
  }
}
