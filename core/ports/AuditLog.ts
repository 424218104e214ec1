/**
 * Stores who changed what and when. Append-only, until an entry is old enough to be deleted.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Actor, ActorKind } from "../model/Actor.ts"
import type { Json } from "../shared/Json.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Whether something was done, or refused because a right was missing. */
export const auditOutcomes = ["Done", "Refused"] as const

/** The outcome of what an entry records. */
export type AuditOutcome = (typeof auditOutcomes)[number]

/** An entry of the audit log. */
export interface AuditEntry {
  readonly id: string
  /** `noAccount` if the entry concerns no account. */
  readonly accountId: string
  /** The company of an entry that belongs to none of its accounts; otherwise null. */
  readonly companyId: string | null
  /** Epoch milliseconds. */
  readonly at: number
  /** For entries of earlier versions, only the kind and id, or the name `management`, are known. */
  readonly actor: Actor
  /** What was done, such as `api_key.revoked`. */
  readonly action: string
  /** The id of what was changed. */
  readonly target: string
  readonly targetName: string | null
  /** The state before and after, without secrets. */
  readonly before: Json
  readonly after: Json
  readonly outcome: AuditOutcome
  /** The keyed digest of what the entry held before a person was erased from it; null if none was. */
  readonly contentDigest: string | null
}

/** The `after` of an entry that counts repetitions. */
export type AuditCount = { readonly count: number }

/** The position of an entry in time order. */
export interface AuditPlace {
  readonly at: number
  readonly id: string
}

/** Whose entries a list has: those of accounts, of a company, or of the installation. */
export type AuditScope =
  | { readonly _tag: "Accounts"; readonly accountIds: ReadonlyArray<string> }
  /** The entries of a company itself and of its accounts. */
  | { readonly _tag: "Company"; readonly companyId: string; readonly accountIds: ReadonlyArray<string> }
  | { readonly _tag: "Installation" }

/** Which entries a list shows. */
export interface AuditFilter extends TimeRange {
  readonly actorKinds?: Among<ActorKind>
  /** The ids of actors. */
  readonly actorIds?: Among<string>
  /** Actions, such as `api_key.revoked`, or their first part, such as `api_key`. */
  readonly actions?: Among<string>
  readonly targets?: Among<string>
  readonly outcomes?: Among<AuditOutcome>
  readonly networks?: Among<string>
}

/** The port of the audit log. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly append: (entries: ReadonlyArray<AuditEntry>) => Effect.Effect<void, Unavailable>
    /**
     * Adds entries with distinct ids, whose `after` is `{count}`. If an entry with the id exists, its count is increased and
     * the rest of it stays unchanged.
     */
    readonly count: (
      entries: ReadonlyArray<AuditEntry & { readonly after: AuditCount }>
    ) => Effect.Effect<void, Unavailable>
    /**
     * Deletes entries older than `before`, epoch milliseconds, oldest first, at most `limit`; returns how many. In the scope of
     * the installation, only entries that belong to no company.
     */
    readonly prune: (scope: AuditScope, before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Entries from `since` to before `until`, oldest first, at most `limit` after the position `after`. */
    readonly span: (
      scope: AuditScope,
      range: { readonly since: number; readonly until: number },
      after: AuditPlace | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditEntry>, Unavailable>
    /** Entries of an account about any of the targets that have a name or a state, at most `limit`, in no order. */
    readonly about: (
      accountId: string,
      targets: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditEntry>, Unavailable>
    /** Removes the name of the target and the states from entries, and sets the digest of what they held. */
    readonly redact: (
      accountId: string,
      entries: ReadonlyArray<Pick<AuditEntry, "id"> & { readonly contentDigest: string }>
    ) => Effect.Effect<void, Unavailable>
    /** Entries, newest first. */
    readonly list: (
      scope: AuditScope,
      filter: AuditFilter,
      page: PageRequest
    ) => Effect.Effect<Page<AuditEntry>, Unavailable>
  }
>()("svc/ports/AuditLog") {}
