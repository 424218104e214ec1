/**
 * Tests of which MTA-STS policy is in force for a domain, and of when a new one is fetched.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { Dns, DnsMissing, DnsUnavailable } from "../../../../core/ports/Dns.ts"
import { StsFetchFailed, StsPolicyClient } from "../../../../core/ports/StsPolicyClient.ts"
import { StsPolicyStore } from "../../../../core/ports/StsPolicyStore.ts"
import { slowMillis } from "../../../../core/sending/security/StsFetches.ts"
import { StsPolicies } from "../../../../core/sending/security/StsPolicies.ts"
import { Unavailable } from "../../../../core/shared/Problem.ts"

const begin = Date.UTC(2031, 4, 6)
const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** What a domain publishes; null if its name servers or its web server do not respond. */
interface Published {
  record: ReadonlyArray<string> | null
  text: string | null
  fetches: number
}

const policyOf = (mode: string, age: number) =>
  `version: STSv1\nmode: ${mode}\nmx: mx.example.org\nmax_age: ${age}\n`

/** A node that looks up the policy of one domain. `at` sets the time first. */
const node = (published: Published) =>
  Effect.map(
    StsPolicies.make,
    ({ of }) =>
      (at: number) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(begin + at)
          const known = yield* of("example.org", "one")
          return known._tag === "Busy" ? "busy" : (known.failure ?? known.rules?.mode ?? null)
        })
  ).pipe(
    Effect.provide([
      Layer.mock(Dns, {
        txt: (name) =>
          published.record === null
            ? Effect.fail(new DnsUnavailable({ name, reason: "servfail" }))
            : published.record.length === 0
              ? Effect.fail(new DnsMissing({ name }))
              : Effect.succeed(published.record)
      }),
      Layer.succeed(StsPolicyClient, {
        fetch: () =>
          Effect.suspend(() => {
            published.fetches++
            return published.text === null
              ? Effect.fail(new StsFetchFailed())
              : Effect.succeed(published.text)
          })
      })
    ])
  )

const publishing = (changes: Partial<Published> = {}): Published => ({
  record: ["v=STSv1; id=1"],
  text: policyOf("enforce", 604_800),
  fetches: 0,
  ...changes
})

const test = (name: string, body: Effect.Effect<void, Unavailable, Scope.Scope | StsPolicyStore>) =>
  it.effect(name, () => body.pipe(Effect.scoped, Effect.provide(memory, { local: true })))

