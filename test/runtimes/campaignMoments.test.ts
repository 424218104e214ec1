/**
 * Tests withdrawals, suppressions and erasures at each moment of a campaign. Once such a call has returned, no message is sent to
 * that person. Nothing of an erased person is left, the others get their messages, and the campaign ends.
 *
 * @module
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Campaigns, startCampaigns, type Stores } from "../support/campaigns.ts"
import { eventually } from "../support/client.ts"
import { answering, refusing } from "../support/fakeTransport.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Page } from "../support/shapes.ts"

/** A Monday, 00:00 UTC. */
const startAt = Date.UTC(2031, 2, 3)
const hour = 3_600_000

const stores: Stores = {
  memory: async () => "memory",
  PGlite: async () => "pglite",
  PostgreSQL: async () => ({ url: await freshDatabase() })
}

interface Person {
  readonly id: string
  readonly email: string
}

/** The actions of people and the company. Each is named by the resulting state of the recipient, if not submitted yet. */
const acts = ({ api, manage, target }: Campaigns) => {
  const post = async ({ id }: Person, page: "preferences" | "unsubscribe", form: Record<string, string>) => {
    const links = await manage<Readonly<Record<typeof page, string>>>("POST", `/contacts/${id}/links`)
    const response = await target.fetch(links[page], {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
      redirect: "manual"
    })
    expect(response.status).toBeLessThan(400)
  }
  return {
    unsubscribe: ({ id }: Person) => api("POST", "/contacts", { id, consent: { basis: "Unsubscribed" } }),
    oneClick: (person: Person) => post(person, "unsubscribe", { "List-Unsubscribe": "One-Click" }),
    page: (person: Person) => post(person, "preferences", { action: "unsubscribe" }),
    topic: ({ id }: Person) => api("POST", "/contacts", { id, topics: { news: false } }),
    suppress: ({ email }: Person) => manage("POST", "/suppressions", { email, kind: "Complained" }),
    bounce: ({ email }: Person) => manage("POST", "/suppressions", { email, kind: "Bounced" }),
    erase: ({ id }: Person) => api("DELETE", `/contacts/${id}`)
  }
}

/** A campaign that is taken to a moment at which people withdraw, and from there to its end. */
interface Course {
  readonly world: Campaigns
  readonly campaign: Awaited<ReturnType<Campaigns["draft"]>>
  readonly people: number
  readonly withdraw: () => Promise<void>
}

const launched = async ({ campaign, world }: Course) => {
  await campaign.act("launch")
  await world.service.settle()
}

/** The moments, with additional settings of the campaign. */
const moments: Readonly<Record<string, readonly [object, (course: Course) => Promise<void>]>> = {
  "before the audience is read": [
    {},
    async (course) => {
      await course.withdraw()
      await launched(course)
    }
  ],
  "after the audience is read": [
    { window: { from: "10:00", to: "11:00" } },
    async (course) => {
      await launched(course)
      expect((await course.campaign.read()).stats.pending).toBe(course.people)
      await course.withdraw()
    }
  ],
  "before the claim": [
    {},
    async (course) => {
      const { service, transport } = course.world
      const at = service.now() + hour
      transport.script = refusing({ _tag: "Busy", at })
      await launched(course)
      expect((await course.campaign.read()).stats.submitted).toBe(course.people)
      await course.withdraw()
      transport.script = answering({ _tag: "Delivered" })
    }
  ],
  "before the last byte": [
    {},
    async (course) => {
      const { transport } = course.world
      let go = () => {}
      const going = new Promise<void>((resolve) => {
        go = resolve
      })
      const before = transport.asked.length
      const deliver = answering({ _tag: "Delivered" })
      transport.script = (...parameters) =>
        Effect.andThen(
          Effect.promise(() => going),
          deliver(...parameters)
        )
      await course.campaign.act("launch")
      await eventually(
        () => Promise.resolve(transport.asked.length - before),
        (asked) => asked === course.people
      )
      await course.withdraw()
      go()
    }
  ],
  "before it is tried again": [
    {},
    async (course) => {
      const { transport } = course.world
      transport.script = refusing({ _tag: "Deferred" })
      await launched(course)
      await course.withdraw()
      transport.script = answering({ _tag: "Delivered" })
    }
  ],
  "while it is paused": [
    {},
    async (course) => {
      const { service, transport } = course.world
      transport.script = refusing({ _tag: "Busy", at: service.now() + 60_000 })
      await launched(course)
      await course.campaign.act("pause")
      await course.withdraw()
      transport.script = answering({ _tag: "Delivered" })
      await service.advance("2 hours")
      expect((await course.campaign.read()).status).toBe("Paused")
      await course.campaign.act("resume")
    }
  ]
}

