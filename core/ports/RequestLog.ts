/**
 * Stores the request log of accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { RequestEntry } from "../model/RequestEntry.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Which calls a list shows. */
export interface RequestFilter extends TimeRange {
  readonly keyId?: Among<string>
  readonly method?: Among<string>
  readonly route?: Among<string>
  readonly status?: Among<number>
  readonly code?: Among<string>
  /** A complete request id. */
  readonly q?: string | null
}

/** The port of the request log. */
export class RequestLog extends Context.Service<
  RequestLog,
  {
    /** Adds entries of any accounts, in one statement. */
    readonly append: (entries: ReadonlyArray<RequestEntry>) => Effect.Effect<void, Unavailable>
    /** An account's entries that pass a filter, newest first. */
    readonly list: (
      accountId: string,
      filter: RequestFilter,
      page: PageRequest
    ) => Effect.Effect<Page<RequestEntry>, Unavailable>
    /** Removes the bodies of an account's entries, since they may contain data of erased people. The entries stay. */
    readonly removeBodies: (accountId: string) => Effect.Effect<void, Unavailable>
    /**
     * Deletes at most `limit` entries that are older at `now` than the setting `requestLogDays` of their account; returns how
     * many.
     */
    readonly prune: (now: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/RequestLog") {}
