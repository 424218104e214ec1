/**
 * Runs of flows. An account has at most one Active run of a flow for a contact: a constraint, whoever starts it.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Run, RunStatus } from "../model/Run.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"

/** The port of runs. */
export class RunStore extends Context.Service<
  RunStore,
  {
    /**
     * Adds runs of one account, in one statement, in the caller's transaction. An Active one whose contact is in an
     * Active run of its flow already, also through another node at this moment, is left out. Answers the ids of those
     * added.
     */
    readonly insert: (
      accountId: string,
      runs: ReadonlyArray<Run>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The account's runs of those ids, held until the caller's transaction ends; in no order, in one statement. */
    readonly lock: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Run>, Unavailable>
    /** The Active runs of contacts, held until the caller's transaction ends; in no order, in one statement. */
    readonly lockActive: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Run>, Unavailable>
    /** Replaces what moves of runs that were locked before: all but whose they are and what started them. */
    readonly save: (accountId: string, runs: ReadonlyArray<Run>) => Effect.Effect<void, Unavailable>
    /** Adds to the log of a run what became of a step later; of one that is no more nothing. */
    readonly note: (
      accountId: string,
      id: string,
      entry: Run["log"][number]
    ) => Effect.Effect<void, Unavailable>
    /** A flow's runs, newest first; of a status, or of any where it is null. */
    readonly list: (
      accountId: string,
      flowId: string,
      status: RunStatus | null,
      page: PageRequest
    ) => Effect.Effect<Page<Run>, Unavailable>
    /** How many of the account's runs that started on each of those days have each status now, in order. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<Readonly<Record<RunStatus, number>>>, Unavailable>
    /** Removes runs that ended before a time, at most so many, those that ended first; answers how many. */
    readonly prune: (accountId: string, before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** When the first of the account's runs ended, null where all are Active; null where it has none. */
    readonly oldest: (
      accountId: string
    ) => Effect.Effect<{ readonly endedAt: number | null } | null, Unavailable>
    /**
     * Removes the runs of contacts and answers them, in no order: part of erasing them, in the caller's transaction. A
     * fixed number of statements; runs are taken in the order in which `lock` takes them.
     */
    readonly erase: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Run>, Unavailable>
  }
>()("svc/ports/RunStore") {}
