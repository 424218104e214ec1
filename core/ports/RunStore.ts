/**
 * Stores flow runs. A constraint allows at most one Active run per account, flow and contact.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Run, RunStatus } from "../model/Run.ts"
import type { StepCount } from "../model/StepCount.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"

/** Which of a flow's runs a list shows. A range of times applies to their start. */
export interface RunFilter extends TimeRange {
  readonly id?: Among<string>
  readonly status?: Among<RunStatus>
  /** The id of the step that is next or waits. */
  readonly step?: Among<string>
  readonly version?: Among<number>
  readonly contactId?: Among<string>
}

/** An Active run in a list. */
export type ActiveRun = Pick<Run, "contactId" | "dueAt" | "flowId" | "id">

/** The port of runs. */
export class RunStore extends Context.Service<
  RunStore,
  {
    /**
     * Adds runs of one account, in one statement, in the caller's transaction. An Active run is left out if its contact already
     * has an Active run of its flow, even one that another node adds at the same time. Returns the ids of the added runs.
     */
    readonly insert: (
      accountId: string,
      runs: ReadonlyArray<Run>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The contacts of the account's runs with the ids, in no order. */
    readonly contactsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Pick<Run, "contactId" | "id">>, Unavailable>
    /** The account's runs with those ids, locked until the caller's transaction ends; in no order, in one statement. */
    readonly lock: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Run>, Unavailable>
    /** The Active runs of contacts, locked until the caller's transaction ends; in no order, in one statement. */
    readonly lockActive: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Run>, Unavailable>
    /**
     * An account's Active runs, ordered by contact and flow, starting after a run that an earlier call returned (null for the
     * beginning), at most `limit`.
     */
    readonly active: (
      accountId: string,
      after: ActiveRun | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ActiveRun>, Unavailable>
    /** Replaces runs that were locked before, except their account, flow, contact and event. */
    readonly save: (accountId: string, runs: ReadonlyArray<Run>) => Effect.Effect<void, Unavailable>
    /** Appends a later outcome of a step to the log of a run; a deleted run is ignored. */
    readonly appendLog: (
      accountId: string,
      id: string,
      entry: Run["log"][number]
    ) => Effect.Effect<void, Unavailable>
    /** A flow's runs that pass a filter, newest first. */
    readonly list: (
      accountId: string,
      flowId: string,
      filter: RunFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Run>, Unavailable>
    /** A contact's runs of all flows, newest first. */
    readonly ofContact: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Run>, Unavailable>
    /** The number of a flow's runs in each status. */
    readonly countOfFlow: (
      accountId: string,
      flowId: string
    ) => Effect.Effect<Readonly<Record<RunStatus, number>>, Unavailable>
    /** The number of a flow's Active runs on each version, in no order; versions without any are left out. */
    readonly activeByVersion: (
      accountId: string,
      flowId: string
    ) => Effect.Effect<ReadonlyArray<{ readonly version: number; readonly active: number }>, Unavailable>
    /**
     * Adds changes to the counts of steps, in the caller's transaction. The counts are stored apart from the runs, which
     * retention deletes. Concurrent transactions hardly ever wait for each other.
     */
    readonly countSteps: (
      accountId: string,
      changes: ReadonlyArray<StepCount>
    ) => Effect.Effect<void, Unavailable>
    /** The counts of a flow's steps that are above 0, in no order. One read. */
    readonly stepCounts: (
      accountId: string,
      flowId: string
    ) => Effect.Effect<ReadonlyArray<StepCount>, Unavailable>
    /** The number of the account's runs that started on each of the days, by their current status, in order. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<Readonly<Record<RunStatus, number>>>, Unavailable>
    /** Deletes runs that ended before a time, at most `limit`, earliest first; returns how many. */
    readonly prune: (accountId: string, before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** When the first of the account's runs ended; `endedAt` is null if all are Active. Null if the account has no runs. */
    readonly oldest: (
      accountId: string
    ) => Effect.Effect<{ readonly endedAt: number | null } | null, Unavailable>
    /**
     * Deletes the runs of contacts and returns them, in no order, as part of erasing them, in the caller's transaction. A fixed
     * number of statements, which lock runs in the order of `lock`.
     */
    readonly erase: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Run>, Unavailable>
  }
>()("svc/ports/RunStore") {}
