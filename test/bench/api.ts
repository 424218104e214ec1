/**
 * Compares the API on Node and on Bun with bare handlers: for contacts, one that does a single upsert; for emails, one that
 * writes the same rows. Emails are delivered during the measurement, unless BENCH_ROLES=api. Also measures the cost of
 * authentication.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { ApiKeyStore } from "../../core/ports/ApiKeyStore.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { runLoad } from "./load.ts"
import { median, millis, ratio, rounds, type Taken, takenLine, taking } from "./measure.ts"

const connections = 64
const people = 20_000

/** Measures and prints the results. */
export const benchApi = async (): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const stops: Array<() => Promise<unknown>> = [folder.remove, database.remove]

  const startRaw = (runtime: Runtime): Promise<{ readonly url: URL; readonly pid: number }> =>
    new Promise((resolve, reject) => {
      const root = join(import.meta.dirname, "../..")
      const child = spawn(
        join(root, "node_modules/.bin", runtime),
        [join(import.meta.dirname, "rawServer.ts"), database.url],
        { stdio: ["ignore", "pipe", "inherit"] }
      )
      stops.unshift(async () => child.kill("SIGKILL"))
      child.once("error", reject)
      child.stdout.once("data", (text: Buffer) =>
        resolve({ url: new URL(text.toString().trim()), pid: child.pid ?? 0 })
      )
    })

  try {
    const admin = "token-of-the-benchmark-0123456789abcdef"
    const env = {
      SVC_STORE: database.url,
      SVC_ADMIN_TOKEN: admin,
      SVC_LOG_LEVEL: "error",
      SVC_ROLES: process.env["BENCH_ROLES"] ?? "api,worker"
    }
    const node = startServer("node", folder.path, env)
    const { baseUrl: nodeUrl, sandbox } = await node.ready()
    const bun = startServer("bun", folder.path, env)
    const { baseUrl: bunUrl } = await bun.ready()
    stops.unshift(async () => {
      for (const server of [node, bun]) server.signal("SIGKILL")
      await Promise.all([node.ended, bun.ended])
    })
    const { accountId, apiKey } = sandbox!
    await fetch(`${nodeUrl}/manage/v1/accounts/${accountId}/settings`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
    })

    /** The number of loads so far. A contact gets another name in each load, because an unchanged contact is not written. */
    let loads = 0
    const person = (index: number) =>
      JSON.stringify({ email: `person-${index % people}@example.org`, firstName: `Ada ${loads} ${index}` })
    const mail = (index: number) =>
      JSON.stringify({
        to: `person-${index}@example.org`,
        subject: `Hello ${index}`,
        html: "<p>It works.</p>"
      })
    const databasePid = await database.pid()
    const load = (pid: number, url: URL, body: (index: number) => string) => () => {
      loads++
      return taking(pid, databasePid, () =>
        runLoad({ url, headers: { authorization: `Bearer ${apiKey}` }, body, connections, millis })
      )
    }

    const rawNode = await startRaw("node")
    const rawBun = await startRaw("bun")
    const contacts = "/api/v1/contacts"
    const emails = "/api/v1/sending/emails"
    const targets = {
      rawNode: load(rawNode.pid, rawNode.url, person),
      node: load(node.pid, new URL(contacts, nodeUrl), person),
      rawBun: load(rawBun.pid, rawBun.url, person),
      bun: load(bun.pid, new URL(contacts, bunUrl), person),
      rawMailNode: load(rawNode.pid, new URL(emails, rawNode.url), mail),
      mailNode: load(node.pid, new URL(emails, nodeUrl), mail),
      rawMailBun: load(rawBun.pid, new URL(emails, rawBun.url), mail),
      mailBun: load(bun.pid, new URL(emails, bunUrl), mail)
    }
    type Name = keyof typeof targets
    const names = Object.keys(targets) as ReadonlyArray<Name>
    for (const name of names) await targets[name]()
    const results = Object.fromEntries(names.map((name) => [name, [] as Array<Taken>])) as Record<
      Name,
      Array<Taken>
    >
    for (let round = 0; round < rounds; round++) {
      for (const name of names) results[name].push(await targets[name]())
    }

    console.log(`${connections} connections, ${rounds} rounds of ${millis} ms, medians\n`)
    takenLine("raw node:http, one upsert", results.rawNode)
    takenLine("POST /contacts on Node", results.node)
    takenLine("raw Bun.serve, one upsert", results.rawBun)
    takenLine("POST /contacts on Bun", results.bun)
    takenLine("raw node:http, rows of an email", results.rawMailNode)
    takenLine("POST /sending/emails on Node", results.mailNode)
    takenLine("raw Bun.serve, rows of an email", results.rawMailBun)
    takenLine("POST /sending/emails on Bun", results.mailBun)
    console.log("")
    ratio("POST /contacts on Node / raw node:http", results.node, results.rawNode)
    ratio("POST /contacts on Bun / raw Bun.serve", results.bun, results.rawBun)
    ratio("POST /sending/emails on Node / raw node:http", results.mailNode, results.rawMailNode)
    ratio("POST /sending/emails on Bun / raw Bun.serve", results.mailBun, results.rawMailBun)

    console.log("\nKey look-up and rate count, one statement")
    const admission = Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const sql = yield* PgClient.PgClient
      const request = {
        hash: createHash("sha256").update(apiKey).digest("hex"),
        permission: "contacts:write",
        window: "api"
      } as const
      const time = Effect.fnUntraced(function* <E>(statement: Effect.Effect<unknown, E>) {
        const times: Array<number> = []
        for (let index = 0; index < 1000; index++) {
          const from = performance.now()
          yield* statement
          times.push(performance.now() - from)
        }
        return median(times)
      })
      const trivial = yield* time(sql`select 1`)
      for (const calls of [1, 32]) {
        const took = yield* time(
          keys.authenticate(
            Array.from({ length: calls }, () => request),
            Date.now()
          )
        )
        console.log(
          `${`${calls} calls`.padEnd(44)} ${took.toFixed(3)} ms; select 1 takes ${trivial.toFixed(3)} ms (${(took / trivial).toFixed(1)} times)`
        )
      }
    })
    const url = Redacted.make(database.url)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const context = yield* Layer.build(
            Layer.merge(layerServer(url), PgClient.layer({ url, multiplex: true }))
          )
          yield* Effect.provideContext(admission, context)
        })
      )
    )
  } finally {
    for (const stop of stops) await stop()
  }
}
