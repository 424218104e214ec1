/**
 * Simulates a month of an account in a minute: 30 days of people, flows, mail, webhooks and a shop, derived from a seed. Every
 * invariant is checked after each hour, and two simulations of one seed are identical to the last byte.
 *
 * SVC_TEST_PEOPLE sets the number of people, by default 250. Ten thousand take ten minutes and more, because every row is checked
 * each hour. The totals, which are then printed, are the same in every run.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { start } from "../../runtimes/embedded/index.ts"
import { makeCampaigns } from "./campaigns.ts"
import { openCompany } from "./company.ts"
import { makeChecks } from "./invariants.ts"
import { Model } from "./Model.ts"
import { activeHours, makeWorkload } from "./workload.ts"
import { makeEnvironment } from "./environment.ts"

const startAt = Date.UTC(2031, 2, 3)
const people = Number(process.env["SVC_TEST_PEOPLE"] ?? 250)

/** Simulates `days` days of a seed with `count` people, then `rest` days without new activity, so that all work ends. */
const simulate = async (seed: string, count: number, days: number, rest: number) => {
  const model = new Model()
  let now = () => startAt
  const environment = await makeEnvironment(seed, model, () => now())
  const service = await start({
    seed,
    startAt,
    store: { ports: environment.ports },
    dns: environment.dns,
    transport: environment.transport,
    replaced: environment.replaced
  })
  now = service.now
  try {
    const entryPoint = {
      managementToken: service.managementToken,
      fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
    }
    const company = await openCompany(entryPoint, environment, startAt, count)
    const runHour = makeWorkload({ service, entryPoint, company, environment, model, people: count }, seed)
    const campaigns = makeCampaigns({ service, company, model }, seed)
    const checks = makeChecks(service, environment, company, model)
    await service.settle()
    let seen = await checks.hourly(1)
    for (let hour = 0; hour < days * 24; hour++) {
      await runHour(hour)
      await campaigns.operate(hour, hour < activeHours)
      await service.advance("1 hour")
      seen = await checks.hourly(hour)
      expect(model.faults, `hour ${hour}`).toEqual([])
    }
    for (let hour = days * 24; hour < (days + rest) * 24; hour += 6) {
      await service.advance("6 hours")
      seen = await checks.hourly(hour)
      expect(model.faults, `hour ${hour}`).toEqual([])
    }
    return {
      model,
      seen,
      campaigns: rest > 0 ? await campaigns.ended() : null,
      counts: environment.counts(),
      standing: await company.standing(),
      state: checks.stateDigest(),
      mail: environment.mailDigest()
    }
  } finally {
    await service.close()
  }
}

describe("a month", () => {
  it(
    `with ${people} people keeps every invariant at every hour`,
    { timeout: Math.max(600_000, people * 600) },
    async () => {
      const { campaigns, counts, model, mail, seen, standing, state } = await simulate(
        "month",
        people,
        30,
        14
      )
      if (process.env["SVC_TEST_PEOPLE"] !== undefined)
        process.stdout.write(
          `${JSON.stringify({ ...counts, runs: seen.runs, orders: seen.orders, state, mail })}\n`
        )
      expect(standing).toEqual({
        domain: "Verified",
        webhooks: {
          "https://good.example/hook": "Active",
          "https://patient.example/hook": "Active",
          "https://dead.example/hook": "Stopped"
        }
      })
      expect(seen).toMatchObject({ pending: 0, active: 0 })
      // Only recurring jobs are left, and those that prune imports.
      const lasting = ["domains", "imports", "retention"]
      expect([...seen.jobs.keys()].filter((queue) => !lasting.includes(queue))).toEqual([])
      // The result only means something if much has happened.
      expect(counts.departed).toBeGreaterThan(5 * people)
      expect(counts.moved).toBeGreaterThan(counts.departed)
      expect(seen.runs).toBeGreaterThan(2 * people)
      expect(seen.orders).toBeGreaterThan(0)
      expect(campaigns).toEqual({ count: 9, statuses: ["Cancelled", "Sent"] })
      expect(model.campaigned()).toBeGreaterThan(3 * people)
      expect(model.erased.size).toBeGreaterThan(20)
      expect(model.suppressed.size).toBeGreaterThan(10)
      expect(model.notifications().most).toBe(6)
    }
  )

  it(
    "is identical to the last byte for the same seed, and different for another",
    { timeout: 240_000 },
    async () => {
      const [first, again, other] = [
        await simulate("seed", 60, 16, 0),
        await simulate("seed", 60, 16, 0),
        await simulate("other seed", 60, 2, 0)
      ]
      expect([again.state, again.mail]).toEqual([first.state, first.mail])
      expect(other.state).not.toBe(first.state)
      expect(other.mail).not.toBe(first.mail)
    }
  )
})
