/**
 * Tests campaigns of a process that dies after each of its commits, and between them: the next process on the same data sends to
 * everyone once, and completes the campaigns.
 *
 * The process only dies within the test's own process: from then on, none of its calls of a port has an effect, and its open
 * transactions are rolled back.
 *
 * @module
 */
import { Context, Effect, Latch, Layer, Redacted, Scope } from "effect"
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import { DnsMissing } from "../../core/ports/Dns.ts"
import type { Job } from "../../core/ports/JobQueue.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { makeZone } from "../../runtimes/embedded/Zone.ts"
import { type Campaigns, openCampaigns, type SentCampaign, startCampaigns } from "../support/campaigns.ts"
import { call, eventually } from "../support/client.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Page } from "../support/shapes.ts"

const people = 3
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0"
const secretKey = "0123456789abcdef0123456789abcdef"
/** The address from which emails are sent. */
const address = "192.0.2.7"
/** Enough people that a campaign is divided among workers. */
const many = 510
/** The longest lease of a dead process's jobs, in milliseconds. */
const leases = 300_000

/** A campaign with a test. */
interface Tested extends SentCampaign {
  readonly winner: string | null
}

/** A call of a port that returned a value. */
interface Call {
  /** The port and its method. A transaction is recorded once it has committed. */
  readonly name: string
  readonly given: unknown
  readonly value: unknown
  /** What was recorded of the transaction to which the call belongs; null if it committed by itself. */
  readonly noted: Set<string> | null
}

const Noted = Context.Reference<Set<string> | null>("test/Noted", { defaultValue: () => null })

/** Whether a call may have committed by itself, or has written a part of what its transaction commits. */
const isPoint = ({ name, value }: Call): boolean =>
  name === "Transaction.run" ||
  name === "SubmissionStore.commit" ||
  name === "SubmissionStore.insert" ||
  name === "JobQueue.complete" ||
  (name === "JobQueue.claim" && Array.isArray(value) && value.length > 0)

/** The calls that write a campaign, in addition to those about its jobs. */
const writes = new Set([
  "CampaignStore.decide",
  "CampaignStore.release",
  "CampaignStore.save",
  "CampaignStore.saveProgress",
  "SegmentStore.addRecipients",
  "SendQuota.hold",
  "SubmissionStore.insert"
])

/**
 * How a call is recorded. Calls about jobs include whether they concern a part or the whole of a campaign. Null if the call
 * concerns neither.
 */
const noteOf = ({ given, name, value }: Call): string | null => {
  if (!name.startsWith("JobQueue.")) return writes.has(name) ? name : null
  const jobs = name === "JobQueue.claim" ? value : given
  const found = (Array.isArray(jobs) ? jobs : []).filter((job: Job) => job.queue === "campaigns")
  if (found.length === 0) return null
  return `${name} ${found.some((job: Job) => /"part"/.test(JSON.stringify(job.payload))) ? "part" : "whole"}`
}

/**
 * Like `isPoint`, but only for writes of campaigns: each such call, and each commit, once for each set of calls that its
 * transaction has made so far. `died` collects these points.
 */
