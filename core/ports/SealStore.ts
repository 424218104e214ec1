/**
 * Stores the daily seals of companies' audit logs (docs/contributing/people.md 6).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The seal of a company's entries of a day. */
export interface AuditSeal {
  readonly companyId: string
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string
  /** How many entries it seals. */
  readonly entries: number
  /** The hash of the day before; empty for the first. */
  readonly previous: string
  readonly hash: string
  /** A keyed mark that retention has deleted the entries; null while they are kept. */
  readonly pruned: string | null
}

/** The port of seals. */
export class SealStore extends Context.Service<
  SealStore,
  {
    /** Adds a seal; one of the day that exists stays. */
    readonly insert: (seal: AuditSeal) => Effect.Effect<void, Unavailable>
    /** The seal of a company's last sealed day; null before the first. */
    readonly last: (companyId: string) => Effect.Effect<AuditSeal | null, Unavailable>
    /** A company's seals behind a day, null for all, the oldest first, at most `limit`. */
    readonly list: (
      companyId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditSeal>, Unavailable>
    /** A company's seals of days before `day` whose entries are not marked as deleted, the oldest first, at most `limit`. */
    readonly kept: (
      companyId: string,
      day: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditSeal>, Unavailable>
    /** Marks seals that exist by their `pruned`. */
    readonly mark: (seals: ReadonlyArray<AuditSeal>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/SealStore") {}
