/**
 * Campaigns of a process that dies after each of its commits, and between them: the next one on the same data sends to everyone
 * once, and ends them.
 *
 * The process dies inside this one: from then on none of its calls of a port has an effect, and a transaction that it has open is
 * rolled back.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import { DnsMissing } from "../../core/ports/Dns.ts"
import type { Job } from "../../core/ports/JobQueue.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { makeZone } from "../../runtimes/embedded/Zone.ts"
import { type Campaigns, type SentCampaign, startCampaigns } from "../support/campaigns.ts"
import { call, eventually } from "../support/client.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Page } from "../support/shapes.ts"

const people = 3
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0"
const secretKey = "0123456789abcdef0123456789abcdef"
/** An address that emails leave from. */
const address = "192.0.2.7"
/** So many that a campaign is divided among workers. */
const many = 510
/** How long the jobs of a dead process are leased at most, milliseconds. */
const leases = 300_000

/** A campaign with a test. */
interface Tested extends SentCampaign {
  readonly winner: string | null
}

/** Whether a call that returned a value may have committed by itself, or has written a part of what its transaction commits. */
const isPoint = (key: string, name: string | symbol, value: unknown, _given?: unknown): boolean =>
  key === "svc/ports/Transaction" ||
  (key === "svc/ports/SubmissionStore" && name === "commit") ||
  (key === "svc/ports/JobQueue" &&
    (name === "complete" || (name === "claim" && Array.isArray(value) && value.length > 0)))

/** Whose jobs of campaigns are claimed, completed or added: those of parts, or of the whole; null for none. */
const campaignJobs = (jobs: unknown): "part" | "whole" | null => {
  const found = (Array.isArray(jobs) ? jobs : []).filter((job: Job) => job.queue === "campaigns")
  if (found.length === 0) return null
  return found.some((job: Job) => /"part"/.test(JSON.stringify(job.payload))) ? "part" : "whole"
}

/** What decides on people of campaigns, beside the jobs that lead to it. */
const decisions = new Set(["decide", "release", "save", "saveProgress"])

/**
 * As `isPoint`, of what decides on people of campaigns, and of their jobs: at each commit that writes what none did at which a process
 * died before, and within it where jobs are added.
 */
const makeNewPoint = (): typeof isPoint => {
  const died = new Set<string>()
  const written = new Set<string>()
  return (key, name, value, given) => {
    const method = String(name)
    const jobs = key === "svc/ports/JobQueue" ? campaignJobs(method === "claim" ? value : given) : null
    const isOfQueue = jobs !== null
    if (isOfQueue || (key === "svc/ports/CampaignStore" && decisions.has(method)))
      written.add(`${method} ${jobs ?? ""}`)
    const isCommit = key === "svc/ports/Transaction"
    const isWithin = isOfQueue && (method === "claim" || method === "enqueue")
    if (written.size === 0 || !(isCommit || isWithin)) return false
    const point = `${isCommit} ${[...written].toSorted().join(" ")}`
    const isNew = !died.has(point)
    died.add(point)
    if (isCommit || isNew) written.clear()
    return isNew
  }
}

/** The ports of a process that can die. */
const makeMortal = (storage: Context.Context<never>, isAt: typeof isPoint) => {
  let left = Number.POSITIVE_INFINITY
  const guard = (
    key: string,
    name: string | symbol,
    effect: Effect.Effect<unknown, unknown, unknown>,
    given?: unknown
  ) =>
    Effect.suspend(() =>
      left <= 0
        ? Effect.die(new Error("dead"))
        : Effect.tap(effect, (value) =>
            left < Infinity && isAt(key, name, value, given) && --left <= 0
              ? Effect.die(new Error("dies here"))
              : Effect.void
          )
    )
  const wrap = (key: string, service: object): object =>
    new Proxy(service, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === "function") {
          return (...parameters: ReadonlyArray<unknown>) => {
            const result: unknown = Reflect.apply(value, target, parameters)
            return Effect.isEffect(result) ? guard(key, name, result, parameters[0]) : result
          }
        }
        return Effect.isEffect(value) ? guard(key, name, value) : value
      }
    })
  const ports = Context.makeUnsafe<StoragePorts>(
    new Map(
      [...storage.mapUnsafe].map(([key, service]: [string, unknown]) => [
        key,
        key.startsWith("svc/ports/") && typeof service === "object" && service !== null
          ? wrap(key, service)
          : service
      ])
    )
  )
  return {
    ports: Layer.succeedContext(ports),
    dieAfter: (points: number) => {
      left = points
    },
    isDead: () => left <= 0
  }
}

const layers: Readonly<Record<string, () => Promise<Layer.Layer<StoragePorts, unknown>>>> = {
  memory: async () => Memory.layer,
  PGlite: async () => Postgres.layerEmbedded(null),
  PostgreSQL: async () => Postgres.layerServer(Redacted.make(await freshDatabase()), "store.url", false)
}

