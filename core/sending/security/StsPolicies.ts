/**
 * Finds the MTA-STS policy that is in force for a domain: stored for all nodes until it expires, fetched when the domain
 * announces another, and daily (RFC 8461, 3.3 and 5.1).
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import type { StsPolicy, StsRules } from "../../model/StsPolicy.ts"
import { Dns } from "../../ports/Dns.ts"
import { StsPolicyClient } from "../../ports/StsPolicyClient.ts"
import { StsPolicyStore } from "../../ports/StsPolicyStore.ts"
import { type TlsResult } from "../../model/TlsTerms.ts"
import { announcedId, parseStsPolicy } from "./StsRules.ts"

const minute = 60_000
const dayMillis = 1_440 * minute
/** How long a stored policy is remembered by a process. */
const rememberedFor = "1 minute"
const maxRemembered = 10_000
/** The pauses after a fetch that failed, milliseconds; the last is repeated. */
const retryMillis = [5 * minute, 60 * minute, 360 * minute] as const
/** The pause after one that succeeded: an id that changes each time is not followed each time. */
const settledMillis = minute
/** When a delivery is tried again that needs a policy while many are fetched, milliseconds. */
const busyMillis = 5_000
const unavailableMillis = 1_000

/** The policy of a domain, as far as it was looked up. */
export type KnownPolicy =
  /** The policy in force, null for none; `failure` says why one could not be fetched just now. */
  | { readonly _tag: "Known"; readonly rules: StsRules | null; readonly failure: TlsResult | null }
  /** Not known yet. */
  | { readonly _tag: "Busy"; readonly waitMillis: number }

type Fetched =
  | { readonly _tag: "Policy"; readonly policy: StsPolicy }
  | { readonly _tag: "Failed"; readonly result: TlsResult }
  | { readonly _tag: "Busy" }

/** Finds policies. */
export class StsPolicies extends Context.Service<
  StsPolicies,
  { readonly of: (domain: string) => Effect.Effect<KnownPolicy> }
>()("svc/sending/StsPolicies", {
  make: Effect.gen(function* () {
    const client = yield* StsPolicyClient
    const dns = yield* Dns
    const store = yield* StsPolicyStore
    const scope = yield* Effect.scope
    const stored = yield* Cache.makeWith((domain: string) => store.find(domain), {
      capacity: maxRemembered,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : 0)
    })
    /** The fetches in progress. */
    const fetching = new Map<string, Fiber.Fiber<Fetched>>()
    /** When a domain's policy may be fetched again, and how often that failed; the oldest entry first. */
    const turns = new Map<string, { readonly at: number; readonly failures: number }>()

    const remember = (domain: string, at: number, failures: number) => {
      turns.delete(domain)
      turns.set(domain, { at, failures })
      if (turns.size > maxRemembered) turns.delete(turns.keys().next().value!)
    }

    const announced = (domain: string) =>
      dns.txt(`_mta-sts.${domain}`).pipe(
        Effect.map(announcedId),
        Effect.catch(() => Effect.succeed(null))
      )

    const fetchNow = Effect.fnUntraced(function* (domain: string, policyId: string) {
      const got = yield* Effect.result(client.fetch(domain))
      const now = yield* Clock.currentTimeMillis
      if (got._tag === "Failure" && got.failure.reason === "Busy") return { _tag: "Busy" } satisfies Fetched
      const rules = got._tag === "Success" ? parseStsPolicy(got.success) : null
      if (rules === null) {
        const failures = (turns.get(domain)?.failures ?? 0) + 1
        remember(domain, now + retryMillis[Math.min(failures, retryMillis.length) - 1]!, failures)
        const result = got._tag === "Success" ? "sts-policy-invalid" : "sts-policy-fetch-error"
        return { _tag: "Failed", result } satisfies Fetched
      }
      remember(domain, now + settledMillis, 0)
      const policy: StsPolicy = {
        domain,
        policyId,
        ...rules,
        fetchedAt: now,
        // It holds at least until another may be fetched: a shorter age would leave the domain without a policy meanwhile.
        expiresAt: now + Math.max(rules.maxAge * 1000, settledMillis)
      }
      // A policy that cannot be stored holds for this process.
      yield* Effect.ignore(store.save(policy))
      yield* Cache.set(stored, domain, policy)
      return { _tag: "Policy", policy } satisfies Fetched
    })

    /** Fetches in the background, once for all who ask at the same time. */
    const fetch = Effect.fnUntraced(function* (domain: string, policyId: string) {
      const running = fetching.get(domain)
      if (running !== undefined) return running
      const fiber = yield* Effect.forkIn(
        Effect.ensuring(
          fetchNow(domain, policyId),
          Effect.sync(() => fetching.delete(domain))
        ),
        scope
      )
      if (fiber.pollUnsafe() === undefined) fetching.set(domain, fiber)
      return fiber
    })

    const known = (rules: StsRules | null, failure: TlsResult | null = null): KnownPolicy => ({
      _tag: "Known",
      rules,
      failure
    })

    return {
      of: Effect.fnUntraced(
        function* (domain) {
          const found = yield* Cache.get(stored, domain)
          const id = yield* announced(domain)
          const now = yield* Clock.currentTimeMillis
          const current = found !== null && found.expiresAt > now ? found : null
          const mayFetch = id !== null && (turns.get(domain)?.at ?? 0) <= now
          if (!mayFetch) return known(current)
          const isAnnounced = current?.policyId === id
          if (isAnnounced && current.fetchedAt + dayMillis > now) return known(current)
          const fiber = yield* fetch(domain, id)
          if (isAnnounced) return known(current)
          const fetched = yield* Fiber.join(fiber)
          if (fetched._tag === "Policy") return known(fetched.policy)
          if (fetched._tag === "Failed") return known(current, fetched.result)
          return current === null
            ? ({ _tag: "Busy", waitMillis: busyMillis } satisfies KnownPolicy)
            : known(current)
        },
        // Whether the domain has a policy cannot be known without the store.
        Effect.catchTag("Unavailable", () =>
          Effect.succeed<KnownPolicy>({ _tag: "Busy", waitMillis: unavailableMillis })
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(StsPolicies, StsPolicies.make)
}
