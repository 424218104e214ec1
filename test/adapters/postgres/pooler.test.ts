/**
 * Tests the Postgres adapter behind a connection pooler that gives each transaction another session, and behind PgBouncer with
 * the settings that the documentation requires.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, Scope } from "effect"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { plannedSettings, startupParameters } from "../../../adapters/postgres/engine/Server.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { draftJob } from "../../contract/drafts.ts"
import { contactStoreContract, type StoragePorts, transactionContract } from "../../contract/index.ts"
import { type PgBouncer, pgbouncerMissing, startPgBouncer } from "../../support/pgbouncer.ts"
import { type Pooler, startPooler } from "../../support/pooler.ts"
import { execute, emptyDatabase } from "../../support/postgres.ts"

const page = readFileSync(new URL("../../../docs/self-hosting.md", import.meta.url), "utf8")
const [, documentedParameters = ""] = /^ignore_startup_parameters = (.*)$/m.exec(page) ?? []

const poolers: Array<Pooler> = []

afterAll(() => {
  for (const { stop } of poolers) stop()
})

/** A new database. The settings of the service's sessions are optionally set for the role. */
const databaseWith = async (hasSettings: boolean): Promise<string> => {
  const url = await emptyDatabase()
  const { pathname, username } = new URL(url)
  if (hasSettings) {
    await execute(
      url,
      ...Object.entries(plannedSettings).map(
        ([name, value]) => `alter role ${username} in database ${pathname.slice(1)} set ${name} = '${value}'`
      )
    )
  }
  return url
}

/** Starts a pooler in front of a new database. */
const pooled = async (hasSettings: boolean, ignored = Object.keys(startupParameters)) => {
  const url = await databaseWith(hasSettings)
  const pooler = await startPooler(url, ignored)
  poolers.push(pooler)
  return {
    pooler,
    direct: Redacted.make(url),
    through: Redacted.make(`${pooler.url}?prepared_statements=false`)
  }
}

const pooledLayer = (hasSettings: boolean): Layer.Layer<StoragePorts, unknown> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => pooled(hasSettings)),
      ({ direct, through }) => layerServer(through, undefined, true, direct)
    )
  )

layer(pooledLayer(true), { excludeTestServices: true })(
  "PostgreSQL behind a pooler in transaction mode",
  (suite) => {
    transactionContract(suite)
    contactStoreContract(suite)
  }
)

/** Starts two nodes with the connections of `connect`, and expects that a commit of one wakes the other. */
const wakesNodes = (
  title: string,
  connect: () => Promise<{ readonly direct: Redacted.Redacted | null; readonly through: Redacted.Redacted }>
) => {
  let nodes: ReadonlyArray<ManagedRuntime.ManagedRuntime<JobQueue, unknown>>
  beforeAll(async () => {
    const { direct, through } = await connect()
    nodes = [1, 2].map(() =>
      ManagedRuntime.make(
        Layer.fresh(layerServer(through, undefined, true, direct)) as Layer.Layer<JobQueue, unknown>
      )
    )
  })
  afterAll(() => Promise.all(nodes.map((node) => node.dispose())))

  it(
    title,
    async () => {
      const [node, other] = nodes
      const scope = Scope.makeUnsafe()
      const wakeups = Effect.flatMap(JobQueue, (queue) => queue.wakeups("deliveries"))
      const wait = await node!.runPromise(Effect.provideService(wakeups, Scope.Scope, scope))
      // Everything is woken once the connection listens.
      await node!.runPromise(wait)
      const woken = node!.runPromise(wait)
      await other!.runPromise(Effect.flatMap(JobQueue, (queue) => queue.enqueue([draftJob({ runAt: 0 })])))
      await woken
    },
    60_000
  )
}

describe("wake-ups behind a pooler in transaction mode", () => {
  wakesNodes("arrive by the direct connection", () => pooled(true))
})

describe.skipIf(pgbouncerMissing !== null)(
  `PgBouncer${pgbouncerMissing === null ? "" : ` (${pgbouncerMissing})`}`,
  () => {
    const started: Array<PgBouncer> = []
    afterAll(() => Promise.all(started.map(({ stop }) => stop())))

    const behind = async (mode: "session" | "transaction") => {
      const url = await databaseWith(true)
      const bouncer = await startPgBouncer(url, mode, documentedParameters)
      started.push(bouncer)
      return mode === "session"
        ? { direct: null, through: Redacted.make(bouncer.url) }
        : { direct: Redacted.make(url), through: Redacted.make(`${bouncer.url}?prepared_statements=false`) }
    }

    describe("in session mode", () => {
      wakesNodes("needs no direct connection", () => behind("session"))
    })

    describe("in transaction mode", () => {
      wakesNodes("passes wake-ups by", () => behind("transaction"))

      layer(
        Layer.unwrap(
          Effect.map(
            Effect.promise(() => behind("transaction")),
            ({ direct, through }) => layerServer(through, undefined, true, direct)
          )
        ),
        { excludeTestServices: true }
      )("with fewer sessions than connections", (suite) => {
        transactionContract(suite)
        contactStoreContract(suite)
      })
    })
  }
)

/** The log of a start. */
const logged = async (start: Layer.Layer<StoragePorts, unknown>): Promise<string> => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatLogFmt, (line) => {
    lines.push(line)
  })
  await Effect.runPromise(Effect.scoped(Layer.build(start)).pipe(Effect.provide(Logger.layer([logger]))))
  return lines.join("\n")
}

describe("a start behind a pooler", () => {
  it("warns of the settings that its sessions lack", async () => {
    expect(await logged(pooledLayer(true))).not.toContain("sessions lack settings")
    const line = await logged(pooledLayer(false))
    expect(line).toContain("sessions lack settings")
    for (const [name, value] of Object.entries(plannedSettings)) expect(line).toContain(`${name}=${value}`)
  })

  it("that refuses a startup parameter says what to do", async () => {
    const { through } = await pooled(false, [])
    const failure = await Effect.runPromise(
      Effect.flip(Effect.scoped(Layer.build(layerServer(through) as Layer.Layer<StoragePorts, unknown>)))
    )
    expect(String(failure)).toMatch(
      /is a connection pooler: unsupported startup parameter: .*ignore_startup_parameters/
    )
  })
})

describe("the documentation of poolers", () => {
  it("names each parameter to ignore and each setting of the role", () => {
    expect(documentedParameters.split(", ").toSorted()).toEqual(Object.keys(startupParameters).toSorted())
    const settings = [...page.matchAll(/^ALTER ROLE svc IN DATABASE svc SET (\w+) = '([^']+)';$/gm)]
    expect(Object.fromEntries(settings.map(([, name, value]) => [name, value]))).toEqual(plannedSettings)
  })
})