/** A service on data of its own that dies and starts again. */
const openLives = async (
  makeLayer: () => Promise<Layer.Layer<StoragePorts, unknown>>,
  makePoint: () => typeof isPoint = () => isPoint
) => {
  const isAt = makePoint()
  const scope = Scope.makeUnsafe()
  const storage = await Effect.runPromise(
    Layer.build(Layer.fresh(await makeLayer())).pipe(Effect.provideService(Scope.Scope, scope))
  )
  // Each life finds the records that the first one published: a check of the domain may be due when it starts.
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const zone = makeZone({
    txt: missing,
    mx: missing,
    addresses: (name) => (name === "svc.test" ? Effect.succeed([address]) : missing(name))
  })
  const open = async (startAt: number) => {
    const mortal = makeMortal(storage, isAt)
    const options = { store: { ports: mortal.ports }, secretKey, startAt, dns: zone.dns }
    const life = await startCampaigns(options)
    zone.publish((await life.service.publish("own.example")).records)
    return { mortal, ...life }
  }
  return open
}

/** Waits until a service has done something or is dead, which never does. */
const orDead = async ({ isDead }: ReturnType<typeof makeMortal>, doing: Promise<unknown>) => {
  const done = doing.catch(() => null)
  while ((await Promise.race([done, delay(5, "waiting")])) === "waiting" && !isDead());
}

it.each(Object.entries(layers))(
  "campaigns of a process that dies at a commit reach everyone once, over %s",
  async (_store, makeLayer) => {
    const open = await openLives(makeLayer)
    let life = await open(Date.UTC(2031, 2, 3))
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
      // Dead after it had recorded that the last byte may leave: that email is not sent again.
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
    // Of a campaign to so few there are about as many: it died at each of them.
    expect(points).toBeGreaterThan(8)
    await life.service.close()
  },
  180_000
)

it.each(Object.entries(layers))(
  "a test of variants has the same winner whenever the process dies, over %s",
  async (_store, makeLayer) => {
    const open = await openLives(makeLayer)
    let life = await open(Date.UTC(2031, 2, 3))
    const { segment } = await life.addPeople("tested", 40)
    const variants = ["a", "b"].map((id) => ({
      id,
      content: { subject: id, html: '<a href="https://shop.example/">Look</a>' }
    }))
    let points = 0
    // Until it died after the decision, too.
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
      // Its job is leased for minutes: until then people go on to click, and by then as many did of either variant.
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

const reviewed = "has its first emails reviewed"

/** What is set for a campaign that is divided. */
const divided: Readonly<Record<string, (life: Campaigns) => Promise<unknown>>> = {
  "is divided": () => Promise.resolve(),
  [reviewed]: ({ manage }) => manage("PATCH", "/settings", { reviewFirst: 2 }),
  "leaves from an address that is warmed up": async ({ manage, service, target }) => {
    const install = async (path: string, json: object) => {
      const token = service.managementToken
      const answer = await call<{ readonly id: string }>(target, "POST", `/manage/v1${path}`, { token, json })
      expect([path, answer.codes]).toEqual([path, []])
      return answer.value
    }
    await install("/pools", { key: "bulk", name: "Bulk" })
    const { id } = await install("/sources", { address, pool: "bulk", force: true })
    await install(`/sources/${id}/warm-up`, { day: 15 })
    await manage("PATCH", "/settings", { pools: { transactional: "default", marketing: "bulk" } })
  }
}

it.each(
  Object.entries(layers).flatMap(([store, makeLayer]) =>
    Object.entries(divided)
      // That of which the whole and its parts decide is enough of each database.
      .filter(([what]) => store === "memory" || what === reviewed)
      .map(([what, set]) => ({ store, makeLayer, what, set }))
  )
)(
  "a campaign that $what reaches everyone once, whichever of its commits the process dies after, over $store",
  async ({ makeLayer, set }) => {
    const open = await openLives(makeLayer, makeNewPoint)
    let life = await open(Date.UTC(2031, 2, 3))
    const { segment } = await life.addPeople("people", many)
    await set(life)
    const { id } = await life.draft("Divided", segment)
    await life.service.settle()
    const heldOf = ({ manage }: Campaigns) =>
      manage<Page<{ readonly id: string }>>("GET", `/emails?campaignId=${id}&status=PendingReview`)
    const goOn = async (world: Campaigns) => {
      const campaign = world.campaign(id)
      if ((await campaign.read()).status === "Draft") await campaign.act("launch")
      for (const email of (await heldOf(world)).items)
        await world.manage("POST", `/emails/${email.id}/release`)
      await world.service.advance("1 minute")
    }
    const isDecided = async () => {
      const { audience, pending } = (await life.campaign(id).read()).stats
      return audience === many && pending === 0 && (await heldOf(life)).items.length === 0
    }
    const left: Array<string> = []
    const note = () => left.push(...life.transport.left.map(({ recipient }) => recipient))
    let lives = 0
    for (; !(await isDecided()); lives++) {
      life.mortal.dieAfter(1)
      await orDead(life.mortal, goOn(life))
      note()
      void life.service.close().catch(() => null)
      life = await open(life.service.now() + leases)
    }
    expect(lives).toBeGreaterThan(4)
    await life.service.advance("5 minutes")
    note()
    const { stats } = await life.campaign(id).read()
    expect([stats.audience, stats.submitted, stats.pending]).toEqual([many, many, 0])
    expect(await life.campaign(id).isCounted()).toBe(true)
    const emails = await life.manage<Page<object>>("GET", `/emails?campaignId=${id}`)
    expect(emails.totalCount).toBe(many)
    expect(new Set(left).size).toBe(left.length)
    await life.service.close()
  },
  180_000
)
