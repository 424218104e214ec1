/**
 * Counts an account's emails, events, contacts and runs by UTC day, and its emails by what sent or received them
 * (docs/contributing/management-api.md, `GET A/stats`).
 *
 * An email or a run counts on the day it was created, by its current status; an open or a click counts on the day it occurred.
 * The sums for a day are therefore correct however late its emails and runs end.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import {
  type CountDimension,
  type Counter,
  type CountUnit,
  type EmailCount,
  otherKey,
  unitMillis,
  unitOf
} from "../model/EmailCount.ts"
import type { RunStatus } from "../model/Run.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { EmailCountStore } from "../ports/EmailCountStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { VisitStore } from "../ports/VisitStore.ts"
import { type DeliveryStatus, deliveryStatuses } from "../model/DeliveryStatus.ts"
import { Problem } from "../shared/Problem.ts"
import { type UtcDay, utcDaysUntil } from "../shared/UtcDays.ts"

/** The most days in one call: a leap year. Retention has deleted most older data. */
export const maxStatsDays = 366

/** The number of days if the caller gives none. */
export const defaultStatsDays = 30

/** The counts of a day. */
export interface DayStats {
  /** The UTC day, `YYYY-MM-DD`. */
  readonly date: string
  /** Accepted emails, one for each recipient, by their current status. */
  readonly emails: Readonly<Record<DeliveryStatus, number>>
  /** The failed emails whose mailbox was full. */
  readonly softBounces: number
  /** Emails first opened by a person, counted once per recipient. */
  readonly opens: number
  /** Emails first clicked by a person, counted once per recipient. */
  readonly clicks: number
  /** Emails opened by a person or a program, without an opening known to be a person's. */
  readonly opensUnknown: number
  /** Like `opensUnknown`, for clicks. */
  readonly clicksUnknown: number
  /** First opens of emails that only machines opened. */
  readonly opensByMachines: number
  /** First clicks of emails in which only machines clicked. */
  readonly clicksByMachines: number
  /** Accepted events; repeated ids count once. */
  readonly events: number
  /** Contacts added and not erased. */
  readonly contacts: number
  /** Runs started, by their current status. */
  readonly runs: Readonly<Record<RunStatus, number>>
}

/** The dimensions of email counts: those by which storage counts, and providers. */
export const statsDimensions = [
  "Source",
  "Domain",
  "Provider",
  "Flow",
  "Campaign",
  "Template",
  "Tag"
] as const satisfies ReadonlyArray<CountDimension | "Provider">
export type StatsDimension = (typeof statsDimensions)[number]

/** The most hours or days in one call. */
export const maxStatsUnits: Readonly<Record<CountUnit, number>> = { Hour: 168, Day: maxStatsDays }

/** The number of hours or days if the caller gives no time. */
export const defaultStatsUnits: Readonly<Record<CountUnit, number>> = { Hour: 24, Day: defaultStatsDays }

/** Which counts of emails to return. */
export interface StatsQuery {
  readonly by: StatsDimension
  readonly unit: CountUnit
  /** A time in the first hour or day, epoch milliseconds; null for the default number of them before `until`. */
  readonly since: number | null
  /** Exclusive, epoch milliseconds; null for now. */
  readonly until: number | null
}

/** The number of emails opened or clicked by people, by people or programs, and only by programs. */
export interface Visitors {
  readonly human: number
  readonly unknown: number
  readonly machine: number
}

/** The counts for a key in an hour or day. */
export interface KeyStats extends Pick<DayStats, "emails" | "softBounces"> {
  /** The start of the hour or day, epoch milliseconds. */
  readonly at: number
  readonly key: string
  readonly delivered: number
  readonly opened: Visitors
  readonly clicked: Visitors
  readonly complained: number
  readonly unsubscribed: number
  readonly conversions: number
}

/** Daily counts of accounts. */
export class Stats extends Context.Service<Stats>()("svc/accounts/Stats", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const events = yield* EventStore
    const contacts = yield* ContactStore
    const runs = yield* RunStore
    const visits = yield* VisitStore
    const emailCounts = yield* EmailCountStore

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
       * The counts for today and the days before it, newest first, including days without data. A fixed number of statements.
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
      }),
      /**
       * The counts of emails by key and hour or day (UTC), newest first, without empty ones. One statement, and one more by
       * provider: an email counts for the provider at which emails to its domain were last tried. validation.format if `until` is
       * not after `since`, or if they are further apart than `maxStatsUnits`.
       */
      by: Effect.fn("Stats.by")(function* (accountId: string, { by, unit, ...given }: StatsQuery) {
        const length = unitMillis[unit]
        const until = given.until ?? (yield* Clock.currentTimeMillis) + 1
        const last = unitOf(unit, until - 1)
        const since = unitOf(unit, given.since ?? last - (defaultStatsUnits[unit] - 1) * length)
        if (given.since !== null && until <= given.since) {
          return yield* Problem.of("validation.format", "until", null, { expected: "after since" })
        }
        if ((last - since) / length >= maxStatsUnits[unit]) {
          const expected = `at most ${maxStatsUnits[unit]} ${unit === "Hour" ? "hours" : "days"} before until`
          return yield* Problem.of("validation.format", "since", null, { expected })
        }
        const counts = yield* emailCounts.count(accountId, {
          by: by === "Provider" ? "Domain" : by,
          unit,
          since,
          until: last + length
        })
        const domains = by === "Provider" ? [...new Set(counts.map(({ key }) => key))] : []
        const providers = domains.length === 0 ? null : yield* submissions.providersOf(accountId, domains)
        const rows = Map.groupBy(
          counts.map((one) =>
            providers === null ? one : { ...one, key: providers.get(one.key) ?? otherKey }
          ),
          ({ at, key }) => JSON.stringify([at, key])
        )
        return [...rows.values()]
          .map((row) => keyStats(row[0]!, row))
          .toSorted((a, b) => b.at - a.at || (a.key < b.key ? -1 : 1))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Stats, Stats.make)
}

/** The statistics of a key from its counts, all for one hour or day. */
const keyStats = (
  { at, key }: Pick<EmailCount, "at" | "key">,
  counts: ReadonlyArray<EmailCount>
): KeyStats => {
  const sums = new Map<Counter, number>()
  for (const { count, counter } of counts) sums.set(counter, (sums.get(counter) ?? 0) + count)
  // Changes not yet added to the counters may be counted under a key that the counters combine with others.
  const of = (counter: Counter): number => Math.max(0, sums.get(counter) ?? 0)
  const emails = Object.fromEntries(
    deliveryStatuses.map((status) => [status, status === "HandingOff" ? 0 : of(status)])
  ) as Record<DeliveryStatus, number>
  const visitors = (kind: "Clicked" | "Opened"): Visitors => ({
    human: of(`${kind}Human`),
    unknown: of(`${kind}Unknown`),
    machine: of(`${kind}Machine`)
  })
  return {
    at,
    key,
    emails,
    softBounces: of("SoftBounced"),
    delivered: emails.Delivered,
    opened: visitors("Opened"),
    clicked: visitors("Clicked"),
    complained: of("Complained"),
    unsubscribed: of("Unsubscribed"),
    conversions: of("Converted")
  }
}
