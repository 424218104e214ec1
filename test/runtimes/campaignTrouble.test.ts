/**
 * Tests a campaign to people most of whom are at a provider that temporarily accepts no mail: the others get it without delay,
 * and those at the provider as soon as it accepts mail, whatever the order of the audience. Also tests a campaign to more people
 * than fit into the account's queue.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { Turns } from "../../core/kernel/Turns.ts"
import type { Answer } from "../../core/model/Answer.ts"
import type { MailClass, Outcome } from "../../core/model/Message.ts"
import { CampaignStore } from "../../core/ports/CampaignStore.ts"
import { DnsMissing } from "../../core/ports/Dns.ts"
import { type Campaigns, startCampaigns, type Stores } from "../support/campaigns.ts"
import { call } from "../support/client.ts"
import { answering } from "../support/fakeTransport.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Page } from "../support/shapes.ts"

/** A Monday, 00:00 UTC. */
const startAt = Date.UTC(2031, 2, 3)
const hour = 3_600_000
/** More than a campaign may have in its queue. */
const held = 5_200
const others = 100

const stores: Stores = {
  memory: async () => "memory",
  PGlite: async () => "pglite",
  PostgreSQL: async () => ({ url: await freshDatabase() })
}

interface Shown {
  readonly status: string
  readonly stats: Readonly<Record<string, number>> & { readonly skippedBy: Readonly<Record<string, number>> }
  readonly progress: {
    readonly waiting: ReadonlyArray<Readonly<Record<"count" | "reason" | "until", unknown>>>
  }
}

it("a campaign reaches everyone else while a provider takes no mail", { timeout: 120_000 }, async () => {
  const { addPeople, campaign, draft, manage, reached, service, transport } = await startCampaigns({
    startAt
  })
  // The people at the provider come first in the audience.
  const [many, few, open] = [
    await addPeople("Held", held),
    await addPeople("Few", 20),
    await addPeople("Open", others)
  ].map(({ segment }) => segment)
  const read = (id: string) => manage<Shown>("GET", `/campaigns/${id}`)
  const send = async (name: string, domain: string, segment: string, busyUntil: number, more = {}) => {
    transport.busy.set(domain, busyUntil)
    const { act, id } = await draft(name, segment, { audience: { segments: [segment, open] }, ...more })
    await act("launch")
    await service.advance("5 minutes")
    expect(reached(name)).toHaveLength(others)
    const { progress, stats, status } = await read(id)
    expect(status).toBe("Sending")
    expect(progress.waiting).toContainEqual(
      expect.objectContaining({ reason: "sending.provider_held", count: stats["pending"] })
    )
    return id
  }

  const short = await send("Short", "held.example", many!, startAt + hour)
  await service.advance("90 minutes")
  expect((await read(short)).status).toBe("Sent")
  expect(new Set(reached("Short")).size).toBe(held + others)
  expect(reached("Short")).toHaveLength(held + others)
  expect(await campaign(short).isCounted()).toBe(true)

  // Marketing email is given up after three days, including nights in which none is sent.
  const window = { days: [1, 2, 3, 4, 5], from: "01:00", to: "03:00" }
  const long = await send("Long", "few.example", few!, service.now() + 20 * hour, { window })
  for (let part = 0; part < 4; part++) {
    await service.advance(20.5 * hour)
    transport.busy.set("few.example", service.now() + 20 * hour)
  }
  transport.busy.delete("few.example")
  const { stats, status } = await read(long)
  expect([status, reached("Long").length]).toEqual(["Sent", others])
  expect(stats.skippedBy).toEqual({ "sending.held_too_long": 20 })
  expect(await campaign(long).isCounted()).toBe(true)
  const again = await manage("POST", `/campaigns/${long}/retry`, { what: ["NotDelivered"] })
  expect(again).toEqual({ recipients: 20 })
  await service.advance("14 hours")
  expect(reached("Long")).toHaveLength(20 + others)
  transport.busy.clear()
  await service.close()
})

/** How providers in trouble respond to each message; `count` is 1 for the first one. They are held if their servers say so. */
const troubles: Readonly<Record<string, (world: Campaigns, count: number) => Effect.Effect<Outcome>>> = {
  // A lane is held once its servers have rejected some emails temporarily.
  "defers.example": ({ service, transport }, count) => {
    if (count === 3) transport.busy.set("defers.example", service.now() + 20 * hour)
    return Effect.succeed({ _tag: "Deferred" })
  },
  "blocks.example": ({ service, transport }) => {
    transport.busy.set("blocks.example", service.now() + 20 * hour)
    const answer: Answer = {
      action: "PauseSource",
      scope: "lane",
      rule: "5.7.1",
      remedy: "",
      source: "",
      minutes: 60
    }
    const rejection = { answer, lane: "domain:blocks.example", words: "550 5.7.1 Blocked" }
    return Effect.succeed({ _tag: "Held", lane: rejection.lane, rejection })
  }
}