const makeNewPoint = () => {
  const died = new Set<string>()
  const isAt = (called: Call): boolean => {
    const { name, noted } = called
    const isCommit = name === "Transaction.run"
    const note = isCommit ? null : noteOf(called)
    if (note !== null) noted?.add(note)
    // A held claim has only been locked.
    if (note === null ? !isCommit || noted?.size === 0 : name === "JobQueue.hold") return false
    const point = `${note ?? "commit"}: ${[...(noted ?? [])].toSorted().join(", ")}`
    if (died.has(point)) return false
    died.add(point)
    return true
  }
  return { isAt, died }
}

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** The ports of a process that can die. It processes no job before `dieAfter` is called. */
const makeMortal = (storage: Context.Context<never>, isAt: (called: Call) => boolean) => {
  let left = Number.POSITIVE_INFINITY
  const started = Latch.makeUnsafe(false)
  const guard = (name: string, effect: AnyEffect, given: unknown, noted: Set<string> | null) =>
    Effect.suspend(() =>
      left <= 0
        ? Effect.die(new Error("dead"))
        : Effect.tap(effect, (value) =>
            left < Infinity && isAt({ name, given, value, noted }) && --left <= 0
              ? Effect.die(new Error("dies here"))
              : Effect.void
          )
    )
  const guardCall = (
    name: string,
    method: (...given: ReadonlyArray<unknown>) => unknown,
    given: ReadonlyArray<unknown>
  ) => {
    if (name !== "Transaction.run") {
      const result = method(...given)
      if (!Effect.isEffect(result)) return result
      const effect = name === "JobQueue.claim" ? Effect.andThen(started.await, result as AnyEffect) : result
      return Effect.withFiber((fiber) => guard(name, effect as AnyEffect, given[0], fiber.getRef(Noted)))
    }
    return Effect.withFiber((fiber) => {
      // A transaction within another one joins it.
      if (fiber.getRef(Noted) !== null) return method(...given) as AnyEffect
      const noted = new Set<string>()
      const within = Effect.provideService(given[0] as AnyEffect, Noted, noted)
      return guard(name, method(within) as AnyEffect, null, noted)
    })
  }
  const wrap = (port: string, service: object): object =>
    new Proxy(service, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        const name = `${port}.${String(key)}`
        if (typeof value === "function") {
          const method = (...given: ReadonlyArray<unknown>): unknown => Reflect.apply(value, target, given)
          return (...given: ReadonlyArray<unknown>) => guardCall(name, method, given)
        }
        return Effect.isEffect(value) ? guardCall(name, () => value, []) : value
      }
    })
  const prefix = "svc/ports/"
  const ports = Context.makeUnsafe<StoragePorts>(
    new Map(
      [...storage.mapUnsafe].map(([key, service]: [string, unknown]) => [
        key,
        key.startsWith(prefix) && typeof service === "object" && service !== null
          ? wrap(key.slice(prefix.length), service)
          : service
      ])
    )
  )
  return {
    ports: Layer.succeedContext(ports),
    /** Makes it die at one of the next points; 0 means now. */
    dieAfter: (points: number) => {
      left = points
      started.openUnsafe()
    },
    isDead: () => left <= 0
  }
}

const layers: Readonly<Record<string, () => Promise<Layer.Layer<StoragePorts, unknown>>>> = {
  memory: async () => Memory.layer,
  PGlite: async () => Postgres.layerEmbedded(null),
  PostgreSQL: async () => Postgres.layerServer(Redacted.make(await freshDatabase()), "store.url", false)
}

/** A service on its own data that dies and is started again. */
const openLives = async (
  makeLayer: () => Promise<Layer.Layer<StoragePorts, unknown>>,
  isAt: (called: Call) => boolean = isPoint
) => {
  const scope = Scope.makeUnsafe()
  const storage = await Effect.runPromise(
    Layer.build(Layer.fresh(await makeLayer())).pipe(Effect.provideService(Scope.Scope, scope))
  )
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const zone = makeZone({
    txt: missing,
    mx: missing,
    addresses: (name) => (name === "svc.test" ? Effect.succeed([address]) : missing(name))
  })
  /** Publishes the records of the domain for all lives, because only the first one verifies it. */
  const publish = async ({ service }: Campaigns) =>
    zone.publish((await service.publish("own.example")).records)
  const live = async (start: typeof openCampaigns, startAt: number) => {
    const mortal = makeMortal(storage, isAt)
    const options = { store: { ports: mortal.ports }, secretKey, startAt, dns: zone.dns }
    return { mortal, ...(await start(options)) }
  }
  const first = await live(startCampaigns, Date.UTC(2031, 2, 3))
  await publish(first)
  first.mortal.dieAfter(Infinity)
  return {
    first,
    publish,
    /** Starts the next life, which dies after the given number of points. */
    open: async (startAt: number, points = Infinity) => {
      const life = await live(openCampaigns, startAt)
      life.mortal.dieAfter(points)
      return life
    }
  }
}

/**
 * Waits until a service has done something, and returns the result. Null once the service is dead, because it may then never
 * finish.
 */
const orDead = async <Value>({ isDead }: ReturnType<typeof makeMortal>, doing: Promise<Value>) => {
  const done: Array<Value> = []
  const waiting = doing.then(
    (value) => {
      done.push(value)
    },
    (error: unknown) => {
      if (!isDead()) throw error
    }
  )
  while (done.length === 0 && !isDead()) await Promise.race([waiting, delay(5)])
  return isDead() ? null : done[0]!
}

