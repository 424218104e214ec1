/**
 * Judges the standing of live accounts by the results of their mail, and holds and releases their marketing.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { judgeJob, releaseJob } from "../../jobs/definitions/DomainJobs.ts"
import { userMailJob } from "../../jobs/definitions/UserMailJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { type Account, noAccount } from "../../model/Account.ts"
import { type Actor, systemActor } from "../../model/Actor.ts"
import { type Bucket, goodStanding, type Observation, type Standing } from "../../model/Standing.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { type Job, JobQueue, type LeaseLost } from "../../ports/JobQueue.ts"
import { StandingStore } from "../../ports/StandingStore.ts"
import { deepEqual } from "../../shared/Json.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import { isJudged } from "./StandingGate.ts"
import { checkObservations, type ObservationWrite } from "./ObservationRules.ts"
import { KnownProviders } from "../shaping/Providers.ts"
import {
  judgedSince,
  providersHeld,
  rampOf,
  reasonsOf,
  standingAfter,
  startOfDays,
  startOfHours
} from "./StandingRules.ts"

/** The periods over which rates are shown, days. */
export type StandingDays = 1 | 7 | 30

/** An account's standing with the counts on which it is judged. */
export interface StandingView extends Standing {
  readonly days: StandingDays
  /** The hours of the last 24 hours, or the days. */
  readonly buckets: ReadonlyArray<Bucket>
  /** The last 30 days, whatever `days` is. */
  readonly history: ReadonlyArray<Bucket>
  readonly observations: ReadonlyArray<Observation>
  /** The maximum amount of marketing on this day after a hold; null for no limit. */
  readonly rampLimit: number | null
}

/** The maximum number of characters of the reason for lifting a hold. */
const maxReason = 1_000
/** The number of accounts that are judged with the same reads. */
const judgedTogether = 100
/** For how many days after a complaint a provider counts as one that reports complaints. */
const reportingDays = 90
const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Judges, shows and changes the standing of accounts. */
export class Standings extends Context.Service<
  Standings,
  {
    /** Judges the accounts that sent mail recently, or whose standing is not good. */
    readonly judge: Effect.Effect<void, Unavailable>
    /** Handles the jobs that judge a single account. */
    readonly run: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
    /** Returns an account's standing, judged now, with the counts of that many days. The standing of a sandbox is good. */
    readonly view: (account: Account, days: StandingDays) => Effect.Effect<StandingView, Unavailable>
    /**
     * Lifts a hold, with an entry in the audit log. From then on, marketing increases slowly. Fails with validation.* of the
     * reason, and with sending.standing_not_held.
     */
    readonly lift: (
      account: Account,
      reason: string,
      actor: Actor
    ) => Effect.Effect<Standing, Problem | Unavailable>
    /**
     * Stores complaint rates that a provider shows, and returns those of the last 30 days. Fails with validation.* by
     * position, and with sending.observation_exists for a day that has another observation, unless it is to be replaced.
     */
    readonly observe: (
      account: Account,
      given: ReadonlyArray<ObservationWrite>,
      actor: Actor
    ) => Effect.Effect<ReadonlyArray<Observation>, Problem | Unavailable>
  }
