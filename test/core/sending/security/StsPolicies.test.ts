/**
 * Which MTA-STS policy is in force for a domain, and when another is fetched.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { Dns, DnsMissing, DnsUnavailable } from "../../../../core/ports/Dns.ts"
import { StsFetchFailed, StsPolicyClient } from "../../../../core/ports/StsPolicyClient.ts"
import { StsPolicyStore } from "../../../../core/ports/StsPolicyStore.ts"
import { StsPolicies } from "../../../../core/sending/security/StsPolicies.ts"
import { Unavailable } from "../../../../core/shared/Problem.ts"

const begin = Date.UTC(2031, 4, 6)
const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** What a domain publishes; null where its name servers, or its web server, do not answer. */
interface Published {
  record: ReadonlyArray<string> | null
  text: string | "Busy" | null
  fetches: number
}

const policyOf = (mode: string, age: number) =>
  `version: STSv1\nmode: ${mode}\nmx: mx.example.org\nmax_age: ${age}\n`

/** Looks up the policy of one domain as one node; `at` sets the time first. */
const node = (published: Published) =>
  Effect.map(
    StsPolicies.make,
    ({ of }) =>
      (at: number) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(begin + at)
          const known = yield* of("example.org")
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
            return published.text === null || published.text === "Busy"
              ? Effect.fail(new StsFetchFailed({ reason: published.text ?? "Failed" }))
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

const test = (name: string, body: Effect.Effect<void, never, Scope.Scope | StsPolicyStore>) =>
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
      // Nobody waits for what the domain does not announce.
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
    "is not known while too many are fetched, and where the store cannot be read",
    Effect.gen(function* () {
      const published = publishing({ text: "Busy" })
      const ask = yield* node(published)
      expect(yield* ask(0)).toBe("busy")
      published.text = policyOf("enforce", 604_800)
      expect(yield* ask(1)).toBe("enforce")
      const broken = yield* node(published).pipe(
        Effect.provide(
          Layer.mock(StsPolicyStore, { find: () => Effect.fail(new Unavailable({ cause: "down" })) })
        )
      )
      expect(yield* broken(2)).toBe("busy")
      // One that is known stays in force meanwhile.
      published.text = "Busy"
      published.record = ["v=STSv1; id=2"]
      expect(yield* ask(hour)).toBe("enforce")
    })
  )
})
