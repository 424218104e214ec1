/**
 * Stores the daily seals of companies' audit logs (docs/contributing/people.md 6).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The seal of a company's audit entries of one day. */
export interface AuditSeal {
  readonly companyId: string
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string
  /** The number of entries that it seals. */
  readonly entries: number
  /** The hash of the previous day's seal; empty for the first. */
  readonly previous: string
  readonly hash: string
  /** A keyed mark stating that retention deleted the entries; null while they are stored. */
  readonly pruned: string | null
}

/** The port of seals. */
export class SealStore extends Context.Service<
  SealStore,
  {
    /** Adds a seal; an existing seal of the same day stays. */
    readonly insert: (seal: AuditSeal) => Effect.Effect<void, Unavailable>
    /** The seal of a company's last sealed day; null before the first. */
    readonly last: (companyId: string) => Effect.Effect<AuditSeal | null, Unavailable>
    /** A company's seals after a day, or (null) all, oldest first, at most `limit`. */
    readonly list: (
      companyId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditSeal>, Unavailable>
    /** A company's seals of days before `day` whose entries are not marked as deleted, oldest first, at most `limit`. */
    readonly kept: (
      companyId: string,
      day: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditSeal>, Unavailable>
    /** Sets `pruned` of existing seals. */
    readonly mark: (seals: ReadonlyArray<AuditSeal>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/SealStore") {}
