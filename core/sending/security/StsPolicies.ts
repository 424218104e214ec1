/**
 * Finds the MTA-STS policy that applies to a domain. A policy is stored for all nodes until it expires. It is fetched when the
 * domain announces another policy, and daily (RFC 8461, 3.3 and 5.1).
 *
 * @module
 */
import { Cache, Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import type { StsPolicy, StsRules } from "../../model/StsPolicy.ts"
import { Dns } from "../../ports/Dns.ts"
import { StsPolicyClient } from "../../ports/StsPolicyClient.ts"
import { StsPolicyStore } from "../../ports/StsPolicyStore.ts"
import { type TlsResult } from "../../model/TlsTerms.ts"
import { fetchesToEnd, FetchTurns, maxFetches, type RunningFetch } from "./StsFetches.ts"
import { announcedId, parseStsPolicy } from "./StsRules.ts"

const minute = 60_000
const dayMillis = 1_440 * minute
/** How long a process caches a stored policy. */
const rememberedFor = "1 minute"
const maxRemembered = 10_000
/** The pauses after a failed fetch, milliseconds. The last one is repeated. */
const retryMillis = [5 * minute, 60 * minute, 360 * minute] as const
/** The pause after a successful fetch, milliseconds. A domain whose id changes each time is not fetched each time. */
const settledMillis = minute
/** How long a delivery waits for a fetch, milliseconds. After that, it continues without the fetch. */
const waitedMillis = 1_000
/** When a delivery is tried again that needs a policy which is not known yet, milliseconds. */
const busyMillis = 2_000
const unavailableMillis = 1_000

/** The policy of a domain, as far as it is known. */
export type KnownPolicy =
  /** The policy that applies, null if there is none. `failure` says why a policy could not be fetched just now. */
  | { readonly _tag: "Known"; readonly rules: StsRules | null; readonly failure: TlsResult | null }
  /** The policy is not known yet. */
  | { readonly _tag: "Busy"; readonly waitMillis: number }

type Fetched =
  | { readonly _tag: "Policy"; readonly policy: StsPolicy }
  | { readonly _tag: "Failed"; readonly result: TlsResult }
  | { readonly _tag: "Busy" }

interface Fetch extends RunningFetch {
  readonly domain: string
  readonly fiber: Fiber.Fiber<Fetched>
  /** Completed to end the fetch, so that another can begin. */
  readonly ended: Deferred.Deferred<Fetched>
}

/** The history of a domain's fetches. */
interface Turn {
  /** When the policy may be fetched again, epoch milliseconds. */
  readonly at: number
  /** The number of failed fetches in a row. */
  readonly failures: number
  /** How long fetches took that were ended in favour of others, since one last succeeded or failed, milliseconds. */
  readonly spent: number
}

/** Finds the MTA-STS policies of domains. */
export class StsPolicies extends Context.Service<
  StsPolicies,
  {
    /**
     * Returns the policy of a domain for an account's mail. It waits at most a second for a fetch. After that, the stored
     * policy applies if there is one; otherwise the mail waits. At most 20 policies are fetched at the same time, and one for
     * each domain. If all 20 fetches take long, a slow one is ended in favour of another domain's and gets more time at its
     * next attempt, and a fetch of one account is ended in favour of an account with fewer.
     */
    readonly of: (domain: string, accountId: string) => Effect.Effect<KnownPolicy>
  }
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
    /** The fetches in progress, by domain. */
    const fetching = new Map<string, Fetch>()
    const waiting = new FetchTurns()
    /** The history of fetches by domain, oldest entry first. */
    const turns = new Map<string, Turn>()

    const remember = (domain: string, turn: Turn) => {
      turns.delete(domain)
      turns.set(domain, turn)
      if (turns.size > maxRemembered) turns.delete(turns.keys().next().value!)
    }

    const announced = (domain: string) =>
      dns.txt(`_mta-sts.${domain}`).pipe(
        Effect.map(announcedId),
        Effect.catch(() => Effect.succeed(null))
      )

    const failed = (domain: string, now: number, result: TlsResult): Fetched => {
      const failures = (turns.get(domain)?.failures ?? 0) + 1
      const at = now + retryMillis[Math.min(failures, retryMillis.length) - 1]!
      remember(domain, { at, failures, spent: 0 })
      return { _tag: "Failed", result }
    }

    const fetchNow = Effect.fnUntraced(function* (domain: string, policyId: string) {
      const got = yield* Effect.result(client.fetch(domain))
      const now = yield* Clock.currentTimeMillis
      const rules = got._tag === "Success" ? parseStsPolicy(got.success) : null
      if (rules === null)
        return failed(domain, now, got._tag === "Success" ? "sts-policy-invalid" : "sts-policy-fetch-error")
      remember(domain, { at: now + settledMillis, failures: 0, spent: 0 })
      const policy: StsPolicy = {
        domain,
        policyId,
        ...rules,
        fetchedAt: now,
        // The policy applies at least until another may be fetched. A shorter age would leave the domain without a policy
        // meanwhile.
        expiresAt: now + Math.max(rules.maxAge * 1000, settledMillis)
      }
      // A policy that cannot be stored applies in this process.
      yield* Effect.ignore(store.save(policy))
      yield* Cache.set(stored, domain, policy)
      return { _tag: "Policy", policy } satisfies Fetched
    })

    /** Ends a fetch so that another can begin. Mail that needs it waits. This is not counted as a failure of the domain. */
    const end = ({ domain, ended, spent, startedAt }: Fetch, now: number) => {
      const { failures = 0 } = turns.get(domain) ?? {}
      fetching.delete(domain)
      // At least a millisecond, to record that the fetch was started.
      remember(domain, { at: now + busyMillis, failures, spent: spent + Math.max(1, now - startedAt) })
      return Deferred.succeed(ended, { _tag: "Busy" } satisfies Fetched)
    }

    /** Starts a fetch in the background, once for all who ask at the same time; null if no place is free. */
    const fetch = Effect.fnUntraced(function* (
      domain: string,
      policyId: string,
      accountId: string,
      now: number
    ) {
      const running = fetching.get(domain)
      if (running !== undefined) return running.fiber
      const free = maxFetches - fetching.size
      const endable = fetchesToEnd([...fetching.values()], accountId, now)
      if (!waiting.takes(accountId, free + endable.length, now)) return null
      if (free === 0) yield* end(endable[0]!, now)
      const ended = yield* Deferred.make<Fetched>()
      const fiber: Fiber.Fiber<Fetched> = yield* Effect.forkIn(
        Effect.ensuring(
          Effect.raceFirst(fetchNow(domain, policyId), Deferred.await(ended)),
          Effect.sync(() => {
            if (fetching.get(domain)?.ended === ended) fetching.delete(domain)
          })
        ),
        scope
      )
      if (fiber.pollUnsafe() === undefined)
        fetching.set(domain, {
          domain,
          accountId,
          startedAt: now,
          spent: turns.get(domain)?.spent ?? 0,
          fiber,
          ended
        })
      return fiber
    })

    const known = (rules: StsRules | null, failure: TlsResult | null = null): KnownPolicy => ({
      _tag: "Known",
      rules,
      failure
    })

    return {
      of: Effect.fnUntraced(
        function* (domain, accountId) {
          const found = yield* Cache.get(stored, domain)
          const id = yield* announced(domain)
          const now = yield* Clock.currentTimeMillis
          const current = found !== null && found.expiresAt > now ? found : null
          const otherwise = (waitMillis: number): KnownPolicy =>
            current === null ? { _tag: "Busy", waitMillis } : known(current)
          if (id === null) return known(current)
          const isAnnounced = current?.policyId === id
          if (isAnnounced && current.fetchedAt + dayMillis > now) return known(current)
          const turn = turns.get(domain)
          if (turn !== undefined && turn.at > now)
            return turn.spent > 0 ? otherwise(turn.at - now) : known(current)
          const fiber = yield* fetch(domain, id, accountId, now)
          if (fiber === null) return otherwise(busyMillis)
          if (isAnnounced) return known(current)
          const fetched = yield* Effect.timeoutOption(Fiber.join(fiber), waitedMillis)
          if (Option.isNone(fetched) || fetched.value._tag === "Busy") return otherwise(busyMillis)
          return fetched.value._tag === "Policy"
            ? known(fetched.value.policy)
            : known(current, fetched.value.result)
        },
        // Without the database, it is not known whether the domain has a policy.
        Effect.catchTag("Unavailable", () =>
          Effect.succeed<KnownPolicy>({ _tag: "Busy", waitMillis: unavailableMillis })
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(StsPolicies, StsPolicies.make)
}