>()("svc/sending/Standings", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const store = yield* StandingStore
    const table = yield* KnownProviders
    const { record } = yield* AuditTrail

    /** Stores a changed standing, in the caller's transaction: with its audit entry, and the release of what it held. */
    const change = Effect.fnUntraced(function* (
      before: Standing,
      after: Standing,
      actor: Actor,
      reason: string | null
    ) {
      const { accountId } = after
      yield* store.save(after)
      const heldStill = providersHeld(after)
      const isEased =
        (before.state === "Held" && after.state !== "Held") ||
        [...providersHeld(before)].some((provider) => !heldStill.has(provider))
      if (isEased) {
        yield* jobs.enqueue([
          releaseJob.job({
            id: yield* ids.next,
            accountId,
            payload: { kind: "release" },
            runAt: yield* Clock.currentTimeMillis
          })
        ])
      }
      if (before.state === after.state) return
      yield* record(actor, {
        accountId,
        action: "standing.changed",
        target: accountId,
        before: { state: before.state },
        after: {
          state: after.state,
          ...(reason === null ? {} : { reason }),
          rates: after.reasons.map(({ provider, rate, value }) => ({ rate, provider, value }))
        }
      })
      yield* Effect.annotateLogs(Effect.logInfo("standing of an account changed"), {
        account: accountId,
        before: before.state,
        after: after.state
      })
      if (before.state !== "Held" && after.state !== "Held") return
      const runAt = yield* Clock.currentTimeMillis
      const isHeld = after.state === "Held"
      yield* jobs.enqueue([
        userMailJob.job({
          id: yield* ids.next,
          accountId: noAccount,
          payload: { kind: "StandingChanged", accountId, isHeld },
          runAt
        })
      ])
      if (isHeld && after.heldUntil !== null) {
        yield* jobs.enqueue([
          judgeJob.job({
            id: yield* ids.next,
            accountId,
            payload: { kind: "judge", when: "end" },
            runAt: after.heldUntil
          })
        ])
      }
    })

    const standingOf = (accountId: string) =>
      Effect.map(store.find([accountId]), ([found]) => found ?? goodStanding(accountId))

    const judgeAccount = (
      accountId: string,
      facts: {
        readonly days: ReadonlyArray<Bucket>
        readonly hours: ReadonlyArray<Bucket>
        readonly observations: ReadonlyArray<Observation>
        readonly reporters: ReadonlySet<string>
      },
      now: number
    ) =>
      atomically(
        Effect.gen(function* () {
          // Locked, so that two nodes record a change once.
          const [account] = yield* accounts.lock([accountId])
          if (account === undefined || !isJudged(account)) return
          const before = yield* standingOf(accountId)
          const since = judgedSince(before, now)
          const reasons = reasonsOf({
            days: facts.days.filter(({ start }) => start >= since.days),
            hours: facts.hours.filter(({ start }) => start >= since.hours),
            observations: facts.observations.filter(({ day }) => day >= dayOf(since.days)),
            reporters: facts.reporters
          })
          const after = standingAfter(before, reasons, account.settings.standingHolds, now)
          if (!deepEqual(before, after)) yield* change(before, after, systemActor, null)
        })
      )

    const ofAccount = <A extends { readonly accountId: string }>(all: ReadonlyArray<A>, id: string) =>
      all.filter(({ accountId }) => accountId === id)

    const judgeAll = Effect.fnUntraced(function* (active: ReadonlyArray<string>, now: number) {
      if (active.length === 0) return
      const reporters = new Set([
        ...table.entries.flatMap(({ feedback, key }) => (feedback === "Arf" ? [key] : [])),
        ...(yield* store.reporters(startOfDays(reportingDays, now)))
      ])
      for (let from = 0; from < active.length; from += judgedTogether) {
        const group = active.slice(from, from + judgedTogether)
        const days = yield* store.buckets(group, "Day", startOfDays(7, now))
        const hours = yield* store.buckets(group, "Hour", startOfHours(now))
        const observations = yield* store.observations(group, dayOf(startOfDays(7, now)))
        for (const id of group) {
          yield* judgeAccount(
            id,
            {
              days: ofAccount(days, id),
              hours: ofAccount(hours, id),
              observations: ofAccount(observations, id),
              reporters
            },
            now
          )
        }
      }
    })

    return {
      judge: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* judgeAll(yield* store.active(now - 2 * hourMillis), now)
      }),
      run: Effect.fn("Standings.run")(function* (claimed) {
        const decoded = yield* judgeJob.decode(jobs, claimed)
        const now = yield* Clock.currentTimeMillis
        yield* judgeAll([...new Set(decoded.map(({ job }) => job.accountId))], now)
        yield* jobs.complete(decoded.map(({ job }) => job))
      }),
      view: Effect.fn("Standings.view")(function* (account, days) {
        const now = yield* Clock.currentTimeMillis
        if (isJudged(account)) yield* judgeAll([account.id], now)
        const standing = yield* standingOf(account.id)
        const history = yield* store.buckets([account.id], "Day", startOfDays(30, now))
        return {
          ...standing,
          days,
          buckets:
            days === 1
              ? yield* store.buckets([account.id], "Hour", startOfHours(now))
              : history.filter(({ start }) => start >= startOfDays(days, now)),
          history,
          observations: yield* store.observations([account.id], dayOf(startOfDays(30, now))),
          rampLimit: standing.state === "Held" ? null : (rampOf(standing.liftedAt, now)?.limit ?? null)
        }
      }),
      lift: Effect.fn("Standings.lift")(function* (account, given, actor) {
        const issues = new Issues()
        const reason = checkText(given, "reason", maxReason, issues)
        if (reason === "") issues.add("validation.required", "reason")
        yield* Effect.fromResult(issues.result(reason))
        return yield* atomically(
          Effect.gen(function* () {
            yield* accounts.lock([account.id])
            const before = yield* standingOf(account.id)
            if (before.state !== "Held") return yield* Problem.of("sending.standing_not_held")
            const now = yield* Clock.currentTimeMillis
            const after: Standing = {
              ...before,
              state: "Good",
              reasons: [],
              heldAt: null,
              heldUntil: null,
              liftedAt: now
            }
            yield* change(before, after, actor, reason)
            return after
          })
        )
      }),
      observe: Effect.fn("Standings.observe")(function* (account, given, actor) {
        const now = yield* Clock.currentTimeMillis
        const wanted = yield* Effect.fromResult(checkObservations(table, account.id, given, now))
        const since = dayOf(startOfDays(30, now))
        const stored = yield* atomically(
          Effect.gen(function* () {
            yield* accounts.lock([account.id])
            const known = yield* store.observations([account.id], wanted.map(({ day }) => day).toSorted()[0]!)
            const isKnown = (one: Observation) =>
              known.some(
                ({ day, domain, provider, spamRate }) =>
                  day === one.day &&
                  domain === one.domain &&
                  provider === one.provider &&
                  spamRate !== one.spamRate
              )
            const at = wanted.findIndex((one, index) => given[index]!.replace !== true && isKnown(one))
            if (at !== -1) return yield* Problem.of("sending.observation_exists", `[${at}].day`)
            yield* store.observe(wanted)
            yield* record(actor, {
              accountId: account.id,
              action: "standing.observed",
              target: account.id,
              before: null,
              after: { observations: wanted.length }
            })
            return yield* store.observations([account.id], since)
          })
        )
        yield* judgeAll([account.id], now)
        return stored
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Standings, Standings.make)
}

/** How long the hourly and the daily buckets are kept, milliseconds. */
export const keptMillis = { hours: 48 * hourMillis, days: 400 * dayMillis } as const
