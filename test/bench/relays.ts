/**
 * Measures how many provider reports are accepted per second, by HTTP in batches, over PostgreSQL: reports that change a
 * delivery, and the same ones repeated.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { startDnsServer } from "../support/dnsServer.ts"
import { startFakeProvider } from "../support/fakeProviders.ts"
import { openLive } from "../support/liveDomain.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, startServer } from "../support/serverProcess.ts"

const admin = "token-of-the-benchmark-0123456789abcdef"
/** The number of emails, each with one report. */
const amount = Number(process.env["BENCH_AMOUNT"] ?? 4_000)
const perBatch = 500
/** The number of concurrent calls. */
const callers = 2

/** Calls a function with each element of a list, `width` at a time. */
const inTurn = async <A>(list: ReadonlyArray<A>, width: number, call: (one: A) => Promise<void>) => {
  const rest = [...list]
  const work = async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await call(one)
  }
  await Promise.all(Array.from({ length: width }, work))
}

/** Measures and prints the results. */
export const benchRelays = async (): Promise<void> => {
  const database = await startPostgresServer()
  const dns = await startDnsServer()
  const folder = await freshFolder()
  const fake = await startFakeProvider("SparkPost")
  const server = startServer("node", folder.path, {
    SVC_STORE: database.url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_LOG_LEVEL: "error",
    SVC_DNS_SERVERS: dns.address
  })
  try {
    const { baseUrl } = await server.ready()
    const { accountId, apiKey } = await openLive(baseUrl, admin, dns, "relayed.example")
    const call = async (method: string, path: string, token: string, json: object) => {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(json)
      })
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
      return (
        (await response.json()) as { readonly value: { readonly id: string; readonly feedbackUrl: string } }
      ).value
    }
    const { feedbackUrl, id } = await call("POST", "/manage/v1/relays", admin, {
      name: "Relay",
      kind: "SparkPost",
      url: fake.url,
      shared: true,
      feedback: fake.feedback
    })
    const ways = [`relay:${id}`]
    await call("PATCH", `/manage/v1/accounts/${accountId}/settings`, admin, {
      delivery: { transactional: ways, marketing: ways }
    })
    const people = Array.from({ length: amount }, (_, index) => `person-${index}@example.org`)
    await inTurn(people, 32, async (to) => {
      await call("POST", "/api/v1/sending/emails", apiKey, { to, subject: "Hello", text: "It works." })
    })
    while (fake.sink.messages().length < amount) await delay(200)
    await delay(2_000)
    const entries = fake.sink.messages().map((message) => fake.report(message, "Delivered"))
    const batches = Array.from({ length: Math.ceil(amount / perBatch) }, (_, index) =>
      entries
        .slice(index * perBatch, (index + 1) * perBatch)
        .flatMap(({ body }) => JSON.parse(body) as ReadonlyArray<unknown>)
    )
    for (const what of ["the first time", "again"]) {
      const from = performance.now()
      await inTurn(batches, callers, async (batch) => {
        const response = await fetch(feedbackUrl, {
          method: "POST",
          headers: { "content-type": "application/json", ...entries[0]!.headers },
          body: JSON.stringify(batch)
        })
        if (response.status !== 200) throw new Error(`A batch was answered ${response.status}`)
      })
      const seconds = (performance.now() - from) / 1000
      console.log(
        `${`reports ${what}, batches of ${perBatch}`.padEnd(44)} ${(amount / seconds).toFixed(0).padStart(7)} /s`
      )
    }
  } finally {
    server.signal("SIGKILL")
    await server.ended
    await Promise.all([fake.sink.stop(), dns.stop()])
    await folder.remove()
    await database.remove()
  }
}
