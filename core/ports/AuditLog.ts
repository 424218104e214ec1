/**
 * Stores who changed what and when; append-only until an entry is old enough to be deleted.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Json } from "../shared/Json.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** One line of the audit log. */
export interface AuditEntry {
  readonly id: string
  readonly accountId: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Who: `management`, `api_key:<id>` or `system`. */
  readonly actor: string
  /** What was done, such as `api_key.revoked`. */
  readonly action: string
  /** The id of what was changed. */
  readonly target: string
  /** State before and after, without secrets. */
  readonly before: Json
  readonly after: Json
}

/** The port of the audit log. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly append: (entries: ReadonlyArray<AuditEntry>) => Effect.Effect<void, Unavailable>
    /** Deletes entries older than `before`, epoch milliseconds, the oldest first, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** An account's entries, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<AuditEntry>, Unavailable>
  }
>()("svc/ports/AuditLog") {}
