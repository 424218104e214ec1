import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { type Job, JobQueue, type NewJob } from "../../../core/ports/JobQueue.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { startTcpProxy, type TcpProxy } from "../../support/tcpProxy.ts"
import { draftJob } from "../../contract/drafts.ts"
import { now } from "../../contract/fixtures.ts"

type Node = ManagedRuntime.ManagedRuntime<JobQueue, unknown>

const lease = 30_000

let proxy: TcpProxy
/** A node whose connections can be closed, and one that always stays connected. */
let node: Node
let other: Node

beforeAll(async () => {
  const url = new URL(await freshDatabase())
  const start = () => {
    const layer = Layer.fresh(layerServer(Redacted.make(url.href)))
    return ManagedRuntime.make(layer as Layer.Layer<JobQueue, unknown>)
  }
  other = start()
  await other.runPromise(Effect.void)
  proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  node = start()
  await node.runPromise(Effect.void)
})

afterAll(async () => {
  await Promise.all([node.dispose(), other.dispose()])
  await proxy.stop()
})

/** Retries, because the pool may still hold a connection that was cut while it was opened, which fails one statement. */
const on = <A, E>(where: Node, use: (queue: JobQueue["Service"]) => Effect.Effect<A, E>) =>
  where.runPromise(Effect.retry(Effect.flatMap(JobQueue, use), { times: 5 }))
const claim = (where: Node, at: number, limit = 10) =>
  on(where, (queue) => queue.claim({ queue: "deliveries", limit, lease, now: at }))
const add = (...jobs: ReadonlyArray<NewJob>) => on(other, (queue) => queue.enqueue(jobs))
const done = (where: Node, jobs: ReadonlyArray<Job>) => on(where, (queue) => queue.complete(jobs))
const nextDue = () =>
  on(other, (queue) => Effect.map(queue.nextDue(["deliveries"]), (times) => times.get("deliveries") ?? null))

/** Lets the node claim all jobs, and closes its connections after the commit but before the reply. */
const loseClaim = async (at: number) => {
  // Uses a connection that is already open.
  expect(await claim(node, at - 1)).toEqual([])
  proxy.treat({ delay: 0, mute: true })
  const claimed = node.runPromise(
    Effect.flip(
      Effect.flatMap(JobQueue, (queue) => queue.claim({ queue: "deliveries", limit: 10, lease, now: at }))
    )
  )
  await expect.poll(nextDue, { timeout: 30_000, interval: 5 }).toBe(at + lease)
  proxy.cut()
  proxy.treat({ delay: 0 })
  expect(await claimed).toMatchObject({ _tag: "Unavailable" })
}

describe("a claim whose reply is lost", () => {
  it("is released by the node that made it, as if never made", async () => {
    const jobs = [draftJob(), draftJob({ key: "a" }), draftJob({ key: "b" })]
    await add(...jobs)
    await loseClaim(now)
    expect(await claim(other, now + 1_000)).toEqual([])
    const again = await claim(node, now + 1_000)
    expect(again.map(({ attempts, id }) => [id, attempts]).toSorted()).toEqual(
      jobs.map(({ id }) => [id, 1]).toSorted()
    )
    await done(node, again)
    expect(await nextDue()).toBeNull()
  })

  it("leaves other claims alone: concurrent ones and those that took its jobs over", async () => {
    const [theirs, ours] = [draftJob(), draftJob()]
    await add(theirs)
    const held = await claim(other, now)
    await add(ours)
    await loseClaim(now)
    const again = await claim(node, now + 1_000)
    expect(again.map(({ id }) => id)).toEqual([ours.id])
    await done(other, held)
    await done(node, again)

    await add(draftJob())
    await loseClaim(now)
    const taken = await claim(other, now + lease)
    expect(taken).toHaveLength(1)
    expect(await claim(node, now + lease)).toEqual([])
    await done(other, taken)
  })
})
