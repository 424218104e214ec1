/**
 * Tests a campaign that several nodes on one database send together. Each node sends to parts of the people at the same time, and
 * everyone gets it once. If a node dies or loses its lease to another, the others send to its people.
 *
 * Orders and erasures of people in a batch are written at the same time.
 *
 * All nodes run in this process. That a node is dead means that none of its calls of a port has an effect.
 *
 * @module
 */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { expect, it } from "vitest"
import * as Postgres from "../../adapters/postgres/index.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { type Campaigns, startCampaigns } from "../support/campaigns.ts"
import { call as request, eventually } from "../support/client.ts"
import { freshDatabase, isWaiting } from "../support/postgres.ts"
import type { Page } from "../support/shapes.ts"
import { type EventsTaken, storeEvent } from "../support/stores.ts"

/** Two and a half batches. */
const people = 1_250
const secretKey = "0123456789abcdef0123456789abcdef"
const startAt = Date.UTC(2031, 2, 3)

/** Runs before each call of a port. */
type Before = (call: string) => Effect.Effect<unknown>

/** Runs when a call has failed. */
type Failed = (call: string, error: unknown) => void

const wrapped = (key: string, service: object, before: () => Before, failed: Failed): object =>
  new Proxy(service, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      const call = `${key.slice("svc/ports/".length)}.${String(name)}`
      const guard = (effect: Effect.Effect<unknown, unknown, unknown>) =>
        Effect.andThen(
          Effect.suspend(() => before()(call)),
          Effect.tapError(effect, (error) => Effect.sync(() => failed(call, error)))
        )
      if (typeof value === "function") {
        return (...parameters: ReadonlyArray<unknown>) => {
          const result: unknown = Reflect.apply(value, target, parameters)
          return Effect.isEffect(result) ? guard(result) : result
        }
      }
      return Effect.isEffect(value) ? guard(value) : value
    }
  })

/** A node on a database, whose calls can be delayed. */
const startNode = async (url: string, scope: Scope.Scope, at: number) => {
  /** Its transactions that the database ended because of a deadlock. */
  const deadlocks: Array<unknown> = []
  const node = { before: (() => Effect.void) as Before, deadlocks }
  const failed: Failed = (call, error) => {
    if (call === "Transaction.run" && (error as { constraint?: unknown }).constraint === "deadlock")
      deadlocks.push(error)
  }
  const storage = await Effect.runPromise(
    Layer.build(Layer.fresh(Postgres.layerServer(Redacted.make(url), "store.url", false))).pipe(
      Effect.provideService(Scope.Scope, scope)
    )
  )
  const ports = Context.makeUnsafe<StoragePorts>(
    new Map(
      [...storage.mapUnsafe].map(([key, service]: [string, unknown]) => [
        key,
        key.startsWith("svc/ports/") && typeof service === "object" && service !== null
          ? wrapped(key, service, () => node.before, failed)
          : service
      ])
    )
  )
  const world = await startCampaigns({
    store: { ports: Layer.succeedContext(ports) },
    secretKey,
    startAt: at
  })
  return Object.assign(node, world)
}

/** A promise that can be resolved from outside. */
const makeLatch = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, wait: Effect.promise(() => opened) }
}

/** Expects that everyone got the campaign once. */
const expectAll = async (
  nodes: ReadonlyArray<Pick<Campaigns, "reached">>,
  { manage, ...world }: Campaigns,
  id: string,
  name: string
) => {
  const campaign = world.campaign(id)
  const { stats, status } = await campaign.read()
  expect([name, status, stats.audience, stats.submitted, stats.pending]).toEqual([
    name,
    "Sent",
    people,
    people,
    0
  ])
  expect(await campaign.isCounted()).toBe(true)
  const reached = nodes.flatMap((node) => node.reached(name))
  expect(reached.length).toBe(new Set(reached).size)
  // It died after recording that the last byte may be sent, so that email is not sent again.
  const unknown = await manage<Page<{ readonly email: string }>>(
    "GET",
    `/campaigns/${id}/recipients?status=Unknown&pageSize=200`
  )
  const all = new Set([...reached, ...unknown.items.map(({ email }) => email)])
  expect(all.size).toBe(people)
}

