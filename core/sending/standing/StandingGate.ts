/**
 * Counts what becomes of live mail for the standing of accounts, and lets their marketing pass or wait.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Account } from "../../model/Account.ts"
import type { BucketChange } from "../../model/Standing.ts"
import { StandingStore } from "../../ports/StandingStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { maxHeldMillis, rampOf } from "./StandingRules.ts"

/** Marketing of an account that is about to be sent. */
export interface GatedMarketing {
  readonly account: Account
  /** When it was due first, epoch milliseconds. */
  readonly due: number
}

/** What happens to marketing: it is sent, waits until a time, or has waited too long. */
export type MarketingDecision =
  | { readonly _tag: "Send" }
  | { readonly _tag: "Wait"; readonly at: number }
  | { readonly _tag: "End" }

/** Whether an account has a standing: a sandbox sends to no one. */
export const isJudged = ({ mode }: Account): boolean => mode === "Live"

/** Counts results, and lets marketing pass. */
export class StandingGate extends Context.Service<
  StandingGate,
  {
    /** Counts results, in the caller's transaction; one statement, none without any. */
    readonly count: (changes: ReadonlyArray<BucketChange>) => Effect.Effect<void, Unavailable>
    /**
     * Decides about marketing that is about to be sent, in order; in the caller's transaction. No statement without marketing
     * of live accounts, else one, and one for each account whose hold ended lately.
     */
    readonly decide: (
      marketing: ReadonlyArray<GatedMarketing>,
      now: number
    ) => Effect.Effect<ReadonlyArray<MarketingDecision>, Unavailable>
  }
>()("svc/sending/StandingGate", {
  make: Effect.gen(function* () {
    const store = yield* StandingStore
    return {
      count: (changes) => (changes.length === 0 ? Effect.void : store.add(changes)),
      decide: Effect.fn("StandingGate.decide")(function* (marketing, now) {
        const rated = marketing.filter(({ account }) => isJudged(account) && account.settings.standingHolds)
        const found =
          rated.length === 0 ? [] : yield* store.find([...new Set(rated.map(({ account }) => account.id))])
        const standings = new Map(found.map((standing) => [standing.accountId, standing]))
        /** How much of each account may still be sent in the day after its hold. */
        const left = new Map<string, number>()
        for (const { accountId, liftedAt, state } of found) {
          const ramp = state === "Held" ? null : rampOf(liftedAt, now)
          if (ramp === null) continue
          const wanted = rated.filter(({ account }) => account.id === accountId).length
          left.set(accountId, yield* store.take({ accountId, day: ramp.day, wanted, limit: ramp.limit }))
        }
        return marketing.map(({ account, due }): MarketingDecision => {
          const standing = standings.get(account.id)
          if (standing === undefined) return { _tag: "Send" }
          const last = due + maxHeldMillis
          const wait = (until: number | null): MarketingDecision =>
            last <= now ? { _tag: "End" } : { _tag: "Wait", at: Math.min(until ?? last, last) }
          if (standing.state === "Held") return wait(standing.heldUntil)
          const granted = left.get(account.id)
          if (granted === undefined) return { _tag: "Send" }
          left.set(account.id, granted - 1)
          return granted > 0 ? { _tag: "Send" } : wait(rampOf(standing.liftedAt, now)!.next)
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(StandingGate, StandingGate.make)
}
