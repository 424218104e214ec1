/**
 * Stores the processes of the service, as each reports itself.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ServiceNode } from "../model/Node.ts"
import type { Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of processes. */
export class NodeStore extends Context.Service<
  NodeStore,
  {
    /** Adds a process, or replaces its earlier report. */
    readonly report: (node: ServiceNode) => Effect.Effect<void, Unavailable>
    /** The processes that last reported within a range of times, by their start, latest first. */
    readonly list: (seen: TimeRange, page: PageRequest) => Effect.Effect<Page<ServiceNode>, Unavailable>
    /** Deletes processes that last reported before a time, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/NodeStore") {}
