/**
 * Tests lost jobs and lost leases over the public interfaces: waiting work continues, and no work is done twice.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import * as Memory from "../../adapters/memory/index.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import { LostJobs } from "../../core/app/LostJobs.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { type Job, JobQueue, type Queue } from "../../core/ports/JobQueue.ts"
import { makeVirtualClock } from "../../runtimes/embedded/VirtualClock.ts"
import { pause } from "../contract/fixtures.ts"
import { call, eventually } from "../support/client.ts"
import { emailStep, type FlowRun, flowsOf } from "../support/flows.ts"
import { mailOf } from "../support/mail.ts"
import type { EmailDetail, Page } from "../support/shapes.ts"
import { startEmbedded } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

const storages = { memory: () => Memory.layer, pglite: () => Postgres.layerEmbedded(null) }
const stores = ["memory", "pglite"] as const

interface Import {
  readonly id: string
  readonly status: string
  readonly rows: { readonly read: number; readonly created: number; readonly updated: number }
}

interface BulkJob {
  readonly id: string
  readonly state: string
  readonly done: number
}

/** Starts a service, with control over what its worker may claim. */
const open = async (store: (typeof stores)[number]) => {
  const storage = storages[store]()
  /** Queues from which nothing is claimed. */
  const blocked = new Set<Queue>()
  /** Queues whose next jobs are claimed by another worker after the service's worker has claimed them. */
  const overtaken = new Set<Queue>()
  const taken: Array<Job> = []
  let ports: Context.Context<StoragePorts>
  let stored: JobQueue["Service"]
  const watched = Layer.effect(
    JobQueue,
    Effect.map(
      Effect.tap(JobQueue, (queue) => Effect.sync(() => (stored = queue))),
      (queue) => ({
        ...queue,
        claim: (request: Parameters<typeof queue.claim>[0]) =>
          Effect.gen(function* () {
            if (blocked.has(request.queue)) return yield* Effect.as(pause(20), [])
            const claimed = yield* queue.claim(request)
            if (claimed.length > 0 && overtaken.delete(request.queue)) {
              const limit = claimed.length
              taken.push(...(yield* queue.claim({ ...request, limit, now: request.now + request.lease })))
            }
            return claimed
          })
      })
    )
  )
  const kept = Layer.effectDiscard(
    Effect.map(Effect.context<StoragePorts>(), (context) => {
      ports = context
    })
  )
  const target = await startEmbedded({
    store: {
      ports: Layer.orDie(
        kept.pipe(Layer.provideMerge(Layer.merge(storage, watched.pipe(Layer.provide(storage)))))
      )
    }
  })
  const { live, sandbox: account } = await openWorkspace(target, "Lost jobs")
  const run = <A, E>(effect: Effect.Effect<A, E, StoragePorts>) =>
    Effect.runPromise(Effect.provideContext(effect, ports))
  const recover = () => {
    const layer = LostJobs.layer.pipe(Layer.provide(Ids.layer), Layer.provide(crypto))
    const recovery = Effect.flatMap(LostJobs, (jobs) => jobs.recover)
    return run(
      Effect.provideService(Effect.provide(recovery, layer), Clock.Clock, makeVirtualClock(target.now()))
    )
  }
  /** Removes a pending job; fails if there is none. */
  const lose = async (queue: Queue, key: string, accountId = account.accountId) => {
    const found = await run(Effect.flatMap(JobQueue, (jobs) => jobs.cancel(accountId, queue, [key])))
    expect(found).toEqual([key])
  }
  /** Removes all due jobs of a queue. */
  const loseDue = async (queue: Queue) => {
    const lost = Effect.gen(function* () {
      const claimed = yield* stored.claim({ queue, limit: 100, lease: 60_000, now: target.now() })
      yield* stored.complete(claimed)
      return claimed.length
    })
    expect(await run(lost)).toBeGreaterThan(0)
  }
  const dueTimes = (accountId: string, queue: Queue, key: string) =>
    run(Effect.flatMap(JobQueue, (jobs) => jobs.dueTimes(accountId, [queue], [key])))
  const release = () => run(Effect.flatMap(JobQueue, (jobs) => jobs.release(taken.splice(0), target.now())))
  const importFile = async (people: number) => {
    const rows = Array.from({ length: people }, (_, index) => `p${index}@import.example\n`)
    const path = `/manage/v1/accounts/${account.accountId}/imports`
    const sent = { token: target.managementToken, body: `email\n${rows.join("")}` }
    const headers = { "content-type": "text/csv" }
    return (await call<Import>(target, "POST", path, { ...sent, headers })).value.id
  }
  const importOf = async (id: string) => (await account.manage<Import>("GET", `/imports/${id}`)).value
  const tagAll = async () => {
    const work = { filter: {}, action: { kind: "AddTag", tag: "vip" } }
    return (await account.manage<BulkJob>("POST", "/contacts/bulk", work)).value.id
  }
  const bulkJobOf = async (id: string) => (await account.manage<BulkJob>("GET", `/jobs/${id}`)).value
  const advance = target.advance!
  return {
    account,
    advance,
    blocked,
    bulkJobOf,
    dueTimes,
    importFile,
    importOf,
    live,
    lose,
    loseDue,
    overtaken,
    recover,
    release,
    tagAll,
    taken,
    target
  }
}