describe.each(Object.entries(stores))("withdrawals from a campaign over %s", (_, makeStore) => {
  it("are in force at every moment", { timeout: 120_000 }, async () => {
    await using stack = new AsyncDisposableStack()
    const world = await startCampaigns({ store: await makeStore(), startAt })
    stack.defer(world.service.close)
    await world.manage("POST", "/topics", { key: "news", name: "News" })
    const names = Object.keys(acts(world)) as ReadonlyArray<keyof ReturnType<typeof acts>>
    for (const [index, [moment, [write, bring]]] of Object.entries(moments).entries()) {
      const city = `moment${index}`
      // Two further people stay, and the last one gets another address.
      const { ids, segment } = await world.addPeople(city, names.length + 3)
      const people = ids.map((id, number) => ({ id, email: `p${number}@${city}.example` }))
      const moving = people.at(-1)!
      const reached = people.slice(names.length, -1).map(({ email }) => email)
      const campaign = await world.draft(city, segment, { topic: "news", ...write })
      let answered = 0
      const withdraw = async () => {
        for (const [number, name] of names.entries()) await acts(world)[name](people[number]!)
        // A message submitted for the old address is not sent, and no one gets a second one.
        const email = `moved@${city}.example`
        if ((await campaign.read()).stats.submitted === 0) reached.unshift(email)
        await world.api("POST", "/contacts", { id: moving.id, email })
        answered = world.transport.left.length
      }
      await bring({ world, campaign, people: people.length, withdraw })
      // Its emails are also retried after the campaign is sent.
      let step = 0
      do await world.service.advance("2 hours")
      while (++step < 12 && (await campaign.read()).status !== "Sent")
      const { stats, status } = await campaign.read()
      expect([moment, status, stats.pending]).toEqual([moment, "Sent", 0])
      const left = world.transport.left.slice(answered).map(({ recipient }) => recipient)
      expect([moment, left.toSorted()]).toEqual([moment, reached])
      expect([moment, world.reached(city)]).toEqual([moment, reached])
      expect(await campaign.isCounted()).toBe(true)
      // The erased person is in none of the counts, and nothing refers to them.
      const gone = people[names.indexOf("erase")]!
      expect(stats.audience).toBe(people.length - 1)
      expect(stats.audience).toBe(stats.submitted + stats.skipped + stats.heldOut + stats.cancelled)
      const listed = await world.manage<Page<{ readonly contactId: string }>>(
        "GET",
        `/campaigns/${campaign.id}/recipients?limit=100`
      )
      expect(listed.items.map(({ contactId }) => contactId)).not.toContain(gone.id)
      const emails = await world.manage<Page<unknown>>("GET", `/emails?q=${encodeURIComponent(gone.email)}`)
      expect(emails.items).toEqual([])
    }
  })

  it("keep the audience and the content of their start", { timeout: 60_000 }, async () => {
    await using stack = new AsyncDisposableStack()
    const world = await startCampaigns({ store: await makeStore(), startAt })
    stack.defer(world.service.close)
    const { api, manage, service } = world
    const { ids, segment } = await world.addPeople("fixed", 4)
    const { ids: strangers } = await world.addPeople("elsewhere", 1)
    const template = await manage<{ readonly id: string }>("POST", "/templates", {
      name: "Fixed",
      subject: "Fixed",
      html: "<p>{{ contact.email }}</p>"
    })
    const campaign = await world.draft("Fixed", segment, {
      content: { templateId: template.id },
      pace: { emails: 1, per: "Hour" }
    })
    await campaign.act("launch")
    await eventually(
      () => Promise.resolve(world.reached("Fixed").length),
      (count) => count === 1
    )
    expect((await campaign.read()).stats.audience).toBe(4)
    // One person enters the segment, all others leave it, and it now consists of other people.
    await api("POST", "/contacts", { id: strangers[0], city: "fixed" })
    await api("POST", "/contacts", {
      email: "new@fixed.example",
      city: "fixed",
      consent: { basis: "Customer" }
    })
    for (const id of ids) await api("POST", "/contacts", { id, city: "away" })
    const rules = [{ fieldKey: "city", operator: "Equals", value: "nowhere" }]
    await manage("PATCH", `/segments/${segment}`, { definition: { join: "All", rules } })
    await manage("PATCH", `/templates/${template.id}`, { subject: "Changed", html: "<p>Changed</p>" })
    await service.advance("12 hours")
    const { stats, status } = await campaign.read()
    expect([status, stats.audience, stats.submitted]).toEqual(["Sent", 4, 4])
    expect(world.reached("Fixed")).toEqual([0, 1, 2, 3].map((index) => `p${index}@fixed.example`))
    expect(world.reached("Changed")).toEqual([])
    expect(await campaign.isCounted()).toBe(true)
  })

  it("leave the last tenth of a daily limit to transactional email", { timeout: 60_000 }, async () => {
    await using stack = new AsyncDisposableStack()
    const world = await startCampaigns({ store: await makeStore(), startAt: startAt + 21 * hour })
    stack.defer(world.service.close)
    const { api, manage, service } = world
    await manage("PATCH", "/settings", { dailySendLimit: 10 })
    const { segment } = await world.addPeople("tenth", 12)
    const campaign = await world.draft("Tenth", segment)
    await campaign.act("launch")
    await eventually(
      () => Promise.resolve(world.reached("Tenth").length),
      (count) => count === 9
    )
    for (const number of [1, 2]) {
      await api("POST", "/sending/emails", { to: `t${number}@tenth.example`, subject: "Code", text: "1" })
    }
    await eventually(
      () => Promise.resolve(world.reached("Code").length),
      (count) => count === 1
    )
    await service.advance("1 hour")
    expect([world.reached("Tenth").length, world.reached("Code").length]).toEqual([9, 1])
    // The day of the limit ends.
    await service.advance("3 hours")
    expect(world.reached("Tenth")).toHaveLength(12)
    expect(world.reached("Code")).toHaveLength(2)
    expect((await campaign.read()).status).toBe("Sent")
  })

  it(
    "reach no address twice that another person has by then, or one that is added again",
    { timeout: 60_000 },
    async () => {
      await using stack = new AsyncDisposableStack()
      const world = await startCampaigns({ store: await makeStore(), startAt })
      stack.defer(world.service.close)
      const { api, service } = world
      const { ids, segment } = await world.addPeople("swap", 4)
      const pace = { emails: 1, per: "Hour" }
      const campaign = await world.draft("Swapped", segment, { pace })
      await Promise.all([campaign.act("launch"), campaign.act("launch")])
      const [first] = await eventually(
        () => Promise.resolve(world.reached("Swapped")),
        ({ length }) => length > 0
      )
      const index = Number(/\d+/.exec(first!)![0])
      const others = ids.filter((id) => id !== ids[index])
      const emailOf = (id: string) => `p${ids.indexOf(id)}@swap.example`
      // A person who got it and a person who will get it exchange addresses.
      const write = (id: string, email: string) => api("POST", "/contacts", { id, email })
      await write(ids[index]!, "away@swap.example")
      await write(others[0]!, first!)
      await write(ids[index]!, emailOf(others[0]!))
      await api("DELETE", `/contacts/${others[1]}`)
      await service.advance("12 hours")
      const { stats, status } = await campaign.read()
      expect([status, world.reached("Swapped")]).toEqual(["Sent", [first, emailOf(others[2]!)].toSorted()])
      expect(stats).toMatchObject({ audience: 3, submitted: 2, skipped: 1 })
      expect(await campaign.isCounted()).toBe(true)
    }
  )
})