it.each(Object.entries(layers))(
  "campaigns of a process that dies at a commit reach everyone once, over %s",
  async (_store, makeLayer) => {
    const { first, open } = await openLives(makeLayer)
    let life = first
    const { segment } = await life.addPeople("people", people)
    let points = 0
    for (let isWhole = false; !isWhole;) {
      points++
      const name = `Point ${points}`
      const { id } = await life.draft(name, segment)
      await life.service.settle()
      life.mortal.dieAfter(points)
      await life
        .campaign(id)
        .act("launch")
        .catch(() => null)
      await orDead(life.mortal, life.service.settle())
      isWhole = !life.mortal.isDead()
      const { left } = life.transport
      void life.service.close().catch(() => null)
      life = await open(life.service.now() + leases)
      const campaign = life.campaign(id)
      if ((await campaign.read()).status === "Draft") await campaign.act("launch")
      await life.service.advance("5 minutes")
      const { stats, status } = await campaign.read()
      expect([points, status, stats.submitted, stats.pending]).toEqual([points, "Sent", people, 0])
      expect(await campaign.isCounted()).toBe(true)
      const reached = [...left, ...life.transport.left].flatMap(({ recipient, subject }) =>
        subject === name ? [recipient] : []
      )
      expect([points, reached.length]).toEqual([points, new Set(reached).size])
      // It died after recording that the last byte may be sent, so that email is not sent again.
      const unknown = await life.manage<Page<{ readonly email: string }>>(
        "GET",
        `/campaigns/${id}/recipients?status=Unknown`
      )
      const all = new Set([...reached, ...unknown.items.map(({ email }) => email)])
      expect([points, [...all].toSorted()]).toEqual([
        points,
        Array.from({ length: people }, (_, index) => `p${index}@people.example`)
      ])
    }
    // A campaign to so few people has about that many points; it died at each of them.
    expect(points).toBeGreaterThan(8)
    await life.service.close()
  },
  180_000
)

it.each(Object.entries(layers))(
  "a test of variants has the same winner whenever the process dies, over %s",
  async (_store, makeLayer) => {
    const { first, open } = await openLives(makeLayer)
    let life = first
    const { segment } = await life.addPeople("tested", 40)
    const variants = ["a", "b"].map((id) => ({
      id,
      content: { subject: id, html: '<a href="https://shop.example/">Look</a>' }
    }))
    let points = 0
    // Until it has also died after the decision.
    for (let isDecided = false; !isDecided;) {
      points++
      const { act, id } = await life.draft("Tested", segment, {
        content: null,
        test: { variants, share: 60, after: "PT1H", confidence: 0.8 }
      })
      const path = `/campaigns/${id}`
      const sentBefore = life.transport.left.length
      await act("launch")
      const launchedAt = life.service.now()
      await life.service.advance("10 minutes")
      const tested = life.transport.left.slice(sentBefore)
      const click = async (variant: string, clicksBefore: number) => {
        const copies = tested.filter(({ subject }) => subject === variant)
        for (const { html } of copies) {
          const url = new URL(/href="([^"]+\/t\/[^"]+)"/.exec(html!)![1]!)
          const headers = { "user-agent": firefox, "accept-language": "en" }
          await life.target.fetch(url.pathname + url.search, { headers, redirect: "manual" })
        }
        const clicks = clicksBefore + copies.length
        await eventually(
          () => life.manage<ReadonlyArray<{ readonly clicks: number }>>("GET", `${path}/links`),
          (links) => links.reduce((sum, link) => sum + link.clicks, 0) === clicks
        )
        return clicks
      }
      const clicks = await click("b", 0)
      // The test ends an hour after its last email, and is decided some seconds later.
      await life.service.advance(launchedAt + 3_602_000 - life.service.now())
      life.mortal.dieAfter(points)
      await orDead(life.mortal, life.service.advance("10 seconds"))
      const left = life.transport.left.slice(sentBefore)
      void life.service.close().catch(() => null)
      // Its job is leased for minutes. In the meantime people go on clicking, until both variants have the same number of clicks.
      life = await open(life.service.now() + 1_000)
      isDecided = (await life.manage<Tested>("GET", path)).winner !== null
      await click("a", clicks)
      await life.service.advance("10 minutes")
      const { status, winner } = await life.manage<Tested>("GET", path)
      expect([points, status, winner]).toEqual([points, "Sent", "b"])
      const reached = [...left, ...life.transport.left]
      expect(reached.length).toBe(40)
      expect(new Set(reached.map(({ recipient }) => recipient)).size).toBe(40)
      const ofA = (messages: typeof reached) => messages.filter(({ subject }) => subject === "a").length
      expect([points, ofA(reached)]).toEqual([points, ofA(tested)])
      expect(await life.campaign(id).isCounted()).toBe(true)
    }
    expect(points).toBeGreaterThan(2)
    await life.service.close()
  },
  180_000
)