it.each(Object.entries(stores))(
  "a campaign is no slower at other providers while one defers and one blocks, over %s",
  { timeout: 120_000 },
  async (_store, makeStore) => {
    const world = await startCampaigns({ store: await makeStore(), startAt })
    const { addPeople, draft, reached, service, transport } = world
    // The people at the providers in trouble come first in the audience.
    const segments: Array<string> = []
    for (const domain of Object.keys(troubles)) {
      segments.push((await addPeople(domain.replace(".example", ""), 20)).segment)
    }
    segments.push((await addPeople("open", others)).segment)
    const deliver = transport.script
    const tried = new Map<string, number>()
    transport.script = (message, ...rest) => {
      const domain = message.recipient.split("@")[1]!
      const answer = troubles[domain]
      if (answer === undefined) return deliver(message, ...rest)
      tried.set(domain, (tried.get(domain) ?? 0) + 1)
      return answer(world, tried.get(domain)!)
    }
    // At this pace, the other people alone take ten minutes. They must take at most a tenth longer.
    const pace = { emails: 6 * others, per: "Hour" }
    const { act } = await draft("Beside", segments[0]!, { audience: { segments }, pace })
    await act("launch")
    await service.advance("11 minutes")
    expect([...tried.keys()].toSorted()).toEqual(Object.keys(troubles).toSorted())
    expect(reached("Beside").filter((email) => email.endsWith("@open.example"))).toHaveLength(others)
    await service.close()
  }
)

it.each(Object.entries(stores))(
  "a campaign reaches everyone else while a server does not reply, and is paused and cancelled meanwhile, over %s",
  { timeout: 120_000 },
  async (_store, makeStore) => {
    // Real time passes here, because moving the clock waits for emails in progress.
    const { addPeople, campaign, draft, reached, service, transport } = await startCampaigns({
      store: await makeStore()
    })
    const silent = (await addPeople("silent", 40)).segment
    const open = (await addPeople("open", others)).segment
    const deliver = transport.script
    let reply = () => {}
    const replied = new Promise<void>((resolve) => {
      reply = resolve
    })
    let waiting = 0
    transport.script = (message, ...rest) => {
      if (!message.recipient.endsWith("@silent.example")) return deliver(message, ...rest)
      // No more connections to it are possible.
      if (++waiting === 10) transport.busy.set("silent.example", service.now() + hour)
      return Effect.as(
        Effect.promise(() => replied),
        { _tag: "Deferred" as const }
      )
    }
    // The people at that server come first in the audience.
    const { act, id } = await draft("Silent", silent, { audience: { segments: [silent, open] } })
    await act("launch")
    await expect.poll(() => reached("Silent").length, { timeout: 60_000 }).toBe(others)
    expect(transport.active).toBeGreaterThanOrEqual(10)
    for (const [action, status] of [
      ["pause", "Paused"],
      ["resume", "Sending"],
      ["cancel", "Cancelled"]
    ] as const)
      expect((await act(action)).status).toBe(status)
    expect(transport.active).toBeGreaterThanOrEqual(10)
    reply()
    await expect.poll(() => transport.active).toBe(0)
    await service.settle()
    const { stats } = await campaign(id).read()
    expect([stats.pending, stats.submitted + stats.cancelled]).toEqual([0, 40 + others])
    expect(reached("Silent")).toHaveLength(others)
    expect(await campaign(id).isCounted()).toBe(true)
    await service.close()
  }
)

it("a campaign reaches those whose mail an operator held as soon as it is let go", async () => {
  const { addPeople, draft, reached, service, target } = await startCampaigns({ startAt })
  const { segment } = await addPeople("Kept", 10)
  const operate = async (act: string, json: object) => {
    const token = service.managementToken
    const answer = await call(target, "POST", `/manage/v1/shaping/${act}`, { token, json })
    expect([act, answer.codes]).toEqual([act, []])
  }
  await operate("suspend", { domain: "kept.example", reason: "They asked us to wait." })
  const { act, isCounted, read } = await draft("Kept", segment)
  await act("launch")
  await service.advance("1 hour")
  expect([(await read()).stats.pending, reached("Kept")]).toEqual([10, []])
  // Also while it is paused: people who waited do not wait for the suspension's original end.
  await act("pause")
  await operate("flush", { domain: "kept.example" })
  await service.advance("1 minute")
  await act("resume")
  await service.advance("1 minute")
  expect([(await read()).status, reached("Kept").length]).toEqual(["Sent", 10])
  expect(await isCounted()).toBe(true)
  await service.close()
})

