/**
 * What an account did, day by day (management-api, `GET A/stats`).
 *
 * Each thing counts for the UTC day on which it began, by what it is now; an open and a click for the day on which it
 * happened. So a day adds up however late its emails and runs end.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { RunStatus } from "../model/Run.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import type { DeliveryStatus } from "../model/DeliveryStatus.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { type UtcDay, utcDaysUntil } from "../shared/UtcDays.ts"

/** The most days that are told: a whole year, leap years too. What is older is mostly forgotten by retention. */
export const maxStatsDays = 366

/** How many days are told unless said otherwise. */
export const defaultStatsDays = 30

/** How many calls count at once in a process; the others wait, so that counting leaves connections to the rest. */
const maxAtOnce = 2

/** The counts of a day. */
export interface DayStats {
  /** The UTC day, `YYYY-MM-DD`. */
  readonly date: string
  /** Emails accepted, one for each recipient, by their status now. */
  readonly emails: Readonly<Record<DeliveryStatus, number>>
  /** First opens of an email by a recipient. */
  readonly opens: number
  /** First clicks in an email by a recipient. */
  readonly clicks: number
  /** Events accepted, repeats of an id left out. */
  readonly events: number
  /** Contacts added that are not erased. */
  readonly contacts: number
  /** Runs started, by their status now. */
  readonly runs: Readonly<Record<RunStatus, number>>
}

/** Counts what accounts did. */
export class Stats extends Context.Service<
  Stats,
  {
    /**
     * The counts of today and the days before it, newest first; every day is there, also one on which nothing was. A
     * fixed number of statements.
     *
     * @param days how many, from 1 to {@link maxStatsDays}
     */
    readonly daily: (accountId: string, days: number) => Effect.Effect<ReadonlyArray<DayStats>, Unavailable>
  }
>()("svc/accounts/Stats") {
  static readonly layer = Layer.effect(
    Stats,
    Effect.gen(function* () {
      const submissions = yield* SubmissionStore
      const events = yield* EventStore
      const contacts = yield* ContactStore
      const runs = yield* RunStore
      const { run } = yield* Transaction
      const turns = yield* Semaphore.make(maxAtOnce)

      // A large account takes long to count. In a transaction that holds up none who share a connection for statements.
      const counted = (accountId: string, days: ReadonlyArray<UtcDay>) =>
        Effect.all([
          submissions.countByDay(accountId, days),
          events.countByDay(accountId, days),
          contacts.countByDay(accountId, days),
          runs.countByDay(accountId, days)
        ]).pipe(run, retryConflicts, turns.withPermit)

      return Stats.of({
        daily: Effect.fn("Stats.daily")(function* (accountId, count) {
          const days = utcDaysUntil(yield* Clock.currentTimeMillis, count)
          const [emailsOf, eventsOf, contactsOf, runsOf] = yield* counted(accountId, days)
          return days.map(({ date }, index) => ({
            date,
            emails: emailsOf[index]!.statuses,
            opens: emailsOf[index]!.opened,
            clicks: emailsOf[index]!.clicked,
            events: eventsOf[index]!,
            contacts: contactsOf[index]!,
            runs: runsOf[index]!
          }))
        })
      })
    })
  )
}