const reviewed = "reviewed"
const reviewFirst = 2
const warmedUp = "warmed up"
/** The process dies once in each life. A campaign takes fewer lives than this. */
const mostLives = 60
/** Some of the points at which it must die, for each divided campaign. */
const deaths = [
  "JobQueue.enqueue whole: CampaignStore.save, JobQueue.enqueue whole",
  "JobQueue.claim whole: ",
  "JobQueue.enqueue part: ",
  "JobQueue.claim part: ",
  "commit: CampaignStore.decide, JobQueue.hold part, ",
  "commit: JobQueue.complete part",
  "JobQueue.complete whole: "
]

/** The settings of divided campaigns, applied one after another. */
const divided: Readonly<Record<string, (life: Campaigns) => Promise<unknown>>> = {
  plain: () => Promise.resolve(),
  [reviewed]: ({ manage }) => manage("PATCH", "/settings", { reviewFirst }),
  [warmedUp]: async ({ manage, service, target }) => {
    const install = async (path: string, json: object) => {
      const token = service.managementToken
      const answer = await call<{ readonly id: string }>(target, "POST", `/manage/v1${path}`, { token, json })
      expect([path, answer.codes]).toEqual([path, []])
      return answer.value
    }
    await install("/pools", { key: "bulk", name: "Bulk" })
    const { id } = await install("/sources", { address, pool: "bulk", force: true })
    await install(`/sources/${id}/warm-up`, { day: 15 })
    const pools = { transactional: "default", marketing: "bulk" }
    await manage("PATCH", "/settings", { reviewFirst: 0, pools })
  }
}

it.each(Object.entries(layers))(
  "campaigns that are divided reach everyone once, whichever of their commits the process dies after, over %s",
  async (store, makeLayer) => {
    let point = makeNewPoint()
    const { first, open, publish } = await openLives(makeLayer, (called) => point.isAt(called))
    const { segment } = await first.addPeople("people", many)
    let life = first
    // Each of them on either database. One is enough for memory, which does not outlive a process.
    for (const [what, set] of Object.entries(divided).slice(0, store === "memory" ? 1 : undefined)) {
      life.mortal.dieAfter(Infinity)
      await set(life)
      await publish(life)
      const { id } = await life.draft(what, segment)
      await life.service.settle()
      const released = new Set<string>()
      /** Performs a person's actions. Returns whether the campaign has ended, or only has emails left that a warm-up limits. */
      const goOn = async ({ campaign, manage, service }: Campaigns) => {
        const { act, read } = campaign(id)
        if ((await read()).status === "Draft") await act("launch")
        const held = await manage<Page<{ readonly id: string }>>(
          "GET",
          `/emails?campaignId=${id}&status=PendingReview`
        )
        for (const email of held.items) {
          released.add(email.id)
          await manage("POST", `/emails/${email.id}/release`)
        }
        await service.advance("1 minute")
        const { stats, status } = await read()
        return status === "Sent" || (what === warmedUp && stats.audience === many && stats.pending === 0)
      }
      point = makeNewPoint()
      const lives = [life]
      life.mortal.dieAfter(1)
      while ((await orDead(life.mortal, goOn(life))) !== true) {
        // A campaign that has lost a job never ends.
        expect([what, lives.length < mostLives]).toEqual([what, true])
        life.mortal.dieAfter(0)
        void life.service.close().catch(() => null)
        life = await open(life.service.now() + leases, 1)
        lives.push(life)
      }
      life.mortal.dieAfter(Infinity)
      if (what !== warmedUp) await life.service.advance("5 minutes")
      const { stats } = await life.campaign(id).read()
      expect([what, stats.audience, stats.submitted, stats.pending]).toEqual([what, many, many, 0])
      expect([what, released.size]).toEqual([what, what === reviewed ? reviewFirst : 0])
      expect(await life.campaign(id).isCounted()).toBe(true)
      const emails = await life.manage<Page<object>>("GET", `/emails?campaignId=${id}`)
      expect([what, emails.totalCount]).toEqual([what, many])
      const left = lives.flatMap(({ transport }) =>
        transport.left.flatMap(({ recipient, subject }) => (subject === what ? [recipient] : []))
      )
      expect([what, new Set(left).size]).toEqual([what, left.length])
      expect([...point.died]).toEqual(
        expect.arrayContaining(deaths.map((death) => expect.stringContaining(death)))
      )
    }
    await life.service.close()
  },
  240_000
)
