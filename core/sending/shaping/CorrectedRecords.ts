/**
 * Ends suspensions that were caused by wrong DNS records once the records are corrected. Until then, it names the wrong
 * record.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Atomically } from "../../kernel/atomically.ts"
import { systemActor } from "../../model/Actor.ts"
import { sourceOfLane } from "../../model/Source.ts"
import { type Suspension, suspensionKey } from "../../model/Suspension.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ShapingStore } from "../../ports/ShapingStore.ts"
import { maxPageSize } from "../../shared/Page.ts"
import { Alignment } from "../alignment/Alignment.ts"
import { Sources } from "../sources/Sources.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { answerRules } from "./Answers.ts"
import { ShapingControl } from "./ShapingControl.ts"
import { checkMinutes } from "./SuspensionRules.ts"

/** The maximum number of suspensions that are checked in a round. */
const maxLookedAt = 1_000

/** What is wrong; null if nothing is, `Unknown` if no name server replied. */
type Fault = string | null | "Unknown"

const ruleOf = ({ rule }: Suspension) => answerRules.find(({ id }) => id === rule)

/** Checks the records behind suspensions. */
export class CorrectedRecords extends Context.Service<CorrectedRecords>()("svc/sending/CorrectedRecords", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const alignment = yield* Alignment
    const atomically = yield* Atomically
    const control = yield* ShapingControl
    const sources = yield* Sources
    const store = yield* ShapingStore

    /** The open suspensions that a check of the records can end. */
    const open = Effect.gen(function* () {
      const found: Array<Suspension> = []
      const at = yield* Clock.currentTimeMillis
      for (let page = 1; found.length < maxLookedAt; page++) {
        const { items } = yield* store.page({ page, pageSize: maxPageSize }, { open: { is: true, at } })
        found.push(...items)
        if (items.length < maxPageSize) break
      }
      return found.filter((one) => one.cause === "Reply" && ruleOf(one)?.untilCheck !== undefined)
    })

    /** The remedy for the first wrong record of a sending domain. */
    const faultOfDomain = Effect.fnUntraced(
      function* (accountId: string, domain: string) {
        const [account] = yield* accounts.find([accountId])
        if (account === undefined) return "Unknown"
        const checks = (yield* alignment.check(account, domain)).filter(({ check }) =>
          ["Dkim", "Spf", "Dmarc"].includes(check)
        )
        const wrong = checks.find(({ outcome }) => outcome === "Fail")
        if (wrong !== undefined) return wrong.fix ?? wrong.expected
        return checks.some(({ outcome, seen }) => outcome === "Warn" && seen === null) ? "Unknown" : null
      },
      // The account no longer has the domain.
      (effect) => Effect.catchTag(effect, "Problem", () => Effect.succeed<Fault>("Unknown"))
    )

    const faultOf = (suspension: Suspension): Effect.Effect<Fault, Unavailable> => {
      const { accountId, lane, sender } = suspension
      if (ruleOf(suspension)?.untilCheck === "ReverseDns") return sources.reverseFault(sourceOfLane(lane))
      return accountId === null || sender === null
        ? Effect.succeed("Unknown")
        : faultOfDomain(accountId, sender)
    }

    /** Stores what is wrong in a suspension that has not ended. */
    const name = (suspension: Suspension, remedy: string) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* store.lock([suspensionKey(suspension)])
        if (row?.id !== suspension.id || row.resolvedAt !== null || row.remedy === remedy) return
        yield* store.put([{ ...row, remedy, changedAt: now }])
      }).pipe(atomically)

    const look = Effect.fnUntraced(function* (suspension: Suspension) {
      const fault = yield* faultOf(suspension)
      if (fault === "Unknown") return
      if (fault !== null) return yield* name(suspension, fault)
      // If the records were correct before, the server means something else. Once the suspension's time ends, one email at a
      // time probes it.
      const wasWrong = suspension.remedy !== ruleOf(suspension)?.remedy
      if (!wasWrong && suspension.minutes > checkMinutes) return
      yield* Effect.catchTag(control.resumeNotice(suspension.id, systemActor), "Problem", () => Effect.void)
    })

    return {
      /** Looks up the records behind all suspensions that a check can end. */
      check: Effect.flatMap(open, (found) => Effect.forEach(found, look, { discard: true })).pipe(
        Effect.withSpan("CorrectedRecords.check")
      )
    }
  })
}) {
  static readonly layer = Layer.effect(CorrectedRecords, CorrectedRecords.make).pipe(
    Layer.provide([Alignment.layer, ShapingControl.layer, Sources.layer])
  )
}
