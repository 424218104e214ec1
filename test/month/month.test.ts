/**
 * A month of an account, lived in a minute: 30 days of people, flows, mail, webhooks and a shop, drawn from a seed.
 * After every hour everything there is is looked at, and two months of one seed are the same to the last byte.
 *
 * SVC_TEST_PEOPLE says how many people there are; 250 unless it does, so that the month takes less than a minute. Ten
 * thousand take ten minutes and more, since every row there is is looked at every hour; what is printed then is the
 * same of every run.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { start } from "../../runtimes/embedded/index.ts"
import { openCompany } from "./company.ts"
import { makeChecks } from "./invariants.ts"
import { Ledger } from "./Ledger.ts"
import { makeHours } from "./life.ts"
import { makeWorld } from "./world.ts"

const startAt = Date.UTC(2031, 2, 3)
const people = Number(process.env["SVC_TEST_PEOPLE"] ?? 250)

/** Lives so many days of a seed, then whatever is needed for what was begun to end. */
const live = async (seed: string, crowd: number, days: number, rest: number) => {
  const ledger = new Ledger()
  let now = () => startAt
  const world = await makeWorld(seed, ledger, () => now())
  const service = await start({
    seed,
    startAt,
    store: { ports: world.ports },
    dns: world.dns,
    transport: world.transport,
    replaced: world.replaced
  })
  now = service.now
  try {
    const door = {
      managementToken: service.managementToken,
      fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
    }
    const company = await openCompany(door, world, startAt, crowd)
    const hour = makeHours({ service, door, company, world, ledger, people: crowd }, seed)
    const checks = makeChecks(service, world, company, ledger)
    await service.settle()
    let seen = await checks.hourly(1)
    for (let count = 0; count < days * 24; count++) {
      await hour(count)
      await service.advance("1 hour")
      seen = await checks.hourly(count)
      expect(ledger.faults, `hour ${count}`).toEqual([])
    }
    for (let count = days * 24; count < (days + rest) * 24; count += 6) {
      await service.advance("6 hours")
      seen = await checks.hourly(count)
      expect(ledger.faults, `hour ${count}`).toEqual([])
    }
    return {
      ledger,
      seen,
      counts: world.counts(),
      standing: await company.standing(),
      state: checks.stateDigest(),
      mail: world.mailDigest()
    }
  } finally {
    await service.close()
  }
}

describe("a month", () => {
  it(
    `of ${people} people keeps every promise at every hour`,
    { timeout: Math.max(600_000, people * 600) },
    async () => {
      const { counts, ledger, mail, seen, standing, state } = await live("month", people, 30, 14)
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
      // Only what comes round for ever is still to be done, and to forget what imports said.
      const lasting = ["domains", "imports", "retention"]
      expect([...seen.jobs.keys()].filter((queue) => !lasting.includes(queue))).toEqual([])
      // That a month kept every promise says something only of a month in which much was promised.
      expect(counts.departed).toBeGreaterThan(5 * people)
      expect(counts.moved).toBeGreaterThan(counts.departed)
      expect(seen.runs).toBeGreaterThan(2 * people)
      expect(seen.orders).toBeGreaterThan(0)
      expect(ledger.erased.size).toBeGreaterThan(20)
      expect(ledger.suppressed.size).toBeGreaterThan(10)
      expect(ledger.notifications().most).toBe(6)
    }
  )

  it(
    "is the same to the last byte for the same seed, and another for another",
    { timeout: 240_000 },
    async () => {
      const [first, again, other] = [
        await live("seed", 60, 16, 0),
        await live("seed", 60, 16, 0),
        await live("other seed", 60, 2, 0)
      ]
      expect([again.state, again.mail]).toEqual([first.state, first.mail])
      expect(other.state).not.toBe(first.state)
      expect(other.mail).not.toBe(first.mail)
    }
  )
})