it("a campaign's email shows whether it is what was last sent", async () => {
  const { addPeople, api, draft, manage, reached, service, transport } = await startCampaigns({ startAt })
  const { segment } = await addPeople("Renamed", 1)
  const rename = (firstName: string) =>
    api("POST", "/contacts", { email: "p0@renamed.example", firstName, consent: { basis: "Customer" } })
  const html = "<p>{{ contact.firstName }}</p>"
  const { act, id } = await draft("Shown", segment, { content: { subject: "Shown", html } })
  const isAsSent = async () => {
    const { items } = await manage<Page<{ readonly id: string }>>("GET", `/emails?campaignId=${id}`)
    const path = `/emails/${items[0]!.id}/content`
    return (await manage<{ readonly isAsSent: boolean | null }>("GET", path)).isAsSent
  }
  await rename("One")
  transport.script = answering({ _tag: "Deferred" })
  await act("launch")
  await service.advance("1 minute")
  // It is not sent yet, and its server gets a different email than the first time.
  expect(await isAsSent()).toBe(null)
  const before = reached("Shown").length
  await rename("Two")
  transport.script = answering({ _tag: "Delivered" })
  await service.advance("2 hours")
  expect([await isAsSent(), reached("Shown").length]).toEqual([true, before + 1])
  await rename("One")
  expect(await isAsSent()).toBe(false)
  await service.close()
})

it("a test of variants lasts from its last email on, however late a node notices that it left", async () => {
  const { addPeople, draft, manage, reached, service } = await startCampaigns({ startAt })
  const { segment } = await addPeople("Tested", 40)
  const variants = ["a", "b"].map((id) => ({ id, content: { subject: id, html: "<p>Hello</p>" } }))
  const test = { variants, share: 60, after: "PT1H" }
  const { act, id } = await draft("Tested", segment, { content: null, test })
  const launchedAt = service.now()
  await act("launch")
  await service.settle()
  expect(reached("a").length + reached("b").length).toBeGreaterThan(0)
  await act("pause")
  await service.advance("30 minutes")
  await act("resume")
  await service.advance("1 minute")
  const { progress } = await manage<Shown>("GET", `/campaigns/${id}`)
  const waits = progress.waiting.find(({ reason }) => reason === "campaigns.test")
  expect(Math.round((Date.parse(String(waits?.until)) - launchedAt) / (hour / 4))).toBe(4)
  await service.close()
})

it("a campaign's emails take turns, and go after transactional ones, which take none", async () => {
  let [begun, taken] = [0, 0]
  const turns = Layer.succeed(Turns, {
    begin: () => {
      begun++
      return () => undefined
    },
    next: Effect.sync(() => void taken++),
    rest: Effect.void
  })
  const { addPeople, api, draft, service, transport } = await startCampaigns({
    startAt,
    store: { ports: Layer.merge(Memory.layer, turns) }
  })
  const { segment } = await addPeople("Turns", 40)
  const deliver = transport.script
  const turnsOf: Array<readonly [MailClass | undefined, number]> = []
  transport.script = (message, ...rest) => {
    turnsOf.push([message.mailClass, taken])
    return deliver(message, ...rest)
  }
  await (await draft("Turns", segment)).act("launch")
  await service.advance("1 minute")
  expect(turnsOf.map(([mailClass]) => mailClass)).toEqual(Array.from({ length: 40 }, () => "Campaign"))
  // One slice for each email, and those for the copies rendered before.
  for (const [index, [, before]] of turnsOf.entries()) expect(before).toBeGreaterThan(index + 20)
  const [begunBefore, takenBefore] = [begun, taken]
  await api("POST", "/sending/emails", { to: "ada@turns.example", subject: "Code", text: "123456" })
  await service.advance("1 minute")
  expect(turnsOf.at(-1)).toEqual(["Transactional", takenBefore])
  expect(begun).toBeGreaterThan(begunBefore)
  await service.close()
})