it(
  "nodes send parts of a campaign at the same time, and what a dead or late one leaves",
  { timeout: 120_000 },
  async () => {
    const scope = Scope.makeUnsafe()
    const url = await freshDatabase()
    const one = await startNode(url, scope, startAt)
    const { segment } = await one.addPeople("people", people)
    // Both nodes would wait for what an account's first email adds, such as its retention job.
    const { segment: few } = await one.addPeople("few", 1)
    await (await one.draft("First", few)).act("launch")
    await one.service.settle()
    const other = await startNode(url, scope, one.service.now())
    const settle = () => {
      // Jobs of one node must be due for the other too.
      const ahead = one.service.now() - other.service.now()
      return Promise.all([
        one.service.settle(),
        ahead > 0 ? other.service.advance(ahead) : other.service.settle()
      ])
    }
    /** Makes each node wait, within its first batch, for the first batch of the other. */
    const meet = () => {
      const met = makeLatch()
      const deciding = new Set<string>()
      const meeting =
        (name: string): Before =>
        (call) =>
          call === "CampaignStore.decide"
            ? Effect.suspend(() => {
                deciding.add(name)
                if (deciding.size === 2) met.open()
                return met.wait
              })
            : Effect.void
      one.before = meeting("one")
      other.before = meeting("other")
    }
    meet()
    const together = await one.draft("Together", segment)
    await together.act("launch")
    await settle()
    await one.service.advance("5 minutes")
    await expectAll([one, other], one, together.id, "Together")

    // The first emails are reviewed before any others are submitted.
    one.before = other.before = () => Effect.void
    const review = (reviewFirst: number) => one.manage("PATCH", "/settings", { reviewFirst })
    const release = async (id: string, count: number, submitted: number) => {
      const { stats } = await one.campaign(id).read()
      const held = await one.manage<Page<{ readonly id: string }>>(
        "GET",
        `/emails?campaignId=${id}&status=PendingReview`
      )
      expect([stats.submitted, held.items.length]).toEqual([submitted, count])
      for (const email of held.items) await one.manage("POST", `/emails/${email.id}/release`)
    }
    await review(3)
    const reviewed = await one.draft("Reviewed", segment)
    await reviewed.act("launch")
    await settle()
    // More emails are to be reviewed while both nodes send to parts, so those parts submit none.
    const raised = makeLatch()
    const sending = new Set<string>()
    const raising =
      (name: string): Before =>
      (call) =>
        call === "CampaignStore.lockDue"
          ? Effect.suspend(() => {
              const isLast = sending.size === 1 && !sending.has(name)
              sending.add(name)
              if (!isLast) return raised.wait
              return Effect.promise(async () => {
                await review(5)
                raised.open()
              })
            })
          : Effect.void
    one.before = raising("one")
    other.before = raising("other")
    await release(reviewed.id, 3, 3)
    await settle()
    await one.service.advance("1 minute")
    meet()
    await release(reviewed.id, 2, 5)
    await settle()
    await one.service.advance("5 minutes")
    await expectAll([one, other], one, reviewed.id, "Reviewed")
    await review(0)

    // The lease of a node ends while it prepares a batch. The other node claims its jobs, and the first one writes nothing about
    // them.
    const [asleep, awake] = [makeLatch(), makeLatch()]
    const late = { isAsleep: false, decided: 0 }
    one.before = (call) =>
      Effect.suspend(() => {
        if (call === "Transaction.run" && late.isAsleep) return awake.wait
        if (call === "ContactStore.find" && !late.isAsleep) {
          late.isAsleep = true
          asleep.open()
        }
        if (call === "CampaignStore.decide") late.decided++
        return Effect.void
      })
    /** Prepares a batch after something has happened to the other node. */
    const after =
      ({ wait }: ReturnType<typeof makeLatch>): Before =>
      (call) =>
        call === "ContactStore.find" ? wait : Effect.void
    other.before = after(asleep)
    const woken = await other.draft("Woken", segment)
    await woken.act("launch")
    const sleeping = one.service.settle()
    await Effect.runPromise(asleep.wait)
    await other.service.advance("15 minutes")
    await expectAll([one, other], other, woken.id, "Woken")
    awake.open()
    await sleeping
    expect(late.decided).toBe(0)
    await expectAll([one, other], other, woken.id, "Woken")

    // One node dies within a batch. Its clock is again that of the other.
    one.before = () => Effect.void
    await one.service.advance("20 minutes")
    const died = makeLatch()
    let isDead = false
    one.before = (call) =>
      Effect.suspend(() => {
        isDead ||= call === "CampaignStore.decide"
        if (isDead) died.open()
        return isDead ? Effect.die(new Error("dead")) : Effect.void
      })
    other.before = after(died)
    const rest = await other.draft("Rest", segment)
    await rest.act("launch")
    void one.service.settle().catch(() => null)
    await Effect.runPromise(died.wait)
    await other.service.advance("20 minutes")
    await expectAll([one, other], other, rest.id, "Rest")
    void one.service.close().catch(() => null)
    await other.service.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
)

it(
  "an order, an erasure and a batch with frequency caps lock the same people in one order, and all end",
  { timeout: 60_000 },
  async () => {
    const scope = Scope.makeUnsafe()
    const url = await freshDatabase()
    const one = await startNode(url, scope, startAt)
    const { ids, segment } = await one.addPeople("capped", 4)
    await one.manage("PATCH", "/settings", { marketingCaps: [{ emails: 5, days: 1 }] })
    const shop = { platform: "Custom", name: "Shop", domain: "shop.example", consentMode: "Explicit" }
    const store = await one.manage<{ readonly id: string; readonly token: string }>("POST", "/stores", shop)
    const other = await startNode(url, scope, one.service.now())
    const nodes = [one, other]
    const before = (made: Before) => nodes.forEach((node) => (node.before = made))
    const settled = () => Promise.all(nodes.map(({ service }) => service.settle()))
    const order = async (number: number) => {
      const of = {
        id: `order${number}`,
        status: "Paid",
        currency: "EUR",
        total: 10,
        email: "p0@capped.example"
      }
      const placedAt = new Date(one.service.now()).toISOString()
      const json = { events: [storeEvent("order.placed", { ...of, placedAt })] }
      const path = `/ingest/v1/stores/${store.id}/events`
      const answer = await request<EventsTaken>(one.target, "POST", path, { token: store.token, json })
      expect(answer.value).toMatchObject({ accepted: 1, rejected: [] })
    }
    const orders = async () =>
      (await other.api<{ readonly orderCount: number }>("GET", `/contacts/${ids[0]}`)).orderCount
    const waiting = () =>
      eventually(
        () => isWaiting(url),
        (found) => found
      )
    const reached = (name: string) => nodes.flatMap((node) => node.reached(name)).toSorted()
    /** A campaign whose batch has locked its recipients, but not yet their contacts. */
    const holding = async (name: string) => {
      const [locked, goOn] = [makeLatch(), makeLatch()]
      before((call) =>
        Effect.suspend(() => {
          if (call !== "ContactStore.lock") return Effect.void
          locked.open()
          return goOn.wait
        })
      )
      const campaign = await one.draft(name, segment)
      await campaign.act("launch")
      const settling = settled()
      await Effect.runPromise(locked.wait)
      return { campaign, goOn: goOn.open, settling }
    }

    // An order waits for the batch.
    const first = await holding("First")
    const placed = order(1)
    await waiting()
    first.goOn()
    await Promise.all([placed, first.settling])
    await settled()
    expect([await orders(), reached("First").length]).toEqual([1, 4])

    // An erasure waits for the batch, which does not wait for it.
    const second = await holding("Second")
    const erased = other.api("DELETE", `/contacts/${ids[3]}`)
    await waiting()
    second.goOn()
    await Promise.all([erased, second.settling])
    await settled()
    expect(nodes.map(({ deadlocks }) => deadlocks)).toEqual([[], []])
    await one.service.advance("5 minutes")
    for (const [name, id] of [
      ["First", first.campaign.id],
      ["Second", second.campaign.id]
    ] as const) {
      const campaign = one.campaign(id)
      const { stats, status } = await campaign.read()
      expect([name, status, stats.audience, stats.pending]).toEqual([name, "Sent", 3, 0])
      expect(await campaign.isCounted()).toBe(true)
    }
    expect(reached("Second").filter((email) => email !== "p3@capped.example")).toHaveLength(3)
    await Promise.all(nodes.map(({ service }) => service.close()))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
)
