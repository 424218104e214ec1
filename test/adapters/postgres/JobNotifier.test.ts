import { Effect, Layer, ManagedRuntime, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { execute, freshDatabase } from "../../support/postgres.ts"
import { draftJob } from "../../contract/drafts.ts"

let url: string
let node: ManagedRuntime.ManagedRuntime<JobQueue, unknown>
let other: ManagedRuntime.ManagedRuntime<JobQueue, unknown>

beforeAll(async () => {
  url = await freshDatabase()
  const start = () => {
    const layer = Layer.fresh(layerServer(Redacted.make(url)))
    return ManagedRuntime.make(layer as Layer.Layer<JobQueue, unknown>)
  }
  node = start()
  other = start()
})

afterAll(() => Promise.all([node.dispose(), other.dispose()]))

/** The time between another node's commit and the wake-up of a worker here, in milliseconds. */
const wakeUp = async (between: () => Promise<void>): Promise<number> => {
  const scope = Scope.makeUnsafe()
  const wait = await node.runPromise(
    Effect.provideService(
      Effect.flatMap(JobQueue, (queue) => queue.wakeups("deliveries")),
      Scope.Scope,
      scope
    )
  )
  await between()
  const woken = node.runPromise(wait).then(() => performance.now())
  const committed = performance.now()
  await other.runPromise(Effect.flatMap(JobQueue, (queue) => queue.enqueue([draftJob({ runAt: 0 })])))
  return (await woken) - committed
}

describe("wake-ups between nodes", () => {
  it("arrive within 50 ms of the commit", async () => {
    await wakeUp(async () => {})
    const waits: Array<number> = []
    for (let round = 0; round < 20; round++) waits.push(await wakeUp(async () => {}))
    expect(Math.min(...waits)).toBeLessThan(50)
  })

  it("arrive again after the connection that listens was lost", async () => {
    const wait = await wakeUp(async () => {
      await execute(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and query ilike 'listen%'"
      )
    })
    expect(wait).toBeLessThan(10_000)
    expect(await wakeUp(async () => {})).toBeLessThan(10_000)
  })
})