it("a campaign decides on those who wait for room in the queue when there is some, and reaches them", async () => {
  let [decided, looked] = [0, 0]
  const counting = Layer.effect(
    CampaignStore,
    Effect.map(CampaignStore, (store) =>
      CampaignStore.of({
        ...store,
        decide: (accountId, id, decisions, at) => {
          decided += decisions.length
          return store.decide(accountId, id, decisions, at)
        },
        progress: (accountId, id) => {
          looked++
          return store.progress(accountId, id)
        }
      })
    )
  )
  const { addPeople, draft, manage, reached, service } = await startCampaigns({
    startAt,
    store: { ports: Layer.provideMerge(counting, Memory.layer) }
  })
  const { segment } = await addPeople("Queue", 40)
  await manage("PATCH", "/settings", { dailySendLimit: 2, transactionalReservePercent: 0 })
  const { act, id } = await draft("Queue", segment)
  await act("launch")
  await service.advance("10 minutes")
  const { progress, stats } = await manage<Shown>("GET", `/campaigns/${id}`)
  expect(progress.waiting).toContainEqual(
    expect.objectContaining({ reason: "sending.daily_cap", count: stats["pending"] })
  )
  expect(stats["submitted"]! - reached("Queue").length).toBeLessThanOrEqual(20)
  const [before, lookedBefore] = [decided, looked]
  await service.advance("12 hours")
  expect(decided - before).toBe(0)
  // Nothing can be sent before the next day, so it is checked hourly.
  expect(looked - lookedBefore).toBeLessThanOrEqual(12)
  await service.advance("3 days")
  expect(reached("Queue")).toHaveLength(8)
  // A changed limit shows at once.
  await manage("PATCH", "/settings", { dailySendLimit: 10, transactionalReservePercent: 50 })
  await service.advance("2 minutes")
  expect(reached("Queue")).toHaveLength(11)
  await manage("PATCH", "/settings", { transactionalReservePercent: 20 })
  await service.advance("2 minutes")
  expect(reached("Queue")).toHaveLength(14)
  await manage("PATCH", "/settings", { dailySendLimit: null })
  await service.advance("2 minutes")
  expect(new Set(reached("Queue")).size).toBe(40)
  expect((await manage<Shown>("GET", `/campaigns/${id}`)).status).toBe("Sent")
  await service.close()
})

it("a campaign pauses once its sender's domain is not aligned any more, and starts with aligned senders alone", async () => {
  const zone = new Map<string, ReadonlyArray<string>>()
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const { addPeople, draft, manage, service } = await startCampaigns({
    startAt,
    dns: {
      txt: (name) => {
        const found = zone.get(name)
        return found === undefined ? missing(name) : Effect.succeed(found)
      },
      mx: (name) => {
        const found = zone.get(name)
        if (found === undefined) return missing(name)
        return Effect.succeed(found.map((value) => ({ preference: 10, exchange: value.split(" ").at(-1)! })))
      },
      addresses: missing
    }
  })
  const { segment } = await addPeople("Aligned", 2)
  interface Domain {
    readonly id: string
    readonly records: ReadonlyArray<Readonly<Record<"name" | "type" | "value", string>>>
  }
  const { id: domainId, records } = await manage<Domain>("POST", "/domains", { domain: "news.example" })
  for (const { name, value } of records) zone.set(name, [...(zone.get(name) ?? []), value])
  await manage("POST", `/domains/${domainId}/verify`, {})
  const window = { days: [5], from: "09:00", to: "10:00" }
  const { act, read } = await draft("Aligned", segment, { from: { email: "a@news.example" }, window })
  await act("launch")
  await service.advance("2 hours")
  expect((await read()).status).toBe("Sending")
  zone.delete("_dmarc.news.example")
  // The result of a check is cached for an hour.
  await service.advance("70 minutes")
  expect(await read()).toMatchObject({ status: "Paused", statusReason: "campaigns.sender_failing" })
  const variant = { content: { subject: "Aligned", text: "Hello" } }
  const variants = [
    { ...variant, id: "a" },
    { ...variant, id: "b", from: { email: "b@news.example" } }
  ]
  const other = await draft("Variants", segment, { content: null, test: { variants, share: 50 } })
  const { findings } = await manage<{ readonly findings: ReadonlyArray<object> }>(
    "POST",
    `/campaigns/${other.id}/check`,
    {}
  )
  expect(findings).toContainEqual(
    expect.objectContaining({ code: "deliverability.sender_not_aligned", field: "test.variants[1].from" })
  )
  await service.close()
})
