/**
 * Counts the results of live mail for the standing of accounts, and decides whether their marketing is sent or waits.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { judgeJob } from "../../jobs/definitions/DomainJobs.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Account } from "../../model/Account.ts"
import type { BucketChange } from "../../model/Standing.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { StandingStore } from "../../ports/StandingStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { maxHeldMillis, providersHeld, rampOf } from "./StandingRules.ts"

/** Marketing of an account that is about to be sent. */
export interface GatedMarketing {
  readonly account: Account
  /** When it was first due, epoch milliseconds. */
  readonly due: number
  /** The key of the provider to which it goes; null if there is none, or if it is not known yet. */
  readonly provider: string | null
}

/** The decision on marketing: it is sent, waits until a time, or has waited too long. */
export type MarketingDecision =
  /** It may not be sent to these providers, and waits once it is known to go there. */
  | { readonly _tag: "Send"; readonly notAt: ReadonlySet<string> }
  | { readonly _tag: "Wait"; readonly at: number }
  | { readonly _tag: "End" }

const nowhere: ReadonlySet<string> = new Set()

/** How long after an event that counts against an account its standing is judged, milliseconds. */
const judgedAfter = 60_000

/** Whether an account has a standing. A sandbox sends to no one, and has none. */
export const isJudged = ({ mode }: Account): boolean => mode === "Live"

/** Counts results, and decides on marketing. */
export class StandingGate extends Context.Service<
  StandingGate,
  {
    /**
     * Counts results, in the caller's transaction. Needs one statement, or none without results. If results count against an
     * account, one more statement has its standing judged a minute later.
     */
    readonly count: (changes: ReadonlyArray<BucketChange>) => Effect.Effect<void, Unavailable>
    /**
     * Decides on marketing that is about to be sent, in order and in the caller's transaction. Needs no statement without
     * marketing of live accounts; otherwise one, and one for each account whose hold ended recently.
     */
    readonly decide: (
      marketing: ReadonlyArray<GatedMarketing>,
      now: number
    ) => Effect.Effect<ReadonlyArray<MarketingDecision>, Unavailable>
  }
>()("svc/sending/StandingGate", {
  make: Effect.gen(function* () {
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const store = yield* StandingStore
    return {
      count: Effect.fn("StandingGate.count")(function* (changes) {
        if (changes.length === 0) return
        yield* store.add(changes)
        const against = changes.filter(({ bounced, complained, policy }) => bounced + complained + policy > 0)
        // In one order, so that of two concurrent callers one waits for the other.
        const accountIds = [...new Set(against.map(({ accountId }) => accountId))].toSorted()
        if (accountIds.length === 0) return
        const runAt = (yield* Clock.currentTimeMillis) + judgedAfter
        const newIds = yield* ids.many(accountIds.length)
        yield* jobs.enqueue(
          accountIds.map((accountId, index) =>
            judgeJob.job({ id: newIds[index]!, accountId, payload: { kind: "judge", when: "soon" }, runAt })
          )
        )
      }),
      decide: Effect.fn("StandingGate.decide")(function* (marketing, now) {
        const rated = marketing.filter(({ account }) => isJudged(account) && account.settings.standingHolds)
        const found =
          rated.length === 0 ? [] : yield* store.find([...new Set(rated.map(({ account }) => account.id))])
        const standings = new Map(found.map((standing) => [standing.accountId, standing]))
        const heldAt = new Map(found.map((standing) => [standing.accountId, providersHeld(standing)]))
        const isHeldAt = ({ account, provider }: GatedMarketing) =>
          provider !== null && heldAt.get(account.id)?.has(provider) === true
        /** How many emails of each account may still be sent on the current day after its hold. */
        const left = new Map<string, number>()
        for (const { accountId, liftedAt, state } of found) {
          const ramp = state === "Held" ? null : rampOf(liftedAt, now)
          if (ramp === null) continue
          const wanted = rated.filter((one) => one.account.id === accountId && !isHeldAt(one)).length
          left.set(accountId, yield* store.take({ accountId, day: ramp.day, wanted, limit: ramp.limit }))
        }
        return marketing.map((one): MarketingDecision => {
          const { account, due } = one
          const sent: MarketingDecision = { _tag: "Send", notAt: heldAt.get(account.id) ?? nowhere }
          const standing = standings.get(account.id)
          if (standing === undefined) return sent
          const last = due + maxHeldMillis
          const wait = (until: number | null): MarketingDecision =>
            last <= now ? { _tag: "End" } : { _tag: "Wait", at: Math.min(until ?? last, last) }
          if (standing.state === "Held") return wait(standing.heldUntil)
          if (isHeldAt(one)) return wait(null)
          const granted = left.get(account.id)
          if (granted === undefined) return sent
          left.set(account.id, granted - 1)
          return granted > 0 ? sent : wait(rampOf(standing.liftedAt, now)!.next)
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(StandingGate, StandingGate.make)
}