it.each(stores)(
  "what waits without a job continues within the hour, over %s",
  async (store) => {
    const service = await open(store)
    const { account, advance, blocked, bulkJobOf, importFile, importOf, live, lose, loseDue, recover } =
      service
    const { dueTimes, tagAll, target } = service
    const mail = mailOf(account)
    const inHours = (hours: number) => new Date(target.now() + hours * 3_600_000).toISOString()
    try {
      const sendAt = inHours(24)
      const lost = await mail.send("lost@b.example", { sendAt })
      const old = await mail.send("old@b.example", { sendAt: inHours(1) })
      const kept = await mail.send("kept@b.example", { sendAt: inHours(30) })
      const detail = async (id: string) =>
        (await account.manage<EmailDetail>("GET", `/emails/${id}`)).value.recipients[0]!
      expect(Date.parse((await detail(lost.id)).nextAttemptAt!)).toBe(Date.parse(sendAt))
      const flows = flowsOf(account)
      const flow = await flows.start("lost.joined", [
        { id: "wait", kind: "Wait", duration: "P1D" },
        emailStep("mail")
      ])
      await flows.report("lost.joined", { email: "runner@b.example" })
      const isWaiting = (run: FlowRun | undefined) =>
        run !== undefined && Date.parse(run.nextAt!) - Date.parse(run.startedAt) > 3_600_000
      const runId = (await flows.runsWhere(flow.id, ([run]) => isWaiting(run)))[0]!.id
      for (const { id } of [lost, old]) await lose("deliveries", id)
      expect((await detail(lost.id)).nextAttemptAt).toBeNull()
      await lose("runs", runId)
      await advance("5 days")
      await advance("2 hours")
      expect((await mail.read(lost.id)).status).toBe("Queued")
      expect((await flows.runIn(flow.id, "Active")).id).toBe(runId)
      expect((await mail.read(kept.id)).status).toBe("Delivered")

      for (const queue of ["domains", "events", "imports", "notifications"] as const) blocked.add(queue)
      const imported = await importFile(3)
      await lose("imports", `run:${imported}`)
      const tagged = await tagAll()
      await lose("imports", `bulk:${tagged}`)
      await flows.report("lost.joined", { email: "next@b.example" })
      await loseDue("events")
      const hook = { url: "http://127.0.0.1:9/hook", events: ["email.delivered"] }
      await account.manage("POST", "/webhooks", hook)
      const { id: reported } = await mail.send("reported@b.example")
      await mail.settled(reported, "Delivered")
      await loseDue("notifications")
      const notification = async () =>
        (await account.manage<Page<{ attempts: number }>>("GET", "/notifications")).value.items[0]!
      const domain = (await live.manage<{ id: string }>("POST", "/domains", { domain: "lost.example" })).value
      await lose("domains", `check:${domain.id}`, live.accountId)
      blocked.clear()
      await advance("2 hours")
      expect(await flows.runs(flow.id)).toHaveLength(1)
      expect((await notification()).attempts).toBe(0)
      expect([(await importOf(imported)).status, (await bulkJobOf(tagged)).state]).toEqual([
        "Queued",
        "Queued"
      ])

      await recover()
      await advance("1 minute")
      expect(await mail.settled(lost.id, "Delivered")).toMatchObject({ reason: null })
      expect(await mail.messagesOf(lost.id)).toHaveLength(1)
      expect(await mail.settled(old.id, "Failed")).toMatchObject({ reason: "sending.held_too_long" })
      expect(await mail.messagesOf(kept.id)).toHaveLength(1)
      const isOver = ({ id, status }: FlowRun) => id === runId && status === "Completed"
      await flows.runsWhere(flow.id, (runs) => runs.length === 2 && runs.some(isOver))
      expect((await eventually(notification, ({ attempts }) => attempts > 0)).attempts).toBeGreaterThan(0)
      expect((await dueTimes(live.accountId, "domains", `check:${domain.id}`)).size).toBe(1)
      const isDone = async () =>
        (await importOf(imported)).status === "Completed" && (await bulkJobOf(tagged)).state === "Done"
      expect(await eventually(isDone, (done) => done)).toBe(true)
      expect((await importOf(imported)).rows).toMatchObject({ read: 3, created: 3 })

      // The jobs that use segments continue too.
      blocked.add("campaigns")
      const definition = { join: "All", rules: [{ fieldKey: "email", operator: "IsSet" }] }
      const segment = await account.manage<{ id: string }>("POST", "/segments", { name: "All", definition })
      const trigger = { kind: "Segment", segmentId: segment.value.id, on: "Enter", includePresent: false }
      const entered = (await flows.create({ trigger, steps: [{ id: "end", kind: "Exit" }] })).value
      await flows.publish(entered.id)
      await flows.person({ consent: { basis: "Customer" } })
      await lose("campaigns", "segments")
      const content = { subject: "News", html: "<p>News</p>" }
      const made = { name: "News", content, audience: { segments: [segment.value.id] } }
      const { id } = (await account.manage<{ id: string }>("POST", "/campaigns", made)).value
      expect((await account.manage("POST", `/campaigns/${id}/launch`)).codes).toEqual([])
      await lose("campaigns", `campaign:${id}`)
      blocked.clear()
      await recover()
      await advance("5 minutes")
      const campaign = async () => (await account.manage<{ status: string }>("GET", `/campaigns/${id}`)).value
      expect((await eventually(campaign, ({ status }) => status === "Sent")).status).toBe("Sent")
      expect(await flows.runsWhere(entered.id, ({ length }) => length > 0)).toHaveLength(1)
      expect(await mail.messagesOf(lost.id)).toHaveLength(1)
    } finally {
      await target.stop()
    }
  },
  60_000
)