describe("the policy of a domain", () => {
  test(
    "holds from its fetch to the end of its age, also for nodes that find nothing of it any more",
    Effect.gen(function* () {
      const published = publishing()
      const ask = yield* node(published)
      expect(yield* ask(0)).toBe("enforce")
      expect(yield* ask(hour)).toBe("enforce")
      expect(published.fetches).toBe(1)
      for (const record of [null, [], ["v=STSv1; id=1", "v=STSv1; id=2"], ["v=STSv1; id=?"]]) {
        const late = yield* node(publishing({ record, text: null }))
        expect(yield* late(6 * 24 * hour)).toBe("enforce")
        expect(yield* late(604_800 * second)).toBeNull()
      }
    })
  )

  test(
    "is fetched again each day, and when the record has another id",
    Effect.gen(function* () {
      const published = publishing()
      const ask = yield* node(published)
      expect(yield* ask(0)).toBe("enforce")
      expect(yield* ask(24 * hour - 1)).toBe("enforce")
      expect(published.fetches).toBe(1)
      published.text = policyOf("testing", 604_800)
      // The caller does not wait for a policy that the domain has not announced.
      yield* ask(24 * hour)
      expect(yield* ask(24 * hour)).toBe("testing")
      expect(published.fetches).toBe(2)
      published.record = ["v=STSv1; id=2"]
      published.text = policyOf("none", 604_800)
      expect(yield* ask(25 * hour)).toBe("none")
      expect(published.fetches).toBe(3)
    })
  )

  test(
    "stays in force while another cannot be had, which is tried after 5 minutes, an hour and 6 hours",
    Effect.gen(function* () {
      const published = publishing()
      const ask = yield* node(published)
      expect(yield* ask(0)).toBe("enforce")
      published.record = ["v=STSv1; id=2"]
      published.text = null
      let from = hour
      for (const pause of [5 * minute, hour, 6 * hour, 6 * hour]) {
        const { fetches } = published
        expect(yield* ask(from)).toBe("sts-policy-fetch-error")
        expect(yield* ask(from + 1)).toBe("enforce")
        expect(yield* ask(from + pause - 1)).toBe("enforce")
        expect(published.fetches).toBe(fetches + 1)
        from += pause
      }
      published.text = "version: STSv1\n"
      expect(yield* ask(from)).toBe("sts-policy-invalid")
    })
  )

  test(
    "of a short age or an id that always changes holds until it is fetched again, a minute later",
    Effect.gen(function* () {
      for (const age of [0, 1, 59]) {
        const published = publishing({ text: policyOf("enforce", age) })
        const ask = yield* node(published)
        const at = age * 24 * hour
        for (let passed = 0; passed < minute; passed += 5 * second) {
          published.record = [`v=STSv1; id=${passed}`]
          expect(yield* ask(at + passed)).toBe("enforce")
        }
        expect(published.fetches).toBe(1)
        expect(yield* ask(at + minute)).toBe("enforce")
        expect(published.fetches).toBe(2)
        published.text = null
        expect(yield* ask(at + 3 * minute)).toBe("sts-policy-fetch-error")
        expect(yield* ask(at + 3 * minute + 1)).toBeNull()
      }
    })
  )

  test(
    "is not known where the store cannot be read",
    Effect.gen(function* () {
      const broken = yield* node(publishing()).pipe(
        Effect.provide(
          Layer.mock(StsPolicyStore, { find: () => Effect.fail(new Unavailable({ cause: "down" })) })
        )
      )
      expect(yield* broken(2)).toBe("busy")
    })
  )

  /**
   * A node that looks up the policies of many domains. The servers of `slow.` domains never respond. Also the domains being
   * fetched.
   */
  const busyNode = Effect.gen(function* () {
    const running: Array<string> = []
    const { of } = yield* Effect.provide(StsPolicies.make, [
      Layer.mock(Dns, { txt: () => Effect.succeed(["v=STSv1; id=2"]) }),
      Layer.succeed(StsPolicyClient, {
        fetch: (domain) =>
          domain.startsWith("slow.")
            ? Effect.acquireUseRelease(
                Effect.sync(() => running.push(domain)),
                // The time limit of a fetch.
                () => Effect.andThen(Effect.sleep("10 seconds"), Effect.fail(new StsFetchFailed())),
                () => Effect.sync(() => running.splice(running.indexOf(domain), 1))
              )
            : Effect.delay(
                Effect.succeed(policyOf("enforce", 604_800)),
                domain.startsWith("honest.") ? "3500 millis" : 0
              )
      })
    ])
    const ask = (domain: string, accountId = "one") =>
      Effect.map(of(domain, accountId), (known) =>
        known._tag === "Busy" ? known.waitMillis : (known.failure ?? known.rules?.mode ?? null)
      )
    /** Looks up the policies of slow domains, and advances the clock. */
    const slowly = Effect.fnUntraced(function* (names: ReadonlyArray<number>, millis: number) {
      const asked = yield* Effect.forkChild(
        Effect.forEach(names, (name) => ask(`slow.${name}.example`), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust(millis)
      return asked
    })
    return { ask, running, slowly }
  })

  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)

  test(
    "is fetched at once although 20 servers are slow, whose domains' mail waits",
    Effect.gen(function* () {
      const { ask, running, slowly } = yield* busyNode
      const first = yield* slowly(numbers(0, 20), slowMillis)
      expect(running).toHaveLength(20)
      // No caller waits for more than a second.
      expect(new Set(yield* Fiber.join(first))).toEqual(new Set([2_000]))
      expect(yield* ask("quick.example")).toBe("enforce")
      expect(running).toHaveLength(19)
      // An interrupted fetch starts again when its mail is retried, and the oldest one is interrupted instead.
      yield* TestClock.adjust(2_000)
      yield* slowly([0, 1], 0)
      expect([...running].toSorted()).toHaveLength(20)
      expect(yield* ask("another.example")).toBe("enforce")
    })
  )

  test(
    "is fetched at once although another account's mail needs those of 20 servers",
    Effect.gen(function* () {
      const { ask, running, slowly } = yield* busyNode
      yield* slowly(numbers(0, 20), 1)
      expect(yield* ask("quick.example")).toBe(2_000)
      expect(yield* ask("quick.example", "two")).toBe("enforce")
      expect(running).toHaveLength(19)
      // Further fetches of the first account interrupt none of the second's.
      const own = yield* Effect.forkChild(ask("slow.own.example", "two"))
      yield* slowly(numbers(20, 40), slowMillis)
      yield* slowly(numbers(60, 40), slowMillis)
      expect(running).toHaveLength(20)
      expect(running).toContain("slow.own.example")
      yield* Fiber.interrupt(own)
    })
  )

  test(
    "counts as missing once a fetch lasted as long as one may, however often it made way before",
    Effect.gen(function* () {
      const { ask, slowly } = yield* busyNode
      const results: Array<unknown> = []
      for (let turn = 0; turn < 20; turn++) {
        yield* slowly([0], 1)
        yield* slowly(numbers(20 * turn + 1, 19), slowMillis)
        // One of the fetches that have used up their time is interrupted.
        expect(yield* ask(`quick.${turn}.example`)).toBe("enforce")
        yield* TestClock.adjust(2_000)
        const asked = yield* slowly([0], slowMillis)
        results.push(...(yield* Fiber.join(asked)))
      }
      expect(results.slice(0, 3)).toEqual([2_000, 2_000, 2_000])
      expect(results).toContain(null)
    })
  )

  test(
    "of a server that is slow and honest is had although accounts without number ask for those of servers that never answer",
    Effect.gen(function* () {
      const { ask, running } = yield* busyNode
      const results: Array<unknown> = []
      let domains = 0
      for (let round = 0; round < 60 && results.at(-1) !== "enforce"; round++) {
        yield* Effect.forkChild(
          Effect.forEach(
            numbers(0, 40),
            (account) => ask(`slow.${domains++}.example`, `attacker${account}`),
            {
              concurrency: "unbounded"
            }
          )
        )
        const own = yield* Effect.forkChild(ask("honest.example", "own"))
        yield* TestClock.adjust(slowMillis)
        results.push(yield* Fiber.join(own))
        yield* TestClock.adjust(1_000)
      }
      expect(running.length).toBeLessThanOrEqual(20)
      expect(new Set(results)).toEqual(new Set([2_000, "enforce"]))
    })
  )

  test(
    "holds while a slow server keeps the next one",
    Effect.gen(function* () {
      const published = publishing()
      const ask = yield* node(published)
      expect(yield* ask(0)).toBe("enforce")
      const { ask: askSlow } = yield* busyNode
      const store = yield* StsPolicyStore
      const current = (yield* store.find("example.org"))!
      yield* store.save({ ...current, domain: "slow.known.example" })
      const waiting = yield* Effect.forkChild(askSlow("slow.known.example"))
      yield* TestClock.adjust(slowMillis)
      expect(yield* Fiber.join(waiting)).toBe("enforce")
    })
  )
})
