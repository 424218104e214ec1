/**
 * Tests pausing and cancelling a campaign to 100,000 people, or to a thousand on PGlite. The call returns and takes effect within
 * seconds, and other mail is sent meanwhile.
 *
 * @module
 */
import { Effect } from "effect"
import { setTimeout as delay } from "node:timers/promises"
import { expect, it } from "vitest"
import { startCampaigns } from "../support/campaigns.ts"
import { eventually } from "../support/client.ts"
import { answering } from "../support/fakeTransport.ts"
import { freshDatabase, query } from "../support/postgres.ts"

/** The most emails of a campaign that wait for their first attempt. */
const mostQueued = 5_000
/** How long pausing or cancelling may take, in milliseconds. */
const inForce = 2_000
const settling = { timeout: 120_000, interval: 200 }

/** The number of people on each database, and how many of them are added through the API. The others are copies of the first. */
const databases = [
  { name: "PostgreSQL", people: 100_000, added: 1 },
  { name: "PGlite", people: 1_000, added: 1_000 }
]

it.each(databases)(
  "a campaign over $name is paused and cancelled within 2 s",
  { timeout: 180_000 },
  async (given) => {
    const { added, name, people } = given
    const url = name === "PGlite" ? null : await freshDatabase()
    const world = await startCampaigns({ store: url === null ? "pglite" : { url } })
    const { service, transport } = world
    const { ids, segment } = await world.addPeople("crowd", added)
    if (url !== null) {
      await query(
        url,
        `insert into contacts select p.* from contacts c cross join generate_series(2, ${people}) n
      cross join lateral jsonb_populate_record(c, jsonb_build_object(
        'id', '01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'email', 'copy-' || n || '@crowd.example'
      )) p where c.id = '${ids[0]}'`
      )
    }
    // The more emails wait, the more a stop has to hold back.
    const queued = Math.min(mostQueued, people / 2)
    const campaign = await world.draft("Crowd", segment)
    // Slow servers, so that as many emails as possible are in flight.
    const deliver = answering({ _tag: "Delivered" })
    transport.script = (message, point) =>
      message.subject === "Crowd"
        ? Effect.andThen(Effect.sleep(1_000), deliver(message, point))
        : deliver(message, point)
    await campaign.act("launch")
    const underWay = async () => {
      const { stats } = await campaign.read()
      return stats.audience === people && stats.submitted >= queued && transport.active > 0
    }
    await expect.poll(underWay, settling).toBe(true)
    // No other email is queued behind these.
    const before = world.reached("Crowd").length
    await world.api("POST", "/sending/emails", { to: "ada@example.org", subject: "beside", text: "Hello" })
    await eventually(
      () => Promise.resolve(world.reached("beside").length),
      (count) => count === 1
    )
    expect(world.reached("Crowd").length - before).toBeLessThan(queued / 2)
    const stopped = async (action: "cancel" | "pause", status: string) => {
      const began = performance.now()
      expect((await campaign.act(action)).status).toBe(status)
      const took = performance.now() - began
      expect(took < inForce ? "in time" : took).toBe("in time")
      const left = world.reached("Crowd").length
      await world.api("POST", "/sending/emails", { to: "ada@example.org", subject: action, text: "Hello" })
      await eventually(
        () => Promise.resolve(world.reached(action).length),
        (count) => count === 1
      )
      // Longer than the emails in flight take.
      await delay(2_000)
      expect(world.reached("Crowd").length).toBe(left)
      return left
    }
    const atPause = await stopped("pause", "Paused")
    await campaign.act("resume")
    await eventually(
      () => Promise.resolve(world.reached("Crowd").length),
      (count) => count > atPause
    )
    const reached = await stopped("cancel", "Cancelled")
    await expect.poll(async () => (await campaign.read()).stats.pending, settling).toBe(0)
    await service.settle()
    const { stats } = await campaign.read()
    expect(stats.audience).toBe(people)
    expect(stats.audience).toBe(stats.submitted + stats.skipped + stats.heldOut + stats.cancelled)
    expect(new Set(world.reached("Crowd")).size).toBe(reached)
    expect(await campaign.isCounted()).toBe(true)
    await service.close()
  }
)