it.each(stores)(
  "a worker whose lease another has taken over writes nothing, over %s",
  async (store) => {
    const service = await open(store)
    const { account, advance, bulkJobOf, importFile, importOf, overtaken, release, tagAll, taken, target } =
      service
    try {
      overtaken.add("imports")
      const imported = await importFile(3)
      await eventually(
        async () => taken.length,
        (count) => count > 0
      )
      await advance("1 second")
      expect(await importOf(imported)).toMatchObject({ status: "Queued", rows: { read: 0 } })
      const people = async () =>
        (await account.manage<Page<object>>("GET", "/contacts?count=exact")).value.totalCount
      expect(await people()).toBe(0)
      await release()
      await advance("1 second")
      const done = await eventually(
        () => importOf(imported),
        ({ status }) => status === "Completed"
      )
      expect(done.rows).toMatchObject({ read: 3, created: 3, updated: 0 })

      overtaken.add("imports")
      const tagged = await tagAll()
      await eventually(
        async () => taken.length,
        (count) => count > 0
      )
      await advance("1 second")
      expect(await bulkJobOf(tagged)).toMatchObject({ state: "Queued", done: 0 })
      await release()
      await advance("1 second")
      expect(
        (
          await eventually(
            () => bulkJobOf(tagged),
            ({ state }) => state === "Done"
          )
        ).done
      ).toBe(3)

      overtaken.add("deliveries")
      const { id } = await mailOf(account).send("ada@b.example")
      await eventually(
        async () => taken.length,
        (count) => count > 0
      )
      await advance("1 second")
      expect(await mailOf(account).read(id)).toMatchObject({ status: "Queued", reason: null })
      await release()
      await advance("1 second")
      await mailOf(account).settled(id, "Delivered")
      expect(await mailOf(account).messagesOf(id)).toHaveLength(1)
    } finally {
      await target.stop()
    }
  },
  60_000
)
