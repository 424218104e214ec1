/**
 * Stores which operators may temporarily read the personal data of which companies (docs/contributing/people.md 1).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The access of an operator to a company's personal data. */
export interface OpenedAccess {
  readonly companyId: string
  readonly userId: string
  readonly reason: string
  /** Epoch milliseconds. */
  readonly openedAt: number
  /** When the access ends, epoch milliseconds. */
  readonly until: number
}

/** The port of operators' access. */
export class AccessStore extends Context.Service<
  AccessStore,
  {
    /** Adds an access, replacing any that the operator already has to the company. */
    readonly open: (access: OpenedAccess) => Effect.Effect<void, Unavailable>
    /** Ends an access, effective on every node at once; returns whether there was one. */
    readonly close: (companyId: string, userId: string) => Effect.Effect<boolean, Unavailable>
    /** The accesses that an operator has at `now`, in no order. */
    readonly find: (userId: string, now: number) => Effect.Effect<ReadonlyArray<OpenedAccess>, Unavailable>
    /** Deletes accesses that ended before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/AccessStore") {}
