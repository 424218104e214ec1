/**
 * Counts an account's emails, events, contacts and runs by UTC day (docs/contributing/management-api.md,
 * `GET A/stats`).
 *
 * An email or a run counts on the day it was created, by its current status; an open or a click on the day it occurred.
 * The sums of a day therefore hold however late its emails and runs end.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { RunStatus } from "../model/Run.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { VisitStore } from "../ports/VisitStore.ts"
import type { DeliveryStatus } from "../model/DeliveryStatus.ts"
import { type UtcDay, utcDaysUntil } from "../shared/UtcDays.ts"

/** The most days of one call: a whole year, leap years included. Retention has deleted most older data. */
export const maxStatsDays = 366

/** The number of days where the caller gives none. */
export const defaultStatsDays = 30

/** The counts of a day. */
export interface DayStats {
  /** The UTC day, `YYYY-MM-DD`. */
  readonly date: string
  /** Emails accepted, one for each recipient, by their current status. */
  readonly emails: Readonly<Record<DeliveryStatus, number>>
  /** Of the failed, those whose mailbox was full. */
  readonly softBounces: number
  /** Emails first opened by a person, each once for a recipient. */
  readonly opens: number
  /** Emails first clicked by a person. */
  readonly clicks: number
  /** Of the emails that no one opened who is known to be a person, those that a person or a program opened. */
  readonly opensUnknown: number
  /** As `opensUnknown`, of clicks. */
  readonly clicksUnknown: number
  /** First opens of the emails that only machines opened. */
  readonly opensByMachines: number
  /** First clicks of the emails in which only machines clicked. */
  readonly clicksByMachines: number
  /** Events accepted; repeated ids count once. */
  readonly events: number
  /** Contacts added and not erased. */
  readonly contacts: number
  /** Runs started, by their current status. */
  readonly runs: Readonly<Record<RunStatus, number>>
}

/** Daily counts of accounts. */
export class Stats extends Context.Service<Stats>()("svc/accounts/Stats", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const events = yield* EventStore
    const contacts = yield* ContactStore
    const runs = yield* RunStore
    const visits = yield* VisitStore

    const counted = (accountId: string, days: ReadonlyArray<UtcDay>) =>
      Effect.all([
        submissions.countByDay(accountId, days),
        visits.countByDay(accountId, days),
        events.countByDay(accountId, days),
        contacts.countByDay(accountId, days),
        runs.countByDay(accountId, days)
      ])

    return {
      /**
       * The counts of today and the days before it, newest first, days without any data included. A fixed number of
       * statements.
       *
       * @param count the number of days, 1 to {@link maxStatsDays}
       */
      daily: Effect.fn("Stats.daily")(function* (accountId: string, count: number) {
        const days = utcDaysUntil(yield* Clock.currentTimeMillis, count)
        const [emailsOf, visitsOf, eventsOf, contactsOf, runsOf] = yield* counted(accountId, days)
        return days.map(({ date }, index): DayStats => ({
          date,
          emails: emailsOf[index]!.statuses,
          softBounces: emailsOf[index]!.softBounced,
          opens: visitsOf[index]!.opened,
          clicks: visitsOf[index]!.clicked,
          opensUnknown: visitsOf[index]!.openedUnknown,
          clicksUnknown: visitsOf[index]!.clickedUnknown,
          opensByMachines: visitsOf[index]!.openedByMachines,
          clicksByMachines: visitsOf[index]!.clickedByMachines,
          events: eventsOf[index]!,
          contacts: contactsOf[index]!,
          runs: runsOf[index]!
        }))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Stats, Stats.make)
}
